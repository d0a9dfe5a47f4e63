"""No argument of any type crashes the extension: each call returns or raises an exception of Python."""

import array
import itertools
import random

import numpy as np
import pytest

import dalembert
from dalembert import _core

pytestmark = pytest.mark.filterwarnings("ignore")


class Odd:
    """Says it can do things, and cannot."""

    def __float__(self):
        raise OverflowError("odd")

    def __len__(self):
        return 10**6

    def __getitem__(self, i):
        raise RuntimeError("odd")

    def __index__(self):
        raise RuntimeError("odd")

    def __fspath__(self):
        return 3

    def __bool__(self):
        raise RuntimeError("odd")


def values():
    """Arguments nobody meant."""
    return [
        None, True, 0, -1, 3, 10**30, -(2**63), 1.5, float("nan"), float("inf"), -1e308, 1j, "", "q", "x" * 5000, "a\0b",
        "\udce4", b"", b"\xff" * 100, bytearray(3), memoryview(b"abc"), [], [1, 2], [None], ["a", 3], [[1], [2, 3]], (),
        (1.0,) * 7, ("law", ()), ("law", (1, 2)), [("law", (3,))], [("output", ("a", "b", None, None))], {}, {"a": 1},
        set(), range(5), object(), int, lambda: 1, lambda *a: a, np.zeros(0), np.zeros(7), np.zeros((2, 3)),
        np.zeros((7, 2))[:, 0], np.array("text"), np.zeros(7, dtype=complex), np.zeros(7, dtype=np.float32),
        np.zeros(3, dtype=object), np.zeros((1,) * 20), array.array("d", [1.0] * 7), array.array("i", [1]), Odd(),
        iter([]), NotImplemented, Ellipsis, _core.Array, _core.System, dalembert.Error,
    ]


def attempt(function, *arguments, **keywords):
    """Call it; SystemError means that the extension broke the rules of the interpreter."""
    try:
        function(*arguments, **keywords)
    except SystemError:
        raise
    except Exception:  # whatever else it says
        pass


def functions():
    """Everything that can be called, by name."""
    system = _core.open("heavy_top", [], False, None, None)
    own = dalembert.System(1, M=lambda t, q: 1, g=lambda t, q, v: 0, q0=[0])
    sim = _core.Simulation(system, None, [])
    sim._start(0.0, None, None)
    fresh = _core.Simulation(system, None, [])
    recorded = _core.Simulation(system, None, [])
    recorded._start(0.0, None, None)
    recorded._record(15, 1, 0.0, None)
    skip = {"condition", "_run"}
    for owner in (system, own.compile(), sim, fresh, recorded):
        for name in dir(owner):
            if not name.startswith("__") and name not in skip and callable(getattr(type(owner), name)):
                yield f"{type(owner).__name__}.{name}", getattr(owner, name)
    for name in dir(_core):
        if not name.startswith("__") and callable(getattr(_core, name)):
            yield name, getattr(_core, name)
    for name in ("load", "parse", "simulate", "Simulation", "System", "Event", "Model", "read", "box"):
        yield name, getattr(dalembert, name)


def test_every_function_with_every_value(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _, function in functions():
        attempt(function)
        for value in values():
            attempt(function, value)
            attempt(function, value, value)


def test_random_calls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    some = random.Random(1)
    every = values()
    system = _core.open("heavy_top", [], False, None, None)
    every += [system, _core.Simulation(system, None, [])]
    for _, function in functions():
        for count in (2, 3, 4, 5, 6):
            for _ in range(12):
                attempt(function, *some.choices(every, k=count))


def test_nearly_right_calls_with_one_wrong_argument(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    system = _core.open("heavy_top", [], False, None, None)
    rows = np.zeros((3, 1 + 17 + 13 + 16 + 5))

    def make():
        sim = _core.Simulation(system, None, [])
        sim._start(0.0, None, None)
        return sim

    right = [
        (_core.open, ["heavy_top", [], False, None]),
        (_core.parse, ['{"dalembert": 1, "bodies": [{"name": "b", "mass": 1, "inertia": 1}]}', "n", [], None]),
        (_core.parse, ['{"dalembert": 1, "bodies": [{"name": "b", "mass": 1, "inertia": 1}]}', "n", [],
                       [("law", ("f", "law", lambda t: 0.0, None, None, None, "b", 2, 0, None, None, (), 0.0))]]),
        (_core.dense, [[("rn", 1)], 0, 0, False, False, (lambda t, q: 1, lambda t, q, v: 0) + (None,) * 9]),
        (_core.Simulation, [system, "ggl", ["h=1e-3"]]),
        (_core.save, [system, "x.h5", 1, 15, rows, [("a.txt", "b")]]),
        (_core.page, [system, "x.html", 15, rows, [("option:h", "1")]]),
        (lambda *a: make()._start(*a), [0.0, np.zeros(7), np.zeros(6)]),
        (lambda *a: make()._add_event(*a), [lambda t, q, v: 1.0, None, 0, True]),
        (lambda *a: make()._record(*a), [15, 1, 0.0, None]),
        (lambda *a: make()._output(*a), [0, 3]),
        (system.check, [0.0, system.q0, system.v0, None, None, 1e-3]),
    ]
    for function, arguments in right:
        for i, value in itertools.product(range(len(arguments)), values()):
            attempt(function, *arguments[:i], value, *arguments[i + 1 :])


LAW = ["f", "law", lambda t, x: 0.0, None, None, None, "b", 2, 0, None, None, (("body", "b", 0, 1, 0),), 0.0]


@pytest.mark.parametrize("place", range(len(LAW)))
def test_laws_with_one_wrong_part(place):
    text = '{"dalembert": 1, "bodies": [{"name": "b", "mass": 1, "inertia": 1}]}'
    for value in values():
        law = tuple(LAW[:place] + [value] + LAW[place + 1 :])
        attempt(lambda law=law: _core.Simulation(_core.parse(text, "n", [], [("law", law)]), None, [])._start(0, None, None))


def test_results_of_callbacks_of_every_type():
    m = dalembert.load("pendulum")
    for value in values():
        own = dalembert.System(1, M=lambda t, q, value=value: value, g=lambda t, q, v: [0], q0=[0])
        attempt(dalembert.Simulation, own)
        own = dalembert.System(1, M=lambda t, q: 1, g=lambda t, q, v, value=value: value, q0=[0],
                               energy=lambda t, q, v, value=value: value)
        attempt(dalembert.simulate, own, t_end=0.01)
        for kind in ("event", "observe"):
            sim = dalembert.Simulation(m)
            attempt(getattr(sim, kind), lambda *a, value=value: value)
            attempt(sim.run, 0.003)
            attempt(sim.step)

"""Simulations, step by step."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _core
from ._model import Model, Recipe, as_made, load
from ._system import System
from ._values import assignments

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Source = Union[Model, System, str, os.PathLike[str]]

TABLES = ("outputs", "bodies", "state", "monitor")
MANY_BODIES = 50  # from here on the tables of bodies and states are left out unless asked for


def compiled(source: Source) -> _core.System:
    """The system of whatever can be simulated."""
    if isinstance(source, (Model, System)):
        return source.compile()
    return load(source).compile()


class Event:
    """Something that happens where value(t, q, v) crosses zero.

    direction: 1 upwards, -1 downwards, 0 either. change(t, q, v) may alter q and v in place (an impact, say); the run then
    goes on from consistent values. Without it the run ends there, unless stop is False.
    """

    def __init__(
        self,
        value: Callable[[float, Floats, Floats], float],
        change: Callable[[float, Floats, Floats], None] | None = None,
        *,
        direction: int = 0,
        stop: bool | None = None,
    ) -> None:
        if not callable(value) or (change is not None and not callable(change)):
            raise TypeError("an event needs a function of (t, q, v), and so does its change")
        self.value = value
        self.change = change
        self.direction = int(direction)
        self.stop = bool(stop) if stop is not None else change is None


class Outputs:
    """Where the outputs of a model are: names of outputs and of their components."""

    def __init__(self, system: _core.System) -> None:
        self.place: dict[str, tuple[int, int, bool]] = {}
        names = [name for name, _, table in system.channels() if table in ("outputs", "bodies")]
        groups: dict[str, tuple[int, int]] = {}
        for i, name in enumerate(names):
            self.place.setdefault(name, (i, 1, True))
            stem = name.rpartition(".")[0]
            first, n = groups.get(stem, (i, 0))
            if stem and first + n == i:
                groups[stem] = (first, n + 1)
        for stem, (first, n) in groups.items():
            self.place.setdefault(stem, (first, n, False))
        for name, _, first, n in system.info().get("outputs", []):
            self.place[name] = (first, n, n == 1)

    def find(self, name: str) -> tuple[int, int, bool]:
        """First value, number of values, and whether it is a plain number."""
        if not isinstance(name, str):
            raise TypeError(f"the name of an output is a text, not {type(name).__name__}")
        if name not in self.place:
            near = _core.nearest(name, list(self.place))
            raise KeyError(f"no output '{name}'" + (f" (did you mean '{near}'?)" if near else ""))
        return self.place[name]


class Inputs(MutableMapping[str, float]):
    """The inputs of a simulation: reading gives the present value, setting changes it from here on."""

    __slots__ = ("_simulation",)

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def __getitem__(self, name: str) -> float:
        return self._simulation._inputs()[name][0]

    def __setitem__(self, name: str, value: float) -> None:
        if name not in self._simulation._inputs():
            near = _core.nearest(str(name), list(self))
            raise KeyError(f"no input '{name}'" + (f" (did you mean '{near}'?)" if near else ""))
        self._simulation.set({name: value})

    def __delitem__(self, name: str) -> None:
        raise TypeError("inputs belong to the model: they cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._simulation._inputs())

    def __len__(self) -> int:
        return len(self._simulation._inputs())

    def __repr__(self) -> str:
        return repr(dict(self))


class Simulation(_core.Simulation):
    """One run of a model, step by step.

    >>> sim = dalembert.Simulation("heavy_top", h=1e-3)
    >>> while sim.t < 1: sim.step()

    `q`, `v`, `vd` and `la` are arrays that always show the present state; copy what you want to keep. Names of outputs
    give their values: ``sim["top.position"]``. One thread at a time may use a simulation; others may use other
    simulations of the same model.
    """

    __slots__ = ("_names", "_mask", "_values", "_recipe", "_events", "_observers", "model")

    _names: Outputs | None
    _mask: int
    _values: dict[str, float]
    _recipe: Recipe | None
    _events: list[Event]
    _observers: list[Callable[[Simulation], Any]]
    model: Model | System

    def __new__(
        cls, model: Source, *, h: float | None = None, method: str | None = None, **options: Any
    ) -> Simulation:
        if not isinstance(model, (Model, System)):
            model = load(model)
        self = super().__new__(cls, model.compile(), method, assignments({**options, "h": h}))
        assert isinstance(self, Simulation)
        self._names = None
        self._mask = 0
        self._values = {}
        self._recipe = model._recipe() if isinstance(model, Model) else None
        self._events = []
        self._observers = []
        self.model = model
        return self

    def __init__(
        self, model: Source, *, h: float | None = None, method: str | None = None, **options: Any
    ) -> None:
        """model: a Model, a System, or what `load` takes. h: step size. method: see `methods`. Options as of the file format."""
        self.start()

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickling and copies: the model, the options and a snapshot; a copy goes on bit for bit. Events and observers go along."""
        if self._mask:
            raise TypeError("a simulation that is being recorded cannot be copied: its rows would stay behind")
        model = model_of(self.model, self._system, self._recipe)
        state = self.save() if self.started else None
        return _again, (type(self), model, self.options, self._values, self._events, self._observers, state)

    def start(self, t: float = 0.0, q: Any = None, v: Any = None) -> None:
        """Begin (again) at a time with coordinates and velocities; by default those of the model."""
        if isinstance(self.model, System):
            q = self.model.q0 if q is None else q
            v = self.model.v0 if v is None else v
        self._start(t, q, v)

    def set(self, values: Mapping[str, float] | None = None, /, **variables: float) -> None:
        """Change inputs or variables of the model, or numbers of its elements, from here on: ``sim.set(k=80)``,
        ``sim.set({"bodies.rod.mass": 2})``. Inputs are quick: a controller sets them at each of its steps.

        The run goes on from the present state as after an event. What would change the structure is refused, and so are values
        that make no model; then all is as before.
        """
        given = {**values, **variables} if values else variables
        if not self._values and self._set_inputs(given):
            return
        import numpy as np

        # numbers that depend on inputs and on other values follow all of them at once
        moved = {name: u[0] for name, u in self._inputs().items() if u[0] != u[1]}
        new = {**moved, **self._values, **given}
        if new:
            self._set(list(new), np.array(list(new.values()), dtype=float))
        self._values = new

    @property
    def inputs(self) -> Inputs:
        """The inputs of the model by name: ``sim.inputs["u"] = 2`` is ``sim.set(u=2)``."""
        return Inputs(self)

    def run(self, t_end: float) -> str:
        """Step until t_end. Tells what ended the run: "time", "event" or "observer".

        Ctrl-C stops it after the step that is being done; the simulation can go on from there.
        """
        return self._run(t_end)

    def control(self, t_end: float, every: float, update: Callable[[Simulation], Mapping[str, float] | None]) -> str:
        """Run to t_end with a discrete controller: at each multiple of `every`, the present time included if it is one, `update(sim)`
        gives the inputs that are held until the next, ``{"u": 2}``. Steps end at the samples. Tells what ended the run, as `run` does.
        """
        import math

        if not every > 0:
            raise ValueError(f"every = {every} must be a time above zero")
        k = math.ceil(self.t / every - 1e-9)
        while k * every < t_end * (1 - 1e-12):
            if k * every > self.t:
                reason = self.run(k * every)
                if reason != "time":
                    return reason
            inputs = update(self)
            if inputs:
                self.set(inputs)
            k += 1
        return self.run(t_end)

    def __getitem__(self, name: str) -> float | Floats:
        """An output, or a component of one, at the present state."""
        import numpy as np

        if self._names is None:
            self._names = Outputs(self._system)
        first, n, scalar = self._names.find(name)
        values = np.asarray(self._output(first, n))
        return float(values[0]) if scalar else values

    @property
    def state(self) -> dict[str, Any]:
        """The present state: t, q, v, vd, la. The arrays are views."""
        return {"t": self.t, "q": self.q, "v": self.v, "vd": self.vd, "la": self.la}

    @property
    def stats(self) -> dict[str, Any]:
        """What the run has cost so far."""
        return self._stats()

    @property
    def options(self) -> dict[str, str]:
        """All options of the simulation."""
        return self._options

    def reaction(self) -> Floats:
        """Generalised constraint forces -B^T lambda."""
        import numpy as np

        return np.asarray(self._reaction())

    def interpolate(self, t: float) -> tuple[Floats, Floats, Floats]:
        """q, v, la at a time within the last step."""
        import numpy as np

        q, v, la = self._interpolate(t)
        return np.asarray(q), np.asarray(v), np.asarray(la)

    def matrices(self) -> dict[str, Any]:
        """M, C, K, B, Z, G at the present state, with the names of their "velocities" and "rows".

        Small changes d of q, w of v, a of v', l of la change the equations by M a + C w + K d + (B^T + G) l, B d, B w + Z d.
        """
        import numpy as np

        found = self._matrices()
        return {key: x if isinstance(x, list) else np.asarray(x) for key, x in found.items()}

    def project(self, compensated: bool = False) -> None:
        """Bring the present state back to the constraints."""
        self._project(compensated)

    def event(
        self,
        value: Event | Callable[[float, Floats, Floats], float],
        change: Callable[[float, Floats, Floats], None] | None = None,
        *,
        direction: int = 0,
        stop: bool | None = None,
    ) -> int:
        """Add an event: see `Event`. Its number is returned."""
        e = value if isinstance(value, Event) else Event(value, change, direction=direction, stop=stop)
        number = self._add_event(e.value, e.change, e.direction, e.stop)
        self._events.append(e)
        return number

    def remove_event(self, index: int, /) -> None:
        """Remove an event; those behind it move up."""
        super().remove_event(index)
        del self._events[index]

    def observe(self, observer: Callable[[Simulation], Any]) -> None:
        """Call a function with the simulation after every step; a true value ends the run."""
        self._add_observer(observer)
        self._observers.append(observer)

    def record(
        self,
        *,
        every: int = 1,
        dt: float | None = None,
        times: Any = None,
        tables: Iterable[str] | None = None,
    ) -> None:
        """Keep rows from now on: after every N-th step, every dt seconds, or at times. `result` gives them.

        tables: of outputs, bodies, state, monitor; all of them unless the model has many bodies.
        """
        if (dt is not None) + (times is not None) + (every != 1) > 1:
            raise ValueError("every, dt and times exclude each other")
        mask = table_mask(self._system, tables)
        self._record(mask, every, 0.0 if dt is None else float(dt), times)
        self._mask = mask

    def __repr__(self) -> str:
        at = f"t = {self.t:.9g} s" if self.started else "not started"
        return f"<dalembert.Simulation of {self._system.name or 'a system'}, {at}>"


def model_of(model: Model | System, system: _core.System, recipe: Recipe | None) -> Model | System:
    """The model as it was when a system was made of it."""
    if isinstance(model, System) or recipe is None or model._compiled is system:
        return model
    return as_made(system, recipe)


def _again(
    cls: type[Simulation],
    model: Model | System,
    options: dict[str, Any],
    values: dict[str, float],
    events: list[Event],
    observers: list[Callable[[Simulation], Any]],
    state: bytes | None,
) -> Simulation:
    """A simulation from what `Simulation.__reduce__` keeps."""
    import numpy as np

    sim = cls.__new__(cls, model, **options)
    for event in events:
        sim.event(event)
    if state is not None:
        if values:  # a snapshot has the numbers; expressions that follow from values are bound
            sim.start()
            sim._set(list(values), np.array(list(values.values()), dtype=float))
        sim._values = dict(values)
        sim.restore(state)
    for observer in observers:
        sim.observe(observer)
    return sim


def table_mask(system: _core.System, tables: Iterable[str] | None) -> int:
    """Bits of the tables that are kept."""
    if tables is None:
        few = len(system.info().get("bodies", ())) <= MANY_BODIES
        return 0b1111 if few else 0b1101
    chosen: Sequence[str] = [tables] if isinstance(tables, str) else list(tables)
    mask = 0
    for name in chosen:
        if name not in TABLES:
            raise ValueError(f"no table '{name}': there are {', '.join(TABLES)}")
        mask |= 1 << TABLES.index(name)
    return mask

"""Equilibria, small motions, linear models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _core
from ._model import Model, load
from ._simulation import Outputs, Simulation
from ._system import System

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._simulation import Source

    Floats = npt.NDArray[np.float64]
    Complex = npt.NDArray[np.complex128]

About = Union[str, float]
AXES = ("auto", "world", "turning", "body")
SOLVERS = ("auto", "dense", "sparse")


def _source(model: Source) -> Model | System:
    return model if isinstance(model, (Model, System)) else load(model)


def _number(word: str, words: Sequence[str], what: str) -> int:
    if word not in words:
        raise ValueError(f"{what}: {', '.join(words)}, not '{word}'")
    return words.index(word)


class Equilibrium:
    """Where a model rests: q, la, and what was found out about it.

    stable: does it come back when it is pushed? negative: directions in which it gives way, with their stiffness;
    indifferent: those without stiffness; softest: the softest of the others. Outputs by name: ``rest["A.force"]``.
    """

    def __init__(self, model: Model | System, t: float, found: dict[str, Any]) -> None:
        import numpy as np

        self.model = model
        self.t = t
        self.q: Floats = np.asarray(found.pop("q"))
        self.v: Floats = np.asarray(found.pop("v"))
        self.la: Floats = np.asarray(found.pop("la"))
        self.stable: bool = found.pop("stable")
        self.negative: list[tuple[str, float]] = found.pop("negative")
        self.indifferent: list[tuple[str, float]] = found.pop("indifferent")
        self.softest: tuple[str, float] = found.pop("softest")
        self.report: dict[str, Any] = found
        self._sim: Simulation | None = None

    def simulation(self, **options: Any) -> Simulation:
        """A simulation that starts from rest here."""
        sim = Simulation(self.model, **options)
        sim.start(self.t, self.q, self.v)
        return sim

    def __getitem__(self, name: str) -> float | Floats:
        if self._sim is None:
            self._sim = self.simulation()
        return self._sim[name]

    def __repr__(self) -> str:
        words = "stable" if self.stable else "unstable: gives way in " + ", ".join(name for name, _ in self.negative)
        return f"<dalembert.Equilibrium, {words}>"


def static(model: Source, t: float = 0.0, *, q: Any = None, nearest: bool = False) -> Equilibrium:
    """The equilibrium of a model at time t, near its initial position or near q.

    nearest: take the one that Newton's method finds, stable or not. ConvergenceError if there is none; the message names
    the direction in which the system would move.
    """
    import numpy as np

    source = _source(model)
    system = source.compile()
    v: Any = source.v0 if isinstance(source, Model) else np.zeros(system.sizes[1])
    found = _core.static(system, float(t), source.q0 if q is None else q, v, nearest, False)
    return Equilibrium(source, float(t), found)


def _at(model: Model | System, about: About, options: dict[str, Any]) -> Simulation:
    """A simulation at the state that is asked for."""
    if isinstance(about, str):
        if about == "initial":
            return Simulation(model, **options)
        if about == "static":
            return static(model).simulation(**options)
        if about == "steady":
            sim = Simulation(model, **options)
            found = _core.static(model.compile(), 0.0, sim.q, sim.v, False, True)
            sim.start(0.0, found["q"], found["v"])
            return sim
        raise ValueError(f"about: initial, static, steady or a time, not '{about}'")
    sim = Simulation(model, **options)
    sim.run(float(about))
    return sim


class Modes:
    """Small motions about a state: eigenvalues s (rad/s), sorted by magnitude.

    frequencies in Hz, damping ratios; shapes has a row for each mode: changes of q along the velocities, whose names are
    in `velocities`; shares: their parts in the kinetic energy. steady: "at rest", "steady", or "frozen" where the
    eigenvalues are those of an instant only.
    """

    def __init__(self, found: dict[str, Any], velocities: list[str]) -> None:
        import numpy as np

        s: Floats = np.asarray(found.pop("s"))
        shapes: Floats = np.asarray(found.pop("shapes"))
        n = len(velocities)
        self.eigenvalues: Complex = s[:, 0] + 1j * s[:, 1]
        self.shapes: Complex = shapes[:, :n] + 1j * shapes[:, n:]
        self.shares: Floats = np.asarray(found.pop("shares"))
        self.velocities = velocities
        self.steady: str = found.pop("steady")
        self.report: dict[str, Any] = found

    @property
    def frequencies(self) -> Floats:
        """Frequencies, Hz."""
        import numpy as np

        return np.asarray(self.eigenvalues.imag / (2 * np.pi))

    @property
    def damping(self) -> Floats:
        """Damping ratios -Re s/|s|; 0 for s = 0."""
        import numpy as np

        size = np.abs(self.eigenvalues)
        return np.asarray(-self.eigenvalues.real / np.where(size > 0, size, 1.0))

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def __repr__(self) -> str:
        lines = [f"{'mode':>5s} {'Hz':>12s} {'damping':>10s}   {self.steady}"]
        for k in range(len(self)):
            most = self.velocities[int(self.shares[k].argmax())]
            lines.append(f"{k + 1:5d} {self.frequencies[k]:12.5g} {self.damping[k]:10.3g}   {most}")
        return "\n".join(lines)


def modes(
    model: Source,
    n: int = 20,
    *,
    about: About = "initial",
    axes: str = "auto",
    solver: str = "auto",
    **options: Any,
) -> Modes:
    """Eigenvalues and mode shapes of small motions.

    about: "initial", "static", "steady" (equilibrium in axes that turn with the model), or a time up to which the model is simulated. axes of the perturbations: auto, world, turning,
    body. n: how many beside the rigid ones.
    """
    sim = _at(_source(model), about, options)
    found = sim._modes(n, _number(axes, AXES, "axes"), _number(solver, SOLVERS, "solver"))
    return Modes(found, list(sim._matrices()["velocities"]))


class Linear:
    """A linear model z' = A z + B u, y = C z + D u about a state; all values are changes from it.

    Where an input is a prescribed motion (rates), its derivatives take part: + B1 u' + B2 u'', + D1 u' + D2 u''.
    states: the changes of q and v that belong to each z.
    """

    def __init__(self, found: dict[str, Any], inputs: list[str], outputs: list[str]) -> None:
        import numpy as np

        self.A, self.B, self.C, self.D, self.B1, self.B2, self.D1, self.D2, self.states = (
            np.asarray(found.pop(key)) for key in ("A", "B", "C", "D", "B1", "B2", "D1", "D2", "states")
        )
        self.inputs = inputs
        self.outputs = outputs
        self.rates: bool = found.pop("rates")
        self.steady: str = found.pop("steady")
        self.report: dict[str, Any] = found

    def transfer(self, s: complex) -> Complex:
        """The transfer function at s: a row for each output, a column for each input."""
        import numpy as np

        B = self.B + s * self.B1 + s * s * self.B2
        D = self.D + s * self.D1 + s * s * self.D2
        return np.asarray(self.C @ np.linalg.solve(s * np.eye(len(self.A)) - self.A, B.astype(complex)) + D)

    def __repr__(self) -> str:
        return f"<dalembert.Linear: {len(self.A)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"


def linearize(
    model: Model | str,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    *,
    about: About = "initial",
    axes: str = "auto",
    **options: Any,
) -> Linear:
    """A linear model about a state.

    inputs: variables of the model ("F") or numbers of its elements ("forces.drive.vector.0"); outputs: those of the model,
    with all their components. about, axes: as of `modes`.
    """
    import numpy as np

    source = _source(model)
    if not isinstance(source, Model):
        raise TypeError("linearize needs a model; of your own equations Simulation.matrices() tells M, C, K, B")
    names = [inputs] if isinstance(inputs, str) else list(inputs)
    wanted = [outputs] if isinstance(outputs, str) else list(outputs)
    sim = _at(source, about, options)
    place = Outputs(source.compile())
    columns: list[int] = []
    for name in wanted:
        first, width, _ = place.find(name)
        columns += range(first, first + width)
    channels = source.compile().channels()
    values = [_value(source, name) for name in names]
    found = sim._linearize(names, np.array(values, dtype=float), np.array(columns, dtype=float), _number(axes, AXES, "axes"))
    return Linear(found, names, [channels[k][0] for k in columns])


def _value(model: Model, name: str) -> float:
    """The number that an input has in the model."""
    import json

    variables = model.variables
    if name in variables:
        return variables[name]
    section, *rest = str(name).split(".")
    here: Any = json.loads(model.text).get(section)
    if isinstance(here, list) and section != "gravity":
        here = next((e for e in here if isinstance(e, dict) and rest and e.get("name") == rest[0]), None)
        rest = rest[1:]
    for key in rest:
        if isinstance(here, list) and key.isdigit() and int(key) < len(here):
            here = here[int(key)]
        else:
            here = here.get(key) if isinstance(here, dict) else None
    if isinstance(here, (int, float)) and not isinstance(here, bool):
        return float(here)
    near = _core.nearest(str(name), list(variables))
    raise _core.ModelError(
        f"input '{name}': neither a variable of the model nor a number of an element"
        + (f" (did you mean '{near}'?)" if near else "")
    )

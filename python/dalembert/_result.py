"""What a simulation gives."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._model import Model
from ._simulation import TABLES, Event, Outputs, Simulation, model_of
from ._values import framed, path_text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._simulation import Source

    Floats = npt.NDArray[np.float64]


class Stats(dict[str, Any]):
    """Counts of a run, as a dictionary or by attribute: stats.steps."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Result:
    """The motion that was simulated: a row for each step, or for each time that was asked for.

    t, q, v, la: arrays with a row for each time. Outputs by name: ``result["slider.position"]`` (rows x 3),
    ``result["slider.position.x"]``; bodies likewise, ``result["rod.x"]``, ``result["rod.quat"]``; and columns of the
    monitor: ``result["energy"]``, ``result["position_residual"]``. Arrays are views of one block of memory.

    success: did it come to the end? message: what ended it, in words. stats: what it cost.
    """

    def __init__(self, rows: Any, mask: int, sim: Simulation, success: bool, message: str, stop: str) -> None:
        import numpy as np

        self._rows: Floats = np.asarray(rows)
        self._mask = mask
        self._system = sim._system
        self.model = sim.model
        self._recipe = sim._recipe
        self.success = success
        self.message = message
        self.stop = stop
        self.options = sim.options
        self.stats = Stats({**sim.stats, **sim._monitor()})
        self.warnings = sorted(set(self._system.warnings + sim.warnings))
        self._columns: dict[str, int] = {}
        self._outputs: Outputs | None = None
        self._first: dict[str, int] = {}
        self._units: dict[str, str] = {}
        self._lay_out()

    def __getstate__(self) -> dict[str, Any]:
        """For pickling and copies: rows, counts, and the model as it was."""
        model = model_of(self.model, self._system, self._recipe)
        return {**self.__dict__, "_system": None, "_outputs": None, "model": model}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._system = self.model.compile()

    def _lay_out(self) -> None:
        channels = self._system.channels()
        known = [name for name in TABLES if self._mask >> TABLES.index(name) & 1]
        if self._system.name is None:
            known = ["state"]
        column = 1
        for name, unit, table in channels:
            if table in known:
                self._first.setdefault(table, column)
                self._columns.setdefault(name, column)
                self._units.setdefault(name, unit)
                column += 1

    # ---- arrays -----------------------------------------------------------------------------------

    def _state(self, part: int, name: str) -> Floats:
        if "state" not in self._first:
            raise KeyError(f"{name}: the table of states was not recorded")
        nq, nv, nc = self._system.sizes
        first = self._first["state"] + (0, nq, nq + nv)[part]
        return self._rows[:, first : first + (nq, nv, nc)[part]]

    @property
    def t(self) -> Floats:
        """Times, s."""
        return self._rows[:, 0]

    @property
    def q(self) -> Floats:
        """Coordinates: a row for each time."""
        return self._state(0, "q")

    @property
    def v(self) -> Floats:
        """Velocities: a row for each time."""
        return self._state(1, "v")

    @property
    def la(self) -> Floats:
        """Multipliers: a row for each time."""
        return self._state(2, "la")

    def __len__(self) -> int:
        return int(self._rows.shape[0])

    @property
    def names(self) -> list[str]:
        """Columns that there are, the time not counted."""
        return list(self._columns)

    @property
    def outputs(self) -> list[str]:
        """Outputs of the model."""
        return [item[0] for item in self._system.info().get("outputs", ())]

    def unit(self, name: str) -> str:
        """Unit of a column or of an output: "m/s"; "" where there is none."""
        if name in self._units:
            return self._units[name]
        units = {unit for column, unit in self._units.items() if column.startswith(name + ".")}
        return units.pop() if len(units) == 1 else ""

    def __getitem__(self, name: str) -> Floats:
        if name == "t":
            return self.t
        if isinstance(name, str) and name in self._columns:
            return self._rows[:, self._columns[name]]
        if self._outputs is None:
            self._outputs = Outputs(self._system)
        first, n, scalar = self._place(name)
        return self._rows[:, first] if scalar else self._rows[:, first : first + n]

    def _place(self, name: str) -> tuple[int, int, bool]:
        assert self._outputs is not None
        if not isinstance(name, str):
            raise TypeError(f"the name of an output is a text, not {type(name).__name__}")
        if name not in self._outputs.place:
            near = _core.nearest(name, [*self._columns, *self._outputs.place])
            raise KeyError(f"no output '{name}'" + (f" (did you mean '{near}'?)" if near else ""))
        first, n, scalar = self._outputs.place[name]
        channel = self._system.channels()[first]
        if channel[2] not in self._first:
            raise KeyError(f"'{name}': the table of {channel[2]} was not recorded")
        return self._columns[channel[0]], n, scalar

    def __contains__(self, name: object) -> bool:
        try:
            self[name]  # type: ignore[index]
        except (KeyError, TypeError):
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    # ---- elsewhere --------------------------------------------------------------------------------

    def check(self) -> Result:
        """Raise ConvergenceError if the run did not come to its end; otherwise the result itself."""
        if not self.success:
            raise _core.ConvergenceError(self.message)
        return self

    def to_pandas(self) -> Any:
        """A pandas DataFrame: a column for each number, the time as index."""
        from importlib import import_module

        pd: Any = import_module("pandas")
        columns = {name: self._rows[:, column] for name, column in self._columns.items()}
        return pd.DataFrame(columns, index=pd.Index(self.t, name="t"))

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draw outputs over time with matplotlib; by default all outputs of the model, one picture each unit.

        Returns the axes.
        """
        from importlib import import_module

        plt: Any = import_module("matplotlib.pyplot")
        chosen = names or tuple(self.outputs) or ("q",)
        if ax is None:
            units = list(dict.fromkeys(self.unit(name) for name in chosen))
            _, grid = plt.subplots(len(units), 1, sharex=True, squeeze=False, layout="constrained")
            axes = dict(zip(units, grid[:, 0]))
        else:
            axes = {self.unit(name): ax for name in chosen}
        for name in chosen:
            unit = self.unit(name)
            values = self.q if name == "q" and name not in self._columns else self[name]
            axes[unit].plot(self.t, values, label=self._labels(name, values))
            axes[unit].set_ylabel(unit)
        for one in axes.values():
            one.set_xlabel("t [s]")
            one.legend(fontsize="small")
        return list(axes.values()) if len(axes) > 1 else next(iter(axes.values()))

    def _labels(self, name: str, values: Floats) -> str | list[str]:
        if values.ndim == 1:
            return name
        found = [column for column in self._columns if column.startswith(name + ".")]
        n = values.shape[1]
        return found if len(found) == n else [f"{name}.{i + 1}" for i in range(n)]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write tables as the tool does: a file .h5, a file .csv (outputs only), or a folder of CSV files."""
        text = path_text(path)
        mask = self._mask
        rows = self._rows
        format = 0
        if text.endswith((".h5", ".hdf5")):
            format = 1
        elif text.endswith(".csv"):
            format = 2
            mask, rows = self._one_table()
        _core.save(self._system, text, format, mask, rows, self._notes())

    def _one_table(self) -> tuple[int, Floats]:
        """The first table that was recorded, as rows of its own."""
        import numpy as np

        channels = self._system.channels()
        table = next(name for name in TABLES if name in self._first)
        n = sum(1 for channel in channels if channel[2] == table)
        first = self._first[table]
        rows = np.ascontiguousarray(self._rows[:, [0, *range(first, first + n)]])
        return 1 << TABLES.index(table), rows

    def _notes(self) -> list[tuple[str, str]]:
        import json

        return [
            ("model.json", self._system.text or ""),
            ("options.json", json.dumps(self.options)),
            ("version.txt", f"dalembert {_core.version()}"),
            ("statistics.json", json.dumps({**self.stats, "success": self.success, "message": self.message})),
            ("summary.txt", repr(self) + "\n"),
        ]

    def html(self, path: str | os.PathLike[str] | None = None) -> str:
        """A page with the moving mechanism and curves, one file for any browser. Without a path its text is returned."""
        import tempfile

        texts = [(f"option:{name}", value) for name, value in self.options.items()]
        texts += [("summary:simulated", f"{self.t[-1]:.9g} s" if len(self) else "nothing")]
        texts += [(f"summary:{name}", f"{value}") for name, value in self.stats.items()]
        texts += [("warning:", text) for text in self.warnings]
        texts += [] if self.success else [("warning:", self.message)]
        if path is not None:
            _core.page(self._system, path_text(path), self._mask, self._rows, texts)
            return path_text(path)
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "page.html")
            _core.page(self._system, place, self._mask, self._rows, texts)
            with open(place, encoding="utf-8") as file:
                return file.read()

    def _repr_html_(self) -> str | None:
        """The page in a frame, for notebooks."""
        return framed(self.html()) if isinstance(self.model, Model) else None

    def __repr__(self) -> str:
        end = f"t = {self.t[-1]:.9g} s" if len(self) else "nothing"
        return f"<dalembert.Result of {self._system.name or 'a system'}: {len(self)} rows to {end}; {self.message}>"


def run(sim: Simulation, t_end: float) -> Result:
    """Run a simulation that is being recorded, and make a result of it, whatever ends it."""
    success, stop = True, "time"
    try:
        stop = sim.run(t_end)
        own = stop == "event" and sim.event_index < 0
        event = f"'{sim.happenings[-1][1]}'" if own else f"{sim.event_index}"
        message = {
            "time": "the end time was reached",
            "event": f"event {event} happened at t = {sim.t:.9g} s",
            "observer": f"an observer ended the run at t = {sim.t:.9g} s",
        }[stop]
    except KeyboardInterrupt:
        success, stop = False, "interrupt"
        message = f"stopped by Ctrl-C at t = {sim.t:.9g} s of {t_end:.9g} s; everything up to there is kept"
    except _core.Error as error:
        if error.status in ("DAL_EINVAL", "DAL_EOPTION"):
            raise
        success, stop = False, "failure"
        message = str(error)
    return Result(sim._take(), sim._mask, sim, success, message, stop)


def simulate(
    model: Source,
    t_end: float | None = None,
    h: float | None = None,
    method: str | None = None,
    *,
    t: float = 0.0,
    q: Any = None,
    v: Any = None,
    every: int = 1,
    dt: float | None = None,
    times: Any = None,
    tables: Iterable[str] | None = None,
    events: Sequence[Event | Callable[..., float]] = (),
    observers: Sequence[Callable[[Simulation], Any]] = (),
    **options: Any,
) -> Result:
    """Simulate a model and keep its motion.

    model: a Model, a System, or what `load` takes. t_end, h: end time and step size, by default those of the model.
    method: "index3", "ggl", "lobatto4", "rk8", ...; see `methods`. t, q, v: where to start, by default where the model
    says. every, dt, times: rows after every N-th step, every dt seconds, at these times. tables: what to keep, of
    "outputs", "bodies", "state", "monitor". events, observers: see `Simulation`. Other keywords are options of the
    simulation: rho_inf=0.8, step="adaptive", step_rtol=1e-6.

    What is wrong with the model or the options is raised. A run that fails on its way, or that Ctrl-C ends, gives the
    motion up to there with success = False and a message; what a callback raises travels on.
    """
    sim = Simulation.__new__(Simulation, model, h=h, method=method, **options)
    for event in events:
        sim.event(event)
    for observer in observers:
        sim.observe(observer)
    sim.start(t, q, v)
    sim.record(every=every, dt=dt, times=times, tables=tables)
    if t_end is None:
        t_end = sim._system.t_end
        if not t_end > t:
            raise _core.ArgumentError("the model gives no end time: give t_end")
    return run(sim, float(t_end))


class Table(dict[str, Any]):
    """A table read from files: columns by name, the time as "t"."""

    def to_pandas(self) -> Any:
        """A pandas DataFrame with the time as index."""
        from importlib import import_module

        pd: Any = import_module("pandas")
        return pd.DataFrame({name: x for name, x in self.items() if name != "t"}, index=pd.Index(self["t"], name="t"))


def read(path: str | os.PathLike[str], table: str = "outputs") -> Table:
    """Read a table of results that `Result.save` or the tool wrote: outputs, bodies, state or monitor."""
    import numpy as np

    names, array = _core.read_table(path_text(path), table)
    rows: Floats = np.asarray(array)
    columns = Table({name: rows[:, k] for k, name in enumerate(names)})
    columns["t"] = rows[:, 0]
    return columns

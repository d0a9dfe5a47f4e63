"""Many runs of one model, and how accurate a run is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._model import Model, load
from ._simulation import Outputs, Simulation
from ._values import assignments

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._simulation import Source

    Floats = npt.NDArray[np.float64]


class Ensemble:
    """Outputs of many runs: ``ensemble["slider.position"]`` has a row for each member.

    params: what was varied, by name. t: the times at which outputs were taken, or None: at the end alone; the second axis
    of an output is then that of the times, the last one that of its components. success: did a member come to the end?
    What it did not reach is NaN; messages tells why.
    """

    def __init__(
        self, params: dict[str, Floats], t: Floats | None, values: dict[str, Floats], messages: list[str | None]
    ) -> None:
        import numpy as np

        self.params = params
        self.t = t
        self.values = values
        self.messages = messages
        self.success: npt.NDArray[np.bool_] = np.array([message is None for message in messages], dtype=bool)

    def __getitem__(self, name: str) -> Floats:
        if name in self.values:
            return self.values[name]
        if name in self.params:
            return self.params[name]
        near = _core.nearest(str(name), [*self.values, *self.params])
        raise KeyError(f"no output '{name}' was kept" + (f" (did you mean '{near}'?)" if near else ""))

    def __len__(self) -> int:
        return len(self.messages)

    def __repr__(self) -> str:
        return f"<dalembert.Ensemble: {len(self)} members, {int(self.success.sum())} of them came to the end>"

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each member, for outputs at the end."""
        from importlib import import_module

        pd: Any = import_module("pandas")
        if self.t is not None:
            raise ValueError("only outputs at the end make a table")
        columns: dict[str, Any] = dict(self.params)
        for name, x in self.values.items():
            if x.ndim == 1:
                columns[name] = x
            else:
                columns.update({f"{name}.{k + 1}": x[:, k] for k in range(x.shape[1])})
        return pd.DataFrame(columns)


def _table(params: Any, names: Sequence[str] | None) -> dict[str, Any]:
    """What varies, by name: from a mapping (a DataFrame, too), a structured array, or an array with names."""
    import numpy as np

    if isinstance(params, Mapping) or hasattr(params, "items"):
        table = {str(name): np.ravel(np.asarray(x, dtype=float)) for name, x in params.items()}
    else:
        array = np.asarray(params)
        if array.dtype.names:
            table = {name: np.ravel(array[name].astype(float)) for name in array.dtype.names}
        elif names is None:
            raise TypeError("params: a mapping of names to values, or an array and the names of its columns")
        else:
            chosen = [names] if isinstance(names, str) else [str(name) for name in names]
            array = np.atleast_2d(array.astype(float))
            array = array.T if len(chosen) == 1 and array.shape[0] == 1 else array
            if array.ndim != 2 or array.shape[1] != len(chosen):
                raise ValueError(f"params: {len(chosen)} names, but an array of shape {array.shape}")
            table = {name: array[:, k] for k, name in enumerate(chosen)}
    lengths = {len(x) for x in table.values()}
    if len(lengths) > 1 and lengths - {1}:
        n = max(lengths)
        if lengths - {1, n}:
            raise ValueError("params: as many values for each name")
        table = {name: np.broadcast_to(x, (n,)) for name, x in table.items()}
    return table


def ensemble(
    model: Model | str | os.PathLike[str],
    params: Any,
    *,
    names: Sequence[str] | None = None,
    outputs: Iterable[str] | None = None,
    t_end: float | None = None,
    h: float | None = None,
    method: str | None = None,
    dt: float | None = None,
    times: Any = None,
    threads: int | None = None,
    **options: Any,
) -> Ensemble:
    """Run a model with many values of its variables, on all cores.

    params: values by name (a dictionary, a DataFrame, a structured array), or an array with a row for each member and
    `names` of its columns. outputs: those that are kept, by default all of the model. They are taken at the end, or every dt
    seconds, or at times. threads: by default as many as there are cores. The results do not depend on it.

    The interpreter is free meanwhile; Ctrl-C ends the runs and is raised. A model with Python functions in it runs, but one
    member at a time.
    """
    import numpy as np

    if not isinstance(model, Model):
        model = load(model)
    system = model.compile()
    table = _table(params, names)
    n = len(next(iter(table.values()))) if table else 0
    end = system.t_end if t_end is None else float(t_end)
    if dt is not None and times is not None:
        raise ValueError("dt and times exclude each other")
    if dt is not None:
        times = np.arange(int(np.floor(end / dt * (1 + 1e-12))) + 1) * dt
    at = None if times is None else np.asarray(times, dtype=float)
    place = Outputs(system)
    chosen = model.output_names if outputs is None else [outputs] if isinstance(outputs, str) else list(outputs)
    found = {name: place.find(name) for name in chosen}
    columns = [first + k for first, width, _ in found.values() for k in range(width)]
    if model._attached:
        values, messages = _one_by_one(model, table, n, end, at, found, {**options, "h": h, "method": method})
    else:
        matrix = np.ascontiguousarray(np.stack(list(table.values()), axis=1)) if n else np.zeros((0, len(table)))
        flat, messages = _core.ensemble(
            system, model._source, model._outside, model._set, list(table), matrix, method,
            assignments({**options, "h": h}), end, at, np.array(columns, dtype=float), threads or os.cpu_count() or 1,
        )
        values = np.asarray(flat).reshape(n, 1 if at is None else len(at), len(columns))
    return Ensemble(
        {name: np.asarray(x) for name, x in table.items()}, at, _split(values, found, at is None), messages
    )


def _split(values: Floats, found: dict[str, tuple[int, int, bool]], last: bool) -> dict[str, Floats]:
    """The columns of each output, without axes that have but one entry."""
    result: dict[str, Floats] = {}
    k = 0
    for name, (_, width, scalar) in found.items():
        x = values[:, :, k : k + width]
        k += width
        x = x[:, 0] if last else x
        result[name] = x[..., 0] if scalar else x
    return result


def _one_by_one(
    model: Model,
    table: dict[str, Any],
    n: int,
    end: float,
    at: Floats | None,
    found: dict[str, tuple[int, int, bool]],
    options: dict[str, Any],
) -> tuple[Floats, list[str | None]]:
    """Members of a model that calls Python."""
    import numpy as np

    from ._result import simulate

    width = sum(w for _, w, _ in found.values())
    values = np.full((n, 1 if at is None else len(at), width), np.nan)
    messages: list[str | None] = []
    for i in range(n):
        try:
            member = model.with_(**{name: float(x[i]) for name, x in table.items()})
            result = simulate(member, end, times=[end] if at is None else at, **options)
            messages.append(None if result.success else result.message)
            parts = [result[name].reshape(len(result), -1) for name in found]
            values[i, : len(result)] = np.concatenate(parts, axis=1)
        except _core.Error as error:
            messages.append(str(error))
    return values, messages


class Study:
    """Errors of methods over step sizes: errors[method] has a row (q, v, la) for each h, orders[method] the observed
    orders between neighbours."""

    def __init__(self, h: Floats, errors: dict[str, Floats], reference_error: tuple[float, float, float]) -> None:
        import numpy as np

        self.h = h
        self.errors = errors
        self.reference_error = reference_error
        with np.errstate(all="ignore"):
            steps = np.log(h[:-1] / h[1:])[:, None]
            self.orders = {name: np.log(e[:-1] / e[1:]) / steps for name, e in errors.items()}

    def __repr__(self) -> str:
        lines = [f"{'method':12s} {'h':>10s} {'error q':>10s} {'v':>10s} {'la':>10s}   orders"]
        for name, e in self.errors.items():
            for k, h in enumerate(self.h):
                orders = "" if k == 0 else "  ".join(f"{x:5.2f}" for x in self.orders[name][k - 1])
                lines.append(f"{name:12s} {h:10.3g} {e[k, 0]:10.2e} {e[k, 1]:10.2e} {e[k, 2]:10.2e}   {orders}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Errors of q over h, with matplotlib. Returns the axes."""
        from importlib import import_module

        plt: Any = import_module("matplotlib.pyplot")
        if ax is None:
            _, ax = plt.subplots(layout="constrained")
        for name, e in self.errors.items():
            ax.loglog(self.h, e[:, 0], "o-", label=name)
        ax.set_xlabel("h [s]")
        ax.set_ylabel("error of q")
        ax.legend()
        return ax


def study(
    model: Source,
    h: Sequence[float],
    methods: Sequence[str] = ("model",),
    *,
    t_end: float | None = None,
    samples: int = 10,
    tol: float = 1e-10,
    **options: Any,
) -> Study:
    """Compare methods: the largest errors of q (on the group), v and la at samples between 0 and t_end, for each step size.

    They are measured against a reference solution of order 10, whose own error is told (reference_error). A run that fails
    has the errors NaN.
    """
    import numpy as np

    from ._system import System

    if not isinstance(model, (Model, System)):
        model = load(model)
    system = model.compile()
    end = system.t_end if t_end is None else float(t_end)
    if not end > 0 or samples < 1:
        raise _core.ArgumentError("a study needs an end time and samples")
    times = end * np.arange(1, samples + 1) / samples
    q0, v0 = (model.q0, model.v0) if isinstance(model, System) else (None, None)
    exact, error = _core.reference(system, times, q0, v0, tol)
    reference = [np.asarray(x) for x in exact]
    sizes = np.asarray(h, dtype=float)
    names = [methods] if isinstance(methods, str) else list(methods)
    errors: dict[str, Floats] = {name: np.full((len(sizes), 3), np.nan) for name in names}
    for name in names:
        for k, size in enumerate(sizes):
            errors[name][k] = _errors(model, system, reference, times, name, float(size), options)
    return Study(sizes, errors, error)


def _errors(
    model: Source,
    system: _core.System,
    reference: list[Floats],
    times: Floats,
    method: str,
    h: float,
    options: dict[str, Any],
) -> Floats:
    """Largest errors of one run."""
    import numpy as np

    worst = np.zeros(3)
    sim = Simulation(model, h=h, method=method, **options)
    try:
        for k, t in enumerate(times):
            sim.run(float(t))
            here = (
                _core.distance(system, sim.q, reference[0][k]),
                float(np.linalg.norm(sim.v - reference[1][k])),
                float(np.linalg.norm(sim.la - reference[2][k])),
            )
            worst = np.maximum(worst, here)
    except _core.ConvergenceError:
        worst[:] = np.nan
    return worst

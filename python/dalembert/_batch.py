"""Many simulations of one model that are stepped together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from . import _core
from ._model import Model, load
from ._simulation import Outputs
from ._values import assignments

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


BACKENDS = ("threads", "lanes", "cuda")


class Batch(_core.Batch):
    """n simulations of one model, stepped together on threads: see `batch`.

    t, q, v, vd, la: arrays with a row for each member, views that always show the present states. inputs: a row for each member, to
    be written in place (``batch.inputs[:, 0] = torque``); the next step heeds it. Outputs that were asked for by name:
    ``batch["tip.position"]``, views as well. ok: which members are well; one whose step failed stands still until it is reset,
    and `message` tells why.
    """

    t: Floats
    q: Floats
    v: Floats
    vd: Floats
    la: Floats
    inputs: Floats
    input_names: list[str]
    model: Model
    _views: dict[str, Any]
    _found: dict[str, tuple[int, int, bool]]

    def __new__(
        cls,
        model: Model | str | os.PathLike[str],
        n: int,
        *,
        h: float | None = None,
        method: str | None = None,
        outputs: str | Iterable[str] = (),
        params: Mapping[str, Any] | None = None,
        threads: int | None = None,
        backend: str = "threads",
        **options: Any,
    ) -> Batch:
        import numpy as np

        if backend not in BACKENDS:
            raise ValueError(f"backend is one of {', '.join(BACKENDS)}, not '{backend}'")

        if not isinstance(model, Model):
            model = load(model)
        if model._attached:
            raise _core.ModelError("a batch cannot call Python functions from its threads: use Simulation for such a model")
        system = model.compile()
        place = Outputs(system)
        found: dict[str, tuple[int, int, bool]] = {}
        columns: list[int] = []
        for name in [outputs] if isinstance(outputs, str) else outputs:
            first, width, scalar = place.find(name)
            found[name] = (len(columns), width, scalar)
            columns.extend(range(first, first + width))
        table = {str(name): np.broadcast_to(np.asarray(x, dtype=float), (n,)) for name, x in (params or {}).items()}
        values = np.ascontiguousarray(np.stack(list(table.values()), axis=1)) if table else None
        self = super().__new__(
            cls, system, int(n), method, assignments({**options, "h": h}), np.array(columns, dtype=float), list(table),
            values, threads or os.cpu_count() or 1, BACKENDS.index(backend),
        )
        assert isinstance(self, Batch)
        self.model = model
        self._found = found
        self._views = {name: np.asarray(x) for name, x in self._arrays().items()}
        for name in ("t", "q", "v", "vd", "la", "inputs"):
            setattr(self, name, self._views[name])
        self.input_names = list(system.info()["inputs"])
        return self

    def __init__(self, model: Model | str | os.PathLike[str], n: int, **_: Any) -> None:
        """See `batch`."""
        self.reset()
        if not self.ok.all():
            raise _core.InitialError(self.message(int((~self.ok).argmax())))

    def __len__(self) -> int:
        return int(self.t.shape[0])

    def __getitem__(self, name: str) -> Floats:
        """An output of all members; it was asked for when the batch was made."""
        if name not in self._found:
            near = _core.nearest(str(name), list(self._found))
            raise KeyError(f"output '{name}' was not asked for" + (f" (did you mean '{near}'?)" if near else ""))
        first, width, scalar = self._found[name]
        y: Floats = self._views["y"]
        return y[:, first] if scalar else y[:, first : first + width]

    @property
    def ok(self) -> npt.NDArray[np.bool_]:
        """A value for each member: False where a step or a start has failed."""
        good: npt.NDArray[np.bool_] = self._views["status"] == 0
        return good

    def message(self, member: int) -> str | None:
        """Why a member stands still; None: it does not."""
        return self._message(int(member))

    def set(self, **inputs: Any) -> None:
        """Inputs of all members by name: a number, or one for each."""
        for name, x in inputs.items():
            if name not in self.input_names:
                near = _core.nearest(name, self.input_names)
                raise KeyError(f"no input '{name}'" + (f" (did you mean '{near}'?)" if near else ""))
            self.inputs[:, self.input_names.index(name)] = x

    def step(self, n: int = 1) -> None:
        """n steps of all members that are well. Inputs outside of their limits are refused before anything is done."""
        self._step(n)

    def advance(self, dt: float) -> None:
        """All members on by dt, in as many steps as that takes."""
        self._advance(dt)

    def reset(self, mask: Any = None, q: Any = None, v: Any = None) -> None:
        """Start members anew at t = 0 with the inputs as they are: those where mask is true, or all.

        q, v: rows for all members (those of others are not looked at); by default the initial values of the model.
        """
        import numpy as np

        chosen = None
        if mask is not None:
            chosen = np.ascontiguousarray(np.broadcast_to(np.asarray(mask, dtype=bool), (len(self),))).tobytes()
        rows = [None if x is None else np.ravel(np.broadcast_to(x, like.shape)) for x, like in ((q, self.q), (v, self.v))]
        self._start(chosen, rows[0], rows[1])

    def __repr__(self) -> str:
        return f"<dalembert.Batch of {self.model.name}: {len(self)} members, {int(self.ok.sum())} of them well>"


def batch(
    model: Model | str | os.PathLike[str],
    n: int,
    *,
    h: float | None = None,
    method: str | None = None,
    outputs: str | Iterable[str] = (),
    params: Mapping[str, Any] | None = None,
    threads: int | None = None,
    backend: str = "threads",
    **options: Any,
) -> Batch:
    """n simulations of a model, started, that are stepped together: for learning, for controllers, for filters.

    outputs: names of those that are wanted at each step. params: numbers that differ between members, by name as in
    `Simulation.set`: a value for each. threads: by default as many as there are cores; results do not depend on it. backend: "threads", the
    library; "lanes", a program that is generated for the model and compiled here, with 4 or 8 members in a vector, or "cuda", the same on a GPU: steps
    of one size, and what programs do not have is refused by name. Other keywords as of `Simulation`.

    >>> b = dalembert.batch("heavy_top", 1000, h=1e-3)
    >>> b.step()
    >>> b.q.shape
    (1000, 7)
    """
    return Batch(model, n, h=h, method=method, outputs=outputs, params=params, threads=threads, backend=backend, **options)

"""Exact gradients of what runs give."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._model import Model, load
from ._values import assignments

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

_MODES = ("auto", "forward", "adjoint", "values")


def _list(texts: str | Sequence[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else [str(text) for text in texts]


class Sensitivity:
    """What a run gave, and its derivatives.

    values, jacobian: arrays in the order of `of` and `by` (jacobian None: none were asked for). residuals and their jacobian (forward mode
    alone), squares and their gradient: against data. ``s["final(tip.position.x)", "m"]`` is one derivative.
    """

    def __init__(self, of: list[str], by: list[str], found: tuple[Any, ...]) -> None:
        import numpy as np

        values, rows, residual_rows, squares, of_squares, self.mode, self.steps, self.newton_error, self.segments = found
        numbers = np.asarray(values)
        self.of = of
        self.by = by
        self.values: Floats = numbers[: len(of)]
        self.residuals: Floats = numbers[len(of) :]
        self.jacobian: Floats | None = None if rows is None or not of else np.asarray(rows)
        self.residual_jacobian: Floats | None = (
            None if residual_rows is None or not len(self.residuals) else np.asarray(residual_rows)
        )
        self.squares: float = squares
        self.gradient_of_squares: Floats | None = None if of_squares is None else np.asarray(of_squares)

    def __getitem__(self, key: str | tuple[str, str]) -> float:
        of, by = (key, None) if isinstance(key, str) else key
        i = self.of.index(of)
        if by is None:
            return float(self.values[i])
        if self.jacobian is None:
            raise KeyError("no derivatives were asked for")
        return float(self.jacobian[i, self.by.index(by)])

    def __repr__(self) -> str:
        return f"<dalembert.Sensitivity of {len(self.of)} results by {len(self.by)} numbers, {self.mode}>"


class Gradient:
    """Gradients of runs of one model: made once, called with numbers as often as needed.

    of: results as sweeps collect them, ``"final(tip.position.x)"``, ``"integral(A.force^2)"``. by: variables, or numbers of elements by
    address, ``"bodies.rod.mass"``, ``"functions.u.y.3"``. data: curves (expression, times, values) or (expression, times, values, weights).
    memory: bytes for the states of a run; of longer ones parts are computed twice. Options of the simulation and its t_end are keywords.
    """

    def __init__(
        self,
        model: Model | str | os.PathLike[str],
        of: str | Sequence[str] = (),
        by: str | Sequence[str] = (),
        *,
        data: Sequence[tuple[Any, ...]] = (),
        memory: float | None = None,
        **options: Any,
    ) -> None:
        import numpy as np

        if not isinstance(model, Model):
            model = load(model)
        if model._attached:
            raise _core.ModelError("gradients: the model has Python functions, whose derivatives are not known")
        self.of = _list(of)
        self.by = _list(by)
        curves = [(str(d[0]), d[1], d[2], d[3] if len(d) > 3 else None) for d in data]
        source = model._source
        self._core, numbers = _core.gradient(
            source if source is not None else model.name, None if source is not None else model.text,
            model._set + assignments(options), model._outside, self.of, self.by, curves, memory or 0.0,
        )  # fmt: skip
        self.numbers: Floats = np.asarray(numbers).copy()
        """Those of the model."""

    def __call__(self, numbers: Any = None, *, mode: str = "auto", freeze: bool = False) -> Sensitivity:
        """Run with these numbers, by default those of the model. mode: auto, forward, adjoint, values. freeze: with error control the steps
        of the last run are taken again."""
        if mode not in _MODES:
            raise ValueError(f"mode: {', '.join(_MODES)}, not '{mode}'")
        if isinstance(numbers, Mapping):
            numbers = [numbers[name] for name in self.by]
        found = _core.gradient_run(self._core, numbers, _MODES.index(mode), freeze)
        return Sensitivity(self.of, self.by, found)

    def value_and_grad(self, numbers: Any = None) -> tuple[float, Floats]:
        """The first result, or without one the sum of squares against data, and its gradient."""
        found = self(numbers, mode="auto" if len(self.of) <= 1 else "adjoint")
        if self.of and found.jacobian is not None:
            return float(found.values[0]), found.jacobian[0]
        if found.gradient_of_squares is None:
            raise ValueError("neither a result (of) nor data were given")
        return found.squares, found.gradient_of_squares


def gradient(
    model: Model | str | os.PathLike[str],
    of: str | Sequence[str],
    by: str | Sequence[str],
    *,
    mode: str = "auto",
    **options: Any,
) -> Sensitivity:
    """Exact derivatives of results of a run: ``gradient("heavy_top", "final(top.position.x)", ["m", "spin"], t_end=0.1)``."""
    return Gradient(model, of, by, **options)(mode=mode)


def value_and_grad(
    model: Model | str | os.PathLike[str], of: str, by: str | Sequence[str], **options: Any
) -> Callable[[Any], tuple[float, Floats]]:
    """A function of numbers that returns a result of the run and its gradient, as optimisers want it:
    ``scipy.optimize.minimize(value_and_grad(model, of, by), x0, jac=True)``."""
    return Gradient(model, of, by, **options).value_and_grad

"""Equations of your own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Union

from . import _core

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Group = Union[int, str, Iterable[Union[int, str]]]
    AtQ = Callable[[float, Floats], Any]
    AtV = Callable[[float, Floats, Floats], Any]

FACTORS = ("so3", "r3so3", "se3", "se2", "r2s1")


def _group(group: Group) -> list[tuple[str, int]]:
    """Factors of a group: a whole number n is R^n, the others have names."""
    if isinstance(group, (int, str)):
        group = [group]
    factors: list[tuple[str, int]] = []
    for item in group:
        if isinstance(item, str):
            if item not in FACTORS:
                raise ValueError(f"group: no factor '{item}'; a number n is R^n, others are {', '.join(FACTORS)}")
            factors.append((item, 0))
        elif isinstance(item, int) and not isinstance(item, bool):
            factors.append(("rn", item))
        else:
            raise TypeError("group: whole numbers and names of factors expected")
    return factors


class System:
    """A mechanical system given by its equations, on a Lie group:

        q' = q v~,   M(t, q) v' + g(t, q, v) + B(t, q)^T la = 0,   Phi(t, q) = 0,   A v + b = 0

    group: n for R^n, or factors: ["r3so3", 2]. nc rows of Phi come first, then nn nonholonomic ones; B has nc + nn rows.
    The functions get the time and arrays and return arrays. Optional: b = Phi_t (and b of the nonholonomic rows),
    Z(t, q, v) = d(B v + b)/dq, acc(t, q, v), C(t, q, v) = dg/dv, K(t, q, v, vd, la) = d(M v' + g + B^T la)/dq,
    G(t, q, v, la) = dg/dla, energy(t, q, v); what is missing is found by differences. With lambda_in_g, g and C get la
    as well. Derivatives in q are left-trivialised: along q o exp(d). `check` compares them with differences.

    >>> pendulum = dalembert.System(2, M=lambda t, q: np.eye(2), g=lambda t, q, v: [0, 9.81], nc=1,
    ...     Phi=lambda t, q: [(q @ q - 1) / 2], B=lambda t, q: [q], q0=[1, 0])
    """

    def __init__(
        self,
        group: Group,
        *,
        M: AtQ,
        g: Callable[..., Any],
        q0: Any,
        v0: Any = None,
        nc: int = 0,
        nn: int = 0,
        Phi: AtQ | None = None,
        B: AtQ | None = None,
        b: AtQ | None = None,
        Z: AtV | None = None,
        acc: AtV | None = None,
        C: Callable[..., Any] | None = None,
        K: Callable[..., Any] | None = None,
        G: Callable[..., Any] | None = None,
        energy: AtV | None = None,
        time_dependent: bool = False,
        lambda_in_g: bool = False,
    ) -> None:
        parts = (M, g, Phi, B, b, Z, acc, C, K, G, energy)
        self._given = (_group(group), nc, nn, time_dependent, lambda_in_g, parts)
        self._compiled = _core.dense(*self._given)
        self.q0 = q0
        self.v0 = v0

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: Python functions go by name."""
        return {"_given": self._given, "q0": self.q0, "v0": self.v0}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._compiled = _core.dense(*self._given)

    def compile(self) -> _core.System:
        """What simulations are made of."""
        return self._compiled

    def check(
        self, t: float = 0.0, q: Any = None, v: Any = None, vd: Any = None, la: Any = None, tol: float = 1e-5
    ) -> float:
        """Compare all derivatives given with differences at a state, by default the initial one with some v, vd, la.

        The worst relative error; CheckError names the entry if it exceeds tol.
        """
        import numpy as np

        _, nv, nc = self._compiled.sizes
        some = np.random.default_rng(1)
        q = self.q0 if q is None else q
        v = some.uniform(-1, 1, nv) if v is None else v
        vd = some.uniform(-1, 1, nv) if vd is None else vd
        la = some.uniform(-1, 1, nc) if la is None else la
        return self._compiled.check(t, q, v, vd, la, tol)[0]

    def __repr__(self) -> str:
        nq, nv, nc = self._compiled.sizes
        return f"<dalembert.System: {nq} coordinates, {nv} velocities, {nc} constraints>"

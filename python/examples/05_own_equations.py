"""Equations of your own: a point on an ellipse, with derivatives that are checked before they are used."""

import numpy as np

import dalembert

a, b = 2.0, 1.0
scale = np.array([1 / a**2, 1 / b**2])
system = dalembert.System(
    2,
    nc=1,
    q0=[a, 0],
    M=lambda t, q: np.eye(2),
    g=lambda t, q, v: [0, 9.81],
    Phi=lambda t, q: (scale * q @ q - 1) / 2,
    B=lambda t, q: scale * q,
    Z=lambda t, q, v: [scale * v],
    K=lambda t, q, v, vd, la: la[0] * np.diag(scale),
    energy=lambda t, q, v: v @ v / 2 + 9.81 * q[1],
)
print(f"derivatives right to {system.check():.1e}")
result = dalembert.simulate(system, t_end=5, h=1e-3, method="ggl")
energy = (result.v**2).sum(axis=1) / 2 + 9.81 * result.q[:, 1]
print(f"{result.stats.steps} steps, on the ellipse to {abs((result.q**2 @ scale) - 1).max():.1e}, energy to {np.ptp(energy):.1e} J")

"""Events: a ball that loses a fifth of its speed at each bounce, until it has bounced ten times."""

import dalembert

m = dalembert.Model("ball", gravity=[0, 0, -9.81])
m.point("ball", mass=1, position=[0, 0, 1])
bounces = []


def bounce(t, q, v):
    bounces.append(t)
    v[2] = -0.8 * v[2]


floor = dalembert.Event(lambda t, q, v: q[2], bounce, direction=-1)
result = dalembert.simulate(m, t_end=10, h=1e-3, events=[floor], observers=[lambda sim: len(bounces) >= 10])
print(result.message)
for k, t in enumerate(bounces, 1):
    print(f"bounce {k:2d} at t = {t:.6f} s")

"""A motor that is too weak to lift a pendulum swings it up: 200 torques between limits, found with exact gradients."""

import numpy as np

import dalembert

intervals, end, limit = 200, 4.0, 1.5  # the weight needs 4.9 N m
m = dalembert.Model("swing_up", gravity=[0, 0, -9.81])
times = np.arange(intervals) * end / intervals
m.function("u", {"type": "table", "x": times, "y": np.zeros(intervals), "interpolation": "constant"})
m.body("rod", mass=1, inertia=[0.02, 0.02, 0.001], position=[0, 0, -0.5])
m.revolute("axle", body_b="rod", axis=[0, 1, 0], point=[0, 0, 0])
m.actuator("motor", joint="axle", function="u")
m.outputs("axle.coordinate", "axle.coordinate_velocity", "rod.position", "motor.force_value")

goal = "50*(final(rod.position.z) - 0.5)^2 + final(axle.coordinate_velocity)^2 + 0.001*integral(motor.force_value^2)"
names = [f"functions.u.y.{k}" for k in range(intervals)]
f = dalembert.value_and_grad(m, goal, names, t_end=end, h=0.02, integrator="genalpha")

# u = limit sin(w) keeps the limits; Adam, from torques in time with the swing
w = 0.4 * np.sign(np.sin(4.0 * times))
mean, square = np.zeros(intervals), np.zeros(intervals)
for k in range(1, 151):
    value, slope = f(limit * np.sin(w))
    slope = slope * limit * np.cos(w)
    mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
    w -= 0.08 * (mean / (1 - 0.9**k)) / (np.sqrt(square / (1 - 0.99**k)) + 1e-9)
    if k % 30 == 0:
        print(f"{k:4d} gradients: {value:.6f}")

found = dalembert.Gradient(m, ["final(rod.position.z)", "final(axle.coordinate_velocity)"], names, t_end=end, h=0.02)
print("height and speed at the end:", found(limit * np.sin(w), mode="values").values)

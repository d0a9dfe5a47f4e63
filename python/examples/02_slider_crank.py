"""A slider-crank mechanism built in Python, driven by a motor with a torque that depends on its speed."""

import numpy as np

import dalembert

m = dalembert.Model("crank", gravity=[0, -9.81, 0])
m.variable("r", 0.15)
m.variable("l", 0.45)
m.body("crank", type="planar", mass=0.4, inertia=1e-3, position=["r/2", 0, 0], shape=dalembert.box("r", 0.03, 0.03))
m.body("rod", type="planar", mass=0.8, inertia=0.0135, position=["r + l/2", 0, 0], shape=dalembert.box("l", 0.02, 0.02))
m.body("slider", type="planar", mass=1.5, inertia=1e-3, position=["r + l", 0, 0], shape=dalembert.box(0.08, 0.06, 0.06))
m.planar_revolute("A", body_b="crank", point=[0, 0, 0])
m.planar_revolute("B", body_a="crank", body_b="rod", point=["r", 0, 0])
m.planar_revolute("C", body_a="rod", body_b="slider", point=["r + l", 0, 0])
m.planar_prismatic("D", body_b="slider", point=["r + l", 0, 0], x_axis=[1, 0, 0])
m.law("motor", body_b="crank", coordinate="rotation_z", inputs=["crank.angular_velocity.z"],
      value=lambda t, omega: 2.0 * (1 - omega / 30))
m.outputs("slider.position", "crank.angular_velocity", "motor.power", "B.force")

result = dalembert.simulate(m, t_end=2, h=5e-4, method="ggl").check()
speed = result["crank.angular_velocity.z"]
print(f"{m.freedoms} degree of freedom; after 2 s the crank turns with {speed[-200:].mean():.1f} rad/s")
print(f"stroke {np.ptp(result['slider.position.x']):.4f} m, bearing B carries up to {abs(result['B.force']).max():.0f} N")

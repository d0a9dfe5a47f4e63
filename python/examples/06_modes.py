"""A chain under its weight: where it rests, how it swings, and how a force moves it."""

import dalembert

m = dalembert.Model("chain", gravity=[0, 0, -9.81])
m.variable("F", 0)
for i in range(1, 6):
    m.point(f"p{i}", mass=0.2, position=[0.1 * i, 0, -0.17 * i])
    m.distance(f"rod{i}", body_a="ground" if i == 1 else f"p{i - 1}", body_b=f"p{i}", length=0.2)
    m.point_on_plane(f"plane{i}", body_b=f"p{i}", axis=[0, 1, 0])
m.law("push", body_b="p5", coordinate="translation_x", value="F")
m.outputs("p5.position")

rest = dalembert.static(m)
print(rest, "end of the chain at", rest["p5.position"])
print(dalembert.modes(m, about="static"))
linear = dalembert.linearize(m, inputs=["F"], outputs=["p5.position"], about="static")
print("1 N moves the end by", linear.transfer(0)[0, 0].real, "m")

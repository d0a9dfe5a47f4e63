"""Equilibria, modes and linear models, against closed forms."""

import numpy as np
import pytest

import dalembert


def cart(k=50.0, d=0.4):
    """A mass of 2 kg on a spring with a damper, pulled by F."""
    m = dalembert.Model("cart")
    m.variable("F", 3.0)
    m.body("cart", mass=2, inertia=1)
    m.prismatic("rail", body_b="cart", axis=[1, 0, 0])
    m.spring("spring", joint="rail", stiffness=k, damping=d)
    m.actuator("pull", joint="rail", function="F")
    m.outputs("rail.coordinate", "rail.coordinate_velocity")
    return m


def double_pendulum():
    m = dalembert.Model("double", gravity=[0, 0, -10])
    for i in (1, 2):
        m.point(f"p{i}", mass=1, position=[0.3 * i, 0, -0.9 * i])
        m.distance(f"rod{i}", body_a="ground" if i == 1 else "p1", body_b=f"p{i}", length=1,
                   point_a=[0, 0, 0] if i == 1 else [0.3, 0, -0.9], point_b=[0.3 * i, 0, -0.9 * i])
        m.point_on_plane(f"plane{i}", body_b=f"p{i}", axis=[0, 1, 0])
    m.outputs("p1.position", "p2.position", "rod1.multipliers")
    return m


def test_a_cart_rests_where_spring_and_pull_balance():
    rest = dalembert.static(cart())
    assert rest.stable and rest["rail.coordinate"] == pytest.approx(3 / 50, abs=1e-9)
    assert not rest.negative and rest.report["residual"] < 1e-6 and "stable" in repr(rest)


def test_a_pendulum_hangs_down_and_stands_unstable():
    rest = dalembert.static(double_pendulum())
    assert rest.stable
    np.testing.assert_allclose(rest["p2.position"], [0, 0, -2], atol=1e-6)
    up = dalembert.Model("up", gravity=[0, 0, -10])
    up.body("rod", mass=1, inertia=1, position=[0, 0, 1])
    up.revolute("hinge", body_b="rod", axis=[0, 1, 0], point=[0, 0, 0])
    found = dalembert.static(up, nearest=True)
    assert not found.stable and found.negative and "unstable" in repr(found)


def test_what_cannot_rest_is_told_with_the_direction():
    m = dalembert.Model("free", gravity=[0, 0, -10])
    m.body("b", mass=1, inertia=1)
    with pytest.raises(dalembert.ConvergenceError, match="b"):
        dalembert.static(m)


def test_frequency_and_damping_of_an_oscillator():
    modes = dalembert.modes(cart(), about="static")
    omega, zeta = np.sqrt(50 / 2), 0.4 / (2 * np.sqrt(50 * 2))
    assert len(modes) == 1 and modes.steady == "at rest"
    assert abs(modes.eigenvalues[0]) == pytest.approx(omega, rel=1e-8)
    assert modes.damping[0] == pytest.approx(zeta, rel=1e-6)
    assert modes.frequencies[0] == pytest.approx(omega * np.sqrt(1 - zeta**2) / (2 * np.pi), rel=1e-8)
    assert modes.shares.sum() == pytest.approx(1) and "cart" in modes.velocities[int(modes.shares[0].argmax())]


def test_modes_of_a_double_pendulum_are_those_of_the_textbook():
    modes = dalembert.modes(double_pendulum(), about="static")
    expected = np.sqrt(10 * (2 + np.array([-1, 1]) * np.sqrt(2)))
    np.testing.assert_allclose(np.abs(modes.eigenvalues), expected, rtol=1e-6)
    assert modes.shapes.shape[0] == 2 and "Hz" in repr(modes)


def test_a_linear_model_has_the_transfer_function_of_the_oscillator():
    linear = dalembert.linearize(cart(), inputs=["F"], outputs=["rail.coordinate", "rail.coordinate_velocity"], about="static")
    assert linear.A.shape == (2, 2) and linear.outputs == ["rail.coordinate", "rail.coordinate_velocity"]
    for s in (0, 1j, 2 + 5j):
        G = linear.transfer(s)
        expected = 1 / (2 * s**2 + 0.4 * s + 50)
        assert G[0, 0] == pytest.approx(expected, rel=1e-5, abs=1e-9)
        assert G[1, 0] == pytest.approx(s * expected, rel=1e-5, abs=1e-9)
    assert "1 inputs" in repr(linear)


def test_inputs_may_be_numbers_of_elements():
    m = cart()
    linear = dalembert.linearize(m, inputs=["forces.spring.stiffness"], outputs="rail.coordinate", about="static")
    # the spring is stretched by x0 = 3/50: more stiffness pulls with -x0
    assert linear.transfer(0)[0, 0] == pytest.approx(-3 / 50 / 50, rel=1e-5)
    with pytest.raises(dalembert.ModelError, match="did you mean 'F'|neither"):
        dalembert.linearize(m, inputs=["G"])
    with pytest.raises(KeyError):
        dalembert.linearize(m, outputs=["nothing"])


def test_matrices_have_names_and_the_right_entries():
    sim = dalembert.Simulation(cart())
    found = sim.matrices()
    assert found["M"].shape == (6, 6) and found["B"].shape == (5, 6)
    assert len(found["velocities"]) == 6 and len(found["rows"]) == 5
    np.testing.assert_allclose(np.diag(found["M"])[:3], 2)
    assert found["K"][0, 0] == pytest.approx(50) and found["C"][0, 0] == pytest.approx(0.4)


def test_wrong_words_are_told():
    with pytest.raises(ValueError, match="axes"):
        dalembert.modes(cart(), axes="mine")
    with pytest.raises(ValueError, match="about"):
        dalembert.modes(cart(), about="nowhere")
    with pytest.raises(TypeError, match="model"):
        dalembert.linearize(dalembert.System(1, M=lambda t, q: 1, g=lambda t, q, v: 0, q0=[0]))

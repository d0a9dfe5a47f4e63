"""Gradients of runs."""

import threading

import numpy as np
import pytest

import dalembert


def test_both_modes_are_the_differences_of_runs():
    of, by = ["final(top.position.x)", "integral(energy) - m"], ["m", "spin"]
    g = dalembert.Gradient("heavy_top", of, by, t_end=0.05, formulation="ggl")
    forward, adjoint = g(mode="forward"), g(mode="adjoint")
    assert np.allclose(forward.jacobian, adjoint.jacobian, rtol=1e-10)
    assert (forward.mode, adjoint.mode, adjoint.steps) == ("forward", "adjoint", 50)
    assert abs(adjoint.newton_error) < 1e-9
    for k in range(2):
        step = np.zeros(2)
        step[k] = 1e-4 * g.numbers[k]
        slope = (g(g.numbers + step, mode="values").values - g(g.numbers - step, mode="values").values) / (2 * step[k])
        assert np.allclose(slope, forward.jacobian[:, k], rtol=1e-6)
    assert forward["final(top.position.x)", "spin"] == forward.jacobian[0, 1]
    assert g({"m": 15, "spin": 150}, mode="values").jacobian is None


def test_a_function_for_optimisers():
    f = dalembert.value_and_grad("pendulum", "final(mass.position.x)", "L", t_end=0.3)
    value, slope = f([1.1])
    assert slope.shape == (1,) and abs((f([1.1 + 1e-6])[0] - f([1.1 - 1e-6])[0]) / 2e-6 - slope[0]) < 1e-8
    assert value == f([1.1])[0]


def test_data_are_fitted_best_by_the_numbers_they_come_from():
    t = np.linspace(0.05, 0.4, 8)
    model = dalembert.load("pendulum", x0=0.3)
    zero = dalembert.Gradient(model, by=["L", "m"], data=[("rod.force.y", t, np.zeros(8))], t_end=0.4)
    y = zero().residuals
    g = dalembert.Gradient(model, by=["L", "m"], data=[("rod.force.y", t, y, np.full(8, 2.0))], t_end=0.4)
    assert g().squares < 1e-18
    found = g([1.05, 1.0], mode="forward")
    assert np.allclose(2 * found.residuals @ found.residual_jacobian, found.gradient_of_squares)
    value, slope = g.value_and_grad([1.05, 1.0])
    assert value == found.squares and np.allclose(slope, found.gradient_of_squares, rtol=1e-9)


def test_models_built_here_and_what_is_refused():
    m = dalembert.Model("cart")
    m.variable("k", 50.0)
    m.body("cart", mass=2, inertia=1, velocity=[1, 0, 0])
    m.prismatic("rail", body_b="cart", axis=[1, 0, 0])
    m.spring("spring", joint="rail", stiffness="k")
    m.outputs("rail.coordinate")
    s = dalembert.gradient(m, "final(rail.coordinate)", "k", t_end=1.0, h=1e-3, integrator="rk")
    w = 5.0  # x = sin(w t)/w, w = sqrt(k/m)
    assert abs(s.values[0] - np.sin(w) / w) < 1e-5
    assert abs(s.jacobian[0, 0] - (np.cos(w) / w - np.sin(w) / w**2) / (2 * 2 * w)) < 1e-5
    with pytest.raises(dalembert.ModelError, match="mass"):
        dalembert.gradient(m, "final(rail.coordinate)", "mass")
    with pytest.raises(dalembert.OptionError, match="integrator"):
        dalembert.gradient(m, "final(rail.coordinate)", "k", integrator="bdf")
    with pytest.raises(ValueError, match="mode"):
        dalembert.gradient(m, "final(rail.coordinate)", "k", mode="backward")
    m.law("pull", joint="rail", value=lambda t: t, inputs=[])
    with pytest.raises(dalembert.ModelError, match="Python functions"):
        dalembert.gradient(m, "final(rail.coordinate)", "k")


def test_threads_have_gradients_of_their_own():
    found = [0.0] * 4

    def work(k):
        found[k] = dalembert.gradient("pendulum", "final(mass.position.x)", "L", t_end=0.3).jacobian[0, 0]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1

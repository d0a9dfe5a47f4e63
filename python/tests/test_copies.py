"""Models, results and simulations are copied and pickled; copies go their own way."""

import copy
import pickle

import numpy as np
import pytest

import dalembert

from test_batch import cart

WAYS = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "copy": copy.copy, "deepcopy": copy.deepcopy}


@pytest.fixture(params=list(WAYS))
def again(request):
    return WAYS[request.param]


def below(t, q, v):
    """For an event: functions of a module are pickled by name."""
    return q[0] - 0.02


def mass(t, q):
    return np.eye(2)


def weight(t, q, v):
    return [0, 9.81]


def rod(t, q):
    return [(q @ q - 1) / 2]


def along(t, q):
    return [q]


@pytest.mark.parametrize("model", [dalembert.load("spatial_slider_crank"), cart(k=7), dalembert.load("chain", N=3)])
def test_models(again, model):
    new = again(model)
    assert new.text == model.text and new.name == model.name and new.variables == model.variables
    a, b = dalembert.simulate(model, t_end=0.01), dalembert.simulate(new, t_end=0.01)
    np.testing.assert_array_equal(a.q, b.q)
    new.point("more", mass=1)  # the copy alone
    assert "more" in new.bodies and "more" not in model.bodies


def test_a_model_of_a_file_is_as_it_was_read(tmp_path):
    path = tmp_path / "model.json"
    path.write_text(cart().text)
    model = dalembert.load(path)
    data = pickle.dumps(model)
    path.write_text("{}")
    assert pickle.loads(data).bodies == model.bodies
    path.unlink()
    assert copy.copy(pickle.loads(data)).with_(k=8).variables["k"] == 8


def test_results(again):
    result = dalembert.simulate("heavy_top", t_end=0.05, h=1e-3)
    new = again(result)
    np.testing.assert_array_equal(new["top.position"], result["top.position"])
    np.testing.assert_array_equal(new.q, result.q)
    assert new.stats == result.stats and repr(new) == repr(result) and new.options == result.options


def test_a_result_keeps_the_model_it_came_from():
    model = cart()
    result = dalembert.simulate(model, t_end=0.01)
    model.point("more", mass=1)
    new = pickle.loads(pickle.dumps(result))
    assert "more" not in new.model.bodies and new.names == result.names
    np.testing.assert_array_equal(new["energy"], result["energy"])


@pytest.mark.parametrize("method", ["ggl", "rk5", "bdf2", "lobatto3"])
def test_simulations_go_on_bit_for_bit(again, method):
    sim = dalembert.Simulation(cart(), method=method, h=2e-3)
    sim.set(u=5)
    for _ in range(7):
        sim.step()
    new = again(sim)
    assert new.t == sim.t and new.inputs["u"] == 5 and new.options == sim.options
    for s in (sim, new):
        s.set(w=1)
        for _ in range(7):
            s.step()
    np.testing.assert_array_equal(new.q, sim.q)
    np.testing.assert_array_equal(new.la, sim.la)
    sim.step()
    assert new.t < sim.t


def test_values_that_were_set_go_along(again):
    sim = dalembert.Simulation(cart())
    sim.set(k=11, w=0.7)
    sim.step()
    new = again(sim)
    for s in (sim, new):
        s.set(w=0.2)
        s.step()
    np.testing.assert_array_equal(new.v, sim.v)


def test_values_that_were_set_stay_for_a_new_start():
    sim = dalembert.Simulation(cart())
    sim.set(k=11, w=0.7)
    sim.step()
    sim.reset()
    other = dalembert.Simulation(cart(k=11))
    other.set(w=0.7)
    for s in (sim, other):
        s.step()
    np.testing.assert_allclose(sim.v, other.v, rtol=0, atol=1e-15)


def test_events_and_observers_go_along(again):
    sim = dalembert.Simulation(cart())
    sim.event(below, direction=1)
    sim.observe(print_nothing)
    sim.set(u=20)
    sim.step()
    new = again(sim)
    assert new.run(1.0) == sim.run(1.0) == "event" and new.t == sim.t


def print_nothing(sim):
    return False


def test_a_system_of_functions(again):
    system = dalembert.System(2, M=mass, g=weight, nc=1, Phi=rod, B=along, q0=[1, 0])
    sim = dalembert.Simulation(again(system), h=1e-3)
    sim.run(0.1)
    new = again(sim)
    np.testing.assert_array_equal(new.q, sim.q)


def test_rows_do_not_get_lost_silently():
    sim = dalembert.Simulation("heavy_top")
    sim.record()
    with pytest.raises(TypeError, match="recorded"):
        copy.copy(sim)

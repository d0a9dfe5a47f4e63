"""A second's worth: does the module work at all?"""

import numpy as np
import pytest

import dalembert


def test_first_result_has_states_outputs_and_statistics():
    result = dalembert.simulate("heavy_top", t_end=0.1, h=1e-3)
    assert result.success and result.message == "the end time was reached"
    assert result.t.shape == (101,) and result.q.shape == (101, 7)
    assert result.v.shape == (101, 6) and result.la.shape == (101, 3)
    assert result.stats.steps == 100
    position = result["top.position"]
    assert position.shape == (101, 3)
    np.testing.assert_allclose(np.linalg.norm(position, axis=1), 1.0, atol=1e-11)  # the tip stays where it is
    np.testing.assert_array_equal(result["top.position.y"], position[:, 1])
    assert np.ptp(result["energy"]) < 1e-3 * result["energy"][0]


def test_a_model_built_here_swings_with_the_period_of_the_closed_form():
    length, g = 0.7, 9.81
    m = dalembert.Model("rod", gravity=[0, 0, -g])
    m.body("rod", mass=1.3, inertia=dalembert.rod(length, "z"), position=[0.0, 0.0, -length / 2])
    m.revolute("hinge", body_b="rod", point=[0, 0, 0], axis=[0, 1, 0])
    m.output("hinge.coordinate")
    small = 1e-3
    sim = dalembert.Simulation(m, h=1e-3)
    period = 2 * np.pi * np.sqrt(2 * length / (3 * g))
    v = np.zeros(6)
    v[0], v[4] = -length / 2 * small, small
    sim.start(v=v)
    sim.event(lambda t, q, v: q[0])  # through the vertical: after half a period
    assert sim.run(10.0) == "event"
    assert sim.t == pytest.approx(period / 2, rel=1e-5)


def test_what_is_wrong_is_raised_with_the_words_of_the_library():
    with pytest.raises(dalembert.FileError, match="did you mean 'heavy_top'"):
        dalembert.load("heavy_to")
    with pytest.raises(dalembert.ModelError, match="no body 'rud'"):
        m = dalembert.Model()
        m.body("rod", mass=1, inertia=1)
        m.revolute("A", body_b="rud")
        m.compile()
    with pytest.raises(dalembert.OptionError, match="rho_inf"):
        dalembert.simulate("pendulum", rho_inf=2)
    with pytest.raises(dalembert.OptionError, match="did you mean 'ggl'"):
        dalembert.simulate("pendulum", method="gg")
    with pytest.raises(TypeError, match="stifness"):
        dalembert.Model().spring("s", stifness=3)


def test_an_exception_of_a_callback_travels_through():
    class Mine(Exception):
        pass

    def law(t, x):
        if t > 0.05:
            raise Mine("enough")
        return 0.0

    m = dalembert.load("pendulum")
    joint = m.joints[0]
    m.law("push", joint=joint, value=law, inputs=[f"{joint}.coordinate"])
    with pytest.raises(Mine, match="enough"):
        dalembert.simulate(m, t_end=1)

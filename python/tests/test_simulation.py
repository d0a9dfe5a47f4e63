"""Simulations: stepping, views, events, observers, saving."""

import numpy as np
import pytest

import dalembert


def ball(e=1.0):
    """A ball that falls on the plane z = 0, and the event that throws it back."""
    m = dalembert.Model("ball", gravity=[0, 0, -10])
    m.point("ball", mass=1, position=[0, 0, 5])

    def bounce(t, q, v):
        v[2] = -e * v[2]

    return m, dalembert.Event(lambda t, q, v: q[2], bounce, direction=-1)


def test_views_show_the_present_state():
    sim = dalembert.Simulation("heavy_top", h=1e-3)
    q, v = sim.q, sim.v
    before = q.copy()
    sim.step()
    assert q is sim.q and not np.array_equal(q, before)
    assert not q.flags.writeable and v.shape == (6,) and sim.la.shape == (3,) and sim.vd.shape == (6,)
    assert sim.state["t"] == sim.t == 1e-3
    with pytest.raises(ValueError):
        q[0] = 1.0


def test_views_outlive_the_simulation():
    sim = dalembert.Simulation("heavy_top")
    q = sim.q
    sim.step()
    kept = q.copy()
    del sim
    np.testing.assert_array_equal(q, kept)


def test_outputs_by_name_are_those_of_the_result():
    sim = dalembert.Simulation("spatial_slider_crank", h=1e-3)
    sim.run(0.1)
    result = dalembert.simulate("spatial_slider_crank", t_end=0.1, h=1e-3)
    np.testing.assert_array_equal(sim["slider.position"], result["slider.position"][-1])
    assert sim["slider.position.x"] == result["slider.position.x"][-1]
    assert isinstance(sim["A.coordinate"], float)
    np.testing.assert_array_equal(sim["rod.quat"], result["rod.quat"][-1])
    with pytest.raises(KeyError, match="slider.position"):
        sim["slider.positon"]


def test_a_saved_state_goes_on_bit_for_bit():
    a = dalembert.Simulation("chain", h=1e-3)
    a.run(0.05)
    state = a.save()
    a.run(0.1)
    b = dalembert.Simulation("chain", h=1e-3)
    b.restore(state)
    b.run(0.1)
    np.testing.assert_array_equal(a.q, b.q)
    np.testing.assert_array_equal(a.la, b.la)
    with pytest.raises(dalembert.SnapshotError):
        b.restore(state[:-1] + bytes([state[-1] ^ 1]))
    with pytest.raises(dalembert.SnapshotError):
        dalembert.Simulation("pendulum").restore(state)


def test_variables_change_during_a_run():
    """g = 10 until t = 0.5, then g = -10: the ball rises again with the velocity it has."""
    m = dalembert.Model("ball", gravity=[0, 0, "-g"])
    m.variable("g", 10)
    m.variable("m", 1)
    m.point("ball", mass="m", position=[0, 0, 5])
    sim = dalembert.Simulation(m, h=1e-3)
    sim.run(0.5)
    assert sim.q[2] == pytest.approx(5 - 0.5 * 10 * 0.25, abs=1e-9)
    with pytest.raises(dalembert.Error, match="mass"):
        sim.set(m=-1)
    with pytest.raises(dalembert.Error, match="no variable 'mm'"):
        sim.set(mm=1)
    sim.set(g=-10)
    sim.set({"bodies.ball.mass": 3})  # what was set before stays
    sim.run(1.0)
    assert sim.t == pytest.approx(1.0)
    assert sim.q[2] == pytest.approx(3.75 - 5 * 0.5 + 0.5 * 10 * 0.25, abs=1e-9)


def test_inputs_are_set_while_it_runs():
    """A carriage under a force that a sampled controller chooses: between its samples the acceleration is constant."""
    m = dalembert.Model("carriage")
    m.input("u", unit="N", min=-5, max=5)
    m.variable("m", 2)
    m.body("car", mass="m", inertia=1)
    m.prismatic("rail", body_b="car", point=[0, 0, 0], axis=[1, 0, 0])
    m.law("drive", joint="rail", value="u")
    sim = dalembert.Simulation(m, h=1e-2)
    x = v = 0.0
    for k in range(10):
        u = 5 * np.sin(k)
        sim.set(u=u)
        assert sim.vd[0] == pytest.approx(u / 2, abs=1e-12)
        sim.run(0.02 * (k + 1))
        x, v = x + 0.02 * v + u / 4 * 0.02**2, v + u / 2 * 0.02
        assert sim.q[0] == pytest.approx(x, abs=1e-14)
    assert dict(sim.inputs) == {"u": u}
    with pytest.raises(dalembert.Error, match="outside of its limits"):
        sim.inputs["u"] = 6
    with pytest.raises(KeyError, match="did you mean 'u'"):
        sim.inputs["uu"] = 1
    with pytest.raises(TypeError):
        sim.set(u="much")
    sim.set(m=1)  # the force stays
    assert sim.vd[0] == pytest.approx(u, abs=1e-12)
    sim.set(u=1)
    assert sim.vd[0] == pytest.approx(1, abs=1e-12)
    assert sim.inputs["u"] == 1


def test_start_and_reset_begin_anew():
    sim = dalembert.Simulation("heavy_top", h=1e-3)
    sim.run(0.02)
    end = sim.q.copy()
    sim.reset()
    assert sim.t == 0.0
    sim.run(0.02)
    np.testing.assert_array_equal(sim.q, end)
    sim.start(t=1.0)
    assert sim.t == 1.0
    sim.run(1.02)
    np.testing.assert_allclose(sim.q, end, atol=1e-12)


def test_an_elastic_ball_comes_back_to_its_height():
    m, event = ball()
    result = dalembert.simulate(m, t_end=4.0, h=1e-3, events=[event])
    assert result.success and result.stats.steps > 3000
    up = result["ball.position.z"][np.argmin(abs(result.t - 2.0))]
    assert up == pytest.approx(5.0, abs=1e-6)  # falls for 1 s, rises for 1 s
    assert result["ball.position.z"].min() > -1e-9


def test_an_event_without_change_ends_the_run():
    m, event = ball()
    result = dalembert.simulate(m, t_end=4, h=1e-2, events=[lambda t, q, v: q[2] - 3.75])
    assert result.stop == "event" and result.success and "event 0" in result.message
    assert result.t[-1] == pytest.approx(0.5, abs=1e-9)


def test_events_can_be_removed_and_are_as_many_as_wanted():
    m, event = ball()
    sim = dalembert.Simulation(m, h=1e-2)
    for k in range(40):
        assert sim.event(event) == k
    for _ in range(40):
        sim.remove_event(0)
    with pytest.raises(dalembert.ArgumentError):
        sim.remove_event(0)
    assert sim.run(2.0) == "time" and sim["ball.position.z"] == pytest.approx(-15)


def test_an_observer_sees_every_step_and_may_end_the_run():
    times = []

    def observer(sim):
        times.append(sim.t)
        return sim.t >= 0.05 - 1e-12

    result = dalembert.simulate("heavy_top", t_end=1, h=1e-2, observers=[observer])
    assert result.stop == "observer" and result.t[-1] == pytest.approx(0.05)
    np.testing.assert_allclose(times, np.arange(6) * 1e-2, atol=1e-12)


def test_exceptions_of_events_observers_and_changes_travel_and_leave_a_good_state():
    def broken(*_):
        raise LookupError("broken")

    m, event = ball()
    for kind in ("event", "change", "observer"):
        sim = dalembert.Simulation(m, h=1e-2)
        if kind == "observer":
            sim.observe(broken)
        elif kind == "change":
            sim.event(event.value, broken, direction=-1)
        else:
            sim.event(lambda t, q, v: q[2] if t < 0.5 else broken())
        with pytest.raises(LookupError, match="broken"):
            sim.run(2.0)
        assert 0.0 < sim.t < 2.0 and np.isfinite(sim.q).all()


def test_a_failed_run_gives_the_motion_up_to_there():
    m = dalembert.Model()
    m.body("b", mass=1, inertia=1)
    m.law("f", body_b="b", coordinate="translation_x", value=lambda t: 1.0 if t < 0.1 else float("nan"))
    result = dalembert.simulate(m, t_end=1, h=1e-2)
    assert not result.success and result.stop == "failure" and "'f'" in result.message
    assert 5 < len(result) < 15
    with pytest.raises(dalembert.ConvergenceError):
        result.check()


def test_callbacks_may_ask_but_not_step():
    seen = []

    def observer(sim):
        seen.append((sim.t, sim.energy, sim["top.position"][2], sim.stats["steps"], sim.residuals()))
        with pytest.raises(dalembert.ArgumentError):
            sim.step()
        with pytest.raises(RuntimeError):
            sim.record()
        with pytest.raises(RuntimeError):
            sim.restore(b"")

    sim = dalembert.Simulation("heavy_top", h=1e-3)
    sim.observe(observer)
    sim.run(5e-3)
    assert len(seen) == 5


def test_rows_at_every_nth_step_at_seconds_and_at_times():
    all_ = dalembert.simulate("heavy_top", t_end=0.1, h=1e-3)
    some = dalembert.simulate("heavy_top", t_end=0.1, h=1e-3, every=7)
    np.testing.assert_array_equal(some.q[:-1], all_.q[::7])
    np.testing.assert_array_equal(some.q[-1], all_.q[-1])  # the end is always there
    dt = dalembert.simulate("heavy_top", t_end=0.1, h=1e-3, dt=0.025)
    np.testing.assert_allclose(dt.t, [0, 0.025, 0.05, 0.075, 0.1], atol=1e-12)
    np.testing.assert_allclose(dt.q, all_.q[::25], atol=1e-12)
    at = dalembert.simulate("heavy_top", t_end=0.1, h=1e-3, times=[0.0105, 0.05])
    assert len(at) == 2 and at.t[0] == 0.0105
    np.testing.assert_allclose(at.q[0], (all_.q[10] + all_.q[11]) / 2, atol=1e-3)
    with pytest.raises(ValueError, match="exclude"):
        dalembert.simulate("heavy_top", every=2, dt=0.1)


def test_interpolation_reaction_residuals_projection_and_step_size():
    sim = dalembert.Simulation("heavy_top", h=1e-2, method="index3")
    sim.step()
    q, v, la = sim.interpolate(5e-3)
    assert q.shape == (7,) and v.shape == (6,) and la.shape == (3,)
    assert sim.reaction().shape == (6,)
    position, velocity = sim.residuals()
    assert position < 1e-9 < velocity
    sim.project()
    assert sim.residuals()[1] < 1e-9
    sim.set_step(5e-3)
    sim.step()
    assert sim.h == pytest.approx(5e-3) and sim.options["h"].startswith("0.005")
    assert sim.condition() > 1


def test_dimensions_that_do_not_fit_are_told():
    sim = dalembert.Simulation("heavy_top")
    with pytest.raises(ValueError, match="q: 7 numbers expected, not 3"):
        sim.start(q=[1, 2, 3])
    with pytest.raises(ValueError):
        sim.start(v="abc")


def test_events_of_the_model() -> None:
    m = dalembert.Model("ball", gravity=[0, 0, -10])
    m.point("ball", mass=1, position=[0, 0, 5])
    m.add("events", {"name": "low", "when": "ball.position.z < 1", "stop": True})
    sim = dalembert.Simulation(m, integrator="rk")
    assert sim.run(3.0) == "event"
    ((t, name, what, *_),) = sim.happenings
    assert (name, what) == ("low", "event")
    assert abs(t - 0.8**0.5) < 1e-12
    assert "'low'" in dalembert.simulate(m, t_end=3).message


def test_a_discrete_controller() -> None:
    m = dalembert.Model("servo")
    m.input("u")
    m.point("car", mass=2, position=[1, 0, 0])
    m.law("f", body_b="car", coordinate="translation_x", value="u")

    def servo(sim: dalembert.Simulation) -> dict[str, float]:
        return {"u": -3 * sim.q[0] - 0.8 * sim.v[0]}

    x, v = 1.0, 0.0
    for _ in range(20):
        u = -3 * x - 0.8 * v
        x, v = x + 0.1 * v + 0.25 * u * 0.01, v + 0.05 * u
    sim = dalembert.Simulation(m, h=0.03, integrator="rk", step="fixed")
    assert sim.control(2.0, 0.1, servo) == "time"
    assert sim.q[0] == pytest.approx(x, abs=1e-12)
    # the same, in the model
    m.add("events", {"name": "servo", "every": 0.1, "set": {"u": "-3*car.position.x - 0.8*car.velocity.x"}})
    sim = dalembert.Simulation(m, h=0.03)
    sim.run(2.0)
    assert sim.q[0] == pytest.approx(x, abs=1e-12)
    with pytest.raises(ValueError, match="above zero"):
        sim.control(3.0, 0.0, servo)

"""Equations of the user."""

import gc
import weakref

import numpy as np
import pytest

import dalembert


def pendulum(**more):
    """A point of 2 kg on a circle of radius 1, gravity 9.81."""
    parts = {
        "M": lambda t, q: 2 * np.eye(2),
        "g": lambda t, q, v: [0, 2 * 9.81],
        "nc": 1,
        "Phi": lambda t, q: (q @ q - 1) / 2,
        "B": lambda t, q: q,
        "energy": lambda t, q, v: v @ v + 2 * 9.81 * q[1],
        "q0": [1, 0],
    }
    return dalembert.System(2, **{**parts, **more})


def test_energy_length_and_order_of_a_pendulum_in_plain_coordinates():
    errors = []
    for h in (2e-2, 1e-2, 5e-3):
        sim = dalembert.Simulation(pendulum(), h=h, method="index3", rho_inf=1.0)
        start = sim.energy
        sim.run(1.0)
        assert abs(np.linalg.norm(sim.q) - 1) < 1e-9
        errors.append(abs(sim.energy - start))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(orders > 1.8), (errors, orders)


def test_results_have_states_but_no_tables(tmp_path):
    result = dalembert.simulate(pendulum(), t_end=0.5, h=1e-2)
    assert result.success and result.q.shape == (51, 2) and result.la.shape == (51, 1)
    np.testing.assert_array_equal(result["q1"], result.q[:, 0])
    np.testing.assert_array_equal(result["lambda1"], result.la[:, 0])
    with pytest.raises(TypeError, match="needs a model"):
        result.save(tmp_path / "x.h5")
    assert result._repr_html_() is None and "a system" in repr(result)
    with pytest.raises(dalembert.ArgumentError, match="t_end"):
        dalembert.simulate(pendulum())


def test_a_free_body_on_the_group_spins_as_the_model_does():
    inertia = np.diag([1.0, 2.0, 3.0])

    def g(t, q, v):
        return np.concatenate([np.zeros(3), np.cross(v[3:], inertia @ v[3:])])

    M = np.block([[4 * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), inertia]])
    v0 = [0.1, 0.2, 0.3, 1.0, 0.01, 2.0]
    own = dalembert.System("r3so3", M=lambda t, q: M, g=g, q0=[0, 0, 0, 1, 0, 0, 0], v0=v0)
    m = dalembert.Model()
    m.body("b", mass=4, inertia=[1, 2, 3], velocity=v0[:3], angular_velocity=v0[3:])
    a = dalembert.simulate(own, t_end=1, h=1e-2)
    b = dalembert.simulate(m, t_end=1, h=1e-2)
    np.testing.assert_allclose(a.q, b.q, atol=1e-8)


def test_tangents_are_checked_and_the_wrong_entry_is_named():
    right = pendulum(K=lambda t, q, v, vd, la: la[0] * np.eye(2), Z=lambda t, q, v: [v])
    assert right.check() < 1e-6
    wrong = pendulum(K=lambda t, q, v, vd, la: 1.1 * la[0] * np.eye(2))
    with pytest.raises(dalembert.CheckError, match="K"):
        wrong.check(la=[3.0])
    with pytest.raises(dalembert.CheckError, match="B"):
        pendulum(B=lambda t, q: 2 * q).check()


def test_shapes_and_exceptions_of_functions_are_told():
    with pytest.raises(ValueError, match="M: 2 x 2 numbers expected, not 3 x 3"):
        dalembert.Simulation(pendulum(M=lambda t, q: np.eye(3)))
    with pytest.raises(ZeroDivisionError):
        dalembert.Simulation(pendulum(g=lambda t, q, v: 1 / 0))
    with pytest.raises(TypeError, match="a function"):
        pendulum(M=3)
    with pytest.raises(ValueError, match="no factor"):
        dalembert.System("so4", M=lambda t, q: 1, g=lambda t, q, v: 1, q0=[])
    with pytest.raises(dalembert.Error):
        dalembert.System(2, M=lambda t, q: 1, g=lambda t, q, v: 1, nc=1, q0=[1, 0])  # no Phi
    with pytest.raises(dalembert.CallbackError):
        dalembert.Simulation(pendulum(g=lambda t, q, v: [float("nan"), 0]))


def test_friction_that_depends_on_the_reaction_gets_the_multipliers():
    seen = []

    def g(t, q, v, la):
        seen.append(la.shape)
        return np.array([0, 2 * 9.81]) + 0.1 * abs(la[0]) * np.tanh(v / 1e-2)

    own = pendulum(g=g, lambda_in_g=True)
    result = dalembert.simulate(own, t_end=0.3, h=1e-3)
    assert result.success and set(seen) == {(1,)}
    energy = [own_energy(q, v) for q, v in zip(result.q, result.v)]
    assert np.all(np.diff(energy) < 1e-6)


def own_energy(q, v):
    return v @ v + 2 * 9.81 * q[1]


def test_a_system_whose_functions_refer_to_it_is_collected():
    class Holder:
        def mass(self, t, q):
            return 2 * np.eye(2)

    holder = Holder()
    holder.system = pendulum(M=holder.mass)
    holder.sim = dalembert.Simulation(holder.system)
    holder.sim.observe(lambda sim, holder=holder: None)
    holder.sim.event(lambda t, q, v, holder=holder: 1.0)
    holder.sim.step()
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None

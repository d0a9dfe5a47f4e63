"""Batches: members are simulations, whatever the number of threads."""

import os

import numpy as np
import pytest

import dalembert

CART = {
    "gravity": [0, 0, -9.81],
    "variables": {"k": 3.0, "m": 2.0},
    "inputs": {"u": {"value": 0, "unit": "N", "min": -50, "max": 50}, "w": 0.5},
    "bodies": [
        {"name": "cart", "mass": "m", "inertia": 1},
        {"name": "bob", "mass": 0.5, "inertia": 0.01, "position": [0.3, 0, -0.4]},
    ],
    "joints": [
        {"name": "rail", "type": "prismatic", "body_b": "cart", "axis": [1, 0, 0]},
        {"name": "pin", "type": "revolute", "body_a": "cart", "body_b": "bob", "point": [0, 0, 0], "axis": [0, 1, 0]},
    ],
    "forces": [
        {"name": "drive", "type": "law", "joint": "rail", "value": "u + k*w"},
    ],
    "outputs": ["bob.position", "energy"],
    "simulation": {"h": 1e-3},
}


def cart(**variables):
    return dalembert.parse(CART, "cart", **variables)


@pytest.mark.parametrize("threads", [1, 3])
def test_members_are_simulations_bit_for_bit(threads):
    b = dalembert.batch(cart(), 7, outputs=["bob.position", "energy"], threads=threads)
    sims = [dalembert.Simulation(cart()) for _ in range(7)]
    assert b.q.shape == (7, sims[0].q.size) and b.la.shape == (7, sims[0].la.size) and b.input_names == ["u", "w"]
    rng = np.random.default_rng(4)
    for k in range(30):
        if k % 3 == 0:  # a controller that is slower than the steps
            b.inputs[:, 0] = rng.uniform(-20, 20, 7)
            for sim, u in zip(sims, b.inputs[:, 0]):
                sim.set(u=u)
        b.step()
        for sim in sims:
            sim.step()
    for i, sim in enumerate(sims):
        for name in ("q", "v", "vd", "la"):
            np.testing.assert_array_equal(getattr(b, name)[i], getattr(sim, name))
        assert b.t[i] == sim.t
        np.testing.assert_array_equal(b["bob.position"][i], sim["bob.position"])
        assert b["energy"][i] == sim["energy"]
    assert np.ptp(b["bob.position"][:, 0]) > 1e-4 and b.ok.all() and repr(b) == "<dalembert.Batch of cart: 7 members, 7 of them well>"


def test_arrays_stay_where_they_are():
    b = dalembert.batch("heavy_top", 5, h=1e-3)
    q, place = b.q, b.q.ctypes.data
    before = q.copy()
    b.step(3)
    assert b.q is q and q.ctypes.data == place and not np.array_equal(q, before)
    assert np.all(b.t == 3e-3) and np.all(q == q[0])
    with pytest.raises(ValueError):
        q[0, 0] = 1.0
    del b
    assert q.shape == (5, 7)  # views outlive the batch


def test_advance_is_run():
    b = dalembert.batch("heavy_top", 3, h=1e-3)
    sim = dalembert.Simulation("heavy_top", h=1e-3)
    b.advance(0.0105)
    sim.run(0.0105)
    np.testing.assert_array_equal(b.q[1], sim.q)
    assert b.t[1] == sim.t


def test_reset_starts_those_of_the_mask():
    b = dalembert.batch(cart(), 4)
    first = b.q.copy()
    b.set(u=[1, 2, 3, 4], w=0)
    b.step(5)
    went = b.q.copy()
    b.reset([True, False, False, True])
    np.testing.assert_array_equal(b.q[[0, 3]], first[[0, 3]])
    np.testing.assert_array_equal(b.q[[1, 2]], went[[1, 2]])
    np.testing.assert_array_equal(b.t, [0, 5e-3, 5e-3, 0])
    b.step(5)
    np.testing.assert_array_equal(b.q[[0, 3]], went[[0, 3]])  # with the same inputs the same motion
    v = np.zeros_like(b.v)
    b.reset(v=v, q=first[0])
    assert np.all(b.t == 0) and np.all(b.q == b.q[0])


def test_params_differ_between_members():
    k, m = [1.0, 4.0, 9.0], [2.0, 3.0, 2.5]
    b = dalembert.batch(cart(), 3, params={"k": k, "m": m})
    sims = [dalembert.Simulation(cart(k=k[i], m=m[i])) for i in range(3)]
    for j in range(12):
        if j % 4 == 0:
            b.set(w=0.1 * j, u=j)
            for sim in sims:
                sim.set(w=0.1 * j, u=j)
        b.step()
        for sim in sims:
            sim.step()
    for i, sim in enumerate(sims):
        np.testing.assert_allclose(b.q[i], sim.q, rtol=0, atol=1e-15)
        np.testing.assert_allclose(b.v[i], sim.v, rtol=0, atol=1e-14)
    v = b.v.copy()
    b.reset()
    assert b.ok.all() and np.all(b.t == 0) and np.all(b.v == 0)
    b.step(12)
    assert not np.array_equal(b.v, v)  # the last inputs from the start


def test_a_member_that_fails_stands_still():
    b = dalembert.batch(cart(), 3)
    b.step(2)
    q = np.tile(b.q[0], (3, 1))
    q[1] = np.nan
    b.reset([False, True, False], q=q)
    np.testing.assert_array_equal(b.ok, [True, False, True])
    assert "finite" in b.message(1) and b.message(0) is None
    b.step()
    np.testing.assert_array_equal(b.t[[0, 2]], 3e-3)
    b.reset(~b.ok)
    assert b.ok.all() and b.t[1] == 0


def test_what_is_refused_is_named():
    b = dalembert.batch(cart(), 3, outputs="energy")
    b.inputs[2, 0] = 60
    with pytest.raises(dalembert.ArgumentError, match="input 'u' of member 2: 60 is not within -50 and 50"):
        b.step()
    assert np.all(b.t == 0)
    with pytest.raises(KeyError, match="no input 'v'"):
        b.set(v=1)
    with pytest.raises(KeyError, match="was not asked for"):
        b["bob.position"]
    with pytest.raises(ValueError, match="one member"):
        dalembert.batch("heavy_top", 0)
    with pytest.raises(KeyError, match="did you mean 'energy'"):
        dalembert.batch(cart(), 2, outputs="energie")
    with pytest.raises(dalembert.ArgumentError, match="'mm'"):
        dalembert.batch(cart(), 2, params={"mm": 1})
    with pytest.raises(ValueError, match="positive"):
        b.advance(-1)
    own = dalembert.Model("own")
    own.point("p", mass=1)
    own.law("push", value=lambda t: 1.0, body_b="p", coordinate="translation_x")
    with pytest.raises(dalembert.ModelError, match="Python functions"):
        dalembert.batch(own, 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_the_child_of_a_fork_has_threads_of_its_own():
    b = dalembert.batch("heavy_top", 8, h=1e-3, threads=4)
    b.step()
    child = os.fork()
    if child == 0:
        b.step()
        os._exit(0 if np.all(b.t == 2e-3) and np.all(b.q == b.q[0]) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    b.step(2)
    assert np.all(b.t == 3e-3)

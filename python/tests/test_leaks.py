"""Memory: a million steps, thousands of objects, reference counts."""

import gc
import sys
import tracemalloc

import numpy as np
import pytest

import dalembert


def resident():
    """Memory of this process in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def grows(work, rounds, warm=2):
    """By how many bytes memory grows over rounds of work, after some that may fill caches."""
    for _ in range(warm):
        work()
    gc.collect()
    before = resident()
    for _ in range(rounds):
        work()
    gc.collect()
    return resident() - before


@pytest.mark.slow
def test_a_million_steps_take_no_memory():
    sim = dalembert.Simulation("pendulum", h=1e-4)
    step = sim.step
    for _ in range(1000):
        step()
    gc.collect()
    tracemalloc.start()
    before, rss = tracemalloc.get_traced_memory()[0], resident()
    for _ in range(1_000_000):
        step()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert sim.stats["steps"] == 1_001_000
    assert after - before < 100_000 and resident() - rss < 4_000_000  # a tenth of a byte for each step


def test_steps_do_not_change_reference_counts():
    sim = dalembert.Simulation("heavy_top")
    sim.observe(lambda s: None)
    sim.event(lambda t, q, v: 1.0)
    objects = [None, sim, sim._system, sim.q, sim.v, dalembert.Simulation]
    sim.step()
    before = [sys.getrefcount(x) for x in objects]
    for _ in range(100):
        sim.step()
        sim.run(sim.t + 2e-3)
    after = [sys.getrefcount(x) for x in objects]
    assert before[1:] == after[1:] and abs(after[0] - before[0]) < 50


def test_models_simulations_and_results_are_released():
    def work():
        for _ in range(20):
            result = dalembert.simulate("spatial_slider_crank", t_end=0.02, h=1e-3)
            result["slider.position"].sum()
            sim = dalembert.Simulation(result.model)
            sim.event(lambda t, q, v, sim=sim: 1.0)  # a circle
            sim.observe(lambda s, sim=sim: None)
            sim.step()
            sim.restore(sim.save())

    assert grows(work, 10) < 3_000_000


def test_failures_are_released():
    def broken(t, q):
        raise ValueError("no")

    def work():
        for _ in range(50):
            with pytest.raises(dalembert.ModelError):
                dalembert.parse('{"dalembert": 1, "bodies": [{"name": "b"}], "joints": [{"name": "j"}]}')
            with pytest.raises(dalembert.OptionError):
                dalembert.simulate("pendulum", rho_inf=-1)
            with pytest.raises(ValueError):
                dalembert.Simulation(dalembert.System(1, M=broken, g=lambda t, q, v: [0], q0=[0]))
            with pytest.raises(ValueError):
                dalembert.Simulation("pendulum").start(q=[0])

    assert grows(work, 10) < 3_000_000


def test_callbacks_are_released():
    m = dalembert.load("pendulum")
    joint = m.joints[0]
    m.law("f", joint=joint, value=lambda t, x, v: -x - v, inputs=[f"{joint}.coordinate", f"{joint}.coordinate_velocity"])
    own = dalembert.System(
        2, M=lambda t, q: np.eye(2), g=lambda t, q, v: [0, 9.81], nc=1, Phi=lambda t, q: (q @ q - 1) / 2,
        B=lambda t, q: [q], q0=[1, 0])

    def work():
        dalembert.simulate(m, t_end=0.05, h=1e-3)
        dalembert.simulate(own, t_end=0.05, h=1e-3)

    assert grows(work, 20) < 3_000_000

"""Threads, processes and signals."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dalembert


def test_one_model_in_eight_threads_gives_the_bits_of_a_serial_run():
    m = dalembert.load("spatial_slider_crank")
    serial = dalembert.simulate(m, t_end=0.3, h=1e-3)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: dalembert.simulate(m, t_end=0.3, h=1e-3), range(16)))
    for result in results:
        np.testing.assert_array_equal(result.q, serial.q)
        np.testing.assert_array_equal(result.la, serial.la)


def test_python_laws_in_threads():
    m = dalembert.load("pendulum")
    joint = m.joints[0]
    m.law("f", joint=joint, value=lambda t, x: -0.1 * x, inputs=f"{joint}.coordinate")
    serial = dalembert.simulate(m, t_end=0.1)
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: dalembert.simulate(m, t_end=0.1), range(8)):
            np.testing.assert_array_equal(result.q, serial.q)


FREE = """
    import dalembert, os, threading
    sim = dalembert.Simulation("chain", h=1e-4)
    threading.Thread(target=lambda: sim.run(1e6), daemon=True).start()
    for _ in range(1000):
        threading.Event().wait(1e-4)
    print("free", flush=True)
    os._exit(0)
"""


def test_the_interpreter_is_free_during_a_run():
    # if it were not, the program would end only with the run
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(FREE)], capture_output=True, text=True, timeout=300)
    assert out.stdout == "free\n", out.stderr


def test_a_simulation_in_use_is_refused_to_other_threads():
    sim = dalembert.Simulation("heavy_top", h=1e-3)
    inside, leave, seen = threading.Event(), threading.Event(), []

    def observer(_):
        inside.set()
        leave.wait(10)

    sim.observe(observer)
    thread = threading.Thread(target=sim.step)
    thread.start()
    inside.wait(10)
    for use in (sim.step, sim.save, sim.reset, lambda: sim.t, lambda: sim.q, lambda: sim["energy"], lambda: sim.run(1.0)):
        with pytest.raises(RuntimeError, match="another thread|midst of a step"):
            use()
        seen.append(use)
    leave.set()
    thread.join()
    assert len(seen) == 7 and sim.t > 0


def test_both_sides_of_a_fork_go_on():
    sim = dalembert.Simulation("spatial_slider_crank", h=1e-3)
    sim.run(0.1)
    expected = dalembert.simulate("spatial_slider_crank", t_end=0.2, h=1e-3).q[-1]
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            sim.run(0.2)
            again = dalembert.simulate("spatial_slider_crank", t_end=0.2, h=1e-3)
            if np.array_equal(again.q[-1], sim.q):
                os.write(write, sim.q.tobytes())
                code = 0
        finally:
            os._exit(code)
    sim.run(0.2)
    assert os.waitpid(child, 0)[1] == 0
    there = np.frombuffer(os.read(read, 10000))
    np.testing.assert_array_equal(there, sim.q)
    np.testing.assert_array_equal(there, expected)
    os.close(read)
    os.close(write)


INTERRUPTED = """
    import dalembert, os, signal, sys, threading, time
    m = dalembert.load("heavy_top")
    if sys.argv[1] == "law":
        m.law("f", joint="tip", coordinate="translation_x", value=lambda t: 0.0)
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    if sys.argv[1] == "step":
        sim = dalembert.Simulation(m, h=1e-6)
        try:
            sim.run(1e6)
        except KeyboardInterrupt:
            t = sim.t
            sim.step()
            assert sim.t > t > 0
            print("good")
    else:
        result = dalembert.simulate(m, t_end=1e6, h=1e-6, every=1000)
        assert not result.success and result.stop == "interrupt", result.message
        assert "Ctrl-C" in result.message and len(result) > 2 and result.t[-1] > 0
        print("good")
"""


@pytest.mark.parametrize("how", ["simulate", "step", "law"])
def test_ctrl_c_stops_a_run_and_leaves_a_valid_result(how):
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(INTERRUPTED), how], capture_output=True, text=True,
                         timeout=300)
    assert out.stdout == "good\n", out.stderr
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

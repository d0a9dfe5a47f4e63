"""What Python adds. Figures of a quiet machine are 20 to 60 ns a step; bounds hold on a busy one."""

import os
import resource
import subprocess
import sys
import time

import pytest

import dalembert

pytestmark = pytest.mark.slow


def best(work, rounds=15):
    """Least CPU seconds of several rounds: what others do on the machine hardly counts."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def test_a_step_costs_at_most_150_ns_over_the_c_call():
    sim = dalembert.Simulation("heavy_top", h=1e-4)
    n = 2000
    step = sim.step

    def loop():
        for _ in range(n):
            step()

    def empty():
        for _ in range(n):
            pass

    def inside():
        sim.run(sim.t + n * 1e-4)  # the same steps, called from C

    sim.step()
    over = (best(loop, 30) - best(empty) - best(inside, 30)) / n
    print(f"a step costs {1e9 * over:.0f} ns more from Python")
    assert over < 150e-9


def seconds_of(command):
    """CPU seconds of a program, the least of several runs."""
    times = []
    for _ in range(12):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def test_simulate_costs_at_most_a_fifth_more_than_the_tool(tool, tmp_path):
    m = dalembert.load("heavy_top")
    steps = best(lambda: dalembert.simulate(m, t_end=1, h=1e-3), 30) - best(lambda: dalembert.simulate(m, t_end=1e-3, h=1e-3), 30)
    command = [tool, "run", "heavy_top", "--h", "1e-3", "-q", "-o", str(tmp_path / "x.h5"), "--t-end"]
    tools = seconds_of([*command, "1"]) - seconds_of([*command, "1e-3"])  # without the start of the program
    print(f"1000 steps with recording: module {1e3 * steps:.2f} ms, tool {1e3 * tools:.2f} ms")
    assert steps < 1.2 * tools


def test_the_import_takes_less_than_50_ms():
    code = "import time; t = time.process_time(); import dalembert; print(time.process_time() - t)"
    code += "; import sys; assert 'numpy' not in sys.modules"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    seconds = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True,
                                    env=environment).stdout) for _ in range(6)]
    print(f"import {1e3 * min(seconds):.1f} ms")
    assert min(seconds) < 0.05

"""What Python adds. Figures of a quiet machine are 20 to 60 ns a step; bounds hold on a busy one."""

import json
import os
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


def test_simulate_costs_at_most_a_fifth_more_than_the_tool(tool, tmp_path):
    m = dalembert.load("heavy_top")
    seconds = best(lambda: dalembert.simulate(m, t_end=1, h=1e-3), 20)
    walls = []
    for _ in range(10):
        out = subprocess.run([tool, "run", "heavy_top", "--t-end", "1", "--h", "1e-3", "--json", "-o", tmp_path / "x.h5"],
                             capture_output=True, check=True, text=True)
        walls.append(json.loads(out.stdout)["wall_s"])
    print(f"simulate {1e3 * seconds:.2f} ms, tool {1e3 * min(walls):.2f} ms")
    assert seconds < 1.2 * min(walls)


def test_the_import_takes_less_than_50_ms():
    code = "import time; t = time.process_time(); import dalembert; print(time.process_time() - t)"
    code += "; import sys; assert 'numpy' not in sys.modules"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    seconds = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True,
                                    env=environment).stdout) for _ in range(6)]
    print(f"import {1e3 * min(seconds):.1f} ms")
    assert min(seconds) < 0.05

#!/usr/bin/env python3
"""What Python adds to a step, to a run with recording, and to the start of a program, in CPU time.

usage: PYTHONPATH=build/release/python bench/python_cost.py PATH_OF_dalembert
"""
import os
import resource
import subprocess
import sys
import tempfile
import time

import dalembert


def best(work, rounds=30):
    """Least CPU seconds of several rounds: what others do on the machine hardly counts."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def step():
    """Seconds that a step from Python costs more than one from C."""
    sim = dalembert.Simulation("heavy_top", h=1e-4)
    n, one = 2000, sim.step

    def loop():
        for _ in range(n):
            one()

    def empty():
        for _ in range(n):
            pass

    one()
    return (best(loop) - best(empty) - best(lambda: sim.run(sim.t + n * 1e-4))) / n


def seconds_of(command):
    """CPU seconds of a program, the least of several runs."""
    times = []
    for _ in range(12):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def runs(tool):
    """Seconds of 1000 steps with recording: of the module, of the tool; without the start of either."""
    m = dalembert.load("heavy_top")
    module = best(lambda: dalembert.simulate(m, t_end=1, h=1e-3)) - best(lambda: dalembert.simulate(m, t_end=1e-3, h=1e-3))
    with tempfile.TemporaryDirectory() as folder:
        command = [tool, "run", "heavy_top", "--h", "1e-3", "-q", "-o", os.path.join(folder, "x.h5"), "--t-end"]
        return module, seconds_of([*command, "1"]) - seconds_of([*command, "1e-3"])


def start():
    """Seconds of the import."""
    code = "import time; t = time.process_time(); import dalembert; print(time.process_time() - t)"
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout)
               for _ in range(6))


if __name__ == "__main__":
    print(f"\nPython: a step costs {1e9 * step():.0f} ns more than from C; the import takes {1e3 * start():.1f} ms")
    print("1000 steps with recording: module %.2f ms, tool %.2f ms" % tuple(1e3 * x for x in runs(sys.argv[1])))

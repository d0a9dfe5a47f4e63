#!/usr/bin/env python3
"""What Python adds to a step, to one with a new input, to a batch, to a run with recording, and to the start of a program, in CPU time.

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


def with_input():
    """Seconds of a step with a new input; of one of 1000 heavy tops that are stepped in turn, on one thread, by the library and in lanes."""
    sim = dalembert.Simulation("examples/crane/crane.json", h=1e-3)
    tops, lanes = (dalembert.batch("heavy_top", 1000, h=1e-3, threads=1, backend=each) for each in ("threads", "lanes"))
    n, one, put = 1000, sim.step, sim.set

    def loop():
        for _ in range(n):
            put(drive=10.0)
            one()
            put(drive=-10.0)
            one()

    def turns(b):
        for _ in range(10):
            b.step()

    return best(loop) / (2 * n), *(best(lambda b=b: turns(b)) / (10 * len(b)) for b in (tops, lanes))


def on_threads(threads):
    """Steps a second by the clock on the wall of 1000 heavy tops, one step each in a call."""
    b, least = dalembert.batch("heavy_top", 1000, h=1e-3, threads=threads), 1e300
    for _ in range(20):
        before = time.perf_counter()
        for _ in range(10):
            b.step()
        least = min(least, time.perf_counter() - before)
    return 10 * len(b) / least


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
    program = os.path.join(os.path.dirname(sys.argv[1]), "..", "bench", "bench_batch")
    if os.path.exists(program):
        lines = subprocess.run([program], capture_output=True, check=True, text=True).stdout.split("\n")
        in_c, tops_in_c = (float(line.split(":")[1]) for line in (lines[2], lines[1]))
        here, tops, lanes = with_input()
        print(f"crane, a step with a new input: {1e6 * here:.2f} us, in C {in_c:.2f} us")
        print(f"1000 heavy tops in a batch, one thread: {1 / tops:.0f} steps/s, {1e2 / tops / tops_in_c:.0f} % of C")
        for n, line in ((1, lines[3]), (2, lines[4])):
            print(f"1000 heavy tops on {n} thread{'s' if n > 1 else ''}, steps/s by the wall: {on_threads(n):.0f}, in C {float(line.split(':')[1]):.0f}")
        print(f"the same in lanes of a generated program: {1 / lanes:.0f} steps/s and core, {tops / lanes:.1f} times as many")
    print("1000 steps with recording: module %.2f ms, tool %.2f ms" % tuple(1e3 * x for x in runs(sys.argv[1])))

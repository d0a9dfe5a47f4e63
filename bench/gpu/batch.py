#!/usr/bin/env python3
"""Heavy tops from Python on a GPU, beside threads and lanes of the host: PYTHONPATH=build/release/python bench/gpu/batch.py"""

import time

import dalembert

print(f"{'members':>9} {'backend':>8} {'steps/s, 100 a call':>20} {'steps/s, one a call':>20}")
for n in (1000, 100000, 1000000):
    for backend in ("cuda", "lanes", "threads") if n < 1000000 else ("cuda",):
        batch = dalembert.batch("heavy_top", n, h=1e-3, backend=backend)
        rate = {}
        for steps in (100, 1):
            batch.step(steps)
            times = []
            for _ in range(5):
                start = time.perf_counter()
                batch.step(steps)
                times.append(time.perf_counter() - start)
            rate[steps] = n * steps / min(times)
        print(f"{n:9d} {backend:>8} {rate[100]:20.3g} {rate[1]:20.3g}")

"""A sampled controller: a crane moves its load by 5 m, told what to do 1000 times a second. How long do periods take?"""

import gc
import pathlib
import time

import numpy as np

import dalembert

path = pathlib.Path(__file__).resolve().parents[2] / "examples" / "crane" / "crane.json"
sim = dalembert.Simulation(dalembert.load(path))
gain = np.array([707.0, 1479.0, 1099.0, -1934.0])  # of place and speed of the trolley, angle and rate of the load
wanted = np.array([5.0, 0.0, 0.0, 0.0])

took = np.zeros(20000)
gc.disable()  # a collection in the midst of a period would be the worst one
for k in range(len(took)):
    begin = time.perf_counter()
    y = np.array([sim["rail.coordinate"], sim["rail.coordinate_velocity"], sim["pin.coordinate"], sim["pin.coordinate_velocity"]])
    sim.set(drive=min(max(float(gain @ (wanted - y)), -2000.0), 2000.0))
    sim.step()
    took[k] = time.perf_counter() - begin
    if k % 4000 == 0:
        print(f"t = {1e-3 * k:4.1f} s   trolley {y[0]:7.4f} m   load {np.degrees(y[2]):8.4f} degrees")
gc.enable()

assert abs(y[0] - 5) < 1e-3 and abs(y[2]) < 1e-4
half, most, worst = 1e6 * np.quantile(took, [0.5, 0.999, 1])
print(f"{len(took)} periods of 1 ms: half of them within {half:.1f} us, 99.9 % within {most:.1f} us, the worst {worst:.0f} us")

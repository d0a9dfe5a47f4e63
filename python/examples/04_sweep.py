"""A parameter swept on all cores: where does the slider crank end up, for a hundred speeds?"""

import numpy as np

import dalembert

speeds = np.linspace(1, 12, 100)
many = dalembert.ensemble("spatial_slider_crank", {"speed": speeds}, t_end=1, h=1e-3, outputs=["slider.position", "A.force"])
print(many)
force = np.linalg.norm(many["A.force"], axis=1)
for k in range(0, 100, 20):
    print(f"{speeds[k]:6.2f} rad/s: slider at {many['slider.position'][k, 0]:8.5f} m, force in A {force[k]:7.2f} N")

"""What Python adds, in calls: times are those of bench/python_cost.py."""

import subprocess
import sys

import dalembert


def events(work):
    """Python functions entered and C functions called while `work` runs."""
    seen = {"call": 0, "c_call": 0}

    def note(_, event, __):
        if event in seen:
            seen[event] += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return seen["call"] - 1, seen["c_call"] - 1  # without `work` and setprofile


def test_a_step_is_one_call_of_a_c_function():
    sim = dalembert.Simulation("heavy_top", h=1e-4)
    step = sim.step

    def loop():
        for _ in range(1000):
            step()

    assert events(loop) == (0, 1000)


def test_what_simulate_does_in_python_does_not_depend_on_the_number_of_steps():
    m = dalembert.load("heavy_top")
    dalembert.simulate(m, t_end=1e-3, h=1e-3)  # imports
    assert events(lambda: dalembert.simulate(m, t_end=1, h=1e-3)) == events(lambda: dalembert.simulate(m, t_end=0.1, h=1e-3))


def test_the_import_leaves_numpy_and_the_rest_for_later():
    code = "import sys; before = set(sys.modules); import dalembert; print(*(set(sys.modules) - before))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()
    assert "dalembert" in told
    assert not {name.partition(".")[0] for name in told} & {"numpy", "pandas", "matplotlib", "json", "asyncio"}

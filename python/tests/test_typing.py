"""Hints: the module and a user's program are clean under mypy --strict, and generated files are up to date."""

import os
import shutil
import subprocess
import sys

import pytest

import dalembert
from dalembert import _core

PROGRAM = """
import dalembert
import numpy as np
import numpy.typing as npt

m = dalembert.Model("m", gravity=[0, 0, -9.81])
m.body("b", mass=1.0, inertia=dalembert.box(1, 2, 3), position=np.zeros(3))
m.revolute("A", body_b="b", point=[0, 0, 0], axis=[0, 1, 0])
m.law("f", joint="A", value=lambda t: 0.0)
result = dalembert.simulate(m, t_end=1, h=1e-3, method="ggl", rho_inf=0.8)
x: npt.NDArray[np.float64] = result["b.position"]
ok: bool = result.success
sim = dalembert.Simulation(m, h=1e-3)
sim.step()
q: npt.NDArray[np.float64] = sim.q
t: float = sim.t
state: bytes = sim.save()
"""


def mypy(*arguments, cwd):
    if not shutil.which("mypy"):
        pytest.skip("mypy is not installed")
    environment = {**os.environ, "MYPYPATH": os.path.dirname(os.path.dirname(dalembert.__file__))}
    environment.pop("PYTHONPATH", None)
    return subprocess.run(["mypy", "--strict", "--cache-dir", str(cwd / "cache"), *arguments], capture_output=True, text=True,
                          env=environment, cwd=cwd)


@pytest.mark.slow
def test_the_module_is_clean_under_mypy_strict(root, tmp_path):
    out = mypy(str(root / "python" / "dalembert"), cwd=tmp_path)
    assert out.returncode == 0, out.stdout


@pytest.mark.slow
def test_programs_are_checked_against_the_hints(tmp_path):
    (tmp_path / "right.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(PROGRAM + 'm.spring("s", stifness=3)\nm.body(3)\n')
    right = mypy("right.py", cwd=tmp_path)
    assert right.returncode == 0, right.stdout
    wrong = mypy("wrong.py", cwd=tmp_path)
    assert "stifness" in wrong.stdout and "2 errors" in wrong.stdout, wrong.stdout


def test_the_stub_names_what_the_extension_has(root):
    text = (root / "python" / "dalembert" / "_core.pyi").read_text(encoding="utf-8")
    names = [name for name in dir(_core) if not name.startswith("__")]
    names += [name for owner in (_core.System, _core.Simulation) for name in vars(owner) if not name.startswith("__")]
    assert [name for name in names if f" {name}(" not in text and f" {name}:" not in text] == []


def test_the_methods_of_models_are_those_of_the_schema(root, tool):
    subprocess.run([sys.executable, str(root / "tools" / "python_elements.py"), "--check", tool], check=True)

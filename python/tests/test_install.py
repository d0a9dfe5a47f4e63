"""A wheel of the module, installed elsewhere, offline."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

import dalembert

PROGRAM = """
import dalembert, pathlib, sys
assert pathlib.Path(dalembert.__file__).is_relative_to(sys.argv[1])
print(dalembert.simulate("pendulum", t_end=0.1).success)
"""


@pytest.mark.slow
def test_a_wheel_can_be_built_installed_and_used(root, tmp_path):
    if not all(importlib.util.find_spec(name) for name in ("pip", "setuptools", "wheel")):
        pytest.skip("no pip, setuptools or wheel")
    build = pathlib.Path(dalembert.__file__).resolve().parent.parent.parent
    if not (build / "CMakeCache.txt").exists():
        pytest.skip("the module is not that of a build folder")
    environment = {**os.environ, "DALEMBERT_BUILD": str(build)}
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", str(root), "--no-build-isolation", "--no-deps", "-q", "-w", str(tmp_path)], check=True,
                   env=environment)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.startswith(f"dalembert-{dalembert.__version__}-cp311-abi3-linux")
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("_core.abi3.so", "py.typed", "_core.pyi", "__init__.py"):
        assert f"dalembert/{name}" in names
    place = tmp_path / "there"
    subprocess.run([*pip, "install", "--no-index", "--no-deps", "-q", "--target", str(place), str(wheel)], check=True)
    environment["PYTHONPATH"] = str(place)
    out = subprocess.run([sys.executable, "-c", PROGRAM, str(place)], capture_output=True, text=True, env=environment,
                         cwd=tmp_path)
    assert out.stdout == "True\n", out.stderr

"""Builds the extension by CMake: see pyproject.toml. DALEMBERT_BUILD names a build folder that has it already."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    """The one of the header."""
    text = (ROOT / "include" / "dalembert" / "base.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"#define DAL_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


class Build(build_ext):
    """Library and extension, in the folder for temporary files."""

    def build_extension(self, ext):
        built = os.environ.get("DALEMBERT_BUILD")
        folder = pathlib.Path(built) if built else self.build_library()
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(folder / "python" / "dalembert" / "_core.abi3.so"), str(target))

    def build_library(self):
        """Configure and build; the folder."""
        folder = pathlib.Path(self.build_temp).resolve() / "cmake"
        ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.run(
            ["cmake", *ninja, "-S", str(ROOT), "-B", str(folder), "--log-level=NOTICE", "-DCMAKE_BUILD_TYPE=Release",
             "-DDAL_BUILD_TESTS=OFF", "-DDAL_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", str(folder), "--target", "python_core", "-j", str(os.cpu_count() or 1)],
                       check=True)
        return folder


class Wheel(bdist_wheel):
    """One wheel for all versions of Python from 3.11 on."""

    def get_tag(self):
        return "cp311", "abi3", super().get_tag()[2]


setup(
    version=version(),
    ext_modules=[Extension("dalembert._core", sources=[], py_limited_api=True)],
    cmdclass={"build_ext": Build, "bdist_wheel": Wheel},
)

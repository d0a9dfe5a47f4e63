#!/usr/bin/env python3
"""check_run.py TOOL CODE: what `run` writes and what the unit of `export` gives are the same numbers at all communication points.

Both are commands of the tool; the unit is loaded by an importer in Python that knows the standard (FMI 3.0, section 4.2) and nothing else of us. A model is
a spatial slider-crank, a robot arm whose joints follow sampled targets, and a link whose spring, push and joint stop are switched. A number may
differ by 1e-12 of the largest value that its quantity (with all components) has in the run, with the library inside by nothing.
"""
import csv
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
import zipfile

ARM = {
    "dalembert": 1, "name": "arm", "gravity": [0, 0, -9.81],
    "inputs": {"turn": 0, "lift": {"value": 0, "unit": "rad", "min": -2, "max": 2}, "bend": 0},
    "bodies": [{"name": "base", "mass": 10, "inertia": 0.2},
               {"name": "upper", "mass": 4, "inertia": [0.01, 0.1, 0.1], "position": [0.3, 0, 0.2]},
               {"name": "lower", "mass": 2, "inertia": [0.01, 0.05, 0.05], "position": [0.85, 0, 0.2]}],
    "joints": [{"name": "A", "type": "revolute", "body_b": "base", "axis": [0, 0, 1]},
               {"name": "B", "type": "revolute", "body_a": "base", "body_b": "upper", "point": [0, 0, 0.2], "axis": [0, -1, 0]},
               {"name": "C", "type": "revolute", "body_a": "upper", "body_b": "lower", "point": [0.6, 0, 0.2], "axis": [0, -1, 0]}],
    "forces": [{"name": f"drive_{joint}", "type": "law", "joint": joint, "value": f"300*({target} - c) - 20*w",
                "inputs": {"c": f"{joint}.coordinate", "w": f"{joint}.coordinate_velocity"}}
               for joint, target in (("A", "turn"), ("B", "lift"), ("C", "bend"))],
    "events": [{"name": "plan", "every": 0.01, "set": {"turn": "0.4*sin(3*t)", "lift": "0.4*sin(3*t + 1) - 0.3", "bend": "0.4*cos(5*t)"}}],
    "outputs": ["lower.position", "lower.velocity", "A.coordinate", "B.coordinate", "C.coordinate", "energy", "A.force", "B.force", "B.torque",
                "C.force", "drive_B.force_value"],
    "simulation": {"h": 1e-3, "t_end": 1}}

SWITCHED = {
    "dalembert": 1, "name": "switched", "gravity": [0, 0, -9.81], "inputs": {"u": 0, "count": 0},
    "bodies": [{"name": "link", "mass": 1, "inertia": [0.1, 0.1, 0.01], "position": [0, 0, -0.5]}],
    "joints": [{"name": "hinge", "type": "revolute", "body_b": "link", "point": [0, 0, 0], "axis": [1, 0, 0]},
               {"name": "stop", "type": "limit", "joint": "hinge", "limits": [-0.35, 3], "restitution": 0.6}],
    "forces": [{"name": "motor", "type": "law", "joint": "hinge", "value": "u"},
               {"name": "push", "type": "force", "body": "link", "vector": [0, 3, 0], "active": {"from": 0.2567, "to": 0.6}},
               {"name": "spring", "type": "spring", "joint": "hinge", "stiffness": 6, "damping": 0.1, "active": False}],
    "events": [{"name": "servo", "every": 0.01, "set": {"u": "25*(0.8*cos(7*t) - hinge.coordinate) - hinge.coordinate_velocity"}},
               {"name": "over", "when": "hinge.coordinate > 0.4", "on": "spring", "set": {"count": "count + 1"}},
               {"name": "under", "when": "hinge.coordinate < 0.2", "off": "spring"}],
    "outputs": ["hinge.coordinate", "hinge.coordinate_velocity", "spring.force_value", "motor.force_value", "link.position", "energy", "hinge.force"],
    "simulation": {"h": 0.004, "t_end": 1.2}}


class Unit:
    """A unit for co-simulation."""

    def __init__(self, path, folder):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
            binary = next(name for name in archive.namelist() if name.startswith("binaries/"))
        root = xml.parse(folder / "modelDescription.xml").getroot()
        self.outputs = {v.get("name"): int(v.get("valueReference"))
                        for v in root.find("ModelVariables") if v.get("causality") == "output"}
        self.library = ctypes.CDLL(str(folder / binary))
        log = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
        self.log = log(lambda environment, status, category, message: print(message.decode(), file=sys.stderr))
        create = self.library.fmi3InstantiateCoSimulation
        create.restype = ctypes.c_void_p
        yes, no, none = ctypes.c_bool(True), ctypes.c_bool(False), ctypes.c_void_p(None)
        self.u = ctypes.c_void_p(create(b"u", root.get("instantiationToken").encode(), str(folder / "resources").encode(), no, yes, no, no,
                                        none, ctypes.c_size_t(0), none, self.log, none))
        assert self.u.value, path
        zero = ctypes.c_double(0.0)
        self.call("EnterInitializationMode", no, zero, zero, no, zero)
        self.call("ExitInitializationMode")

    def call(self, name, *arguments):
        """A function that returns a status."""
        status = getattr(self.library, "fmi3" + name)(self.u, *arguments)
        assert status == 0, (name, status)

    def step(self, t, h):
        """From t by h."""
        said, last = [ctypes.c_bool() for _ in range(3)], ctypes.c_double()
        self.call("DoStep", ctypes.c_double(t), ctypes.c_double(h), ctypes.c_bool(True), *map(ctypes.byref, said), ctypes.byref(last))
        assert not any(x.value for x in said)

    def values(self, names):
        """Of outputs."""
        n = len(names)
        references = (ctypes.c_uint32 * n)(*(self.outputs[name] for name in names))
        values = (ctypes.c_double * n)()
        self.call("GetFloat64", references, ctypes.c_size_t(n), values, ctypes.c_size_t(n))
        return list(values)


def table(path):
    """Names without units and rows of the outputs of a run."""
    with open(path, newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    return [name.rsplit(" [", 1)[0] for name in head], [[float(x) for x in row] for row in rows]


def scales(names, rows):
    """The largest value in the run of each quantity, of all its components where it is a vector."""
    largest = [max(abs(row[k]) for row in rows) for k in range(len(names))]
    stems = [re.sub(r"\.[xyzw]$", "", name) for name in names]
    return [max(x for x, s in zip(largest, stems) if s == stem) for stem in stems]


def compare(tool, model, code, dt, settings, folder):
    """The largest difference over all points and outputs, relative to the size of the output, and its name."""
    folder.mkdir()
    more = [x for s in settings for x in ("--set", s)]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder), "DAL_CFLAGS": "-O1"}
    subprocess.run([tool, "run", model, "-q", "-o", folder / "run", "--tables", "outputs", *more], check=True)
    subprocess.run([tool, "export", model, "--fmu", folder / "unit.fmu", "--code", code, *more], check=True, capture_output=True, env=environment)
    names, rows = table(folder / "run/outputs.csv")
    size = scales(names, rows)
    rows = [row for row in rows if abs(row[0] / dt - round(row[0] / dt)) < 1e-9]  # those of the times that the importer has
    unit = Unit(folder / "unit.fmu", folder / "unit")
    assert set(unit.outputs) == set(names[1:]) and len(rows) > 50
    worst = (0.0, None)
    for before, row in zip([None, *rows], rows):
        if before is not None:
            unit.step(before[0], row[0] - before[0])
        for name, value, want, s in zip(names[1:], unit.values(names[1:]), row[1:], size[1:]):
            off = abs(value - want) / s if s > 0 else abs(value - want)
            worst = (off, name) if not off <= worst[0] else worst
    return worst


def main():
    """With the library inside the same bits. Generated code has another arithmetic and a new Jacobian in every step, `run` with newton = full too."""
    tool, code = sys.argv[1:3]
    bits = 32 * pathlib.Path(tool).read_bytes()[4]  # of a program in ELF
    if bits != 8 * ctypes.sizeof(ctypes.c_void_p):
        print(f"skipped: units are of {bits} bits, Python is not")
        return 77
    cases = [("library", [], 0.0)] if code == "library" else [("generated", ["newton=full"], 1e-12), ("generated", [], 1e-11)]
    wrong = 0
    with tempfile.TemporaryDirectory() as top:
        top = pathlib.Path(top)
        for model in (ARM, SWITCHED):
            (top / f"{model['name']}.json").write_text(json.dumps(model), encoding="utf-8")
        for code, more, tolerance in cases:
            for model, dt, settings in (("spatial_slider_crank", 0.01, ["t_end=1"]), (top / "arm.json", 0.01, []), (top / "switched.json", 0.02, [])):
                stem = pathlib.Path(model).stem
                off, name = compare(tool, model, code, dt, settings + more, top / f"{code}-{stem}-{len(more)}")
                wrong += not off <= tolerance
                print(f"{stem}, {code} {' '.join(more)}: {off:.1e} {name or ''}{'' if off <= tolerance else f': more than {tolerance}'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

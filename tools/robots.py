#!/usr/bin/env python3
"""Compare imports of ten public robots with figures of an independent computation, test/data/robots.json.

usage: tools/robots.py DALEMBERT FOLDER [ROBOT ...]
DALEMBERT  the program
FOLDER     has the repositories at the commits that the figures belong to; robots that are not there are left out:
    git clone https://github.com/Gepetto/example-robot-data && git -C example-robot-data checkout 39aa9437
    git clone https://github.com/google-deepmind/mujoco_menagerie && git -C mujoco_menagerie checkout affef083

Masses and counts are those that `import` reports. The mass matrix is that of inverse dynamics: all coordinates are prescribed, and
the drives tell what each unit of acceleration takes. Accelerations are those of a run at t = 0. Errors are shares of the largest
number of each figure; a rounding to 12 digits is up to 5e-12 of it. Exit status 1: one is beyond 1e-11, or a count differs.
"""
import json
import math
import os
import re
import subprocess
import sys
import tempfile

BOUND = 1e-11


class Robot:
    def __init__(self, program, path, data, folder):
        self.program, self.path, self.data, self.folder = program, path, data, folder
        self.free = data.get("base") == "floating"

    def call(self, *args):
        result = subprocess.run([self.program, *args], capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError(f"dalembert {args[0]}: {result.stderr.strip()}")
        return result.stdout

    def base(self):
        return ["--base", "free"] if self.free else []

    def report(self):
        return json.loads(self.call("import", self.path, *self.base(), "--json"))

    def names(self):
        return [n for n in self.data["state"]["order"] if not n.startswith("root[")]

    def copied(self, loops):
        """A copy without meshes, since the figures are those of <inertial>; the tree of URDF has joints that follow no others."""
        plain = os.path.join(self.folder, "loops" if loops else "tree")
        if not os.path.isdir(plain):
            os.mkdir(plain)
            for name in os.listdir(os.path.dirname(self.path)):
                if name.endswith((".urdf", ".xml", ".sdf")):
                    with open(os.path.join(os.path.dirname(self.path), name)) as file:
                        text = file.read()
                    with open(os.path.join(plain, name), "w") as file:
                        file.write(text if loops else re.sub(r"<mimic [^>]*/>", "", text))
        return os.path.join(plain, os.path.basename(self.path))

    def model(self, q, v, loops):
        """The description as a model at a state."""
        to = os.path.join(self.folder, "model.json")
        values = []
        if self.free:
            values += ["--at", "root=" + ",".join(map(repr, q[:7])), "--at", "root'=" + ",".join(map(repr, v[:6]))]
        for name, x, rate in zip(self.names(), q[7 if self.free else 0:], v[6 if self.free else 0:]):
            values += ["--at", f"{name}={x!r}", "--at", f"{name}'={rate!r}"]
        self.call("import", self.copied(loops), *self.base(), *values, "-o", to)
        with open(to) as file:
            return json.load(file)

    def reduced(self, q, v, loops=False, kinds=()):
        """Of the model bodies and joints of the tree, loops if asked for, and forces whose names end so."""
        m = self.model(q, v, loops)
        tree = set(self.names())
        closing = [j for j in m["joints"] if j["name"] not in tree and j["type"] in ("gear", "spherical", "fixed")]
        m["joints"] = [j for j in m["joints"] if j["name"] in tree] + (closing if loops else [])
        m["forces"] = [f for f in m.get("forces", []) if f["name"].endswith(tuple(kinds))] if kinds else []
        for key in ("inputs", "assembly", "view", "events", "contacts"):
            m.pop(key, None)
        return m

    def start(self, m, outputs, *options):
        """The outputs at t = 0."""
        m["outputs"] = outputs
        m["simulation"] = {"t_end": 1e-6, "h": 1e-6}
        path, to = os.path.join(self.folder, "run.json"), os.path.join(self.folder, "out")
        with open(path, "w") as file:
            json.dump(m, file)
        self.call("run", path, "-o", to, "--quiet", *options)
        with open(os.path.join(to, "outputs.csv")) as file:
            return [float(x) for x in file.read().split("\n")[1].split(",")][1:]

    def root(self, m):
        return m["bodies"][0]["name"]

    def accelerations(self, tau, q, v, options=(), **kinds):
        m = self.reduced(q, v, **kinds)
        outputs = []
        if self.free:
            outputs = [{"quantity": "acceleration", "body": self.root(m)},
                       {"quantity": "angular_acceleration", "body": self.root(m), "axes": "body"}]
        for k, name in enumerate(self.names()):
            m["forces"].append({"name": f"tau_{k}", "type": "actuator", "joint": name,
                                "function": repr(tau[k + (6 if self.free else 0)])})
            outputs.append({"quantity": "coordinate_acceleration", "joint": name})
        return self.start(m, outputs, *options)

    def forces(self, a, q, v):
        """What drives exert that prescribe the accelerations a."""
        m = self.reduced(q, v)
        outputs, nq, nv = [], 7 if self.free else 0, 6 if self.free else 0
        if self.free:  # its velocities follow v + a t
            rows = [[float(i == k) for i in range(6)] + [f"-({v[k]!r} + {a[k]!r}*t)"] for k in range(6)]
            m["joints"].append({"name": "root", "type": "pfaffian", "bodies": [self.root(m)], "rows": rows})
            outputs.append({"quantity": "multipliers", "joint": "root"})
        for k, name in enumerate(self.names()):
            m["joints"].append({"name": f"drive_{k}", "type": "motion", "joint": name,
                                "function": f"{q[nq + k]!r} + {v[nv + k]!r}*t + {a[nv + k] / 2!r}*t^2"})
            outputs.append(f"drive_{k}.force_value")
        y = self.start(m, outputs)
        return [-x for x in y[:nv]] + y[nv:]

    def mass_matrix(self, q, v):
        n = self.data["nv"]
        bias = self.forces([0.0] * n, q, v)
        columns = []
        for k in range(n):
            tau = self.forces([float(i == k) for i in range(n)], q, v)
            columns.append([x - y for x, y in zip(tau, bias)])
        return [[columns[j][i] for j in range(n)] for i in range(n)], bias


def flat(x):
    return [y for row in x for y in flat(row)] if isinstance(x, list) else [x]


def error(found, expected):
    a, b = flat(found), flat(expected)
    if len(a) != len(b):
        return math.inf
    most = max(map(abs, b))
    return max(abs(x - y) for x, y in zip(a, b)) / (most if most > 0.0 else 1.0)


def log_determinant(M):
    A, total = [row[:] for row in M], 0.0
    for k in range(len(A)):  # positive definite: no pivots
        total += math.log(A[k][k])
        for i in range(k + 1, len(A)):
            f = A[i][k] / A[k][k]
            A[i] = [x - f * y for x, y in zip(A[i], A[k])]
    return total


def compare_dynamics(robot, table):
    data = robot.data
    state, expected = data["state"], data["M"]
    q, v, tau = state["q"], state["v"], state["tau"]
    M, bias = robot.mass_matrix(q, v)
    found = {"trace": sum(M[i][i] for i in range(len(M))), "logdet": log_determinant(M),
             "frobenius": math.sqrt(sum(x * x for x in flat(M))), "full": M,
             "diagonal": [M[i][i] for i in range(len(M))], "last_row": M[-1], "row_7": M[min(7, len(M) - 1)]}
    table["M"] = max(error(found[key], expected[key]) for key in expected)
    table["bias"] = error(bias, data["bias"])
    variants = {"tree": {}, "tree_armature": {"kinds": ["_armature"]}, "tree_passive": {"kinds": ["_armature", "_passive"]},
                "loops": {"loops": True}, "loops_armature": {"loops": True, "kinds": ["_armature"]},
                "loops_passive_armature": {"loops": True, "kinds": ["_armature", "_passive"]}}
    for key, how in variants.items():
        if "acceleration_" + key in data:
            more = ["--set", "redundant=least_norm"] if how.get("loops") else []
            table[key] = error(robot.accelerations(tau, q, v, more, **how), data["acceleration_" + key])
    if "with_mimic" in data:
        m = data["with_mimic"]
        table["mimic"] = error(robot.accelerations(tau, m["q"], m["v"], ["--set", "redundant=least_norm"], loops=True),
                               m["acceleration"])


def counts_agree(robot, report):
    """Links, joints that move and joints that do not; of a tree the kinds of its joints, else the loops that are closed."""
    data, kinds = robot.data, robot.data["joints"]
    if report["links"] != data.get("bodies", data.get("links")) or report["fixed"] != data.get("fixed", report["fixed"]):
        return False
    if "state" not in data:
        root = 1  # free, and counted as a joint
        return report["loops"] == data["loops"] and report["joints"] + report["loops"] == sum(kinds.values()) + root
    m = robot.reduced(data["state"]["q"], data["state"]["v"])
    types = [j["type"] for j in m["joints"]]
    return (report["joints"] == sum(kinds.values()) and types.count("revolute") == kinds.get("hinge", 0) and
            types.count("prismatic") == kinds.get("slide", 0) and len(types) == len(robot.names()))


def compare(robot):
    data, report = robot.data, robot.report()
    meshes = sum(data.get("mass_from_mesh_exact_volume", {}).values())
    table = {"counts": 0.0 if counts_agree(robot, report) else math.inf, "mass": error(report["mass"], data["total_mass"] + meshes)}
    if not meshes:  # the figure is that of the bodies without them
        table["com"] = error(report["com"], data["com_zero_pose"])
    if "M" in data:
        compare_dynamics(robot, table)
    return table


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, folder, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(os.path.join(os.path.dirname(__file__), "..", "test", "data", "robots.json")) as file:
        figures = json.load(file)
    bad = 0
    for name, data in figures["robots"].items():
        source = figures["sources"][data["source"]]
        path = os.path.join(folder, source["repo"].split("/")[1], data["file"])
        if wanted and name not in wanted:
            continue
        if not os.path.exists(path):
            print(f"{name:13} is not there: {source['repo']} at {source['commit'][:8]}, {data['file']}")
            continue
        with tempfile.TemporaryDirectory() as place:
            table = compare(Robot(os.path.abspath(program), os.path.abspath(path), data, place))
        worst = max(table.values())
        bad += not worst <= BOUND
        cells = "  ".join(f"{key} {'differ' if x == math.inf else 'ok' if key == 'counts' else '%.1e' % x}" for key, x in table.items())
        print(f"{name:13} {'FAIL' if not worst <= BOUND else 'ok  '} {cells}", flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()

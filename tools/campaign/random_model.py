"""Random models: every element type, every option, from a seed.

A model is drawn at its initial pose, with joints placed by a point of the world, so that it is closed whatever was drawn.
Some draws make no sense on purpose (a joint that its bodies cannot carry, loops that hold too much): the tool has to
refuse those with a cause. Joints and forces that this file does not know are drawn from the schema (learn)."""
import math
import random

RIGID = ["r3so3", "se3", "euler_parameters", "cardan"]
PLANAR = ["planar", "planar_se2"]
SPATIAL_JOINTS = ["spherical", "revolute", "universal", "prismatic", "cylindrical", "planar", "fixed", "point_on_line",
                  "point_on_plane", "orientation", "parallel_axes", "knife_edge", "screw", "distance", "generic"]
PLANAR_JOINTS = ["planar_revolute", "planar_prismatic", "planar_fixed", "distance", "knife_edge"]
POINT_JOINTS = ["spherical", "distance", "point_on_line", "point_on_plane"]
COORDINATES = ["length", "translation_x", "translation_y", "translation_z", "rotation_x", "rotation_y", "rotation_z"]
TURNING = {"revolute": "rotation_z", "cylindrical": "rotation_z", "screw": "rotation_z", "planar": "rotation_z",
           "prismatic": "translation_z", "planar_revolute": "rotation_z", "planar_prismatic": "translation_x"}

OPTIONS = {
    "formulation": ["index3", "index3", "index2", "index1", "ggl", "ggl"],
    "parameters": ["chung_hulbert", "chung_hulbert", "chung_hulbert", "hht", "newmark"],
    "rho_inf": [0.0, 0.5, 0.6, 0.8, 0.9, 0.95, 1.0],
    "sigma": [0, 1, "opt", "spin", 0.5],
    "kinematics": ["exact", "exact", "exact", "printed", "printed_half"],
    "jacobian": ["exact", "exact", "paper", "simplified"],
    "newton": ["auto", "full", "modified"],
    "predictor": ["extrapolate", "hold", "zero"],
    "line_search": [True, False],
    "starting": ["perturbed", "perturbed", "acceleration", "naive"],
    "start_difference": ["central", "forward"],
    "redundant": ["error", "drop", "least_norm"],
    "projection": ["none", "none", "plain", "compensated"],
    "projection_every": [0, 1, 7],
    "project_position": [False, False, True],
    "transfer": ["full", "full", "acceleration", "none"],
    "linear_solver": ["auto", "auto", "auto", "small", "dense", "sparse", "block"],
    "lambda": ["consistent", "consistent", "symmetric", "variational", "carried"],
}

OTHER_JOINTS = ["motion", "gear", "rolling_disk", "rolling_sphere", "wheel", "pfaffian"]
FORCES = ["force", "torque", "drag", "spring", "bushing", "law", "cartesian", "state", "delay", "actuator", "pd", "pid",
          "friction"]
LEARNT = {"joint": {}, "force": {}}  # types beside those above, with all their keys
PLACE = {"body_a", "body_b", "point", "axis", "x_axis", "y_axis", "point_a", "point_b", "frame_a", "frame_b", "body", "frame",
         "joint", "name", "type", "note", "active", "coordinate", "release", "in"}
SIZE = {"m": (0.1, 0.4), "N/m": (50, 2000), "N s/m": (0.0, 5), "N/m^exponent": (500, 20000), "N": (5, 50), "N m": (0.0, 1),
        "N m^2": (0.0, 1), "kg or kg m^2": (0.05, 0.5), "N or N m": (0.1, 5), "s": (0.05, 0.3), "m/s": (0.05, 0.5)}  # others: below one
SMALL = 0.1  # of these: lengths that may be left out, as a play
MORE = {"mesh", "curve"}  # shapes that need more than numbers


def learn(schema):
    """Types of the schema that this file does not know are drawn too, with numbers for their keys."""
    for form in schema["$defs"]["body"]["anyOf"]:
        for one in form.get("properties", {}).get("type", {}).get("anyOf", []):
            if "r3so3" in one.get("enum", []):
                RIGID.extend(word for word in one["enum"] if word not in RIGID + PLANAR)
    known = {"joint": SPATIAL_JOINTS + PLANAR_JOINTS + OTHER_JOINTS, "force": FORCES}
    for kind, have in known.items():
        for form in schema["$defs"][kind]["anyOf"]:
            properties = form.get("properties", {})
            for one in properties.get("type", {}).get("anyOf", []):
                for word in set(one.get("enum", [])) - set(have):
                    LEARNT[kind][word] = dict(properties, **{"": form.get("required", [])})


class Draw:
    """One model from one seed."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.flat = self.r.random() < 0.3
        self.bodies, self.joints, self.forces = [], [], []
        self.places = {"ground": [0.0, 0.0, 0.0]}
        self.kinds = {}

    def real(self, a, b):
        return round(self.r.uniform(a, b), 4)

    def vector(self, size):
        v = [self.real(-size, size) for _ in range(3)]
        return v[:2] if self.flat else v

    def chance(self, p):
        return self.r.random() < p

    def direction(self):
        if self.flat:
            return [0, 0, 1]
        v = [self.r.gauss(0, 1) for _ in range(3)]
        n = math.sqrt(sum(x * x for x in v)) or 1.0
        return [round(x / n, 6) for x in v] if self.chance(0.5) else self.r.choice([[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    # ---- functions

    def function(self, depth=0):
        r = self.r
        kind = r.choice(["constant", "harmonic", "step", "ramp", "polynomial", "table"] +
                        (["sum", "product"] if depth < 2 else []))
        f = {"type": kind}
        if kind == "constant":
            f["value"] = self.real(-2, 2)
        elif kind == "harmonic":
            f.update(amplitude=self.real(0, 1), omega=self.real(0.5, 8), phase=self.real(-3, 3))
        elif kind in ("step", "ramp"):
            t = self.real(0, 0.1)
            f.update({"from": self.real(-1, 1), "to": self.real(-1, 1), "start": t, "end": round(t + self.real(.05, .3), 4)})
        elif kind == "polynomial":
            f["coefficients"] = [self.real(-1, 1) for _ in range(r.randint(1, 4))]
        elif kind == "table":
            n = r.randint(2, 6)
            f.update(x=[round(0.15 * i, 4) for i in range(n)], y=[self.real(-1, 1) for _ in range(n)])
        else:
            f["functions"] = [self.function(depth + 1) for _ in range(r.randint(1, 3))]
        return f

    def motion_function(self):
        """Starts at zero with zero velocity, so that a motion agrees with the initial state more often than not."""
        if self.chance(0.15):
            return self.function()
        return {"type": "step", "from": 0, "to": self.real(-0.5, 0.5), "start": 0, "end": self.real(0.3, 1.0)}

    # ---- bodies

    def inertia(self, a):
        r = self.r.random()
        if self.flat:
            return round(a * a / 6, 6)
        if r < 0.2:
            return {"box": [round(a * self.r.uniform(.3, 1.5), 4) for _ in range(3)]}
        if r < 0.22:  # no inertia about its axis: refused where nothing holds it
            return {"rod": a, "axis": self.r.choice("xyz")}
        if r < 0.5:
            return {"cylinder": [a, round(2 * a, 4)], "axis": self.r.choice("xyz")}
        if r < 0.6:
            return {"sphere": a}
        if r < 0.7:
            return {"disk": a, "axis": self.r.choice("xyz")}
        return [round(a * a * x, 6) for x in (0.5, 0.6, 0.7)]

    def body(self, i):
        r = self.r
        near = r.choice(list(self.places.values()))
        x = [round(c + self.real(-0.6, 0.6), 4) for c in near]
        if self.flat:
            x[2] = 0.0
        kind = r.choice(PLANAR) if self.flat else r.choice(RIGID * 6 + ["point", "point", "point", "flexible"] + PLANAR[:1])
        b = {"name": f"b{i}", "type": kind, "position": x}
        name = b["name"]
        if kind in PLANAR and not self.flat and self.chance(0.9):  # one that moves in its plane among others
            x[2] = 0.0
            b.update(mass=self.real(0.2, 3), inertia=self.real(0.01, 0.1), rotation=self.real(-3, 3))
            self.bodies.append(b)
            self.places[name] = x
            self.kinds[name] = kind
            return
        if kind == "flexible":
            b["beam"] = {"length": 0.5, "E": 7e10, "nu": 0.3, "density": 2700, "circle": 0.02, "modes": r.randint(1, 3),
                         "boundary": r.choice(["clamped", "pinned", "free"]), "damping": r.choice([0, 0.02]),
                         "kinds": r.choice([["bending_y"], ["bending_y", "bending_z"]])}
            name = b["name"] + "/A"
            self.places[b["name"] + "/B"] = [x[0] + 0.5, x[1], x[2]]
        else:
            b["mass"] = self.real(0.2, 3)
        if kind not in ("point", "flexible"):
            b["inertia"] = self.inertia(self.real(0.1, 0.5))
            if self.chance(0.3):
                b["com"] = self.vector(0.1)
            if self.chance(0.5):
                b["rotation"] = self.real(-3, 3) if self.flat else {"axis": self.direction(), "angle": self.real(-3, 3)}
            if self.chance(0.3):
                b["angular_velocity"] = self.real(-3, 3) if self.flat or kind in PLANAR else self.vector(3)
            if kind == "cardan":
                b["sequence"] = r.choice(["xyz", "zxz", "zyx", "xzy"] if "rotation" in b else ["xyz", "zyx", "xzy"])
        if self.chance(0.2):
            b["velocity"] = self.vector(1)
        self.bodies.append(b)
        self.places[name] = x
        self.kinds[name] = kind

    # ---- joints and forces

    def two(self):
        names = list(self.places)
        b = self.r.choice([n for n in names if n != "ground"])
        a = self.r.choice([n for n in names if n.split("/")[0] != b.split("/")[0]])
        return a, b

    def sides(self, element, a, b):
        if a != "ground":
            element["body_a"] = a
        element["body_b"] = b

    def between(self, a, b):
        w = self.r.choice([0.0, 0.5, 1.0])
        p = [round((1 - w) * s + w * e, 4) for s, e in zip(self.places[a], self.places[b])]
        return p[:2] if self.flat else p

    def number(self, form, unit, required, have):
        """One number: of the size of its unit, in its range."""
        low, high = SIZE.get(unit, (0.05, 0.9))
        if unit == "m" and not required:
            low, high = 0.0, SMALL * high
        words = form.get("range", "").split()
        for sign, bound in zip(words[::2], words[1::2]):
            bound = have.get(bound, low) if bound.isidentifier() else float(bound)
            if sign[0] == ">" and bound > 0:
                low, high = bound, 2 * bound
            high = min(high, bound) if sign[0] == "<" else high
        return self.real(low, high)

    def values(self, keys):
        """Values for the keys of a type, by what the schema says of them."""
        found = {}
        for key, form in keys.items():
            if key in PLACE or key == "" or (form.get("description", "").startswith("default:") and self.chance(0.97)):
                continue
            required, units = key in keys[""], form.get("unit", "").split(", ")
            words = [w for one in form.get("anyOf", []) for w in one.get("enum", []) if w not in MORE]
            if form.get("$ref") == "#/$defs/number":
                found[key] = self.number(form, units[0], required, found)
            elif form.get("$ref") == "#/$defs/vector":
                found[key] = [self.real(0.05, 0.2) for _ in range(3)]
            elif form.get("range") == "rising":
                found[key] = [-self.real(0.05, 1), self.real(0.05, 1)]
            elif form.get("type") == "array":
                n = form.get("minItems", 1)
                found[key] = [self.number(form, units[k % len(units)], required, found) for k in range(n)]
            elif words and self.chance(0.5 if key == "law" else 0.2):
                found[key] = self.r.choice(words)
            elif form.get("type") == "boolean" and self.chance(0.05):
                found[key] = True
        return found

    def wheel_body(self, name, place, axle):
        """A wheel that turns about z of its frame: on a bearing, or free with its axle along y of the world."""
        self.bodies.append({"name": name, "type": self.r.choice(PLANAR if self.flat else RIGID[:2]), "mass": self.real(0.5, 2),
                            "inertia": 0.02 if self.flat else [0.02, 0.02, 0.03], "position": place,
                            **({} if axle else {"rotation": {"axis": [1, 0, 0], "angle": round(-math.pi / 2, 15)},
                                                "velocity": [self.real(-1, 1), 0, 0]})})
        self.places[name] = place
        if axle:
            self.joints.append({"name": "bearing_" + name, "type": "planar_revolute" if self.flat else "revolute", "body_b": name,
                                "point": place, **({} if self.flat else {"axis": [0, 0, 1]})})

    def wheel(self, f, i, keys):
        """Wheels that touch: with teeth they turn on bearings, others stand on the ground."""
        f.update(self.values(keys), frame_a=[0, 0, 0], frame_b=[0, 0, 0])
        x, name = 3.0 + i, f"wheel{i}"
        if "teeth" not in keys:
            self.wheel_body(name, [x, 0, round(0.99 * f["radius"], 6)], axle=False)
        else:
            distance = f["radius"] + f.get("radius_a", 0) * (-1 if f.get("internal") else 1)
            self.wheel_body(name, [x, round(abs(distance), 6), 0], axle=True)
            f["frame_a"] = [x, 0, 0]
            if "radius_a" in keys and self.chance(0.7):
                self.wheel_body(name + "a", [x, 0, 0], axle=True)
                f.update(body_a=name + "a", frame_a=[0, 0, 0])
        f["body_b"] = name

    def learnt(self, kind, element, i, a, b):
        """A joint or force that only the schema knows: its numbers, and where it makes sense."""
        keys = LEARNT[kind][element["type"]]
        hinges = [j for j in self.joints if j["type"] in TURNING]
        if kind == "force" and "radius" in keys and "shape" not in keys:
            return self.wheel(element, i, keys)
        element.update(self.values(keys))
        if "joint" in keys and hinges and self.chance(0.8):
            hinge = self.r.choice(hinges)
            element.update(joint=hinge["name"], coordinate=TURNING[hinge["type"]])
        elif "body" in keys:
            element["body"] = b
        elif "shape" in keys:  # above the ground, which is normal to the usual gravity
            x, r = self.places[b], self.real(0.2, 0.6)
            normal = [0, 1, 0] if self.flat else [0, 0, 1]
            element.update(body_b=b, frame_a={"position": [round(s - r * n, 4) for s, n in zip(x, normal)], "axis": normal}, frame_b=[0, 0, 0])
        else:
            self.sides(element, a, b)
            if "joint" in keys:
                element.update(coordinate=self.r.choice(COORDINATES[1:3]))
                element.pop("mu", None)
                element.pop("mu_s", None)
            elif "length" not in keys and "radius" not in keys:
                element["point"] = self.between(a, b)
            else:  # two places, not one
                element.update(frame_a=[0, 0, 0], frame_b=[0, 0, 0])

    def joint(self, i, a, b):
        r = self.r
        kind = r.choice((PLANAR_JOINTS if self.flat else SPATIAL_JOINTS) + list(LEARNT["joint"]))
        points = [n for n in (a, b) if self.kinds.get(n) == "point"]
        if points and self.chance(0.9):
            kind = r.choice(POINT_JOINTS if len(points) == 1 else ["distance"])
            a, b = (b, a) if self.kinds.get(b) != "point" else (a, b)
        elif kind in SPATIAL_JOINTS and {self.kinds.get(n) for n in (a, b)} & set(PLANAR) and self.chance(0.9):
            kind = r.choice(PLANAR_JOINTS)
        if self.chance(0.03):
            kind = r.choice(PLANAR_JOINTS + SPATIAL_JOINTS)
        j = {"name": f"j{i}", "type": kind}
        if kind in LEARNT["joint"]:
            self.learnt("joint", j, i, a, b)
            self.joints.append(j)
            return
        self.sides(j, a, b)
        if kind == "distance":
            j.update({k: self.vector(0.1) for k, n in (("frame_a", a), ("frame_b", b)) if n not in points})
        elif points and self.chance(0.9):
            j["point"] = self.places[b][:2] if self.flat else self.places[b]
        else:
            j["point"] = self.between(a, b)
            if not self.flat and self.chance(0.7):
                j["axis"] = self.direction()
        if kind == "screw":
            j["pitch"] = self.real(0.05, 0.3)
        if kind == "generic":
            j["locked"] = r.sample(["x", "y", "z", "rx", "ry", "rz"], r.randint(1, 6))
        if self.chance(0.04):
            j["release"] = self.real(0.02, 0.2)
        self.joints.append(j)

    def rolling(self, i):
        kind = self.r.choice(["rolling_disk", "rolling_sphere", "wheel"])
        name = f"b{i}"
        radius = self.real(0.1, 0.4)
        self.bodies.append({"name": name, "type": self.r.choice(RIGID), "mass": self.real(0.5, 2), "inertia": self.inertia(radius),
                            "position": [self.real(-1, 1), self.real(-1, 1), radius],
                            "rotation": {"axis": [1, 0, 0], "angle": round(math.pi / 2, 15)},
                            "angular_velocity": [0, 0, self.real(-5, 5)]})
        self.places[name] = self.bodies[-1]["position"]
        self.joints.append({"name": f"roll{i}", "type": kind, "body_b": name, "radius": radius,
                            "frame_a": [0, 0, 0], "frame_b": [0, 0, 0]})

    def referring_joint(self, i):
        with_coordinate = [j for j in self.joints if j["type"] in TURNING]
        if not with_coordinate:
            return
        j = self.r.choice(with_coordinate)
        if self.chance(0.4) and len(with_coordinate) > 1:
            k = self.r.choice([x for x in with_coordinate if x is not j])
            self.joints.append({"name": f"gear{i}", "type": "gear", "joint_1": j["name"], "joint_2": k["name"],
                                "coordinate_1": TURNING[j["type"]], "coordinate_2": TURNING[k["type"]], "ratio": [1, self.real(-3, 3)]})
        else:
            self.joints.append({"name": f"motion{i}", "type": "motion", "joint": j["name"],
                                "coordinate": TURNING[j["type"]], "function": self.motion_function()})

    def pfaffian(self, i):
        b = self.r.choice(self.bodies)
        if b["type"] == "flexible":
            return
        row = [0.0] * 6
        row[0], row[1] = self.real(-1, 1), "1 + 0.1*sin(t)"
        self.joints.append({"name": f"pf{i}", "type": "pfaffian", "bodies": [b["name"]], "rows": [row]})

    def force(self, i):
        r = self.r
        a, b = self.two()
        hinge = r.choice([j for j in self.joints if j["type"] in TURNING] or [None])
        kinds = ["force", "torque", "drag", "spring", "bushing", "law", "cartesian", "state", "delay"]
        kinds += ["spring", "actuator", "pd", "pid", "friction"] if hinge else []
        kinds += [k for k, keys in LEARNT["force"].items() if not self.flat or "teeth" in keys or "radius" not in keys or "shape" in keys]
        kind = r.choice(kinds)
        f = {"name": f"f{i}", "type": kind}
        if kind in ("force", "torque"):
            f.update(body=b, vector=[0, 0, self.real(-5, 5)] if self.flat and kind == "torque" else self.vector(5))
            if self.chance(0.5):
                f["function"] = self.function()
            if self.chance(0.3):
                f["follower"] = True
            if self.kinds.get(b) == "point" and self.chance(0.9):
                f.update(type="force")
                f.pop("follower", None)
            elif kind == "force" and self.chance(0.5):
                f["frame"] = self.vector(0.3)
        elif kind in LEARNT["force"]:
            self.learnt("force", f, i, a, b)
        elif kind == "drag":
            f.update(body=b, damping=self.real(0, 2), quadratic=self.real(0, 1))
        elif kind == "law":
            self.sides(f, "ground", b)
            f.update(coordinate=r.choice(["translation_x", "translation_y"]), inputs={"x": b + ".position.x", "v": b + ".velocity.y"},
                     value=f"{self.real(-5, 0)}*x + {self.real(-2, 0)}*v*abs(v) + {self.real(-2, 2)}*sin(3*t)")
        elif kind == "bushing":
            k = self.real(50, 500)
            turns = 0 if "point" in (self.kinds.get(a), self.kinds.get(b)) else 3
            self.sides(f, a, b)
            f.update(point=self.between(a, b), stiffness=[k] * 3 + [round(k / 20, 4)] * turns + [0] * (3 - turns), damping=[self.real(0, 2)] * (3 + turns) + [0] * (3 - turns))
        elif kind == "law":
            self.law(f, a, b, hinge)
        elif kind == "cartesian":
            self.sides(f, a, b)
            f.update(point=self.places[b][:2] if self.flat else self.places[b],
                     stiffness=[self.real(0, 100) for _ in range(3)], damping=[self.real(0, 2) for _ in range(3)])
            if self.kinds.get(a) == "point":
                f.pop("point")
                f.update(frame_a=[0, 0, 0], frame_b=[0, 0, 0])
        elif kind == "state":
            f.update(initial=self.real(-1, 1), value=f"{self.real(-1, 1)}*v - {self.real(0.1, 20)}*z + sin(2*t)",
                     inputs={"v": f"{b}.velocity.x", "z": f"f{i}.state"})
            self.forces.append({"name": f"law{i}", "type": "law", "body_b": b, "coordinate": "translation_x",
                                "value": f"{self.real(-1, 1)}*z", "inputs": {"z": f"f{i}.state"}})
        elif kind == "delay":
            f.update(time=self.real(0.1, 0.5), value="v", inputs={"v": f"{b}.velocity.x"})
            self.forces.append({"name": f"law{i}", "type": "law", "body_b": b, "coordinate": "translation_x",
                                "value": f"{self.real(-1, 0)}*v", "inputs": {"v": f"f{i}.state"}})
        elif kind == "spring" and (hinge is None or self.chance(0.5)):
            self.sides(f, a, b)
            f.update(stiffness=self.real(1, 300), damping=self.real(0, 3), reference=self.real(0.1, 1), cubic=self.real(0, 5))
        else:
            f.update(joint=hinge["name"], coordinate=TURNING[hinge["type"]])
            if kind == "spring":
                f.update(stiffness=self.real(0, 50), damping=self.real(0, 1))
            elif kind == "friction":
                f.update(mu=self.real(0, 0.4), radius=self.real(0.01, 0.05), slip=0.05)
            else:
                f["function"] = self.function()
                if kind != "actuator":
                    f.update(stiffness=self.real(1, 30), damping=self.real(0, 2))
                if kind == "pid":
                    f["integral"] = self.real(0, 10)
        if kind not in ("state", "delay", "spring", "bushing", "cartesian") and self.chance(0.1):  # potentials would jump
            f["active"] = {"from": self.real(0, 0.2), "to": self.real(0.21, 0.5)}
        self.forces.append(f)

    def law(self, f, a, b, hinge):
        """Along a hinge or the distance of two bodies; it dissipates, so that nothing runs away."""
        x = self.r.choice([n for n in self.places if n != "ground"])
        inputs = {"w": f"{x}.velocity.{self.r.choice('xy')}", "x": f"{x}.position.{self.r.choice('xy')}"}
        if hinge and self.chance(0.5):
            f.update(joint=hinge["name"], coordinate=TURNING[hinge["type"]])
            inputs["v"] = {"joint": hinge["name"], "coordinate": TURNING[hinge["type"]], "rate": True}
        else:
            self.sides(f, a, b)
            f["coordinate"] = "length"
            inputs["v"] = {"coordinate": "length", "rate": True, **{k: f[k] for k in ("body_a", "body_b") if k in f}}
        f.update(value=f"-{self.real(0.1, 2)}*v*(1 + abs(v)) + {self.real(0, 1)}*sin(3*t + x) - {self.real(0, 0.3)}*tanh(w)",
                 inputs=inputs)

    # ---- the whole

    def outputs(self):
        out = ["energy", "dissipated_energy", "drive_work", "momentum"]
        for b in self.bodies:
            out += [b["name"] + ".position", b["name"] + ".acceleration"] + (
                [] if b["type"] == "point" else [b["name"] + ".quaternion"])
        for j in self.joints:
            if j["type"] not in ("pfaffian", "gear"):
                out += [j["name"] + ".force"]
            out += [j["name"] + ".residual"] if j["type"] not in ("pfaffian", "wheel", "knife_edge") else []
        return out + [f["name"] + ".power" for f in self.forces]

    def model(self):
        r = self.r
        n = r.choice([1, 1, 2, 2, 3, 3, 4, 5, 7])
        for i in range(n):
            self.body(i)
        names = [k for k in self.places if k != "ground"]
        for i, b in enumerate(names):
            if self.chance(0.85):
                before = ["ground"] + [x for x in names[:i] if x.split("/")[0] != b.split("/")[0]]
                self.joint(i, r.choice(before), b)
        if not self.flat and self.chance(0.15):
            self.rolling(n)
        if self.chance(0.2) and len(self.places) > 2:
            self.joint(n + 1, *self.two())
        if self.chance(0.25):
            self.referring_joint(n + 2)
        if self.chance(0.05):
            self.pfaffian(n + 3)
        for i in range(r.choice([0, 0, 1, 1, 2, 3])):
            self.force(i)
        functions = self.surface(n) if self.chance(0.05) else {}
        g = r.choice([9.81, 0.0])
        planar = any(b["type"] in PLANAR for b in self.bodies) and self.chance(0.95)
        gravity = [0, -g] if self.flat else [0, -g, 0] if planar else r.choice([[0, 0, -g], [0, -g, 0]])
        return {"dalembert": 1, "name": "campaign", "gravity": gravity, "functions": functions, "bodies": self.bodies, "joints": self.joints,
                "forces": self.forces, "outputs": self.outputs(), "simulation": {"t_end": 0.4, **self.options()}}

    def surface(self, i):
        """A map of two variables, and a law that calls it."""
        body = self.bodies[0]["name"]
        self.forces.append({"name": f"law{i}", "type": "law", "body_b": body, "coordinate": "translation_x",
                            "value": "surface(v, 3*t)", "inputs": {"v": f"{body}.velocity.x"}})
        return {"surface": {"type": "map", "x": [-2, 0, 2], "y": [0, 1],
                            "z": [[self.real(-1, 1) for _ in range(2)] for _ in range(3)]}}

    def options(self):
        o = {"h": self.r.choice([2e-3, 1e-3, 5e-4]), "max_steps": 20000}
        if self.chance(0.2):
            o.update(integrator="lobatto", stages=self.r.choice([2, 3, 4, 5, 8]), h=0.01)
            o["lambda"] = self.r.choice(OPTIONS["lambda"])
        elif self.chance(0.15):
            o.update(integrator=self.r.choice(["rk", "auto"]), order=self.r.choice([5, 8]))
        elif self.chance(0.15):
            o.update(integrator="bdf", order=self.r.choice([1, 2, 3, 4, 5]))
        elif self.chance(0.15):
            o.update(integrator="rattlie", order=self.r.choice([2, 4, 6, 8]))
        if self.chance(0.25):
            o.update(step="adaptive", step_rtol=self.r.choice([1e-3, 1e-4, 1e-5, 1e-6]))
        for name, values in OPTIONS.items():
            if self.chance(0.25):
                o[name] = self.r.choice(values)
        if self.chance(0.97):  # the others contradict themselves now and then
            if o.get("lambda") in ("variational", "carried") and "integrator" in o:
                o.pop("lambda")
            if o.get("projection", "none") == "none":
                o.pop("projection_every", None)
                o.pop("project_position", None)
            if "integrator" in o:
                for name in ("projection", "projection_every", "project_position"):
                    o.pop(name, None)
                if o["integrator"] != "bdf" or o.get("formulation") == "index1":
                    o.pop("formulation", None)
        return o


def random_model(seed):
    return Draw(seed).model()


def element_types():
    """What is drawn, for comparison with the schema."""
    seen = {"body": set(), "joint": set(), "force": set(), "function": set()}

    def functions(x):
        if isinstance(x, dict):
            for key, value in x.items():
                if key in ("function", "functions") and isinstance(value, dict):
                    seen["function"].add(value.get("type"))
                functions(value)
        elif isinstance(x, list):
            for item in x:
                if isinstance(item, dict) and item.get("type") in ("constant", "harmonic", "step", "ramp", "polynomial",
                                                                   "table", "sum", "product"):
                    seen["function"].add(item["type"])
                functions(item)

    for seed in range(2000):
        m = random_model(seed)
        for kind, key in (("body", "bodies"), ("joint", "joints"), ("force", "forces")):
            seen[kind] |= {e["type"] for e in m[key]}
        functions(m["forces"] + m["joints"])
        seen["function"] |= {f["type"] for f in m["functions"].values()}
    return seen

"""Models: from files, built in, or built here."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _core
from ._elements import Elements
from ._values import assignments, framed, path_text, plain

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._elements import Function, Number, Object, Vector

_COORDINATES = {"length": (1, 0)}
_COORDINATES.update({f"translation_{x}": (2, i) for i, x in enumerate("xyz")})
_COORDINATES.update({f"rotation_{x}": (3, i) for i, x in enumerate("xyz")})


def _coordinate(name: str | None) -> tuple[int, int]:
    """Kind and axis of a coordinate of the file format."""
    if name is None:
        return 0, 0
    if name not in _COORDINATES:
        near = _core.nearest(str(name), list(_COORDINATES))
        raise _core.ModelError(f"no coordinate '{name}'" + (f" (did you mean '{near}'?)" if near else ""))
    return _COORDINATES[name]


def _input(text: Any) -> tuple[str, str, int, int, int]:
    """An input of a law: joint.coordinate, joint.coordinate_velocity, name.state, body.velocity.x ..."""
    if not isinstance(text, str):
        raise TypeError("inputs of a callable are texts like 'hinge.coordinate' or 'cart.velocity.x'")
    axis = 0
    element, _, quantity = text.rpartition(".")
    if quantity in ("x", "y", "z"):
        axis = "xyz".index(quantity)
        element, _, quantity = element.rpartition(".")
        known = {"position": ("body", 0, 0), "velocity": ("body", 1, 0), "angular_velocity": ("body", 1, 1)}
    else:
        known = {"coordinate": ("joint", 0, 0), "coordinate_velocity": ("joint", 1, 0), "state": ("state", 0, 0)}
    if quantity not in known or not element:
        raise _core.ModelError(
            f"'{text}' cannot be an input: it is joint.coordinate, joint.coordinate_velocity, name.state, or a "
            "component like body.position.x, body.velocity.y, body.angular_velocity.z"
        )
    what, rate, spin = known[quantity]
    return what, element, axis, rate, spin


Recipe = tuple[Union[str, None], bool, tuple[str, ...], tuple[Any, ...]]


class Model(Elements):
    """A mechanism: bodies, joints, forces, outputs and the options of its simulation.

    An empty one is built by its methods, one for each type of element (`body`, `revolute`, `spring`, ...), whose keywords
    are the keys of the file format; `load` reads one from a file. Where the format takes an expression, so do the
    keywords: ``m.body("rod", mass="2*m")`` with ``m.variable("m", 1.5)``.

    A force or state may have a Python function as its value, a motion too; see `law`, `state`, `motion`.
    """

    def __init__(
        self, name: str = "model", *, title: str | None = None, gravity: Sequence[float] | None = None
    ) -> None:
        self._document: dict[str, Any] = {"dalembert": 1, "name": str(name)}
        if title is not None:
            self._document["title"] = str(title)
        self._source: str | None = None
        self._text: str | None = None  # what the file said, of a model that was copied or pickled; None: it is read
        self._outside = False
        self._set: list[str] = []
        self._attached: list[tuple[str, tuple[Any, ...]]] = []
        self._compiled: _core.System | None = None
        if gravity is not None:
            self.gravity(gravity)

    # ---- building ---------------------------------------------------------------------------------

    def _changed(self) -> dict[str, Any]:
        """The document, to be changed. That of a file is taken to pieces first."""
        if self._source is not None:
            import json

            self._document = json.loads(self.text)
            self._source = self._text = None
        self._compiled = None
        return self._document

    def _add(self, kind: str, element: dict[str, Any]) -> None:
        if not isinstance(element["name"], str):
            raise TypeError(f"the name of an element is a text, not {type(element['name']).__name__}")
        given = {key: value for key, value in element.items() if value is not None}
        if kind == "forces" and callable(given.get("value")):
            self._attach_law(given)
        elif given.get("type") == "motion" and callable(given.get("function")):
            self._attach_motion(given)
        else:
            value = plain(given, f"{kind[:-1] if kind != 'bodies' else 'body'} '{given['name']}'")
            self._changed().setdefault(kind, []).append(value)

    def _attach_law(self, given: dict[str, Any]) -> None:
        known = {"name", "type", "value", "gradient", "inputs", "initial"}
        known |= {"joint", "body_a", "body_b", "coordinate", "point", "axis"} if given["type"] == "law" else set()
        for key in given:
            if key not in known:
                raise _core.ModelError(f"force '{given['name']}': '{key}' is not possible with a Python function")
        inputs = given.get("inputs", ())
        texts = list(inputs.values()) if isinstance(inputs, Mapping) else [inputs] if isinstance(inputs, str) else inputs
        kind, axis = _coordinate(given.get("coordinate"))
        description = (
            given["name"],
            given["type"],
            given["value"],
            given.get("gradient"),
            given.get("joint"),
            given.get("body_a"),
            given.get("body_b"),
            kind,
            axis,
            given.get("point"),
            given.get("axis"),
            tuple(_input(text) for text in texts),
            float(given.get("initial", 0.0)),
        )
        self._changed()
        self._attached.append(("law", description))

    def _attach_motion(self, given: dict[str, Any]) -> None:
        for key in given:
            if key not in ("name", "type", "joint", "coordinate", "function"):
                raise _core.ModelError(f"joint '{given['name']}': '{key}' is not possible with a Python function")
        if "joint" not in given:
            raise _core.ModelError(f"joint '{given['name']}': a motion by a Python function is one of a joint")
        kind, axis = _coordinate(given.get("coordinate"))
        self._changed()
        self._attached.append(("motion", (given["name"], given["joint"], kind, axis, given["function"])))

    def gravity(self, gravity: Vector) -> None:
        """Weight, m/s^2 along x, y, z."""
        self._changed()["gravity"] = plain(gravity, "gravity")

    def variable(self, name: str, value: Number) -> None:
        """A number with a name, for expressions and for sweeps."""
        self._changed().setdefault("variables", {})[str(name)] = plain(value, name)

    def input(
        self,
        name: str,
        value: Number = 0,
        *,
        unit: str | None = None,
        min: Number | None = None,
        max: Number | None = None,
    ) -> None:
        """A number with a name that may change while the model runs: `Simulation.set`. What is outside of min and max is refused."""
        given = {"value": value, "unit": unit, "min": min, "max": max}
        self._changed().setdefault("inputs", {})[str(name)] = {
            key: plain(x, name) for key, x in given.items() if x is not None
        }

    def function(self, name: str, function: Function) -> None:
        """A function of time: an expression of t, a number, or an object of the file format."""
        self._changed().setdefault("functions", {})[str(name)] = plain(function, name)

    def output(
        self,
        output: str,
        *,
        quantity: str | None = None,
        body: str | None = None,
        joint: str | None = None,
        force: str | None = None,
        frame: Object | None = None,
        point: Vector | None = None,
        axes: str | None = None,
        sequence: str | None = None,
        coordinate: str | None = None,
        component: str | None = None,
    ) -> None:
        """Report something: "slider.position", "A.force", "energy"; with keywords, a quantity under that name."""
        keys = {
            "quantity": quantity,
            "body": body,
            "joint": joint,
            "force": force,
            "frame": frame,
            "point": point,
            "axes": axes,
            "sequence": sequence,
            "coordinate": coordinate,
            "component": component,
        }
        given = {key: plain(value, f"output '{output}'.{key}") for key, value in keys.items() if value is not None}
        element = self._attached_element(output if not given else str(given.get("force") or given.get("joint") or ""))
        if element is not None:
            kind, name = element
            what = str(given.get("quantity") or output.rpartition(".")[2])
            place = (None, name) if kind == "law" else (name, None)
            self._changed()
            self._attached.append(("output", (output, what, *place)))
        else:
            document = self._changed()
            document.setdefault("outputs", []).append({"name": output, **given} if given else str(output))

    def outputs(self, *outputs: str) -> None:
        """Several outputs at once."""
        for output in outputs:
            self.output(output)

    def _attached_element(self, text: str) -> tuple[str, str] | None:
        """The element with a Python function that an output is about."""
        for kind, description in self._attached:
            if kind != "output" and text in (description[0], f"{description[0]}.{text.rpartition('.')[2]}"):
                return kind, str(description[0])
        return None

    def add(self, kind: str, element: Mapping[str, Any]) -> None:
        """An element as the file format has it, for what has no method: ("joints", {"repeat": ...})."""
        if kind not in ("bodies", "joints", "forces", "outputs", "events"):
            raise _core.ModelError(f"'{kind}' is no list of elements: bodies, joints, forces, outputs, events")
        self._changed().setdefault(kind, []).append(plain(element, kind))

    def assemble(self, *hold: str) -> None:
        """Close the mechanism from its initial guess before a simulation; the bodies named stay where they are."""
        self._changed()["assembly"] = {"hold": list(hold)} if hold else {}

    def simulation(self, **options: Any) -> None:
        """t_end and options that the simulations of this model have unless they are told otherwise."""
        self._changed().setdefault("simulation", {}).update({k: plain(v, k) for k, v in options.items()})

    # ---- variants ---------------------------------------------------------------------------------

    def with_(self, **variables: Any) -> Model:
        """The same model with other values of its variables, words or options."""
        new = Model.__new__(Model)
        new._document = self._document
        new._source = self._source
        new._text = self._text
        new._outside = self._outside
        new._set = self._set + assignments(variables)
        new._attached = list(self._attached)
        new._compiled = None
        if self._source is None:
            new._document = plain(self._document, "model")
        return new

    def __copy__(self) -> Model:
        return self.with_()

    def __deepcopy__(self, memo: Any) -> Model:
        return self.with_()

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: a file goes along as it was read; its tables and meshes do not. Python functions go by name."""
        return {**self.__dict__, "_compiled": None, "_text": None if self._source is None else self.text}

    def _recipe(self) -> Recipe:
        """What the present system is made of, but for its text."""
        return self._source, self._outside, tuple(self._set), tuple(self._attached)

    # ---- compiled ---------------------------------------------------------------------------------

    def compile(self) -> _core.System:
        """Check the model as a whole and make it ready. Happens by itself where it is needed."""
        if self._compiled is None:
            attach: list[Any] | None = list(self._attached) or None
            if self._source is not None:
                self._compiled = _core.open(self._source, self._set, self._outside, attach, self._text)
            else:
                self._compiled = _core.parse(self.text, str(self._document["name"]), self._set, attach)
        return self._compiled

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.compile().name or ""

    @property
    def title(self) -> str:
        """Its title, one line."""
        return self.compile().title or ""

    @property
    def text(self) -> str:
        """The model as a file."""
        if self._source is None:
            import json

            return json.dumps(self._document, indent=1)
        return self.compile().text or ""

    @property
    def variables(self) -> dict[str, float]:
        """Variables and their values."""
        return self.compile().variables

    @property
    def options(self) -> dict[str, str]:
        """Options of the simulation, as the model has them."""
        return self.compile().options

    @property
    def t_end(self) -> float:
        """End time of the model."""
        return self.compile().t_end

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies (interface nodes of flexible ones included)."""
        return list(self.compile().info()["bodies"])

    @property
    def joints(self) -> list[str]:
        """Names of the joints."""
        return list(self.compile().info()["joints"])

    @property
    def forces(self) -> list[str]:
        """Names of the forces."""
        return list(self.compile().info()["forces"])

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        return [item[0] for item in self.compile().info()["outputs"]]

    @property
    def freedoms(self) -> int:
        """Degrees of freedom, if no constraint is redundant."""
        return int(self.compile().info()["freedoms"])

    @property
    def q0(self) -> npt.NDArray[np.float64]:
        """Initial coordinates, after the assembly if the model asks for it."""
        return _array(self.compile().q0)

    @property
    def v0(self) -> npt.NDArray[np.float64]:
        """Initial velocities."""
        return _array(self.compile().v0)

    @property
    def warnings(self) -> list[str]:
        """What the library remarked on the model."""
        return self.compile().warnings

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as a file, for the tool or for others. Python functions cannot be in it."""
        if self._attached:
            names = ", ".join(str(item[1][0]) for item in self._attached)
            raise _core.ModelError(f"a file cannot hold Python functions: {names}")
        with open(path_text(path), "w", encoding="utf-8") as file:
            file.write(self.text + "\n")

    def html(self, path: str | os.PathLike[str] | None = None) -> str:
        """A page that shows the mechanism at its initial pose, for any browser. Without a path its text is returned."""
        import tempfile

        import numpy as np

        rows = np.zeros((0, 1))
        if path is not None:
            _core.page(self.compile(), path_text(path), 0, rows, [])
            return path_text(path)
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "page.html")
            _core.page(self.compile(), place, 0, rows, [])
            with open(place, encoding="utf-8") as file:
                return file.read()

    def _repr_html_(self) -> str:
        """The page in a frame, for notebooks."""
        return framed(self.html())

    def __repr__(self) -> str:
        if self._compiled is None and self._source is not None:
            return f"<dalembert.Model from '{self._source}'>"
        if self._compiled is None:
            counts = ", ".join(f"{len(self._document.get(k, []))} {k}" for k in ("bodies", "joints", "forces"))
            return f"<dalembert.Model '{self._document['name']}': {counts}>"
        info = self.compile().info()
        counts = ", ".join(f"{len(info[k])} {k}" for k in ("bodies", "joints", "forces"))
        return f"<dalembert.Model '{self.name}': {counts}, {info['freedoms']} degrees of freedom>"


def as_made(system: _core.System, recipe: Recipe) -> Model:
    """The model that a system was made of, whatever has become of it since."""
    import json

    model = Model()
    model._source, model._outside, given, attached = recipe
    model._set, model._attached = list(given), list(attached)
    if model._source is None:
        model._document = json.loads(system.text or "{}")
    else:
        model._text = system.text
    return model


def _array(array: Any) -> npt.NDArray[np.float64]:
    import numpy as np

    return np.asarray(array)


def load(source: str | os.PathLike[str], /, *, files_outside: bool = False, **variables: Any) -> Model:
    """Read a model: the name of a built-in one ("heavy_top", see `builtin`) or a file.

    Keywords replace variables and words of the model, its t_end and the options of its simulation; a value may be an
    expression: ``load("crank.json", L=0.3, speed="2*pi")``. files_outside: the model may name files outside its folder.
    """
    model = Model()
    model._source = path_text(source)
    model._outside = bool(files_outside)
    model._set = assignments(variables)
    model.compile()
    return model


def parse(text: str | Mapping[str, Any], name: str = "model", /, **variables: Any) -> Model:
    """A model from the text of a file, or from its JSON object."""
    if isinstance(text, str):
        import json

        model = Model(name)
        model._set = assignments(variables)
        compiled = _core.parse(text, name, model._set, None)
        model._document = json.loads(text)
        model._document.setdefault("name", name)
        model._compiled = compiled
        return model
    model = Model(name)
    model._document = {"dalembert": 1, "name": name, **plain(text, name)}
    model._set = assignments(variables)
    model.compile()
    return model


def builtin() -> dict[str, str]:
    """Names and titles of the built-in models."""
    return {name: title for name, title, _ in _core.builtins()}


def methods() -> dict[str, str]:
    """Names of integration methods, and a line about each."""
    return {name: text for name, _, _, text in _core.methods()}


def option_table() -> dict[str, str]:
    """Names of the options of a simulation, and a line about each."""
    return {name: text for name, _, _, _, text in _core.options()}

#!/usr/bin/env python3
"""Write python/dalembert/_elements.py, the methods of dalembert.Model that add elements, from the schema of model files.

    tools/python_elements.py [TOOL]           write it
    tools/python_elements.py --check [TOOL]   exit status 1 if it is not up to date

The schema, which comes from the keys of the element types, is what `TOOL schema` prints; TOOL is
build/release/bin/dalembert unless given.
"""
import json
import keyword
import pathlib
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = ROOT / "build/release/bin/dalembert"
MODULE = ROOT / "python" / "dalembert" / "_elements.py"

HEAD = '''"""Methods of Model that add elements, one for each type of the file format.

Written by tools/python_elements.py from the schema of model files: do not edit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Number = Union[float, str]
    Vector = Union[Sequence[Number], npt.NDArray[np.float64]]
    Object = Union[Number, Sequence[Any], Mapping[str, Any], npt.NDArray[np.float64]]
    Function = Union[Number, Mapping[str, Any]]
    Law = Union[str, Callable[..., float]]
    Motion = Union[Number, Mapping[str, Any], Callable[[float], Sequence[float]]]


class Elements:
    """What a model can be built of. Keys that are not given have the defaults of the file format."""

    def _add(self, kind: str, element: dict[str, Any]) -> None:
        raise NotImplementedError
'''

def hint(key, value):
    """Type hint of a key, by what the schema says of its values."""
    ref = value.get("$ref", "").rsplit("/", 1)[-1]
    if key == "value" and ref in ("number", "text", ""):
        return "Law"
    if ref in ("number",):
        return "Number"
    if ref in ("vector",):
        return "Vector"
    if ref in ("text", "word", "coordinate"):
        return "str"
    if ref == "function_reference":
        return "Function"
    if value.get("type") == "boolean":
        return "bool"
    if value.get("type") == "string" or "enum" in value or key == "type":
        return "str"
    if value.get("type") == "array" and value.get("items", {}).get("$ref", "").endswith("/number"):
        return "Vector"
    return "Object"


def types_of(properties):
    """The types an object of the schema stands for, with a sentence about each where they share their keys."""
    for one in properties.get("type", {}).get("anyOf", []):
        if "enum" in one:
            return dict(zip(one["enum"], one.get("enumDescriptions", [""] * len(one["enum"]))))
    return {}


def argument(key):
    """A key as the name of an argument: words of Python get a line behind them, as in from_."""
    return key + "_" if keyword.iskeyword(key) else key


def method(kind, name, item, fixed_type, called=None):
    """Source of one method. fixed_type: the type is the name of the method; else it is a key. called: its other name."""
    properties = item["properties"]
    required = [k for k in item.get("required", []) if k not in ("name", "type")]
    keys = [k for k in properties if k not in ("name", "note") and not (k == "type" and fixed_type)]
    keys = [k for k in keys if k in required] + [k for k in keys if k not in required]
    lines = [f"    def {called or name}(", "        self,", "        name: str,", "        *,"]
    for key in keys:
        text = hint(key, properties[key])
        text = "Motion" if (name, key) == ("motion", "function") else text
        lines.append(f"        {argument(key)}: {text}" + ("," if key in required else " | None = None,"))
    lines.append("    ) -> None:")
    sentence = types_of(properties).get(name) or item.get("description", "")
    lines += textwrap.wrap(f'"""{sentence}', 110, initial_indent="        ", subsequent_indent="        ")
    lines.append("")
    for key in keys:
        about = f"{argument(key)}: {properties[key].get('description', '')}"
        lines += textwrap.wrap(about, 110, initial_indent="        ", subsequent_indent="            ")
    lines.append('        """')
    entries = [f'"type": "{name}"'] if fixed_type else []
    entries += [f'"{key}": {argument(key)}' for key in keys]
    lines.append("        self._add(")
    lines.append(f'            "{kind}",')
    lines.append('            {')
    lines.append('                "name": name,')
    lines += [f"                {entry}," for entry in entries]
    lines.append("            },")
    lines.append("        )")
    return "\n".join(lines) + "\n"


def source(tool):
    """The module as text."""
    schema = subprocess.run([tool, "schema"], capture_output=True, check=True, text=True).stdout
    defs = json.loads(schema)["$defs"]
    parts = [HEAD]
    taken = set()
    for kind, definition in (("bodies", "body"), ("beams", "slender"), ("joints", "joint"), ("forces", "force")):
        for item in defs[definition]["anyOf"]:
            properties = item.get("properties", {})
            if "name" not in properties:
                continue
            if kind == "bodies" and "r3so3" in types_of(properties):
                parts.append(method(kind, "body", item, False))
                continue
            for name in types_of(properties):
                called = f"{name}_{definition}" if name in taken else name  # contact is a joint and a force
                taken.add(called)
                parts.append(method(kind, name, item, True, called))
    return "\n".join(parts)


def main():
    """Write or check; exit status 1 if the file is stale."""
    tools = [argument for argument in sys.argv[1:] if argument != "--check"]
    text = source(tools[0] if tools else TOOL)
    if "--check" in sys.argv[1:]:
        if not MODULE.exists() or MODULE.read_text(encoding="utf-8") != text:
            print("python/dalembert/_elements.py is stale: run tools/python_elements.py")
            return 1
        return 0
    MODULE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

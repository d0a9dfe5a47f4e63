#!/usr/bin/env python3
"""The tables of docs/format/reference.md and the dictionary of the fuzzer, written from the schema of model files.

    tools/model_reference.py [TOOL]           rewrite the part of the page below its mark, and the dictionary
    tools/model_reference.py --check [TOOL]   exit status 1 if either is not up to date

The schema is what `TOOL schema` prints; TOOL is build/release/bin/dalembert unless given.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = ROOT / "build/release/bin/dalembert"
PAGE = ROOT / "docs/format/reference.md"
EXPRESSIONS = ROOT / "src/io/expression_list.h"
DICTIONARY = ROOT / "test/fuzz/model.dict"
MARK = "<!-- Below: written by tools/model_reference.py from the schema. -->\n"

SECTIONS = [
    ("body", "Bodies", "bodies"),
    ("beam", "Beams", None),
    ("slender", "Geometrically exact beams", "beams"),
    ("section", "Sections of these", None),
    ("arc", "Arcs", None),
    ("helix", "Helices", None),
    ("line_load", "Loads per length", None),
    ("join", "Joins of beams", None),
    ("slide", "Slides along a beam", None),
    ("fem", "Finite element bodies", None),
    ("fem_matrices", "Matrices of these", None),
    ("node_set", "Sets of nodes", None),
    ("modes", "Modes", None),
    ("interface", "Interfaces", None),
    ("part", "Parts", "parts"),
    ("joint", "Joints", "joints"),
    ("force", "Forces", "forces"),
    ("input", "Inputs of laws", None),
    ("active", "Spans of time", None),
    ("output", "Outputs", "outputs"),
    ("function", "Functions", "functions"),
    ("rotation", "Rotations", None),
    ("frame", "Frames", None),
    ("inertia", "Inertia", None),
    ("shape", "Shapes", None),
    ("colour", "Colours", None),
    ("trail", "Trails", None),
    ("view", "Views", None),
    ("assembly", "Assembly", None),
    ("sweep", "Sweeps", None),
]


# Definitions that have a name of their own in the tables; of the others the tables say what they are.
NAMED = {name for name, _, _ in SECTIONS} | {"number", "vector", "text", "string", "coordinate", "shapes", "function_reference"}
DEFINITIONS = {}


def kind(schema):
    """What a value is, in a few words."""
    if "$ref" in schema:
        if schema["$ref"] == "#":
            return "model"
        name = schema["$ref"].rsplit("/", 1)[1]
        return name.replace("_", " ") if name in NAMED else kind(DEFINITIONS[name])
    if "enum" in schema:
        return " ".join(f"`{word}`" for word in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "anyOf" in schema:
        return " or ".join(kind(one) for one in schema["anyOf"] if one.get("$ref") != "#/$defs/word")
    if schema.get("type") == "array":
        low, high = schema.get("minItems"), schema.get("maxItems")
        count = "" if low is None else f"{low} " if low == high else f"{low} or more " if high is None else f"{low} to {high} "
        return f"list of {count}{kind(schema['items'])}"
    others = schema.get("additionalProperties") if "properties" not in schema else None
    return f"object of {kind(others)}" if others else schema.get("type", "anything")


def table(properties, required):
    """A table of members; required ones in bold. Units have a column where there are any."""
    units = any("unit" in value for value in properties.values())
    lines = ["| key | value | unit | meaning |", "|---|---|---|---|"] if units else ["| key | value | meaning |", "|---|---|---|"]
    for key, value in properties.items():
        if key == "note":
            continue
        name = f"**{key}**" if key in required else key
        meaning = value.get("description", "")
        if "default" in value:
            meaning += f"; default `{json.dumps(value['default'])}`"
        unit = f" {value.get('unit', '')} |".replace("  ", " ") if units else ""
        within = f" {value['range'].replace('<', '&lt;').replace('>', '&gt;')}" if "range" in value else ""
        lines.append(f"| {name} | {kind(value)}{within} |{unit} {meaning} |")
    return lines


def described(selector):
    """The words of a selector with what each of them is, or nothing if the form says it all."""
    for one in selector.get("anyOf", [selector]):
        if "enumDescriptions" in one:
            return [f"- **`{word}`**: {text}" for word, text in zip(one["enum"], one["enumDescriptions"])]
    return []


def variant(schema):
    """One form of an element."""
    if "properties" not in schema:
        return [f"- {kind(schema)}: {schema['description']}"]
    selector = schema["properties"].get("type", schema["properties"].get("quantity", {}))
    words = kind(selector) if selector else ""
    head = f"**{words}**. " if words and "repeat" not in schema["properties"] else ""
    properties = {k: v for k, v in schema["properties"].items() if k not in ("type", "quantity")}
    required = schema.get("required", [])
    either = [" and ".join(f"`{key}`" for key in one["required"]) for one in schema.get("anyOf", [])]
    needs = [f"One of: {', or '.join(either)}.", ""] if either else []
    known = described(selector)
    title = [*known, ""] if known else [f"{head}{schema['description']}", ""]
    return [*title, *table(properties, required), "", *needs]


def shared(variants):
    """Members that all placed joints and forces have are shown once."""
    place = {}
    for schema in variants:
        properties = schema.get("properties", {})
        if "body_a" in properties:
            place = {k: properties[k] for k in properties if k in ("body_a", "body_b", "point", "axis", "x_axis", "y_axis",
                                                                   "point_a", "point_b", "frame_a", "frame_b")}
    return place


def without(schema, keys):
    """The schema without some of its members."""
    if "properties" not in schema or "body_a" not in schema["properties"]:
        return schema
    return {**schema, "properties": {k: v for k, v in schema["properties"].items() if k not in keys}}


def reference(schema):
    """The generated part of the page."""
    lines = ["", "# Reference", "", "Required keys are in bold; every object may also have a `note`, which is ignored.", ""]
    lines += ["## The model", "", *table(schema["properties"], schema["required"]), ""]
    place = shared(schema["$defs"]["joint"]["anyOf"])
    lines += ["## Places of joints and of forces between bodies", "", *table(place, []), ""]
    for name, title, _ in SECTIONS:
        lines += [f"## {title}", ""]
        for one in schema["$defs"][name]["anyOf"]:
            if "repeat" in one.get("properties", {}):
                continue
            lines += variant(without(one, place) if name in ("joint", "force", "input") else one)
        lines.append("")
    repeat = schema["$defs"]["body"]["anyOf"][-1]
    lines += ["## Repetition", "", *variant(repeat)]
    lines += ["## Coordinates", "", kind(schema["$defs"]["coordinate"]), ""]
    text = "\n".join(lines)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.rstrip("\n") + "\n"


def words(schema):
    """Keys and words of a schema."""
    found = set()
    if isinstance(schema, dict):
        found |= set(schema.get("properties", {})) | {word for word in schema.get("enum", []) if isinstance(word, str)}
        for value in schema.values():
            found |= words(value)
    elif isinstance(schema, list):
        for value in schema:
            found |= words(value)
    return found


def dictionary(schema):
    """What libFuzzer may put together: words of the schema in quotes, functions of expressions, bits of JSON."""
    functions = re.findall(r'X\(\w+, "(\w+)"', EXPRESSIONS.read_text(encoding="utf-8"))
    bits = ["-1", "0", "1e308", "[[", "}]", "{i}", "pi", "^", '\\"ground\\"']
    lines = [f'\\"{word}\\"' for word in sorted(words(schema))] + [f"{name}(" for name in functions] + bits
    return "# Words of model files, for libFuzzer; written by tools/model_reference.py.\n" + "".join(
        f'"{line}"\n' for line in lines)


def main():
    """Write or check the page and the dictionary."""
    page = PAGE.read_text(encoding="utf-8")
    head, mark, _ = page.partition(MARK)
    if not mark:
        sys.exit(f"{PAGE}: the mark is missing")
    tools = [a for a in sys.argv[1:] if a != "--check"]
    tool = pathlib.Path(tools[0]) if tools else TOOL
    if not tool.exists():
        sys.exit(f"{tool} is not there: build it, or name the tool")
    schema = json.loads(subprocess.run([tool, "schema"], capture_output=True, text=True, check=True).stdout)
    DEFINITIONS.update(schema["$defs"])
    for path, fresh in ((PAGE, head + mark + reference(schema)), (DICTIONARY, dictionary(schema))):
        if "--check" not in sys.argv[1:]:
            path.write_text(fresh, encoding="utf-8")
        elif fresh != path.read_text(encoding="utf-8"):
            sys.exit(f"{path} is not up to date: run tools/model_reference.py")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""docs/format/json.md and the schemas beside it, written from src/cli/records.txt.

    tools/json_reference.py           write them
    tools/json_reference.py --check   exit status 1 if one of them is not up to date
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORMAT = ROOT / "docs/format"
HEAD = """# JSON documents of the tool

<!-- Written by tools/json_reference.py from src/cli/records.txt. -->

Every command prints one JSON document with `--json`. Numbers read back exactly; what is no number (an order that cannot be
formed, an energy that the model does not have) is `null`. Members are only ever added in a new version, never renamed. Each document has
a schema beside this page, `NAME.schema.json`, that the tests check it against. `schema` prints the JSON schema of model files, with and
without `--json`.

Kinds: `whole` is a whole number, `real` any number, `flag` true or false, `reals` and `texts` are lists, `reals[3]` has three numbers, a
`matrix` is the list of its rows; a `list` has objects as items, a `map` has objects by name, and what is in them follows.
"""
SPARSE = {"rows": "whole", "columns": "whole", "row": "reals", "column": "reals", "value": "reals"}


class Member:
    def __init__(self, line):
        cells = re.split(r"  +", line.strip(), maxsplit=2)
        if len(cells) != 3:
            sys.exit(f"records.txt: name, kind and meaning are expected: {line}")
        self.name, self.optional = cells[0].rstrip("?"), cells[0].endswith("?")
        self.kind, _, self.unit = (cell.strip() for cell in cells[1].partition(","))
        self.text, self.members = cells[2], []


def read():
    """Sections: name -> (members, notes)."""
    sections, name = {}, None
    for line in (ROOT / "src/cli/records.txt").read_text().splitlines():
        if line.startswith("["):
            name = line.strip("[]")
            top = Member("  top  object  .")
            stack = [(0, top)]
            sections[name] = (top, [])
        elif name is None or "." in name or not line:
            continue
        elif line.startswith(" "):
            depth, member = len(line) - len(line.lstrip()), Member(line)
            while stack[-1][0] >= depth:
                stack.pop()
            stack[-1][1].members.append(member)
            stack.append((depth, member))
        else:
            sections[name][1].append(line)
    return {name: both for name, both in sections.items() if "." not in name and name != "end"}


def value(kind, members=()):
    """JSON schema of a kind."""
    null = kind.endswith(" or null")
    kind = kind.removesuffix(" or null")
    number = {"type": ["number", "null"]} if null else {"type": "number"}
    if kind.startswith("map of "):
        return {"type": "object", "additionalProperties": value(kind[7:] + (" or null" if null else ""))}
    if kind == "map":
        return {"type": "object", "additionalProperties": value("object", members)}
    if kind == "list":
        return {"type": "array", "items": value("object", members)}
    if kind == "object":
        return {"type": "object", "additionalProperties": False, "required": [m.name for m in members if not m.optional],
                "properties": {m.name: value(m.kind, m.members) for m in members}}
    if kind == "sparse":
        return {"type": "object", "additionalProperties": False, "required": list(SPARSE),
                "properties": {name: value(k) for name, k in SPARSE.items()}}
    if kind == "options":
        return {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "array"]}}
    if kind == "real or reals":
        return {"type": ["number", "array", "null"]}
    sized = re.fullmatch(r"reals(?:\[(\d+)\])?", kind)
    if sized:
        count = {"minItems": int(sized[1]), "maxItems": int(sized[1])} if sized[1] else {}
        return {"type": "array", "items": number, **count}
    if kind == "matrix":
        return {"type": "array", "items": value("reals")}
    if kind == "texts":
        return {"type": "array", "items": {"type": "string"}}
    return {"real": number, "text": {"type": "string"}, "whole": {"type": "integer"}, "flag": {"type": "boolean"}}[kind]


def rows(members, path=""):
    for m in members:
        name = f"{path}{m.name}"
        kind = m.kind + (f", {m.unit}" if m.unit else "") + ("; may be missing" if m.optional else "")
        yield f"| `{name}` | {kind} | {m.text} |"
        yield from rows(m.members, name + {"list": "[].", "map": ".NAME."}.get(m.kind, "."))


def main():
    files, page = {}, [HEAD]
    for name, (top, notes) in read().items():
        page += [f"## {name}\n", notes[0] + "\n", "| Member | Kind | Meaning |\n|---|---|---|", *rows(top.members), ""]
        page += [*notes[1:], ""] if len(notes) > 1 else []
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"dalembert {name} --json",
                  **value("object", top.members)}
        files[FORMAT / f"{name}.schema.json"] = json.dumps(schema, indent=2) + "\n"
    files[FORMAT / "json.md"] = "\n".join(page).rstrip() + "\n"
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not up to date: make docs")
        sys.exit(1 if stale else 0)
    for path in stale:
        path.write_text(files[path])


if __name__ == "__main__":
    main()

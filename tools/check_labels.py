#!/usr/bin/env python3
"""Labels of equations: every label such as (GA.3) that the code cites is defined in docs/theory, once.

A theory page defines a label at the end of the line of its equation, two blanks or more after it; or at the
beginning of a line in bold, **(GA.3)**, or in the first cell of a table. Anywhere else it is a citation.
"""
import collections
import pathlib
import re
import sys

LABEL = re.compile(r"\(([A-Z]{2}\.\d+)\)")
DEFINITION = re.compile(r"^\s*(?:[-*] )?(?:\*\*|\| *)\(([A-Z]{2}\.\d+)\)|\S\s{2,}\(([A-Z]{2}\.\d+)\)\s*$")


def definitions():
    """label -> places where a theory page defines it."""
    found = collections.defaultdict(list)
    for page in sorted(pathlib.Path("docs/theory").glob("*.md")):
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            for groups in DEFINITION.findall(line):
                found["".join(groups)].append(f"{page}:{number}")
    return found


def citations():
    """(label, place) for every label in the sources and in the documentation."""
    sources = [p for d in ("include", "src", "test", "bench", "examples") for p in pathlib.Path(d).rglob("*.[ch]")]
    pages = list(pathlib.Path("docs").rglob("*.md"))
    for path in sorted(sources + pages):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for label in LABEL.findall(line):
                yield label, f"{path}:{number}"


def main():
    """Report undefined labels and those defined twice; exit status 1 if there is any."""
    defined, wrong, cited = definitions(), 0, set()
    for label, place in citations():
        cited.add(label)
        if label not in defined:
            print(f"{place}: ({label}) is not defined in docs/theory")
            wrong += 1
    for label, places in sorted(defined.items()):
        if len(places) > 1:
            print(f"{places[1]}: ({label}) is defined before in {places[0]}")
            wrong += 1
    print(f"check_labels: {len(defined)} labels defined, {len(cited)} cited, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

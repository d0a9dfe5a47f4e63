#!/usr/bin/env python3
"""papers_tables.py CLAIMS.json: renew the tables of docs/papers from the output of `dalembert reproduce --json`.

A table stands between <!-- claims SOURCE [PREFIX ...] --> and <!-- end -->: the claims whose source starts with SOURCE and
whose id starts with one of the prefixes. SOURCE "differs" stands for all that differ.
"""
import json
import pathlib
import re
import sys

TABLE = re.compile(r"(<!-- claims (\S+)([^>]*?) -->\n).*?(<!-- end -->)", re.S)


def number(x):
    """A number with four digits; text as it is."""
    return x if isinstance(x, str) else f"{x:.4g}"


def text(x):
    """Text for a cell."""
    return x.replace("|", "\\|")


def wanted(claim, source, prefixes):
    """Does the claim belong into this table?"""
    right = claim["verdict"] == "differs" if source == "differs" else claim["source"].startswith(source)
    return right and (not prefixes or claim["id"].startswith(tuple(prefixes)))


def table(claims, source, prefixes):
    """The Markdown table."""
    rows = [f"| `{c['id']}` | {text(c['statement'])} | {number(c['expected'])} | {number(c['measured'])} | {c['verdict']} |"
            for c in claims if wanted(c, source, prefixes)]
    return "\n".join(["| Claim | | Printed | Measured | |", "|---|---|---|---|---|"] + rows) + "\n"


def main():
    """Rewrite the pages; complain about claims that no page shows."""
    claims = json.loads(pathlib.Path(sys.argv[1]).read_text())["claims"]
    shown = set()
    for page in sorted(pathlib.Path("docs/papers").glob("*.md")):
        def renew(match):
            source, prefixes = match[2], match[3].split()
            if source != "differs":
                shown.update(c["id"] for c in claims if wanted(c, source, prefixes))
            return match[1] + table(claims, source, prefixes) + match[4]
        page.write_text(TABLE.sub(renew, page.read_text()))
    missing = [c["id"] for c in claims if c["id"] not in shown]
    if missing:
        sys.exit("on no page: " + ", ".join(missing))


main()

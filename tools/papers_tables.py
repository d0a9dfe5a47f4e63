#!/usr/bin/env python3
"""papers_tables.py CLAIMS.json: renew the tables of docs/papers from the output of `dalembert reproduce --json`.

A table stands between <!-- claims SOURCE [PREFIX ...] --> and <!-- end -->: the claims whose source starts with SOURCE and
whose id starts with one of the prefixes. SOURCE "differs" stands for all that differ. Between <!-- items PAPER --> and
<!-- end --> stands the list of everything in a paper, from docs/papers/items.txt: where it is, the claims that measure it,
and their verdicts, or the tests that show it.

papers_tables.py --check CLAIMS.json: only see that items are numbered from 1 to ITEMS without a gap, that each has a claim or a test that
exists, and that the files it names do.
"""
import glob
import json
import pathlib
import re
import sys

TABLE = re.compile(r"(<!-- claims (\S+)([^>]*?) -->\n).*?(<!-- end -->)", re.S)
ITEMS = re.compile(r"(<!-- items (\S+) -->\n).*?(<!-- end -->)", re.S)
LIST = pathlib.Path("docs/papers/items.txt")
NUMBERED = 207  # items of the five papers; those with + come on top


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


def read_items():
    """(number, paper, item, where, references) of every line."""
    lines = [x for x in LIST.read_text().splitlines() if x and not x.startswith("#")]
    return [tuple(y.strip() for y in re.split(r"(?<!\\)\|", x)) for x in lines]


def named(claims, reference):
    """The claims a reference stands for."""
    if reference.endswith("*"):
        return [c for c in claims if c["id"].startswith(reference[:-1])]
    return [c for c in claims if c["id"] == reference]


def verdict_of(claims, references):
    """What became of the claims, and the names in the list that are no claims."""
    found, unknown = [], []
    for r in references:
        hits = named(claims, r)
        unknown += [] if hits else [r]
        found += [h for h in hits if h not in found]
    counts = {v: sum(c["verdict"] == v for c in found) for v in ("passed", "differs", "failed")}
    if sum(counts.values()) == 1:
        return next(v for v, n in counts.items() if n), unknown
    return ", ".join(f"{n} {v}" for v, n in counts.items() if n), unknown


def missing_test(reference):
    """What is wrong with test_file:function; None if it is there and run."""
    name, _, function = reference.partition(":")
    files = list(pathlib.Path("test").rglob(name + ".c"))
    if not files:
        return f"no test {name}"
    if f"cmocka_unit_test({function})" not in files[0].read_text():
        return f"no function {function} in {files[0]}"
    return None


def items(claims, paper):
    """The Markdown table of a paper, and what is wrong with its items."""
    rows, wrong = [], []
    for number_, _, item, where, what in (x for x in read_items() if x[1] == paper):
        references = [r.strip() for r in what.split(", ")]
        start = next((i for i, r in enumerate(references) if r.startswith("=")), len(references))
        remark = ", ".join(references[start:]).lstrip("= ")
        tests = [r for r in references[:start] if r.startswith("test_")]
        measured = [r for r in references[:start] if r not in tests]
        verdict, unknown = verdict_of(claims, measured)
        wrong += [f"{paper}, {item}: no claim {u}" for u in unknown]
        wrong += [f"{paper}, {item}: {w}" for w in map(missing_test, tests) if w]
        if not measured and not tests:
            wrong.append(f"{paper}, {item}: neither claim nor test")
        paths = re.findall(r"\b(?:src|test|models|docs|bench)/[\w./]*\w", where + " " + remark)
        wrong += [f"{paper}, {item}: no file {f}" for f in paths if not glob.glob(f + "*")]
        shown = ", ".join([f"`{r}`" for r in measured + tests] + [remark] * (remark != ""))
        verdict = ", ".join([verdict] * (verdict != "") + ["tested"] * (tests != []))
        rows.append(f"| {number_} | {item} | {'' if where == '=' else where} | {shown} | {verdict} |")
    return "\n".join(["| | Item | Where | Measured by | Verdict |", "|---|---|---|---|---|"] + rows) + "\n", wrong


def numbering():
    """Items are numbered without a gap; the others have a +."""
    numbers = [x[0] for x in read_items() if x[0] != "+"]
    return [] if numbers == [str(n + 1) for n in range(NUMBERED)] else [f"items are not numbered from 1 to {NUMBERED}"]


def main():
    """Rewrite the pages; complain about claims that no page shows and items that fit nothing."""
    check = sys.argv[1] == "--check"
    claims = json.loads(pathlib.Path(sys.argv[-1]).read_text())["claims"]
    for c in claims:
        c.setdefault("verdict", "")
    shown, wrong = set(), numbering()
    for page in sorted(pathlib.Path("docs/papers").glob("*.md")):
        def renew(match):
            source, prefixes = match[2], match[3].split()
            if source != "differs":
                shown.update(c["id"] for c in claims if wanted(c, source, prefixes))
            return match[1] + table(claims, source, prefixes) + match[4]

        def renew_items(match):
            rows, bad = items(claims, match[2])
            wrong.extend(bad)
            return match[1] + rows + match[3]

        new = ITEMS.sub(renew_items, TABLE.sub(renew, page.read_text()))
        if not check:
            page.write_text(new)
    wrong += ["on no page: " + c["id"] for c in claims if c["id"] not in shown]
    if wrong:
        sys.exit("\n".join(wrong))


main()

#!/usr/bin/env python3
"""The parts of the library and who sees whom, as docs/figures/layers.svg, from the table of tools/check_layers.py.

    tools/layers_figure.py           write the figure
    tools/layers_figure.py --check   exit status 1 if it is not up to date

A part stands above all parts it sees. Lines that follow from others are left out: sim sees lie, because it sees system.
"""
import pathlib
import sys

from check_layers import SEES

FIGURE = pathlib.Path(__file__).resolve().parent.parent / "docs/figures/layers.svg"
BOX, GAP, ROW, HIGH = 104, 26, 84, 32
OUTSIDE = {"svg", "reproduce", "fmu"}  # beside the library


def graph():
    """Part -> parts it needs directly, the tool on top."""
    sees = {part: set(names.split()) for part, names in SEES.items()}
    sees["cli"] = set(SEES)
    direct = {}
    for part, names in sees.items():
        below = set().union(*(sees[name] for name in names)) if names else set()
        direct[part] = sorted(names - below)
    return direct


def levels(direct):
    """Part -> its height: one more than the highest part below it."""
    height = {}

    def of(part):
        if part not in height:
            height[part] = 1 + max((of(name) for name in direct[part]), default=-1)
        return height[part]

    for part in direct:
        of(part)
    return height


def routes(direct, height):
    """Rows of boxes and of the passages (part, name, level) of lines that cross a row, and what each stands on."""
    rows = [[] for _ in range(max(height.values()) + 1)]
    stands_on = {part: [] for part in direct}
    for part in sorted(direct):
        rows[height[part]].append(part)
        for name in direct[part]:
            upper = part
            for level in range(height[part] - 1, height[name], -1):
                passage = (part, name, level)
                rows[level].append(passage)
                stands_on[upper].append(passage)
                stands_on[passage] = []
                upper = passage
            stands_on[upper].append(name)
    return rows, stands_on


def size(node):
    """Width of a box or a passage."""
    return 12 if isinstance(node, tuple) else BOX


def places(rows, stands_on):
    """Node -> (x, y) of its middle: in each row in the order of what the nodes stand on, then of what stands on them."""
    at = {}
    over = {node: [upper for upper, lower in stands_on.items() if node in lower] for node in stands_on}
    width = max(sum(size(node) + GAP for node in row) for row in rows) + GAP
    for sweep in range(9):
        near = over if sweep % 2 else stands_on
        for level, row in (reversed if sweep % 2 else list)(list(enumerate(rows))):
            def middle(node):
                xs = [at[other][0] for other in near[node] if other in at]
                return (sum(xs) / len(xs) if xs else at.get(node, (width / 2,))[0], str(node))

            row.sort(key=middle)
            x = (width - sum(size(node) + GAP for node in row) + GAP) / 2
            for node in row:
                at[node] = (x + size(node) / 2, (len(rows) - 1 - level) * ROW + GAP + HIGH / 2)
                x += size(node) + GAP
    return at, width, (len(rows) - 1) * ROW + HIGH + 2 * GAP


def line(points):
    """A smooth path downwards."""
    (x, y), text = points[0], f"M{points[0][0]:g} {points[0][1]:g}"
    for u, v in points[1:]:
        text += f"C{x:g} {(y + v) / 2:g} {u:g} {(y + v) / 2:g} {u:g} {v:g}"
        x, y = u, v
    return f'<path d="{text}" fill="none" stroke="#8a94a6" stroke-width="1.2"/>'


def draw():
    """The figure as text."""
    direct = graph()
    rows, stands_on = routes(direct, levels(direct))
    at, width, height = places(rows, stands_on)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
           f'height="{height:g}" font-family="sans-serif" font-size="14" text-anchor="middle">',
           f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>']
    for part in direct:
        for node in stands_on[part]:
            points = [(at[part][0], at[part][1] + HIGH / 2)]
            while isinstance(node, tuple):
                points += [(at[node][0], at[node][1] - HIGH / 2), (at[node][0], at[node][1] + HIGH / 2)]
                node = stands_on[node][0]
            out.append(line([*points, (at[node][0], at[node][1] - HIGH / 2)]))
    for part in direct:
        x, y = at[part]
        fill = "#fff3df" if part == "cli" or part in OUTSIDE else "#e6eefb"
        out.append(f'<rect x="{x - BOX / 2:g}" y="{y - HIGH / 2:g}" width="{BOX}" height="{HIGH}" rx="5" fill="{fill}" '
                   'stroke="#44546a"/>')
        out.append(f'<text x="{x:g}" y="{y + 5:g}" fill="#1d2733">{part}</text>')
    return "\n".join([*out, "</svg>", ""])


def main():
    """Write the figure or compare it."""
    text = draw()
    if "--check" not in sys.argv:
        FIGURE.write_text(text, encoding="utf-8")
        return 0
    if not FIGURE.exists() or FIGURE.read_text(encoding="utf-8") != text:
        print("docs/figures/layers.svg is not up to date: run tools/layers_figure.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What is conserved: the heavy top over many steps by several methods, energy and momentum about the vertical.

Usage: tools/plots/conserved.py TOOL [STEPS], from the root of the project. Writes docs/figures/conserved.svg and the table of
docs/user/conserved.md between its marks."""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

METHODS = [
    ("rattlie", 1e-3, "integrator=rattlie"),
    ("rattlie, order 4", 5e-3, "integrator=rattlie order=4"),
    ("Lobatto, 3 stages, symmetric", 5e-3, "integrator=lobatto stages=3 lambda=symmetric"),
    ("Lobatto, 3 stages, variational", 5e-3, "integrator=lobatto stages=3 lambda=variational"),
    ("Lobatto, 3 stages", 5e-3, "integrator=lobatto stages=3"),
    ("generalized-alpha, rho_inf = 1", 1e-3, "integrator=genalpha rho_inf=1"),
    ("generalized-alpha", 1e-3, "integrator=genalpha"),
    ("bdf2", 1e-3, "integrator=bdf"),
    ("rk8, fixed steps", 5e-3, "integrator=rk order=8 step=fixed"),
]
COLOURS = ["#0b6e4f", "#21a179", "#1f4e9c", "#00a6d6", "#6f9be0", "#b5651d", "#d99a4e", "#a4243b", "#6b6b6b"]
PARTS = 40  # of a run, each with its largest errors
J = (0.234375, 0.46875, 0.234375)  # of the top, 15 kg


def momentum(row):
    """Angular momentum about the vertical through the fixed point."""
    w, a, b, c = (row[f"top.quaternion.{k}"] for k in "wxyz")
    vertical = (2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b))
    turn = sum(v * j * row[f"top.angular_velocity.{k}"] for v, j, k in zip(vertical, J, "xyz"))
    return turn + 15 * (row["top.position.x"] * row["top.velocity.y"] - row["top.position.y"] * row["top.velocity.x"])


def measure(tool, h, options, steps):
    """Largest errors of energy and momentum in each part of a run."""
    with tempfile.TemporaryDirectory() as folder:
        command = [tool, "run", "heavy_top", "-q", "-t", repr(steps * h), "-s", f"h={h}", "--every", str(max(1, steps // 10000)),
                   "--tables", "outputs", "-o", folder + "/o"]
        for option in options.split():
            command += ["-s", option]
        subprocess.run(command, check=False, stderr=subprocess.DEVNULL)
        with open(folder + "/o/outputs.csv", encoding="utf-8") as file:
            rows = csv.reader(file)
            names = [name.split(" ")[0] for name in next(rows)]
            found = [(row["energy"], momentum(row)) for row in (dict(zip(names, map(float, r))) for r in rows)]
    n = len(found) // PARTS
    return [[max(abs(x[k] - found[0][k]) for x in found[i * n:(i + 1) * n]) for i in range(PARTS)] for k in range(2)]


def picture(results):
    """Two panels over the part of the run, decades upwards."""
    import math
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 440" font-family="sans-serif" font-size="12">']
    for k, (title, low, high) in enumerate((("|energy - initial| / J", -4, 3), ("|momentum about the vertical - initial| / (kg m^2/s)", -12, 2))):
        x0, y0, wide, tall = 60 + 430 * k, 30, 370, 280
        y = lambda e: y0 + tall * (high - math.log10(max(e, 10.0 ** low))) / (high - low)  # noqa: E731
        out.append(f'<text x="{x0}" y="{y0 - 10}">{title}</text><rect x="{x0}" y="{y0}" width="{wide}" height="{tall}" fill="none" stroke="#888"/>')
        for decade in range(low, high + 1, 1 if k == 0 else 2):
            out.append(f'<text x="{x0 - 6}" y="{y(10.0 ** decade) + 4:.0f}" text-anchor="end">1e{decade}</text>')
        for (name, _, _), colour, parts in zip(METHODS, COLOURS, results):
            points = " ".join(f"{x0 + wide * (i + 0.5) / PARTS:.1f},{y(e):.1f}" for i, e in enumerate(parts[k]))
            out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"><title>{name}</title></polyline>')
    for i, ((name, h, _), colour) in enumerate(zip(METHODS, COLOURS)):
        x, y1 = 60 + 220 * (i % 4), 350 + 24 * (i // 4)
        out.append(f'<line x1="{x}" y1="{y1}" x2="{x + 20}" y2="{y1}" stroke="{colour}" stroke-width="2"/><text x="{x + 25}" y="{y1 + 4}">{name}, h = {h:g}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    """Run, draw, renew the table."""
    tool, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000000
    results = [measure(tool, h, options, steps) for _, h, options in METHODS]
    pathlib.Path("docs/figures/conserved.svg").write_text(picture(results), encoding="utf-8")
    tenth = PARTS // 10
    lines = ["| method | h | energy: first tenth | last tenth | momentum: first tenth | last tenth |", "|---|---|---|---|---|---|"]
    for (name, h, _), parts in zip(METHODS, results):
        cells = [f"{max(p[:tenth]):.3g} | {max(p[-tenth:]):.3g}" for p in parts]
        lines.append(f"| {name} | {h:g} | " + " | ".join(cells) + " |")
    page = pathlib.Path("docs/user/conserved.md")
    text = re.sub(r"(<!-- conserved -->\n).*?(<!-- end -->)", lambda m: m[1] + f"{steps} steps:\n\n" + "\n".join(lines) + "\n" + m[2],
                  page.read_text(encoding="utf-8"), flags=re.S)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

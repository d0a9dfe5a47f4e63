"""Mutants: one arithmetic slip in one line of a numerical part."""
import pathlib
import random
import re

PARTS = ["lie", "linsol", "system", "newton", "projection", "init", "integrate", "mbs", "flex", "sim"]

# (what is looked for, what it becomes); looked for within code, not in comments, strings or preprocessor lines
SLIPS = [
    (r" \+ ", " - "), (r" - ", " + "), (r"(?<=[\w\])]) \* (?=[\w(])", " / "), (r" / ", " * "),
    (r" \+= ", " -= "), (r" -= ", " += "), (r" \+= ", " = "), (r" \*= ", " /= "),
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "),
    (r"\b0\.5\b", "0.25"), (r"\b2\.0\b", "3.0"), (r"\b1\.0\b", "0.9"), (r"\b0\.0\b", "1e-3"), (r"\b3\.0\b", "2.0"),
    (r"= -(?=[a-z(])", "= "), (r"\? ([^:?]+) : ([^;:?]+);", r"? \2 : \1;"),
]
COMMENT = re.compile(r'//.*|/\*.*?\*/|"(?:[^"\\]|\\.)*"')


class Mutant:
    def __init__(self, path, line, start, end, text):
        self.path, self.line, self.start, self.end, self.text = path, line, start, end, text

    def apply(self, root):
        path = root / self.path
        lines = path.read_text(encoding="utf-8").split("\n")
        old = lines[self.line]
        lines[self.line] = old[:self.start] + self.text + old[self.end:]
        path.write_text("\n".join(lines), encoding="utf-8")
        return old.strip(), lines[self.line].strip()


def code_lines(path):
    """(number, line) with comments and strings blanked out."""
    inside = False
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n")):
        if inside:
            inside = "*/" not in line
            continue
        bare = COMMENT.sub(lambda m: " " * len(m.group()), line)
        if "/*" in bare:
            inside, bare = True, bare[:bare.index("/*")]
        if bare.lstrip().startswith("#") or not bare.startswith(" "):
            continue
        yield number, bare


def all_mutants(root):
    for part in PARTS:
        for path in sorted((root / "src" / part).glob("*.[ch]")):
            for number, line in code_lines(path):
                if "for (" in line:
                    head = line.index("for (")
                    line = line[:head] + " " * (len(line) - head)
                if "dal_fail" in line or "snprintf" in line:
                    continue
                for pattern, text in SLIPS:
                    for m in re.finditer(pattern, line):
                        yield Mutant(path.relative_to(root), number, m.start(), m.end(), m.expand(text))


def draw(root, seed, count):
    """As many mutants from each part as its share of the code, in random order."""
    mutants = list(all_mutants(pathlib.Path(root)))
    random.Random(seed).shuffle(mutants)
    return mutants[:count]

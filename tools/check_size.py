#!/usr/bin/env python3
"""Sizes and tidiness that no compiler sees: files of at most 600 lines, no notes to self, no trailing blanks.

The length of functions is checked by clang-tidy (readability-function-size in .clang-tidy).
"""
import pathlib
import re
import sys

MAX_LINES = 600
NOTE = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
FOLDERS = ("include", "src", "python", "test", "bench", "examples", "tools")


def complaints(path):
    """(line, what) for each thing wrong with a file."""
    lines = path.read_text(encoding="utf-8").split("\n")
    if len(lines) - 1 > MAX_LINES:
        yield MAX_LINES + 1, f"{len(lines) - 1} lines, more than {MAX_LINES}"
    if lines[-1] != "":
        yield len(lines), "no newline at the end"
    for number, line in enumerate(lines, 1):
        if NOTE.search(line):
            yield number, "a note to self"
        if line != line.rstrip():
            yield number, "blanks at the end of the line"


def main():
    """Check the C sources; exit status 1 if there is any complaint."""
    wrong = files = 0
    for path in sorted(p for folder in FOLDERS for p in pathlib.Path(folder).rglob("*.[ch]")):
        files += 1
        for number, what in complaints(path):
            print(f"{path}:{number}: {what}")
            wrong += 1
    print(f"check_size: {files} files, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

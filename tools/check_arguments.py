#!/usr/bin/env python3
"""Order of arguments: what a function belongs to, what it writes, what it reads; `user` comes last.

A created object is written and comes first. The context, a system with its data, and the first argument are what a
function belongs to. Checked are the declarations of the public headers and of the headers inside the library, and that
they come in pairs: _create with _destroy, _init with _release.
"""
import pathlib
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
DECLARATION = re.compile(r"^[A-Za-z][\w \t]*?[\w\s*]+?\b(dal_\w+)\(([^;{}()]*)\)[^;{}()]*;", re.M)
OWNER = re.compile(r"^(const )?(dal_(ctx|system|data|model|option_table|sim|document)|io_loader) \*\w+$")


def writes(argument):
    """Whether the function writes through this argument."""
    if "*" not in argument and "[" not in argument:
        return False
    if not argument.startswith("const "):
        return not argument.startswith(("void *user", "void *self"))
    return argument.count("*") > 1 and "*const" not in argument


def misplaced(arguments):
    """The first argument written after one that is only read, or None."""
    read = False
    for number, argument in enumerate(arguments):
        if number == 0 or OWNER.match(argument) or argument == "size_t size":  # size: of the buffer before it
            continue
        if not writes(argument):
            read = True
        elif read:
            return argument
    return None


def mixed(names):
    """Pairs of names of which one says that the object is allocated and the other that it lives in place."""
    return [(name, other) for name in sorted(names) for end, wrong in (("_create", "_release"), ("_init", "_destroy"))
            for other in (name.removesuffix(end) + wrong,) if name.endswith(end) and other in names]


def main():
    """Report arguments out of order and mixed pairs; exit status 1 if there are any."""
    seen, wrong, names = 0, 0, set()
    for path in sorted([*pathlib.Path("include").rglob("*.h"), *pathlib.Path("src").rglob("*.h")]):
        if "kernel" in path.name:  # plain arrays with sizes and room; their first argument is the result
            continue
        for name, text in DECLARATION.findall(COMMENT.sub("", path.read_text(encoding="utf-8"))):
            arguments = [" ".join(a.split()) for a in text.split(",")]
            seen += 1
            names.add(name)
            late = misplaced(arguments)
            if late:
                wrong += 1
                print(f"{path}: {name}: '{late}' is written and comes after what is read")
    for name, other in mixed(names):
        wrong += 1
        print(f"{name}, but {other}")
    print(f"{seen} functions, {wrong} out of order")
    return 1 if wrong or seen == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

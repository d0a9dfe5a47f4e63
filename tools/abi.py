#!/usr/bin/env python3
"""The binary interface: what programs that were built with a release rely on. Compared by abidiff (package abigail-tools).

    tools/abi.py --write    keep that of the public headers in docs/abi/MAJOR.MINOR.abi.xz; when a minor version is released
    tools/abi.py --check    do the headers still offer what the last release did? exit status 1 if not
    tools/abi.py --test     would the check notice changes?

The interface is that of a library with the functions of the headers and nothing in them; that ours has the same functions is looked at by
tools/check_symbols.py. Something new is no change, nor are new members behind the end (with its padding) of a struct whose size programs tell
(include/dalembert/sizes.h). A function that is gone or has other arguments, a struct with other members,
an enumerator with another value is one: it takes a new minor version (before 1.0; then a new major one), which has a soname of its own.
"""
import lzma
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
RECORDS = ROOT / "docs/abi"


def version(include=INCLUDE):
    text = (include / "dalembert/base.h").read_text(encoding="utf-8")
    return tuple(int(re.search(rf"DAL_VERSION_{part} (\d+)", text)[1]) for part in ("MAJOR", "MINOR"))


def hollow(headers):
    """Functions that the texts of these headers declare, with bodies in which nothing happens."""
    for text in headers:
        text = re.sub(r"\\\n", " ", re.sub(r"/\*.*?\*/", " ", text, flags=re.S))
        for function in re.finditer(r"DAL_API\s+([^;#]*?\bdal_\w+\([^;]*\))[^;)]*;", text):
            yield re.sub(r"DAL_(NODISCARD|PRINTF\(.*?\))", "", function[1]) + " { for (;;) {} }"


def interface(include):
    """What abidw writes about the headers of this folder."""
    headers = sorted((include / "dalembert").glob("*.h"))
    source = [f"#include <dalembert/{path.name}>" for path in headers]
    source += hollow(path.read_text(encoding="utf-8") for path in headers)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "abi.c").write_text("\n".join(source) + "\n", encoding="utf-8")
        subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-w", "-g", "-fno-eliminate-unused-debug-types", "-O0", "-shared", "-fPIC", f"-I{include}",
                        "-o", "libdalembert.so", "abi.c"], cwd=folder, check=True)
        said = subprocess.run(["abidw", "--load-all-types", "--headers-dir", str(include), "--drop-private-types", "--no-corpus-path",
                               "--no-comp-dir-path", "--no-show-locs", "libdalembert.so"], cwd=folder, check=True, capture_output=True)
    return said.stdout


def growing(include=INCLUDE):
    """Structs whose sizes are handed over by what the headers define."""
    return set(re.findall(r"\bsizeof\((dal_\w+)\)", "".join(path.read_text(encoding="utf-8") for path in (include / "dalembert").glob("*.h"))))


def cut(promised, offered, names):
    """The offered interface with these structs as long as they were: without members that begin behind their old end."""
    old = {x.get("name"): int(x.get("size-in-bits", 0)) for x in xml.fromstring(promised).iter("class-decl") if x.get("name") in names}
    tree = xml.fromstring(offered)
    for struct in tree.iter("class-decl"):
        size = old.get(struct.get("name"), 0)
        if 0 < size < int(struct.get("size-in-bits", 0)):
            for member in struct.findall("data-member"):
                if int(member.get("layout-offset-in-bits", 0)) >= size:
                    struct.remove(member)
            struct.set("size-in-bits", str(size))
    return xml.tostring(tree)


def broken(promised, offered, names=()):
    """What abidiff says about changes other than something new and new members of the named structs; "" if there is none."""
    offered = cut(promised, offered, names)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("promised.abi", promised), ("offered.abi", offered)):
            (pathlib.Path(folder) / name).write_bytes(text)
        said = subprocess.run(["abidiff", "--no-added-syms", "--non-reachable-types", "promised.abi", "offered.abi"], cwd=folder,
                              capture_output=True, text=True, check=False)
    if said.returncode & 3:  # a usage error
        sys.exit(f"abi: abidiff failed: {said.stderr}{said.stdout}")
    found = said.stdout if said.returncode else ""
    # new types are no change
    return found if re.search(r"[1-9]\d* (Removed|Changed|removed|changed)", found) else ""


def last_record():
    """Version and file of the last release."""
    records = [(tuple(map(int, path.name.split(".")[:2])), path) for path in RECORDS.glob("*.abi.xz")]
    return max(records)


def check():
    (major, minor), path = last_record()
    now = version()
    said = broken(lzma.decompress(path.read_bytes()), interface(INCLUDE), growing())
    if now == (major, minor):
        print(said, end="")
        print(f"abi: programs built with {major}.{minor} " + ("would break" if said else "run with this"))
        return 1 if said else 0
    if now < (major, minor):
        print(f"abi: {path.name} is of a later version")
        return 1
    print(said.partition("\n\n")[0])
    print(f"abi: {now[0]}.{now[1]} may differ from the last release, {major}.{minor}: it has another soname")
    return 0


HEADER = """
#define DAL_API
typedef struct dal_thing { int n; double x; } dal_thing;
enum dal_kind { DAL_ONE = 1, DAL_TWO = 2 };
enum { DAL_SIX = 6, DAL_SEVEN = 7 };
DAL_API int dal_measure(const dal_thing *thing, double *x);
DAL_API void dal_forget(void);
"""


def test():
    """Changes of each kind, and none."""
    def of(text):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "dalembert").mkdir()
            (pathlib.Path(folder) / "dalembert/small.h").write_text(text, encoding="utf-8")
            return interface(pathlib.Path(folder))

    before = of(HEADER)
    for old, new in (("double x; }", "double x, y; }"), ("int n; double x", "double x; int n"), ("DAL_TWO = 2", "DAL_TWO = 3"), ("DAL_SIX = 6", "DAL_SIX = 5"),
                     ("double *x)", "float *x)"), ("DAL_API void dal_forget(void);", "")):
        assert old in HEADER and broken(before, of(HEADER.replace(old, new))), old
    assert not broken(before, before)
    assert not broken(before, of("enum { DAL_ZERO };\n" + HEADER.replace("DAL_TWO = 2", "DAL_TWO = 2, DAL_THREE")))
    assert not broken(before, of(HEADER + "typedef struct dal_more { int i; } dal_more;\nDAL_API int dal_new(const dal_more *more);\n"))
    # a struct may grow behind its end, not into its padding, if its size is told
    for old, new, fine in (("double x; }", "double x, y; }", True), ("double x; }", "double x; const char *s; int k; }", True),
                           ("int n; double x", "double x; int n", False), ("double x; }", "float x; int k; double y; }", False)):
        assert fine == (not broken(before, of(HEADER.replace(old, new)), {"dal_thing"})), new
    short = HEADER.replace("int n; double x", "double x; int n")
    assert broken(of(short), of(short.replace("int n; }", "int n; int k; }")), {"dal_thing"})
    assert "dal_body" in growing() and "dal_options" in growing() and "dal_point" not in growing()
    functions = interface(INCLUDE).count(b"<function-decl name='dal_")
    assert functions > 400, functions
    print(f"abi: {functions} functions; a struct, an enumerator, an argument and a function that change are noticed")
    return 0


def main():
    if sys.argv[1:] == ["--check"]:
        return check()
    if sys.argv[1:] == ["--test"]:
        return test()
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    RECORDS.mkdir(exist_ok=True)
    (RECORDS / "{}.{}.abi.xz".format(*version())).write_bytes(lzma.compress(interface(INCLUDE), preset=9))
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""check_symbols.py BUILD: what our programs and libraries give to the linker cannot replace a function of a library they use.

A program that defines json_real has its own one called wherever a library linked to it means that of jansson. So no
external name of the objects of the tool, of the static library and of what else is linked into the tool may be one that a
shared library of the tool has. Of the two static libraries, that of the tool and the tests (libdalembert_internal.a) has
names with our prefixes only, and the one that is installed (libdalembert.a) exactly those of the public headers. The shared libraries use
no function or variable by which they would change something for the whole process, and have no data that can be written. The core
(libdalembert-core) has the names of its headers (core.h), and needs libc and libm alone.
"""
import pathlib
import re
import subprocess
import sys

PREFIXES = ("dal_", "mb_", "beam_", "fem_", "gen_", "im_")  # of the static library of the tool and the tests
OWN = {"main"}
COMPILER = {"completed.0", "__dso_handle", "__TMC_END__", "__cpu_model", "__cpu_features2"}
SANITIZER = "__odr_asan."  # the address sanitizer adds one for each global
THUNK = "__x86.get_pc_thunk."  # addresses in 32 bits
LOADER = re.compile(r"lib(c|m|asan|ubsan|tsan)\.so|ld-linux")  # sanitizers come with their builds only
# allocators and threads of other libraries, and what libc keeps for the process
SETTERS = re.compile(r"SuiteSparse_|\w*set_num_threads|\w*set_dynamic$|json_set_alloc_funcs|json_object_seed|mallopt|setlocale|uselocale|"
                     r"(set|put|unset|clear)env|signal$|sigaction|sigprocmask|s?rand$|srand48|umask|f?chdir|atexit|at_quick_exit|fesetround|"
                     r"fesetenv|fedisableexcept|feenableexcept|tzset|setrlimit")


def names(path, *flags):
    """Defined external symbols."""
    text = subprocess.run(["nm", "--defined-only", "-g", *flags, str(path)], capture_output=True, text=True, check=True)
    return {line.split()[2].split("@")[0] for line in text.stdout.splitlines() if len(line.split()) == 3}


def used(path):
    """External symbols that it expects from others."""
    text = subprocess.run(["nm", "-D", "--undefined-only", str(path)], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in text.stdout.splitlines()}


def needed(path):
    """Libraries that the loader brings along, as the file names them."""
    text = subprocess.run(["readelf", "-dW", str(path)], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", text))


def writable(path):
    """Data that stays writable after loading, but for what the compiler's start-up code has."""
    text = subprocess.run(["nm", "--format=sysv", str(path)], capture_output=True, text=True, check=True).stdout
    fields = [[x.strip() for x in line.split("|")] for line in text.splitlines() if line.count("|") == 6]
    found = {x[0] for x in fields if x[6] in (".data", ".bss", ".tdata", ".tbss") and x[3] == "OBJECT"} - COMPILER
    return {name for name in found if not name.startswith(SANITIZER)}


def shared_libraries(tool):
    text = subprocess.run(["ldd", str(tool)], capture_output=True, text=True, check=True).stdout
    return re.findall(r"=> (/\S+)", text)


def public_names(umbrella="dalembert.h"):
    """What the public headers that this one includes declare with DAL_API."""
    found = set()
    folder = pathlib.Path(__file__).parent.parent / "include"
    for header in re.findall(r'#include "(.*)"', (folder / "dalembert" / umbrella).read_text()):
        path = folder / header
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        found |= set(re.findall(r"DAL_API\s[^;(#]*?\b(dal_\w+)\(", text))
    return found


def main():
    build = pathlib.Path(sys.argv[1])
    tool = build / "bin" / "dalembert"
    library, installed = build / "libdalembert_internal.a", build / "libdalembert.a"
    objects = [p for part in ("cli", "reproduce") for p in (build / "src" / part).rglob("*.o")]
    if not objects:
        sys.exit("check_symbols: no objects of the tool below " + str(build))
    foreign = {}
    for path in shared_libraries(tool):
        for name in names(path, "-D"):
            foreign.setdefault(name, path)
    bad = []
    public = public_names()
    bad += [f"{installed}: {name} is not declared in a public header" for name in sorted(names(installed) - public)]
    bad += [f"{installed}: {name} is declared in a public header and missing" for name in sorted(public - names(installed))]
    shared, core = build / "libdalembert.so", build / "libdalembert-core.so"
    for path in (shared, core):
        bad += [f"{path}: {name} changes something for the whole process" for name in sorted(filter(SETTERS.match, used(path)))]
        bad += [f"{path}: {name} can be written" for name in sorted(writable(path))]
    inside = public_names("core.h")
    for path, flags in ((core, ["-D"]), (build / "libdalembert-core.a", [])):
        bad += [f"{path}: {name} is either not in core.h or missing" for name in sorted(names(path, *flags) ^ inside)]
    bad += [f"{core}: needs {name}" for name in sorted(needed(core)) if not LOADER.match(name)]
    for path in [library, *objects]:
        for name in sorted(names(path) - OWN):
            if name in foreign:
                bad.append(f"{path}: {name} replaces that of {foreign[name]}")
            elif path == library and not name.startswith((*PREFIXES, SANITIZER, THUNK)):
                bad.append(f"{path}: {name} has no prefix of the library ({', '.join(PREFIXES)})")
    print("\n".join(bad) if bad else f"symbols: {len(foreign)} of other libraries, none replaced")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Who may include whom. Reads every #include of the C sources and reports those against the rules below.

A part may include libc, its own headers, and the public and internal headers of the parts it sees. Headers
called *_impl.h are private to their part. Programs (src/cli, examples, bench, tools) see public headers only; the tests
of part X see what X sees, X itself with its private headers, and the helpers of the tests.
"""
import pathlib
import re
import sys

# part: the parts it sees
SEES = {
    "base": "",
    "lie": "base",
    "linsol": "base",
    "eigen": "base linsol",  # eigenvalues of general matrices, by LAPACK
    "system": "base lie",
    "fmu": "base lie system integrate mbs sim io import generate sweep",  # functional mock-up units: for the tool, and the binary in them
    "svg": "base",  # pictures: for the tool, the claims and the figures of the manual
    "reproduce": "base lie linsol system linearize integrate mbs sim io svg",  # published claims: for the tool and its tests
    "linearize": "base lie linsol system",
    "newton": "base linsol",
    "contact": "base linsol",
    "projection": "base lie system linsol linearize newton",
    "static": "base lie system linsol linearize newton projection",
    "init": "base lie system linsol linearize newton projection",
    "integrate": "base lie system linsol linearize newton projection init",
    "shape": "base lie",
    "import": "base lie shape",  # descriptions of robots as model files
    "beam": "base lie",  # kernels of beam elements
    "mbs": "base lie system shape beam",
    "flex": "base lie system linsol mbs",  # makes data for flexible bodies
    "sim": "base lie system linsol linearize newton contact projection static init integrate",
    "analysis": "base lie system linsol eigen linearize newton projection static init integrate mbs sim",
    "io": "base lie system projection integrate shape import mbs flex sim",
    "sweep": "base lie system integrate mbs sim io generate",
    "page": "base lie system shape mbs io",
    "gradient": "base lie system linsol linearize projection init integrate mbs sim io sweep",  # derivatives of whole runs
    "search": "base lie system integrate mbs sim io sweep gradient",  # parameters that fit data, or are best
    "generate": "base lie system projection integrate mbs sim io",
}
# The generator prints the schedule of a compiled model: it reads what the elements were compiled to.
# Gradients are taken of what sweeps collect. The binary of a unit has stand-ins for functions of io that need other libraries.
PRIVY = {"generate": {"mbs/mbs_impl.h", "mbs/beam_impl.h", "mbs/event_impl.h", "mbs/flex_impl.h", "mbs/output_impl.h"}, "gradient": {"sweep/sweep_impl.h"},
         "fmu": {"io/io_impl.h"},
         "search": {"sweep/sweep_impl.h"}}
# public headers that are not named after their part
PUBLIC = {"contacts": "mbs", "members": "sweep", "driven": "analysis", "reduce": "projection", "assemble": "projection", "results": "io", "record": "io",
          "elements": "mbs", "events": "mbs", "flexible": "mbs", "fem": "flex", "modes": "analysis", "linear": "analysis"}
# libraries of others: header -> the only places that may include it
FOREIGN = {
    "pthread.h": ["test/models", "src/sweep", "src/cli", "bench"],
    "immintrin.h": ["src/linsol"],
    "io.h": ["src/base"],  # of Windows
    "cmocka.h": ["test"],
    "mpi.h": ["src/cli"],
    "nlopt.h": ["src/search"],
    "jansson.h": ["test"],
    "expat.h": ["src/import"],
    "hdf5.h": ["src/io", "src/sweep", "test/io", "test/fuzz", "test/sweep"],
    # files, processes and signals
    **dict.fromkeys(
        ["unistd.h", "fcntl.h", "sys/file.h", "sys/stat.h", "sys/types.h", "sys/wait.h", "sys/mman.h", "sys/resource.h", "dirent.h",
         "sys/syscall.h", "dlfcn.h", "poll.h", "spawn.h"],
        ["src/base", "src/import", "src/io", "src/sweep", "src/search", "src/cli", "src/svg", "src/reproduce", "test/api", "test/io", "test/models", "test/results", "test/page", "test/cli", "test/generate", "test/sweep", "test/fmu", "test/gradient",
         "bench"],
    ),
}
LIBC = set("""assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign
    stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar
    wctype""".split())
PROGRAMS = ("examples", "bench", "tools")  # see public headers only
TEST_HELPERS = ("support", "problems")  # folders of test/ that every test may include
UMBRELLA = "dalembert/dalembert.h"  # for users and programs, never for a part

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^">]+)[">]')


def sees(part):
    """The part itself and what it sees."""
    return {part, *SEES[part].split()}


def part_of(name):
    """The part a quoted header belongs to and whether it is public; (None, False) if it is none of ours."""
    folder, _, rest = name.partition("/")
    if folder == "dalembert":
        header = rest.removesuffix(".h")
        return PUBLIC.get(header, header), True
    return (folder, False) if folder in SEES else (None, False)


def judge_foreign(path, name):
    """A header in angle brackets."""
    if name in FOREIGN:
        allowed = FOREIGN[name]
        if not any(path.as_posix().startswith(place + "/") for place in allowed):
            return f"<{name}> only in {', '.join(allowed)}"
    elif name.removesuffix(".h") not in LIBC:
        return f"<{name}> is neither libc nor in the list of foreign headers"
    return None


def judge_public(path, name):
    """A public header includes public headers of lower parts only."""
    part, public = part_of(name)
    own = PUBLIC.get(path.stem, path.stem)
    if not public:
        return "public headers include public headers only"
    if name != UMBRELLA and own != "dalembert" and part in SEES and own in SEES and part not in sees(own):
        return f"{own} does not see {part}"
    return None


def judge_part(path, name):
    """A file of src/<part>."""
    own = path.parts[1]
    part, _ = part_of(name)
    if name == UMBRELLA:
        return "parts name the header they need, not the umbrella"
    if part not in SEES:
        return f"\"{name}\" is the header of no part"
    if part not in sees(own):
        return f"{own} does not see {part}"
    if name.endswith("_impl.h") and part != own and name not in PRIVY.get(own, ()):
        return f"{name} is private to {part}"
    return None


def judge_test(path, name):
    """A file of test/<part>: the part with its private headers, what it sees, any public header, helpers."""
    own = path.parts[1]
    part, public = part_of(name)
    folder = name.split("/")[0]
    beside = (path.parent / name).exists() or folder == own and (pathlib.Path("test") / name).exists()
    if public or folder in TEST_HELPERS or beside:
        return None
    if part is None:
        return f"\"{name}\" is the header of no part"
    if own in SEES and part not in sees(own):
        return f"tests of {own} do not see the inside of {part}"
    if name.endswith("_impl.h") and part != own:
        return f"{name} is private to {part}"
    return None


def judge_program(path, name):
    """A file of src/cli, examples, bench or tools: public headers, and headers beside it; benchmarks run the test problems."""
    _, public = part_of(name)
    problems = path.parts[0] in ("bench", "tools") and name.startswith(("problems/", "svg/svg.h"))
    cli = path.parts[:2] == ("src", "cli") and name.startswith(("cli/", "reproduce/reproduce.h", "svg/svg.h", "fmu/fmu.h"))
    generated = path.parts[0] == "examples" and name.endswith(".c")  # programs that the tool prints
    if public or problems or cli or generated or (path.parent / name).exists():
        return None
    return f"{path.parts[0]} sees public headers only"


def judge(path, bracket, name):
    """None, or the rule that this include breaks."""
    if bracket == "<" and not name.startswith("dalembert/"):
        return judge_foreign(path, name)
    top = path.parts[0]
    if top == "include":
        return judge_public(path, name)
    if path.parts[:2] == ("src", "cli"):
        return judge_program(path, name)
    if top == "src":
        return judge_part(path, name)
    if path.parts[:2] == ("test", "consumer"):
        return judge_program(path, name)
    if top == "test":
        return judge_test(path, name)
    return judge_program(path, name)


def main():
    """Check all sources below the current repository; exit status 1 if a rule is broken."""
    broken = files = 0
    folders = ("include", "src", "test", *PROGRAMS)
    for path in sorted(p for folder in folders for p in pathlib.Path(folder).rglob("*.[ch]")):
        files += 1
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            rule = judge(path, *match.groups()) if match else None
            if rule:
                print(f"{path}:{number}: {rule}")
                broken += 1
    print(f"check_layers: {files} files, {broken} includes against the rules")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The synopsis of docs/man/dalembert.1, written from the help of every command, which comes from the tables of its flags.

    tools/man_synopsis.py TOOL           write it
    tools/man_synopsis.py TOOL --check   exit status 1 if it is not up to date
"""
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/man/dalembert.1"
WIDTH = 100


def ask(*arguments):
    return subprocess.run([sys.argv[1], *arguments], check=True, capture_output=True, text=True).stdout


def plain(text):
    return text.replace("\\", "\\\\").replace("-", "\\-")


def value(text):
    """NAME is to be replaced, a word in small letters stands for itself."""
    return re.sub(r"[A-Za-z][\w.]*", lambda m: f"\\f{'I' if m[0][0].isupper() else 'B'}{m[0]}\\fR", plain(text))


def flags(text):
    """[--output PATH] [--json] ..., from the lines below "Options:"."""
    for line in text.split("Options:\n")[1].split("\n\n")[0].splitlines():
        name, takes = re.match(r"  (?:-\w, )?(--[\w-]+)(?: (\S+))?", line).groups()
        if name != "--help":
            yield f"[\\fB{plain(name)}\\fR" + (f" {value(takes)}" if takes else "") + "]"


def synopsis():
    commands = re.findall(r"^  (\w+) ", ask("--help").split("Commands:\n")[1].split("\n\n")[0], re.M)
    for command in commands:
        text = ask(command, "--help")
        arguments = re.match(rf"usage: dalembert {command}(.*)\n", text)[1].replace(" [options]", "").strip()
        lines = [value(arguments)] if arguments else [""]
        for flag in flags(text):
            long = len(re.sub(r"\\f.", "", lines[-1] + flag)) > WIDTH
            lines += [flag] if long else []
            lines[-1] = lines[-1] if long else f"{lines[-1]} {flag}".strip()
        yield "\n".join([f".B dalembert {command}", *(line for line in lines if line), ".br\n"])
    yield ".B dalembert \\-\\-version\n|\n.B \\-\\-help\n"


def main():
    old = PAGE.read_text()
    new = re.sub(r"(\.SH SYNOPSIS\n).*?(?=\.SH )", lambda m: m[1] + "".join(synopsis()), old, flags=re.S)
    if "--check" in sys.argv:
        if new != old:
            print("the synopsis of docs/man/dalembert.1 is not up to date: make docs")
        sys.exit(new != old)
    PAGE.write_text(new)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Becomes h2o, set up for one measurement: run.py FOLDER PORT THREADS.

The configuration lies in memory and the served files in FOLDER, made by files.py beforehand, so
that nothing is left behind. Must not stay beside the server: its time and memory would be counted.
"""

import os
import pwd
import resource
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = ("/usr/bin/h2o", "/usr/local/bin/h2o")


def user_line():
    """Started by root it becomes another user, who may not read FOLDER."""
    return f"user: {pwd.getpwuid(0).pw_name}" if os.geteuid() == 0 else ""


def configuration(folder, port, threads):
    """The template with its places filled in."""
    text = (HERE / "h2o.conf.template").read_text()
    values = {"user_line": user_line(), "folder": folder, "port": port, "threads": threads}
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    return text


def in_memory(text):
    """A path at which the program that this process becomes reads the text."""
    file = os.memfd_create("h2o.conf", 0)
    os.write(file, text.encode())
    os.lseek(file, 0, os.SEEK_SET)
    return f"/proc/self/fd/{file}"


def main():
    """Status 2 for a wrong call, 1 when h2o is not there; else h2o itself."""
    if len(sys.argv) != 4 or not all(text.isdigit() for text in sys.argv[2:]):
        print("usage: run.py FOLDER PORT THREADS", file=sys.stderr)
        return 2
    program = next((path for path in PROGRAMS if os.access(path, os.X_OK)), None)
    if program is None:
        print("h2o is not installed: apt-get install h2o", file=sys.stderr)
        return 1
    folder, port, threads = Path(sys.argv[1]).resolve(), int(sys.argv[2]), int(sys.argv[3])
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    path = in_memory(configuration(folder, port, threads))
    os.execv(program, [program, "-m", "worker", "-c", path])


if __name__ == "__main__":
    sys.exit(main())

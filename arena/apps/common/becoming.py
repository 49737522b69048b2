"""For peers that are started with a configuration file: becomes the server, set up by a template.

The configuration lies in memory, so that nothing is left behind. Must not stay beside the server:
its time and memory would be counted.
"""

import os
import resource
import sys
from pathlib import Path


def filled(template, values):
    """The template's text with each {name} in its place."""
    text = template.read_text()
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    return text


def in_memory(name, text):
    """A path at which the program that this process becomes reads the text."""
    file = os.memfd_create(name, 0)
    os.write(file, text.encode())
    os.lseek(file, 0, os.SEEK_SET)
    return f"/proc/self/fd/{file}"


def become(template, programs, package, user_line, arguments):
    """Called as FOLDER PORT THREADS. Status 2 for a wrong call, 1 when no program is there.

    package    the Debian package to name when none of `programs` is there
    user_line  the configuration's line that keeps the user, who may read FOLDER
    arguments  of the folder and the configuration's path: the program's words
    """
    if len(sys.argv) != 4 or not all(text.isdigit() for text in sys.argv[2:]):
        print("usage: run.py FOLDER PORT THREADS", file=sys.stderr)
        return 2
    program = next((path for path in programs if os.access(path, os.X_OK)), None)
    if program is None:
        print(f"{Path(programs[0]).name} is not installed: apt-get install {package}",
              file=sys.stderr)
        return 1
    folder, port, threads = Path(sys.argv[1]).resolve(), int(sys.argv[2]), int(sys.argv[3])
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    values = {"user_line": user_line, "folder": folder, "port": port, "threads": threads}
    path = in_memory(template.stem, filled(template, values))
    return os.execv(program, [program, *arguments(folder, path)])

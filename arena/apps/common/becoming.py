"""For peers that are started with a configuration file: replaces this process by the server.

The configuration is filled from a template and stays in memory, so no file remains. Must not keep
running next to the server: its time and memory would be counted.
"""

import os
import resource
import sys
from pathlib import Path


def filled(template, values):
    """Returns the template's text with each {name} replaced."""
    text = template.read_text()
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    return text


def in_memory(name, text):
    """Returns a path where the program that replaces this process reads the text."""
    file = os.memfd_create(name, 0)
    os.write(file, text.encode())
    os.lseek(file, 0, os.SEEK_SET)
    return f"/proc/self/fd/{file}"


def become(template, programs, package, user_line, arguments):
    """Called as FOLDER PORT THREADS. Returns 2 after an invalid call, 1 if the program is missing.

    package    Debian package to name if none of `programs` is installed
    user_line  line of the configuration that keeps the user, who has access to FOLDER
    arguments  function of the folder and the configuration's path: the program's arguments
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

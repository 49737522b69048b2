#!/usr/bin/env python3
"""Becomes h2o, set up for one measurement: run.py FOLDER PORT THREADS.

The served files lie in FOLDER, made by files.py beforehand.
"""

import os
import pwd
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
# pylint: disable=wrong-import-position
from becoming import become

PROGRAMS = ("/usr/bin/h2o", "/usr/local/bin/h2o")


def user_line():
    """Started by root it becomes another user, who may not read FOLDER."""
    return f"user: {pwd.getpwuid(0).pw_name}" if os.geteuid() == 0 else ""


def arguments(_folder, path):
    """The words behind the program's name."""
    return ["-m", "worker", "-c", path]


if __name__ == "__main__":
    sys.exit(become(HERE / "h2o.conf.template", PROGRAMS, "h2o", user_line(), arguments))

#!/usr/bin/env python3
"""Becomes nginx, set up for one measurement: run.py FOLDER PORT THREADS.

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

PROGRAMS = ("/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx")


def user_line():
    """Workers of a master that runs as root would be another user, who may not read FOLDER."""
    return f"user {pwd.getpwuid(0).pw_name};" if os.geteuid() == 0 else ""


def arguments(folder, path):
    """The words behind the program's name."""
    return ["-p", f"{folder}/", "-e", "stderr", "-c", path]


if __name__ == "__main__":
    sys.exit(become(HERE / "nginx.conf.template", PROGRAMS, "nginx-light", user_line(), arguments))

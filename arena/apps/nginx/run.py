#!/usr/bin/env python3
"""Becomes nginx, set up for one measurement: run.py FOLDER PORT THREADS.

The served files lie in FOLDER, made by files.py beforehand; those at /files/ where FILES_DIR of
the environment says.
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


def lead_to_files():
    """FOLDER/files leads to the directory of /files/."""
    directory = os.environ.get("FILES_DIR")
    if directory and len(sys.argv) > 1:
        link = Path(sys.argv[1]) / "files"
        link.unlink(missing_ok=True)
        link.symlink_to(directory)


if __name__ == "__main__":
    lead_to_files()
    sys.exit(become(HERE / "nginx.conf.template", PROGRAMS, "nginx-light", user_line(), arguments))

#!/usr/bin/env python3
"""Becomes h2o, set up for one measurement: run.py FOLDER PORT THREADS.

The served files lie in FOLDER, made by files.py beforehand. What else is served, the environment
says: the directory of /files/ in FILES_DIR; TLS on TLS_PORT with TLS_CERT and TLS_KEY;
/proxy passed on to UPSTREAM.
"""

import os
import pwd
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
# pylint: disable=wrong-import-position
from becoming import become, filled, in_memory

PROGRAMS = ("/usr/bin/h2o", "/usr/local/bin/h2o")
SEALED = """listen:
  host: 0.0.0.0
  port: {port}
  ssl:
    certificate-file: {cert}
    key-file: {key}"""
PROXIED = """      /proxy:
        proxy.reverse.url: http://{place}/"""


def user_line():
    """Started by root it becomes another user, who may not read FOLDER."""
    return f"user: {pwd.getpwuid(0).pw_name}" if os.geteuid() == 0 else ""


def arguments(_folder, path):
    """The words behind the program's name."""
    return ["-m", "worker", "-c", path]


def lead_to_files():
    """FOLDER/files leads to the directory of /files/."""
    directory = os.environ.get("FILES_DIR")
    if directory and len(sys.argv) > 1:
        link = Path(sys.argv[1]) / "files"
        link.unlink(missing_ok=True)
        link.symlink_to(directory)


def template():
    """The configuration's template, with what the environment asks for."""
    sealed = ""
    if "TLS_PORT" in os.environ:
        sealed = SEALED.format(port=os.environ["TLS_PORT"], cert=os.environ["TLS_CERT"],
                               key=os.environ["TLS_KEY"])
    place = os.environ.get("UPSTREAM")
    return Path(in_memory("h2o", filled(HERE / "h2o.conf.template", {
        "sealed": sealed, "proxied": PROXIED.format(place=place) if place else ""})))


if __name__ == "__main__":
    lead_to_files()
    sys.exit(become(template(), PROGRAMS, "h2o", user_line(), arguments))

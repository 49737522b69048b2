#!/usr/bin/env python3
"""Becomes h2o, configured for one measurement: run.py FOLDER PORT THREADS.

The served files are in FOLDER, which files.py makes first. Environment variables add more: the
directory of /files/ in FILES_DIR; TLS on TLS_PORT with TLS_CERT and TLS_KEY; a proxy from /proxy to
UPSTREAM; another limit in CONNECTIONS; with ECHO=1, /echo.
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
# The only handlers of this server are of mruby.
ECHOING = """      /echo:
        mruby.handler: |
          Proc.new do |env|
            [200, {"content-type" => "application/octet-stream"}, [env["rack.input"].read]]
          end"""


def user_line():
    """h2o that root starts would become another user, who has no access to FOLDER."""
    return f"user: {pwd.getpwuid(0).pw_name}" if os.geteuid() == 0 else ""


def arguments(_folder, path):
    """Returns the program's arguments."""
    return ["-m", "worker", "-c", path]


def lead_to_files():
    """FOLDER/files is a link to the directory of /files/."""
    directory = os.environ.get("FILES_DIR")
    if directory and len(sys.argv) > 1:
        link = Path(sys.argv[1]) / "files"
        link.unlink(missing_ok=True)
        link.symlink_to(directory)


def template():
    """Returns the configuration: the template, filled as the environment variables require."""
    sealed = ""
    if "TLS_PORT" in os.environ:
        sealed = SEALED.format(port=os.environ["TLS_PORT"], cert=os.environ["TLS_CERT"],
                               key=os.environ["TLS_KEY"])
    place = os.environ.get("UPSTREAM")
    return Path(in_memory("h2o", filled(HERE / "h2o.conf.template", {
        "connections": os.environ.get("CONNECTIONS", "16384"),
        "sealed": sealed, "proxied": PROXIED.format(place=place) if place else "",
        "echoing": ECHOING if os.environ.get("ECHO") else ""})))


if __name__ == "__main__":
    lead_to_files()
    sys.exit(become(template(), PROGRAMS, "h2o", user_line(), arguments))

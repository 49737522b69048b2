#!/usr/bin/env python3
"""Becomes nghttpd, configured for one measurement: run.py FOLDER PORT THREADS.

The served file is in FOLDER/served, which files.py makes first. There is one port: PORT without
TLS, or TLS_PORT of the environment with TLS_CERT and TLS_KEY.
"""

import os
import resource
import shutil
import sys
from pathlib import Path


def where(port):
    """Returns the arguments for the port and for TLS."""
    if "TLS_PORT" not in os.environ:
        return ["--no-tls", port]
    return [os.environ["TLS_PORT"], os.environ["TLS_KEY"], os.environ["TLS_CERT"]]


def main():
    """Returns 2 after an invalid call, 1 if nghttpd is missing."""
    if len(sys.argv) != 4 or not all(text.isdigit() for text in sys.argv[2:]):
        print("usage: run.py FOLDER PORT THREADS", file=sys.stderr)
        return 2
    program = shutil.which("nghttpd") or shutil.which("nghttpd", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        print("nghttpd is not installed: apt-get install nghttp2-server", file=sys.stderr)
        return 1
    folder, port, threads = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return os.execv(program, [program, "-a", "0.0.0.0", "-d", f"{folder}/served", "-n", threads,
                              *where(port)])


if __name__ == "__main__":
    sys.exit(main())

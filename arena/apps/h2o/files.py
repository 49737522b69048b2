#!/usr/bin/env python3
"""Makes the files that h2o serves: files.py FOLDER."""

import sys
from pathlib import Path

FILES = {"hello": b"Hello, World!", "status": b"OK", "html": b"<p>Hello, world!</p>"}
SIZES = (1024, 65536, 1048576)


def main():
    """Returns 2 after an invalid call."""
    if len(sys.argv) != 2:
        print("usage: files.py FOLDER", file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    (folder / "bytes").mkdir(parents=True, exist_ok=True)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    for size in SIZES:
        (folder / "bytes" / str(size)).write_bytes(b"x" * size)
    return 0


if __name__ == "__main__":
    sys.exit(main())

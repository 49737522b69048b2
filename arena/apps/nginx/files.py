#!/usr/bin/env python3
"""Makes the folder from which nginx serves the larger bodies: files.py FOLDER."""

import sys
from pathlib import Path

SIZES = (1024, 65536, 1048576)


def main():
    """Returns 2 after an invalid call."""
    if len(sys.argv) != 2:
        print("usage: files.py FOLDER", file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    for name in ("bytes", "temporary"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        (folder / "bytes" / str(size)).write_bytes(b"x" * size)
    return 0


if __name__ == "__main__":
    sys.exit(main())

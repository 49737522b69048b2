#!/usr/bin/env python3
"""Makes the file that nghttpd serves: files.py FOLDER."""

import sys
from pathlib import Path


def main():
    """Returns 2 after an invalid call."""
    if len(sys.argv) != 2:
        print("usage: files.py FOLDER", file=sys.stderr)
        return 2
    folder = Path(sys.argv[1]) / "served"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plaintext").write_bytes(b"Hello, World!")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The directory of files that contestants serve: made once, with the same bytes for all.

Must not contain data that can be compressed or deduplicated.
"""

import random

from peers.manifest import BUILD

SIZES = {"1k": 1024, "64k": 65536, "1m": 1048576}


def content(name):
    """Returns the bytes of /files/{name}.bin."""
    return random.Random(name).randbytes(SIZES[name])


def ensure(folder=None):
    """Returns the directory, with complete files."""
    folder = folder or BUILD / "files"
    folder.mkdir(parents=True, exist_ok=True)
    for name in SIZES:
        path, wanted = folder / f"{name}.bin", content(name)
        if not path.exists() or path.read_bytes() != wanted:
            draft = path.with_suffix(".new")
            draft.write_bytes(wanted)
            draft.rename(path)
    return folder

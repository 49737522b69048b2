"""Files in several versions, which replace each other while they are served.

Must not write a served file in place: a version is renamed to it, as the documentation says.
"""

import atexit
import functools
import os
import random
import shutil
import tempfile
from pathlib import Path

from peers.manifest import BUILD
from verify.framing import WrongAnswer

SIZES = {"4k": 4096, "64k": 65536}
COUNT = 32


@functools.cache
def bodies(name):
    """Returns the content of all versions; each has its own length."""
    return tuple(random.Random(f"{name} {version}").randbytes(SIZES[name] - version)
                 for version in range(COUNT))


@functools.cache
def folder():
    """Makes the directory, with the first versions; it is deleted at exit."""
    BUILD.mkdir(parents=True, exist_ok=True)
    outer = tempfile.mkdtemp(prefix="versions_", dir=BUILD)
    atexit.register(shutil.rmtree, outer, True)
    made = Path(outer) / "files"  # some contestants serve it at its own name
    made.mkdir()
    for name in SIZES:
        publish(name, 0, made)
    return made


def publish(name, version, where=None):
    """Replaces the file with this version."""
    where = where or folder()
    draft = where / f".{name}.new"
    draft.write_bytes(bodies(name)[version])
    os.rename(draft, where / f"{name}.bin")


def judge(name):
    """Returns a function that raises WrongAnswer unless its argument is one complete version."""
    def check(body):
        if body not in bodies(name):
            raise WrongAnswer(f"the {len(body)} bytes are not one version of the file")
    return check

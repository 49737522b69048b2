"""An Eider that is installed into a prefix, and its command as for a new user.

Must not set up anything in addition to `cmake --install`: the commands must find what they need.
"""

import os
import subprocess
import tempfile
from pathlib import Path

from support import BIN

STEP_SECONDS_MAX = 200
# These would select another package, compiler or key.
ELSEWHERE = ('CMAKE_PREFIX_PATH', 'CXX', 'CC', 'eider_DIR', 'SSH_AUTH_SOCK')


def environment(**changes):
    """Returns the environment of this process, without these variables."""
    kept = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    return {**kept, **changes}


class Installed:
    """A prefix, in a folder for projects. Use as a context manager."""

    def __init__(self):
        self.place = None
        self.prefix = None

    def __enter__(self):
        self.place = tempfile.TemporaryDirectory()
        self.prefix = Path(self.place.name, 'prefix')
        ended = subprocess.run(['cmake', '--install', BIN.parent, '--prefix', self.prefix],
                               text=True, capture_output=True, check=False,
                               timeout=STEP_SECONDS_MAX)
        if ended.returncode != 0:
            self.__exit__()
            raise AssertionError(ended.stdout + ended.stderr)
        return self

    def __exit__(self, *_):
        self.place.cleanup()

    @property
    def command(self):
        return self.prefix / 'bin/eider'

    def eider(self, *words, place, **changes):
        """Returns (exit code, standard output, standard error) of the command in that folder."""
        ended = subprocess.run([self.command, *map(str, words)], cwd=place, text=True, check=False,
                               env=environment(**changes), capture_output=True,
                               stdin=subprocess.DEVNULL, timeout=STEP_SECONDS_MAX)
        return ended.returncode, ended.stdout, ended.stderr

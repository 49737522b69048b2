"""`eider db` in a directory of the test.

Must not use internals of the library: only its output, its status and the tables count.
"""

import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support import BIN

WAIT_SECONDS_MAX = 30


def wait_until(is_so):
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError('it did not come to that in time')
        time.sleep(0.02)


class Directory(unittest.TestCase):
    """A directory for migrations, and the command."""

    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.database = str(self.directory / 'shop.db')

    def write(self, name, text):
        (self.directory / 'migrations').mkdir(exist_ok=True)
        (self.directory / 'migrations' / name).write_text(text)

    def start(self, *words):
        def hear_signals():
            # Under nohup and in background jobs of scripts, these signals are ignored, which is
            # inherited.
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)

        environment = dict(os.environ, DATABASE_URL=self.database)
        return subprocess.Popen([BIN / 'eider', 'db', *words], cwd=self.directory, text=True,
                                env=environment, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                preexec_fn=hear_signals)

    def run_db(self, *words):
        """Returns (status, standard output, standard error)."""
        with self.start(*words) as process:
            out, error = process.communicate(timeout=WAIT_SECONDS_MAX)
        return process.returncode, out, error

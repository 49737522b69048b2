"""A PostgreSQL server for a test run: its own directory and Unix socket, as an ordinary user.

Must not use a server of the system.
"""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

START_SECONDS_MAX = 120
STOP_SECONDS_MAX = 120
PORT = 5432  # only in the name of the socket: it listens on no address


def _program(name):
    """Returns the latest installed one: in Debian, they are not in PATH."""
    found = sorted(Path('/usr/lib/postgresql').glob(f'*/bin/{name}'),
                   key=lambda path: int(path.parts[4]))
    return str(found[-1]) if found else shutil.which(name) or name


class PostgresServer:
    """A running server. Use as a context manager."""

    def __init__(self):
        self.user = pwd.getpwnam('postgres') if os.geteuid() == 0 else None
        self.outer = tempfile.TemporaryDirectory()
        self.directory = Path(self.outer.name, 'pg')
        self.process = None

    def __enter__(self):
        Path(self.outer.name).chmod(0o711)
        self.directory.mkdir()
        if self.user:
            os.chown(self.directory, self.user.pw_uid, self.user.pw_gid)
        subprocess.run([_program('initdb'), '-D', self.data, '-U', 'tester', '-A', 'trust',
                        '-E', 'UTF8', '--locale=C', '--no-sync'], check=True, **self._as_user())
        self.start()
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.stop(signal.SIGQUIT)
        self.outer.cleanup()

    @property
    def data(self):
        """The cluster's directory."""
        return self.directory / 'data'

    @property
    def socket(self):
        """The path of its socket."""
        return self.directory / f'.s.PGSQL.{PORT}'

    @property
    def where(self):
        """The address for open_postgres."""
        return self.where_of(self.socket)

    @staticmethod
    def where_of(socket):
        """Returns the address for another socket with the same file name."""
        return f'host={socket.parent} port={PORT} user=tester dbname=postgres'

    def start(self):
        """Starts the server, and waits until it accepts connections."""
        deadline = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline:
            # After kill(), a process of the previous server may keep its shared memory for a
            # moment.
            if self.process is None or self.process.poll() is not None:
                self.process = subprocess.Popen(
                    [_program('postgres'), '-D', self.data, '-k', self.directory, '-p', str(PORT),
                     '-c', 'listen_addresses=', '-c', 'fsync=off'], **self._as_user())
            if self._is_ready():
                return
            time.sleep(0.01)
        raise AssertionError('PostgreSQL does not start')

    def _is_ready(self):
        """Returns whether its file reports readiness. A killed server leaves its file behind."""
        file = self.data / 'postmaster.pid'
        lines = file.read_text().splitlines() if file.exists() else []
        return len(lines) > 1 and lines[0] == str(self.process.pid) \
            and lines[-1].startswith('ready')

    def send_signal(self, how):
        """Sends the signal to it and its processes."""
        pid = self.process.pid
        children = Path(f'/proc/{pid}/task/{pid}/children').read_text().split()
        for each in (*map(int, children), pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, how)

    def kill(self):
        """Ends it immediately, like a crash."""
        self.process.send_signal(signal.SIGSTOP)  # it starts no more processes
        self.send_signal(signal.SIGKILL)
        self.process.wait(STOP_SECONDS_MAX)
        self.process = None

    def stop(self, how=signal.SIGINT):
        """Ends it like an administrator: its connections end."""
        self.process.send_signal(how)
        self.process.wait(STOP_SECONDS_MAX)
        self.process = None

    def ask(self, sql):
        """Returns the only value of the only row, as text."""
        return subprocess.run([_program('psql'), '-X', '-A', '-t', '-d', self.where, '-c', sql],
                              check=True, text=True, stdout=subprocess.PIPE).stdout.strip()

    def _as_user(self):
        given = {'user': self.user.pw_uid, 'group': self.user.pw_gid,
                 'extra_groups': []} if self.user else {}
        return {'stdin': subprocess.DEVNULL, 'stdout': subprocess.DEVNULL,
                'stderr': subprocess.DEVNULL, 'cwd': '/', **given}

"""A MariaDB server for a test run: its own directory and Unix socket, as an ordinary user.

Must not use a server of the system.
"""

import os
import pwd
import signal
import subprocess
import tempfile
import time
from pathlib import Path

START_SECONDS_MAX = 120
STOP_SECONDS_MAX = 120


class MariadbServer:
    """A running server with a database `test`. Use as a context manager."""

    def __init__(self):
        self.user = pwd.getpwnam('mysql') if os.geteuid() == 0 else None
        self.outer = tempfile.TemporaryDirectory()
        self.directory = Path(self.outer.name, 'db')
        self.process = None

    def __enter__(self):
        Path(self.outer.name).chmod(0o711)
        self.directory.mkdir()
        if self.user:
            os.chown(self.directory, self.user.pw_uid, self.user.pw_gid)
        made = subprocess.run(
            ['/usr/bin/mariadb-install-db', '--no-defaults', f'--datadir={self.data}', self.scratch,
             '--auth-root-authentication-method=normal', '--skip-test-db',
             '--innodb-log-file-size=8M', '--innodb-use-native-aio=0'], text=True, check=False,
            **self._as_user(stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
        if made.returncode != 0:
            raise AssertionError(f'mariadb-install-db failed: {made.stdout}')
        self.start()
        self.ask('create database test character set utf8mb4')
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.stop(signal.SIGKILL)
        self.outer.cleanup()

    @property
    def data(self):
        """The server's data directory."""
        return self.directory / 'data'

    @property
    def scratch(self):
        """Its option for temporary tables. A server that starts deletes those of all servers in
        its directory, so each needs its own."""
        return f'--tmpdir={self.directory}'

    @property
    def socket(self):
        """The path of its socket."""
        return self.directory / 's'

    @property
    def where(self):
        """The address for open_mariadb."""
        return self.where_of(self.socket)

    @staticmethod
    def where_of(socket):
        """Returns the address for another socket."""
        return f'mysql://root@localhost/test?socket={socket}'

    def start(self):
        """Starts the server, and waits until it accepts connections."""
        self.process = subprocess.Popen(
            ['/usr/sbin/mariadbd', '--no-defaults', f'--datadir={self.data}', self.scratch,
             f'--socket={self.socket}', '--skip-networking', '--innodb-buffer-pool-size=32M',
             '--innodb-log-file-size=8M', '--innodb-flush-log-at-trx-commit=2',
             '--innodb-use-native-aio=0', '--skip-name-resolve'], **self._as_user())
        deadline = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline:
            if subprocess.run(self._client('select 1'), check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                return
            time.sleep(0.05)
        raise AssertionError('MariaDB does not start')

    def send_signal(self, how):
        """Sends the signal to it."""
        self.process.send_signal(how)

    def kill(self):
        """Ends it immediately, like a crash."""
        self.stop(signal.SIGKILL)

    def stop(self, how=signal.SIGTERM):
        """Ends it like an administrator: its connections end."""
        self.process.send_signal(how)
        self.process.wait(STOP_SECONDS_MAX)
        self.process = None

    def ask(self, sql, database=''):
        """Returns the output of the client: columns separated by tabs, a line for each row."""
        return subprocess.run(self._client(sql, database), check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip()

    def _client(self, sql, database=''):
        return ['mariadb', '--no-defaults', '-S', os.fspath(self.socket), '-uroot', '-N', '-B',
                '-e', sql, *([database] if database else [])]

    def _as_user(self, **streams):
        given = {'user': self.user.pw_uid, 'group': self.user.pw_gid,
                 'extra_groups': []} if self.user else {}
        return {'stdin': subprocess.DEVNULL, 'stdout': subprocess.DEVNULL,
                'stderr': subprocess.DEVNULL, 'cwd': '/', **given, **streams}

"""A Redis server for a test run: its own directory, port and password.

Must not use a server of the system.
"""

import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

START_SECONDS_MAX = 30
STOP_SECONDS_MAX = 30


def _free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class RedisServer:
    """A running server. Use as a context manager."""

    def __init__(self, password, bind='127.0.0.1'):
        self.password = password
        self.bind = bind
        self.outer = tempfile.TemporaryDirectory()
        self.port = _free_port()
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.stop(signal.SIGKILL)
        self.outer.cleanup()

    @property
    def url(self):
        """The URL for Redis clients."""
        return f'redis://:{self.password}@127.0.0.1:{self.port}'

    def start(self):
        """Starts the server, and waits until it responds."""
        configuration = Path(self.outer.name, 'redis.conf')
        configuration.write_text(f'bind {self.bind}\nport {self.port}\ndir {self.outer.name}\n'
                                 f'save ""\nappendonly yes\nrequirepass {self.password}\n')
        self.process = subprocess.Popen(['redis-server', configuration], cwd='/',
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline:
            if self.answers():
                return
            time.sleep(0.01)
        raise AssertionError('Redis does not start')

    def answers(self):
        """Returns whether it has read its data."""
        try:
            return self.ask('PING').startswith(b'+PONG')
        except OSError:
            return False

    def ask(self, command):
        """Returns the bytes of the response to a command of one line."""
        with socket.create_connection(('127.0.0.1', self.port), START_SECONDS_MAX) as line:
            line.sendall(f'AUTH {self.password}\r\n{command}\r\nQUIT\r\n'.encode())
            parts = []
            while part := line.recv(65536):
                parts.append(part)
        return b''.join(parts).removeprefix(b'+OK\r\n')

    def stop(self, how=signal.SIGTERM):
        """Ends it like an administrator."""
        self.process.send_signal(how)
        self.process.wait(STOP_SECONDS_MAX)
        self.process = None

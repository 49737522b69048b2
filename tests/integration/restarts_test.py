"""Services that are stopped and restarted with persistent sockets, like restarts by systemd.

Must not need systemd, and must count each request that is sent, and each response.

    restarts_test.py --restarts 100 --rate 10000     longer, and faster
"""

import argparse
import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from support import BIN
from upgrade_test import SECONDS_MAX, Counted, loads_of, until

parser = argparse.ArgumentParser()
parser.add_argument('--restarts', type=int, default=10)
parser.add_argument('--rate', type=int, default=2000, help='requests a second, of all loads')
LONGER, OTHERS = parser.parse_known_args()


class Unit:
    """A socket that this process keeps open, and the process that currently serves it."""

    def __init__(self, option):
        self.socket = socket.create_server(('127.0.0.1', 0), backlog=4096)
        self.port = self.socket.getsockname()[1]
        self.log = tempfile.TemporaryFile()
        self.words = ['sh', '-c', 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@" '
                      f'3<&{self.socket.fileno()}', BIN / '10_http2', option, 'systemd',
                      '--threads', '2', '--drain-seconds', '4']
        self.process = None
        self.starts = 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.socket.close()
        self.log.close()

    def said(self):
        # Without a seek, because the service writes at the same offset.
        return os.pread(self.log.fileno(), 1 << 20, 0).decode(errors='replace')

    def start(self):
        """Starts the service without waiting for it: new clients wait in the socket's queue."""
        self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log, pass_fds=(self.socket.fileno(),))
        self.starts += 1

    def await_serving(self):
        until(lambda: self.said().count('serves on') == self.starts, self.said)

    def end(self):
        """Stops the service; returns its exit status after it has drained."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(SECONDS_MAX)


class Activated(Counted):
    def test_ten_restarts_lose_no_request(self):
        with Unit('--listen') as plain, Unit('--listen-tls') as tls, \
                contextlib.ExitStack() as stack:
            loads = loads_of(plain.port, tls.port, LONGER.rate)
            for load in loads.values():
                stack.enter_context(load)
            for unit in plain, tls:
                unit.await_serving()
            time.sleep(0.5)
            began = time.monotonic()
            for _ in range(LONGER.restarts):
                for unit in plain, tls:
                    self.assertEqual(unit.end(), 0, unit.said())
                    unit.start()
                    unit.await_serving()
                time.sleep(0.2)
            seconds = time.monotonic() - began
            total = self.check(loads)
            print(f'{total} requests over {LONGER.restarts} restarts in {seconds:.1f} s, '
                  f'{total / seconds:.0f} a second', file=sys.stderr)
            for unit in plain, tls:
                self.assertEqual(unit.end(), 0, unit.said())


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *OTHERS])

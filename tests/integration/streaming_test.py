"""Gigabytes in both directions through the benchmark service, with a real client, in little memory.

Must not rely on the service's own count of bytes: curl counts, and zlib, too.
"""

import json
import socket
import subprocess
import tempfile
import time
import unittest
import zlib
from pathlib import Path

from support import Program

PROGRAM = 'arena_eider'
BACKENDS = ('epoll', 'io_uring')
FOUR_GIB = 4 << 30
MEMORY_BYTES_MAX = 32 << 20
SECONDS_MAX = 120


def peak_bytes(service):
    """Returns the peak memory of the process."""
    status = Path(f'/proc/{service.process.pid}/status').read_text(encoding='ascii')
    line = next(line for line in status.splitlines() if line.startswith('VmHWM'))
    return int(line.split()[1]) * 1024


def held_bytes(service):
    """Returns its current memory."""
    status = Path(f'/proc/{service.process.pid}/status').read_text(encoding='ascii')
    line = next(line for line in status.splitlines() if line.startswith('VmRSS'))
    return int(line.split()[1]) * 1024


def curl(*arguments):
    """Returns the output of curl."""
    return subprocess.run(['curl', '-sS', '--max-time', str(SECONDS_MAX), *arguments],
                          capture_output=True, check=True, timeout=SECONDS_MAX + 10).stdout


class Gigabytes(unittest.TestCase):
    def test_four_of_them_are_downloaded_in_little_memory(self):
        for backend in BACKENDS:
            with self.subTest(backend), \
                    Program(PROGRAM, '{port}', '1', '--backend', backend) as service:
                told = curl('-o', '/dev/null', '-w', '%{http_code} %{size_download}',
                            f'http://127.0.0.1:{service.port}/stream/{FOUR_GIB}')
                self.assertEqual(told.decode(), f'200 {FOUR_GIB}')
                self.assertLess(peak_bytes(service), MEMORY_BYTES_MAX)

    def test_four_of_them_are_uploaded_in_little_memory(self):
        crc32, piece = 0, bytes(1 << 20)
        for _ in range(FOUR_GIB >> 20):
            crc32 = zlib.crc32(piece, crc32)
        with tempfile.NamedTemporaryFile() as sparse:
            sparse.truncate(FOUR_GIB)
            for backend in BACKENDS:
                with self.subTest(backend), \
                        Program(PROGRAM, '{port}', '1', '--backend', backend) as service:
                    told = curl('-X', 'POST', '-T', sparse.name,
                                f'http://127.0.0.1:{service.port}/checksum')
                    self.assertEqual(json.loads(told), {'bytes': FOUR_GIB, 'crc32': crc32})
                    self.assertLess(peak_bytes(service), MEMORY_BYTES_MAX)


class SlowClients(unittest.TestCase):
    def test_a_hundred_that_do_not_read_hold_little_and_leave_nothing(self):
        with Program(PROGRAM, '{port}', '1') as service:
            before = held_bytes(service)
            clients = [service.connect() for _ in range(100)]
            for client in clients:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                client.sendall(b'GET /stream/1000000000 HTTP/1.1\r\nHost: a\r\n\r\n')
            time.sleep(1)
            self.assertLess(held_bytes(service) - before, MEMORY_BYTES_MAX)
            status, _, body = service.ask('GET', '/plaintext')
            self.assertEqual((status, body), (200, b'Hello, World!'))
            for client in clients:
                client.close()
            self._assert_memory_returns(service, before)

    def _assert_memory_returns(self, service, before):
        deadline = time.monotonic() + 10
        while held_bytes(service) - before > 4 << 20:
            self.assertLess(time.monotonic(), deadline, 'memory is not given back')
            time.sleep(0.1)


if __name__ == '__main__':
    unittest.main()

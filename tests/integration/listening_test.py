"""Where a service listens: several places, a Unix socket, sockets passed on, a proxy's word.

Must not need systemd to run: what it passes on is a descriptor and two variables.
"""

import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BIN, Program, free_port, run_to_end

PROGRAM = '01_hello'


def curl(*arguments):
    """What it printed."""
    return subprocess.run(['curl', '-sS', '--max-time', '20', *arguments], capture_output=True,
                          check=True, timeout=30).stdout


class Places(unittest.TestCase):
    def test_tcp_ipv6_and_a_unix_socket_at_once(self):
        with tempfile.TemporaryDirectory() as directory:
            path, other = Path(directory) / 'app.sock', free_port()
            with Program(PROGRAM, '--listen', '127.0.0.1:{port}', '--listen', f'[::1]:{other}',
                         '--listen', f'unix:{path}') as service:
                for words in ([f'http://127.0.0.1:{service.port}/'],
                              ['-g', f'http://[::1]:{other}/'],
                              ['--unix-socket', str(path), 'http://any/']):
                    self.assertEqual(curl(*words), b'Hello world', words)
                self.assertEqual(service.stop(), 0)
                self.assertIn(f'unix:{path}', service.said())
            self.assertFalse(path.exists())

    def test_a_place_that_cannot_be_read_is_named(self):
        for place in ('8080', ':8080', '127.0.0.1:x', '::1:8080', '127.0.0.1:99999'):
            status, said = run_to_end(PROGRAM, '--listen', place)
            self.assertEqual(status, 2, place)
            self.assertIn('--listen must be HOST:PORT', said)


class PassedOn(unittest.TestCase):
    def test_the_sockets_of_systemd_are_served(self):
        with socket.create_server(('127.0.0.1', 0)) as listening:
            port, passed = listening.getsockname()[1], listening.fileno()
            command = (f'LISTEN_PID=$$ LISTEN_FDS=1 exec {BIN / PROGRAM} --listen systemd '
                       f'3<&{passed}')
            service = subprocess.Popen(['sh', '-c', command], stderr=subprocess.DEVNULL,
                                       pass_fds=(passed,))
            try:
                self.assertEqual(curl('--retry', '5', '--retry-connrefused',
                                      f'http://127.0.0.1:{port}/'), b'Hello world')
            finally:
                service.terminate()
                self.assertEqual(service.wait(20), 0)

    def test_without_them_the_mend_is_told(self):
        status, said = run_to_end(PROGRAM, '--listen', 'systemd')
        self.assertEqual(status, 1)
        self.assertIn('systemd-socket-activate', said)


class Proxied(unittest.TestCase):
    def test_curl_speaks_the_proxy_protocol(self):
        with Program(PROGRAM, '--port', '{port}', '--proxy-protocol') as service:
            told = curl('--haproxy-protocol', f'http://127.0.0.1:{service.port}/')
            self.assertEqual(told, b'Hello world')


if __name__ == '__main__':
    unittest.main()

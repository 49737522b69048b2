"""Where a service listens: several addresses, a Unix socket, passed sockets, a proxy's header.

Must not need systemd: it passes only a descriptor and two variables.
"""

import os
import shutil
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BIN, Program, free_port, run_to_end

PROGRAM = '01_hello'


def curl(*arguments):
    """Returns the output of curl."""
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


class ToldToSystemd(unittest.TestCase):
    """Notifications for Type=notify, with a socket instead of systemd."""

    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.path = str(Path(directory) / 'notify')
        self.systemd = self.enterContext(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        self.systemd.bind(self.path)
        self.systemd.settimeout(20)

    def test_it_is_ready_when_it_answers_lives_while_it_turns_and_says_that_it_stops(self):
        told = {'NOTIFY_SOCKET': self.path, 'WATCHDOG_USEC': '200000'}
        with Program(PROGRAM, '--port', '{port}', '--threads', '2', environment=told) as service:
            heard = {self.systemd.recv(100) for _ in range(3)}
            self.assertEqual(heard, {b'READY=1', b'WATCHDOG=1'})
            self.assertEqual(curl(f'http://127.0.0.1:{service.port}/'), b'Hello world')
            self.assertEqual(service.stop(), 0)
            while heard != b'STOPPING=1':
                heard = self.systemd.recv(100)

    def test_the_word_is_that_of_systemd_notify(self):
        if shutil.which('systemd-notify') is None:
            self.skipTest('systemd-notify is not installed')
        subprocess.run(['systemd-notify', '--ready', '--no-block'],
                       env={**os.environ, 'NOTIFY_SOCKET': self.path}, check=True, timeout=20)
        theirs = self.systemd.recv(100).split(b'\n')
        with Program(PROGRAM, '--port', '{port}', environment={'NOTIFY_SOCKET': self.path}):
            self.assertIn(self.systemd.recv(100), theirs)

    def test_what_cannot_start_is_not_ready(self):
        status, _ = run_to_end(PROGRAM, '--listen', 'systemd',
                               environment={'NOTIFY_SOCKET': self.path})
        self.assertEqual(status, 1)
        self.systemd.setblocking(False)
        self.assertRaises(BlockingIOError, self.systemd.recv, 100)


class OfEiderDev(unittest.TestCase):
    """A program under `eider dev` must accept only its requests: dev_test.py tests both
    together."""

    def test_requests_without_its_token_are_rejected(self):
        with Program(PROGRAM, '--port', '{port}',
                     environment={'EIDER_DEV_TOKEN': 'a-token'}) as service:
            for headers in ({}, {'Eider-Dev-Token': ''}, {'Eider-Dev-Token': 'a-toke'},
                            {'Host': 'localhost'}, {'Cookie': 'Eider-Dev-Token=a-token'}):
                for path in ('/', '/nowhere'):
                    self.assertEqual(service.ask('GET', path, None, headers)[0], 403, headers)
            status, _, body = service.ask('GET', '/', None, {'Eider-Dev-Token': 'a-token'})
            self.assertEqual((status, body), (200, b'Hello world'))


class Proxied(unittest.TestCase):
    def test_curl_speaks_the_proxy_protocol(self):
        with Program(PROGRAM, '--port', '{port}', '--proxy-protocol') as service:
            told = curl('--haproxy-protocol', f'http://127.0.0.1:{service.port}/')
            self.assertEqual(told, b'Hello world')


if __name__ == '__main__':
    unittest.main()

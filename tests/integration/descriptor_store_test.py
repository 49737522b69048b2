"""Sockets that systemd stores for a service during a restart, with a socket instead of systemd.

Must not lose a queued connection: the service is killed with a client in the queue.
"""

import ctypes
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import BIN, free_port
from upgrade_test import is_alive, setUpModule as adopt_orphans, until

PROGRAM = '10_http2'
SECONDS_MAX = 30
ASK = b'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'


def setUpModule():
    adopt_orphans()


class Systemd:
    """Stores the sockets that it receives, and passes them to the service."""

    def __init__(self, case, *words, program=BIN / PROGRAM, environment=None):
        self.case = case
        directory = Path(case.enterContext(tempfile.TemporaryDirectory()))
        self.path = str(directory / 'notify')
        self.socket = case.enterContext(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        self.socket.bind(self.path)
        self.socket.settimeout(SECONDS_MAX)
        self.words, self.program, self.environment = words, program, environment or {}
        self.kept = []  # (name, descriptor), without duplicates, like systemd
        self.units = []  # of socket units, in the same way
        self.heard = []
        self.process = None
        self.main = None
        case.addCleanup(self.end)

    def end(self):
        for pid in {self.main, self.process.pid if self.process else None} - {None}:
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)
        if self.process:
            self.process.wait()
        for _, fd in self.kept:
            os.close(fd)
        self.kept = []

    def start(self, *more, until_heard=b'READY=1'):
        passed = [*self.units, *self.kept]
        names = ':'.join(name for name, _ in passed)
        moved = ' '.join(f'{3 + place}<&{100 + place}' for place in range(len(passed)))
        kept = [os.dup(fd) for _, fd in passed]
        copies = []
        for place, fd in enumerate(kept):
            os.dup2(fd, 100 + place)
            copies.append(100 + place)
            os.close(fd)
        told = (f'LISTEN_PID=$$ LISTEN_FDS={len(passed)} LISTEN_FDNAMES="{names}" '
                if passed else '')
        self.process = subprocess.Popen(
            ['bash', '-c', f'{told}exec "$0" "$@" {moved}', self.program, *self.words, *more],
            stderr=subprocess.DEVNULL, pass_fds=copies,
            env={**os.environ, **self.environment, 'NOTIFY_SOCKET': self.path})
        for fd in copies:
            os.close(fd)
        self.main = self.process.pid
        self.hear_until(until_heard)

    def hear_until(self, line):
        while True:
            text, fds, _, _ = socket.recv_fds(self.socket, 4096, 253)
            self.heard.append((text, len(fds)))
            self.take(text.decode(), fds)
            if text.startswith(line):
                return text

    def take(self, text, fds):
        name = re.search(r'^FDNAME=([!-9;-~]{1,255})$', text, re.M)
        if text.startswith('FDSTORE=1'):
            for fd in fds:
                if any(os.path.sameopenfile(fd, old) for _, old in self.kept) or not is_socket(fd):
                    os.close(fd)
                else:
                    self.kept.append((name[1], fd))
        elif text.startswith('FDSTOREREMOVE=1'):
            for _, fd in [one for one in self.kept if one[0] == name[1]]:
                os.close(fd)
            self.kept = [one for one in self.kept if one[0] != name[1]]

    def names(self):
        return sorted(name for name, _ in self.kept)

    def crash(self):
        os.kill(self.main, signal.SIGKILL)
        self.process.wait(SECONDS_MAX)
        until(lambda: not is_alive(self.main), lambda: 'it lives')


def is_socket(fd):
    return os.readlink(f'/proc/self/fd/{fd}').startswith('socket:')


def ask(port):
    client = socket.create_connection(('127.0.0.1', port), SECONDS_MAX)
    client.sendall(ASK)
    return client


def read(client):
    with client:
        client.settimeout(SECONDS_MAX)
        data = b''
        while piece := client.recv(10000):
            data += piece
        return data


class Store(unittest.TestCase):
    def check_queued(self, port, restart):
        """The second process serves clients that connect between the two."""
        clients = [ask(port) for _ in range(8)]
        restart()
        for client in clients:
            self.assertTrue(read(client).startswith(b'HTTP/1.1 200'))

    def test_a_crash_loses_nobody_who_waits_in_a_queue(self):
        port = free_port()
        systemd = Systemd(self, '--port', str(port), '--store-sockets')
        systemd.start('--threads', '2')
        name = f'eider-127.0.0.1%3a{port}'
        self.assertEqual(systemd.names(), [name, name])
        self.assertEqual([line for line, _ in systemd.heard][-2:],
                         [f'FDSTORE=1\nFDNAME={name}'.encode(), b'READY=1'])
        for threads in '2', '1', '3':  # more and fewer loops than sockets
            systemd.crash()
            self.check_queued(port, lambda n=threads: systemd.start('--threads', n))
            self.assertEqual(set(systemd.names()), {name})

    def test_a_stop_closes_no_queue_either(self):
        port = free_port()
        systemd = Systemd(self, '--port', str(port), '--threads', '1', '--store-sockets')
        systemd.start()
        systemd.process.terminate()
        self.assertEqual(systemd.process.wait(SECONDS_MAX), 0)
        self.check_queued(port, systemd.start)

    def test_a_supervisor_stores_them_too(self):
        port = free_port()
        systemd = Systemd(self, '--port', str(port), '--workers', '2', '--store-sockets',
                          '--drain-seconds', '1')
        systemd.start()
        self.assertEqual(systemd.names(), [f'eider-127.0.0.1%3a{port}'])
        systemd.crash()
        self.check_queued(port, systemd.start)

    def test_what_an_upgrade_has_left_is_there_after_a_crash(self):
        port = free_port()
        systemd = Systemd(self, '--port', str(port), '--threads', '1', '--store-sockets')
        systemd.start()
        os.kill(systemd.main, signal.SIGUSR2)
        systemd.main = int(systemd.hear_until(b'MAINPID=').removeprefix(b'MAINPID='))
        systemd.hear_until(b'READY=1')
        systemd.process.wait(SECONDS_MAX)
        self.assertEqual(len(systemd.kept), 1)
        systemd.crash()
        self.check_queued(port, systemd.start)

    def test_a_unix_path_is_kept_and_a_place_that_is_gone_is_forgotten(self):
        port = free_port()
        path = Path(self.enterContext(tempfile.TemporaryDirectory())) / 'ä b:c.sock'
        systemd = Systemd(self, '--listen', f'127.0.0.1:{port}', '--threads', '1')
        systemd.start('--listen', f'unix:{path}', '--store-sockets')
        self.assertEqual(len(systemd.kept), 2)
        systemd.crash()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            client.sendall(ASK)
            systemd.start('--listen', f'unix:{path}', '--store-sockets')
            self.assertTrue(read(client).startswith(b'HTTP/1.1 200'))
        systemd.crash()
        systemd.start('--store-sockets')
        self.assertEqual(systemd.names(), [f'eider-127.0.0.1%3a{port}'])
        systemd.crash()
        self.check_queued(port, systemd.start)  # no longer stored, but served
        self.assertEqual(systemd.names(), [])
        systemd.process.terminate()
        self.assertEqual(systemd.process.wait(SECONDS_MAX), 0)

    def test_sockets_of_units_are_no_stored_ones(self):
        port = free_port()
        systemd = Systemd(self, '--listen', 'systemd', '--listen', f'127.0.0.1:{port}',
                          '--threads', '1', '--store-sockets')
        with socket.create_server(('127.0.0.1', 0)) as unit:
            systemd.units = [('shop.socket', unit.fileno())]
            for _ in range(2):
                systemd.start()
                self.assertEqual(systemd.names(), [f'eider-127.0.0.1%3a{port}'])
                for each in port, unit.getsockname()[1]:
                    self.assertTrue(read(ask(each)).startswith(b'HTTP/1.1 200'))
                systemd.crash()

    def test_a_unit_with_too_little_room_is_told_and_stores_nothing(self):
        systemd = Systemd(self, '--port', str(free_port()), '--threads', '2', '--store-sockets',
                          environment={'FDSTORE': '1'})
        systemd.start()
        self.assertEqual(systemd.names(), [])

    def test_nothing_is_stored_unasked(self):
        systemd = Systemd(self, '--port', str(free_port()), '--threads', '1')
        systemd.start()
        self.assertEqual(systemd.heard, [(b'READY=1', 0)])


class Oracle(unittest.TestCase):
    """libsystemd sends the same messages, and accepts ours as equal."""

    def setUp(self):
        try:
            self.library = ctypes.CDLL('libsystemd.so.0')
        except OSError:
            self.skipTest('libsystemd is not here')

    def test_its_datagram_is_ours(self):
        port = free_port()
        systemd = Systemd(self, '--port', str(port), '--threads', '1', '--store-sockets')
        systemd.start()
        ours = next(one for one in systemd.heard if one[0].startswith(b'FDSTORE'))
        environment = os.environ.get('NOTIFY_SOCKET')
        os.environ['NOTIFY_SOCKET'] = systemd.path
        try:
            fds = (ctypes.c_int * 1)(systemd.kept[0][1])
            state = f'FDSTORE=1\nFDNAME=eider-127.0.0.1%3a{port}'.encode()
            sent = self.library.sd_pid_notify_with_fds(0, 0, state, fds, 1)
        finally:
            del os.environ['NOTIFY_SOCKET']
            if environment is not None:
                os.environ['NOTIFY_SOCKET'] = environment
        self.assertEqual(sent, 1)
        text, got, _, _ = socket.recv_fds(systemd.socket, 4096, 253)
        self.assertEqual((text, len(got)), ours)
        for fd in got:
            os.close(fd)

    def test_it_reads_the_names_that_we_read(self):
        port = free_port()
        systemd = Systemd(self, '--port', str(port), '--threads', '2', '--store-sockets')
        systemd.start()
        names = [name for name, _ in systemd.kept]
        script = ('import ctypes\n'
                  'library = ctypes.CDLL("libsystemd.so.0")\n'
                  'names = ctypes.POINTER(ctypes.c_char_p)()\n'
                  'count = library.sd_listen_fds_with_names(0, ctypes.byref(names))\n'
                  'print(*(names[place].decode() for place in range(count)))\n')
        told = f'LISTEN_PID=$$ LISTEN_FDS=2 LISTEN_FDNAMES="{":".join(names)}" '
        said = subprocess.run(['bash', '-c', f'{told} exec {sys.executable} -c \'{script}\' '
                               '3<&0 4<&0'], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=SECONDS_MAX, check=True)
        self.assertEqual(said.stdout.split(), names)


if __name__ == '__main__':
    unittest.main()

"""A new process replaces a running one, repeatedly: all requests get responses.

Must count each request that is sent, and each response, without exceptions.

    upgrade_test.py --upgrades 100 --rate 10000     longer, and faster
"""

import argparse
import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import http2_frames as h2
from support import BIN, Program, free_port, receive_until

PROGRAM = '10_http2'
SECONDS_MAX = 30
PR_SET_CHILD_SUBREAPER = 36
OPEN_WEBSOCKET = (b'GET /socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n'
                  b'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
                  b'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n')
OPEN_EVENTS = b'GET /ticks HTTP/1.1\r\nHost: a\r\n\r\n'
NOBODY = 'No new process takes over: '

parser = argparse.ArgumentParser()
parser.add_argument('--upgrades', type=int, default=10)
parser.add_argument('--rate', type=int, default=2000, help='requests a second, of all loads')
LONGER, OTHERS = parser.parse_known_args()


def setUpModule():
    """Makes orphaned processes children of this one, so that remaining ones are noticed."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def until(is_so, what, seconds=SECONDS_MAX):
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError(f'in vain: {what()}')
        time.sleep(0.005)


def is_alive(process):
    """Returns whether the process is alive; a zombie is not."""
    with contextlib.suppress(OSError):
        status = Path(f'/proc/{process}/status').read_text()
        return '\nState:\tZ' not in status
    return False


def descriptors(process):
    """Returns the targets of the descriptors, without the numbers of sockets and pipes."""
    found = []
    for each in Path(f'/proc/{process}/fd').iterdir():
        with contextlib.suppress(OSError):
            found.append(re.sub(r'\[\d+\]', '', os.readlink(each)))
    return sorted(found)


def children(process):
    listed = set()
    for task in Path(f'/proc/{process}/task').iterdir():
        listed |= set((task / 'children').read_text().split())
    return listed


class Service(Program):
    """A service that is replaced by processes that it starts."""

    def __init__(self, *arguments, program=None, environment=None):
        super().__init__(PROGRAM, *arguments, environment=environment)
        if program is not None:
            self.command[0] = str(program)
        self.pids = []

    def __enter__(self):
        super().__enter__()
        until(lambda: 'serves on' in self.said(), self.said)
        self.pids = [self.process.pid]
        return self

    def __exit__(self, *_):
        for pid in self.pids[1:]:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        super().__exit__()

    @property
    def pid(self):
        """The id of the process that currently serves."""
        return self.pids[-1]

    def lines(self, text):
        return [line for line in self.said().splitlines() if text in line]

    def upgrade(self):
        """Upgrades; returns the process that served before."""
        before = self.pid
        os.kill(before, signal.SIGUSR2)
        # The last lines of both: the new one serves, and can be upgraded again immediately.
        until(lambda: len(self.lines('serves on')) > len(self.pids) and
              len(self.lines('took over')) == len(self.pids), self.said)
        self.pids.append(int(re.findall(r'Process (\d+) took over', self.said())[-1]))
        return before

    def refuse(self, why):
        """Starts an upgrade that fails."""
        count = len(self.lines(NOBODY))
        os.kill(self.pid, signal.SIGUSR2)
        until(lambda: len(self.lines(NOBODY)) > count, self.said)
        return why in self.lines(NOBODY)[-1]

    def end(self):
        """Stops the serving process; returns its exit status."""
        os.kill(self.pid, signal.SIGTERM)
        if self.pid == self.process.pid:
            return self.process.wait(SECONDS_MAX)
        # Earlier processes are its parents until they have ended.
        until(lambda: not any(map(is_alive, self.pids[:-1])), self.said)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class Load:
    """`eider bench` with a limited rate.

    A single client in a closed loop has kept others from a processor for many seconds (Linux 6.18),
    so that other tests failed.
    """

    def __init__(self, url, *words, rate):
        self.file = tempfile.NamedTemporaryFile(suffix='.json')
        self.words = [str(BIN / 'eider'), 'bench', '-d', '600s', '--insecure', '--warmup', '1ms',
                      '--timeout', '20s', '--no-progress', '--json', self.file.name, *words,
                      '--rate', str(rate), url]

    def __enter__(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def end(self):
        """Returns its report after all sent requests have responses."""
        self.process.send_signal(signal.SIGINT)
        said, _ = self.process.communicate(timeout=SECONDS_MAX)
        report = Path(self.file.name).read_text()
        if not report:
            raise AssertionError(said)
        return self.process.returncode, json.loads(report), said


# Number of concurrent requests per connection, for loads with more than one.
STREAMS = {'HTTP/2': 8, 'TLS HTTP/2': 4}


def loads_of(port, tls_port, rate):
    """Returns each kind of client by its name."""
    plain, tls = f'http://127.0.0.1:{port}/', f'https://127.0.0.1:{tls_port}/'
    return {'kept': Load(plain, '-c', '16', rate=rate * 4 // 10),
            'new': Load(plain, '-c', '2', '-H', 'Connection: close', rate=rate // 10),
            'HTTP/2': Load(plain, '-c', '4', '--http2', '--streams', str(STREAMS['HTTP/2']),
                           rate=rate * 4 // 10),
            'TLS kept': Load(tls, '-c', '8', rate=rate // 10),
            'TLS new': Load(tls, '-c', '2', '-H', 'Connection: close', rate=rate // 20),
            'TLS HTTP/2': Load(tls, '-c', '4', '--http2', '--streams', str(STREAMS['TLS HTTP/2']),
                               rate=rate // 10)}


class Counted(unittest.TestCase):
    def check(self, loads):
        """Expects as many responses as requests; returns their number."""
        total = 0
        for name, load in loads.items():
            status, report, said = load.end()
            with self.subTest(name):
                self.assertEqual(status, 0, said)
                total += report['requests']
                self.assertGreater(report['requests'], 100, name)
                self.assertEqual((report['errors'], report['unsent']), (0, 0), said)
        return total


class UnderLoad(Counted):
    def test_ten_upgrades_lose_no_request(self):
        tls_port = free_port()
        with Service('--port', '{port}', '--tls-port', str(tls_port), '--threads', '2',
                     '--drain-seconds', '4') as service, contextlib.ExitStack() as stack:
            loads = loads_of(service.port, tls_port, LONGER.rate)
            for load in loads.values():
                stack.enter_context(load)
            time.sleep(0.5)
            began = time.monotonic()
            first = descriptors(service.pid)
            for _ in range(LONGER.upgrades):
                service.upgrade()
                time.sleep(0.2)
            seconds = time.monotonic() - began
            total = self.check(loads)
            print(f'{total} requests over {LONGER.upgrades} upgrades in {seconds:.1f} s, '
                  f'{total / seconds:.0f} a second', file=sys.stderr)
            until(lambda: not any(map(is_alive, service.pids[:-1])), service.said)
            # Connections are closed, and descriptors that were passed on too often would show.
            until(lambda: len(descriptors(service.pid)) <= len(first),
                  lambda: f'{descriptors(service.pid)}, at first {first}')
            self.assertEqual(children(service.pid), set())
            self.assertEqual(service.end(), 0)


class Places(unittest.TestCase):
    def ask(self, service):
        self.assertEqual(service.ask('GET', '/')[0], 200)

    def test_more_and_fewer_threads_serve_all_sockets(self):
        with tempfile.TemporaryDirectory() as directory:
            config = Path(directory) / 'options'
            config.write_text('[server]\nthreads = 3\n')
            with Service('--port', '{port}', '--config', str(config)) as service:
                for threads, sockets in (1, 3), (4, 4), (2, 4):
                    config.write_text(f'[server]\nthreads = {threads}\n')
                    old = service.upgrade()
                    until(lambda pid=old: not is_alive(pid), service.said)
                    self.assertIn(f'({threads} thread', service.lines('serves on')[-1])
                    listening = subprocess.run(['ss', '-Htln', f'sport = :{service.port}'],
                                               capture_output=True, check=True, text=True)
                    self.assertEqual(len(listening.stdout.splitlines()), sockets)
                    for _ in range(40):  # each socket gets its share
                        self.ask(service)
                self.assertEqual(service.end(), 0)

    def test_a_place_that_is_new_is_opened_and_one_that_is_gone_is_closed(self):
        other = free_port()
        with tempfile.TemporaryDirectory() as directory:
            config = Path(directory) / 'options'
            config.write_text('')
            with Service('--listen', '127.0.0.1:{port}', '--config', str(config)) as service:
                config.write_text(f'[server]\nlisten_tls = ["127.0.0.1:{other}"]\n')
                service.upgrade()
                socket.create_connection(('127.0.0.1', other), SECONDS_MAX).close()
                config.write_text('')
                old = service.upgrade()
                until(lambda: not is_alive(old), service.said)
                self.assertRaises(ConnectionRefusedError, socket.create_connection,
                                  ('127.0.0.1', other), SECONDS_MAX)
                self.ask(service)
                self.assertEqual(service.end(), 0)

    def test_the_file_of_the_process_follows(self):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / 'pid'
            with Service('--port', '{port}', '--pid-file', str(file)) as service:
                self.assertEqual(file.read_text(), f'{service.pid}\n')
                old = service.upgrade()
                until(lambda: not is_alive(old), service.said)
                self.assertEqual(file.read_text(), f'{service.pid}\n')
                self.assertEqual(service.end(), 0)
            self.assertFalse(file.exists())

    def test_a_unix_path_stays_until_the_last_process_goes(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / 'app.sock'
            with Service('--listen', '127.0.0.1:{port}', '--listen', f'unix:{path}') as service:
                old = service.upgrade()
                until(lambda: not is_alive(old), service.said)
                for _ in range(2):
                    with socket.socket(socket.AF_UNIX) as client:
                        client.connect(str(path))
                        client.sendall(b'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
                        self.assertTrue(client.recv(1000).startswith(b'HTTP/1.1 200'))
                self.assertEqual(service.end(), 0)
            self.assertFalse(path.exists())


def program_that(directory, words):
    """Returns a link to the program, and a replacement for its target."""
    link, other = Path(directory) / 'program', Path(directory) / 'other'
    link.symlink_to(BIN / PROGRAM)
    other.write_text(f'#!/bin/sh\n{words}\n')
    other.chmod(0o755)
    return link, other


class Failed(unittest.TestCase):
    """If the new process does not start, the old one keeps serving, and reports the reason."""

    def start(self, words, *more):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        link, other = program_that(directory, words)
        service = self.enterContext(Service('--port', '{port}', *more, program=link))
        link.unlink()
        link.symlink_to(other)
        return service, link

    def check_serves(self, service):
        self.assertEqual(service.ask('GET', '/')[0], 200)
        until(lambda: children(service.pid) == set(), service.said)

    def test_a_program_that_is_not_there(self):
        service, link = self.start('exit 0')
        link.unlink()
        self.assertTrue(service.refuse('No such file'), service.said())
        self.check_serves(service)
        # The path is resolved again each time.
        link.symlink_to(BIN / PROGRAM)
        service.upgrade()
        self.check_serves(service)
        self.assertEqual(service.end(), 0)

    def test_a_program_that_ends_or_crashes(self):
        for words, why in (('exit 3', 'exited with status 3'), ('kill -9 $$', 'by signal 9'),
                           ('exit 0', 'exited with status 0')):
            service, _ = self.start(words)
            self.assertTrue(service.refuse(why), service.said())
            self.check_serves(service)
            self.assertEqual(service.end(), 0)

    def test_one_at_a_time_and_a_stop_ends_both(self):
        service, _ = self.start('exec sleep 60')
        os.kill(service.pid, signal.SIGUSR2)
        until(lambda: children(service.pid), service.said)
        started, = children(service.pid)
        os.kill(service.pid, signal.SIGUSR2)
        until(lambda: service.lines('while a new process is already starting'), service.said)
        self.assertEqual(service.ask('GET', '/')[0], 200)
        self.assertEqual(service.end(), 0)
        until(lambda: not is_alive(started), service.said)

    def test_what_a_script_leaves_behind_keeps_no_place(self):
        for how in ('ended', 'stopped'):
            # The shell waits for its child, and only the shell is killed.
            service, _ = self.start('sleep 30; exit 1', '--upgrade-seconds', '1')
            os.kill(service.pid, signal.SIGUSR2)
            until(lambda at=service: any(map(children, children(at.pid))), service.said)
            script, = children(service.pid)
            left, = children(script)
            self.addCleanup(os.kill, int(left), signal.SIGKILL)
            if how == 'ended':
                until(lambda at=service: at.lines('was not ready in time'), service.said)
            self.assertEqual(service.end(), 0)
            self.assertTrue(is_alive(left))
            with socket.socket() as place:
                place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                place.bind(('127.0.0.1', service.port))

    def test_process_1_stays_since_its_container_would_end(self):
        space = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child']
        if subprocess.run([*space, 'true'], capture_output=True).returncode:
            self.skipTest('no namespaces here')
        service = Service('--port', '{port}')
        service.command[:0] = space
        with service:
            first, = children(service.pid)
            service.pids.append(int(first))
            self.assertTrue(service.refuse('docker run --init'), service.said())
            self.check_serves(service)
            os.kill(service.pid, signal.SIGTERM)
            self.assertEqual(service.process.wait(SECONDS_MAX), 0)
            service.pids.pop()

    def test_a_program_that_is_never_ready_is_killed(self):
        service, _ = self.start('exec sleep 60', '--upgrade-seconds', '1')
        self.assertTrue(service.refuse('not ready in time'), service.said())
        self.check_serves(service)
        self.assertEqual(service.end(), 0)


class Kept(unittest.TestCase):
    """Connections of the old process."""

    def test_a_kept_connection_is_answered_once_more_and_told_to_close(self):
        with Service('--port', '{port}') as service:
            ask = b'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
            with service.connect() as client:
                client.sendall(ask)
                self.assertNotIn(b'Connection: close', client.recv(10000))
                service.upgrade()
                time.sleep(0.5)  # longer than the time after which a stop would have closed it
                client.sendall(ask)
                self.assertIn(b'Connection: close', client.recv(10000))
                self.assertEqual(client.recv(1), b'')
            self.assertEqual(service.end(), 0)

    def test_websockets_are_told_when_to_come_back(self):
        with Service('--port', '{port}') as service, contextlib.ExitStack() as stack:
            sockets = [stack.enter_context(service.connect()) for _ in range(10)]
            for each in sockets:
                each.sendall(OPEN_WEBSOCKET)
                receive_until(each, b'\r\n\r\n')
            service.upgrade()
            pauses = []
            for each in sockets:
                frame = each.recv(1000)
                self.assertEqual((frame[0], int.from_bytes(frame[2:4], 'big')), (0x88, 1012))
                pauses.append(int(re.fullmatch(rb'retry-ms=(\d+)', frame[4:])[1]))
            self.assertEqual(len(set(pauses)), len(pauses))
            self.assertLess(min(pauses), 1500)
            self.assertGreater(max(pauses), 3500)
            self.assertLessEqual(max(pauses), 5001)
            self.assertEqual(service.end(), 0)


    def test_event_streams_are_told_when_to_come_back(self):
        with Service('--port', '{port}') as service, contextlib.ExitStack() as stack:
            clients = [stack.enter_context(service.connect()) for _ in range(10)]
            for each in clients:
                each.sendall(OPEN_EVENTS)
                receive_until(each, b'\n\n\r\n')
            service.upgrade()
            pauses = {retry_of(receive_until(each, b'\r\n0\r\n\r\n')) for each in clients}
            self.assertGreater(len(pauses), 5)
            for each in clients:
                self.assertEqual(each.recv(1), b'')
                each.close()
            self.assertEqual(service.end(), 0)


def retry_of(content):
    """Returns the milliseconds after the last event."""
    pause = int(re.search(rb'\nretry: (\d+)\n\n(\r\n0\r\n\r\n)?$', content)[1])
    if not 500 <= pause <= 5000:
        raise AssertionError(pause)
    return pause


class Http2Client(h2.Client):
    """A WebSocket on stream 1 and events on stream 3."""

    SOCKET, EVENTS, OTHER = 1, 3, 5

    def __init__(self, port):
        super().__init__(port, seconds=SECONDS_MAX)
        self.send(h2.frame(h2.HEADERS, h2.END_HEADERS, self.SOCKET, h2.block(
            h2.request_fields('CONNECT', '/socket') +
            [(':protocol', 'websocket'), ('sec-websocket-version', '13')])))
        self.send(h2.request(self.EVENTS, '/ticks'))
        # The server's SETTINGS come first, and its acknowledgement of the client's.
        self.content, self.kinds, self.codes = {}, {}, []
        self.read_until(lambda: {self.SOCKET, self.EVENTS} <= self.kinds.keys() and
                        b'data: 1' in self.of(self.EVENTS))

    def of(self, stream):
        return self.content.get(stream, b'')

    def read_until(self, is_so):
        """Records frames, and responds to PINGs, which the two GOAWAYs require."""
        while not is_so():
            got = self.next_frame()
            if got is None:
                raise AssertionError(f'the connection ended: {self.kinds}, {self.content}')
            kind, flags, stream, payload = got
            if kind == h2.PING and not flags & h2.ACK:
                self.send(h2.frame(h2.PING, h2.ACK, 0, payload))
            if kind == h2.GOAWAY:
                self.codes.append(int.from_bytes(payload[4:8], 'big'))
            if stream == 0:
                continue
            self.kinds.setdefault(stream, []).append(kind)
            if kind == h2.DATA:
                self.content[stream] = self.of(stream) + payload
            if kind in (h2.DATA, h2.HEADERS) and flags & h2.END_STREAM:
                self.kinds[stream].append('end')

    def has_ended(self, stream):
        return self.kinds[stream][-1] == 'end'


def server_of(client):
    """Returns the process with the other end of the connection."""
    (_, mine), (_, port) = client.socket.getsockname(), client.socket.getpeername()
    listed = subprocess.run(['ss', '-Htnp', f'sport = :{port} and dport = :{mine}'],
                            capture_output=True, check=True, text=True).stdout
    return int(re.search(r'pid=(\d+)', listed)[1])


class KeptHttp2(unittest.TestCase):
    """The same on streams of HTTP/2."""

    def check_told(self, client):
        """returns  the times at which its WebSocket and its events are to reconnect"""
        client.read_until(lambda: client.of(client.SOCKET) and client.has_ended(client.EVENTS))
        frame = client.of(client.SOCKET)
        self.assertEqual((frame[0], int.from_bytes(frame[2:4], 'big')), (0x88, 1012))
        pause = int(re.fullmatch(rb'retry-ms=(\d+)', frame[4:])[1])
        self.assertLessEqual(pause, 5001)
        # The response: a close with 1012, masked with zeros.
        client.send(h2.frame(h2.DATA, h2.END_STREAM, client.SOCKET, b'\x88\x82\0\0\0\0\x03\xf4'))
        client.read_until(lambda: client.has_ended(client.SOCKET))
        for kinds in client.kinds.values():
            self.assertNotIn(h2.RST_STREAM, kinds)
        return pause, retry_of(client.of(client.EVENTS))

    def client_of_another(self, port, olds):
        """A replaced process still accepts connections that were queued for it."""
        deadline = time.monotonic() + SECONDS_MAX
        while time.monotonic() < deadline:
            client = Http2Client(port)
            if server_of(client) not in olds:
                return client
            client.socket.close()
        self.fail('the new process accepts no connection')

    def check_upgrade(self, service):
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(Http2Client(service.port)) for _ in range(10)]
            # With workers, one of them may have accepted all clients.
            olds = {server_of(each) for each in clients} | set(map(int, children(service.pid)))
            service.upgrade()
            new = stack.enter_context(self.client_of_another(service.port, olds))
            pauses = [self.check_told(each) for each in clients]
            for kind in zip(*pauses):
                self.assertGreater(len(set(kind)), 5)
            for each in clients:
                self.assertIn(each.end(), (0, None))
                self.assertEqual(set(each.codes), {0})
                each.socket.close()
            # Connections of the new process are not affected.
            new.send(h2.request(new.OTHER, '/'))
            new.read_until(lambda: new.OTHER in new.kinds and new.has_ended(new.OTHER))
            self.assertFalse(new.has_ended(new.EVENTS) or new.of(new.SOCKET) or new.codes)
            until(lambda: not any(map(is_alive, olds)), service.said)
        self.assertEqual(service.end(), 0)

    def test_websockets_and_event_streams_are_told_when_to_come_back(self):
        with Service('--port', '{port}', '--threads', '2') as service:
            self.check_upgrade(service)

    def test_so_they_are_by_workers(self):
        with Service('--port', '{port}', '--workers', '2') as service:
            self.check_upgrade(service)

    def test_a_stop_tells_event_streams_as_well(self):
        for words in ['--threads', '2'], ['--workers', '2']:
            with Service('--port', '{port}', *words) as service:
                with Http2Client(service.port) as client:
                    os.kill(service.pid, signal.SIGTERM)
                    client.read_until(lambda: client.has_ended(client.EVENTS))
                    retry_of(client.of(client.EVENTS))
                self.assertEqual(service.process.wait(SECONDS_MAX), 0)


class Systemd(unittest.TestCase):
    """Notifications for Type=notify, with a socket instead of systemd."""

    def test_the_new_process_becomes_the_main_one_and_none_stops(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        path = str(Path(directory) / 'notify')
        systemd = self.enterContext(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        systemd.bind(path)
        systemd.settimeout(SECONDS_MAX)
        with socket.create_server(('127.0.0.1', 0)) as listening:
            script = Path(directory) / 'start'
            script.write_text(f'#!/bin/sh\nLISTEN_PID=$$ LISTEN_FDS=1 exec {BIN / PROGRAM} "$@" '
                              f'3<&{listening.fileno()}\n')
            script.chmod(0o755)
            port = listening.getsockname()[1]
            service = subprocess.Popen([script, '--listen', 'systemd'], stderr=subprocess.DEVNULL,
                                       pass_fds=(listening.fileno(),),
                                       env={**os.environ, 'NOTIFY_SOCKET': path})
        try:
            self.assertEqual(systemd.recv(100), b'READY=1')
            service.send_signal(signal.SIGUSR2)
            new = int(systemd.recv(100).removeprefix(b'MAINPID='))
            self.assertEqual(systemd.recv(100), b'READY=1')
            self.assertEqual(service.wait(SECONDS_MAX), 0)
            with socket.create_connection(('127.0.0.1', port), SECONDS_MAX) as client:
                client.sendall(b'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
                self.assertTrue(client.recv(1000).startswith(b'HTTP/1.1 200'))
            os.kill(new, signal.SIGTERM)
            self.assertEqual(systemd.recv(100), b'STOPPING=1')
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(new, 0)[1]), 0)
        finally:
            if service.poll() is None:
                service.kill()
            service.wait()


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *OTHERS])

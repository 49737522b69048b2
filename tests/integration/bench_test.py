"""eider bench on the command line, against servers that respond, stall, send errors and disconnect.

Must not check figures that depend on the machine: only counts and limits.
"""

import base64
import hashlib
import json
import os
import pty
import re
import select
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from support import BIN, Program, free_port, run_to_end

ANSWER = b'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'
SECONDS_MAX = 60


class Lying(threading.Thread):
    """A server that calls `serve(connection, number)` for each connection, one thread each."""

    def __init__(self, serve):
        super().__init__(daemon=True)
        self.serve = serve
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.port = self.listener.getsockname()[1]

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def run(self):
        number = 0
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection, number), daemon=True).start()
            number += 1

    def _serve(self, connection, number):
        with connection:
            try:
                self.serve(connection, number)
            except OSError:
                pass


def answer_each(connection, answer=ANSWER, before_each=lambda: None):
    """Responds to every request of a connection."""
    rest = b''
    while data := connection.recv(65536):
        *heads, rest = (rest + data).split(b'\r\n\r\n')
        for _ in heads:
            before_each()
            connection.sendall(answer)


def never_answer(connection, _):
    """Waits until the client disconnects."""
    while connection.recv(65536):
        pass


def bench(*arguments):
    """Returns exit status and output."""
    return run_to_end('eider', 'bench', '--no-progress', *arguments)


def report(*arguments):
    """Returns the exit status and the JSON report."""
    with tempfile.TemporaryDirectory() as directory:
        name = Path(directory) / 'report.json'
        status, said = bench('--json', str(name), *arguments)
        if not name.exists():
            raise AssertionError(f'no report: {said}')
        return status, json.loads(name.read_text())


class Running:
    """A run with a terminal, after the first responses were counted. Use as a context manager."""

    def __init__(self, *words):
        self.words = words
        self.shown = ''

    def __enter__(self):
        self.master, terminal = pty.openpty()
        self.process = subprocess.Popen([BIN / 'eider', 'bench', *self.words], stderr=terminal,
                                        stdout=subprocess.PIPE, text=True)
        os.close(terminal)
        try:
            while not re.search(r'[1-9]\d* responses', self.shown):
                if not self._read():
                    raise AssertionError(f'it has shown no response: {self.shown}')
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        os.close(self.master)

    def end(self):
        """Waits for its end; returns exit status and output."""
        said, _ = self.process.communicate(timeout=SECONDS_MAX)
        while self._read():
            pass
        return self.process.returncode, said

    def _read(self):
        """Reads from the terminal; returns whether there is more."""
        if not select.select([self.master], [], [], SECONDS_MAX)[0]:
            return False
        try:
            self.shown += os.read(self.master, 65536).decode()
        except OSError:  # the program has ended
            return False
        return True


class Command(unittest.TestCase):
    def test_it_tells_what_it_can_do(self):
        for words, part in ((('--help',), 'bench'), (('--version',), 'eider 0.'),
                            (('bench', '--help'), '--connections')):
            status, said = run_to_end('eider', *words)
            self.assertEqual(status, 0)
            self.assertIn(part, said)

    def test_misuse_has_status_2_and_a_sentence(self):
        for words, part in (((), 'no command given'), (('bnech',), 'unknown command bnech'),
                            (('bench',), 'URL is missing'),
                            (('bench', '-c', 'x', 'http://a/'), '--connections must be'),
                            (('bench', 'ftp://127.0.0.1/'), 'Invalid URL ftp://127.0.0.1/: The'),
                            (('bench', 'localhost:1'),
                             'https://. Did you mean http://localhost:1?')):
            status, said = run_to_end('eider', *words)
            self.assertEqual(status, 2, said)
            self.assertIn(part, said)

    def test_what_cannot_be_reached_has_status_1_and_a_mend(self):
        port = free_port()
        for url, part in ((f'http://127.0.0.1:{port}/',
                           f'127.0.0.1, port {port}: the connection was refused'),
                          ('http://no-such-name.invalid/', 'no address for the host name')):
            status, said = bench('-d', '1s', url)
            self.assertEqual(status, 1, said)
            self.assertIn(part, said)


class Closed(unittest.TestCase):
    def test_it_asks_as_often_as_it_is_told(self):
        with Lying(lambda connection, _: answer_each(connection)) as server:
            for extra in ((), ('-t', '2'), ('-p', '8'), ('--backend', 'epoll')):
                with self.subTest(extra):
                    status, found = report('-n', '1001', '-c', '4', *extra,
                                           f'http://127.0.0.1:{server.port}/')
                    self.assertEqual(status, 0)
                    self.assertEqual(found['requests'], 1001)
                    self.assertEqual(found['statuses']['success'], 1001)
                    self.assertEqual(found['bytes'], 1001 * len(ANSWER))
                    self.assertEqual(found['connections_opened'], 4)
                    self.assertEqual(sum(b['count'] for b in found['buckets']), 1001)

    def test_the_service_counts_the_same(self):
        with Program('floor_epoll', '{port}', '1') as floor:
            for words, requests, seconds in ((('-d', '500ms'), None, (0.5, 20)),
                                             (('-n', '1001', '-d', '60s'), 1001, (0, 60))):
                begin = time.monotonic()
                status, found = report(*words, '-c', '8', f'http://127.0.0.1:{floor.port}/')
                took = time.monotonic() - begin
                self.assertEqual(status, 0)
                self.assertGreater(found['requests'], 0)
                self.assertIn(requests, (None, found['requests']))
                self.assertTrue(seconds[0] <= found['seconds'] < min(took, seconds[1]),
                                found['seconds'])
                latency = found['latency']
                rising = [latency[k] for k in ('min_ms', 'p50_ms', 'p90_ms', 'p99_ms', 'max_ms')]
                self.assertEqual(rising, sorted(rising))

    def test_the_warm_up_is_not_counted(self):
        asked = []
        with Lying(lambda c, _: answer_each(c, before_each=lambda: asked.append(1))) as server:
            status, found = report('--warmup', '300ms', '-n', '50', '-c', '2',
                                   f'http://127.0.0.1:{server.port}/')
        self.assertEqual((status, found['requests']), (0, 50))
        self.assertGreater(len(asked), 50)

    def test_statuses_are_told_and_are_no_errors(self):
        answer = b'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n'
        with Lying(lambda connection, _: answer_each(connection, answer)) as server:
            status, found = report('-n', '20', '-c', '2', f'http://127.0.0.1:{server.port}/')
        self.assertEqual((status, found['errors']), (0, 0))
        self.assertEqual(found['statuses']['server_error'], 20)

    def test_answers_may_be_chunked_or_end_with_their_connection(self):
        chunked = (b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
                   b'5\r\nhello\r\n0\r\n\r\n')
        with Lying(lambda connection, _: answer_each(connection, chunked)) as server:
            status, found = report('-n', '20', '-c', '2', f'http://127.0.0.1:{server.port}/')
            self.assertEqual((status, found['requests']), (0, 20))

        def answer_and_leave(connection, _):
            connection.recv(65536)
            connection.sendall(b'HTTP/1.1 200 OK\r\n\r\nhello')

        with Lying(answer_and_leave) as server:
            status, found = report('-n', '20', '-c', '2', f'http://127.0.0.1:{server.port}/')
            self.assertEqual((status, found['requests'], found['errors']), (0, 20, 0))

    def test_the_requests_are_those_that_were_asked_for(self):
        seen = []

        def note(connection, _):
            data = connection.recv(65536)
            seen.append(data)
            connection.sendall(ANSWER)
            connection.recv(1)

        with Lying(note) as server:
            bench('-n', '1', '-c', '1', '-m', 'PUT', '-H', 'A: b', '-b', '{}',
                  f'http://127.0.0.1:{server.port}/x?y=z')
        self.assertEqual(seen[1:],  # the first connection only tests whether the server listens
                         [f'PUT /x?y=z HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nA: b\r\n'
                          'Content-Length: 2\r\n\r\n{}'.encode()])

    def test_requests_of_a_file_are_asked_in_turn(self):
        paths = []

        def note(connection, _):
            rest = b''
            while data := connection.recv(65536):
                *heads, rest = (rest + data).split(b'\r\n\r\n')
                for head in heads:
                    paths.append(head.split(b' ')[1])
                    connection.sendall(ANSWER)

        with tempfile.NamedTemporaryFile('w', suffix='.txt') as file, Lying(note) as server:
            file.write('# three\nGET /1\nGET /2\n\nGET /3\n')
            file.flush()
            status, found = report('-n', '7', '-c', '1', '--requests-file', file.name,
                                   f'http://127.0.0.1:{server.port}/')
            self.assertEqual((status, found['requests']), (0, 7))
            self.assertEqual(b''.join(paths), b'/1/2/3/1/2/3/1')
            status, said = bench('--requests-file', '/no/such', f'http://127.0.0.1:{server.port}')
            self.assertEqual(status, 1)
            self.assertIn('cannot read /no/such', said)


class Errors(unittest.TestCase):
    def test_nothing_answered_is_no_success(self):
        with Lying(never_answer) as server:
            status, said = bench('-d', '200ms', '-c', '1', f'http://127.0.0.1:{server.port}/')
        self.assertEqual(status, 1)
        self.assertIn('No response arrived before the end', said)

    def find(self, serve, *arguments):
        """Returns the report of a run against a server with errors."""
        with Lying(serve) as server:
            status, found = report('-c', '2', *arguments, f'http://127.0.0.1:{server.port}/')
        self.assertEqual(status, 1)
        return found

    def test_an_answer_that_never_comes_times_out(self):
        found = self.find(never_answer, '-n', '2', '--timeout', '200ms', '-d', '60s')
        self.assertEqual(found['errors_by_kind']['timeout'], 2)
        self.assertIn('--timeout', found['first_error'])

    def test_an_answer_that_ends_too_early_is_closed(self):
        def cut(connection, _):
            connection.recv(65536)
            connection.sendall(ANSWER[:-1])

        found = self.find(cut, '-n', '4')
        self.assertEqual(found['errors_by_kind']['closed'], 4)
        self.assertEqual(found['requests'], 0)

    def test_what_is_no_http_is_malformed(self):
        def greet(connection, _):
            connection.recv(65536)
            connection.sendall(b'220 mail.example ESMTP\r\n')
            connection.recv(1)

        found = self.find(greet, '-n', '4')
        self.assertEqual(found['errors_by_kind']['malformed'], 4)
        self.assertIn('invalid HTTP/1.1 response', found['first_error'])

    def test_an_answer_too_many_is_malformed(self):
        found = self.find(lambda c, _: answer_each(c, ANSWER + ANSWER), '-n', '4', '-d', '60s')
        self.assertEqual(found['requests'], 4)
        self.assertGreater(found['errors_by_kind']['malformed'], 0)
        self.assertIn('sent bytes without a request', found['first_error'])

    def test_a_server_that_leaves_is_told_of(self):
        with Program('floor_epoll', '{port}', '1') as floor:
            with tempfile.TemporaryDirectory() as directory:
                name = Path(directory) / 'x.json'
                with Running('-d', '60s', '-c', '4', '--errors-max', '20', '--json', str(name),
                             f'http://127.0.0.1:{floor.port}/') as running:
                    floor.stop(signal.SIGKILL)
                    status, said = running.end()
                found = json.loads(name.read_text())
        self.assertEqual(status, 1)
        self.assertGreater(found['requests'], 0)
        self.assertGreater(found['errors_by_kind']['connect'], 0)
        self.assertIn('errors', said)


class Open(unittest.TestCase):
    def test_it_keeps_its_rate(self):
        """Each thread sends 249 requests: the 250th would be due at the end of the run."""
        with Program('floor_epoll', '{port}', '1') as floor:
            status, found = report('-r', '500', '-d', '1s', '-c', '8', '-t', '2',
                                   f'http://127.0.0.1:{floor.port}/')
        self.assertEqual((status, found['requests']), (0, 498))
        self.assertEqual(found['setting']['loop'], 'open')

    def test_a_load_generator_that_gets_no_processor_sends_all_that_was_due(self):
        asked = threading.Event()
        with Lying(lambda c, _: answer_each(c, before_each=asked.set)) as server, \
                tempfile.TemporaryDirectory() as directory:
            name = Path(directory) / 'x.json'
            for backend in 'epoll', 'io_uring':
                asked.clear()
                running = subprocess.Popen(
                    [BIN / 'eider', 'bench', '-r', '500', '-d', '1s', '-c', '2', '--backend',
                     backend, '--json', str(name), f'http://127.0.0.1:{server.port}/'],
                    stdout=subprocess.DEVNULL)
                self.assertTrue(asked.wait(SECONDS_MAX))
                running.send_signal(signal.SIGSTOP)
                time.sleep(1.1)  # longer than the run
                running.send_signal(signal.SIGCONT)
                self.assertEqual(running.wait(SECONDS_MAX), 0)
                self.assertEqual(json.loads(name.read_text())['requests'], 499)

    def test_a_stall_is_counted_for_all_that_it_kept_waiting(self):
        """The stall is long in relation to the current latency of this machine."""
        asked, stall_ms = 0, 0

        def stall_once():
            nonlocal asked
            asked += 1
            if asked == 60:
                time.sleep(stall_ms / 1000)

        with Lying(lambda c, _: answer_each(c, before_each=stall_once)) as server:
            url = f'http://127.0.0.1:{server.port}/'
            _, usual = report('-n', '200', '-d', '60s', '-c', '1', url)
            stall_ms = max(400, round(8 * usual['latency']['p99_ms']))
            asked = 0
            status, found = report('-r', str(80_000 / stall_ms), '-d', f'{stall_ms * 5 // 2}ms',
                                   '-c', '1', url)
            self.assertEqual(status, 0)
            self.assertTrue(199 <= found['requests'] <= 200, found['requests'])
            # 80 of 200 requests were due during the stall, and waited half of it on average.
            self.assertGreater(found['latency']['p90_ms'], stall_ms * 3 / 8)
            self.assertGreater(found['latency']['p99_ms'], stall_ms * 5 / 8)
            asked = 0
            _, closed = report('-n', '200', '-d', '60s', '-c', '1', url)
            # A closed loop sees the stall only once, as an outlier.
            self.assertLess(closed['latency']['p90_ms'], stall_ms / 4)
            self.assertGreater(closed['latency']['max_ms'], stall_ms * 7 / 8)


class NewConnections(unittest.TestCase):
    def test_each_client_asks_its_part_on_connections_of_their_own(self):
        asked = []

        def serve(connection, number):
            asked.append((number, connection.recv(65536).count(b'GET')))
            connection.sendall(ANSWER)
            if connection.recv(1):
                asked.append((number, 'again'))

        with Lying(serve) as server:
            for extra in ((), ('-t', '2'), ('--warmup', '200ms')):
                with self.subTest(extra):
                    asked.clear()
                    status, found = report('--new-connections', '-n', '51', '-c', '4', *extra,
                                           f'http://127.0.0.1:{server.port}/')
                    self.assertEqual((status, found['requests'], found['errors']), (0, 51, 0))
                    if '--warmup' not in extra:
                        # One more connection tested whether the server listens.
                        self.assertEqual([what for _, what in asked].count(1), 51)
                        self.assertEqual(found['connections_opened'], 51)


class Reports(unittest.TestCase):
    def test_ctrl_c_ends_and_reports(self):
        with Program('floor_epoll', '{port}', '1') as floor:
            with Running('-d', '60s', '-c', '4', f'http://127.0.0.1:{floor.port}/') as running:
                running.process.send_signal(signal.SIGINT)
                status, said = running.end()
        self.assertEqual(status, 0, said)
        self.assertIn('interrupted', said)
        self.assertGreater(int(re.search(r'\((\d+) responses', said)[1]), 0)

    def test_ctrl_c_while_connections_are_opened_ends_it(self):
        asked, is_told = threading.Event(), threading.Event()

        def open_late(connection, _):
            asks = re.search(rb'Sec-WebSocket-Key: (.*)\r', connection.recv(4096), re.IGNORECASE)
            if not asks:
                return  # only tests whether the server listens
            asked.set()
            is_told.wait(SECONDS_MAX)
            digest = hashlib.sha1(asks[1] + b'258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest()
            connection.sendall(b'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n'
                               b'Connection: Upgrade\r\nSec-WebSocket-Accept: ' +
                               base64.b64encode(digest) + b'\r\n\r\n')
            connection.recv(4096)
        for words in [], ['--rate', '100']:
            with Lying(open_late) as server, subprocess.Popen(
                    [BIN / 'eider', 'bench', '-d', '60s', '-c', '1', *words,
                     f'ws://127.0.0.1:{server.port}/'], stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, text=True) as running:
                self.assertTrue(asked.wait(SECONDS_MAX))
                running.send_signal(signal.SIGINT)
                pending = Path(f'/proc/{running.pid}/status')
                while 'ShdPnd:\t0000000000000000' not in pending.read_text():
                    time.sleep(0.001)
                is_told.set()
                said, _ = running.communicate(timeout=SECONDS_MAX)
            self.assertEqual(running.returncode, 1, said)
            self.assertIn('eider bench: No response arrived before the end', said)
            asked.clear()
            is_told.clear()

    def test_a_terminal_shows_the_count_and_nothing_else_does(self):
        with Program('floor_epoll', '{port}', '1') as floor:
            url = f'http://127.0.0.1:{floor.port}/'
            with Running('-d', '60s', url) as running:
                running.process.send_signal(signal.SIGINT)
                self.assertEqual(running.end()[0], 0)
            self.assertRegex(running.shown, r's of 60.0 s +[1-9]\d* responses +\d+/s +0 failed')
            self.assertTrue(running.shown.endswith('\r\x1b[K'), running.shown)
            _, said = run_to_end('eider', 'bench', '-d', '700ms', url)
            self.assertNotIn('\x1b', said)

    def test_the_page_and_the_json_are_written(self):
        with tempfile.TemporaryDirectory() as directory, \
                Program('floor_epoll', '{port}', '1') as floor:
            page, data = Path(directory) / 'a.html', Path(directory) / 'a.json'
            url = f'http://127.0.0.1:{floor.port}/'
            status, said = bench('-n', '100', '--html', str(page), '--json', str(data), url)
            self.assertEqual(status, 0, said)
            self.assertIn(data.read_text().strip(), page.read_text())
            self.assertEqual(json.loads(data.read_text())['requests'], 100)
            status, said = bench('-n', '100', '--json', '-', url)
            self.assertEqual(json.loads(said)['requests'], 100)

    def test_a_report_that_has_no_place_is_told_ahead_of_the_run(self):
        with tempfile.TemporaryDirectory() as directory:
            for option in '--json', '--html':
                for name, why in (('no/a', 'No such file or directory'), ('', 'Is a directory')):
                    # No server listens there; a run that starts would report that first.
                    said = bench(option, f'{directory}/{name}', f'http://127.0.0.1:{free_port()}/')
                    self.assertEqual(said, (
                        1, f'eider bench: cannot write {directory}/{name}: {why}\n'))


@unittest.skipUnless((BIN / 'arena_eider').exists(), 'the measuring service is not built')
class Large(unittest.TestCase):
    def test_a_pipeline_of_large_requests_does_not_choke_on_its_answers(self):
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file, \
                Program('arena_eider', '{port}', '1') as service:
            json.dump({'text': 'x' * 60000}, file)
            file.flush()
            status, found = report('-n', '400', '-c', '2', '-p', '256', '--timeout', '5s',
                                   '--body-file', file.name,
                                   '-H', 'Content-Type: application/json',
                                   f'http://127.0.0.1:{service.port}/test')
        self.assertEqual((status, found['requests']), (0, 400))
        self.assertEqual(found['statuses']['success'], 400)


@unittest.skipUnless((BIN / 'arena_eider').exists(), 'the measuring service is not built')
class Tls(unittest.TestCase):
    def setUp(self):
        self.tls_port = free_port()
        service = Program('arena_eider', '{port}', '1', '--tls-port', str(self.tls_port))
        self.enterContext(service)
        self.url = f'https://127.0.0.1:{self.tls_port}/plaintext'

    def test_any_certificate_will_do_where_that_is_asked_for(self):
        for extra in ((), ('-r', '200'), ('-p', '4')):
            with self.subTest(extra):
                status, found = report('-k', '-n', '100', '-c', '4', *extra, self.url)
                self.assertEqual((status, found['requests'], found['errors']), (0, 100, 0))

    def test_an_unknown_authority_is_refused_and_a_known_one_is_not(self):
        status, said = bench('-n', '10', self.url)
        self.assertEqual(status, 1)
        self.assertIn('TLS failed', said)
        certificate = ssl.get_server_certificate(('127.0.0.1', self.tls_port))
        with tempfile.NamedTemporaryFile('w', suffix='.pem') as file:
            file.write(certificate)
            file.flush()
            status, found = report('-n', '100', '--cacert', file.name, self.url)
        self.assertEqual((status, found['requests']), (0, 100))
        status, said = bench('-n', '10', '--cacert', '/no/such.pem', self.url)
        self.assertEqual(status, 1)
        self.assertIn('/no/such.pem', said)

    def test_plain_text_on_the_other_side_is_named(self):
        with Lying(lambda connection, _: answer_each(connection)) as server:
            status, said = bench('-k', '-n', '1', '--timeout', '2s',
                                 f'https://127.0.0.1:{server.port}/')
        self.assertEqual(status, 1, said)
        self.assertRegex(said, 'TLS|--timeout')


if __name__ == '__main__':
    unittest.main()

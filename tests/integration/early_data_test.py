"""TLS 1.3's early data of examples/12_early_data against openssl s_client.

Must not wait without a bound, and must not leave a file behind.
"""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from http2_frames import END_HEADERS, END_STREAM, GOAWAY, HEADERS, PREFACE, frame, settings
from proxy_support import Listening
from support import Program, free_port

PROGRAM = '12_early_data'
SECONDS_MAX = 20
HELD_SECONDS = 0.5


def get(path, *lines, method='GET', content=''):
    """A request that ends its connection."""
    return '\r\n'.join([f'{method} {path} HTTP/1.1', 'Host: localhost', 'Connection: close', *lines,
                        '', content]).encode()


def h2_get(path):
    """A whole connection of HTTP/2 with one request, its fields written out."""
    fields = (b'\x82\x87\x00\x05:path' + bytes([len(path)]) + path.encode()
              + b'\x00\x0a:authority\x09localhost')
    return (PREFACE + settings() + frame(HEADERS, END_HEADERS | END_STREAM, 1, fields)
            + frame(GOAWAY, 0, 0, bytes(8)))


class Relay(Listening):
    """Stands between a client and the server, and keeps what the client says first.

    holds  seconds that all waits which the client says after that
    """

    def __init__(self, port, holds=0.0):
        self.server_port, self.holds = port, holds
        self.first, self.passed, self.answered_first = b'', 0, 0
        super().__init__()

    def _serve(self, client):
        with contextlib.suppress(OSError):
            server = socket.create_connection(('127.0.0.1', self.server_port), SECONDS_MAX)
            with client, server:
                self.first = self._receive_flight(client)
                server.sendall(self.first)
                back = threading.Thread(target=self._pass, args=(server, client), daemon=True)
                back.start()
                back.join(self.holds)
                self.answered_first = self.passed
                self._pass_on(client, server)
                back.join(SECONDS_MAX)

    def _receive_flight(self, client):
        """All that comes until the client waits."""
        client.settimeout(0.3)
        flight = b''
        with contextlib.suppress(TimeoutError):
            while data := client.recv(65536):
                flight += data
        client.settimeout(SECONDS_MAX)
        return flight

    def _pass(self, server, client):
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                self.passed += len(data)
                client.sendall(data)
            client.shutdown(socket.SHUT_WR)

    @staticmethod
    def _pass_on(client, server):
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)


class Early(unittest.TestCase):
    """A service, and clients that have been there."""

    arguments = ()
    environment = {}

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix='eider_early_'))
        self.addCleanup(shutil.rmtree, self.folder)
        self.start()

    def start(self):
        self.tls_port = free_port()
        self.server = Program(PROGRAM, '--port', '{port}', '--tls-port', str(self.tls_port),
                              '--threads', '2', *self.arguments, environment=self.environment)
        self.server.__enter__()
        self.addCleanup(self.server.__exit__)

    def s_client(self, *words, given=b'', port=0):
        """What it printed until the server ended the connection."""
        command = ['openssl', 's_client', '-connect', f'127.0.0.1:{port or self.tls_port}',
                   '-servername', 'localhost', '-ign_eof', *words]
        return subprocess.run(command, input=given, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False,
                              timeout=SECONDS_MAX).stdout.decode(errors='replace')

    def session(self, *words, first=None):
        """A file with what the server lets a client resume, and what the client printed."""
        path = str(self.folder / 'session')
        if os.path.exists(path):
            os.unlink(path)
        said = self.s_client('-sess_out', path, *words, given=first or get('/'))
        self.assertTrue(os.path.exists(path), said)
        return path, said

    def ask_early(self, request, *words, session=None, given=b'', port=0):
        """What s_client printed that sent the request in early data."""
        path = self.folder / 'request'
        path.write_bytes(request)
        return self.s_client('-sess_in', session or self.session(*words)[0], '-early_data',
                             str(path), *words, given=given, port=port)

    def count(self):
        """How often /asked has been asked, this time too."""
        return int(self.server.ask('GET', '/asked')[2])


class Served(Early):
    def test_a_route_that_allows_it_answers_early(self):
        said = self.ask_early(get('/'))
        self.assertIn('Early data was accepted', said)
        self.assertIn('HTTP/1.1 200 OK', said)
        self.assertIn('It came early.', said)
        self.assertIn('Max Early Data: 16384', said)

    def test_the_answer_leaves_before_the_client_has_finished(self):
        session, _ = self.session()
        with Relay(self.tls_port, holds=HELD_SECONDS) as relay:
            said = self.ask_early(get('/large'), session=session, port=relay.port)
            self.assertGreater(relay.answered_first, 100_000)
        self.assertEqual(max(map(len, re.findall('x+', said))), 100_000)

    def test_another_route_puts_it_off_and_serves_it_then_on_the_same_connection(self):
        for request in (b'GET /late HTTP/1.1\r\nHost: a\r\n\r\n',
                        b'POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab'):
            said = self.ask_early(request, given=get('/late'))
            self.assertIn('Early data was accepted', said)
            self.assertIn('HTTP/1.1 425 Too Early', said)
            self.assertIn('HTTP/1.1 200 OK', said.split('425 Too Early')[1])
            self.assertIn('It came in time.', said)

    def test_a_request_that_is_cut_by_the_handshake_is_early(self):
        said = self.ask_early(b'GET / HTTP/1.1\r\nHost: a\r\nConn', given=b'ection: close\r\n\r\n')
        self.assertIn('It came early.', said)
        said = self.ask_early(b'GET /late HTTP/1.1\r\nHost: a\r\nConn',
                              given=b'ection: close\r\n\r\n')
        self.assertIn('HTTP/1.1 425 Too Early', said)

    def test_over_http2_too(self):
        for path, expected in (('/', 'It came early.'), ('/late', '"status":425')):
            said = self.ask_early(h2_get(path), '-alpn', 'h2',
                                  session=self.session('-alpn', 'h2', first=h2_get('/'))[0])
            self.assertIn('Early data was accepted', said)
            self.assertIn(expected, said)

    def test_a_session_is_resumed_without_it_as_before(self):
        session, _ = self.session()
        said = self.s_client('-sess_in', session, given=get('/late'))
        self.assertIn('Reused, TLSv1.3', said)
        self.assertIn('It came in time.', said)


class Refused(Early):
    def test_a_recorded_flight_is_served_once(self):
        session, _ = self.session()
        before = self.count()
        with Relay(self.tls_port) as relay:
            said = self.ask_early(get('/asked'), session=session, port=relay.port)
            self.assertIn(f'\r\n\r\n{before + 1}', said)
            for _ in range(5):
                with socket.create_connection(('127.0.0.1', self.tls_port), SECONDS_MAX) as again:
                    again.sendall(relay.first)
                    again.settimeout(HELD_SECONDS)
                    self.assertTrue(again.recv(65536), 'the handshake is answered')
        self.assertEqual(self.count(), before + 2)

    def test_a_server_that_has_forgotten_the_tickets_goes_on_without_it(self):
        session, _ = self.session()
        self.server.stop()
        self.start()
        before = self.count()
        said = self.ask_early(get('/asked'), session=session, given=get('/asked'))
        self.assertIn('Early data was rejected', said)
        self.assertIn('New, TLSv1.3', said)
        self.assertIn(f'\r\n\r\n{before + 1}', said)
        self.assertEqual(self.count(), before + 2)

    def test_another_curve_or_protocol_goes_on_without_it(self):
        session, _ = self.session('-alpn', 'http/1.1')
        said = self.ask_early(get('/'), '-alpn', 'http/1.1', '-groups', 'P-521:P-256',
                              session=session, given=get('/late'))
        self.assertIn('Early data was rejected', said)
        self.assertIn('It came in time.', said)

    def test_a_client_that_never_finishes_is_ended(self):
        session, _ = self.session()
        with Relay(self.tls_port, holds=SECONDS_MAX) as relay:
            began = time.monotonic()
            said = self.ask_early(b'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET', session=session,
                                  port=relay.port)
            self.assertLess(time.monotonic() - began, SECONDS_MAX - 5)
        self.assertIn('It came early.', said)


class OneUpstream(Early):
    """Early requests through the proxy; the upstream is the service's own plain port."""

    def setUp(self):
        self.upstream = Program(PROGRAM, '--port', '{port}')
        self.upstream.__enter__()
        self.addCleanup(self.upstream.__exit__)
        self.environment = {'UPSTREAM': f'http://127.0.0.1:{self.upstream.port}'}
        super().setUp()

    def test_it_is_told_and_its_refusal_is_passed_back(self):
        said = self.ask_early(get('/upstream/'))
        self.assertIn('HTTP/1.1 200 OK', said)
        self.assertIn('It came early.', said)
        said = self.ask_early(get('/upstream/late'))
        self.assertIn('HTTP/1.1 425 Too Early', said)
        self.assertIn('Via: ', said)

    def test_it_is_told_what_a_proxy_in_front_says(self):
        status, _, body = self.server.ask('GET', '/upstream/', headers={'Early-Data': '1'})
        self.assertEqual((status, body), (200, b'It came early.\n'))
        status, _, body = self.server.ask('GET', '/upstream/')
        self.assertEqual((status, body), (200, b'It came in time.\n'))


class Elsewhere(unittest.TestCase):
    def test_an_app_without_such_a_route_announces_none(self):
        tls_port = free_port()
        with Program('10_http2', '--port', '{port}', '--tls-port', str(tls_port)):
            said = subprocess.run(
                ['openssl', 's_client', '-connect', f'127.0.0.1:{tls_port}', '-ign_eof'],
                input=get('/'), capture_output=True, check=False,
                timeout=SECONDS_MAX).stdout.decode(errors='replace')
        self.assertIn('Max Early Data: 0', said)
        self.assertNotIn('Max Early Data: 16384', said)


if __name__ == '__main__':
    unittest.main()

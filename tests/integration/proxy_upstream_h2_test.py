"""proxy_to in front of upstreams with HTTP/2: allowed behavior, and attacks that must not pass.

Must not repeat tests that are independent of the upstream's protocol: suites of proxy_*_test.py run
here again, with an HTTP/2 connection between two proxies.
"""

import contextlib
import os
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

import http2_frames as h2
import proxy_broken_test
import proxy_fields_test
import proxy_smuggling_test
import proxy_support
from client_test import make_certificate
from proxy_support import (SECONDS_MAX, Listening, SecureProxy, ask, has_nginx, nginx, proxy,
                           read_all, wait_for)
from support import Program, free_port

GET = b'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
VERSIONS = ('--http1.1', '--http2')
WHOLE = h2.END_HEADERS | h2.END_STREAM


def head(stream, status, *fields, flags=h2.END_HEADERS):
    """Returns HEADERS of a response."""
    return h2.frame(h2.HEADERS, flags, stream, h2.block([(':status', status), *fields]))


def data(stream, content, flags=h2.END_STREAM):
    """Returns DATA."""
    return h2.frame(h2.DATA, flags, stream, content)


def trailers(stream, *fields):
    """Returns HEADERS after the content."""
    return h2.frame(h2.HEADERS, WHOLE, stream, h2.block(fields))


class Upstream(Listening):
    """Calls `script(self, send, kind, stream, flags)` for each received frame of a stream.

    Records the number of connections, and the streams that were reset.
    """

    def __init__(self, script, opening=None):
        self.script = script
        self.opening = h2.settings() if opening is None else opening
        self.connections = 0
        self.resets = []
        self.content = 0
        super().__init__()

    def _serve(self, connection):
        self.connections += 1
        with contextlib.suppress(OSError, EOFError, ValueError), connection:
            connection.settimeout(SECONDS_MAX)
            file = connection.makefile('rb')
            file.read(len(h2.PREFACE))
            connection.sendall(self.opening)
            while True:
                first = file.read(9)
                if len(first) < 9:
                    return
                payload = file.read(int.from_bytes(first[:3], 'big'))
                kind, flags = first[3], first[4]
                stream = int.from_bytes(first[5:9], 'big') & 0x7FFFFFFF
                if kind == h2.SETTINGS and not flags & h2.ACK:
                    connection.sendall(h2.settings(ack=True))
                elif kind == h2.RST_STREAM:
                    self.resets.append((stream, int.from_bytes(payload, 'big')))
                elif kind == h2.DATA:
                    self.content += len(payload)
                if stream != 0 and kind in (h2.HEADERS, h2.DATA):
                    self.script(self, connection.sendall, kind, stream, flags)


def saying(*answers):
    """Returns an upstream that responds with these in turn: functions of the stream's number."""
    left = list(answers)
    def script(_, send, kind, stream, _flags):
        if kind == h2.HEADERS:
            send((left.pop(0) if len(left) > 1 else left[0])(stream))
    return Upstream(script)


def ok(stream, content=b'ok'):
    """Returns a plain response."""
    return head(stream, '200') + data(stream, content)


def is_failure(said, status):
    """Returns whether curl -i received no whole response: a 502 if nothing had been sent before."""
    return status != 0 or b' 502' in said.split(b'\r\n')[0]


@unittest.skipUnless(has_nginx(), 'no nginx')
class OfNginx(unittest.TestCase):
    def test_over_tls_it_is_asked_in_what_it_agrees_to(self):
        with tempfile.TemporaryDirectory() as root:
            make_certificate(Path(root))
            for spoken, how in ((b'HTTP/2.0', 'ssl http2'), (b'HTTP/1.1', 'ssl')):
                tls = free_port()
                server = (f'listen 127.0.0.1:{tls} {how}; ssl_certificate {root}/cert.pem; '
                          f'ssl_certificate_key {root}/key.pem; '
                          'location / { return 200 "$server_protocol"; }')
                with nginx(server), \
                        mock.patch.dict(os.environ, SSL_CERT_FILE=f'{root}/cert.pem'), \
                        proxy(f'https://localhost:{tls}') as front:
                    self.assertEqual(front.ask('GET', '/')[::2], (200, spoken))


class Answers(unittest.TestCase):
    def test_all_requests_share_a_connection_and_via_says_what_was_spoken(self):
        with saying(ok) as service, proxy(service.url(), threads=1, HTTP2='true') as front:
            for _ in range(3):
                said = ask(front, GET)
                self.assertTrue(said.startswith(b'HTTP/1.1 200 '), said)
                self.assertIn(b'\r\nVia: 2.0 eider\r\n', said)
                self.assertTrue(said.endswith(b'\r\n\r\nok'), said)
            self.assertEqual(service.connections, 1)

    def test_a_proxy_of_many_threads_that_has_asked_stops_in_order(self):
        for backend in ('epoll', 'io_uring'):
            with saying(ok) as service, \
                    proxy(service.url(), arguments=('--backend', backend), threads=16,
                          HTTP2='true') as front:
                for _ in range(32):
                    self.assertTrue(ask(front, GET).endswith(b'ok'))
                self.assertEqual(front.stop(), 0)

    def test_interim_answers_and_trailers_pass_to_either_protocol(self):
        def answer(stream):
            return (head(stream, '103', ('link', '</a.css>')) + head(stream, '100')
                    + head(stream, '200', ('trailer', 'x-sum')) + data(stream, b'abc', 0)
                    + trailers(stream, ('x-sum', '6')))
        with saying(answer) as service, SecureProxy(service.url(), HTTP2='true') as front:
            for version in VERSIONS:
                said, status = front.curl('-i', '-H', 'TE: trailers', '-H', 'Connection: TE',
                                          version=version)
                self.assertEqual(status, 0)
                self.assertIn(b' 103', said)
                self.assertIn(b'link: </a.css>', said.lower())
                self.assertNotIn(b' 100', said)
                self.assertIn(b'x-sum: 6', said.lower())

    def test_trailers_that_belong_to_a_head_are_dropped_for_either_protocol(self):
        for name in ('content-length', 'date', 'content-type', 'set-cookie', 'location'):
            def answer(stream, name=name):
                return (head(stream, '200') + data(stream, b'abc', 0)
                        + trailers(stream, (name, '3'), ('x-sum', '6')))
            with saying(answer) as service, SecureProxy(service.url(), HTTP2='true') as front:
                for version in VERSIONS:
                    said, status = front.curl('-i', version=version)
                    self.assertEqual(status, 0, (name, version))
                    behind = said[said.index(b'\r\n\r\n'):].lower()
                    self.assertNotIn(name.encode(), behind)
                    self.assertIn(b'x-sum: 6', behind)

    def test_one_that_comes_early_arrives_though_the_content_was_not_taken(self):
        def answer(stream):
            return (head(stream, '413') + data(stream, b'no')
                    + h2.reset(stream, h2.NO_ERROR))
        with saying(answer) as service, SecureProxy(service.url(), HTTP2='true') as front:
            for version in VERSIONS:
                said, _ = front.curl('-w', '%{http_code}', '-H', 'Expect:', '-T', '-',
                                     given=b'x' * (4 << 20), version=version)
                self.assertTrue(said.endswith(b'413'), said[-100:])
            self.assertLess(service.content, 1 << 20)
            self.assertEqual(front.curl()[0], b'no')
            self.assertLessEqual(service.connections, 2, 'one for each thread')

    def test_that_break_off_never_look_whole(self):
        def broken(stream):
            return head(stream, '200') + data(stream, b'half', 0) + h2.reset(stream, 2)
        def short(stream):
            return head(stream, '200', ('content-length', '9')) + data(stream, b'half')
        for answer in (broken, short):
            with saying(answer, ok) as service, \
                    SecureProxy(service.url(), HTTP2='true') as front:
                for version in VERSIONS:
                    self.assertTrue(is_failure(*front.curl('-i', version=version)))
                    service.script = saying(answer, ok).script

    def test_without_a_head_are_502(self):
        for code in (h2.INTERNAL_ERROR, h2.CANCEL, h2.NO_ERROR):
            with saying(lambda stream, code=code: h2.reset(stream, code)) as service, \
                    proxy(service.url(), HTTP2='true') as front:
                self.assertTrue(ask(front, GET).startswith(b'HTTP/1.1 502 '))


class Border(unittest.TestCase):
    """Values that HTTP/2 allows and that must not be written as HTTP/1.1."""

    def test_no_field_that_would_be_two_passes(self):
        split = 'a\r\nSet-Cookie: b=c\r\n\r\nHTTP/1.1 200 OK'
        for fields in ([('x', split)], [('x\r\ny', 'z')], [('x:', 'z')], [('X-Upper', 'z')],
                       [('connection', 'close')], [('transfer-encoding', 'chunked')],
                       [('upgrade', 'websocket')], [('keep-alive', '5')], [(':status', '204')],
                       [('content-length', '1'), ('content-length', '2')], [(':path', '/')],
                       [('x', 'a\0b')], [('', 'z')]):
            with self.subTest(fields), \
                    saying(lambda stream, fields=fields: head(stream, '200', *fields)
                           + data(stream, b'content')) as service, \
                    proxy(service.url(), HTTP2='true') as front:
                said = ask(front, GET)
                self.assertTrue(said.startswith(b'HTTP/1.1 502 '), said)
                self.assertNotIn(b'b=c', said)
                self.assertEqual(said.count(b'HTTP/1.1 '), 1)

    def test_nor_as_a_trailer_which_come_in_a_bounded_number(self):
        much = [(f'x-{number}', 'y' * 1000) for number in range(60)]
        for fields in ([('x', 'a\r\nb: c')], [(':status', '200')], [('connection', 'close')], much):
            with self.subTest(fields[0]), \
                    saying(lambda stream, fields=fields: head(stream, '200')
                           + data(stream, b'content', 0) + trailers(stream, *fields)) as service, \
                    SecureProxy(service.url(), HTTP2='true') as front:
                for version in VERSIONS:
                    said, status = front.curl('-i', '-H', 'TE: trailers', '-H', 'Connection: TE',
                                              version=version)
                    self.assertTrue(is_failure(said, status), said)
                    self.assertNotIn(b'b: c', said)

    def test_status_101_is_no_answer(self):
        with saying(lambda stream: head(stream, '101')) as service, \
                proxy(service.url(), HTTP2='true') as front:
            self.assertTrue(ask(front, GET).startswith(b'HTTP/1.1 502 '))


class Elsewhere(unittest.TestCase):
    EMPTY_POST = (b'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    POST = b'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello'

    def test_what_was_refused_unseen_is_asked_of_another_whatever_its_method(self):
        refused = lambda stream: h2.reset(stream, 7)  # REFUSED_STREAM
        with saying(refused) as busy, saying(ok) as other:
            for order in ((busy, other), (other, busy)):
                with proxy(*(each.url() for each in order), HTTP2='true') as front:
                    for _ in range(3):
                        self.assertTrue(ask(front, self.EMPTY_POST).startswith(b'HTTP/1.1 200 '))

    def test_what_a_leaving_upstream_has_not_looked_at_moves_to_a_new_connection(self):
        leaving = lambda _: h2.frame(h2.GOAWAY, 0, 0, bytes(8))
        with saying(leaving, ok) as service, proxy(service.url(), threads=1, HTTP2='true') as front:
            self.assertTrue(ask(front, self.EMPTY_POST).startswith(b'HTTP/1.1 200 '))
            self.assertEqual(service.connections, 2)

    def test_content_that_was_sent_is_not_sent_twice(self):
        seen = []
        def script(_, send, kind, stream, flags):
            if kind == h2.DATA and flags & h2.END_STREAM:
                seen.append(stream)
                send(h2.reset(stream, h2.INTERNAL_ERROR))
        with Upstream(script) as service, Upstream(script) as other, \
                proxy(service.url(), other.url(), HTTP2='true') as front:
            self.assertTrue(ask(front, self.POST).startswith(b'HTTP/1.1 502 '))
            self.assertEqual(len(seen), 1)


class Pace(unittest.TestCase):
    MUCH = 64 << 20

    def test_a_client_that_does_not_read_holds_up_its_stream_and_no_other(self):
        """The upstream may have sent as much as its window and the sockets hold."""
        with Program('arena_eider', '{port}', '1') as service, \
                SecureProxy(f'http://127.0.0.1:{service.port}', HTTP2='true') as front:
            path = f'/stream/{self.MUCH}'
            for version in VERSIONS:
                with subprocess.Popen(['curl', '-sk', version, front.url(path)],
                                      stdout=subprocess.PIPE) as client:
                    first = client.stdout.read(1)
                    for _ in range(20):
                        self.assertEqual(front.curl(path='/plaintext')[1], 0)
                    self.assertLess(proxy_support.resident_kib(front.program.process), 64 << 10)
                    self.assertEqual(len(first) + len(client.stdout.read()), self.MUCH)

    def test_an_upstream_whose_window_stays_shut_is_504(self):
        with Upstream(lambda *_: None) as service, \
                proxy(service.url(), HTTP2='true', SILENCE='1s') as front:
            with front.connect() as client:
                client.sendall(b'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n'
                               + b'x' * 200_000)
                said, _ = read_all(client)
            self.assertTrue(said.startswith(b'HTTP/1.1 504 '), said)
            self.assertEqual(service.content, 65535)
            self.assertTrue(wait_for(lambda: service.resets))

    def test_a_client_that_leaves_resets_its_stream_alone(self):
        gate = threading.Event()
        def script(_, send, kind, stream, _flags):
            if kind == h2.HEADERS and stream == 1:
                gate.set()
            elif kind == h2.HEADERS:
                send(ok(stream))
        with Upstream(script) as service, \
                proxy(service.url(), threads=1, HTTP2='true') as front:
            with front.connect() as client:
                client.sendall(GET)
                self.assertTrue(gate.wait(10))
            self.assertTrue(wait_for(lambda: service.resets == [(1, h2.CANCEL)]), service.resets)
            self.assertTrue(ask(front, GET).startswith(b'HTTP/1.1 200 '))
            self.assertEqual(service.connections, 1)


class Chain:
    """Two proxies with HTTP/2 between them, instead of one."""

    def __init__(self, *urls, arguments=(), **settings):
        self.stack = contextlib.ExitStack()
        self.parts = urls, arguments, settings

    def __enter__(self):
        urls, arguments, settings = self.parts
        back = self.stack.enter_context(proxy(*urls, **settings))
        return self.stack.enter_context(proxy(f'http://127.0.0.1:{back.port}', HTTP2='true',
                                              arguments=arguments, **settings))

    def __exit__(self, *_):
        self.stack.close()


class OverAChain:
    """A mixin for a suite that replaces its proxy with the chain."""

    MODULE = None

    def setUp(self):
        patching = mock.patch.object(self.MODULE, 'proxy', Chain)
        patching.start()
        self.addCleanup(patching.stop)
        super().setUp()


class TargetOverAChain(OverAChain, proxy_fields_test.Target):
    MODULE = proxy_fields_test


class TrailersOverAChain(OverAChain, proxy_fields_test.RequestTrailers):
    MODULE = proxy_fields_test


class ConsentOverAChain(OverAChain, proxy_fields_test.Consent):
    MODULE = proxy_fields_test


class SmugglingOverAChain(OverAChain, proxy_smuggling_test.OverHttp1):
    MODULE = proxy_smuggling_test
    # These tests check bytes exactly as the first proxy writes them, with their order and times.
    test_no_body_that_is_refused_ends_at_an_upstream = None
    test_what_is_accepted_is_written_in_one_way = None


class BodiesOverAChain(OverAChain, proxy_smuggling_test.BodiesBehindAnswers):
    MODULE = proxy_smuggling_test


class DeathOverAChain(OverAChain, proxy_broken_test.UpstreamsThatDie):
    MODULE = proxy_broken_test
    # If the upstream dies before the second proxy has sent anything, the response is a 502, after
    # which the connection may stay: Answers tests it.
    test_a_part_never_looks_like_the_whole = None


class LeavingOverAChain(OverAChain, proxy_broken_test.ClientsThatLeave):
    MODULE = proxy_broken_test


if __name__ == '__main__':
    unittest.main()

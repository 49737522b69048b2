"""proxy_to with TLS and HTTP/2: requests of real clients arrive as over HTTP/1.1.

Must not test HTTP/2 itself: http2_*_test.py and h2spec_test.py do.
"""

import contextlib
import os
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import http2_frames as h2
from proxy_support import (OK, Scripted, SecureProxy, answering, proxy, read_all, resident_kib,
                           wait_for)
from support import Program

EMPTY = OK + b'Content-Length: 0\r\n\r\n'
BIG = 200 << 20
VERSIONS = ('--http1.1', '--http2')
ALONE_KIB_MAX = 64 << 10


class Heads(unittest.TestCase):
    def test_host_scheme_and_client_are_told_as_they_are(self):
        for version in VERSIONS:
            for keeps, host in (('', rb'127\.0\.0\.1:\d+'), ('1', rb'shop\.example:99')):
                with answering(EMPTY) as service, \
                        SecureProxy(service.url(), PRESERVES_HOST=keeps) as front:
                    _, status = front.curl('-H', 'Host: shop.example:99', '-H', 'Cookie: a=1',
                                           '-H', 'Cookie: b=2', path='/x?y=%2F', version=version)
                    self.assertEqual(status, 0)
                    head = service.heads[0]
                    self.assertTrue(head.startswith(b'GET /x?y=%2F HTTP/1.1\r\n'), head)
                    self.assertRegex(head, rb'\r\nHost: ' + host + rb'\r\n')
                    for line in (b'X-Forwarded-Proto: https', b'X-Forwarded-For: 127.0.0.1',
                                 b'X-Forwarded-Host: shop.example:99'):
                        self.assertIn(b'\r\n' + line + b'\r\n', head)
                    self.assertEqual(head.lower().count(b'\r\nhost:'), 1)

    def test_no_pseudo_field_and_nothing_of_http2_goes_on(self):
        with answering(EMPTY) as service, SecureProxy(service.url()) as front:
            front.curl('-H', 'TE: trailers', '-H', 'priority: u=1')
            head = service.heads[0]
            self.assertNotIn(b'\r\n:', head)
            self.assertIn(b'\r\nConnection: TE\r\nTE: trailers\r\n', head)

    def test_crumbs_of_a_cookie_are_one_field(self):
        with answering(EMPTY) as service, SecureProxy(service.url()) as front:
            subprocess.run(['nghttp', '-H', 'cookie: a=1', '-H', 'cookie: b=2', front.url()],
                           capture_output=True, check=True, timeout=30)
            self.assertIn(b'\r\ncookie: a=1; b=2\r\n', service.heads[0])

    def test_empty_crumbs_of_a_cookie_are_left_out(self):
        for backend in ('epoll', 'io_uring'):
            with answering(EMPTY) as service, \
                    proxy(service.url(), arguments=('--backend', backend)) as front, \
                    h2.Client(front.port) as client:
                client.send(h2.request(1, fields=[('cookie', 'a=1'), ('cookie', '')]))
                client.content_of(1)
                self.assertIn(b'\r\ncookie: a=1\r\n', service.heads[0])

    def test_status_and_fields_come_back_without_those_of_the_hop(self):
        answer = (b'HTTP/1.1 418 Pot\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nX-End: 2\r\n'
                  b'Keep-Alive: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n')
        with answering(answer) as service, SecureProxy(service.url()) as front:
            said, status = front.curl('-i')
            self.assertEqual(status, 0)
            self.assertTrue(said.startswith(b'HTTP/2 418'), said)
            self.assertTrue(said.endswith(b'\r\n\r\nok'), said)
            self.assertIn(b'\r\nx-end: 2\r\n', said)
            for hop in (b'x-hop', b'keep-alive', b'transfer-encoding', b'connection'):
                self.assertNotIn(hop, said.lower())


    def test_interim_answers_go_on_but_for_those_of_the_hop(self):
        answer = (b'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nKeep-Alive: 5\r\n'
                  b'\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n') + EMPTY
        with answering(answer) as service, SecureProxy(service.url()) as front:
            for version, name in zip(VERSIONS, (b'HTTP/1.1', b'HTTP/2'), strict=True):
                said, status = front.curl('-i', version=version)
                self.assertEqual(status, 0)
                lines = said.lower()
                self.assertTrue(said.startswith(name + b' 103'), said)
                self.assertIn(b'\r\nlink: </a.css>; rel=preload\r\n', lines)
                self.assertIn(name + b' 102', said)
                self.assertNotIn(b' 100', said)
                self.assertNotIn(b'keep-alive', lines.split(b' 200')[0])


class Contents(unittest.TestCase):
    def test_methods_with_content_arrive_framed_as_they_can_be(self):
        seen = []
        def script(connection, head, rest):
            data = rest
            ends = b'0\r\n\r\n' if b'chunked' in head else b'hello'
            while not data.endswith(ends):
                data += connection.recv(100)
            seen.append((head, data))
            connection.sendall(EMPTY)
        with Scripted(script) as service, SecureProxy(service.url()) as front:
            self.assertEqual(front.curl('-d', 'hello')[1], 0)
            self.assertIn(b'\r\nContent-Length: 5\r\n', seen[0][0])
            self.assertEqual(front.curl('-T', '-', given=b'hello')[1], 0)
            self.assertIn(b'\r\nTransfer-Encoding: chunked\r\n', seen[1][0])
            self.assertEqual(seen[1][1], b'5\r\nhello\r\n0\r\n\r\n')

    def test_much_streams_both_ways_in_little_memory(self):
        with Program('arena_eider', '{port}', '1') as service, \
                tempfile.NamedTemporaryFile() as file:
            file.truncate(BIG)
            for version in VERSIONS:
                with SecureProxy(f'http://127.0.0.1:{service.port}') as front:
                    count, status = front.curl('-o', '/dev/null', '-w', '%{size_download}',
                                               path=f'/stream/{BIG}', version=version)
                    self.assertEqual((count, status), (b'%d' % BIG, 0))
                    told, _ = front.curl('-T', file.name, path='/upload', version=version,
                                         *('-X', 'POST'))
                    self.assertEqual(told, b'%d' % BIG)
                    self.assertLess(resident_kib(front.program.process), ALONE_KIB_MAX)

    def test_trailers_come_behind_the_content(self):
        answer = (OK + b'Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n'
                  b'3\r\nabc\r\n0\r\nX-Sum: 6\r\n\r\n')
        with answering(answer) as service, SecureProxy(service.url()) as front:
            told = subprocess.run(['nghttp', '-v', '-H', 'te: trailers', front.url()],
                                  capture_output=True, check=True, timeout=30).stdout
            content = told.index(b'recv DATA')
            self.assertIn(b'x-sum: 6', told[content:].lower())

    def test_trailers_of_a_request_go_on_behind_its_content(self):
        told = []
        def script(connection, _head, rest):
            while not rest.endswith(b'\r\n\r\n'):
                rest += connection.recv(65536)
            told.append(rest)
            connection.sendall(EMPTY)
        with Scripted(script) as service, SecureProxy(service.url()) as front, \
                tempfile.NamedTemporaryFile() as file:
            file.write(b'abc')
            file.flush()
            subprocess.run(['nghttp', '--no-content-length', '-d', file.name, '--trailer',
                            'x-sum: 6', '--trailer', 'host: b', front.url()],
                           capture_output=True, check=True, timeout=30)
        self.assertEqual(told, [b'3\r\nabc\r\n0\r\nx-sum: 6\r\n\r\n'])

    def test_consent_is_the_upstreams(self):
        gate = threading.Event()
        def script(connection, _head, _rest):
            gate.wait(10)
            connection.sendall(b'HTTP/1.1 100 Continue\r\n\r\n')
            connection.recv(100)
            connection.sendall(EMPTY)
        with Scripted(script) as service, SecureProxy(service.url()) as front:
            gate.set()
            ended = subprocess.run(['curl', '-skv', '--http2', '-H', 'Expect: 100-continue',
                                    '--expect100-timeout', '20', '-d', 'hello', front.url()],
                                   capture_output=True, check=True, timeout=30)
            self.assertIn(b'< HTTP/2 100', ended.stderr)
            self.assertIn(b'< HTTP/2 200', ended.stderr)
            self.assertIn(b'Expect: 100-continue', service.heads[0])


class Backpressure(unittest.TestCase):
    """Flow control: a slow reader gets no more data, and a sender is slowed down."""

    KERNEL_MAX = 24 << 20
    MUCH = 96 << 20

    def test_a_client_that_does_not_read_holds_the_upstream_up(self):
        sent = []
        def script(connection, _head, _rest):
            connection.sendall(OK + b'Content-Length: %d\r\n\r\n' % self.MUCH)
            piece = b'x' * 65536
            for _ in range(self.MUCH // len(piece)):
                connection.sendall(piece)
                sent.append(len(piece))
        for version in VERSIONS:
            sent.clear()
            with Scripted(script) as service, SecureProxy(service.url()) as front:
                with subprocess.Popen(['curl', '-sk', version, front.url()],
                                      stdout=subprocess.PIPE) as client:
                    self.assertTrue(wait_for(lambda: stands_still(sent)))
                    self.assertLess(sum(sent), self.KERNEL_MAX)
                    self.assertLess(resident_kib(front.program.process), ALONE_KIB_MAX)
                    count = 0
                    while data := client.stdout.read1(1 << 20):
                        count += len(data)
                self.assertEqual(count, self.MUCH)

    def test_an_upstream_that_does_not_read_holds_the_client_up(self):
        gate = threading.Event()
        counts = []
        def script(connection, _head, rest):
            gate.wait(30)
            counts.append(len(rest))
            while counts[-1] < self.MUCH:
                counts.append(counts[-1] + len(connection.recv(1 << 20)))
            connection.sendall(EMPTY)
        for version in VERSIONS:
            gate.clear()
            counts.clear()
            with Scripted(script) as service, SecureProxy(service.url()) as front, \
                    tempfile.NamedTemporaryFile() as file:
                file.truncate(self.MUCH)
                taken = Taken(front.tls_port)
                with subprocess.Popen(['curl', '-sk', version, '-H', 'Expect:', '-T', file.name,
                                       *taken.through, front.url()]) as client, taken:
                    self.assertTrue(wait_for(lambda: stands_still(taken.counts)))
                    self.assertLess(sum(taken.counts), self.KERNEL_MAX)
                    gate.set()
                    self.assertEqual(client.wait(60), 0)
                self.assertEqual(counts[-1], self.MUCH)
                self.assertLess(resident_kib(front.program.process), ALONE_KIB_MAX)


def stands_still(counts):
    """Returns whether, after an increase, nothing was added for half a second."""
    before = len(counts)
    time.sleep(0.5)
    return before != 0 and len(counts) == before


class Taken:
    """A relay that counts the bytes for a port."""

    def __init__(self, port):
        self.to = port
        self.counts = []
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.through = ('--connect-to', f'::127.0.0.1:{self.listener.getsockname()[1]}')

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def _serve(self):
        near, _ = self.listener.accept()
        far = socket.create_connection(('127.0.0.1', self.to))
        for end in (near, far):  # otherwise the relay's own acknowledgments would limit the speed
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=self._copy, args=(far, near, []), daemon=True).start()
        self._copy(near, far, self.counts)

    @staticmethod
    def _copy(source, target, counts):
        with contextlib.suppress(OSError), source:
            while data := source.recv(65536):
                target.sendall(data)
                counts.append(len(data))
            target.shutdown(socket.SHUT_WR)


class Events(unittest.TestCase):
    def test_each_arrives_before_the_next_is_sent(self):
        arrived = threading.Semaphore(0)
        def script(connection, _head, _rest):
            connection.sendall(OK + b'Content-Type: text/event-stream\r\n'
                               b'Transfer-Encoding: chunked\r\n\r\n')
            for number in range(5):
                event = b'data: %d\n\n' % number
                connection.sendall(b'%x\r\n%s\r\n' % (len(event), event))
                if not arrived.acquire(timeout=10):
                    return True
            connection.sendall(b'0\r\n\r\n')
            return False
        for version in VERSIONS:
            with Scripted(script) as service, SecureProxy(service.url()) as front:
                with subprocess.Popen(['curl', '-skN', version, front.url()],
                                      stdout=subprocess.PIPE) as client:
                    for number in range(5):
                        self.assertEqual(os.read(client.stdout.fileno(), 100),
                                         b'data: %d\n\n' % number)
                        arrived.release()
                    self.assertEqual(client.stdout.read(), b'')
                    self.assertEqual(client.wait(10), 0)

    def test_a_head_arrives_before_the_content_is_there(self):
        arrived = threading.Event()
        def script(connection, _head, _rest):
            connection.sendall(OK + b'Content-Length: 2\r\n\r\n')
            if arrived.wait(10):
                connection.sendall(b'ok')
        for backend in ('epoll', 'io_uring'):
            with Scripted(script) as service, \
                    proxy(service.url(), arguments=('--backend', backend)) as front:
                for words, head in ((b'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
                                     b'HTTP/1.1 200 '),
                                    (h2.PREFACE + h2.settings() + h2.request(1, '/'),
                                     bytes([h2.HEADERS, h2.END_HEADERS, 0, 0, 0, 1]))):
                    arrived.clear()
                    with front.connect() as client:
                        client.settimeout(5)
                        client.sendall(words)
                        told = b''
                        while head not in told:
                            told += client.recv(4096)
                        self.assertNotIn(b'ok', told)
                        arrived.set()
                        while b'ok' not in told:
                            told += client.recv(4096)

    def test_a_stopping_proxy_ends_them(self):
        def script(connection, _head, _rest):
            connection.sendall(OK + b'Content-Type: text/event-stream\r\n\r\ndata: 1\n\n')
            read_all(connection)
            return True
        with Scripted(script) as service, SecureProxy(service.url()) as front:
            with front.connect() as client:
                client.sendall(b'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
                told = client.recv(4096)
                while b'data: 1' not in told:
                    told += client.recv(4096)
                self.assertEqual(front.program.stop(), 0)
                self.assertTrue(read_all(client)[0].endswith(b'0\r\n\r\n'))


if __name__ == '__main__':
    unittest.main()

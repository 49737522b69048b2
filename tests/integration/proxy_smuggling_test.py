"""Requests that HTTP/1.1's tables reject, and requests hidden in HTTP/2, through proxy_to.

Must not have its own table of invalid HTTP/1.1: tests/conformance has it.
"""

import ast
import contextlib
import re
import socket
import unittest
from pathlib import Path

import http2_frames as h2
from proxy_support import Listening, has_nginx, nginx, proxy, read_all
from support import ROOT

TABLES = ROOT / 'tests/conformance'
LITERALS = r'((?:"(?:[^"\\]|\\.)*"(?:sv)?\s*)+)'
CASE = re.compile(r'\{"([^"]+)",\s*"[^"]+",\s*(with_\w+)\(' + LITERALS + r'\),\s*(\w+)[,}]')
PLAIN_CASE = re.compile(r'\{"([^"]+)",\s*"[^"]+",\s*' + LITERALS + r',\s*(\w+)[,}]')
HOST = '\r\nHost: a\r\n'
HEAD_OF = {
    'with_line': lambda text: text + HOST + '\r\n',
    'with_target': lambda text: f'GET {text} HTTP/1.1{HOST}\r\n',
    'with_fields': lambda text: f'POST / HTTP/1.1{HOST}{text}\r\n',
    'with_coding': lambda text: f'POST / HTTP/1.1{HOST}Transfer-Encoding: {text}\r\n\r\n',
    'with_only': lambda text: f'GET / HTTP/1.1\r\n{text}\r\n',
    'with_only_1_0': lambda text: f'GET / HTTP/1.0\r\n{text}\r\n',
}
BODY_OF = {
    'with_extension': lambda text: f'3{text}\r\nabc\r\n0\r\n\r\n',
    'with_trailer': lambda text: f'3\r\nabc\r\n0\r\n{text}\r\n',
}
SECOND = b'GET /second HTTP/1.1\r\nHost: a\r\n\r\n'
CHUNKED = b'POST /first HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'


def value_of(literals):
    """Returns the value of adjacent C++ string literals, a character for each byte."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', literals)
    return ''.join(ast.literal_eval(f'"{part}"').encode('utf-8').decode('latin-1')
                   if part.isascii() is False else ast.literal_eval(f'"{part}"') for part in parts)


def refused_heads():
    """Yields (what, bytes) of the rejected headers in the tables that are written as one text."""
    for table in ('line', 'field', 'framing'):
        text = (TABLES / f'h1_{table}_cases.h').read_text(encoding='utf-8')
        for what, how, literals, refusal in CASE.findall(text):
            if refusal != 'none' and how in HEAD_OF:
                yield what, HEAD_OF[how](value_of(literals)).encode('latin-1')


def refused_bodies():
    """The same for chunked bodies."""
    text = (TABLES / 'h1_chunked_cases.h').read_text(encoding='utf-8')
    for what, how, literals, refusal in CASE.findall(text):
        if refusal != 'none' and how in BODY_OF:
            yield what, BODY_OF[how](value_of(literals)).encode('latin-1')
    for what, literals, refusal in PLAIN_CASE.findall(text):
        if refusal != 'none':
            yield what, value_of(literals).encode('latin-1')


class Wire(Listening):
    """An upstream that stores every byte, and responds to complete headers."""

    def __init__(self):
        self.heard = b''
        self.connections = []  # bytes of each connection
        super().__init__()

    def _serve(self, connection):
        with contextlib.suppress(OSError), connection:
            data = b''
            all_of_it = bytearray()
            self.connections.append(all_of_it)
            while part := connection.recv(65536):
                self.heard += part
                all_of_it += part
                data += part
                if is_whole(data):
                    data = b''
                    connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')


def is_whole(data):
    """Returns whether a request with or without a chunked body is complete."""
    head, end, content = data.partition(b'\r\n\r\n')
    if b'transfer-encoding' in head.lower():
        return bool(re.search(rb'(^|\r\n)0\r\n([^\r\n]+\r\n)*\r\n$', content))
    length = re.search(rb'\r\ncontent-length: (\d+)', head.lower())
    return bool(end) and len(content) >= int(length[1] if length else 0)


def said_to(front, data):
    """Returns all bytes until the end, for a client that sends only this."""
    with front.connect() as connection:
        with contextlib.suppress(OSError):
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        return read_all(connection, 10)


def answers(said):
    """Returns the number of responses in it."""
    return len(re.findall(rb'HTTP/1\.1 \d\d\d ', said))


class Early(Listening):
    """An upstream that responds to headers immediately with the status in their path, without
    reading the body.

    Stores the first line of everything that it would treat as a request.
    """

    def __init__(self):
        self.lines = []
        super().__init__()

    def _serve(self, connection):
        with contextlib.suppress(OSError), connection:
            data = b''
            while part := connection.recv(65536):
                data += part
                while b'\r\n\r\n' in data:
                    head, data = data.split(b'\r\n\r\n', 1)
                    line = head.split(b'\r\n')[0]
                    self.lines.append(line)
                    connection.sendall(early_answer(line))


def early_answer(line):
    """Returns the response for this method, with this status."""
    method, target, _ = line.split(b' ')
    status = int(target.strip(b'/') or 200) if target.strip(b'/').isdigit() else 200
    if status in (204, 304):
        return b'HTTP/1.1 %d Early\r\n\r\n' % status
    content = b'' if method == b'HEAD' or status == 205 else b'early'
    length = 5 if method == b'HEAD' else len(content)
    return b'HTTP/1.1 %d Early\r\nContent-Length: %d\r\n\r\n%s' % (status, length, content)


# Responses that end with their headers, even if part of the request body follows.
BODILESS = ((b'HEAD', 200), (b'HEAD', 404), (b'PUT', 204), (b'POST', 205), (b'GET', 304))
HIDDEN_REQUEST = b'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'


class BodiesBehindAnswers(unittest.TestCase):
    def says(self, front, head, body):
        """Returns the responses for a client that sends its body after the response."""
        with front.connect() as connection:
            connection.sendall(head)
            said = connection.recv(65536)
            with contextlib.suppress(OSError):
                connection.sendall(body)
                connection.shutdown(socket.SHUT_WR)
            more, end = read_all(connection, 10)
            self.assertNotEqual(end, 'open')
            return said + more

    def test_none_is_a_request_when_it_comes_late(self):
        length = b'Content-Length: %d' % len(HIDDEN_REQUEST)
        for method, status in BODILESS:
            for framing in (length, b'Transfer-Encoding: chunked'):
                with self.subTest(method=method, status=status, framing=framing), \
                        Early() as upstream, proxy(upstream.url()) as front:
                    head = b'%s /%d HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n' % (
                        method, status, framing)
                    said = self.says(front, head, HIDDEN_REQUEST)
                    self.assertEqual(answers(said), 1, said)
                    self.assertIn(b'HTTP/1.1 %d ' % status, said)
                    self.assertIn(b'Connection: close\r\n', said)
                    self.assertNotIn(b'/smuggled', b''.join(upstream.lines))

    def test_nor_through_two_proxies_that_keep_their_connections(self):
        length = b'Content-Length: %d' % len(HIDDEN_REQUEST)
        with Early() as upstream, proxy(upstream.url()) as back, \
                proxy(f'http://127.0.0.1:{back.port}') as front:
            for method, status in BODILESS:
                head = b'%s /%d HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n' % (method, status, length)
                self.assertEqual(answers(self.says(front, head, HIDDEN_REQUEST)), 1)
            self.assertEqual(front.ask('GET', '/good')[0], 200)
            self.assertNotIn(b'/smuggled', b''.join(upstream.lines))

    def test_a_body_that_has_come_is_no_reason_to_end(self):
        with Wire() as upstream, proxy(upstream.url()) as front, front.connect() as connection:
            for _ in range(3):
                connection.sendall(b'HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello')
                said = connection.recv(65536)
                self.assertIn(b'HTTP/1.1 200 ', said)
                self.assertNotIn(b'Connection: close', said)

    def test_no_tunnel_opens_behind_a_body(self):
        ask = (b'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'
               b'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
               b'Content-Length: 5\r\n\r\n')
        with Early() as upstream, proxy(upstream.url()) as front:
            said = self.says(front, ask, b'hello')
            self.assertNotIn(b' 101 ', said)
            self.assertEqual(answers(said), 1)


class OverHttp1(unittest.TestCase):
    def refuses(self, front, data):
        """Expects at most one response, without success, and then the end."""
        said, end = said_to(front, data)
        self.assertNotEqual(end, 'open')
        self.assertRegex(said, rb'^(HTTP/1\.1 (4\d\d|50[15]) [^\0]*)?$')
        self.assertLessEqual(answers(said), 1)

    def test_no_head_that_is_refused_reaches_an_upstream(self):
        cases = list(refused_heads())
        self.assertGreater(len(cases), 150, 'the tables are not read')
        with Wire() as wire, proxy(wire.url()) as front:
            for what, head in cases:
                with self.subTest(what):
                    self.refuses(front, head + SECOND)
                    self.assertEqual(wire.heard, b'')
            self.assertEqual(front.ask('GET', '/good')[0], 200)

    def test_no_body_that_is_refused_ends_at_an_upstream(self):
        cases = list(refused_bodies())
        self.assertGreater(len(cases), 60, 'the tables are not read')
        with Wire() as wire, proxy(wire.url()) as front:
            for what, body in cases:
                with self.subTest(what):
                    self.refuses(front, CHUNKED + body + SECOND)
            self.assertEqual(front.ask('GET', '/good')[0], 200)
            for heard in map(bytes, wire.connections):
                if b' /good ' not in heard:
                    self.assertNotIn(b'/second', heard)
                    self.assertFalse(heard and is_whole(heard), heard)
                    self.assertRegex(heard.partition(b'\r\n\r\n')[2],
                                     rb'^(3\r\nabc\r\n)?$', 'content is framed anew')

    def test_nor_through_two_of_them(self):
        with Wire() as wire, proxy(wire.url()) as back, \
                proxy(f'http://127.0.0.1:{back.port}') as front:
            for what, head in refused_heads():
                with self.subTest(what):
                    said_to(front, head + SECOND)
            for what, body in refused_bodies():
                with self.subTest(what):
                    said_to(front, CHUNKED + body + SECOND)
            self.assertNotIn(b'/second', wire.heard)
            self.assertFalse(is_whole(wire.heard))

    @unittest.skipUnless(has_nginx(), 'no nginx')
    def test_nor_does_nginx_behind_it_see_a_second_request(self):
        with nginx('location / { return 200 "nginx $uri"; }') as (port, folder), \
                proxy(f'http://127.0.0.1:{port}') as front:
            for what, head in refused_heads():
                with self.subTest(what):
                    self.refuses(front, head + SECOND)
            for what, body in refused_bodies():
                with self.subTest(what):
                    said, _ = said_to(front, CHUNKED + body + SECOND)
                    self.assertLessEqual(answers(said), 1)
            self.assertEqual(front.ask('GET', '/good')[2], b'nginx /good')
            log = Path(folder, 'access.log').read_text(encoding='utf-8')
            self.assertNotIn('/second', log)
            self.assertEqual(log.count('/good'), 1)

    def test_what_is_accepted_is_written_in_one_way(self):
        first = b'POST /first HTTP/1.1\r\nHost: a\r\n'
        framings = (
            (b'content-length:0003 \r\n\r\nabc', rb'Content-Length: 3\r\n\r\nabc'),
            (b'Transfer-Encoding: Chunked\r\n\r\n003;a="b;c"\r\nabc\r\n00\r\nX: 1\r\n\r\n',
             rb'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: 1\r\n\r\n'),
            (b'Content_Length: 9\r\nTransfer-Encodin: x\r\nContent-Length: 0\r\n\r\n',
             rb'Transfer-Encodin: x\r\n(.*\r\n)*Content-Length: 0\r\n\r\n'))
        for sent, arrived in framings:
            with Wire() as wire, proxy(wire.url()) as front:
                said, _ = said_to(front, first + sent + SECOND)
                self.assertEqual(said.count(b'HTTP/1.1 200 '), 2)
                requests = wire.heard.split(b'GET /second HTTP/1.1\r\n')
                self.assertEqual(len(requests), 2)
                self.assertRegex(requests[0],
                                 b'^POST /first HTTP/1.1\r\n(.*\r\n)*' + arrived + b'$')
                self.assertEqual(requests[0].lower().count(b'content-length') +
                                 requests[0].lower().count(b'transfer-encoding:'), 1)


def fields(*more, method='POST', path='/', authority='a', scheme='http'):
    """Returns the headers of a request, with more."""
    return h2.request_fields(method, path, authority, scheme) + list(more)


# Each of these would be two requests, or a different one, if written as HTTP/1.1.
HIDDEN = {
    'lines in a value': fields(('x', 'a\r\nHost: b\r\n\r\nGET /second HTTP/1.1')),
    'a line feed in a value': fields(('x', 'a\nTransfer-Encoding: chunked')),
    'a carriage return in a value': fields(('x', 'a\rb')),
    'NUL in a value': fields(('x', 'a\0b')),
    'a blank before a value': fields(('x', ' a')),
    'a tab behind a value': fields(('x', 'a\t')),
    'lines in a name': fields(('x: a\r\nhost', 'b')),
    'a colon in a name': fields(('x:', 'a')),
    'a blank in a name': fields(('content-length ', '5')),
    'an upper-case name': fields(('Content-Length', '5')),
    'no name': fields(('', 'a')),
    'a coding': fields(('transfer-encoding', 'chunked')),
    'an identity coding': fields(('transfer-encoding', 'identity')),
    'connection': fields(('connection', 'x-forwarded-for')),
    'keep-alive': fields(('keep-alive', 'timeout=5')),
    'proxy-connection': fields(('proxy-connection', 'close')),
    'upgrade': fields(('upgrade', 'websocket')),
    'te with a coding': fields(('te', 'gzip')),
    'a length with a sign': fields(('content-length', '+5')),
    'a length in a list': fields(('content-length', '5, 5')),
    'two lengths': fields(('content-length', '5'), ('content-length', '6')),
    'a path with blanks': fields(path='/ HTTP/1.1\r\nHost: b\r\n\r\nGET /second'),
    'a blank in the path': fields(path='/a b'),
    'a tab in the path': fields(path='/a\tb'),
    'a line feed in the path': fields(path='/a\nb'),
    'NUL in the path': fields(path='/a\0b'),
    'an absolute path': fields(path='http://b/'),
    'an empty path': fields(path=''),
    'a path without a slash': fields(path='second'),
    'dots in the path': fields(path='/../second'),
    'a method with blanks': fields(method='GET /second HTTP/1.1\r\nHost: b\r\n\r\nPOST'),
    'a lower-case method': fields(method='post'),
    'no method': fields(method=''),
    'an authority with lines': fields(authority='a\r\nX: b'),
    'an authority with a path': fields(authority='a/second'),
    'an authority with a user': fields(authority='user@a'),
    'an authority with a blank': fields(authority='a b'),
    'another host': fields(('host', 'b')),
    'two hosts': fields(('host', 'a'), ('host', 'a')),
    'another scheme': fields(scheme='ftp'),
    'a scheme with a host': fields(scheme='http://b/'),
    'a doubled path': fields() + [(':path', '/second')],
    'a pseudo-field behind others': fields(('x', 'a'), (':authority', 'b')),
    'an unknown pseudo-field': [(':host', 'b')] + fields(),
    'no host at all': [pair for pair in fields() if pair[0] != ':authority'],
}


class OverHttp2(unittest.TestCase):
    def ended(self, client, stream):
        """Returns whether the stream or the connection ended without success."""
        while frame := client.next_frame():
            kind, flags, of, payload = frame
            if kind == h2.GOAWAY or (kind == h2.RST_STREAM and of == stream):
                return True
            if kind == h2.HEADERS and of == stream:
                self.assertNotEqual(payload[:1], b'\x88', ':status 200')
                if flags & h2.END_STREAM:
                    return True
            if kind == h2.DATA and of == stream and flags & h2.END_STREAM:
                return True
        return True

    def test_no_head_that_would_read_otherwise_in_http1_goes_on(self):
        with Wire() as wire, proxy(wire.url(), PRESERVES_HOST='1') as front:
            for what, head in HIDDEN.items():
                with self.subTest(what), h2.Client(front.port) as client:
                    client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, 1, h2.block(head)))
                    client.send(h2.frame(h2.DATA, h2.END_STREAM, 1, b'hello'))
                    self.assertTrue(self.ended(client, 1))
                    self.assertEqual(wire.heard, b'')
            self.assertEqual(front.ask('GET', '/good')[0], 200)

    def test_a_length_that_data_does_not_keep_is_no_whole_request(self):
        for length, pieces in ((5, [b'abc']), (5, [b'abcdefgh']), (5, [b'abc', b'defgh']),
                               (5, [b'']), (3, [b'abc' + SECOND])):
            with Wire() as wire, proxy(wire.url()) as front, \
                    h2.Client(front.port) as client:
                head = fields(('content-length', str(length)), path='/first')
                client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, 1, h2.block(head)))
                for piece in pieces[:-1]:
                    client.send(h2.frame(h2.DATA, 0, 1, piece))
                client.send(h2.frame(h2.DATA, h2.END_STREAM, 1, pieces[-1]))
                self.assertTrue(self.ended(client, 1))
                self.assertEqual(front.ask('GET', '/good')[0], 200)
                self.assertNotIn(b'/second', wire.heard)
                before = wire.heard.split(b'GET /good')[0]
                self.assertFalse(before and is_whole(before), before)

    def test_trailers_hide_nothing(self):
        for trailer in ((':path', '/second'), ('transfer-encoding', 'chunked'),
                        ('x', 'a\r\n\r\nGET /second HTTP/1.1'), ('content-length', '7')):
            with Wire() as wire, proxy(wire.url()) as front, h2.Client(front.port) as client:
                client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, 1, h2.block(fields())))
                client.send(h2.frame(h2.DATA, 0, 1, b'hello'))
                client.send(h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 1,
                                     h2.block([trailer])))
                while (frame := client.next_frame()) and frame[0] not in (h2.RST_STREAM, h2.GOAWAY,
                                                                           h2.HEADERS):
                    pass
                self.assertNotIn(b'second', wire.heard)
                self.assertEqual(wire.heard.count(b'HTTP/1.1\r\n'), wire.heard.count(b'POST /'))

    def test_content_like_a_request_stays_content(self):
        with Wire() as wire, proxy(wire.url()) as front, h2.Client(front.port) as client:
            client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, 1, h2.block(fields())))
            client.send(h2.frame(h2.DATA, h2.END_STREAM, 1, b'0\r\n\r\n' + SECOND))
            client.frames_until(lambda kind, _, of, __: kind == h2.HEADERS and of == 1)
            content = wire.heard.partition(b'\r\n\r\n')[2]
            self.assertEqual(content, b'%x\r\n0\r\n\r\n%s\r\n0\r\n\r\n' %
                             (5 + len(SECOND), SECOND))


if __name__ == '__main__':
    unittest.main()

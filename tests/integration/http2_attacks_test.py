"""Hostile HTTP/2 clients: each attack ends with its connection, uses little memory, and does not
affect another client.

Must not take longer than the tested limits.
"""

import contextlib
import socket
import ssl
import struct
import time
import unittest
from pathlib import Path

import http2_frames as h2
from support import Program, free_port

MEMORY_GROWTH_MAX_KIB = 48 * 1024


def resident_kib(pid):
    """Returns the process's memory."""
    for line in Path(f'/proc/{pid}/status').read_text(encoding='ascii').splitlines():
        if line.startswith('VmRSS:'):
            return int(line.split()[1])
    raise AssertionError('the process has ended')


class Attacks(unittest.TestCase):
    """One server for all attacks: effects that remain would appear in the next one."""

    @classmethod
    def setUpClass(cls):
        cls.server = Program('10_http2', '--port', '{port}', '--threads', '1')
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def setUp(self):
        self.ask_as_another()
        self.memory = resident_kib(self.server.process.pid)

    def tearDown(self):
        self.ask_as_another()
        grown = resident_kib(self.server.process.pid) - self.memory
        self.assertLess(grown, MEMORY_GROWTH_MAX_KIB)

    def attacker(self, opening=None):
        """Returns a connection for an attack."""
        client = h2.Client(self.server.port, opening=opening)
        self.addCleanup(client.socket.close)
        return client

    def ask_as_another(self):
        """Another client gets responses soon, over both versions."""
        begun = time.monotonic()
        self.assertEqual(self.server.ask('GET', '/')[0], 200)
        with h2.Client(self.server.port) as client:
            client.send(h2.request(1))
            self.assertIn(b'Hello', client.content_of(1))
        self.assertLess(time.monotonic() - begun, 30)

    def assert_calmed(self, client, code=h2.ENHANCE_YOUR_CALM):
        """The server has closed the connection."""
        self.ask_as_another()
        self.assertIn(client.end(), (code, None))

    def flood(self, pieces, rounds, code=h2.ENHANCE_YOUR_CALM):
        """Sends pieces(round) repeatedly, and expects the end."""
        client = self.attacker()
        for number in range(rounds):
            client.send(pieces(number))
        self.assert_calmed(client, code)

    def test_rapid_reset(self):
        """CVE-2023-44487: requests are reset immediately."""
        self.flood(lambda n: h2.request(2 * n + 1, '/slow/5000') + h2.reset(2 * n + 1), 3000)

    def test_rapid_reset_of_requests_that_have_begun(self):
        """The same, with each reset in its own segment."""
        client = self.attacker()
        for number in range(400):
            client.send(h2.request(2 * number + 1, '/slow/5000'))
            time.sleep(0.001)
            client.send(h2.reset(2 * number + 1))
        self.assert_calmed(client)

    def test_server_is_made_to_reset(self):
        """CVE-2025-8671: the client makes the server reset streams whose requests continue."""
        overflow = struct.pack('>I', 0x7FFFFFFF)
        self.flood(lambda n: h2.request(2 * n + 1, '/slow/5000')
                   + h2.frame(h2.WINDOW_UPDATE, 0, 2 * n + 1, overflow), 3000)

    def test_server_is_made_to_reset_by_empty_updates(self):
        """The same with a WINDOW_UPDATE of 0: the first one ends the connection."""
        self.flood(lambda n: h2.request(2 * n + 1, '/slow/5000')
                   + h2.window_update(2 * n + 1, 0), 3000, h2.PROTOCOL_ERROR)

    def test_server_is_made_to_reset_by_content_that_is_too_long(self):
        """The same with content beyond Content-Length."""
        def wrong(number):
            stream = 2 * number + 1
            head = h2.request(stream, '/measure', 'POST', [('content-length', '1')],
                              h2.END_HEADERS)
            return head + h2.frame(h2.DATA, h2.END_STREAM, stream, b'too long')
        self.flood(wrong, 1000)

    def test_server_is_made_to_reset_by_malformed_heads(self):
        """The same with invalid requests."""
        self.flood(lambda n: h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 2 * n + 1,
                                      h2.block([(':method', 'GET')])), 1000)

    def test_too_many_streams(self):
        """More concurrent requests than allowed, repeatedly."""
        self.flood(lambda n: h2.request(2 * n + 1, '/slow/5000'), 1000)

    def test_continuation_flood(self):
        """Headers that never end."""
        client = self.attacker()
        client.send(h2.frame(h2.HEADERS, 0, 1, h2.block(h2.request_fields())))
        for number in range(2000):
            client.send(h2.frame(h2.CONTINUATION, 0, 1, h2.literal(f'x-{number}', 'y' * 4000)))
        self.assert_calmed(client)

    def test_empty_continuations(self):
        """Headers that never end, and never get longer."""
        client = self.attacker()
        client.send(h2.frame(h2.HEADERS, 0, 1, h2.block(h2.request_fields())))
        client.send(h2.frame(h2.CONTINUATION, 0, 1) * 2000)
        self.assert_calmed(client)

    def test_hpack_bomb(self):
        """One entry of the table, repeated: a few bytes expand to megabytes."""
        client = self.attacker()
        bomb = h2.remembered('x-bomb', 'b' * 4000) + h2.indexed(62) * 12000
        client.send(h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 1,
                             h2.block(h2.request_fields()) + bomb))
        self.assert_calmed(client)

    def test_hpack_bombs_of_small_fields(self):
        """Many requests with slightly too large headers get responses, and use no memory
        afterwards."""
        client = self.attacker()
        for number in range(50):
            fields = h2.block(h2.request_fields()) + h2.remembered('x-bomb', 'b' * 3000)
            client.send(h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 2 * number + 1,
                                 fields + h2.indexed(62) * 10))
        client.send(h2.request(101))
        self.assertIn(b'Hello', client.content_of(101))

    def test_settings_flood(self):
        """Each must be acknowledged, and changes all windows."""
        self.flood(lambda n: h2.settings(_4=n % 65535) * 20, 200)

    def test_ping_flood(self):
        """Each requires a response; the client reads none."""
        self.flood(lambda n: h2.ping() * 20, 1000)

    def test_priority_flood(self):
        """Both kinds."""
        update = h2.frame(h2.PRIORITY_UPDATE, 0, 0, struct.pack('>I', 1) + b'u=1')
        self.flood(lambda n: h2.priority(2 * n + 1) + update, 5000)

    def test_empty_data_flood(self):
        """Empty DATA frames without an end."""
        client = self.attacker()
        client.send(h2.request(1, '/measure', 'POST', flags=h2.END_HEADERS))
        client.send(h2.frame(h2.DATA, 0, 1) * 5000)
        self.assert_calmed(client)

    def test_padding_flood(self):
        """DATA frames with only padding."""
        client = self.attacker()
        client.send(h2.request(1, '/measure', 'POST', flags=h2.END_HEADERS))
        client.send(h2.frame(h2.DATA, h2.PADDED, 1, b'\x0a' + bytes(10)) * 2000)
        self.assert_calmed(client)

    def test_window_update_flood(self):
        """Unneeded window updates, byte by byte."""
        self.flood(lambda n: h2.window_update(0, 1) * 100, 200)

    def test_reset_flood(self):
        """Resets of a closed stream."""
        client = self.attacker()
        client.send(h2.request(1))
        client.content_of(1)
        client.send(h2.reset(1) * 5000)
        self.assert_calmed(client)

    def test_unknown_frames_flood(self):
        """Frames of unknown types are ignored, but not without limit."""
        self.flood(lambda n: h2.frame(0x70, 0, 0, b'x') * 20, 200)

    def test_stalled_windows_hold_little(self):
        """Responses of 25 GB are requested but not read; they are generated only when there is
        room."""
        no_window = h2.PREFACE + h2.settings(_4=0)
        attackers = [self.attacker(no_window) for _ in range(10)]
        for client in attackers:
            for number in range(50):
                client.send(h2.request(2 * number + 1, '/bytes/5000000'))
        self.ask_as_another()
        produced = [self.attacker(no_window) for _ in range(10)]
        for client in produced:
            for number in range(100):
                client.send(h2.request(2 * number + 1, '/count/100000000'))
        self.ask_as_another()
        grown = resident_kib(self.server.process.pid) - self.memory
        self.assertLess(grown, 10 * 16 * 1024 + 10 * 100 * 100)
        for client in attackers + produced:
            client.socket.close()
        time.sleep(0.2)
        self.memory = resident_kib(self.server.process.pid)

    def test_pings_of_a_websocket_that_takes_no_pong(self):
        """Each ping requires a pong, for which there is no window; occasional messages prevent that
        they count as a flood. The pending output is limited, and then the server stops reading."""
        client = self.attacker(h2.PREFACE + h2.settings(_4=0))
        client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, 1, h2.block(
            h2.request_fields('CONNECT', '/messages') +
            [(':protocol', 'websocket'), ('sec-websocket-version', '13')])))
        opening = client.frames_until(lambda kind, _, of, __: kind == h2.HEADERS and of == 1)
        pieces = (b'\x89\xfd\0\0\0\0' + bytes(125)) * 16 + b'\x81\x80\0\0\0\0'
        windows = {0: 65535 + sum(int.from_bytes(payload, 'big') for kind, _, of, payload in opening
                                  if kind == h2.WINDOW_UPDATE and of == 0), 1: 65535}
        client.socket.settimeout(3)
        sent = 0
        while sent < 64 * 1024 * 1024 and self.has_window(client, windows, len(pieces)):
            client.send(h2.frame(h2.DATA, 0, 1, pieces))
            sent += len(pieces)
            windows = {of: window - len(pieces) for of, window in windows.items()}
        self.assertGreater(sent, 512 * 1024)
        self.assertLess(sent, 8 * 1024 * 1024)

    def has_window(self, client, windows, wanted):
        """Returns whether the server grants a window of this size within the timeout."""
        with contextlib.suppress(TimeoutError):
            while min(windows.values()) < wanted:
                kind, _, of, payload = client.next_frame()
                if kind == h2.WINDOW_UPDATE and of in windows:
                    windows[of] += int.from_bytes(payload, 'big')
            return True
        return False

    def test_unfinished_content_holds_little(self):
        """Content of many unfinished requests is accepted up to a limit."""
        client = self.attacker()
        for number in range(100):
            stream = 2 * number + 1
            client.send(h2.request(stream, '/echo', 'POST', flags=h2.END_HEADERS))
            client.send(h2.frame(h2.DATA, 0, stream, bytes(10000)))
        self.ask_as_another()

    def test_nonsense_behind_the_preface(self):
        """Bytes that are not a frame."""
        client = self.attacker(h2.PREFACE + b'GET / HTTP/1.1\r\nHost: x\r\n\r\n' * 100)
        self.assertIsNotNone(client.end())


# Of each kind, with the frames that must precede it.
SLOW_FRAMES = {
    'SETTINGS': (b'', h2.settings(_4=1000)),
    'PING': (b'', h2.ping()),
    'PRIORITY': (b'', h2.priority(1, 3)),
    'PRIORITY_UPDATE': (b'', h2.frame(h2.PRIORITY_UPDATE, 0, 0, struct.pack('>I', 1) + b'u=1')),
    'WINDOW_UPDATE': (b'', h2.window_update(0, 1)),
    'GOAWAY': (b'', h2.frame(h2.GOAWAY, 0, 0, bytes(12))),
    'unknown': (b'', h2.frame(0x70, 0, 0, b'unknown')),
    'HEADERS': (b'', h2.request(1)),
    'CONTINUATION': (h2.frame(h2.HEADERS, 0, 1, h2.block(h2.request_fields())),
                     h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, h2.literal('x-more', '1'))),
    'RST_STREAM': (h2.request(1, '/slow/60000'), h2.reset(1)),
    'trailers': (h2.request(1, '/measure', 'POST', flags=h2.END_HEADERS),
                 h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 1,
                          h2.literal('x-more', '1'))),
}
SLOW_CONTENT = {
    'DATA': (h2.request(1, '/measure', 'POST', flags=h2.END_HEADERS),
             h2.frame(h2.DATA, h2.END_STREAM, 1, bytes(10000))),
    'DATA behind an answer': (h2.request(1, '/', 'POST', flags=h2.END_HEADERS),
                              h2.frame(h2.DATA, h2.END_STREAM, 1, bytes(10000))),
}
HEAD_SECONDS, BODY_SECONDS, GRACE_SECONDS = 10, 30, 9


class SlowClients(unittest.TestCase):
    """Each type of frame is started and not finished, unencrypted and over TLS, all at once."""

    def opened(self, frames, port, tls_port):
        """Yields (what, socket) of connections, each of which has sent half of its frame."""
        for what, (before, whole) in frames.items():
            for cut in (5, 9 + (len(whole) - 9) // 2, len(whole) - 1):
                for seal in (None, tls_port):
                    client = connect(port) if seal is None else connect_sealed(seal)
                    self.addCleanup(client.close)
                    client.sendall(h2.PREFACE + h2.settings() + before + whole[:cut])
                    yield f'{what} cut at {cut}, {"TLS" if seal else "clear"}', client

    def test_each_is_let_go_in_time(self):
        tls_port = free_port()
        with Program('10_http2', '--port', '{port}', '--threads', '1',
                     '--tls-port', str(tls_port)) as server:
            begun = time.monotonic()
            slow = list(self.opened(SLOW_FRAMES, server.port, tls_port))
            content = list(self.opened(SLOW_CONTENT, server.port, tls_port))
            opened = time.monotonic()
            for within, clients in ((HEAD_SECONDS, slow), (BODY_SECONDS, content)):
                for what, client in clients:
                    with self.subTest(what):
                        self.assertTrue(ends_by(client, opened + within + GRACE_SECONDS))
            self.assertGreater(time.monotonic() - begun, BODY_SECONDS - 5)
            self.assertEqual(server.ask('GET', '/')[0], 200)


def connect(port):
    """Connects without encryption."""
    return socket.create_connection(('127.0.0.1', port), timeout=BODY_SECONDS)


def connect_sealed(port):
    """Connects with TLS and ALPN for HTTP/2."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(['h2'])
    return context.wrap_socket(connect(port))


def ends_by(client, deadline):
    """Returns whether the server has sent a GOAWAY by then."""
    with contextlib.suppress(ConnectionResetError, ssl.SSLError):
        while (left := deadline - time.monotonic()) > 0:
            client.settimeout(left)
            try:
                if not client.recv(65536):
                    return True
            except TimeoutError:
                return False
        return False
    return True


class Smuggling(unittest.TestCase):
    """Headers that would have another meaning, or be two requests, when written as HTTP/1.1."""

    @classmethod
    def setUpClass(cls):
        cls.server = Program('10_http2', '--port', '{port}', '--threads', '1')
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def assert_refused(self, fields, content=None):
        """Expects a reset or a 4xx, while the connection continues."""
        flags = h2.END_HEADERS | (0 if content is not None else h2.END_STREAM)
        with h2.Client(self.server.port) as client:
            client.send(h2.frame(h2.HEADERS, flags, 1, h2.block(fields)))
            if content is not None:
                client.send(h2.frame(h2.DATA, h2.END_STREAM, 1, content))
            frames = client.frames_until(
                lambda kind, _, of, __: of == 1 and kind in (h2.HEADERS, h2.RST_STREAM))
            if frames[-1][0] == h2.HEADERS:
                # ":status 400" is entry 12 of the static table; others are literals.
                self.assertIn(frames[-1][3][:1], (b'\x8c', b'\x48'), fields)
            client.send(h2.request(3))
            self.assertIn(b'Hello', client.content_of(3))

    def test_fields_that_are_no_fields(self):
        """Line ends, control characters, colons, capitals, spaces in names and values."""
        base = h2.request_fields()
        for name, value in (('x-a', 'b\r\nx-evil: 1'), ('x-a', 'b\nc'), ('x-a', 'b\rc'),
                            ('x-a', 'b\x00c'), ('x-a\r\nx-evil', '1'), ('x-a: b', 'c'),
                            ('X-A', 'b'), ('x a', 'b'), ('', 'b'), ('x-a', '\x7f'),
                            ('x-a', ' b'), ('x-a', 'b\t'), ('x-\u00e4', 'b')):
            with self.subTest(name=name, value=value):
                self.assert_refused(base + [(name, value)])

    def test_fields_of_connections(self):
        """RFC 9113, 8.2.2."""
        for name, value in (('connection', 'close'), ('transfer-encoding', 'chunked'),
                            ('keep-alive', '1'), ('upgrade', 'h2c'),
                            ('proxy-connection', 'close'), ('te', 'gzip')):
            with self.subTest(name=name):
                self.assert_refused(h2.request_fields() + [(name, value)])

    def test_targets_that_are_two(self):
        """A path, method or host with a line end or a space."""
        for fields in (h2.request_fields(path='/ HTTP/1.1\r\nx: y'), h2.request_fields(path='/ x'),
                       h2.request_fields(path='x'), h2.request_fields(path=''),
                       h2.request_fields(path='*'), h2.request_fields(path='/\\x'),
                       h2.request_fields(path='/%'), h2.request_fields(path='/#x'),
                       h2.request_fields(path='http://other/'),
                       h2.request_fields(method='GET / HTTP/1.1\r\nx'),
                       h2.request_fields(authority='a b'), h2.request_fields(authority='u@h'),
                       h2.request_fields(authority='h/x'), h2.request_fields(authority='h:99999'),
                       h2.request_fields(scheme='ht\r\ntp'), h2.request_fields(scheme='ftp')):
            with self.subTest(fields=fields):
                self.assert_refused(fields)

    def test_pseudo_fields_that_are_wrong(self):
        """Missing, duplicate, unknown and late ones, and those of responses."""
        base = h2.request_fields()
        for fields in (base[1:], base[:1] + base[2:], base[:2] + base[3:], base[:3],
                       base + [(':method', 'GET')], base + [(':status', '200')],
                       base + [(':x', 'y')], base[:3] + [('x', 'y')] + base[3:]):
            with self.subTest(fields=fields):
                self.assert_refused(fields)

    def test_two_hosts(self):
        """If `:authority` and Host differ, the request is invalid."""
        self.assert_refused(h2.request_fields(authority='one') + [('host', 'two')])
        self.assert_refused(h2.request_fields()[:3] + [('host', 'one'), ('host', 'two')])

    def test_lengths_that_are_wrong(self):
        """A Content-Length that differs from the size of the content."""
        post = h2.request_fields('POST', '/echo')
        for length in ('3', '5', '4, 4', '-4', '+4', '0x4', ''):
            with self.subTest(length=length):
                self.assert_refused(post + [('content-length', length)], b'four')
        self.assert_refused(post + [('content-length', '4'), ('content-length', '4')], b'four')


if __name__ == '__main__':
    unittest.main()

"""WebSockets over HTTP/2 (RFC 8441) through proxy_to, to upstreams with HTTP/1.1.

Must not test the frames: http2_websocket_test.py does, and provides the client.
"""

import base64
import hashlib
import re
import time
import unittest

import proxy_support
from http2_websocket_test import Client, h2
from proxy_support import Scripted, read_all, wait_for
from support import Program

GUID = b'258EAFA5-E914-47DA-95CA-C5AB0DC85B11'


def accept_for(head):
    """Returns a server's accept value for the key in these headers."""
    key = re.search(rb'\r\nSec-WebSocket-Key: ([^\r]+)', head)[1]
    return base64.b64encode(hashlib.sha1(key + GUID).digest())


def opening(accept, *more):
    """Returns the 101 with this accept value."""
    return b'\r\n'.join([b'HTTP/1.1 101 Switching Protocols', b'Upgrade: websocket',
                         b'Connection: Upgrade', b'Sec-WebSocket-Accept: ' + accept, *more,
                         b'', b''])


class Patient(Client):
    """Accepts the end of a stream in a separate frame without content."""

    def take(self, event):
        """Handles one event of HTTP/2."""
        if not isinstance(event, h2.events.DataReceived) or event.data:
            super().take(event)


class OverHttp2(unittest.TestCase):
    def started(self, context):
        """Enters the context until the end of the test."""
        self.addCleanup(context.__exit__, None, None, None)
        return context.__enter__()

    def client(self, *urls, **settings):
        """Returns a client of a proxy in front of these upstreams."""
        self.front = self.started(proxy_support.proxy(*urls, **settings))
        return self.started(Patient(self.front.port))

    def service(self):
        """Starts the example and returns its URL."""
        self.upstream = self.started(Program('07_websocket', '--port', '{port}'))
        return f'http://127.0.0.1:{self.upstream.port}'

    def echo(self, client):
        """Messages of all sizes are echoed on a new WebSocket; returns it."""
        line = client.ask('/echo')
        self.assertEqual(line.status, '200')
        for field in (b'sec-websocket-accept', b'upgrade', b'connection', b'content-length'):
            self.assertNotIn(field, line.fields)
        sent = ['', 'hello', 'ä€😀' * 100, bytes(range(256)), 'x' * 900_000]
        for message in sent:
            client.say(line, message)
        client.until(lambda: len(line.messages) == len(sent))
        self.assertEqual(line.messages, sent)
        return line

    def test_messages_come_back_and_the_close_handshake_is_theirs(self):
        client = self.client(self.service())
        line = self.echo(client)
        client.close(line, 1000)
        client.until(lambda: line.is_ended)
        self.assertEqual(line.closed, 1000)
        self.assertFalse(line.is_reset)

    def test_many_share_a_connection(self):
        client = self.client(self.service())
        lines = [client.ask('/echo') for _ in range(30)]
        for turn in range(10):
            for line in lines:
                client.say(line, f'{line.number} {turn}')
        client.until(lambda: all(len(line.messages) == 10 for line in lines))
        for line in lines:
            self.assertEqual(line.messages, [f'{line.number} {turn}' for turn in range(10)])

    def test_the_upstream_sees_an_upgrade_with_a_key_of_our_own(self):
        keys = set()
        def script(connection, head, _rest):
            keys.add(accept_for(head))
            connection.sendall(opening(accept_for(head), b'Sec-WebSocket-Protocol: chat',
                                       b'X-Else: 1') + b'\x81\x02hi')
            read_all(connection)
            return True
        service = self.started(Scripted(script))
        client = self.client(service.url(), PRESERVES_HOST='1')
        for _ in range(2):
            line = client.ask('/room?x', ('sec-websocket-protocol', 'chat'), ('cookie', 'a=1'),
                              ('sec-websocket-key', 'AAAAAAAAAAAAAAAAAAAAAA=='))
            self.assertEqual(line.status, '200')
            self.assertEqual(line.fields[b'sec-websocket-protocol'], b'chat')
            self.assertEqual(line.fields[b'x-else'], b'1')
            client.until(lambda line=line: line.messages == ['hi'])
        self.assertEqual(len(keys), 2)
        head = service.heads[0]
        self.assertTrue(head.startswith(b'GET /room?x HTTP/1.1\r\nHost: localhost\r\n'), head)
        for told in (b'Connection: Upgrade', b'Upgrade: websocket', b'cookie: a=1',
                     b'sec-websocket-version: 13', b'X-Forwarded-Host: localhost'):
            self.assertIn(b'\r\n' + told + b'\r\n', head)
        self.assertEqual(head.lower().count(b'sec-websocket-key'), 1)
        self.assertNotIn(b'\r\n:', head)

    def test_an_answer_to_another_key_is_502(self):
        service = self.started(proxy_support.answering(opening(b'AAAAAAAAAAAAAAAAAAAAAAAAAAA=')))
        self.assertEqual(self.client(service.url()).ask('/').status, '502')

    def test_refusals_are_the_upstreams(self):
        client = self.client(self.service())
        self.assertEqual(client.ask('/nowhere').status, '404')
        self.echo(client)

    def test_an_upstream_that_ends_ends_the_stream(self):
        def script(connection, head, _rest):
            connection.sendall(opening(accept_for(head)) + b'\x88\x02\x03\xe8')
            return True
        client = self.client(self.started(Scripted(script)).url())
        line = client.ask('/')
        client.until(lambda: line.is_ended or line.is_reset)
        self.assertEqual(line.closed, 1000)

    def test_one_on_which_nobody_speaks_ends_alone(self):
        ends = []
        def script(connection, head, _rest):
            connection.sendall(opening(accept_for(head)))
            while b'/busy' in head and not ends:
                connection.sendall(b'\x81\x02hi')
                time.sleep(0.1)
            ends.append(read_all(connection)[1])
            return True
        client = self.client(self.started(Scripted(script)).url(), TUNNEL_IDLE='1s')
        busy, idle = client.ask('/busy'), client.ask('/idle')
        client.until(lambda: idle.is_ended or idle.is_reset)
        self.assertTrue(busy.messages)
        self.assertFalse(busy.is_ended or busy.is_reset)
        self.assertTrue(wait_for(lambda: ends))

    def test_a_stream_that_is_reset_leaves_the_upstream_and_the_others(self):
        ends = []
        def script(connection, head, _rest):
            connection.sendall(opening(accept_for(head)) + b'\x81\x02hi')
            ends.append(read_all(connection)[1])
            return True
        client = self.client(self.started(Scripted(script)).url())
        line, other = client.ask('/'), client.ask('/')
        client.until(lambda: line.messages and other.messages)
        client.http.reset_stream(line.number, 8)
        client.flush()
        self.assertTrue(wait_for(lambda: len(ends) == 1))
        self.assertFalse(other.is_ended)


if __name__ == '__main__':
    unittest.main()

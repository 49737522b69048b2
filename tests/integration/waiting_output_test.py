"""Pending output is limited for all clients of a loop together.

Each attack would use some hundred megabytes. Memory is read after all requests have arrived, so
that the result does not depend on the load of the machine.
"""

import gzip
import re
import select
import socket
import time
import unittest
from pathlib import Path

import http2_frames as h2
from support import Program
from websocket_limits_test import HANDSHAKE, frame

GROWTH_BYTES_MAX = 64 << 20
MADE_BYTES = 1 << 20
TEXT = 1
SECONDS_MAX = 20


def masked_text(payload):
    return frame(TEXT, payload)


class WaitingOutput(unittest.TestCase):
    """One loop, unless a test sets another number."""

    threads = '1'

    def setUp(self):
        self.server = self.enterContext(
            Program('limits_app', '--port', '{port}', '--threads', self.threads))
        self.assertEqual(self.server.ask('GET', '/made/1')[0], 200)
        self.idle = self.resident()

    def resident(self):
        status = Path(f'/proc/{self.server.process.pid}/status').read_text(encoding='ascii')
        return int(re.search(r'VmRSS:\s+(\d+) kB', status)[1]) << 10

    def check_growth(self):
        """Waits until the server has read everything: with one loop, that is so when this request
        gets its response."""
        for _ in range(3):
            self.assertEqual(self.server.ask('GET', '/made/1')[0], 200)
            self.assertLess(self.resident() - self.idle, GROWTH_BYTES_MAX)

    def connect(self):
        client = socket.socket()
        self.addCleanup(client.close)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(SECONDS_MAX)
        client.connect(('127.0.0.1', self.server.port))
        return client

    def test_responses_of_http_1_1(self):
        request = b'GET /made HTTP/1.1\r\nHost: a\r\n\r\n'
        readers = []
        for count in range(200):
            readers.append(self.connect())
            readers[-1].sendall(request)
            if count % 50 == 0:
                self.check_growth()
        self.check_growth()
        self.check_honest_clients()

    def test_requests_of_http_1_1_that_wait(self):
        """Their connections use little memory, also with more requests after the first."""
        request = b'GET /made HTTP/1.1\r\nHost: a\r\n\r\n'
        readers = [self.connect() for _ in range(1000)]
        for reader in readers:
            reader.sendall(request * 100)
        self.check_growth()

    def check_honest_clients(self):
        """A client that reads gets its whole response, however much output is pending for
        others."""
        for _ in range(10):
            status, _, body = self.server.ask('GET', '/made')
            self.assertEqual((status, len(body)), (200, MADE_BYTES))

    def test_responses_of_http_1_1_to_clients_that_read_a_little(self):
        request = b'GET /made HTTP/1.1\r\nHost: a\r\n\r\n'
        readers = [self.connect() for _ in range(150)]
        for reader in readers:
            reader.sendall(request)
        for _ in range(3):
            for reader in readers:
                try:
                    reader.recv(512)
                except ConnectionError:
                    pass
            self.check_growth()
        self.check_honest_clients()

    def test_streams_of_http_2(self):
        asks = b''.join(h2.request(1 + 2 * number, '/made/65536') for number in range(100))
        begin = h2.PREFACE + h2.settings(_4=0) + asks
        clients = []
        for _ in range(60):
            clients.append(self.connect())
            clients[-1].sendall(begin)
        self.check_growth()

    def subscribers(self, count, topic):
        """Returns subscribed WebSockets that do not read."""
        clients = [self.connect() for _ in range(count)]
        for client in clients:
            client.sendall(HANDSHAKE % topic)
        for client in clients:
            self.assertIn(b' 101 ', client.recv(4096))
        return clients

    def test_streams_of_http_2_that_are_served_one_after_another(self):
        """Objects that are kept for later streams keep no large bodies."""
        for _ in range(4):
            clients = []
            for _ in range(15):
                clients.append(self.connect())
                clients[-1].sendall(h2.PREFACE + h2.settings(_4=0) + b''.join(
                    h2.request(1 + 2 * number, '/made/1048576') for number in range(100)))
            self.check_growth()
            for client in clients:
                client.close()
        self.check_growth()

    def test_clients_that_read_fast_get_all_of_their_responses(self):
        """Many at once: their responses together are much larger than the limit."""
        clients = [self.connect() for _ in range(200)]
        for client in clients:
            client.sendall(b'GET /made HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
            client.setblocking(False)
        received = dict.fromkeys(clients, 0)
        while received:
            readable, _, _ = select.select(list(received), [], [], SECONDS_MAX)
            self.assertTrue(readable)
            for client in readable:
                piece = client.recv(1 << 18)
                received[client] += len(piece)
                if not piece:
                    self.assertGreater(received.pop(client), MADE_BYTES)
            self.assertLess(self.resident() - self.idle, GROWTH_BYTES_MAX)

    def test_topics_that_web_sockets_do_not_read(self):
        for message in (b'm' * 100, b'm' * 10_000, b'm' * 200_000):
            with self.subTest(bytes=len(message)):
                clients = self.subscribers(200, b'/room/slow')
                publisher = self.subscribers(1, b'/room/slow')[0]
                self.publish(publisher, masked_text(message) * ((2 << 20) // len(message)))
                self.check_growth()
                for client in clients:
                    client.close()

    def publish(self, publisher, frames):
        """Sends all of it, and reads meanwhile, because the publisher is a subscriber, too."""
        publisher.setblocking(False)
        while frames:
            readable, writable, _ = select.select([publisher], [publisher], [], SECONDS_MAX)
            self.assertTrue(readable or writable)
            if readable:
                self.assertTrue(publisher.recv(1 << 20))
            if writable:
                frames = frames[publisher.send(frames[:65536]):]

    def test_topics_that_event_streams_do_not_read(self):
        clients = [self.connect() for _ in range(400)]
        for client in clients:
            client.sendall(b'GET /events/slow HTTP/1.1\r\nHost: a\r\n\r\n')
        for client in clients:
            self.assertIn(b' 200 ', client.recv(512))
        for _ in range(10):
            status = self.server.ask('POST', '/publish/slow', 'm' * 100_000)[0]
            self.assertEqual(status, 200)
        self.check_growth()

    def test_bodies_that_are_decompressed(self):
        packed = gzip.compress(bytes(MADE_BYTES))
        request = (b'POST /held HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\n'
                   b'Content-Length: %d\r\n\r\n' % len(packed) + packed)
        clients = []
        for _ in range(150):
            clients.append(self.connect())
            clients[-1].sendall(request)
        self.check_growth()
        clients[-1].settimeout(SECONDS_MAX)
        refused = clients[-1].recv(4096)
        self.assertIn(b' 503 ', refused)
        self.assertIn(b'Retry-After: ', refused)


class OnTwoLoops(WaitingOutput):
    """Each loop has its own limit."""

    threads = '2'

    test_topics_that_web_sockets_do_not_read = None
    test_topics_that_event_streams_do_not_read = None
    test_bodies_that_are_decompressed = None

    def check_growth(self):
        """Waits until the loops have read everything: then requests on many connections get
        responses."""
        for _ in range(3):
            for asking in [self.connect() for _ in range(4)]:
                asking.sendall(b'GET /made/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
                self.assertIn(b' 200 ', asking.recv(4096))
            self.assertLess(self.resident() - self.idle, GROWTH_BYTES_MAX)


class MessagesForOtherLoops(WaitingOutput):
    """Two loops, one of which is blocked while the other publishes."""

    threads = '2'

    test_responses_of_http_1_1 = None
    test_responses_of_http_1_1_to_clients_that_read_a_little = None
    test_requests_of_http_1_1_that_wait = None
    test_clients_that_read_fast_get_all_of_their_responses = None
    test_streams_of_http_2 = None
    test_streams_of_http_2_that_are_served_one_after_another = None
    test_topics_that_web_sockets_do_not_read = None
    test_topics_that_event_streams_do_not_read = None
    test_bodies_that_are_decompressed = None

    def test_one_client_publishes_while_another_loop_is_blocked(self):
        # Both loops have some of them, and one of the blocking requests.
        subscribers = self.subscribers(20, b'/room/busy')
        publishers = self.subscribers(8, b'/room/busy')
        blocker = self.connect()
        blocker.sendall(b'GET /blocks/3000 HTTP/1.1\r\nHost: a\r\n\r\n')
        flood = masked_text(b'm' * 100) * 600
        for publisher in publishers:
            publisher.setblocking(False)
        until = time.monotonic() + 2.5
        while time.monotonic() < until:
            for publisher in publishers:
                try:
                    publisher.send(flood)
                    publisher.recv(1 << 20)
                except (BlockingIOError, ConnectionError):
                    pass
            self.assertLess(self.resident() - self.idle, GROWTH_BYTES_MAX)
        self.assertIn(b'done', blocker.recv(4096))
        self.assertLess(self.resident() - self.idle, GROWTH_BYTES_MAX)
        for subscriber in subscribers:
            subscriber.close()


if __name__ == '__main__':
    unittest.main()

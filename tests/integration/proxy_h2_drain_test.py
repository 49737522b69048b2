"""proxy_to while it stops, with many concurrent HTTP/2 streams: every stream is counted.

Must not count a stream as lost that the server's last GOAWAY excludes.
"""

import struct
import threading
import time
import unittest

import http2_frames as h2
from proxy_drain_test import Remembering
from proxy_support import SECONDS_MAX, proxy, wait_for

CLIENTS = 4
STREAMS = 10
SECONDS = 1.0
LAST_STREAM = 2**31 - 1
STATUS_200 = 0x88  # entry of the static table (RFC 7541, appendix A)


class Counter:
    """A client with this number of concurrent streams on one connection; records their results."""

    def __init__(self, port, name, method):
        self.name, self.method = name, method
        self.streams = set()
        self.answered, self.whole, self.reset = set(), set(), set()
        self.goaways = []
        self.failure = ''
        self.client = h2.Client(port, SECONDS_MAX)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def name_of(self, stream):
        """Returns the name of the request for the upstream."""
        return f'{self.name}x{stream}'

    def _run(self):
        try:
            with self.client:
                self._go_on()
                while got := self.client.next_frame():
                    self._take(*got)
                    self._go_on()
        except Exception as error:  # reported by the test
            self.failure = repr(error)

    def _go_on(self):
        while not self.goaways and len(self.streams) - len(self.whole | self.reset) < STREAMS:
            self._ask(2 * len(self.streams) + 1)

    def _ask(self, stream):
        self.streams.add(stream)
        path = '/' + self.name_of(stream)
        if self.method == 'GET':
            self.client.send(h2.request(stream, path))
        else:
            self.client.send(h2.request(stream, path, self.method, [('content-length', '2')],
                                        flags=h2.END_HEADERS)
                             + h2.frame(h2.DATA, h2.END_STREAM, stream, b'hi'))

    def _take(self, kind, flags, stream, payload):
        if kind == h2.HEADERS and payload[0] == STATUS_200:
            self.answered.add(stream)
        if kind in (h2.HEADERS, h2.DATA) and flags & h2.END_STREAM:
            self.whole.add(stream)
        if kind == h2.DATA and payload:
            self.client.send(h2.window_update(0, len(payload)))
        if kind == h2.RST_STREAM:
            self.reset.add(stream)
        if kind in (h2.PING, h2.SETTINGS) and not flags & h2.ACK:
            self.client.send(h2.frame(kind, h2.ACK, 0, payload if kind == h2.PING else b''))
        if kind == h2.GOAWAY:
            self.goaways.append(struct.unpack('>II', payload[:8]))

    def served(self):
        """Returns the streams that the server has started, according to its last GOAWAY."""
        return {stream for stream in self.streams if stream <= self.goaways[-1][0]}

    def wait(self):
        """Waits until the server has ended the connection."""
        self.thread.join(SECONDS_MAX)


class StoppingProxy(unittest.TestCase):
    def check(self, client):
        """Expects two GOAWAYs, and that every started stream was completed."""
        client.wait()
        self.assertEqual(client.failure, '')
        self.assertEqual(client.goaways[0], (LAST_STREAM, h2.NO_ERROR))
        self.assertEqual(client.goaways[-1][1], h2.NO_ERROR)
        self.assertLess(client.goaways[-1][0], LAST_STREAM)
        self.assertEqual((client.served() - client.whole, client.served() - client.answered,
                          client.reset), (set(), set(), set()))

    def test_every_stream_that_was_begun_is_answered_whole(self):
        for method in ('GET', 'POST'):
            with self.subTest(method), Remembering() as service, proxy(service.url()) as front:
                clients = [Counter(front.port, f'c{index}', method) for index in range(CLIENTS)]
                time.sleep(SECONDS)
                self.assertEqual(front.stop(), 0)
                for client in clients:
                    self.check(client)
                names = {client.name_of(stream) for client in clients for stream in client.whole}
                self.assertGreater(len(names), 100)
                self.assertEqual(service.names() - names, set(), 'asked, and never answered')

    def test_a_stream_that_waits_is_answered_before_it_ends(self):
        with Remembering(pause=1.0) as service, proxy(service.url()) as front:
            clients = [Counter(front.port, f'c{index}', 'GET') for index in range(2)]
            self.assertTrue(wait_for(lambda: len(service.heads) == 2 * STREAMS))
            self.assertEqual(front.stop(), 0)
            for client in clients:
                self.check(client)
                self.assertGreaterEqual(len(client.whole), STREAMS)


if __name__ == '__main__':
    unittest.main()

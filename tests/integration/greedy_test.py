"""Slow and greedy clients, all kinds at once: each is ended by its limit, others do not notice.

Must not end a client itself: the service has to.
"""

import json
import socket
import subprocess
import threading
import time
import unittest

from streaming_test import held_bytes
from support import BIN, Program

SECONDS_MAX = 75           # the longest limit is that of a slow reader: two spans of 30 s
USUAL_SECONDS = 5
RATE = 500                 # requests per second of those who behave
LATENCY_FLOOR_MS = 20      # below this a p99 says more about the machine than about the service
OF_EACH_KIND = 5
GIVEN_BACK_BYTES = 6 << 20


def latency_ms(service, seconds):
    """The p99 of clients that behave, counted from when each request was due."""
    told = subprocess.run(
        [BIN / 'eider_load', 'rate', '--port', str(service.port), '--path', '/plaintext',
         '--connections', '8', '--rate', str(RATE), '--seconds', str(seconds), '--json'],
        capture_output=True, check=True, timeout=seconds + 30).stdout
    report = json.loads(told)
    assert report['errors'] == 0, report
    return report['latency']['p99_ms']


class Greedy(threading.Thread):
    """One client that misbehaves until the service ends it; `answer` is what it was told."""

    def __init__(self, service, first, drip=b'', every=1.0, reads=True):
        super().__init__(daemon=True)
        self.connection = service.connect()
        self.first, self.drip, self.every, self.reads = first, drip, every, reads
        self.answer, self.is_ended, self.seconds = b'', False, None

    def run(self):
        began = time.monotonic()
        self.connection.settimeout(self.every)
        try:
            self.connection.sendall(self.first)
            while time.monotonic() - began < SECONDS_MAX:
                if self._was_ended():
                    break
                if self.drip:
                    self.connection.sendall(self.drip)
        except (ConnectionError, BrokenPipeError):
            self.is_ended = True
        self.seconds = time.monotonic() - began
        self.connection.close()

    def _was_ended(self):
        if not self.reads:
            time.sleep(self.every)
            error = self.connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            self.is_ended = error != 0
            return self.is_ended
        try:
            part = self.connection.recv(65536)
        except TimeoutError:
            return False
        self.answer += part
        self.is_ended = not part
        return self.is_ended


KINDS = {
    'a head that trickles': (
        dict(first=b'GET / HTTP/1.1\r\nHost: a\r\nX: ', drip=b'x'), b' 408 '),
    'a body that trickles': (
        dict(first=b'POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n',
             drip=b'xxxxxxxx'), b' 408 '),
    'chunks that trickle': (
        dict(first=b'POST /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
             drip=b'1\r\nx\r\n'), b' 408 '),
    'nothing read': (
        dict(first=b'GET /stream/10000000000 HTTP/1.1\r\nHost: a\r\n\r\n', reads=False), None),
    'a head too large': (
        dict(first=b'GET / HTTP/1.1\r\nHost: a\r\n' + b'X: y\r\n' * 4000), b' 431 '),
    'a body too large': (dict(first=b'POST /test HTTP/1.1\r\nHost: a\r\nContent-Type: '
                              b'application/json\r\nContent-Length: 2000000\r\n\r\n'), b' 413 '),
}


class GreedyClients(unittest.TestCase):
    def test_each_kind_is_ended_while_others_are_served_as_usual(self):
        with Program('arena_eider', '{port}', '1') as service:
            usual = latency_ms(service, USUAL_SECONDS)
            before = held_bytes(service)
            clients = {kind: [Greedy(service, **how) for _ in range(OF_EACH_KIND)]
                       for kind, (how, _) in KINDS.items()}
            for client in sum(clients.values(), []):
                client.start()
            meanwhile = latency_ms(service, SECONDS_MAX - 10)
            self.assertLess(meanwhile, max(2 * usual, LATENCY_FLOOR_MS))
            for kind, (_, status) in KINDS.items():
                for client in clients[kind]:
                    client.join(SECONDS_MAX)
                    with self.subTest(kind, seconds=client.seconds):
                        self.assertTrue(client.is_ended)
                        if status is not None:
                            self.assertIn(status, client.answer[:40])
            time.sleep(3)
            self.assertLess(held_bytes(service) - before, GIVEN_BACK_BYTES)


if __name__ == '__main__':
    unittest.main()

"""Slow and greedy clients of all kinds at once: each is ended by its limit, without effects on
others.

Must not end a client itself: the services must do it.
"""

import contextlib
import gzip
import json
import os
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from streaming_test import held_bytes
from support import BIN, Program
from websocket_limits_test import BINARY, HANDSHAKE, PING, frame

SECONDS_MAX = 75           # the longest limit is that of a slow reader: two periods of 30 s
MEASURED_SECONDS = 32
RATE = 500                 # requests per second of well-behaved clients
LATENCY_FLOOR_MS = 20      # a lower p99 depends more on the machine than on the service
OF_EACH_KIND = 5
GIVEN_BACK_BYTES = 10 << 20  # five slow readers' megabytes are free, except in the allocator
BOMB_BYTES = 100 << 20
ROOM = b'/ws/room/busy'
TOO_BIG, AGAINST_POLICY = (struct.pack('>H', code) for code in (1009, 1008))


def latency_ms(service, path):
    """Returns the p99 of well-behaved clients, measured from the time when each request was due."""
    told = subprocess.run(
        [BIN / 'eider', 'bench', '--no-progress', '--json', '-', '-c', '8', '-r', str(RATE),
         '--arrivals', 'poisson', '-d', f'{MEASURED_SECONDS}s', '--expect-status', '200',
         f'http://127.0.0.1:{service.port}{path}'],
        capture_output=True, check=True, timeout=MEASURED_SECONDS + 30).stdout
    report = json.loads(told)
    assert report['errors'] == 0, report
    return report['latency']['p99_ms']


class Greedy(threading.Thread):
    """A client that misbehaves until the service ends the connection; `answer` is the received
    data.

    With `again`, it reconnects after this number of seconds, until the time is up.
    """

    def __init__(self, service, first, drip=b'', every=1.0, reads=True, again=None):
        super().__init__(daemon=True)
        self.service, self.first, self.drip = service, first, drip
        self.every, self.reads, self.again = every, reads, again
        self.connection = self._connect()
        self.answer, self.is_ended, self.seconds, self.rounds = b'', False, None, 0

    def _connect(self):
        connection = self.service.connect()
        if not self.reads:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(self.every)
        return connection

    def run(self):
        began = time.monotonic()
        self._misbehave()
        while self.again and self.is_ended and time.monotonic() - began < MEASURED_SECONDS:
            time.sleep(self.again)
            self.answer, self.is_ended, self.connection = b'', False, self._connect()
            self._misbehave()
        self.seconds = time.monotonic() - began

    def _misbehave(self):
        began = time.monotonic()
        try:
            self.connection.sendall(self.first)
            while time.monotonic() - began < SECONDS_MAX:
                if self._was_ended():
                    break
                if self.drip:
                    self.connection.sendall(self.drip)
        except (ConnectionError, BrokenPipeError):
            self.is_ended = True
        self.rounds += 1
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


class Talker(threading.Thread):
    """A well-behaved client that sends much data to a room: a subscriber that does not read falls
    behind."""

    def __init__(self, service):
        super().__init__(daemon=True)
        self.connection = service.connect()
        self.message = HANDSHAKE % ROOM
        self.is_over = threading.Event()

    def run(self):
        with self.connection, contextlib.suppress(ConnectionError):
            while not self.is_over.wait(0.05):
                self.connection.sendall(self.message)
                self.message = frame(BINARY, bytes(50_000))
                self.connection.recv(1 << 20)


# The behavior of each kind, and the expected response.
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
        dict(first=b'GET /stream/10000000000 HTTP/1.1\r\nHost: a\r\n\r\n', reads=False), b''),
    'a head too large': (
        dict(first=b'GET / HTTP/1.1\r\nHost: a\r\n' + b'X: y\r\n' * 4000), b' 431 '),
    'a body too large': (dict(first=b'POST /test HTTP/1.1\r\nHost: a\r\nContent-Type: '
                              b'application/json\r\nContent-Length: 2000000\r\n\r\n'), b' 413 '),
    'huge frames': (
        dict(first=HANDSHAKE % b'/ws' + struct.pack('>BBQ', 0x82, 0xFF, 1 << 40) + bytes(4),
             again=0.1), TOO_BIG),
    'a ping flood': (
        dict(first=HANDSHAKE % b'/ws' + frame(PING, bytes(125)) * 400, again=0.1), AGAINST_POLICY),
    'a slow reader of a topic': (dict(first=HANDSHAKE % ROOM, reads=False, again=1), b''),
}

# The same for a service that accepts forms and compressed bodies.
UPLOADING_KINDS = {
    'a part that never ends': (
        dict(first=b'POST /photos HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n'
             b'Content-Type: multipart/form-data; boundary=b\r\n\r\n47\r\n--b\r\n'
             b'Content-Disposition: form-data; name="f"; filename="f.jpg"\r\n\r\nxxxx\r\n',
             drip=b'8\r\nxxxxxxxx\r\n'), b' 408 '),
    'a compression bomb': (dict(first=b'', again=0.2), b' 413 '),
}


def bomb():
    """Returns a request whose body is a thousand times larger than its compressed form."""
    packed = gzip.compress(bytes(BOMB_BYTES))
    return (b'POST /size HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Encoding: gzip\r\n'
            b'Content-Length: %d\r\n\r\n' % len(packed) + packed)


class GreedyClients(unittest.TestCase):
    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        UPLOADING_KINDS['a compression bomb'][0]['first'] = bomb()
        self.services = [
            (Program('arena_eider', '{port}', '1'), '/plaintext', KINDS),
            (Program('04_uploads', '--port', '{port}', '--threads', '1',
                     environment={'UPLOADS_DIRECTORY': directory}), '/', UPLOADING_KINDS)]
        for service, _, _ in self.services:
            self.enterContext(service)
        # Without greedy clients, but on the same machine at the same time.
        self.calm = self.enterContext(Program('arena_eider', '{port}', '1'))
        self.directory = directory

    def test_each_kind_is_ended_while_others_are_served_as_usual(self):
        before = [held_bytes(service) for service, _, _ in self.services]
        clients = {kind: [Greedy(service, **how) for _ in range(OF_EACH_KIND)]
                   for service, _, kinds in self.services for kind, (how, _) in kinds.items()}
        talker = Talker(self.services[0][0])
        for thread in (*sum(clients.values(), []), talker):
            thread.start()
        measured = [(service, path) for service, path, _ in self.services]
        with ThreadPoolExecutor() as pool:
            *meanwhile, usual = pool.map(latency_ms, *zip(*measured, (self.calm, '/plaintext')))
        for (_, path), latency in zip(measured, meanwhile):
            self.assertLess(latency, max(2 * usual, LATENCY_FLOOR_MS), path)
        for kind, (_, told) in (KINDS | UPLOADING_KINDS).items():
            self.see_them_ended(kind, clients[kind], told)
        talker.is_over.set()
        talker.join()
        deadline = time.monotonic() + SECONDS_MAX
        for (service, path, _), held in zip(self.services, before):
            while held_bytes(service) - held >= GIVEN_BACK_BYTES:
                self.assertLess(time.monotonic(), deadline, path)
                time.sleep(0.05)
        while os.listdir(self.directory):
            self.assertLess(time.monotonic(), deadline, os.listdir(self.directory))
            time.sleep(0.05)

    def see_them_ended(self, kind, clients, told):
        """Expects that the service ended each connection, each time, with these bytes in its
        response."""
        for client in clients:
            client.join(SECONDS_MAX)
            with self.subTest(kind, seconds=client.seconds, rounds=client.rounds):
                self.assertTrue(client.is_ended)
                self.assertIn(told, client.answer)
                self.assertGreater(client.rounds, 1 if client.again else 0)


if __name__ == '__main__':
    unittest.main()

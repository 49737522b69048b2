"""Slow and greedy WebSocket clients, each ended by its own limit while another client continues.

Uses hand-written frames, so that they can be invalid. Must not wait without a limit.
"""

import os
import socket
import struct
import time
import unittest

from support import ANSWER_SECONDS_MAX, Program

PROGRAM = '07_websocket'
PATIENCE_SECONDS = 15
HANDSHAKE = (b'GET %s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
             b'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n')
ACCEPT = b'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n'
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


def frame(opcode, payload=b'', is_final=True):
    """Returns a frame of a client; the mask is zero, so that it need not be applied."""
    first = opcode | (0x80 if is_final else 0)
    if len(payload) < 126:
        head = struct.pack('>BB', first, 0x80 | len(payload))
    elif len(payload) < 65536:
        head = struct.pack('>BBH', first, 0x80 | 126, len(payload))
    else:
        head = struct.pack('>BBQ', first, 0x80 | 127, len(payload))
    return head + b'\0\0\0\0' + payload


class Client:
    """An upgraded connection."""

    def __init__(self, program, path, receive_bytes=None):
        self.socket = socket.socket()
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(PATIENCE_SECONDS)
        self.socket.connect(('127.0.0.1', program.port))
        self.bytes = b''
        self.socket.sendall(HANDSHAKE % path)
        while b'\r\n\r\n' not in self.bytes:
            self._receive()
        head, self.bytes = self.bytes.split(b'\r\n\r\n', 1)
        assert head.startswith(b'HTTP/1.1 101 ') and ACCEPT in head + b'\r\n', head

    def close(self):
        self.socket.close()

    def send(self, *frames):
        self.socket.sendall(b''.join(frames))

    def _receive(self):
        data = self.socket.recv(65536)
        if not data:
            raise EOFError('the server has ended the connection')
        self.bytes += data

    def _take(self, count):
        while len(self.bytes) < count:
            self._receive()
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def receive(self):
        """Returns the next frame: (opcode, payload)."""
        first, length = struct.unpack('>BB', self._take(2))
        if length == 126:
            length, = struct.unpack('>H', self._take(2))
        elif length == 127:
            length, = struct.unpack('>Q', self._take(8))
        return first & 15, self._take(length)

    def close_code(self):
        """Returns the code and text of the server's close frame; skips everything before it."""
        opcode, payload = self.receive()
        while opcode != CLOSE:
            opcode, payload = self.receive()
        return struct.unpack('>H', payload[:2])[0]

    def is_cut(self):
        """Returns whether the connection ends, with or without a reset, after the remaining
        data."""
        try:
            while True:
                self.bytes = b''
                self._receive()
        except (EOFError, ConnectionResetError):
            return True
        except TimeoutError:
            return False


class Limits(unittest.TestCase):
    """Each test ends one bad client; a good one sends messages all the time and never waits
    long."""

    def setUp(self):
        self.program = Program(PROGRAM, '--port', '{port}', '--threads', '1')
        self.program.__enter__()
        self.addCleanup(self.program.__exit__)
        self.good = self.client(b'/echo')

    def client(self, path, **options):
        made = Client(self.program, path, **options)
        self.addCleanup(made.close)
        return made

    def talk(self):
        """The good client gets its response soon."""
        begin = time.monotonic()
        self.good.send(frame(TEXT, b'are you there?'))
        while self.good.receive()[0] != TEXT:
            self.good.send(frame(PONG))
        self.assertLess(time.monotonic() - begin, ANSWER_SECONDS_MAX)

    def talk_for(self, seconds):
        """Sends a message every 50 ms."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.talk()
            time.sleep(0.05)

    def resident_kib(self):
        """Returns the program's memory."""
        with open(f'/proc/{self.program.process.pid}/status', encoding='ascii') as status:
            return next(int(line.split()[1]) for line in status if line.startswith('VmRSS'))

    def test_a_silent_client_that_answers_no_ping_is_cut(self):
        bad = self.client(b'/strict/a')
        self.assertEqual(bad.receive(), (PING, b''))
        self.talk_for(1.5)
        self.assertTrue(bad.is_cut())

    def test_a_client_that_answers_pings_lives(self):
        patient = self.client(b'/strict/a')
        for _ in range(3):
            self.assertEqual(patient.receive(), (PING, b''))
            patient.send(frame(PONG))
        self.talk()
        patient.send(frame(TEXT, b'x'))
        self.assertEqual(patient.receive(), (TEXT, b'somebody: x'))

    def test_a_client_that_does_not_close_is_closed(self):
        bad = self.client(b'/strict/a')
        bad.send(frame(3))
        self.assertEqual(bad.close_code(), 1002)
        self.talk_for(1.5)
        with self.assertRaises((BrokenPipeError, ConnectionResetError)):
            end = time.monotonic() + PATIENCE_SECONDS
            while time.monotonic() < end:
                bad.send(frame(TEXT, b'x'))
                time.sleep(0.02)

    def test_a_ping_flood_is_ended(self):
        bad = self.client(b'/strict/a')
        bad.send(*[frame(PING, b'p')] * 60)
        self.talk()
        self.assertEqual(bad.close_code(), 1008)

    def test_a_flood_behind_the_end_is_cut(self):
        bad = self.client(b'/strict/a')
        with self.assertRaises((BrokenPipeError, ConnectionResetError)):
            for _ in range(200):
                bad.send(*[frame(PING, b'p' * 125)] * 1000)
        self.talk()

    def test_a_huge_frame_is_refused_by_its_head(self):
        bad = self.client(b'/strict/a')
        bad.send(struct.pack('>BBQ', 0x82, 0xFF, 1 << 40) + b'\0\0\0\0')
        self.assertEqual(bad.close_code(), 1009)
        self.talk()

    def test_fragments_that_never_end_are_ended(self):
        bad = self.client(b'/strict/a')
        bad.send(frame(TEXT, b'', is_final=False), *[frame(CONTINUATION, b'', False)] * 200)
        self.assertIn(bad.close_code(), (1008, 1009))
        self.talk()

    def test_a_message_that_trickles_is_ended(self):
        bad = self.client(b'/strict/a')
        bad.send(frame(TEXT, b'', is_final=False))
        begin = time.monotonic()
        while time.monotonic() - begin < 4:
            try:
                bad.send(frame(CONTINUATION, b'x', False))
            except (BrokenPipeError, ConnectionResetError):
                break
            self.talk()
            time.sleep(0.1)
        self.assertEqual(bad.close_code(), 1008)

    def test_a_slow_reader_of_a_busy_topic_is_ended_and_delays_nobody(self):
        before = self.resident_kib()
        slow = [self.client(b'/strict/busy', receive_bytes=4096) for _ in range(5)]
        fast = self.client(b'/strict/busy')
        text = b'x' * 60000
        for _ in range(200):
            fast.send(frame(TEXT, text))
            self.talk()
            opcode, payload = fast.receive()
            while opcode != TEXT or b'came in' in payload:
                fast.send(frame(PONG))
                opcode, payload = fast.receive()
            self.assertEqual(payload, b'somebody: ' + text)
        self.talk_for(3)
        for client in slow:
            self.assertTrue(client.is_cut())
        for client in (*slow, fast):
            client.close()
        self.talk_for(0.5)
        self.assertLess(self.resident_kib() - before, 8 * 1024)

    def test_a_thousand_idle_sockets_cost_little(self):
        clients = [self.client(b'/echo') for _ in range(100)]  # allocates what is created only once
        before = self.resident_kib()
        clients += [self.client(b'/echo') for _ in range(1000)]
        self.talk()
        kib = (self.resident_kib() - before) / 1000
        self.assertLess(kib, 2, 'of which the allocator and the ring have their share')
        for client in clients:
            client.close()
        self.talk()


if __name__ == '__main__':
    os.environ.setdefault('PYTHONDONTWRITEBYTECODE', '1')
    unittest.main()

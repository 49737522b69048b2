"""Server-sent events as a process: ten thousand open streams on one thread, and how they end.

Must not read more than it counts: other tests have clients that do not read.
"""

import os
import selectors
import socket
import tempfile
import time
import unittest
from pathlib import Path

from streaming_test import held_bytes
from support import STOP_SECONDS_MAX, Program, open_files_max

STREAMS = 10_000
FILES_SPARE = 200
SECONDS_MAX = 60
GIVEN_BACK_WITHIN = 8 << 20   # of the memory used before the clients connected
# Memory of the process, without buffers of the kernel. Clang's coroutine frames are larger than
# those of g++: 6,500 bytes per stream instead of 5,500.
BYTES_PER_STREAM_MAX = 7000
ASK = b'GET /ticks HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n'


class ManyStreams(unittest.TestCase):
    def setUp(self):
        most = open_files_max()
        self.count = min(STREAMS, most - FILES_SPARE)
        self.selector = selectors.DefaultSelector()
        self.addCleanup(self.selector.close)

    def test_ten_thousand_on_one_thread_all_tick(self):
        with Program('05_events', '--port', '{port}', '--threads', '1') as service:
            before = held_bytes(service)
            ticks = self._open_all(service)
            deadline = time.monotonic() + SECONDS_MAX
            while min(ticks.values()) < 3:
                self.assertLess(time.monotonic(), deadline, self._slowest(ticks))
                self._count(ticks)
            self.assertLess((held_bytes(service) - before) / self.count, BYTES_PER_STREAM_MAX)
            self.assertEqual(service.ask('GET', '/')[0], 200)
            self._close_all()
            self._assert_given_back(service, before)
            self.assertEqual(service.stop(), 0)

    def _open_all(self, service):
        ticks = {}
        for _ in range(self.count):
            connection = socket.create_connection(('127.0.0.1', service.port), timeout=20)
            self.addCleanup(connection.close)
            connection.sendall(ASK)
            connection.setblocking(False)
            self.selector.register(connection, selectors.EVENT_READ)
            ticks[connection] = 0
        return ticks

    def _count(self, ticks):
        for key, _ in self.selector.select(1):
            ticks[key.fileobj] += key.fileobj.recv(65536).count(b'event: tick\n')

    @staticmethod
    def _slowest(ticks):
        fewest = min(ticks.values())
        return f'{sum(1 for n in ticks.values() if n == fewest)} still have {fewest} ticks'

    def _close_all(self):
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()

    def _assert_given_back(self, service, before):
        deadline = time.monotonic() + SECONDS_MAX
        while held_bytes(service) - before > GIVEN_BACK_WITHIN:
            self.assertLess(time.monotonic(), deadline, 'memory is not given back')
            time.sleep(0.2)


class OneStream(unittest.TestCase):
    def test_goes_on_behind_the_event_that_was_seen_last(self):
        with Program('05_events', '--port', '{port}') as service, service.connect() as client:
            client.sendall(ASK[:-2] + b'Last-Event-ID: 41\r\n\r\n')
            told = b''
            while b'data: 43' not in told:
                told += client.recv(4096)
            self.assertIn(b'Content-Type: text/event-stream', told)
            self.assertIn(b'id: 42\n', told)
            self.assertNotIn(b'data: 41', told)

    def test_is_ended_in_order_when_the_service_stops(self):
        with Program('05_events', '--port', '{port}') as service, service.connect() as client:
            client.sendall(ASK)
            told = client.recv(4096)
            self.assertEqual(service.stop(), 0)
            while part := client.recv(4096):
                told += part
            self.assertTrue(told.endswith(b'\r\n0\r\n\r\n'), told[-40:])


class FollowedTopic(unittest.TestCase):
    def _hear(self, client, ticks):
        client.sendall(ASK)
        told = b''
        while told.count(b'event: tick\n') < ticks:
            part = client.recv(4096)
            self.assertTrue(part, told)
            told += part
        return told

    def _run(self, file, *options):
        with Program('13_clock', '--port', '{port}', '--threads', '2', '--clock-file', file,
                     '--clock-pause', '5ms', '--drain-seconds', '60', *options) as service:
            with service.connect() as one, service.connect() as another:
                heard = [int(line[4:]) for line in self._hear(one, 5).split(b'\n')
                         if line.startswith(b'id: ')]
                self.assertEqual(heard, list(range(heard[0], heard[0] + len(heard))))
                told = self._hear(another, 5)
                one.close()
                service.process.terminate()
                while part := another.recv(4096):  # long before the end of the drain
                    told += part
                self.assertTrue(told.endswith(b'\r\n0\r\n\r\n'), told[-40:])
            self.assertEqual(service.process.wait(STOP_SECONDS_MAX), 0)
        return heard

    def test_is_heard_on_both_loops_and_goes_on_where_the_last_run_has_stopped(self):
        for backend in ('epoll', 'io_uring'):
            with self.subTest(backend=backend), tempfile.TemporaryDirectory() as directory:
                file = os.path.join(directory, 'clock')
                first = self._run(file, '--backend', backend)
                kept = int(Path(file).read_text())
                self.assertGreaterEqual(kept, first[-1])
                self.assertGreater(self._run(file, '--backend', backend)[0], kept)


if __name__ == '__main__':
    unittest.main()

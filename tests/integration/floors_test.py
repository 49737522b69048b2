"""The minimal servers of the arena respond to every request, however its bytes arrive, and exit
cleanly."""

import random
import signal
import threading
import unittest

from support import BIN, Program, receive_until

REQUEST = b'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
FLOORS = [name for name in ('floor_epoll', 'floor_uring') if (BIN / name).exists()]


def send_in_pieces(connection, data):
    """Sends the bytes in irregular pieces that are the same each time."""
    chance, at = random.Random(1), 0
    while at < len(data):
        size = chance.choice([1, 2, 3, 5, 17, 100, 5000, 70000])
        connection.sendall(data[at:at + size])
        at += size


class Floors(unittest.TestCase):
    def test_a_client_that_reads_late_gets_every_answer(self):
        for name in FLOORS:
            with self.subTest(name), Program(name, '{port}', '1') as floor, \
                    floor.connect() as connection:
                connection.sendall(REQUEST)
                answer = receive_until(connection, b'World!')
                count = 20000
                sender = threading.Thread(target=send_in_pieces, args=(connection, REQUEST * count))
                sender.start()
                received = bytearray()
                while len(received) < count * len(answer):
                    received += connection.recv(1 << 16)
                sender.join()
                self.assertTrue(bytes(received) == answer * count)

    def test_closing_follows_the_answer(self):
        for name in FLOORS:
            with self.subTest(name), Program(name, '{port}', '1', '--close', '--json') as floor:
                _, headers, body = floor.ask('GET', '/', headers={'Connection': 'close'})
                self.assertEqual(headers['Connection'], 'close')
                self.assertEqual(body, b'{"message":"Hello, World!"}')
                with floor.connect() as connection:
                    connection.sendall(REQUEST)
                    self.assertTrue(receive_until(connection, b'}'))
                    self.assertEqual(connection.recv(1), b'')

    def test_large_answers_are_whole(self):
        for name in FLOORS:
            with self.subTest(name), Program(name, '{port}', '1', '--bytes', '1048576') as floor:
                for _ in range(3):
                    status, _, body = floor.ask('GET', '/')
                    self.assertEqual((status, body), (200, b'x' * 1048576))

    def test_a_signal_ends_them_with_status_0(self):
        for name in FLOORS:
            for how in (signal.SIGTERM, signal.SIGINT):
                with self.subTest(name), Program(name, '{port}', '2') as floor:
                    self.assertEqual(floor.stop(how), 0)


if __name__ == '__main__':
    unittest.main()

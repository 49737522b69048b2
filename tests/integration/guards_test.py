"""Guards with a real server: unauthorized uploads are rejected before a byte of the body is read.

Must not use internals of the service: only its responses and their times count.
"""

import subprocess
import unittest

from support import Program

PROGRAM = '12_guards'
ANN = {'Authorization': 'Bearer ann-s-key'}
BOB = {'Authorization': 'Bearer bob-s-key'}
SECONDS_MAX = 10


def head(fields, length):
    """Returns the headers of an upload that waits for 100 Continue."""
    lines = [f'{name}: {value}' for name, value in fields.items()]
    return '\r\n'.join(['POST /admin/upload HTTP/1.1', 'Host: x', f'Content-Length: {length}',
                        'Expect: 100-continue', *lines, '', '']).encode()


def read_head(connection):
    """Returns all bytes up to the first empty line."""
    received = b''
    while not received.endswith(b'\r\n\r\n'):
        byte = connection.recv(1)
        if not byte:
            raise AssertionError(f'the connection ended after {received!r}')
        received += byte
    return received.decode()


class Guards(unittest.TestCase):
    def setUp(self):
        self.program = Program(PROGRAM, '--port', '{port}').__enter__()
        self.addCleanup(self.program.__exit__, None, None, None)

    def ask(self, path, fields):
        """Returns (status, body)."""
        status, _, body = self.program.ask('GET', path, None, fields)
        return status, body.decode()

    def test_handlers_know_who_asks(self):
        self.assertEqual(self.ask('/', {}), (200, 'Hello, stranger!\n'))
        self.assertEqual(self.ask('/', ANN), (200, 'Hello, Ann!\n'))
        self.assertEqual(self.ask('/me', BOB), (200, 'Bob\n'))
        self.assertEqual(self.ask('/me', {})[0], 401)

    def test_who_may_not_upload_is_never_asked_for_the_content(self):
        for fields, status in (({}, 401), (BOB, 403)):
            with self.program.connect() as connection:
                connection.sendall(head(fields, 1000))
                answer = read_head(connection)
                self.assertTrue(answer.startswith(f'HTTP/1.1 {status}'), answer)
                self.assertIn('Connection: close', answer)

    def test_who_may_is_asked_and_heard(self):
        with self.program.connect() as connection:
            connection.sendall(head(ANN, 5))
            self.assertEqual(read_head(connection), 'HTTP/1.1 100 Continue\r\n\r\n')
            connection.sendall(b'hello')
            self.assertTrue(read_head(connection).startswith('HTTP/1.1 200'))

    def test_content_is_taken_whole_however_it_comes(self):
        url = f'http://127.0.0.1:{self.program.port}/admin/upload'
        for more in ([], ['-H', 'Transfer-Encoding: chunked'], ['-H', 'Expect:']):
            ended = subprocess.run(
                ['curl', '-sS', '--max-time', str(SECONDS_MAX), '-H',
                 f'Authorization: {ANN["Authorization"]}', *more, '--data-binary', '@-', url],
                input=bytes(1000 * 1000), capture_output=True, check=False,
                timeout=SECONDS_MAX + 10)
            self.assertEqual(ended.stdout, b'Ann has sent 1000000 bytes\n', ended.stderr)


if __name__ == '__main__':
    unittest.main()

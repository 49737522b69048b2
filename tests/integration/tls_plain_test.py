"""Unencrypted HTTP on a TLS port: the client gets a readable error.

Must not test TLS itself: tls_test.py does.
"""

import shutil
import socket
import tempfile
import unittest

from proxy_support import read_all
from support import Program, free_port
from tls_test import make_certificate, run

WORDS = b'This port requires HTTPS'
GET = b'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
METHODS = (b'GET', b'HEAD', b'POST', b'PUT', b'PATCH', b'DELETE', b'OPTIONS', b'CONNECT')


class PlainToTls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix='eider_plain_')
        make_certificate(cls.folder, 'one')
        cls.port = free_port()
        cls.service = Program('arena_eider', '{port}', '2', '--tls-port', str(cls.port), '--cert',
                              f'{cls.folder}/one.pem', '--key', f'{cls.folder}/one.key')
        cls.service.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.service.__exit__()
        shutil.rmtree(cls.folder)

    def said_to(self, *pieces):
        """Returns all received bytes, and how the connection ended."""
        with socket.create_connection(('127.0.0.1', self.port), timeout=20) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for piece in pieces:
                connection.sendall(piece)
            return read_all(connection, 15)

    def test_every_method_is_answered_400_and_the_connection_ends(self):
        for method in METHODS:
            said, end = self.said_to(method + GET[3:])
            self.assertTrue(said.startswith(b'HTTP/1.1 400 Bad Request\r\n'), (method, said))
            self.assertIn(WORDS, said)
            self.assertIn(b'\r\nConnection: close\r\n', said)
            self.assertEqual(end, 'end', 'a reset may overtake the answer')

    def test_also_when_the_request_comes_in_pieces_or_has_content(self):
        for pieces in ((b'G', GET[1:]), (b'POST / HTTP/1.1\r\nContent-Length: 200000\r\n\r\n',
                                         b'x' * 200000)):
            said, _ = self.said_to(*pieces)
            self.assertIn(WORDS, said)

    def test_curl_prints_it(self):
        told = run('curl', '-sS', '--max-time', '10', f'http://127.0.0.1:{self.port}/')
        self.assertIn(WORDS.decode(), told)
        told = run('curl', '-sS', '--max-time', '10', '--http2-prior-knowledge',
                   f'http://127.0.0.1:{self.port}/')
        self.assertNotIn('Hello', told)

    def test_what_is_neither_is_answered_in_no_words_of_http(self):
        for data in (b'\0' * 100, b'\x80\x2e\x01\x03\x01' + b'\0' * 50, b'hello\r\n\r\n' * 10,
                     b'\x16\x03\x01\xff\xff'):
            with socket.create_connection(('127.0.0.1', self.port), timeout=20) as connection:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                said, end = read_all(connection, 15)
            self.assertNotIn(b'HTTP', said)
            self.assertNotEqual(end, 'open')

    def test_whoever_speaks_tls_is_served_meanwhile(self):
        for _ in range(20):
            self.said_to(GET)
            told = run('curl', '-sS', '--max-time', '10', '--cacert', f'{self.folder}/one.pem',
                       f'https://localhost:{self.port}/json')
            self.assertIn('Hello, World!', told)

    def test_a_handshake_in_single_bytes_is_one(self):
        told = run('openssl', 's_client', '-connect', f'127.0.0.1:{self.port}', '-CAfile',
                   f'{self.folder}/one.pem', '-split_send_frag', '512', given=GET)
        self.assertIn('Verify return code: 0 (ok)', told)


if __name__ == '__main__':
    unittest.main()

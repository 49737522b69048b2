"""A server that stops while TLS clients wait for their responses: all of them get one.

Must not accept an end without close_notify: it could hide a truncated response.
"""

import socket
import ssl
import time
import unittest

from support import Program, free_port

SECONDS_MAX = 20
CLIENTS = 40
SLOW = 700  # milliseconds


def trusting():
    """Returns a context that accepts the certificate created at startup."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


class Stopping(unittest.TestCase):
    def setUp(self):
        self.tls_port = free_port()
        self.server = Program('10_http2', '--port', '{port}', '--tls-port', str(self.tls_port),
                              '--threads', '2')
        self.server.__enter__()
        self.addCleanup(self.server.__exit__)

    def connect(self):
        """Returns a connection on which a missing close_notify is an error."""
        raw = socket.create_connection(('127.0.0.1', self.tls_port), SECONDS_MAX)
        client = trusting().wrap_socket(raw, suppress_ragged_eofs=False)
        self.addCleanup(client.close)
        return client

    def ask(self, client, path):
        """Sends a whole request."""
        client.sendall(f'GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n'.encode())

    def to_end(self, client):
        """Returns all bytes up to the close_notify."""
        got = bytearray()
        while data := client.recv(65536):
            got += data
        return bytes(got)

    def test_every_request_under_way_is_answered_and_every_end_announced(self):
        idle = [self.connect() for _ in range(5)]
        busy = [self.connect() for _ in range(CLIENTS)]
        for client in busy:
            self.ask(client, f'/slow/{SLOW}')
        time.sleep(SLOW / 2000)
        self.server.process.terminate()
        for client in idle:
            self.assertEqual(self.to_end(client), b'')
        for client in busy:
            answer = self.to_end(client)
            self.assertTrue(answer.startswith(b'HTTP/1.1 200 OK\r\n'), answer)
            self.assertIn(b'Connection: close', answer)
            self.assertTrue(answer.endswith(b'slept'), answer)
        self.assertEqual(self.server.process.wait(SECONDS_MAX), 0)

    def test_a_large_answer_leaves_whole(self):
        client = self.connect()
        self.ask(client, '/bytes/64000000')
        first = client.recv(1000)
        self.server.process.terminate()
        time.sleep(0.2)
        answer = first + self.to_end(client)
        self.assertEqual(len(answer.split(b'\r\n\r\n', 1)[1]), 64_000_000)
        self.assertEqual(self.server.process.wait(SECONDS_MAX), 0)


if __name__ == '__main__':
    unittest.main()

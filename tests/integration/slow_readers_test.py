"""Slow readers of a large response: the server stores it once, not once for each of them.

Must not depend on the load of the machine: memory is read when all requests have responses.
"""

import re
import socket
import ssl
import unittest
from pathlib import Path

import http2_frames as h2
from support import Program, free_port

READERS = 50
BIG_BYTES = 8 << 20
GROWTH_BYTES_MAX = 32 << 20
SECONDS_MAX = 20
ASK = b'GET /big HTTP/1.1\r\nHost: a\r\n\r\n'
WINDOW_MAX = (1 << 31) - 1


def trusting():
    """Returns a context that accepts the certificate created at startup."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


class SlowReaders(unittest.TestCase):
    """Clients that start to read, and continue when all of them have started."""

    def setUp(self):
        self.tls_port = free_port()
        self.server = Program('arena_eider', '{port}', '1', '--tls-port', str(self.tls_port))
        self.server.__enter__()
        self.addCleanup(self.server.__exit__)

    def connect(self, port):
        """Returns a connection with a small receive buffer."""
        client = socket.socket()
        self.addCleanup(client.close)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(SECONDS_MAX)
        client.connect(('127.0.0.1', port))
        return client

    def own_bytes(self):
        """Returns the memory that belongs only to the server."""
        status = Path(f'/proc/{self.server.process.pid}/status').read_text(encoding='ascii')
        return int(re.search(r'RssAnon:\s+(\d+) kB', status)[1]) << 10

    def begin_h1(self):
        """HTTP/1.1 without encryption."""
        client = self.connect(self.server.port)
        client.sendall(ASK)
        return client

    def begin_tls(self):
        """The same with TLS."""
        client = trusting().wrap_socket(self.connect(self.tls_port))
        self.addCleanup(client.close)
        client.sendall(ASK)
        return client

    def begin_h2(self):
        """HTTP/2, with windows that do not limit it."""
        client = self.connect(self.server.port)
        client.sendall(h2.PREFACE + h2.settings(_4=WINDOW_MAX) + h2.request(1, '/big') +
                       h2.window_update(0, WINDOW_MAX - 65535))
        return client

    def check_growth(self, begin):
        """Returns the memory of fifty such clients, beyond that of the first one."""
        first = begin()
        self.assertGreater(len(first.recv(16)), 0)
        before = self.own_bytes()
        readers = [begin() for _ in range(READERS)]
        for reader in readers:
            self.assertGreater(len(reader.recv(16)), 0)
        # With one loop, earlier requests are served when this one gets its response.
        self.assertEqual(self.server.ask('GET', '/plaintext')[0], 200)
        self.assertLess(self.own_bytes() - before, GROWTH_BYTES_MAX)
        return readers

    def test_http_1_1_holds_a_large_answer_once(self):
        readers = self.check_growth(self.begin_h1)
        self.assertEqual(self.rest_of(readers[0]), BIG_BYTES)

    def test_tls_holds_a_large_answer_once(self):
        readers = self.check_growth(self.begin_tls)
        self.assertEqual(self.rest_of(readers[0]), BIG_BYTES)

    def test_http_2_holds_a_large_answer_once(self):
        self.check_growth(self.begin_h2)

    def rest_of(self, reader):
        """Returns the number of received bytes of the content; all bytes are equal."""
        data = b''
        while b'\r\n\r\n' not in data:
            part = reader.recv(65536)
            self.assertTrue(part)
            data += part
        count = len(data.partition(b'\r\n\r\n')[2])
        while count < BIG_BYTES:
            data = reader.recv(1 << 20)
            if not data:
                break
            self.assertEqual(data.count(b'x'), len(data))
            count += len(data)
        return count


if __name__ == '__main__':
    unittest.main()

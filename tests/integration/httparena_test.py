"""The HttpArena entry: its URLs, and HttpArena's own validator if there is a copy of it."""

import http.client
import http.server
import json
import os
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import network_support
from support import BIN, ROOT, Program

HTTP1, TLS1, H2C, TLS, ROTATED, AUTH = 8080, 8081, 8082, 8443, 9000, 9090
SECONDS_MAX = 20
VALIDATOR_SECONDS_MAX = 1800
ITEM = {'id': 1, 'name': 'A', 'category': 'tools', 'price': 3, 'quantity': 5, 'active': True,
        'tags': ['new'], 'rating': {'score': 4, 'count': 2}}


def make_certificate(directory):
    """Writes a new pair like another program: the files are replaced."""
    directory.mkdir(exist_ok=True)
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj',
                    '/CN=localhost', '-keyout', directory / 'new.key', '-out',
                    directory / 'new.crt'], check=True, timeout=SECONDS_MAX, capture_output=True)
    for kind in ('key', 'crt'):
        (directory / f'new.{kind}').replace(directory / f'server.{kind}')


def handshake(port, *protocols):
    """Returns the protocol that the server chose, and its certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(protocols)
    with (socket.create_connection(('127.0.0.1', port), SECONDS_MAX) as line,
          context.wrap_socket(line) as sealed):
        return sealed.selected_alpn_protocol(), sealed.getpeercert(binary_form=True)


def curl(*arguments):
    """Returns HTTP version and status."""
    command = ['curl', '-s', '-o', '/dev/null', '-w', '%{http_version} %{http_code}', *arguments]
    return subprocess.run(command, timeout=SECONDS_MAX, stdout=subprocess.PIPE, text=True,
                          check=False).stdout


def setUpModule():
    """All ports are fixed."""
    network_support.enter_own_network()


class Stub(http.server.BaseHTTPRequestHandler):
    """Authenticates one token at AUTH; elsewhere, returns the request as JSON."""

    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        is_auth = self.server.server_port == AUTH
        is_good = not is_auth or self.headers['Authorization'] == 'Bearer good'
        body = json.dumps({'path': self.path, 'users': self.headers.get_all('X-User-Id', [])})
        self.send_response(200 if is_good else 401)
        self.send_header('Content-Length', str(len(body)))
        if is_auth:
            self.send_header('X-User-Id', '42')
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        """Logs nothing."""


class Edge(unittest.TestCase):
    """The edge of production-stack, between an authentication service and a server."""

    @classmethod
    def setUpClass(cls):
        outer = tempfile.TemporaryDirectory()
        cls.addClassCleanup(outer.cleanup)
        root = Path(outer.name)
        (root / 'data/static').mkdir(parents=True)
        (root / 'data/static/a.css').write_text('a')
        make_certificate(root / 'certs')
        for port in (AUTH, HTTP1):
            server = cls.enterClassContext(http.server.ThreadingHTTPServer(('', port), Stub))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            cls.addClassCleanup(server.shutdown)
        program = Program('httparena', 'edge', environment={
            'HTTPARENA_ROOT': outer.name, 'AUTH_URL': f'http://127.0.0.1:{AUTH}/_auth'})
        program.port = TLS
        cls.enterClassContext(program)

    def ask(self, path, *arguments):
        """Returns status and body."""
        command = ['curl', '-sk', '-w', ' %{http_code}', f'https://127.0.0.1:{TLS}{path}']
        ended = subprocess.run([*command, *arguments], timeout=SECONDS_MAX, text=True, check=True,
                               stdout=subprocess.PIPE)
        body, _, status = ended.stdout.rpartition(' ')
        return int(status), body

    def test_only_api_needs_a_token(self):
        self.assertEqual((200, 'a'), self.ask('/static/a.css'))
        self.assertEqual((200, {'path': '/public/x?a=1', 'users': []}),
                         self.ask_json('/public/x?a=1', '-H', 'X-User-Id: 1'))
        self.assertEqual(404, self.ask('/other')[0])
        for arguments in ((), ('-d', 'a=1'), ('-H', 'Authorization: Bearer bad'),
                          ('-H', 'X-User-Id: 1')):
            status, body = self.ask('/api/me', *arguments)
            self.assertEqual(401, status)
            self.assertNotIn('users', body)

    def test_the_server_gets_the_user_of_the_token(self):
        status, body = self.ask_json('/api/me', '-H', 'Authorization: Bearer good',
                                     '-H', 'X-User-Id: 1', '-H', 'x_user_id: 2')
        self.assertEqual((200, {'path': '/api/me', 'users': ['42']}), (status, body))

    def ask_json(self, path, *arguments):
        """Returns status and parsed body."""
        status, body = self.ask(path, *arguments)
        return status, json.loads(body)


class Entry(unittest.TestCase):
    """The program alone, on its fixed ports in a separate network."""

    @classmethod
    def setUpClass(cls):
        outer = tempfile.TemporaryDirectory()
        cls.addClassCleanup(outer.cleanup)
        cls.root = Path(outer.name)
        (cls.root / 'data/static').mkdir(parents=True)
        (cls.root / 'data/dataset.json').write_text(json.dumps([ITEM]))
        (cls.root / 'data/static/a.css').write_text('a')
        for name in ('certs', 'certs-tls'):
            make_certificate(cls.root / name)
        program = Program('httparena',
                          environment={'HTTPARENA_ROOT': outer.name, 'DATABASE_URL': ''})
        program.port = HTTP1
        cls.enterClassContext(program)

    def ask(self, method, path, body=None):
        """Returns status, body and media type of a response on the port without TLS."""
        line = http.client.HTTPConnection('127.0.0.1', HTTP1, timeout=SECONDS_MAX)
        self.addCleanup(line.close)
        line.request(method, path, body)
        response = line.getresponse()
        return response.status, response.read(), response.headers['Content-Type'].partition(';')[0]

    def test_the_endpoints(self):
        self.assertEqual((200, b'55', 'text/plain'), self.ask('GET', '/baseline11?a=13&b=42'))
        self.assertEqual((200, b'75', 'text/plain'),
                         self.ask('POST', '/baseline11?a=13&b=42', iter([b'2', b'0'])))
        self.assertEqual((200, b'0', 'text/plain'), self.ask('GET', '/delay/0'))
        body = os.urandom(102_400)
        self.assertEqual((200, body, 'application/octet-stream'), self.ask('POST', '/echo', body))
        self.assertEqual((200, b'102400', 'text/plain'),
                         self.ask('POST', '/upload', iter([body])))
        self.assertEqual({'items': [{**ITEM, 'total': 105}], 'count': 1},
                         json.loads(self.ask('GET', '/json/50?m=7')[1]))
        self.assertEqual((200, b'55', 'text/plain'), self.ask('GET', '/public/baseline?a=13&b=42'))
        self.assertEqual({'items': [{**ITEM, 'total': 15}], 'count': 1},
                         json.loads(self.ask('GET', '/public/json/25')[1]))
        self.assertEqual((200, b'a', 'text/css'), self.ask('GET', '/static/a.css'))

    def test_a_delay_takes_its_time(self):
        begin = time.monotonic()
        self.assertEqual(b'200', self.ask('GET', '/delay/200')[1])
        self.assertGreaterEqual(time.monotonic() - begin, 0.2)

    def test_the_versions_of_each_address_without_tls(self):
        for arguments, expected in (
                (('--http2-prior-knowledge', f'http://127.0.0.1:{H2C}/baseline2?a=1&b=1'), '2 200'),
                (('--http1.1', f'http://127.0.0.1:{H2C}/baseline2?a=1&b=1'), '1.1 505'),
                (('--http1.1', f'http://127.0.0.1:{HTTP1}/baseline2?a=1&b=1'), '1.1 200')):
            self.assertEqual(expected, curl(*arguments))

    def test_the_versions_of_each_address_with_tls(self):
        for port, protocol in ((TLS1, 'http/1.1'), (TLS, 'h2'), (ROTATED, 'http/1.1')):
            self.assertEqual(protocol, handshake(port, 'h2', 'http/1.1')[0])
        with self.assertRaises(ssl.SSLError):
            handshake(TLS1, 'h2')

    def test_a_certificate_of_one_address_is_replaced(self):
        before = handshake(ROTATED, 'http/1.1')[1]
        other = handshake(TLS1, 'http/1.1')[1]
        self.assertNotEqual(other, before)
        make_certificate(self.root / 'certs-tls')
        deadline = time.monotonic() + SECONDS_MAX
        while handshake(ROTATED, 'http/1.1')[1] == before:
            self.assertLess(time.monotonic(), deadline, 'the old certificate is still used')
            time.sleep(0.1)
        self.assertEqual(other, handshake(TLS1, 'http/1.1')[1])


class Validator(unittest.TestCase):
    """HttpArena's validate.sh, unmodified."""

    def test_it_passes(self):
        if not os.environ.get('HTTPARENA_SNAPSHOT'):
            self.skipTest('HTTPARENA_SNAPSHOT does not name a copy of HttpArena '
                          '(arena/httparena/README.md)')
        runs = [(), ('--profiles', 'gateway-64')]
        if (ROOT / 'build/httparena_authsvc/release/authsvc').exists():  # Cargo needs a network
            runs.append(('--profiles', 'production-stack'))
        for profiles in runs:
            ended = subprocess.run(
                [ROOT / 'arena/httparena/validate', '--program', BIN / 'httparena', *profiles],
                text=True, timeout=VALIDATOR_SECONDS_MAX, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, check=False)
            self.assertEqual(0, ended.returncode, ended.stdout[-4000:])
            self.assertRegex(ended.stdout, r'=== Results: [1-9]\d* passed, 0 failed ===')


if __name__ == '__main__':
    unittest.main()

"""The clients (09_client, 08_ws_client) with http.server, nginx, proxies and websockets.

Must not test broken servers: src/eider/client/client_hostile_test.cc does.
"""

import asyncio
import http.server
import logging
import os
import shutil
import socket
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from support import BIN, Program, free_port

try:
    import websockets
except ImportError:  # not Debian's python3, which has the package
    sys.path.append('/usr/lib/python3/dist-packages')
    import websockets

PROGRAM = BIN / '09_client'
ANSWER_SECONDS_MAX = 20
NGINX = shutil.which('nginx') or '/usr/sbin/nginx'
LINES = ''.join(f'line {number}\n' for number in range(50000))

NGINX_CONF = """
daemon off; master_process off; pid {root}/pid; error_log {root}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log {root}/access.log; client_body_temp_path {root}/b; proxy_temp_path {root}/p;
  fastcgi_temp_path {root}/f; uwsgi_temp_path {root}/u; scgi_temp_path {root}/s;
  gzip on; gzip_types *; gzip_min_length 10; default_type text/plain;
  server {{
    listen 127.0.0.1:{port}; listen 127.0.0.1:{tls} ssl;
    ssl_certificate {root}/cert.pem; ssl_certificate_key {root}/key.pem;
    root {root}/www;
    location /moved {{ return 302 /hello; }}
    location /round {{ return 302 /round; }}
    location /down {{ return 302 http://127.0.0.1:{port}/hello; }}
    location /none {{ return 204; }}
    location /cut {{ return 444; }}
  }}
}}
"""


def ask(*arguments, **environment):
    """Returns the client's exit status, output and errors."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False,
                          timeout=ANSWER_SECONDS_MAX, env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def await_port(port):
    """Waits until a server listens there."""
    deadline = time.monotonic() + ANSWER_SECONDS_MAX
    while time.monotonic() < deadline:
        try:
            socket.create_connection(('127.0.0.1', port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise AssertionError(f'nobody listens on {port}')


def make_certificate(root):
    """Creates a key and a self-signed certificate for localhost and 127.0.0.1."""
    subprocess.run(
        ['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256',
         '-nodes', '-days', '2', '-subj', '/CN=localhost', '-addext',
         'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', f'{root}/key.pem',
         '-out', f'{root}/cert.pem'], check=True, capture_output=True)


class Tunnels(socketserver.StreamRequestHandler):
    """A proxy that supports CONNECT, and responds to plain requests with the requested URL."""

    def handle(self):
        line = self.rfile.readline().decode()
        while self.rfile.readline().strip():
            pass
        method, target, _ = line.split()
        self.server.asked.append(line.strip())
        if method != 'CONNECT':
            content = f'proxied {target}'.encode()
            self.wfile.write(b'HTTP/1.1 200 OK\r\nConnection: close\r\n'
                             b'Content-Length: %d\r\n\r\n%s' % (len(content), content))
            return
        host, port = target.rsplit(':', 1)
        with socket.create_connection((host, int(port)), 5) as other:
            self.wfile.write(b'HTTP/1.1 200 Connected\r\n\r\n')
            there = threading.Thread(target=pump, args=(self.connection, other))
            there.start()
            pump(other, self.connection)
            there.join()


def pump(source, to):
    """Forwards all bytes, until either side ends."""
    try:
        while data := source.recv(65536):
            to.sendall(data)
        to.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Python's own server, without its log."""

    def log_message(self, *_):
        pass


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (cls.root / 'www').mkdir()
        (cls.root / 'www/hello').write_text('hello')
        (cls.root / 'www/lines').write_text(LINES)

    def expect(self, url, output, **environment):
        self.assertEqual(ask('get', url, **environment), (0, output, ''))

    def expect_complaint(self, url, told, **environment):
        status, output, complaint = ask('get', url, **environment)
        self.assertEqual((status, output), (1, ''))
        self.assertIn(told, complaint)


class AgainstPython(Served):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        root = cls.root / 'www'
        cls.server = http.server.ThreadingHTTPServer(
            ('127.0.0.1', 0), lambda *all_of: Quiet(*all_of, directory=root))
        cls.addClassCleanup(cls.server.server_close)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.shutdown)
        cls.url = f'http://localhost:{cls.server.server_address[1]}'

    def test_files_are_fetched_over_http_1_0(self):
        self.expect(f'{self.url}/hello', 'hello')
        self.expect(f'{self.url}/lines', LINES)

    def test_what_is_not_there_is_told(self):
        status, _, complaint = ask('get', f'{self.url}/nowhere')
        self.assertEqual((status, complaint), (1, 'status 404\n'))


class AgainstNginx(Served):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        make_certificate(cls.root)
        cls.port, cls.tls = free_port(), free_port()
        conf = cls.root / 'nginx.conf'
        conf.write_text(NGINX_CONF.format(root=cls.root, port=cls.port, tls=cls.tls))
        nginx = subprocess.Popen([NGINX, '-p', cls.root, '-c', conf],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(nginx.wait)
        cls.addClassCleanup(nginx.kill)
        await_port(cls.tls)
        cls.plain = f'http://127.0.0.1:{cls.port}'
        cls.secure = f'https://localhost:{cls.tls}'
        cls.trust = {'SSL_CERT_FILE': str(cls.root / 'cert.pem')}

    def test_compressed_and_chunked_content_is_as_the_file_is(self):
        self.expect(f'{self.plain}/lines', LINES)
        access = (self.root / 'access.log').read_text()
        self.assertIn('GET /lines', access)
        sent = [int(line.split()[9]) for line in access.splitlines() if '/lines' in line]
        self.assertLess(max(sent), len(LINES) / 2, 'it was not compressed')

    def test_redirects_are_followed_and_end(self):
        self.expect(f'{self.plain}/moved', 'hello')
        self.expect_complaint(f'{self.plain}/round', 'redirects_max')

    def test_answers_without_content_and_without_anything(self):
        self.expect(f'{self.plain}/none', '')
        self.expect_complaint(f'{self.plain}/cut', 'without a response')

    def test_tls_is_spoken_to_whom_is_trusted(self):
        self.expect(f'{self.secure}/lines', LINES, **self.trust)
        self.expect(f'https://127.0.0.1:{self.tls}/hello', 'hello', **self.trust)
        self.expect_complaint(f'{self.secure}/hello', 'certificate')

    def test_plain_servers_are_not_taken_for_tls(self):
        self.expect_complaint(f'https://127.0.0.1:{self.port}/hello', 'https://127.0.0.1')

    def test_a_redirect_does_not_leave_https(self):
        self.expect_complaint(f'{self.secure}/down', 'may_redirect_to_http', **self.trust)


class ThroughAProxy(AgainstNginx):
    """The same through a proxy from the environment, and the requests that the proxy sees."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.proxy = socketserver.ThreadingTCPServer(('127.0.0.1', 0), Tunnels)
        cls.proxy.asked = []
        cls.proxy.daemon_threads = True
        cls.addClassCleanup(cls.proxy.server_close)
        threading.Thread(target=cls.proxy.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.proxy.shutdown)
        cls.proxy_url = f'http://127.0.0.1:{cls.proxy.server_address[1]}'
        cls.trust = {**cls.trust, 'https_proxy': cls.proxy_url}

    def test_tls_goes_through_a_tunnel(self):
        self.expect(f'{self.secure}/hello', 'hello', **self.trust)
        self.assertIn(f'CONNECT localhost:{self.tls} HTTP/1.1', self.proxy.asked)

    def test_plain_requests_are_the_proxys(self):
        self.expect('http://nobody.invalid/x', 'proxied http://nobody.invalid/x',
                    http_proxy=self.proxy_url)
        self.expect(f'{self.plain}/hello', 'hello', http_proxy=self.proxy_url,
                    no_proxy='127.0.0.0/8')

    def test_a_proxy_that_is_not_there_is_told(self):
        self.expect_complaint('http://nobody.invalid/', 'proxy', http_proxy='127.0.0.1:1')


class AgainstEider(unittest.TestCase):
    def test_structs_go_both_ways(self):
        with Program('02_json', '--port', '{port}') as program:
            url = f'http://127.0.0.1:{program.port}/orders'
            self.assertEqual(ask('order', url, 'tea', '3'), (0, 'tea: 750 cents\n', ''))
            status, _, complaint = ask('order', url, 'tea', '0')
            self.assertEqual(status, 1)
            self.assertIn('"/count"', complaint)

    def test_nobody_there_is_told(self):
        status, _, complaint = ask('get', f'http://127.0.0.1:{free_port()}/')
        self.assertEqual(status, 1)
        self.assertIn('Cannot connect', complaint)


async def echo(socket_there, *_):
    """Sends every message back."""
    async for message in socket_there:
        await socket_there.send(message)


class WebSocketOverTls(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        logging.getLogger('asyncio').setLevel(logging.CRITICAL)  # a refused handshake is expected
        self.root = self.enterContext(tempfile.TemporaryDirectory())
        make_certificate(self.root)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f'{self.root}/cert.pem', f'{self.root}/key.pem')
        self.server = await websockets.serve(echo, '127.0.0.1', 0, ssl=context)
        self.addAsyncCleanup(self.server.wait_closed)
        self.addCleanup(self.server.close)
        self.url = f'wss://localhost:{self.server.sockets[0].getsockname()[1]}/'

    async def say(self, text, **environment):
        """Returns the client's output for this input."""
        program = await asyncio.create_subprocess_exec(
            BIN / '08_ws_client', self.url, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, env={**os.environ, **environment})
        output, _ = await asyncio.wait_for(program.communicate(text), ANSWER_SECONDS_MAX)
        return output.decode()

    async def test_messages_go_to_whom_is_trusted_only(self):
        said = await self.say(b'hello\n', SSL_CERT_FILE=f'{self.root}/cert.pem')
        self.assertIn('closed: 1000', said)
        self.assertIn('certificate', await self.say(b'hello\n'))


if __name__ == '__main__':
    unittest.main()

"""The client (09_client) over HTTP/2 with nginx, nghttpd and Eider, and its counters.

Must not test broken servers: src/eider/client/client_h2_hostile_test.cc does.
"""

import json
import shutil
import socketserver
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import client_test
from client_test import LINES, NGINX, ask, await_port, make_certificate
from support import Program, free_port

NGHTTPD = shutil.which('nghttpd')
LOG_SECONDS_MAX = 30

NGINX_CONF = """
daemon off; master_process off; pid {root}/pid; error_log {root}/error.log;
events {{ worker_connections 256; }}
http {{
  log_format told '$server_protocol $connection $status $uri';
  access_log {root}/access.log told; client_body_temp_path {root}/b; proxy_temp_path {root}/p;
  fastcgi_temp_path {root}/f; uwsgi_temp_path {root}/u; scgi_temp_path {root}/s;
  gzip on; gzip_types *; gzip_min_length 10; default_type text/plain; keepalive_requests 1000000;
  ssl_certificate {root}/cert.pem; ssl_certificate_key {root}/key.pem; root {root}/www;
  server {{
    listen 127.0.0.1:{h2} ssl http2; listen 127.0.0.1:{clear} http2; listen 127.0.0.1:{h1} ssl;
    location /moved {{ return 302 /hello; }}
    location /none {{ return 204; }}
  }}
  server {{ listen 127.0.0.1:{leaving} ssl http2; keepalive_requests 50; }}
  server {{ listen 127.0.0.1:{narrow} ssl http2; http2_max_concurrent_streams 3; }}
}}
"""


def load(url, *options, calls=100, seconds=1, **environment):
    """Returns the client's report of its load; fails if a request failed."""
    status, said, complaint = ask(*options, 'load', url, str(calls), str(seconds), **environment)
    if not said:
        raise AssertionError(f'no figures: {complaint}')
    figures = json.loads(said)
    if status != 0 or figures['failed'] != 0 or figures['requests'] == 0:
        raise AssertionError(f'requests were lost: {said} {complaint}')
    return figures


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (cls.root / 'www').mkdir()
        (cls.root / 'www/hello').write_text('hello')
        (cls.root / 'www/lines').write_text(LINES)
        make_certificate(cls.root)
        cls.trust = {'SSL_CERT_FILE': str(cls.root / 'cert.pem')}

    @classmethod
    def start(cls, *command):
        """Starts a server, until the tests have ended."""
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.kill)

    def expect(self, output, *arguments, **environment):
        self.assertEqual(ask(*arguments, **self.trust, **environment), (0, output, ''))


class AgainstNginx(Served):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        names = ('h2', 'clear', 'h1', 'leaving', 'narrow')
        cls.ports = {name: free_port() for name in names}
        conf = cls.root / 'nginx.conf'
        conf.write_text(NGINX_CONF.format(root=cls.root, **cls.ports))
        cls.start(NGINX, '-p', cls.root, '-c', conf)
        await_port(cls.ports['narrow'])

    def setUp(self):
        (self.root / 'access.log').write_text('')

    def url(self, name, path='/hello'):
        scheme = 'http' if name == 'clear' else 'https'
        return f'{scheme}://localhost:{self.ports[name]}{path}'

    def log(self, requests=0):
        """Returns the requests in nginx's log: protocol, connection, status, path.

        nginx logs a request after its response, so this waits for the number of requests.
        """
        deadline = time.monotonic() + LOG_SECONDS_MAX
        while True:
            log = [line.split() for line in (self.root / 'access.log').read_text().splitlines()]
            if len(log) >= requests or time.monotonic() > deadline:
                return log
            time.sleep(0.01)

    def protocols(self):
        return {line[0] for line in self.log()}

    def test_a_server_that_agrees_is_asked_in_http_2(self):
        self.expect('hello', 'get', self.url('h2'))
        self.assertEqual(self.protocols(), {'HTTP/2.0'})

    def test_a_server_that_does_not_is_asked_in_http_1(self):
        self.expect('hello', 'get', self.url('h1'))
        self.assertEqual(self.protocols(), {'HTTP/1.1'})

    def test_either_can_be_forced(self):
        self.expect('hello', '--http1', 'get', self.url('h2'))
        self.assertEqual(self.protocols(), {'HTTP/1.1'})
        self.setUp()
        self.expect('hello', '--http2', 'get', self.url('clear'))
        self.expect('hello', '--http2', 'get', self.url('h2'))
        self.assertEqual(self.protocols(), {'HTTP/2.0'})
        status, _, complaint = ask('--http2', 'get', self.url('h1'), **self.trust)
        self.assertEqual(status, 1)
        self.assertIn('https://localhost', complaint)

    def test_content_redirects_and_compression_are_as_over_http_1(self):
        self.expect(LINES, 'get', self.url('h2', '/lines'))
        self.expect('hello', 'get', self.url('h2', '/moved'))
        self.expect('', 'get', self.url('h2', '/none'))
        status, _, complaint = ask('get', self.url('h2', '/nowhere'), **self.trust)
        self.assertEqual((status, complaint), (1, 'status 404\n'))
        self.assertEqual(self.protocols(), {'HTTP/2.0'})

    def test_a_hundred_calls_at_once_share_one_connection(self):
        figures = load(self.url('h2'), **self.trust)
        log = self.log(figures['requests'])
        self.assertEqual(len(log), figures['requests'])
        self.assertEqual({line[2] for line in log}, {'200'})
        self.assertEqual(len({line[1] for line in log}), 1)

    def test_nothing_is_lost_when_the_server_leaves_again_and_again(self):
        figures = load(self.url('leaving'), **self.trust)
        log = self.log(figures['requests'])
        self.assertEqual(len(log), figures['requests'], 'none was done twice')
        self.assertGreater(len({line[1] for line in log}), figures['requests'] / 51)

    def test_nothing_is_lost_to_a_server_that_takes_little_at_once(self):
        figures = load(self.url('narrow'), calls=40, **self.trust)
        connections = {line[1] for line in self.log()}
        self.assertLessEqual(len(connections), 14, figures)

    def test_it_goes_through_a_proxys_tunnel(self):
        proxy = socketserver.ThreadingTCPServer(('127.0.0.1', 0), client_test.Tunnels)
        proxy.asked = []
        proxy.daemon_threads = True
        self.addCleanup(proxy.server_close)
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        self.addCleanup(proxy.shutdown)
        at = f'http://127.0.0.1:{proxy.server_address[1]}'
        self.expect(LINES, 'get', self.url('h2', '/lines'), https_proxy=at)
        self.expect('hello', '--http2', 'get', self.url('clear'), http_proxy=at)
        self.assertEqual([line.split()[0] for line in proxy.asked], ['CONNECT', 'CONNECT'])
        self.assertEqual(self.protocols(), {'HTTP/2.0'})


@unittest.skipUnless(NGHTTPD, 'nghttpd is not installed')
class AgainstNghttpd(Served):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.clear, cls.tls = free_port(), free_port()
        www = str(cls.root / 'www')
        cls.start(NGHTTPD, '--no-tls', '-d', www, '-a', '127.0.0.1', str(cls.clear))
        cls.start(NGHTTPD, '-d', www, '-a', '127.0.0.1', str(cls.tls),
                  str(cls.root / 'key.pem'), str(cls.root / 'cert.pem'))
        await_port(cls.clear)
        await_port(cls.tls)

    def test_files_come_whole(self):
        for path, content in (('hello', 'hello'), ('lines', LINES)):
            self.expect(content, '--http2', 'get', f'http://127.0.0.1:{self.clear}/{path}')
            self.expect(content, 'get', f'https://localhost:{self.tls}/{path}')

    def test_nothing_of_a_load_is_lost(self):
        load(f'http://127.0.0.1:{self.clear}/hello', '--http2')
        load(f'https://localhost:{self.tls}/lines', calls=20, **self.trust)


class AgainstEider(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Program('10_http2', '--port', '{port}'))
        cls.url = f'http://127.0.0.1:{cls.server.port}'

    def test_content_streams_both_ways(self):
        self.assertEqual(ask('--http2', 'get', f'{self.url}/count/3000000'),
                         (0, 'x' * 3000000, ''))
        for version in ('--http1', '--http2'):
            self.assertEqual(ask(version, 'send', f'{self.url}/measure', '5000000'),
                             (0, '5000000', ''))

    def test_nothing_of_a_load_is_lost(self):
        load(f'{self.url}/', '--http2')
        load(f'{self.url}/bytes/100000', '--http2', calls=50)
        load(f'{self.url}/slow/20', '--http2', calls=300)


if __name__ == '__main__':
    unittest.main()

"""proxy_to between real clients and real servers: forwarded and rejected requests, and the choice
of upstreams.

Must not rely on which of two idle upstreams is chosen first.
"""

import contextlib
import hashlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from proxy_support import OK, Listening, proxy
from support import Program, free_port

BIG = 40 << 20
SECONDS_MAX = 60
REFUSED = rb'^(HTTP/1.1 (4\d\d|501) .*)?$'
# Invalid HTTP/1.1 that must not be forwarded: each of these can be parsed in two ways.
SMUGGLED = {
    'length and coding': b'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG',
    'two lengths': b'Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef',
    'lengths in a list': b'Content-Length: 5, 6\r\n\r\nabcdef',
    'signed length': b'Content-Length: +5\r\n\r\nabcde',
    'empty length': b'Content-Length:\r\n\r\n',
    'hexadecimal length': b'Content-Length: 0x5\r\n\r\nabcde',
    'blank before the colon': b'Content-Length : 5\r\n\r\nabcde',
    'coding with a blank': b'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
    'coding not last': b'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    'coding twice': b'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'unknown coding': b'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
    'vertical tab in the coding': b'Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n',
    'folded line': b'X: a\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'bare line feed': b'X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'bare carriage return': b'X: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'NUL in a value': b'X: a\x00b\r\n\r\n',
    'second host': b'Host: b\r\n\r\n',
    'chunk size with a sign': b'Transfer-Encoding: chunked\r\n\r\n+1\r\na\r\n0\r\n\r\n',
    'chunk size too long':
        b'Transfer-Encoding: chunked\r\n\r\n' + b'1' * 17 + b'\r\na\r\n0\r\n\r\n',
    'chunk ended by a line feed': b'Transfer-Encoding: chunked\r\n\r\n1\na\n0\n\n',
    'line feed in an extension': b'Transfer-Encoding: chunked\r\n\r\n1;a\nb\r\na\r\n0\r\n\r\n',
}

MANY_FIELDS = (b'GET /x?y=%2F HTTP/1.1\r\nHost: shop.example\r\nConnection: close, X-Mine\r\n'
               b'X-Mine: 1\r\nTE: trailers\r\nProxy-Authorization: Basic eA==\r\nX-Other: 2\r\n'
               b'X-Forwarded-For: 6.6.6.6\r\nForwarded: for=6.6.6.6\r\n\r\n')


class Recorder(Listening):
    """A server that stores received bytes, and responds to all headers with a fixed text."""

    def __init__(self, answer=b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'):
        self.answer = answer
        self.received = []
        super().__init__()

    def _serve(self, connection):
        with contextlib.suppress(OSError), connection:
            data = b''
            while part := connection.recv(65536):
                data += part
                if b'\r\n\r\n' in data:
                    self.received.append(data)
                    data = b''
                    connection.sendall(self.answer)


def upstream(*arguments):
    """Returns the benchmark service."""
    return Program('arena_eider', '{port}', '1', *arguments)


def url_of(program):
    """Returns its URL."""
    return f'http://127.0.0.1:{program.port}'


def curl(*arguments):
    """Returns the output of curl."""
    return subprocess.run(['curl', '-sS', '--max-time', str(SECONDS_MAX), *arguments],
                          capture_output=True, check=True, timeout=SECONDS_MAX + 10).stdout


def asked_raw(program, request):
    """Returns the first line of the response to these bytes; empty without a response."""
    with program.connect() as connection:
        connection.sendall(request)
        connection.settimeout(5)
        with contextlib.suppress(socket.timeout, ConnectionResetError):
            return connection.recv(65536).split(b'\r\n')[0]
    return b''


class Passing(unittest.TestCase):
    def test_methods_queries_status_and_content_pass_both_ways(self):
        with upstream() as service, proxy(url_of(service)) as front:
            self.assertEqual(front.ask('GET', '/plaintext')[2], b'Hello, World!')
            self.assertEqual(front.ask('GET', '/users/1/posts/2?a=b')[2], b'1 2')
            self.assertEqual(front.ask('HEAD', '/plaintext')[1]['Content-Length'], '13')
            self.assertEqual(front.ask('GET', '/nowhere')[0], 404)
            self.assertEqual(front.ask('POST', '/test', b'{"n":1}',
                                       {'Content-Type': 'application/json'})[2],
                             b'{"n":1,"reply":"received"}')
            self.assertEqual(front.ask('GET', '/plaintext')[1]['Via'], '1.1 eider')

    def test_large_content_streams_both_ways_in_little_memory(self):
        with upstream() as service, proxy(url_of(service)) as front:
            down = curl(f'{url_of(front)}/stream/{BIG}')
            self.assertEqual(len(down), BIG)
            with tempfile.NamedTemporaryFile() as file:
                file.write(os.urandom(BIG))
                file.flush()
                for how in ((), ('-H', 'Transfer-Encoding: chunked')):
                    up = curl('--data-binary', f'@{file.name}', *how, f'{url_of(front)}/upload')
                    self.assertEqual(up, b'%d' % BIG)
            status = Path(f'/proc/{front.process.pid}/status').read_text(encoding='ascii')
            peak = int(next(line for line in status.splitlines() if 'VmHWM' in line).split()[1])
            self.assertLess(peak, 48 << 10, 'it gathered what it should pass on')

    def test_tls_and_http2_in_front(self):
        with upstream() as service:
            secure = free_port()
            with Program('11_proxy', '--port', '{port}', '--tls-port', str(secure),
                         environment={'PROXY_UPSTREAMS': url_of(service)}):
                told = curl('-k', '--http2', '-w', ' %{http_version}',
                            f'https://127.0.0.1:{secure}/json')
                self.assertEqual(told, b'{"message":"Hello, World!"} 2')

    def test_fields_of_one_hop_stay_there_and_the_client_is_named(self):
        answer = (b'HTTP/1.1 200 OK\r\nConnection: X-Private\r\nX-Private: 1\r\nX-Public: 2\r\n'
                  b'Keep-Alive: timeout=5\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n'
                  b'Content-Length: 2\r\n\r\nok')
        with Recorder(answer) as service, proxy(service.url()) as front:
            told = asked_raw_whole(front, MANY_FIELDS)
            self.assertIn(b'X-Public: 2', told)
            self.assertIn(b'Set-Cookie: a=1\r\nSet-Cookie: b=2', told)
            self.assertNotIn(b'X-Private', told)
            self.assertNotIn(b'Keep-Alive', told)
            seen = service.received[0]
            self.assertTrue(seen.startswith(b'GET /x?y=%2F HTTP/1.1\r\n'), seen)
            for kept in (b'X-Other: 2', b'X-Forwarded-For: 127.0.0.1\r\n', b'Via: 1.1 eider',
                         b'X-Forwarded-Host: shop.example', b'X-Forwarded-Proto: http\r\n'):
                self.assertIn(kept, seen)
            for dropped in (b'X-Mine', b'Proxy-Authorization', b'6.6.6.6'):
                self.assertNotIn(dropped, seen)


def asked_raw_whole(program, request):
    """Returns the whole response to a request that ends its connection."""
    told = b''
    with program.connect() as connection:
        connection.sendall(request)
        while part := connection.recv(65536):
            told += part
    return told


class Refusing(unittest.TestCase):
    def test_nothing_that_reads_two_ways_reaches_an_upstream(self):
        with Recorder() as service, proxy(service.url()) as front:
            for name, rest in SMUGGLED.items():
                with self.subTest(name):
                    line = asked_raw(front, b'POST / HTTP/1.1\r\nHost: a\r\n' + rest)
                    self.assertRegex(line, REFUSED)
            joined = b''.join(service.received)
            for mark in (b'Transfer-Encoding : ', b'xchunked', b'\x0b', b'\x00', b'+5', b'+1\r\n'):
                self.assertNotIn(mark, joined)

    @unittest.skipUnless(shutil.which('nginx') or Path('/usr/sbin/nginx').exists(), 'no nginx')
    def test_nor_does_nginx_behind_it_see_a_second_request(self):
        with nginx() as (port, log), proxy(f'http://127.0.0.1:{port}') as front:
            for name, rest in SMUGGLED.items():
                with self.subTest(name):
                    line = asked_raw(front, b'POST /first HTTP/1.1\r\nHost: a\r\n' + rest +
                                     b'GET /second HTTP/1.1\r\nHost: a\r\n\r\n')
                    self.assertRegex(line, REFUSED)
            self.assertEqual(front.ask('GET', '/good')[2], b'nginx /good')
            self.assertNotIn('/second', log.read_text(encoding='utf-8'))

    def test_answers_that_read_two_ways_are_502_and_their_connection_ends(self):
        for answer in (OK + b'Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc',
                       OK + b'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n',
                       OK + b'X: a\r\n b\r\nContent-Length: 0\r\n\r\n',
                       OK + b'X Y: a\r\nContent-Length: 0\r\n\r\n',
                       b'nonsense\r\n\r\n'):
            with Recorder(answer) as service, proxy(service.url()) as front:
                self.assertEqual(front.ask('GET', '/')[0], 502, answer)

    def test_lenient_responses_are_forwarded_with_clear_framing(self):
        chunked = b'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'
        for response in (OK + b'Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok',
                         OK + b'Content-Length : 2\r\nConnection: "x-a"\r\n\r\nok',
                         OK + b'Transfer-Encoding\t: identity, chunked' + chunked[26:],
                         b'HTTP/1.0 200 OK\r\n' + chunked):
            with self.subTest(response), Recorder(response) as service, \
                    proxy(service.url()) as front:
                forwarded = asked_raw_whole(front, b'GET / HTTP/1.1\r\nHost: a\r\n'
                                            b'Connection: close\r\n\r\n')
                head, _, content = forwarded.lower().partition(b'\r\n\r\n')
                framings = [line for line in head.split(b'\r\n')
                            if line.startswith((b'content-length', b'transfer-encoding'))]
                self.assertIn(framings, ([b'content-length: 2'], [b'transfer-encoding: chunked']))
                self.assertIn(content, (b'ok', b'2\r\nok\r\n0\r\n\r\n'))
                self.assertNotIn(b'x-a', head)

    def test_paths_do_not_leave_the_upstreams_own(self):
        with Recorder() as service, proxy(service.url() + '/base') as front:
            for path in (b'/../secret', b'/a/%2e%2e/%2e%2e/secret', b'/a/..%2f../secret'):
                line = asked_raw(front, b'GET ' + path + b' HTTP/1.1\r\nHost: a\r\n\r\n')
                self.assertTrue(line.startswith(b'HTTP/1.1 4'), (path, line))
            self.assertEqual(front.ask('GET', '/inside')[0], 200)
            self.assertEqual([seen.split()[1] for seen in service.received], [b'/base/inside'])


@contextlib.contextmanager
def nginx():
    """Runs nginx with a log of its requests; yields its port and its log."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        port = free_port()
        (folder / 'nginx.conf').write_text(f'''
            daemon off; master_process off; pid {folder}/pid; error_log stderr crit;
            events {{ }}
            http {{
              access_log {folder}/access.log;
              client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
              fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
              server {{ listen 127.0.0.1:{port}; location / {{ return 200 "nginx $uri"; }} }}
            }}''', encoding='utf-8')
        program = shutil.which('nginx') or '/usr/sbin/nginx'
        with subprocess.Popen([program, '-p', name, '-e', 'stderr', '-c', f'{name}/nginx.conf'],
                              stdin=subprocess.DEVNULL) as process:
            try:
                deadline = time.monotonic() + 20
                while time.monotonic() < deadline:
                    with contextlib.suppress(OSError):
                        socket.create_connection(('127.0.0.1', port), timeout=1).close()
                        break
                    time.sleep(0.02)
                yield port, folder / 'access.log'
            finally:
                process.terminate()


class Balancing(unittest.TestCase):
    def test_a_dead_upstream_costs_no_request_and_comes_back(self):
        port = free_port()
        with upstream() as service, proxy(f'http://127.0.0.1:{port}', url_of(service)) as front:
            for _ in range(20):
                self.assertEqual(front.ask('GET', '/plaintext')[0], 200)
            self.assertEqual(front.ask('POST', '/test', b'{}',
                                       {'Content-Type': 'application/json'})[0], 200,
                             'what must not be repeated goes to one that is well')

    def test_active_health_finds_out_and_in(self):
        with Recorder(b'HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n') as sick, \
                upstream() as service, \
                proxy(sick.url(), url_of(service), HEALTH='/plaintext') as front:
            front.ask('GET', '/plaintext')
            deadline = time.monotonic() + 20
            while sum(front.ask('GET', '/plaintext')[0] == 200 for _ in range(6)) < 6:
                self.assertLess(time.monotonic(), deadline)
            sick.answer = b'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwell'
            while all(front.ask('GET', '/plaintext')[2] != b'well' for _ in range(6)):
                self.assertLess(time.monotonic(), deadline)

    def test_active_health_is_asked_for_before_anybody_asks(self):
        with Recorder(b'HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n') as sick, \
                proxy(sick.url(), HEALTH='/health'):
            deadline = time.monotonic() + 20
            while len(sick.received) < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertGreaterEqual(len(sick.received), 2, 'again and again')
            for head in sick.received:
                self.assertTrue(head.startswith(b'GET /health HTTP/1.1'), head)

    def test_the_same_key_goes_to_the_same_upstream(self):
        with contextlib.ExitStack() as stack:
            names = [str(index) for index in range(3)]
            recorders = [stack.enter_context(Recorder(
                b'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n' + name.encode())) for name in names]
            front = stack.enter_context(proxy(*(one.url() for one in recorders), HASH='X-Key'))
            by_key = {}
            for key in range(30):
                told = {front.ask('GET', '/', headers={'X-Key': str(key)})[2] for _ in range(3)}
                self.assertEqual(len(told), 1)
                by_key[key] = told.pop()
            self.assertEqual(len(set(by_key.values())), 3)

    def test_a_slow_upstream_is_504_and_a_client_that_leaves_frees_it(self):
        with upstream('--delay-ms', '60000') as service, proxy(url_of(service)) as front:
            begin = time.monotonic()
            kind = {'Content-Type': 'application/json'}
            self.assertEqual(front.ask('POST', '/test', b'{}', kind)[0], 504)
            self.assertLess(time.monotonic() - begin, 30)
            with front.connect() as client:
                client.sendall(b'GET /stream/1000000000 HTTP/1.1\r\nHost: a\r\n\r\n')
                client.recv(4096)
            self.assertEqual(front.ask('GET', '/plaintext')[0], 200)
            self.assertEqual(front.stop(), 0)

    def test_an_upstream_that_breaks_off_is_no_whole_answer(self):
        answer = b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'
        with BreakingOff(answer) as service, proxy(service.url()) as front:
            with front.connect() as client:
                client.sendall(b'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
                told = b''
                with contextlib.suppress(ConnectionResetError):
                    while part := client.recv(4096):
                        told += part
                self.assertLess(len(told.split(b'\r\n\r\n', 1)[-1]), 100)

    def test_content_arrives_unchanged(self):
        with tempfile.TemporaryDirectory() as folder:
            content = os.urandom(3 << 20)
            (Path(folder) / 'random.bin').write_bytes(content)
            with upstream('--files', folder) as service, proxy(url_of(service)) as front:
                told = curl(f'{url_of(front)}/files/random.bin')
                self.assertEqual(hashlib.sha256(told).digest(), hashlib.sha256(content).digest())
                part = curl('-r', '100-199', f'{url_of(front)}/files/random.bin')
                self.assertEqual(part, content[100:200])


class BreakingOff(Recorder):
    """Ends the connection after its response."""

    def _serve(self, connection):
        with contextlib.suppress(OSError), connection:
            connection.recv(65536)
            connection.sendall(self.answer)


if __name__ == '__main__':
    unittest.main()

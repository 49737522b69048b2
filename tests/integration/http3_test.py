"""HTTP/3 with Caddy in front, with the settings of docs/operations/http3.md, and aioquic as client.

Caddy is the installed one, or EIDER_TEST_CADDY=/path/to/caddy. It is not built here, because that
takes over two minutes. Must not change the certificates of the machine.
"""

import base64
import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support import (ANSWER_SECONDS_MAX, ROOT, START_SECONDS_MAX, STOP_SECONDS_MAX, Program,
                     free_port, make_environment)

CADDY = os.environ.get('EIDER_TEST_CADDY') or shutil.which('caddy')
PAGE = ROOT / 'docs/operations/http3.md'
HOST = 'example.org'
SERVICE = '127.0.0.1:8080'  # as on the page
# Settings of the test in addition to the page: its own ports, and an authority that only it trusts.
AHEAD = """{{
    admin off
    local_certs
    skip_install_trust
    default_bind 127.0.0.1
    http_port {plain}
    https_port {port}
}}
"""


def settings_of_page():
    """Returns the Caddyfile of the page."""
    return re.search(r'^## Caddy$.*?^```\n(.*?)^```$', PAGE.read_text(), re.S | re.M)[1]


class Caddy:
    """Caddy in front of a program. Use as a context manager."""

    def __init__(self, program):
        self.port = free_port()
        self.directory = tempfile.TemporaryDirectory()
        place = Path(self.directory.name)
        self.authorities = place / 'caddy/pki/authorities/local/root.crt'
        self.file = place / 'Caddyfile'
        self.file.write_text(AHEAD.format(plain=free_port(), port=self.port) +
                             settings_of_page().replace(SERVICE, f'127.0.0.1:{program.port}'))
        self.said = tempfile.TemporaryFile()
        self.process = None

    def __enter__(self):
        place = self.directory.name
        self.process = subprocess.Popen(
            [CADDY, 'run', '--config', self.file, '--adapter', 'caddyfile'],
            env={**os.environ, 'HOME': place, 'XDG_DATA_HOME': place, 'XDG_CONFIG_HOME': place},
            stdin=subprocess.DEVNULL, stdout=self.said, stderr=self.said)
        deadline = time.monotonic() + START_SECONDS_MAX
        while True:
            try:
                self.connect().close()
                return self
            except OSError as error:  # it listens before it has its certificate
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.said.seek(0)
                    said = self.said.read().decode()
                    self.__exit__()
                    raise AssertionError(f'{CADDY} does not serve: {said}') from error
                time.sleep(0.05)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(STOP_SECONDS_MAX)
        self.said.close()
        self.directory.cleanup()

    def connect(self):
        """Returns a TLS connection over TCP."""
        context = ssl.create_default_context(cafile=self.authorities)
        plain = socket.create_connection(('127.0.0.1', self.port), timeout=ANSWER_SECONDS_MAX)
        try:
            return context.wrap_socket(plain, server_hostname=HOST)
        except BaseException:
            plain.close()
            raise


class Client:
    """A process of http3_client.py."""

    def __init__(self, front):
        python = make_environment('http3') / 'bin/python3'
        self.process = subprocess.Popen(
            [python, '-B', Path(__file__).with_name('http3_client.py'), str(front.port),
             front.authorities], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(STOP_SECONDS_MAX)
        self.process.stdout.close()

    def ask(self, *requests, **more):
        """Returns the responses to requests on one connection, with contents as bytes."""
        self.process.stdin.write(json.dumps({'requests': requests, **more}) + '\n')
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f'no answer to {requests[0]["path"]}')
        return [{**answer, 'content': base64.b64decode(answer['content'])}
                for answer in json.loads(line)]


def content(data):
    """Encodes data for http3_client.py."""
    return base64.b64encode(data).decode()


class Page(unittest.TestCase):
    def test_it_names_the_service_once(self):
        self.assertEqual(settings_of_page().count(SERVICE), 1)
        self.assertIn(HOST, settings_of_page())


@unittest.skipUnless(CADDY, 'needs Caddy: installed, or EIDER_TEST_CADDY=/path/to/caddy')
class BehindCaddy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = cls.enterClassContext(Program('32_coming_from', '--port', '{port}'))
        cls.front = cls.enterClassContext(Caddy(cls.service))
        cls.client = cls.enterClassContext(Client(cls.front))

    def test_status_fields_and_content_are_the_services(self):
        hello, teapot, refused = self.client.ask(
            {'path': '/hello/Ada?times=2'}, {'path': '/teapot'},
            {'path': '/api/notes', 'method': 'POST', 'content': content(b'{"done": true}'),
             'fields': {'content-type': 'application/json'}})
        self.assertEqual((hello['status'], hello['content']), (200, b'Hello Ada\nHello Ada\n'))
        self.assertEqual(hello['fields']['x-powered-by'], 'a duck')
        self.assertEqual((teapot['status'], teapot['content']), (418, b'short and stout\n'))
        self.assertEqual((refused['status'], refused['fields']['content-type']),
                         (422, 'application/problem+json'))

    def test_fifty_requests_at_once_on_one_connection(self):
        answers = self.client.ask(*({'path': f'/files/{number}'} for number in range(50)))
        self.assertEqual([(one['status'], one['content']) for one in answers],
                         [(200, str(number).encode()) for number in range(50)])

    def test_an_upload_comes_whole_and_one_too_large_is_refused(self):
        data = os.urandom(1 << 20)
        taken, refused = self.client.ask(
            {'path': '/echo', 'method': 'POST', 'content': content(data)},
            {'path': '/echo', 'method': 'POST', 'content': content(bytes(3 << 20))})
        self.assertEqual((taken['status'], taken['content'] == data), (200, True))
        self.assertEqual(refused['status'], 413)

    def test_an_upload_of_a_length_that_is_not_told_comes_whole(self):
        said = subprocess.run([CADDY, 'version'], check=True, stdout=subprocess.PIPE, text=True)
        if re.match(r'v?2\.[0-8]\.', said.stdout):
            self.skipTest('Caddy ahead of 2.9 loses its content: quic-go 4622')
        data = os.urandom(1 << 20)
        taken, = self.client.ask({'path': '/echo', 'method': 'POST', 'content': content(data),
                                  'tells_length': False})
        self.assertEqual((taken['status'], taken['content'] == data), (200, True))

    def test_a_stream_comes_as_it_is_written(self):
        ticks, = self.client.ask({'path': '/ticks', 'until': 2})
        self.assertEqual(ticks['fields']['content-type'], 'text/event-stream')
        self.assertEqual(ticks['content'].count(b'event: tick\n'), 2)
        first, second = ticks['times']  # written once per second
        self.assertGreater(second - first, 0.5)

    def test_the_service_knows_the_client_and_not_what_it_says_of_itself(self):
        forged = {'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'http',
                  'forwarded': 'for=203.0.113.8'}
        told, = self.client.ask({'path': '/me', 'fields': forged}, source='127.0.0.9')
        self.assertEqual(told['content'], b'127.0.0.9 by https')

    def test_an_answer_over_tcp_says_where_http3_is(self):
        asking = http.client.HTTPConnection(HOST)
        asking.sock = self.front.connect()
        self.addCleanup(asking.close)
        asking.request('GET', '/')
        answer = asking.getresponse()
        self.assertEqual((answer.status, answer.read()), (200, b'Hello world'))
        self.assertEqual(answer.headers['Alt-Svc'], f'h3=":{self.front.port}"; ma=2592000')


if __name__ == '__main__':
    unittest.main()

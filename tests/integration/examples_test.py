"""Every example starts as a program, and responds as its first lines describe."""

import json
import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support import BIN, ROOT, STOP_SECONDS_MAX, Program, run_to_end

CLIENTS = ('08_ws_client', '09_client')  # programs without a server
# Options without which these programs have no app
REQUIRED = {'11_proxy': ['--upstreams', 'http://127.0.0.1:9'],
            '22_openid': ['--client-id', 'x', '--issuer', 'https://a.example']}
SMALL = ('01_hello',)  # App::run links no OpenAPI document
JSON = {'Content-Type': 'application/json'}
ORDER = {'item': 'tea', 'count': 3, 'paid_with': 'card'}
BOOKING = {'room': 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'mail': 'ada@example.org',
           'from': '2026-11-22', 'to': '2026-11-24'}
# (example, method, path, body or None, status, the response body or a part of it)
CALLS = [
    ('01_hello', 'GET', '/', None, 200, 'Hello world'),
    ('01_hello', 'GET', '/hello/Ada', None, 200, 'Hello Ada'),
    ('01_hello', 'GET', '/add/1/2', None, 200, '3'),
    ('01_hello', 'GET', '/add/1/x', None, 400, '"b"'),
    ('01_hello', 'GET', '/nowhere', None, 404, '"status":404'),
    ('02_json', 'POST', '/orders', ORDER, 201, '{"item":"tea","cents":750,"paid_with":"card"}'),
    ('02_json', 'POST', '/orders', {**ORDER, 'count': 0}, 422, '"/count"'),
    ('02_json', 'POST', '/orders', {**ORDER, 'paid_with': 'shells'}, 422, '"/paid_with"'),
    ('02_json', 'POST', '/orders', {'count': 1}, 422, '"/item"'),
    ('14_openapi', 'POST', '/bookings', BOOKING, 201, '{"number":1,"nights":"P2D"}'),
    ('14_openapi', 'POST', '/bookings', {**BOOKING, 'to': '2026-11-21'}, 422, '"/to"'),
    ('14_openapi', 'GET', '/openapi.json', None, 200, '"openapi":"3.1'),
    ('03_async', 'GET', '/wait', None, 200, '"milliseconds":200'),
]
LINES_MAX = 40


def examples():
    """Returns the names of the single-file examples."""
    return sorted(path.stem for path in Path(ROOT, 'examples').glob('[0-9][0-9]_*.cc'))


def programs():
    """Returns the names of all examples."""
    folders = Path(ROOT, 'examples').glob('*/main.cc')
    return sorted([*examples(), *(main.parent.name for main in folders)])


class Described(unittest.TestCase):
    """Options that only print something."""

    def test_they_create_no_files(self):
        for name in programs():
            for option in ('--help', '--openapi', '--routes'):
                with self.subTest(name, option=option), tempfile.TemporaryDirectory() as place:
                    ended = subprocess.run([BIN / name, option], cwd=place, check=False, text=True,
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                           stderr=subprocess.STDOUT, timeout=STOP_SECONDS_MAX)
                    self.assertEqual(os.listdir(place), [], ended.stdout)
                    self.assertGreaterEqual(ended.returncode, 0, ended.stdout)

    def test_every_server_describes_itself(self):
        for name in programs():
            if name in (*CLIENTS, *SMALL):
                continue
            for option, start in ('--help', 'Usage: '), ('--openapi', '{'), ('--routes', ''):
                with self.subTest(name, option=option), tempfile.TemporaryDirectory() as place:
                    ended = subprocess.run([BIN / name, option, *REQUIRED.get(name, [])],
                                           cwd=place, check=False, text=True,
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, timeout=STOP_SECONDS_MAX)
                    self.assertEqual(ended.returncode, 0, ended.stderr)
                    self.assertIn(start, ended.stdout)
                    if option == '--openapi':
                        self.assertEqual(json.loads(ended.stdout)['openapi'][:3], '3.1')


class Examples(unittest.TestCase):
    def test_every_example_is_called(self):
        self.assertEqual(examples(), sorted({call[0] for call in CALLS}))

    def test_they_answer_as_they_say(self):
        for name in examples():
            with Program(name, '--port', '{port}') as program:
                for example, method, path, body, status, holds in CALLS:
                    if example == name:
                        with self.subTest(name, path=path, body=body):
                            sent = None if body is None else json.dumps(body)
                            told, _, answer = program.ask(method, path, sent, JSON if sent else {})
                            self.assertEqual(told, status, answer)
                            self.assertIn(holds, answer.decode())
                self.assertEqual(program.stop(), 0)

    def test_they_are_short(self):
        for name in examples():
            lines = Path(ROOT, 'examples', name + '.cc').read_text().count('\n')
            self.assertLess(lines, LINES_MAX, name)

    def test_a_thousand_waits_share_one_thread(self):
        with Program('03_async', '--port', '{port}', '--threads', '1') as program:
            connections = [program.connect() for _ in range(1000)]
            begin = time.monotonic()
            for connection in connections:
                connection.sendall(b'GET /wait HTTP/1.1\r\nHost: x\r\n\r\n')
            for connection in connections:
                self.assertTrue(connection.recv(4096).startswith(b'HTTP/1.1 200 '))
                connection.close()
            self.assertLess(time.monotonic() - begin, 20)  # sequentially: 200 s


class CommandLine(unittest.TestCase):
    def test_help_is_shown_and_mistakes_are_named(self):
        for arguments, status, said in ((['--help'], 0, '--port'), (['--prot', '1'], 2, '--prot'),
                                        (['--port', 'x'], 2, 'port')):
            with self.subTest(arguments):
                ended, text = run_to_end('01_hello', *arguments)
                self.assertEqual(ended, status, text)
                self.assertIn(said, text)


if __name__ == '__main__':
    unittest.main()

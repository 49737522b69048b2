"""Generated clients compile, agree with openapi-typescript, and call programs.

Must not use packages of the machine: npm installs the pinned ones of the lock file.
"""

import json
import os
import shutil
import subprocess
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support import BIN, ROOT, Program, make_packages, run_to_end

GIVEN = Path(__file__).with_name('openapi_client')
PACKAGES = ROOT / 'build/openapi-client'
SECONDS_MAX = 120
PROGRAMS = {'bookings': '14_openapi', 'notes': 'notes', 'ticks': '05_events'}
EVENTS = [b': hello\n', b'data: one\ndata', b': two\n\nevent: tick\r', b'\ndata: 3\nid: a\n',
          b'\r\ndata:\xc3', b'\xbc\n\nevent: none\n\ndata: cut']
READINGS = [b'event: reading\ndata: {"level":"low",\ndata: "at":"1970-01-01T01:00:01.5+01:00"',
            b'}\n', b'\ndata: {"level":"other","at":"1970-01-01T00:00:00Z"}\n\nda',
            b'ta: {"level":"high","at":"1969-12-31T23:59:59.999999999Z","new":1}\n\n']
LINES = [b'"lo', b'w"\n\n"high"\r\n', b'"low"']


def run(command, directory):
    """Returns the output of a command, which must succeed."""
    ended = subprocess.run(command, cwd=directory, text=True, check=False, timeout=SECONDS_MAX,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
    if ended.returncode != 0:
        raise AssertionError(f'{command[0]} ended with {ended.returncode}:\n{ended.stdout}')
    return ended.stdout


def make_client(directory, name):
    """Generates a client next to DIRECTORY/NAME.json."""
    status, said = run_to_end('eider', 'openapi', 'client', '--language', 'typescript', '--out',
                              directory / f'{name}.ts', directory / f'{name}.json')
    if (status, said) != (0, ''):
        raise AssertionError(f'{name}: {status}: {said}')


def make_documents(directory):
    """Writes the documents of programs, and the given ones; returns their names."""
    for name, program in PROGRAMS.items():
        status, document = run_to_end(program, '--openapi', environment={
            'NOTES_DATABASE_FILE': os.fspath(directory / 'none.db')})
        assert status == 0, document
        (directory / f'{name}.json').write_text(document)
    for given in GIVEN.glob('*.json'):
        shutil.copy(given, directory)
    return [*PROGRAMS, 'rich']


class Answering(BaseHTTPRequestHandler):
    """Responds as in rich.json, in pieces that are cut at difficult places."""

    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        """Logs nothing."""

    def answer(self, content, kind='application/json', status=200):
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def answer_in_pieces(self, pieces, kind):
        self.send_response(200)
        self.send_header('Content-Type', kind)
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b'%x\r\n%s\r\n' % (len(piece), piece))
            self.wfile.flush()
        self.wfile.write(b'0\r\n\r\n')

    def echo(self):
        length = int(self.headers.get('Content-Length') or 0)
        content = self.rfile.read(length)
        if self.path in ('/bytes', '/shapes'):
            self.answer(content, self.headers.get('Content-Type') or 'application/octet-stream',
                        201 if self.path == '/shapes' else 200)
        elif self.headers.get('X-Refuse'):
            self.answer(b'too much', 'text/plain', 503)
        elif self.path == '/count':
            self.answer(b'42', 'text/plain; charset=utf-8')
        elif self.path == '/events':
            self.answer_in_pieces(EVENTS, 'text/event-stream')
        elif self.path == '/readings':
            self.answer_in_pieces(READINGS, 'text/event-stream; charset=utf-8')
        elif self.path == '/lines':
            self.answer_in_pieces(LINES, 'application/x-ndjson')
        else:
            self.answer(json.dumps({
                'method': self.command, 'target': self.path, 'body': content.decode(),
                'fields': {name.lower(): value for name, value in self.headers.items()},
            }).encode())

    do_GET = do_POST = do_PUT = do_DELETE = echo


class Server:
    """Starts the server on its own port."""

    def __enter__(self):
        self.server = ThreadingHTTPServer(('127.0.0.1', 0), Answering)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f'http://127.0.0.1:{self.server.server_port}'

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


@unittest.skipUnless(shutil.which('npm') and shutil.which('node'),
                     'npm brings what clients are held against')
class TypeScript(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        make_packages(GIVEN, PACKAGES.name)
        held = tempfile.TemporaryDirectory(dir=PACKAGES)  # where node finds the packages
        cls.addClassCleanup(held.cleanup)
        cls.directory = Path(held.name)
        names = make_documents(cls.directory)
        for name in (*names, 'hostile', 'secured'):
            make_client(cls.directory, name)
        for given in (*GIVEN.glob('*.ts'), *GIVEN.glob('*.mjs')):
            shutil.copy(given, cls.directory)
        shutil.copy(GIVEN / 'tsconfig.json', cls.directory)
        cls.told = run(['node', 'oracle.mjs', '.', *names], cls.directory)
        run(['node', PACKAGES / 'node_modules/typescript/bin/tsc', '-p', '.'], cls.directory)

    def use(self, name, url):
        return run(['node', f'out/{name}.js', url], self.directory)

    def test_types_are_those_of_openapi_typescript(self):
        """tsc has checked the types; this checks that it ran on them."""
        for name, count in (('bookings', 7), ('notes', 11), ('rich', 13), ('ticks', 2)):
            found = [line for line in self.told.splitlines() if line.startswith(name + ': ')]
            self.assertGreaterEqual(int(found[0].split()[1]), count, self.told)

    def test_a_hostile_document_makes_no_code(self):
        self.assertIn('hostile: no name but our own', self.told)

    def test_a_program_is_called(self):
        database = {'NOTES_DATABASE_FILE': os.fspath(self.directory / 'notes.db')}
        with Program('notes', '--port', '{port}', environment=database) as service:
            said = self.use('use_notes', f'http://127.0.0.1:{service.port}')
        self.assertEqual(said.count('ok: '), 3, said)

    def test_forms_bytes_and_streams_are_sent_and_read(self):
        with Server() as url:
            said = self.use('use_rich', url)
        self.assertEqual(said.count('ok: '), 4, said)

    def test_who_asks_goes_with_the_calls_that_take_it(self):
        with Server() as url:
            said = self.use('use_secured', url)
        self.assertEqual(said.count('ok: '), 3, said)


class Cpp(unittest.TestCase):
    """The build has generated the clients, and compiled them into a program."""

    def call(self, name, url):
        said = run([BIN / 'openapi_client_caller', name, url], ROOT)
        self.assertEqual(said.count('ok: '), 3, said)

    def test_a_program_is_called(self):
        with tempfile.TemporaryDirectory() as directory:
            database = {'NOTES_DATABASE_FILE': os.path.join(directory, 'notes.db')}
            with Program('notes', '--port', '{port}', environment=database) as service:
                self.call('notes', f'http://127.0.0.1:{service.port}')

    def test_forms_bytes_and_streams_are_sent_and_read(self):
        with Server() as url:
            self.call('rich', url)

    def test_events_of_a_program_are_read(self):
        with Program('05_events', '--port', '{port}') as service:
            self.call('ticks', f'http://127.0.0.1:{service.port}')


class Misused(unittest.TestCase):
    def assert_told(self, status, said, *words):
        self.assertEqual(run_to_end('eider', 'openapi', 'client', *words), (status, said + '\n'))

    def test_what_cannot_be_understood_is_told(self):
        self.assert_told(2, 'eider openapi client: --language must be typescript or c++',
                         'a.json')
        self.assert_told(2, 'eider openapi client: --out requires a value (FILE)', '--out')
        self.assert_told(2, 'eider openapi client: unknown option --nope', '--nope')
        self.assert_told(2, 'eider openapi client: unexpected argument b; expected: one '
                            'document', 'a', 'b')
        self.assert_told(2, 'eider openapi client: no document given; see eider openapi client '
                            '--help',
                         '--language', 'typescript')
        for name in ('', 'a b', 'a::', '1', 'class', 'std'):
            self.assert_told(2, f'eider openapi client: {name} is not a valid '
                                'namespace', '--language',
                             'c++', '--namespace', name, 'a.json')
        status, said = run_to_end('eider', 'openapi', 'client', '--help')
        self.assertEqual(status, 0)
        self.assertIn('--openapi | eider openapi client --language typescript', said)

    def test_what_is_no_document_is_told_with_its_place(self):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / 'a.json'
            for text, said in (('{', f'{file} is not JSON: '),
                               ('{"swagger":"2.0"}', f'{file}: /swagger: Swagger 2 is not'),
                               ('{"openapi":"3.0.3"}',
                                f'{file}: /openapi: unsupported version "3.0.3"')):
                file.write_text(text)
                status, told = run_to_end('eider', 'openapi', 'client', '--language', 'typescript',
                                          file)
                self.assertEqual(status, 1)
                self.assertIn(said, told)

    def test_the_standard_input_is_a_document(self):
        _, document = run_to_end('14_openapi', '--openapi')
        words = ('openapi', 'client', '--language', 'typescript', '-')
        made = [subprocess.run([BIN / 'eider', *words],
                               input=document, text=True, check=True,
                               stdout=subprocess.PIPE).stdout for _ in range(2)]
        self.assertIn('export interface NewBooking {', made[0])
        self.assertEqual(made[0], made[1])


if __name__ == '__main__':
    unittest.main()

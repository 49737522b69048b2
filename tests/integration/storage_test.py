"""File storage: a local directory, an S3 server that verifies signatures, and a tus client.

Must not use what the machine happens to have: npm and Go bring the pinned programs.
"""

import contextlib
import hashlib
import http.client
import json
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import BIN, ROOT, START_SECONDS_MAX, Program, free_port, make_packages

HERE = Path(__file__).resolve().parent
FOLDER = ROOT / 'build/cache/versitygw'
BUILD_SECONDS_MAX = 300
CLIENT_SECONDS_MAX = 120
KEY, SECRET, BUCKET = 'test-key', 'test/secret+key', 'photos'
MIB = 1 << 20


def versitygw():
    """Returns the S3 server, built once; None and the reason if this machine cannot build it."""
    program = FOLDER / 'versitygw'
    if program.exists():
        return program, ''
    if not shutil.which('go'):
        return None, 'go builds versitygw, the S3 server'
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in ('go.mod', 'go.sum'):
        shutil.copy(HERE / 'versitygw' / name, FOLDER)
    try:
        subprocess.run(['go', 'build', '-o', program,
                        'github.com/versity/versitygw/cmd/versitygw'],
                       cwd=FOLDER, check=True, timeout=BUILD_SECONDS_MAX, text=True,
                       env={**os.environ, 'GOFLAGS': '-mod=mod'}, capture_output=True)
    except subprocess.CalledProcessError as failed:  # its libraries need a newer Go
        return None, f'this Go does not build versitygw: {failed.stderr.strip()[-200:]}'
    except subprocess.TimeoutExpired:
        return None, f'versitygw is not built within {BUILD_SECONDS_MAX} s'
    return program, ''


def bytes_of(size, seed=1):
    return random.Random(seed).randbytes(size)


def digest(data):
    return hashlib.sha256(data).hexdigest()


def multipart(fields, data, kind='application/octet-stream', filename='a.bin'):
    """Returns the body and the type of a form with a file after its fields."""
    body = b''
    for name, value in fields:
        body += (f'--limit\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
                 f'{value}\r\n').encode()
    body += (f'--limit\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n'
             f'Content-Type: {kind}\r\n\r\n').encode() + data + b'\r\n--limit--\r\n'
    return body, 'multipart/form-data; boundary=limit'


def ask_url(program, method, url, body=None, headers=None):
    """Sends a request to a signed URL: a path of the program, or a URL of another server."""
    parts = urllib.parse.urlsplit(url)
    port = parts.port or program.port
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
    try:
        target = parts.path + ('?' + parts.query if parts.query else '')
        connection.request(method, target, body, headers or {})
        reply = connection.getresponse()
        return reply.status, dict(reply.getheaders()), reply.read()
    finally:
        connection.close()


class StorageCases:
    """The same tests for each storage. The subclass sets `arguments` of the program."""

    def start(self):
        raise NotImplementedError

    def setUp(self):
        self.program = self.start()
        self.program.__enter__()
        self.addCleanup(self.program.__exit__)

    def put(self, name, data, kind='image/png'):
        body, content_type = multipart([], data, kind, name)
        status, _, reply = self.program.ask('POST', '/photos', body,
                                            {'Content-Type': content_type})
        self.assertEqual(status, 200, (reply, self.program.said()))
        return json.loads(reply)

    def ticket(self, how, **values):
        status, _, reply = self.program.ask('POST', f'/{how}', json.dumps(values),
                                            {'Content-Type': 'application/json'})
        self.assertEqual(status, 200, reply)
        return json.loads(reply) if how == 'upload-form' else reply.decode()

    def keys(self, **query):
        status, _, reply = self.program.ask('GET', '/objects?' + urllib.parse.urlencode(query))
        self.assertEqual(status, 200, (reply, self.program.said()))
        return [it['key'] for it in json.loads(reply)['objects']], json.loads(reply).get('next')

    def test_object_is_read_as_it_was_stored(self):
        data = bytes_of(100_000)
        stored = self.put('grüße & co.png', data)
        self.assertEqual(stored['bytes'], len(data))
        name = urllib.parse.quote('grüße & co.png')
        status, headers, read = self.program.ask('GET', f'/photos/{name}')
        self.assertEqual((status, digest(read)), (200, digest(data)))
        self.assertEqual(headers['Content-Type'], 'image/png')
        self.assertEqual(headers['ETag'], stored['etag'])
        self.assertEqual(headers['X-Content-Type-Options'], 'nosniff')
        status, headers, read = self.program.ask('HEAD', f'/photos/{name}')
        self.assertEqual((status, headers['Content-Length']), (200, str(len(data))))
        status, _, _ = self.program.ask('DELETE', f'/photos/{name}')
        self.assertEqual(status, 204)
        self.assertEqual(self.program.ask('GET', f'/photos/{name}')[0], 404)
        self.assertEqual(self.program.ask('DELETE', f'/photos/{name}')[0], 204)

    def test_ranges_and_preconditions(self):
        data = bytes_of(50_000)
        etag = self.put('a.png', data)['etag']
        cases = [('bytes=0-9', data[:10]), ('bytes=49990-', data[-10:]), ('bytes=-7', data[-7:]),
                 ('bytes=100-199999', data[100:])]
        for wanted, expected in cases:
            status, headers, read = self.program.ask('GET', '/photos/a.png', None,
                                                     {'Range': wanted})
            self.assertEqual((status, read), (206, expected), wanted)
            self.assertTrue(headers['Content-Range'].endswith('/50000'))
        status, headers, read = self.program.ask('GET', '/photos/a.png', None,
                                                 {'Range': 'bytes=0-0,40000-40000'})
        self.assertEqual(status, 206)
        self.assertIn(b'Content-Range: bytes 40000-40000/50000\r\n\r\n' + data[40000:40001], read)
        ask = self.program.ask
        self.assertEqual(ask('GET', '/photos/a.png', None, {'Range': 'bytes=50000-'})[0], 416)
        self.assertEqual(ask('GET', '/photos/a.png', None, {'If-None-Match': etag})[0], 304)
        self.assertEqual(ask('GET', '/photos/a.png', None, {'If-Match': '"x"'})[0], 412)

    def test_file_of_a_user_is_not_displayed(self):
        self.put('a.html', b'<script>', 'text/html')
        _, headers, _ = self.program.ask('GET', '/photos/a.html')
        self.assertEqual(headers['Content-Type'], 'application/octet-stream')
        self.assertTrue(headers['Content-Disposition'].startswith('attachment; filename="a.html"'))

    def test_pages_have_each_key_once(self):
        names = ['a.png', 'a-b.png', 'b c.png', 'ä.png', 'z%2F.png', 'a+b.png', 'quote\'.png']
        for name in names:
            self.put(name, b'x')
        expected = sorted((f'photos/{name}' for name in names), key=lambda it: it.encode())
        self.assertEqual(self.keys(prefix='photos/'), (expected, None))
        for count in (1, 2, 3):
            found, after = [], ''
            while after is not None:
                page, after = self.keys(prefix='photos/', count=count, after=after)
                found += page
            self.assertEqual(found, expected)
        self.assertEqual(self.keys(prefix='photos/z'), (['photos/z%2F.png'], None))
        self.assertEqual(self.keys(prefix='none/'), ([], None))

    def test_large_object_is_streamed(self):
        data = bytes_of(30 * MIB + 12345)
        before = self.program_memory()
        self.put('large.bin', data)
        status, _, read = self.program.ask('GET', '/photos/large.bin')
        self.assertEqual((status, digest(read)), (200, digest(data)))
        status, _, read = self.program.ask('GET', '/photos/large.bin', None,
                                           {'Range': 'bytes=31000000-31000099'})
        self.assertEqual((status, read), (206, data[31_000_000:31_000_100]))
        # A part of 8 MiB and its copy, and the buffers of sockets; never the whole 30 MiB twice.
        self.assertLess(self.program_memory() - before, 40 * MIB)

    def program_memory(self):
        status = Path(f'/proc/{self.program.process.pid}/status').read_text()
        return int(status.split('VmRSS:')[1].split()[0]) * 1024

    def test_object_that_is_too_large_is_rejected(self):
        body, kind = multipart([], bytes(64 * MIB + 1))
        with self.program.connect() as connection:
            try:
                connection.sendall(f'POST /photos HTTP/1.1\r\nHost: a\r\nContent-Type: {kind}\r\n'
                                   f'Content-Length: {len(body)}\r\n\r\n'.encode() + body)
            except OSError:
                pass  # the response may arrive before everything was sent
            self.assertIn(b' 413 ', connection.recv(100))
        self.assertEqual(self.keys(prefix='photos/'), ([], None))

    def test_download_url(self):
        data = bytes_of(1000)
        self.put('a b.png', data)
        url = self.ticket('download-url', key='photos/a b.png')
        self.assertEqual(ask_url(self.program, 'GET', url)[::2], (200, data))
        status, _, read = ask_url(self.program, 'GET', url, None, {'Range': 'bytes=1-2'})
        self.assertEqual((status, read), (206, data[1:3]))
        forged = url[:-1] + ('0' if url[-1] != '0' else '1')
        self.assertEqual(ask_url(self.program, 'GET', forged)[0], 403)
        self.assertEqual(ask_url(self.program, 'GET', url.replace('a%20b', 'c'))[0], 403)
        self.assertEqual(ask_url(self.program, 'PUT', url, b'x')[0], 403)
        url = self.ticket('download-url', key='photos/a b.png', seconds=1)
        time.sleep(2.5)
        self.assertEqual(ask_url(self.program, 'GET', url)[0], 403)

    def test_upload_url(self):
        url = self.ticket('upload-url', key='photos/up.png', type='image/png', bytes=5)
        status, _, reply = ask_url(self.program, 'PUT', url, b'hello',
                                   {'Content-Type': 'text/html'})
        self.assertIn(status, (403, 415), reply)
        status, _, reply = ask_url(self.program, 'PUT', url, b'hello!',
                                   {'Content-Type': 'image/png'})
        self.assertIn(status, (400, 403), reply)
        status, _, reply = ask_url(self.program, 'PUT', url, b'hello',
                                   {'Content-Type': 'image/png'})
        self.assertEqual(status, 200, reply)
        status, headers, read = self.program.ask('GET', '/photos/up.png')
        self.assertEqual((status, read, headers['Content-Type']), (200, b'hello', 'image/png'))

    def test_upload_form(self):
        form = self.ticket('upload-form', key='photos/form.png', type='image/png', bytes=100)
        fields = [(it['name'], it['value']) for it in form['fields']]
        body, kind = multipart(fields, bytes(101), 'image/png')
        status, _, reply = ask_url(self.program, 'POST', form['url'], body, {'Content-Type': kind})
        self.assertIn(status, (400, 413), reply)
        changed = [(name, 'photos/other.png' if name == 'key' else value)
                   for name, value in fields]
        body, kind = multipart(changed, b'png', 'image/png')
        status, _, reply = ask_url(self.program, 'POST', form['url'], body, {'Content-Type': kind})
        self.assertEqual(status, 403, reply)
        body, kind = multipart(fields, b'png', 'image/png')
        status, _, reply = ask_url(self.program, 'POST', form['url'], body, {'Content-Type': kind})
        self.assertEqual(status, 204, reply)
        self.assertEqual(self.program.ask('GET', '/photos/form.png')[2], b'png')

    def test_client_that_leaves_during_an_upload_stores_nothing(self):
        body, kind = multipart([], bytes(20 * MIB))
        with self.program.connect() as connection:
            connection.sendall(f'POST /photos HTTP/1.1\r\nHost: a\r\nContent-Type: {kind}\r\n'
                               f'Content-Length: {len(body)}\r\n\r\n'.encode())
            connection.sendall(body[:18 * MIB])
        self.await_no_leftovers()
        self.assertEqual(self.keys(prefix='photos/'), ([], None))

    def await_no_leftovers(self):
        until = time.monotonic() + 30
        while self.leftovers() and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(self.leftovers(), [])

    def test_concurrent_puts_leave_one_whole_object(self):
        datas = [bytes([number]) * 300_000 for number in range(8)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda data: self.put('same.png', data), datas))
        self.assertIn(self.program.ask('GET', '/photos/same.png')[2], datas)
        self.await_no_leftovers()


class LocalDirectory(StorageCases, unittest.TestCase):
    """A directory of this machine."""

    def start(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name) / 'storage'
        return Program('34_storage', '--port', '{port}', '--storage-directory',
                       str(self.directory))

    def leftovers(self):
        return list((self.directory / 'tmp').iterdir())

    def test_hostile_paths_reach_nothing(self):
        secret = self.directory / 'objects/secret'
        secret.write_text('secret')
        for path in ('/photos/../secret', '/photos/%2e%2e/secret', '/photos/..%2fsecret',
                     '/photos/%2e%2e%2fsecret', '/photos//secret', '/photos/%5c..%5csecret',
                     '/photos/a%00', '/photos/%ff', '/photos/./secret', '/photos/' + 'a' * 2000):
            with self.program.connect() as connection:
                connection.sendall(f'GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'
                                   '\r\n'.encode())
                reply = b''
                while part := connection.recv(65536):
                    reply += part
            self.assertIn(reply.split()[1], (b'400', b'404', b'308', b'301'), path)
            self.assertNotIn(b'secret\r\n', reply.split(b'\r\n\r\n', 1)[1], path)

    def test_kill_during_puts_leaves_whole_objects(self):
        datas = {bytes([number]) * 2_000_000 for number in range(5)}
        self.put('same.png', bytes([0]) * 2_000_000)

        def write(number):
            try:
                self.put('same.png', bytes([number]) * 2_000_000)
            except (OSError, http.client.HTTPException):
                pass

        for delay in (0.005, 0.02, 0.05):
            with ThreadPoolExecutor(4) as pool:
                writers = [pool.submit(write, number) for number in range(1, 5)]
                time.sleep(delay)
                self.program.process.kill()
                for writer in writers:
                    writer.result()
            self.program.process.wait()
            self.program = Program('34_storage', '--port', '{port}', '--storage-directory',
                                   str(self.directory))
            self.program.__enter__()
            self.addCleanup(self.program.__exit__)
            self.assertIn(self.program.ask('GET', '/photos/same.png')[2], datas)

    def test_mistakes_are_reported_at_startup(self):
        ended = subprocess.run([BIN / '34_storage', '--storage-directory', '/nowhere/storage'],
                               capture_output=True, text=True, check=False, timeout=60)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn('Cannot create the storage directory /nowhere/storage', ended.stderr)
        shown = subprocess.run([BIN / '34_storage', '--help'], capture_output=True, text=True,
                               check=False, timeout=60).stdout
        for option in ('--storage-directory DIRECTORY', '--storage-s3-bucket NAME',
                       '--storage-s3-secret-key-file'):
            self.assertIn(option, shown)


class S3Server(StorageCases, unittest.TestCase):
    """A bucket of versitygw, which verifies each signature."""

    @classmethod
    def setUpClass(cls):
        program, reason = versitygw()
        if program is None:
            raise unittest.SkipTest(reason)
        cls.folder = tempfile.TemporaryDirectory(dir=ROOT / 'build')
        cls.addClassCleanup(cls.folder.cleanup)
        cls.bucket = Path(cls.folder.name, BUCKET)
        cls.bucket.mkdir()
        cls.port = free_port()
        cls.server = subprocess.Popen(
            [program, '--quiet', '--access', KEY, '--secret', SECRET, '--region', 'eu-test-1',
             '--port', f'127.0.0.1:{cls.port}', 'posix', cls.folder.name],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(cls.stop_server)
        until = time.monotonic() + START_SECONDS_MAX
        while True:
            try:
                socket.create_connection(('127.0.0.1', cls.port), timeout=1).close()
                return
            except OSError:
                if time.monotonic() > until or cls.server.poll() is not None:
                    raise
                time.sleep(0.05)

    @classmethod
    def stop_server(cls):
        cls.server.terminate()
        cls.server.wait(60)

    def start(self, secret=SECRET, **options):
        uploads = tempfile.TemporaryDirectory()
        self.addCleanup(uploads.cleanup)
        self.uploads = uploads.name
        self.prefix = f'{self.id()}/'
        given = {'endpoint': f'http://127.0.0.1:{self.port}', 'bucket': BUCKET,
                 'region': 'eu-test-1', 'access-key': KEY, 'prefix': self.prefix, **options}
        words = [word for name, value in given.items()
                 for word in (f'--storage-s3-{name}', value)]
        return Program('34_storage', '--port', '{port}', '--uploads-directory', uploads.name,
                       *words, environment={'PHOTOS_STORAGE_S3_SECRET_KEY': secret})

    def leftovers(self):
        """Returns the incomplete multipart uploads."""
        return [path for path in self.bucket.glob('.sgwtmp/multipart/*/*')]

    def test_wrong_settings_are_explained(self):
        for options, expected in (
                ({'secret': 'wrong'}, 'Check the secret key'),
                ({'access-key': 'nobody'}, 'access key'),
                ({'bucket': 'nowhere'}, 'Create the bucket')):
            with self.start(**options) as program:
                body, kind = multipart([], b'x')
                status, _, reply = program.ask('POST', '/photos', body, {'Content-Type': kind})
                self.assertEqual(status, 502)
                self.assertNotIn(b'S3', reply)
                self.assertIn(expected, program.said())


class SamePort(Program):
    """A program at a given port, also right after one that was killed there.

    The kernel ends the sockets of a killed process (io_uring) a moment after the process itself.
    """

    def __init__(self, port, *words):
        super().__init__('34_storage', '--port', str(port), *words)
        self.port = port

    def __enter__(self):
        deadline = time.monotonic() + START_SECONDS_MAX
        while not is_free(self.port):
            assert time.monotonic() < deadline, f'port {self.port} stays in use'
            time.sleep(0.01)
        super().__enter__()
        self.await_serving()
        return self


def is_free(port):
    """Returns whether a program can listen on the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(('127.0.0.1', port))
            probe.listen()
        except OSError:
            return False
        return True


def record_of(directory, url):
    """Returns the record of an upload; its key does not contain the ID of the URL."""
    return json.loads((Path(directory) / (url.rsplit('/', 1)[1] + '.json')).read_text())


class ResumableUploads(unittest.TestCase):
    """tus-js-client against a program with a local directory."""

    @classmethod
    def setUpClass(cls):
        if not shutil.which('npm') or not shutil.which('node'):
            raise unittest.SkipTest('npm and node run tus-js-client')
        cls.packages = make_packages(HERE / 'tus_client', 'tus-client')
        shutil.copy(HERE / 'tus_client/upload.mjs', cls.packages)

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.file = self.directory / 'file.bin'
        self.data = bytes_of(5 * MIB + 17, seed=7)
        self.file.write_bytes(self.data)
        self.port = free_port()

    def serve(self):
        return SamePort(self.port, '--storage-directory', str(self.directory / 'storage'))

    def upload(self, *words, wait=True):
        process = subprocess.Popen(
            ['node', 'upload.mjs', f'http://127.0.0.1:{self.port}/uploads', str(self.file), *words],
            cwd=self.packages, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        if not wait:
            return process
        out, error = process.communicate(timeout=CLIENT_SECONDS_MAX)
        self.assertEqual(process.returncode, 0, out + error)
        return json.loads(out)

    def check_stored(self, url):
        info = record_of(self.directory / 'storage/uploads', url)
        stored = self.directory / 'storage/objects' / info['key']
        self.assertEqual(digest(stored.read_bytes()[:len(self.data)]), digest(self.data))
        self.assertTrue(info['is_done'])
        self.assertEqual(info['filename'], 'grüße.bin')
        self.assertEqual(info['content_type'], 'application/x-test')

    def test_upload_in_one_part_and_in_many(self):
        with self.serve():
            for chunk in (100 * MIB, 1 * MIB, 300_001):
                result = self.upload(str(chunk))
                self.assertEqual(result['retries'], 0)
                self.check_stored(result['url'])

    def test_upload_is_resumed_after_a_restart(self):
        with self.serve() as program:
            begun = self.upload(str(MIB), str(2 * MIB))
            self.assertEqual(program.stop(), 0)
        with self.serve() as program:
            path = urllib.parse.urlsplit(begun['url']).path
            status, headers, _ = program.ask('HEAD', path, None, {'Tus-Resumable': '1.0.0'})
            self.assertEqual((status, headers['Upload-Offset']), (200, str(begun['accepted'])))
            result = self.upload(str(MIB), '0', begun['url'])
            self.assertEqual(result['url'], begun['url'])
            self.check_stored(begun['url'])

    def test_server_that_is_killed_again_and_again_loses_nothing(self):
        program = self.serve()
        program.__enter__()
        client = self.upload(str(200_000), wait=False)
        try:
            for _ in range(4):
                for line in client.stderr:
                    if line.startswith('accepted'):
                        break
                program.process.kill()
                program.__exit__()
                program = self.serve()
                program.__enter__()
            out, error = client.communicate(timeout=CLIENT_SECONDS_MAX)
            self.assertEqual(client.returncode, 0, out + error)
            self.check_stored(json.loads(out)['url'])
        finally:
            client.kill()
            client.wait()
            program.__exit__()

    def test_offset_is_right_after_kill_within_a_part(self):
        for sent in (1, 100_000, 3 * MIB):
            with self.serve() as program:
                headers = {'Tus-Resumable': '1.0.0', 'Upload-Length': str(len(self.data))}
                status, created, _ = program.ask('POST', '/uploads', None, headers)
                self.assertEqual(status, 201)
                path = created['Location']
                with program.connect() as connection:
                    connection.sendall(
                        f'PATCH {path} HTTP/1.1\r\nHost: a\r\nTus-Resumable: 1.0.0\r\n'
                        'Upload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\n'
                        f'Content-Length: {len(self.data)}\r\n\r\n'.encode())
                    connection.sendall(self.data[:sent])
                    time.sleep(0.2)
                    program.process.send_signal(signal.SIGKILL)
                    program.process.wait()
            with self.serve() as program:
                status, headers, _ = program.ask('HEAD', path, None, {'Tus-Resumable': '1.0.0'})
                offset = int(headers['Upload-Offset'])
                self.assertLessEqual(offset, sent)
                status, headers, reply = program.ask(
                    'PATCH', path, self.data[offset:],
                    {'Tus-Resumable': '1.0.0', 'Upload-Offset': str(offset),
                     'Content-Type': 'application/offset+octet-stream'})
                self.assertEqual((status, headers.get('Upload-Offset')),
                                 (204, str(len(self.data))), (reply, program.said()))
                info = record_of(self.directory / 'storage/uploads', path)
                stored = self.directory / 'storage/objects' / info['key']
                self.assertEqual(digest(stored.read_bytes()[:len(self.data)]), digest(self.data))

    def test_part_in_progress_locks_the_upload(self):
        with self.serve() as program:
            headers = {'Tus-Resumable': '1.0.0', 'Upload-Length': '10'}
            path = program.ask('POST', '/uploads', None, headers)[1]['Location']
            part = {'Tus-Resumable': '1.0.0', 'Upload-Offset': '0',
                    'Content-Type': 'application/offset+octet-stream'}
            with contextlib.ExitStack() as begun:
                connection, status = None, 0
                until = time.monotonic() + 30
                while status != 423 and time.monotonic() < until:
                    # A part that arrives while an empty one has the lock is rejected.
                    if connection is None or select.select([connection], [], [], 0)[0]:
                        connection = begun.enter_context(program.connect())
                        connection.sendall(
                            f'PATCH {path} HTTP/1.1\r\nHost: a\r\nTus-Resumable: 1.0.0\r\n'
                            'Upload-Offset: 0\r\nContent-Length: 10\r\n'
                            'Content-Type: application/offset+octet-stream\r\n\r\nabc'.encode())
                    status = program.ask('PATCH', path, b'', part)[0]
                self.assertEqual(status, 423)
                self.assertEqual(program.ask('DELETE', path, None,
                                             {'Tus-Resumable': '1.0.0'})[0], 423)
            # The client has disconnected: its lock is released, and the sent bytes remain.
            until = time.monotonic() + 30
            part['Upload-Offset'] = '3'
            while status == 423 and time.monotonic() < until:
                status = program.ask('PATCH', path, b'defghij', part)[0]
            self.assertEqual(status, 204)

    def test_terminated_upload_is_gone(self):
        with self.serve() as program:
            begun = self.upload(str(MIB), str(MIB))
            ended = subprocess.run(['node', 'upload.mjs', begun['url'], str(self.file), '1', '0',
                                    'terminate'], cwd=self.packages, check=False,
                                   capture_output=True, text=True, timeout=CLIENT_SECONDS_MAX)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            path = urllib.parse.urlsplit(begun['url']).path
            self.assertEqual(program.ask('HEAD', path, None, {'Tus-Resumable': '1.0.0'})[0], 404)
            self.assertEqual(list((self.directory / 'storage/uploads').iterdir()), [])


class ResumableUploadsToS3(S3Server):
    """An upload is complete in a directory first, and then in the bucket."""

    def test_upload_becomes_an_object_of_the_bucket(self):
        data = bytes_of(10 * MIB + 3)
        headers = {'Tus-Resumable': '1.0.0', 'Upload-Length': str(len(data)),
                   'Content-Type': 'application/offset+octet-stream'}
        status, created, reply = self.program.ask('POST', '/uploads', data, headers)
        self.assertEqual((status, created.get('Upload-Offset')), (201, str(len(data))), reply)
        key = record_of(self.uploads, created['Location'])['key']
        url = self.ticket('download-url', key=key)
        status, _, read = ask_url(self.program, 'GET', url)
        self.assertEqual((status, digest(read)), (200, digest(data)))


# The cases of the base class run once.
for _name in [name for name in dir(StorageCases) + dir(S3Server) if name.startswith('test_')]:
    if _name not in vars(ResumableUploadsToS3):
        setattr(ResumableUploadsToS3, _name, None)


if __name__ == '__main__':
    unittest.main()

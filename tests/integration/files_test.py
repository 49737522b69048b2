"""Static files with a real server and a real client: curl with the example 06_files.

Must not leave files, and must not read a large body into memory.
"""

import gzip
import os
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support import Program, receive_until

CURL_SECONDS_MAX = 60
GIBIBYTE = 1 << 30
MARK = b'resumed here'
# More than the server needs to notice a change: FilesOptions::recheck is 0.1 s.
RECHECK_SECONDS = 0.3
LONG_AGO = 784111777
UPS = ('..', '%2e%2e', '.%2e', '%252e%252e', '..%00', '..%5c', '..\\', '%c0%ae%c0%ae', '..;',
       '%uff0e%uff0e', '%ef%bc%8e%ef%bc%8e', '....', '%2e%2e%2f%2e%2e')
SLASHES = ('/', '%2f', '%5c', '\\', '//', '%252f', '%c0%af', '/./')


def curl(*arguments):
    """Returns exit status, headers and body of one call of curl."""
    with tempfile.NamedTemporaryFile() as body:
        ended = subprocess.run(['curl', '-sS', '-D', '-', '-o', body.name, *arguments],
                               capture_output=True, timeout=CURL_SECONDS_MAX, check=False)
        return ended.returncode, ended.stdout.decode('latin-1'), Path(body.name).read_bytes()


def status_of(head):
    """Returns the status in the last headers that curl received."""
    return int(re.findall(r'^HTTP/1\.1 (\d+)', head, re.MULTILINE)[-1])


def field_of(head, name):
    """Returns the value of a header, or None."""
    found = re.search(rf'^{name}: (.*?)\r?$', head, re.MULTILINE | re.IGNORECASE)
    return found and found.group(1)


class Files:
    """All tests share one server with one directory of old files."""

    backend = 'auto'

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.base = Path(directory.name)
        cls.text = b'0123456789' * 20000
        for name, data in (('root/index.html', b'<h1>home</h1>'), ('root/small.txt', b'small'),
                           ('root/large.txt', cls.text), ('root/assets/a.js', b'let a;'),
                           ('root/a.css', b'a' * 5000), ('root/a.css.br', b'b' * 50),
                           ('root/a.css.gz', b'g' * 60), ('root/docs/index.html', b'docs'),
                           ('root/.env', b'hidden'), ('secret', b'top secret')):
            cls.write(name, data)
        os.symlink('../secret', cls.base / 'root/outside')
        cls.program = Program('06_files', '--port', '{port}', '--threads', '2', '--backend',
                              cls.backend, environment={'FILES_ROOT': str(cls.base / 'root')})
        cls.enterClassContext(cls.program)

    @classmethod
    def write(cls, name, data):
        """Creates a file with an old modification time."""
        path = cls.base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (LONG_AGO, LONG_AGO))

    def get(self, path, *arguments):
        """Returns status, headers and body."""
        ended, head, body = curl(*arguments, f'http://127.0.0.1:{self.program.port}{path}')
        self.assertEqual(ended, 0, head)
        return status_of(head), head, body

    def test_files_come_whole(self):
        for path, wanted in (('/small.txt', b'small'), ('/large.txt', self.text),
                             ('/', b'<h1>home</h1>'), ('/docs/', b'docs')):
            with self.subTest(path):
                status, head, body = self.get(path)
                self.assertEqual((status, body), (200, wanted))
                self.assertEqual(field_of(head, 'Content-Length'), str(len(wanted)))

    def test_a_head_has_no_body(self):
        _, head, body = self.get('/large.txt', '-I')
        self.assertEqual(field_of(head, 'Content-Length'), str(len(self.text)))
        self.assertTrue(body == b'' or body.startswith(b'HTTP/1.1'))

    def test_curl_gets_ranges(self):
        for path, whole in (('/small.txt', b'small'), ('/large.txt', self.text)):
            for asked, wanted in (('0-1', whole[:2]), ('2-', whole[2:]), ('-3', whole[-3:])):
                with self.subTest(path, asked=asked):
                    status, head, body = self.get(path, '-r', asked)
                    self.assertEqual((status, body), (206, wanted))
                    self.assertTrue(field_of(head, 'Content-Range').endswith(f'/{len(whole)}'))

    def test_curl_gets_many_ranges(self):
        status, head, body = self.get('/large.txt', '-r', '0-4,100000-100004,-5')
        self.assertEqual(status, 206)
        boundary = field_of(head, 'Content-Type').partition('boundary=')[2].encode()
        parts = body.split(b'--' + boundary)
        self.assertEqual([part.split(b'\r\n\r\n')[-1] for part in parts[1:-1]],
                         [b'01234\r\n', b'01234\r\n', b'56789\r\n'])
        self.assertEqual((parts[0], parts[-1]), (b'', b'--\r\n'))

    def test_a_range_behind_the_end_is_refused(self):
        status, head, _ = self.get('/small.txt', '-r', '5-')
        self.assertEqual((status, field_of(head, 'Content-Range')), (416, 'bytes */5'))

    def test_if_range_decides(self):
        tag = field_of(self.get('/large.txt')[1], 'ETag')
        for validator, status in ((tag, 206), ('"other"', 200), ('W/' + tag, 200),
                                  ('Sun, 06 Nov 1994 08:49:37 GMT', 206),
                                  ('Sun, 06 Nov 1994 08:49:38 GMT', 200)):
            with self.subTest(validator):
                told, _, body = self.get('/large.txt', '-r', '0-9', '-H', f'If-Range: {validator}')
                self.assertEqual((told, len(body)), (status, 10 if status == 206 else 200000))

    def test_curl_keeps_what_has_not_changed(self):
        for path in ('/small.txt', '/large.txt'):
            tags = self.base / 'tags'
            tags.unlink(missing_ok=True)
            kept = ('--etag-save', str(tags), '--etag-compare', str(tags))
            self.assertEqual(self.get(path, *kept)[0], 200)
            status, _, body = self.get(path, *kept)
            self.assertEqual((status, body), (304, b''), path)
            self.assertEqual(self.get(path, '-z', 'Mon, 07 Nov 1994 08:49:37 GMT')[0], 304)

    def test_curl_resumes_a_gibibyte(self):
        huge = self.base / 'root/huge.bin'
        with open(huge, 'wb') as file:
            file.truncate(GIBIBYTE)
            file.seek(GIBIBYTE - 1000)
            file.write(MARK)
        got = self.base / 'got.bin'
        with open(got, 'wb') as file:
            file.truncate(GIBIBYTE - 5000)
        url = f'http://127.0.0.1:{self.program.port}/huge.bin'
        resumed = subprocess.run(['curl', '-sS', '-C', '-', '-o', str(got), url], check=False,
                                 timeout=CURL_SECONDS_MAX)
        self.assertEqual(resumed.returncode, 0)
        self.assertEqual(got.stat().st_size, GIBIBYTE)
        with open(got, 'rb') as file:
            file.seek(GIBIBYTE - 1000)
            self.assertEqual(file.read(len(MARK)), MARK)
        whole = subprocess.run(['curl', '-sS', '-o', '/dev/null', '-w', '%{size_download}', url],
                               capture_output=True, check=False, timeout=CURL_SECONDS_MAX)
        self.assertEqual((whole.returncode, whole.stdout), (0, str(GIBIBYTE).encode()))

    def test_the_sibling_that_the_client_takes_is_sent(self):
        for accept, coding, body in (('gzip, br', 'br', b'b' * 50), ('gzip', 'gzip', b'g' * 60),
                                     ('br;q=0.1, gzip', 'gzip', b'g' * 60),
                                     ('identity', None, b'a' * 5000)):
            with self.subTest(accept):
                told = self.get('/a.css', '-H', f'Accept-Encoding: {accept}')
                self.assertEqual((told[0], told[2]), (200, body))
                self.assertEqual(field_of(told[1], 'Content-Encoding'), coding)
                self.assertEqual(field_of(told[1], 'Content-Type'), 'text/css; charset=utf-8')
                self.assertEqual(field_of(told[1], 'Vary'), 'Accept-Encoding')

    def test_a_file_without_siblings_can_be_compressed_on_its_way(self):
        packed = self.get('/packed/large.txt', '-H', 'Accept-Encoding: gzip')
        self.assertEqual(field_of(packed[1], 'Content-Encoding'), 'gzip')
        self.assertEqual(gzip.decompress(packed[2]), self.text)
        tag = field_of(packed[1], 'ETag')
        self.assertTrue(tag.startswith('W/'), tag)
        self.assertEqual(self.get('/packed/large.txt', '-H', 'Accept-Encoding: gzip',
                                  '-H', f'If-None-Match: {tag}')[0], 304)
        part = self.get('/packed/large.txt', '-H', 'Accept-Encoding: gzip', '-r', '0-9')
        self.assertEqual((part[0], part[2]), (206, b'0123456789'))
        self.assertEqual(self.get('/packed/large.txt')[2], self.text)

    def test_a_change_is_seen(self):
        self.write('root/news.txt', b'one')
        self.assertEqual(self.get('/news.txt')[2], b'one')
        self.write('root/news.txt', b'two')
        time.sleep(RECHECK_SECONDS)
        self.assertEqual(self.get('/news.txt')[2], b'two')

    def test_copies_are_good_for_as_long_as_the_rules_say(self):
        for path, wanted in (('/assets/a.js', 'public, max-age=31536000, immutable'),
                             ('/small.txt', 'no-cache')):
            self.assertEqual(field_of(self.get(path)[1], 'Cache-Control'), wanted)

    def test_pages_fall_back_and_files_do_not(self):
        html = ('-H', 'Accept: text/html')
        self.assertEqual(self.get('/app/some/page', *html)[2], b'<h1>home</h1>')
        for path, arguments in (('/app/some/page', ()), ('/app/absent.js', html),
                                ('/some/page', html)):
            self.assertEqual(self.get(path, *arguments)[0], 404, path)

    def test_a_list_shows_what_may_be_seen(self):
        status, _, body = self.get('/downloads/')
        self.assertEqual(status, 200)
        self.assertIn(b'<a href="./docs/">docs/</a>', body)
        self.assertIn(b'large.txt', body)
        for hidden in (b'.env', b'outside', b'secret'):
            self.assertNotIn(hidden, body)

    def test_no_path_leads_out(self):
        url = f'http://127.0.0.1:{self.program.port}'
        paths = ['/outside', '/.env', '//etc/passwd', '/%2fetc/passwd', '/%2Fetc%2Fpasswd']
        for up in UPS:
            for slash in SLASHES:
                step = up + slash
                paths += [f'/{step}secret', f'/docs/{step}{step}secret', f'/app/{step}secret']
        for path in paths:
            _, head, body = curl('--path-as-is', '-g', url + path)
            self.assertIn(status_of(head), (400, 404), path)
            self.assertNotIn(b'secret', body, path)

    def test_a_redirect_stays_at_home_and_keeps_the_query(self):
        status, head, _ = self.get('/docs?a=b')
        self.assertEqual((status, field_of(head, 'Location')), (301, './docs/?a=b'))
        status, head, body = self.get('/docs?a=b', '-L')
        self.assertEqual((status, body), (200, b'docs'))
        self.assertIn(self.get('//docs', '--path-as-is')[0], (400, 404))

    def test_other_methods_are_refused(self):
        for method in ('PUT', 'POST', 'DELETE'):
            status, head, _ = self.get('/small.txt', '-X', method)
            self.assertEqual((status, field_of(head, 'Allow')), (405, 'GET, HEAD, OPTIONS'))

    def test_pipelined_requests_are_answered_in_order(self):
        ask = b'GET %s HTTP/1.1\r\nHost: x\r\n\r\n'
        with self.program.connect() as connection:
            connection.sendall(ask % b'/small.txt' + ask % b'/large.txt' + ask % b'/docs/')
            received = receive_until(connection, b'docs')
        self.assertEqual(received.count(b'HTTP/1.1 200 '), 3)
        self.assertIn(b'\r\n\r\nsmallHTTP/1.1', received)
        self.assertIn(b'\r\n\r\n' + self.text + b'HTTP/1.1', received)

    def test_a_file_that_shrinks_does_not_pass_for_whole(self):
        path = self.base / 'root/shrinking.bin'
        with open(path, 'wb') as file:
            file.truncate(256 << 20)
        os.utime(path, (LONG_AGO, LONG_AGO))
        with self.program.connect() as connection:
            connection.sendall(b'GET /shrinking.bin HTTP/1.1\r\nHost: x\r\n\r\n')
            received = len(connection.recv(65536))
            os.truncate(path, 1 << 20)
            while data := connection.recv(1 << 20):
                received += len(data)
        self.assertLess(received, 256 << 20)
        self.assertEqual(self.get('/small.txt')[2], b'small')


class FilesByEpoll(Files, unittest.TestCase):
    """With the backend that is always available."""

    backend = 'epoll'


class FilesByTheBestBackend(Files, unittest.TestCase):
    """With io_uring, if the kernel supports it."""


if __name__ == '__main__':
    unittest.main()

"""HTTP/2 with curl, nghttp and h2load, with prior knowledge.

Must not lose a byte: contents are compared.
"""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import http2_frames as h2
from support import Program

SECONDS_MAX = 60
PRIOR_KNOWLEDGE = '--http2-prior-knowledge'


def curl(server, path, *arguments, version=PRIOR_KNOWLEDGE):
    """Returns (status and version, content) of one request."""
    ended = subprocess.run(
        ['curl', '-sS', '-w', '%{stderr}%{http_code} %{http_version}', version, *arguments,
         f'http://127.0.0.1:{server.port}{path}'],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS_MAX, check=False)
    return ended.stderr.decode().strip(), ended.stdout


@unittest.skipUnless(shutil.which('curl') and shutil.which('h2load'), 'needs curl and h2load')
class Clients(unittest.TestCase):
    """One server, with a directory of files."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.data = os.urandom(3_000_001)
        (cls.folder / 'large.bin').write_bytes(cls.data)
        cls.server = Program('10_http2', '--port', '{port}', '--threads', '2',
                             environment={'HTTP2_FILES': folder.name})
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def content(self, path, *arguments):
        """Returns the content of a successful response."""
        status, content = curl(self.server, path, *arguments)
        self.assertEqual(status, '200 2', content[:200])
        return content

    def test_an_upgrade_in_the_clear_is_not_taken(self):
        """RFC 9113 removed the upgrade: the request gets a response over HTTP/1.1."""
        status, content = curl(self.server, '/hello/you', version='--http2')
        self.assertEqual((status, content), ('200 1.1', b'Hello you'))

    def test_handlers_of_every_kind(self):
        """Immediate, suspended and blocking handlers, with early hints, with cookies."""
        self.assertEqual(self.content('/'), b'Hello, whatever the version')
        self.assertEqual(self.content('/hello/you'), b'Hello you')
        self.assertEqual(self.content('/slow/30'), b'slept')
        self.assertEqual(self.content('/blocking'), b'from another thread')
        self.assertIn(b'HTTP/2', self.content('/page'))
        self.assertEqual(self.content('/cookies', '-b', 'a=1; b=2'), b'a=1; b=2')

    def test_contents_of_requests(self):
        """Collected for the handler, and read by it; larger than all windows."""
        data = self.data[:900_000]
        upload = self.folder / 'upload'
        upload.write_bytes(data)
        self.addCleanup(upload.unlink)
        _, content = curl(self.server, '/echo', '--data-binary', f'@{upload}')
        self.assertEqual(content, data)
        large = str(self.folder / 'large.bin')
        self.assertEqual(curl(self.server, '/measure', '--data-binary', f'@{large}')[1],
                         b'3000001')
        chunked = ('-H', 'Content-Length:', '-T', large, '-X', 'POST')
        self.assertEqual(curl(self.server, '/measure', *chunked)[1], b'3000001')

    def test_contents_of_answers(self):
        """From memory, generated while sending, and from files; larger than all windows."""
        self.assertEqual(self.content('/bytes/2000000'), b'b' * 2_000_000)
        self.assertEqual(self.content('/count/2000000'), b'x' * 2_000_000)
        self.assertEqual(hashlib.sha256(self.content('/files/large.bin')).digest(),
                         hashlib.sha256(self.data).digest())
        status, content = curl(self.server, '/files/large.bin', '-r', '1000-1999')
        self.assertEqual((status, content), ('206 2', self.data[1000:2000]))

    def test_an_answer_ahead_of_the_content(self):
        """A client with a too large body gets the reason."""
        status, _ = curl(self.server, '/echo', '--data-binary', f'@{self.folder / "large.bin"}')
        self.assertEqual(status, '413 2')

    def test_expectation(self):
        """100 Continue, for an accepted body."""
        ended = subprocess.run(
            ['curl', '-sv', PRIOR_KNOWLEDGE, '-H', 'Expect: 100-continue',
             '--expect100-timeout', '20', '-d', 'x', f'http://127.0.0.1:{self.server.port}/measure'],
            capture_output=True, timeout=SECONDS_MAX, check=False)
        self.assertIn(b'HTTP/2 100', ended.stderr)
        self.assertEqual(ended.stdout, b'1')

    def test_heads_alone(self):
        """HEAD has the length and no content."""
        status, head = curl(self.server, '/files/large.bin', '-I')
        self.assertEqual(status, '200 2')
        self.assertIn(b'content-length: 3000001', head)
        self.assertEqual(curl(self.server, '/count/9', '-I')[0], '200 2')

    def test_events_come_as_they_are_sent(self):
        """An endless stream."""
        with h2.Client(self.server.port) as client:
            client.send(h2.request(1, '/ticks'))
            frames = client.frames_until(
                lambda kind, _, __, payload: kind == h2.DATA and b'data: 3' in payload)
        self.assertGreaterEqual(len([one for one in frames if one[0] == h2.DATA]), 3)

    @unittest.skipUnless(shutil.which('nghttp'), 'needs nghttp')
    def test_trailers_both_ways(self):
        """Trailers after the content."""
        ended = subprocess.run(
            ['nghttp', '-v', '--trailer', 'checked: yes', '-d', self.folder / 'large.bin',
             f'http://127.0.0.1:{self.server.port}/measure'],
            capture_output=True, timeout=SECONDS_MAX, check=False)
        self.assertIn(b':status: 200', ended.stdout)
        self.assertIn(b'3000001', ended.stdout)
        ended = subprocess.run(
            ['nghttp', '-v', '-n', f'http://127.0.0.1:{self.server.port}/count/70000'],
            capture_output=True, timeout=SECONDS_MAX, check=False)
        self.assertIn(b'sent-bytes: 70000', ended.stdout)

    def load(self, *arguments):
        """Returns the output of h2load for a run without failures."""
        ended = subprocess.run(['h2load', *arguments], capture_output=True, timeout=SECONDS_MAX,
                               check=False, text=True)
        counts = re.search(r'requests: (\d+) total, .*?(\d+) succeeded, (\d+) failed',
                           ended.stdout)
        self.assertIsNotNone(counts, ended.stdout + ended.stderr)
        self.assertEqual(counts[1], counts[2], ended.stdout)
        return ended.stdout

    def test_load(self):
        """One and many streams on one and many connections."""
        url = f'http://127.0.0.1:{self.server.port}'
        for clients, streams in ((1, 1), (1, 100), (50, 1), (50, 100)):
            self.load('-n', '5000', '-c', str(clients), '-m', str(streams), f'{url}/')
        self.load('-n', '200', '-c', '4', '-m', '20', f'{url}/files/large.bin')
        self.load('-n', '500', '-c', '10', '-m', '10', f'{url}/count/300000')
        self.load('-n', '2000', '-c', '10', '-m', '50', f'{url}/slow/5')
        self.load('-n', '500', '-c', '5', '-m', '20', '-d', str(self.folder / 'large.bin'),
                  f'{url}/measure')


class Priorities(unittest.TestCase):
    """RFC 9218."""

    def test_the_urgent_answer_comes_first(self):
        """Two large responses wait for the same window."""
        with Program('10_http2', '--port', '{port}', '--threads', '1') as server:
            with h2.Client(server.port, opening=h2.PREFACE + h2.settings(_4=1 << 20)) as client:
                client.send(h2.request(1, '/bytes/300000', fields=[('priority', 'u=7')]))
                client.frames_until(lambda kind, _, stream, __: stream == 1 and kind == h2.DATA)
                client.send(h2.request(3, '/bytes/300000', fields=[('priority', 'u=0')]))
                client.frames_until(lambda kind, _, stream, __: stream == 3 and kind == h2.HEADERS)
                client.send(h2.window_update(0, 1 << 20))
                frames = client.frames_until(
                    lambda kind, flags, _, __: kind == h2.DATA and flags & h2.END_STREAM)
        self.assertEqual(frames[-1][2], 3)


class Drain(unittest.TestCase):
    """The server stops during requests."""

    def test_goaway_lets_requests_finish(self):
        """First a GOAWAY that rejects no stream, then the last one, then the end."""
        with Program('10_http2', '--port', '{port}', '--threads', '1') as server:
            with h2.Client(server.port) as client:
                client.send(h2.request(1, '/slow/700'))
                time.sleep(0.2)
                server.process.send_signal(signal.SIGTERM)
                frames = client.frames_until(lambda kind, *_: kind == h2.GOAWAY)
                self.assertEqual(int.from_bytes(frames[-1][3][:4], 'big'), 0x7FFFFFFF)
                pings = [payload for kind, _, __, payload in frames if kind == h2.PING]
                client.send(h2.request(3) + h2.frame(h2.PING, h2.ACK, 0, pings[0]))
                self.assertIn(b'Hello', client.content_of(3))
                self.assertEqual(client.content_of(1), b'slept')
                self.assertIsNone(client.next_frame())
            self.assertEqual(server.process.wait(SECONDS_MAX), 0)

    def test_nothing_is_lost_under_load(self):
        """Every request that was not rejected gets a response."""
        with Program('10_http2', '--port', '{port}', '--threads', '2') as server:
            stopping = threading.Timer(0.5, lambda: server.process.send_signal(signal.SIGTERM))
            stopping.start()
            ended = subprocess.run(['h2load', '-D', '2', '-c', '4', '-m', '10',
                                    f'http://127.0.0.1:{server.port}/'], capture_output=True,
                                   timeout=SECONDS_MAX, check=False, text=True)
            stopping.join()
            self.assertEqual(server.process.wait(SECONDS_MAX), 0)
        statuses = re.search(r'status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx',
                             ended.stdout)
        self.assertGreater(int(statuses[1]), 0)
        self.assertEqual(statuses.groups()[1:], ('0', '0', '0'))


if __name__ == '__main__':
    unittest.main()

"""eider bench with requests from a file, against a server that records requests.

Must not check figures that depend on the machine: only requests and counts.
"""

import json
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support import run_to_end


class Noting(ThreadingHTTPServer):
    """Records (method, path, headers, body) of every request, and responds with 204."""

    daemon_threads = True

    def __init__(self):
        self.seen = seen = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def note(self):
                body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
                seen.append((self.command, self.path, dict(self.headers), body))
                self.send_response(204)
                self.end_headers()

            do_GET = do_POST = do_PUT = do_DELETE = note

            def log_message(self, *_):
                pass

        super().__init__(('127.0.0.1', 0), Handler)
        self.origin = f'http://127.0.0.1:{self.server_port}'

    def __enter__(self):
        threading.Thread(target=self.serve_forever, kwargs={'poll_interval': 0.05},
                         daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Requests(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Noting())
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.file = Path(directory) / 'mix.jsonl'

    def ask(self, text, *arguments):
        """Runs the file sequentially; returns exit status and output."""
        self.file.write_text(text)
        return run_to_end('eider', 'bench', '--no-progress', '-c', '1', *arguments,
                          '--requests-file', str(self.file), self.server.origin)

    def test_objects_and_words_are_asked_in_turn(self):
        text = '\n'.join((
            '# two ways',
            json.dumps({'method': 'PUT', 'url': f'{self.server.origin}/a?b=c', 'body': 'text',
                        'headers': {'X-A': 'line', 'Content-Type': 'text/plain'}}),
            'DELETE /17',
            json.dumps({'path': '/notes', 'body': {'text': 'ä'}}),
            json.dumps({'path': '/'})))
        status, said = self.ask(text, '-n', '5', '-H', 'X-A: all', '-H', 'X-B: all')
        self.assertEqual(status, 0, said)
        self.assertEqual([(method, path, body) for method, path, _, body in self.server.seen],
                         [('PUT', '/a?b=c', b'text'), ('DELETE', '/17', b''),
                          ('POST', '/notes', '{"text":"ä"}'.encode()), ('GET', '/', b''),
                          ('PUT', '/a?b=c', b'text')])
        headers = [headers for _, _, headers, _ in self.server.seen]
        self.assertEqual([h['X-A'] for h in headers], ['line', 'all', 'all', 'all', 'line'])
        self.assertEqual({h['X-B'] for h in headers}, {'all'})
        self.assertEqual([h.get('Content-Type') for h in headers],
                         ['text/plain', None, 'application/json', None, 'text/plain'])

    def test_what_is_wrong_is_named_by_file_line_and_key(self):
        for line, key in (('{"path": "notes"}', 'path'),
                          ('{"path": "/", "hedaers": {}}', 'hedaers'),
                          ('{"path": "/", "headers": {"A B": "c"}}', 'headers/A B'),
                          ('{"url": "http://127.0.0.1:1/"}', 'url'),
                          ('{"path": "/", "method": 7}', 'method')):
            status, said = self.ask('GET /\n\n' + line + '\n', '-n', '3')
            self.assertEqual(status, 1, said)
            self.assertIn(f'{self.file}: line 3: key "{key}": ', said)
        status, said = self.ask('{"path": "/"', '-n', '3')
        self.assertEqual(status, 1, said)
        self.assertIn(f'{self.file}: line 1: ', said)
        self.assertEqual(self.server.seen, [])


if __name__ == '__main__':
    unittest.main()

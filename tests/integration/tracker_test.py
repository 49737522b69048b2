"""The tracker's webhook: each delivery is signed, and none waits for another.

Must not test other parts: arena/tracker/behaviour.py and tests/examples do.
"""

import base64
import hashlib
import hmac
import http.server
import json
import pathlib
import tempfile
import threading
import time
import unittest

from support import Program

SECRET = 'a secret'
WITHIN_SECONDS = 30
JSON = {'Content-Type': 'application/json'}


class Hook(http.server.BaseHTTPRequestHandler):
    """Responds to the first delivery only after another has arrived."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        code = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        self.server.are_signed &= self.headers['X-Hub-Signature-256'] == 'sha256=' + code
        when = self.headers['Webhook-Timestamp']
        signed = f'{self.headers["Webhook-Id"]}.{when}.'.encode() + body
        whole = hmac.new(SECRET.encode(), signed, hashlib.sha256).digest()
        self.server.are_signed &= (self.headers['Webhook-Signature']
                                   == 'v1,' + base64.b64encode(whole).decode())
        self.server.are_signed &= abs(int(when) - time.time()) < 300
        with self.server.changed:
            self.server.taken.append(int(self.headers['Webhook-Id']))
            self.server.changed.notify_all()
            self.server.is_side_by_side |= self.server.changed.wait_for(
                lambda: len(self.server.taken) > 1, WITHIN_SECONDS)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        """Logs nothing."""


class Webhook(unittest.TestCase):
    def test_deliveries_are_signed_and_do_not_wait_for_one_another(self):
        hook = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Hook)
        hook.taken, hook.changed = [], threading.Condition()
        hook.are_signed, hook.is_side_by_side = True, False
        threading.Thread(target=hook.serve_forever, daemon=True).start()
        self.addCleanup(hook.server_close)
        self.addCleanup(hook.shutdown)
        with tempfile.TemporaryDirectory() as folder:
            uploads = pathlib.Path(folder, 'uploads')
            uploads.mkdir()
            with Program('tracker', '--port', '{port}', '--database', f'{folder}/tracker.db',
                         '--uploads', str(uploads), '--webhook',
                         f'http://127.0.0.1:{hook.server_port}/hook',
                         environment={'TRACKER_WEBHOOK_SECRET': SECRET}) as tracker:
                told = {'name': 'ann', 'email': 'ann@example.org', 'password': 'correct horse'}
                status, fields, _ = tracker.ask('POST', '/api/signup', json.dumps(told), JSON)
                self.assertEqual(status, 201)
                cookie = {**JSON, 'Cookie': fields['Set-Cookie'].partition(';')[0]}
                for title in 'one', 'two':
                    made = tracker.ask('POST', '/api/issues', json.dumps({'title': title}), cookie)
                    self.assertEqual(made[0], 201)
                with hook.changed:
                    self.assertTrue(hook.changed.wait_for(lambda: len(hook.taken) > 1,
                                                          WITHIN_SECONDS))
        self.assertEqual((sorted(hook.taken[:2]), hook.are_signed, hook.is_side_by_side),
                         ([1, 2], True, True))


if __name__ == '__main__':
    unittest.main()

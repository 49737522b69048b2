"""The tracker's webhook: each delivery is signed, none waits for another, and each is a job.

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

from support import Program, run_to_end

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


class Busy(http.server.BaseHTTPRequestHandler):
    """Rejects the first delivery."""

    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length']))
        with self.server.changed:
            self.server.taken.append(int(self.headers['Webhook-Id']))
            self.send_response(503 if len(self.server.taken) == 1 else 204)
            self.server.changed.notify_all()
        self.end_headers()

    def log_message(self, *_):
        """Logs nothing."""


class Webhook(unittest.TestCase):
    def serve(self, handler):
        """Returns a receiver that runs until the end of the test."""
        hook = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
        hook.taken, hook.changed = [], threading.Condition()
        hook.are_signed, hook.is_side_by_side = True, False
        threading.Thread(target=hook.serve_forever, daemon=True).start()
        self.addCleanup(hook.server_close)
        self.addCleanup(hook.shutdown)
        return hook

    def start(self, hook):
        """Returns a tracker, and the headers of its user."""
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.database = f'{folder}/tracker.db'
        uploads = pathlib.Path(folder, 'uploads')
        uploads.mkdir()
        tracker = self.enterContext(
            Program('tracker', '--port', '{port}', '--database', self.database, '--uploads',
                    str(uploads), '--webhook', f'http://127.0.0.1:{hook.server_port}/hook',
                    environment={'TRACKER_WEBHOOK_SECRET': SECRET}))
        told = {'name': 'ann', 'email': 'ann@example.org', 'password': 'correct horse'}
        status, fields, _ = tracker.ask('POST', '/api/signup', json.dumps(told), JSON)
        self.assertEqual(status, 201)
        return tracker, {**JSON, 'Cookie': fields['Set-Cookie'].partition(';')[0]}

    def await_deliveries(self, hook, count):
        with hook.changed:
            self.assertTrue(hook.changed.wait_for(lambda: len(hook.taken) >= count,
                                                  WITHIN_SECONDS))

    def test_deliveries_are_signed_and_do_not_wait_for_one_another(self):
        hook = self.serve(Hook)
        tracker, cookie = self.start(hook)
        for title in 'one', 'two':
            made = tracker.ask('POST', '/api/issues', json.dumps({'title': title}), cookie)
            self.assertEqual(made[0], 201)
        self.await_deliveries(hook, 2)
        self.assertEqual((sorted(hook.taken[:2]), hook.are_signed, hook.is_side_by_side),
                         ([1, 2], True, True))

    def test_a_rejected_delivery_is_a_job_that_can_be_retried_by_hand(self):
        hook = self.serve(Busy)
        tracker, cookie = self.start(hook)
        made = tracker.ask('POST', '/api/issues', json.dumps({'title': 'one'}), cookie)
        self.assertEqual(made[0], 201)
        self.await_deliveries(hook, 1)
        self.await_jobs(lambda jobs: jobs and jobs[0]['state'] == 'scheduled')
        [job] = self.jobs()
        self.assertEqual((job['kind'], job['attempt']), ('webhook', 1))
        self.assertTrue(job['error'].endswith('status 503'), job['error'])
        self.assertEqual(self.eider('retry', str(job['id']))[0], 0)
        self.await_deliveries(hook, 2)
        self.assertEqual(hook.taken, [1, 1])
        self.await_jobs(lambda jobs: not jobs)

    def eider(self, *words):
        return run_to_end('eider', 'jobs', *words, '--database', self.database)

    def jobs(self):
        return json.loads(self.eider('list', '--queue', 'webhook', '--json')[1])

    def await_jobs(self, is_expected):
        deadline = time.monotonic() + WITHIN_SECONDS
        while not is_expected(self.jobs()):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)


if __name__ == '__main__':
    unittest.main()

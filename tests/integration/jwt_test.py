"""Tokens between a real server and PyJWT in both directions, and faulty issuers.

Must not wait without a limit; the pinned PyJWT is in build/jwt-venv.
"""

import json
import subprocess
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support import Program, make_environment

PROGRAM = '20_tokens'
SECRET = 'a-secret-that-is-as-long-as-the-longest-hash-' + 'x' * 40
ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA']
THEIRS = ['RS256', 'PS384', 'ES256', 'ES384', 'ES512', 'EdDSA']
SECONDS_MAX = 20
FLOOD_BYTES = 100 * 1000 * 1000


class Oracle:
    """A process of jwt_oracle.py."""

    def __init__(self):
        python = make_environment('jwt') / 'bin/python3'
        self.process = subprocess.Popen([python, '-B', Path(__file__).with_name('jwt_oracle.py')],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, what, **wish):
        """Returns its response."""
        self.process.stdin.write(json.dumps({'do': what, **wish}) + '\n')
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise AssertionError(f'the oracle refuses {wish}')
        return json.loads(answer)

    def close(self):
        """Ends it."""
        self.process.stdin.close()
        self.process.wait(SECONDS_MAX)
        self.process.stdout.close()


class Issuer(ThreadingHTTPServer):
    """Publishes a set of keys, in a selectable way."""

    daemon_threads = True

    def __init__(self, jwks):
        super().__init__(('127.0.0.1', 0), IssuerHandler)
        self.jwks = jwks
        self.manner = 'good'
        self.asked = 0
        self.sent = 0
        self.may_go = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        """The URL of the set."""
        return f'http://127.0.0.1:{self.server_port}/jwks'

    def end(self):
        """Releases waiting requests, and stops."""
        self.may_go.set()
        self.shutdown()
        self.server_close()


class IssuerHandler(BaseHTTPRequestHandler):
    def do_GET(self):
        issuer = self.server
        issuer.asked += 1
        if self.path == '/elsewhere':
            self.answer(200, json.dumps(issuer.jwks).encode())
        elif issuer.manner == 'hang':
            issuer.may_go.wait(SECONDS_MAX)
        elif issuer.manner == 'flood':
            self.flood()
        elif issuer.manner == 'redirect':
            self.send_response(302)
            self.send_header('Location', '/elsewhere')
            self.send_header('Content-Length', '0')
            self.end_headers()
        elif issuer.manner == 'fail':
            self.answer(500, b'{}')
        else:
            self.answer(200, json.dumps(issuer.jwks).encode())

    def answer(self, status, content):
        """Sends one whole response."""
        self.send_response(status)
        self.send_header('Content-Length', str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def flood(self):
        """Sends 100 MB of spaces before a set, as far as the client reads them."""
        self.send_response(200)
        self.send_header('Connection', 'close')
        self.end_headers()
        try:
            while self.server.sent < FLOOD_BYTES:
                self.wfile.write(b' ' * 65536)
                self.server.sent += 65536
        except OSError:
            pass

    def log_message(self, *_):
        pass


class Tokens(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.oracle = Oracle()
        cls.addClassCleanup(cls.oracle.close)

    def start(self, issuer=None):
        """Returns the program, with another issuer."""
        more = ['--jwks', issuer.url] if issuer else []
        program = Program(PROGRAM, '--port', '{port}', '--threads', '1', *more,
                          environment={'TOKENS_SECRET': SECRET})
        program.__enter__()
        self.addCleanup(program.__exit__, None, None, None)
        return program

    def make_issuer(self):
        """Returns an issuer with the oracle's keys."""
        issuer = Issuer(self.oracle.ask('jwks'))
        self.addCleanup(issuer.end)
        return issuer

    def token_of(self, algorithm, **claims):
        """Returns a token of the other issuer."""
        usual = {'iss': 'https://partner.example', 'aud': ['mail', 'notes'], 'sub': 'bob',
                 'role': 'guest', 'exp': int(time.time()) + 600}
        return self.oracle.ask('sign', alg=algorithm, claims={**usual, **claims})

    @staticmethod
    def ask(program, path, token):
        """Returns (status, headers, body)."""
        status, fields, body = program.ask('GET', path, None, {'Authorization': f'Bearer {token}'})
        return status, fields, body.decode()

    def status(self, program, token):
        """Returns the status for the other issuer's routes."""
        return self.ask(program, '/partner/me', token)[0]

    def test_pyjwt_reads_what_the_program_signs(self):
        program = self.start()
        jwks = json.loads(program.ask('GET', '/.well-known/jwks.json')[2])
        self.assertEqual(len(jwks['keys']), len(ALGORITHMS))
        self.assertFalse([key for key in jwks['keys'] if {'d', 'k', 'p'} & key.keys()])
        for algorithm in [*ALGORITHMS, 'HS256', 'HS384', 'HS512']:
            status, _, token = program.ask('POST', f'/token?alg={algorithm}',
                                           json.dumps({'name': 'ann', 'role': 'editor'}),
                                           {'Content-Type': 'application/json'})
            self.assertEqual(status, 200)
            by = {'secret': SECRET} if algorithm.startswith('HS') else {'jwks': jwks}
            claims = self.oracle.ask('check', token=token.decode(), alg=algorithm,
                                     audience='notes', issuer='https://id.example', **by)
            self.assertEqual((claims['sub'], claims['role']), ('ann', 'editor'))
            self.assertEqual(self.ask(program, '/me', token.decode())[0], 200)

    def test_the_program_reads_what_pyjwt_signs(self):
        program = self.start(self.make_issuer())
        for algorithm in THEIRS:
            answer = self.ask(program, '/partner/me', self.token_of(algorithm))
            self.assertEqual((answer[0], answer[2]), (200, 'bob is guest\n'), algorithm)
        for algorithm in ('HS256', 'HS384', 'HS512'):
            token = self.oracle.ask('sign', alg=algorithm, secret=SECRET,
                                    claims={'iss': 'https://id.example', 'aud': 'notes',
                                            'sub': 'bob', 'role': 'guest',
                                            'exp': int(time.time()) + 600})
            self.assertEqual(self.ask(program, '/me', token)[0], 200, algorithm)
        for wrong in ({'exp': 1}, {'nbf': int(time.time()) + 600}, {'aud': 'mail'}, {'iss': 'evil'},
                      {'role': 7}):
            status, fields, _ = self.ask(program, '/partner/me', self.token_of('ES256', **wrong))
            self.assertEqual(status, 401, wrong)
            self.assertIn('error="invalid_token"', fields['WWW-Authenticate'])
        forged = self.oracle.ask('sign', alg='HS256', secret='k' * 32, claims={
            'iss': 'https://partner.example', 'aud': 'notes', 'sub': 'bob', 'role': 'admin',
            'exp': int(time.time()) + 600})
        self.assertEqual(self.status(program, forged), 401, 'a secret of a published set')

    def test_an_issuer_that_misbehaves_is_asked_within_bounds(self):
        issuer = self.make_issuer()
        token = self.token_of('ES256')
        for manner in ('flood', 'redirect', 'fail'):
            issuer.manner = manner
            issuer.asked = 0
            program = self.start(issuer)
            status, fields, _ = self.ask(program, '/partner/me', token)
            self.assertEqual(status, 503, manner)
            self.assertIn('Retry-After', fields)
            self.assertEqual(issuer.asked, 1, manner)
            self.assertEqual(program.ask('GET', '/.well-known/jwks.json')[0], 200)
        self.assertLess(issuer.sent, FLOOD_BYTES / 2)

    def test_keys_serve_on_while_the_issuer_hangs_and_change_when_it_answers(self):
        issuer = self.make_issuer()
        whole = issuer.jwks
        issuer.jwks = {'keys': [key for key in whole['keys'] if key['kid'] == 'their-ES256']}
        program = self.start(issuer)
        self.assertEqual(self.status(program, self.token_of('ES256')), 200)
        issuer.manner = 'hang'
        time_over = time.monotonic() + 1.1
        while time.monotonic() < time_over:  # while pause_min prevents another request
            self.assertEqual(self.status(program, self.token_of('ES256')), 200)
        new = self.token_of('EdDSA')
        late = []
        waiting = threading.Thread(target=lambda: late.append(self.status(program, new)))
        waiting.start()
        while issuer.asked < 2:
            waiting.join(0.01)
            self.assertTrue(waiting.is_alive())
        for _ in range(20):
            self.assertEqual(self.status(program, self.token_of('ES256')), 200)
        waiting.join(SECONDS_MAX)
        self.assertEqual(late, [401])
        issuer.manner = 'good'
        issuer.jwks = whole
        deadline = time.monotonic() + SECONDS_MAX
        while self.status(program, new) != 200:
            self.assertLess(time.monotonic(), deadline)
        self.assertLess(issuer.asked, 10)


if __name__ == '__main__':
    unittest.main()

"""Middleware in a real server: addresses, limits and caches of real clients.

Must not repeat the unit tests of src/eider/web/middleware/.
"""

import json
import re
import subprocess
import unittest
import urllib.error
import urllib.request

from support import BIN, Program, free_port, run_to_end

PROGRAM = '15_middleware'
ANN = {'Authorization': 'Bearer ann-s-token'}
BOB = {'Authorization': 'Bearer bob-s-token'}
FORM = {'Content-Type': 'application/x-www-form-urlencoded'}


class Middleware(unittest.TestCase):
    def setUp(self):
        self.program = Program(PROGRAM, '--port', '{port}').__enter__()
        self.addCleanup(self.program.__exit__, None, None, None)

    def ask(self, method, path, fields=None, body=None):
        """Returns (status, headers by lower-case name, body as text)."""
        status, told, answer = self.program.ask(method, path, body, fields)
        return status, {name.lower(): value for name, value in told.items()}, answer.decode()

    def test_callers_are_known_and_have_rights(self):
        self.assertEqual(self.ask('GET', '/api/notes')[0], 401)
        self.assertEqual(self.ask('GET', '/api/notes', BOB)[2], 'notes of bob\n')
        self.assertEqual(self.ask('POST', '/api/notes', BOB, 'x')[0], 403)
        self.assertEqual(self.ask('POST', '/api/notes', ANN, 'x')[2], 'kept for ann\n')
        self.assertEqual(self.ask('POST', '/api/notes', ANN, 'x' * 65537)[0], 413)

    def test_one_caller_that_asks_too_often_is_refused_and_others_are_not(self):
        statuses = [self.ask('GET', '/api/notes', ANN)[0] for _ in range(110)]
        self.assertEqual(statuses.count(200) + statuses.count(429), 110)
        self.assertLess(statuses.count(200), 110)
        self.assertGreaterEqual(statuses.count(200), 100)
        self.assertEqual(self.ask('GET', '/api/notes', BOB)[0], 200)

    def test_a_form_is_taken_with_the_token_of_its_page(self):
        status, fields, page = self.ask('GET', '/')
        self.assertEqual(status, 200)
        nonce = re.search(r'nonce="([^"]+)"', page).group(1)
        self.assertIn(f"'nonce-{nonce}'", fields['content-security-policy'])
        token = re.search(r'name="csrf_token" value="([^"]+)"', page).group(1)
        cookie = {'Cookie': fields['set-cookie'].partition(';')[0]}
        sent = 'text=x&csrf_token=' + token.replace('+', '%2B').replace('/', '%2F')
        self.assertEqual(self.ask('POST', '/say', {**FORM, **cookie}, sent)[0], 200)
        self.assertEqual(self.ask('POST', '/say', {**FORM, **cookie}, 'text=x')[0], 403)
        self.assertEqual(self.ask('POST', '/say', {**FORM, **cookie, 'Origin': 'http://evil'},
                                  sent)[0], 403)

    def test_an_answer_is_made_once_for_many(self):
        first = self.ask('GET', '/news')
        again = self.ask('GET', '/news')
        self.assertEqual(first[2], again[2])
        self.assertNotIn('age', first[1])
        self.assertIn('age', again[1])

    def test_all_but_what_is_excepted_is_shut_for_maintenance(self):
        self.assertEqual(self.ask('POST', '/work', {'Content-Type': 'application/json'})[0], 204)
        self.assertEqual(self.ask('GET', '/news')[0], 503)
        self.assertEqual(self.ask('GET', '/livez')[2], '{"status":"ok","checks":{}}')
        self.assertEqual(self.ask('POST', '/work?_method=DELETE',
                                  {'Content-Type': 'application/json'})[0], 204)
        self.assertEqual(self.ask('GET', '/news')[0], 200)

    def test_hosts_and_slashes_are_sent_where_they_belong(self):
        self.assertEqual(self.ask('GET', '/livez', {'Host': 'evil.example'})[0], 421)
        status, fields, _ = self.ask('GET', '/livez/')
        self.assertEqual((status, fields['location']), (308, '/livez'))

    def test_requests_have_names_and_routes_are_listed(self):
        status, fields, _ = self.ask('GET', '/livez?a=b')
        self.assertEqual(status, 200)
        self.assertRegex(fields['x-request-id'], '^[0-9a-f]{16}$')
        status, said = run_to_end(PROGRAM, '--routes')
        self.assertEqual(status, 0)
        self.assertTrue(said.startswith('before routing: method_override\n'), said)
        self.assertRegex(said, r'POST /api/notes +allow_hosts > request_id > maintenance > '
                               r'concurrency_limit 1000 > redirect_slashes > cors > '
                               r'rate_limit 300/1m > bearer_auth > rate_limit 100/1m > '
                               r'require_scope write > timeout 5s > handler +64 KiB')


class Leaving(unittest.TestCase):
    def test_who_balances_hears_it_while_everybody_is_served(self):
        with Program(PROGRAM, '--port', '{port}', '--shutdown-delay-seconds', '60') as program:
            self.assertEqual(program.ask('GET', '/readyz')[0], 200)
            program.process.terminate()
            while program.ask('GET', '/readyz')[0] == 200:
                pass
            self.assertEqual(json.loads(program.ask('GET', '/readyz')[2])['status'], 'leaving')
            self.assertEqual(program.ask('GET', '/livez')[0], 200)

    def test_it_goes_on_where_nobody_reads_what_it_says(self):
        """As after `| tee log`, when tee has ended."""
        port = free_port()
        service = subprocess.Popen([BIN / PROGRAM, '--port', str(port)], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        self.addCleanup(service.wait)
        self.addCleanup(service.kill)
        self.assertIn(b'serves on', service.stdout.readline())
        service.stdout.close()
        for _ in range(2):  # one line of the log each
            with self.assertRaises(urllib.error.HTTPError):
                urllib.request.urlopen(f'http://127.0.0.1:{port}/nowhere', timeout=10)
        service.terminate()
        self.assertEqual(service.wait(10), 0)


if __name__ == '__main__':
    unittest.main()

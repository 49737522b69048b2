"""Passwords in a real server: a flood of logins is limited, and does not slow other clients down.

Must not measure times if it can count.
"""

import http.client
import json
import threading
import unittest

from support import ANSWER_SECONDS_MAX, Program

PROGRAM = '19_logins'
FLOODERS = 100
GETS = 300
SECONDS_OF_A_GET_MAX = 5


class Logins(unittest.TestCase):
    def setUp(self):
        self.program = Program(PROGRAM, '--port', '{port}', '--threads', '2').__enter__()
        self.addCleanup(self.program.__exit__, None, None, None)

    def post(self, path, name, password, address='192.0.2.1'):
        """Returns (status, headers, body)."""
        return self.program.ask('POST', path, json.dumps({'name': name, 'password': password}),
                                {'Content-Type': 'application/json', 'X-Forwarded-For': address})

    def counts(self):
        """Returns the counters of the password threads."""
        return json.loads(self.program.ask('GET', '/counts')[2])

    def test_the_right_password_alone_logs_in(self):
        self.assertEqual(self.post('/accounts', 'ann', 'correct horse')[0], 200)
        self.assertEqual(self.post('/login', 'ann', 'correct horse')[0], 200)
        wrong = self.post('/login', 'ann', 'wrong')
        nobody = self.post('/login', 'bob', 'correct horse')
        self.assertEqual((wrong[0], wrong[2]), (401, nobody[2]))
        self.assertEqual(nobody[0], 401)

    def test_guessing_is_slowed_down_and_the_owner_is_let_in_from_elsewhere(self):
        self.post('/accounts', 'ann', 'correct horse')
        answers = [self.post('/login', 'ann', 'wrong') for _ in range(8)]
        statuses = [status for status, _, _ in answers]
        self.assertEqual(statuses[:6], [401] * 6)
        self.assertIn(429, statuses[6:])
        late = next(fields for status, fields, _ in answers if status == 429)
        self.assertGreaterEqual(int(late['Retry-After']), 1)
        self.assertEqual(self.post('/login', 'ann', 'correct horse', '198.51.100.1')[0], 200)

    def test_who_leaves_takes_its_work_along(self):
        begun = self.counts()['started']
        body = json.dumps({'name': 'ann', 'password': 'wrong'}).encode()
        lines = ['POST /login HTTP/1.1', 'Host: x', 'Content-Type: application/json',
                 f'Content-Length: {len(body)}']
        connections = []
        for index in range(60):
            connection = self.program.connect()
            own = [*lines, f'X-Forwarded-For: 10.0.0.{index}', '', '']
            connection.sendall('\r\n'.join(own).encode() + body)
            connections.append(connection)
        for connection in connections:
            connection.close()
        self.assertEqual(self.program.ask('GET', '/')[0], 200)
        while self.counts()['queued']:
            pass
        counts = self.counts()
        self.assertLess(counts['started'] - begun, 60, counts)
        self.assertGreater(counts['abandoned'], 0, counts)

    def test_a_flood_of_logins_does_not_hold_up_other_requests(self):
        is_over = threading.Event()
        statuses = []
        floods = [threading.Thread(target=self._flood, args=(index, is_over, statuses))
                  for index in range(FLOODERS)]
        for flood in floods:
            flood.start()
        try:
            while 503 not in [status for status, _ in statuses]:
                self.assertTrue(any(flood.is_alive() for flood in floods))
            connection = http.client.HTTPConnection('127.0.0.1', self.program.port,
                                                    timeout=SECONDS_OF_A_GET_MAX)
            for _ in range(GETS):
                connection.request('GET', '/')
                reply = connection.getresponse()
                self.assertEqual((reply.status, len(reply.read()) > 0), (200, True))
            connection.close()
        finally:
            is_over.set()
            for flood in floods:
                flood.join()
        refused = [fields for status, fields in statuses if status == 503]
        self.assertTrue(all('Retry-After' in fields for fields in refused))
        self.assertEqual({status for status, _ in statuses} - {401, 503}, set())
        self.assertIn(401, [status for status, _ in statuses])

    def _flood(self, index, is_over, statuses):
        """Sends logins one after the other, each with its own address and account."""
        connection = http.client.HTTPConnection('127.0.0.1', self.program.port,
                                                timeout=ANSWER_SECONDS_MAX)
        number = 0
        while not is_over.is_set():
            number += 1
            connection.request('POST', '/login',
                               json.dumps({'name': f'{index}-{number}', 'password': 'x'}),
                               {'Content-Type': 'application/json',
                                'X-Forwarded-For': f'10.{index}.{number // 250}.{number % 250}'})
            reply = connection.getresponse()
            reply.read()
            statuses.append((reply.status, dict(reply.getheaders())))
        connection.close()


if __name__ == '__main__':
    unittest.main()

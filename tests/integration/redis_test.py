"""A service with Redis: stored data, live events, and the effect of restarts.

Must not use internals of the service: only responses and the contents of Redis count.
"""

import http.client
import json
import signal
import unittest

from redis_support import RedisServer
from support import Program

PROGRAM = '27_redis'
PASSWORD = 'a-secret-of-the-run'
JSON = {'Content-Type': 'application/json'}


class Redis(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(RedisServer(PASSWORD))
        self.program = self.enterContext(Program(PROGRAM, '--port', '{port}', '--threads', '2',
                                                 environment={'REDIS': self.server.url}))

    def add(self, name, url='https://example.org/'):
        body = json.dumps({'url': url, 'owner': 'ada'})
        return self.program.ask('POST', f'/links/{name}', body, JSON)[0]

    def visit(self, name):
        """Returns (status, response)."""
        status, _, body = self.program.ask('GET', f'/links/{name}')
        return status, json.loads(body)

    def test_it_keeps_what_it_is_given_and_counts(self):
        self.assertEqual(self.add('home'), 201)
        self.assertEqual(self.add('home', 'https://other.example/'), 409)
        for count in (1, 2, 3):
            self.assertEqual(self.visit('home'), (200, {'url': 'https://example.org/',
                                                        'owner': 'ada', 'visits': count}))
        self.assertEqual(self.visit('none')[0], 404)
        self.assertEqual(json.loads(self.program.ask('GET', '/links')[2]),
                         [{'name': 'home', 'visits': 3}])

    def test_visits_are_told_as_they_come_and_a_gap_behind_a_restart(self):
        self.add('home')
        line = http.client.HTTPConnection('127.0.0.1', self.program.port, timeout=20)
        self.addCleanup(line.close)
        line.request('GET', '/visits')
        stream = line.getresponse()
        while b':1' not in self.server.ask('PUBSUB NUMSUB visits'):
            pass
        self.visit('home')
        self.assertEqual(self.event(stream), ('visit', 'home'))
        self.server.stop(signal.SIGKILL)
        self.server.start()
        while b':1' not in self.server.ask('PUBSUB NUMSUB visits'):
            pass
        self.visit('home')
        for expected in (('missed', ''), ('missed', ''), ('visit', 'home')):  # lost, restored
            self.assertEqual(self.event(stream), expected)

    @staticmethod
    def event(stream):
        """Returns (name, data) of the next event; comments are skipped."""
        fields = {}
        while 'data' not in fields:
            name, _, value = stream.readline().decode().rstrip('\n').partition(':')
            fields[name] = value.strip()
        return fields['event'], fields['data']

    def test_it_goes_on_behind_a_restart_of_its_server(self):
        self.add('home')
        self.visit('home')
        self.server.stop()
        self.server.start()
        self.assertEqual(self.visit('home')[1]['visits'], 2)

    def test_without_its_server_it_answers_503_and_tells_nobody_its_password(self):
        self.server.stop()
        status, problem = self.visit('home')
        self.assertEqual(status, 503)
        self.assertNotIn(str(self.server.port), json.dumps(problem))
        self.server.start()
        self.assertEqual(self.visit('home')[0], 404)
        self.assertEqual(self.program.stop(), 0)
        self.assertNotIn(PASSWORD, self.program.said())


if __name__ == '__main__':
    unittest.main()

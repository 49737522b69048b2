"""The code of the migration guides behaves as the guides describe."""

import asyncio
import json
import sys
import tempfile
import unittest
from pathlib import Path

from support import Program

try:
    import websockets
except ImportError:  # not Debian's python3, which has the package
    sys.path.append('/usr/lib/python3/dist-packages')
    import websockets

JSON = {'Content-Type': 'application/json'}
FORM = ('--x\r\nContent-Disposition: form-data; name="f"; filename="../a b.txt"\r\n\r\n'
        'four\r\n--x--\r\n')


class ComingFrom(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        files = cls.enterClassContext(tempfile.TemporaryDirectory())
        Path(files, 'a.txt').write_text('of the disk')
        cls.service = cls.enterClassContext(
            Program('32_coming_from', '--port', '{port}', '--files', files))

    def ask(self, *request):
        """Returns status, headers and text."""
        status, headers, body = self.service.ask(*request)
        return status, headers, body.decode()

    def test_routes_and_queries(self):
        for path, status, holds in (('/', 200, 'Hello world'),
                                    ('/hello/Ada?times=2', 200, 'Hello Ada\nHello Ada\n'),
                                    ('/hello/Ada?times=10', 400, 'times'),
                                    ('/files/a/b/c', 200, 'a/b/c'),
                                    ('/page', 200, '<h1>Hello</h1>'),
                                    ('/teapot', 418, 'short and stout'),
                                    ('/agent', 200, 'unknown'),
                                    ('/hash/6', 200, '42'),
                                    ('/static/a.txt', 200, 'of the disk')):
            with self.subTest(path):
                told, _, text = self.ask('GET', path)
                self.assertEqual(told, status, text)
                self.assertIn(holds, text)
        self.assertEqual(self.ask('GET', '/old')[1]['Location'], '/page')

    def test_notes_are_kept_and_checked(self):
        status, _, text = self.ask('POST', '/api/notes', json.dumps({'title': 'Milk'}), JSON)
        note = json.loads(text)
        self.assertEqual((status, note['title'], note['done']), (201, 'Milk', False))
        where = f'/api/notes/{note["id"]}'
        self.assertEqual(json.loads(self.ask('GET', where)[2]), note)
        self.assertIn(note, json.loads(self.ask('GET', '/api/notes')[2]))
        self.assertEqual(self.ask('DELETE', where)[0], 204)
        self.assertEqual(self.ask('DELETE', where)[0], 404)
        self.assertEqual(self.ask('GET', where)[0], 404)
        status, _, text = self.ask('POST', '/api/notes', '{"title":""}', JSON)
        self.assertEqual(status, 422)
        self.assertIn('"/title"', text)

    def test_what_stands_around(self):
        status, headers, _ = self.ask('GET', '/nowhere')
        self.assertEqual((status, headers['X-Powered-By']), (404, 'a duck'))
        self.assertTrue(self.ask('GET', '/slow')[1]['Server-Timing'].startswith('all;dur='))
        self.assertIn('RateLimit', self.ask('GET', '/api/notes')[1])

    def test_cookies_and_sessions(self):
        self.assertEqual(self.ask('GET', '/theme')[2], 'light')
        cookie = self.ask('POST', '/theme/dark')[1]['Set-Cookie'].split(';')[0]
        self.assertEqual(self.ask('GET', '/theme', None, {'Cookie': cookie})[2], 'dark')
        _, headers, first = self.ask('GET', '/visits')
        cookie = headers['Set-Cookie'].split(';')[0]
        again = self.ask('GET', '/visits', None, {'Cookie': cookie})[2]
        self.assertEqual((first, again), ('1', '2'))

    def test_uploads_and_sockets(self):
        status, _, text = self.ask('POST', '/upload', FORM,
                                   {'Content-Type': 'multipart/form-data; boundary=x'})
        self.assertEqual((status, json.loads(text)[0]['bytes']), (200, 4))
        self.assertNotIn('/', json.loads(text)[0]['name'])
        asyncio.run(asyncio.wait_for(self.meet(), 60))

    async def meet(self):
        """Two clients in a room get each other's messages."""
        room = f'ws://127.0.0.1:{self.service.port}/rooms/tea'
        async with websockets.connect(room) as ada, websockets.connect(room) as ben:
            await ben.send('kettle')
            self.assertEqual(await ben.recv(), 'kettle')
            await ada.send('tea')
            self.assertEqual(await ben.recv(), 'tea')

    def test_others_that_are_not_there_are_a_502(self):
        self.assertEqual(self.ask('GET', '/other')[0], 502)


if __name__ == '__main__':
    unittest.main()

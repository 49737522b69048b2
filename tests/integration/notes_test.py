"""The notes example as a process: its command line, its API, its pages.

Must not test what outlives a process: notes_durability_test.py does.
"""

import json
import unittest
import urllib.parse

from postgres_support import PostgresServer
from support import NotesCase, Program, run_to_end, token_of

JSON = {'Content-Type': 'application/json'}
FORM = {'Content-Type': 'application/x-www-form-urlencoded'}


def add(notes, title, **more):
    """Posts a note; returns (status, response)."""
    body = json.dumps({'title': title, 'body': 'text', **more})
    status, headers, answer = notes.ask('POST', '/api/v1/notes', body, JSON)
    return status, headers, json.loads(answer)


def titles(notes, page=1, per_page=100):
    """Returns the titles of one page, and the number of all notes."""
    status, _, body = notes.ask('GET', f'/api/v1/notes?page={page}&per_page={per_page}')
    assert status == 200, body
    listing = json.loads(body)
    return [note['title'] for note in listing['notes']], listing['total']


class Api(NotesCase):
    def test_a_note_is_written_read_changed_and_removed(self):
        with self.start() as notes:
            status, headers, note = add(notes, 'one', stars=3)
            self.assertEqual(status, 201)
            self.assertEqual(headers['Location'], f'/api/v1/notes/{note["id"]}')
            path = headers['Location']
            self.assertEqual(json.loads(notes.ask('GET', path)[2]), note)
            status, _, body = notes.ask('PUT', path, json.dumps({'title': 'two', 'body': ''}), JSON)
            self.assertEqual((status, json.loads(body)['title']), (200, 'two'))
            self.assertIn(notes.ask('DELETE', path)[0], (200, 204))
            for method in ('GET', 'DELETE'):
                self.assertEqual(notes.ask(method, path)[0], 404)

    def test_pages_hold_what_was_asked_for(self):
        with self.start() as notes:
            for number in range(7):
                add(notes, f'note {number}')
            seen = [titles(notes, page, 3) for page in (1, 2, 3, 4)]
            self.assertEqual([len(names) for names, _ in seen], [3, 3, 1, 0])
            self.assertEqual({total for _, total in seen}, {7})
            self.assertEqual(len({name for names, _ in seen for name in names}), 7)

    def test_what_is_wrong_with_a_note_is_named(self):
        cases = [({'title': '', 'body': ''}, '/title'), ({'body': ''}, '/title'),
                 ({'title': 'x' * 201, 'body': ''}, '/title'),
                 ({'title': 'x', 'body': '', 'stars': 6}, '/stars'),
                 ({'title': 'x', 'body': 1}, '/body'),
                 ({'title': 'x', 'body': '', 'colour': 'red'}, '/colour')]
        with self.start() as notes:
            for body, pointer in cases:
                with self.subTest(pointer=pointer, body=body):
                    status, headers, answer = notes.ask('POST', '/api/v1/notes', json.dumps(body),
                                                        JSON)
                    self.assertEqual(status, 422)
                    self.assertEqual(headers['Content-Type'], 'application/problem+json')
                    self.assertIn(pointer, [error['pointer']
                                            for error in json.loads(answer)['errors']])
            for query in ('page=0', 'per_page=101', 'page=x'):
                self.assertIn(notes.ask('GET', '/api/v1/notes?' + query)[0], (400, 422), query)
            self.assertEqual(titles(notes), ([], 0))


class ApiOverPostgres(Api):
    """The same, with one option."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(PostgresServer())

    def start(self):
        self.server.ask('set client_min_messages = error; drop schema public cascade; '
                        'create schema public')
        return Program('notes', '--port', '{port}', '--threads', '2',
                       environment={'NOTES_DATABASE': self.server.where})


class Pages(NotesCase):
    def test_a_form_adds_a_note_that_the_page_shows_escaped(self):
        with self.start() as notes:
            title = '<script>alert("1")</script> & more'
            token, cookie = token_of(notes)
            form = urllib.parse.urlencode({'title': title, 'body': 'b', 'stars': '2', **token})
            status, headers, _ = notes.ask('POST', '/notes', form, {**FORM, **cookie})
            self.assertEqual(status, 303)
            self.assertTrue(headers['Location'].startswith('/'))
            status, headers, page = notes.ask('GET', '/')
            self.assertEqual(status, 200)
            self.assertTrue(headers['Content-Type'].startswith('text/html'))
            self.assertNotIn(b'<script>alert', page)
            self.assertIn(b'&lt;script&gt;alert', page)

    def test_another_site_cannot_write(self):
        with self.start() as notes:
            token, cookie = token_of(notes)
            form = urllib.parse.urlencode({'title': 'x', 'body': '', 'stars': '0', **token})
            # To a service without TLS, browsers send only Origin.
            for source in ({'Sec-Fetch-Site': 'cross-site'}, {'Origin': 'http://evil.example'},
                           {'Origin': 'null'}):
                told, _, _ = notes.ask('POST', '/notes', form, {**FORM, **cookie, **source})
                self.assertEqual(told, 403, source)
            self.assertEqual(titles(notes), ([], 0))
            own = {'Origin': f'http://127.0.0.1:{notes.port}'}
            self.assertEqual(notes.ask('POST', '/notes', form, {**FORM, **own})[0], 403)
            self.assertEqual(titles(notes), ([], 0))
            self.assertEqual(notes.ask('POST', '/notes', form, {**FORM, **cookie, **own})[0], 303)

    def test_a_name_that_was_made_to_lead_here_is_not_answered(self):
        with self.start() as notes:
            token, cookie = token_of(notes)
            form = urllib.parse.urlencode({'title': 'x', 'body': '', 'stars': '0', **token})
            rebound = {**cookie, 'Host': f'rebind.example:{notes.port}',
                       'Sec-Fetch-Site': 'same-origin'}
            self.assertEqual(notes.ask('POST', '/notes', form, {**FORM, **rebound})[0], 421)
            self.assertEqual(notes.ask('GET', '/api/v1/notes', None, rebound)[0], 421)
            self.assertEqual(titles(notes), ([], 0))

    def test_no_other_site_can_put_the_pages_into_a_frame(self):
        with self.start() as notes:
            _, headers, _ = notes.ask('GET', '/')
            self.assertIn("frame-ancestors 'none'", headers['Content-Security-Policy'])

    def test_the_counter_counts(self):
        with self.start() as notes:
            before = json.loads(notes.ask('GET', '/requests')[2])['requests']
            for _ in range(5):
                notes.ask('GET', '/')
            self.assertEqual(json.loads(notes.ask('GET', '/requests')[2])['requests'], before + 5)


class CommandLine(NotesCase):
    def test_what_serves_nothing_leaves_the_database_alone(self):
        for options, expected, said in ((['--help'], 0, '--port'), (['--port', 'x'], 2, '--port'),
                                        (['--colour'], 2, '--colour'), (['extra'], 2, 'extra')):
            with self.subTest(options=options):
                status, text = run_to_end('notes', *options,
                                          environment={'NOTES_DATABASE_FILE': str(self.database)})
                self.assertEqual(status, expected, text)
                self.assertIn(said, text)
                self.assertFalse(self.database.exists())

    def test_a_database_that_cannot_be_opened_is_named(self):
        nowhere = str(self.database / 'below' / 'notes.db')
        status, text = run_to_end('notes', environment={'NOTES_DATABASE_FILE': nowhere})
        self.assertEqual(status, 1)
        self.assertIn(nowhere, text)


if __name__ == '__main__':
    unittest.main()

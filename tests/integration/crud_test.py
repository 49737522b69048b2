"""A resource of records over HTTP: the results of races, counted, and its document.

Must not use internals of the service: only its responses count.
"""

import json
import os
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mariadb_support import MariadbServer
from postgres_support import PostgresServer
from support import Program, make_environment

PROGRAM = '28_crud'
JSON = {'Content-Type': 'application/json'}
PATCH = 'application/merge-patch+json'
CLIENTS = 8
ROUNDS = 12


class Crud:
    """The same tests for each database."""

    def make(self, title, year=None):
        return self.program.ask('POST', '/books', json.dumps({'title': title, 'year': year}), JSON)

    def patch(self, number, change, tag):
        status, headers, body = self.program.ask(
            'PATCH', f'/books/{number}', json.dumps(change),
            {'Content-Type': PATCH, 'If-Match': tag})
        return status, headers.get('ETag'), json.loads(body)

    def together(self, ask):
        with ThreadPoolExecutor(CLIENTS) as pool:
            return list(pool.map(ask, range(CLIENTS)))

    def test_of_patches_of_one_state_one_is_done(self):
        self.assertEqual(self.make('Emma', 2100)[1]['Location'], '/books/1')
        for version in range(ROUNDS):
            answers = self.together(
                lambda i, to=version: self.patch(1, {'year': CLIENTS * to + i}, f'"{to}"'))
            done = [body['year'] for status, _, body in answers if status == 200]
            self.assertEqual(len(done), 1, answers)
            self.assertEqual([status for status, _, _ in answers].count(412), CLIENTS - 1)
            _, headers, body = self.program.ask('GET', '/books/1')
            self.assertEqual((headers['ETag'], json.loads(body)['year']),
                             (f'"{version + 1}"', done[0]))

    def test_no_increment_is_lost_by_those_who_try_again(self):
        self.make('Emma', 0)

        def add_three(_):
            for _ in range(3):
                status = 412
                while status == 412:
                    _, headers, body = self.program.ask('GET', '/books/1')
                    change = {'year': json.loads(body)['year'] + 1}
                    status, _, _ = self.patch(1, change, headers['ETag'])
                self.assertEqual(status, 200)

        self.together(add_three)
        self.assertEqual(json.loads(self.program.ask('GET', '/books/1')[2])['year'], 3 * CLIENTS)

    def test_of_removals_and_of_equal_titles_one_is_done(self):
        made = self.together(lambda _: self.make('Emma'))
        self.assertEqual(sorted(status for status, _, _ in made), [201] + [422] * (CLIENTS - 1))
        number = json.loads(next(body for status, _, body in made if status == 201))['id']
        gone = self.together(lambda _: self.program.ask('DELETE', f'/books/{number}')[0])
        self.assertEqual(sorted(gone), [204] + [404] * (CLIENTS - 1))

    def test_lists_take_no_sql(self):
        self.make('Emma', 1815)
        for query in ('sort=id', 'sort=title;drop+table+books', "title_contains='+or+1=1+--",
                      'year_min=0)+or+(1=1', 'page=99999999999999999999', 'per_page=101'):
            status, _, body = self.program.ask('GET', f'/books?{query}')
            self.assertTrue(status == 400 or json.loads(body)['total'] == 0, (query, status, body))
        self.assertEqual(json.loads(self.program.ask('GET', '/books')[2])['total'], 1)


class OverPostgres(Crud, unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(PostgresServer())
        self.program = self.enterContext(Program(PROGRAM, '--port', '{port}', '--threads', '2',
                                                 environment={'DATABASE': self.server.where}))

    def test_a_number_that_no_key_can_be_is_no_record(self):
        self.make('Emma')
        self.server.ask('alter table books alter id type int')
        for method in ('GET', 'DELETE'):
            self.assertEqual(self.program.ask(method, '/books/9999999999')[0], 404, method)
        self.assertEqual(self.patch(9999999999, {'title': 'Persuasion'}, '*')[0], 404)
        self.assertEqual(self.program.ask('GET', '/books/1')[0], 200)

    def test_what_the_database_cannot_hold_is_an_error_of_the_client(self):
        self.make('Emma')
        status, _, body = self.make('a\0b')
        self.assertEqual((status, json.loads(body)['errors'][0]['pointer']), (422, '/title'), body)
        status, _, problem = self.patch(1, {'title': 'a\0b'}, '*')
        self.assertEqual((status, problem['errors'][0]['pointer']), (422, '/title'), problem)
        status, _, body = self.program.ask('GET', '/books?title_contains=%00')
        self.assertEqual(status, 400, body)
        self.assertEqual(json.loads(body)['errors'][0]['pointer'], 'title_contains', body)


class OverMariadb(Crud, unittest.TestCase):
    def setUp(self):
        server = self.enterContext(MariadbServer())
        self.program = self.enterContext(Program(PROGRAM, '--port', '{port}', '--threads', '2',
                                                 environment={'DATABASE': server.where}))


class OverSqlite(Crud, unittest.TestCase):
    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        database = {'SQLITE': os.fspath(Path(directory, 'books.db'))}
        self.program = self.enterContext(Program(PROGRAM, '--port', '{port}', '--threads', '2',
                                                 environment=database))

    def test_the_document_is_valid(self):
        version = f'python{sys.version_info.major}.{sys.version_info.minor}'
        packages = make_environment('openapi') / 'lib' / version / 'site-packages'
        sys.path.insert(0, os.fspath(packages))
        from openapi_spec_validator import OpenAPIV31SpecValidator
        document = json.loads(self.program.ask('GET', '/openapi.json')[2])
        self.assertEqual([str(error) for error in OpenAPIV31SpecValidator(document).iter_errors()],
                         [])
        self.assertEqual(sorted(document['paths']['/books']), ['get', 'post'])
        self.assertEqual(sorted(document['paths']['/books/{id}']), ['delete', 'get', 'patch'])


if __name__ == '__main__':
    unittest.main()

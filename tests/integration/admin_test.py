"""Admin pages of two processes over one database: SQLite, PostgreSQL and MariaDB.

Concurrent changes are not lost, and each change has its entry in the audit log, also if a process
is killed.
"""

import concurrent.futures
import html
import re
import shutil
import sqlite3
import tempfile
import threading
import time
import unittest
import urllib.parse
from pathlib import Path

from mariadb_support import MariadbServer
from postgres_support import PostgresServer
from support import Program

TABLES = """
create table authors(id {key}, name varchar(100) not null unique);
create table books(id {key}, title varchar(100) not null, genre varchar(20) not null,
  stock int not null, in_print {boolean} not null, weight {real} not null, printed {time},
  author_id bigint, version int not null default 1,
  foreign key(author_id) references authors(id) on delete set null);
create table reviews(id {key}, book_id bigint not null, text varchar(100) not null,
  foreign key(book_id) references books(id) on delete cascade);
create table loans(id {key}, book_id bigint not null, foreign key(book_id) references books(id));
"""
BOOK = {'title': 'Salt', 'genre': 'novel', 'stock': '5', 'in_print': 'on', 'weight': '0.5',
        'printed': '2026-11-29T12:00:00Z', 'author_id': '1'}
CLIENTS = 4
ROUNDS = 10


def seen_in(page):
    """Returns the version of the record in a form."""
    return re.search(r'name="_seen" value="([^"]*)"', page).group(1)


class AdminTest:
    """The same tests on each database."""

    def setUp(self):
        self.directory = self.enterContext(tempfile.TemporaryDirectory())
        self.prepare()
        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            self.programs = list(threads.map(lambda _: self.start(), range(2)))
        for program in self.programs:
            self.addCleanup(program.__exit__)

    def start(self):
        program = Program('admin_app', '--port', '{port}', '--threads', '1', '--database',
                          self.where)
        program.__enter__()
        return program

    def get(self, path, at=0):
        status, _, body = self.programs[at].ask('GET', path, headers={'X-User': 'ann'})
        return status, body.decode()

    def post(self, path, form, at=0):
        fields = {'X-User': f'user{at}', 'Content-Type': 'application/x-www-form-urlencoded'}
        status, headers, body = self.programs[at].ask(
            'POST', path, urllib.parse.urlencode(form, doseq=True), fields)
        return status, headers.get('Location', ''), body.decode()

    def create(self, path, **form):
        status, location, body = self.post(path + '/new', form)
        self.assertEqual(303, status, body)
        return location

    def delete(self, path, key):
        """Opens the page before the deletion, and confirms it."""
        page = self.post(path + '/delete', {'key': key})[2]
        return self.post(path + '/delete', {'key': key, 'confirm': 'yes', '_seen': seen_in(page)})

    def number(self, sql):
        return int(self.ask(sql))

    def test_a_record_is_created_listed_changed_and_deleted(self):
        self.create('/admin/authors', name='Ada <b>')
        location = self.create('/admin/books', **BOOK)
        page = self.get(location)[1]
        self.assertIn('<td>Yes</td>', page)
        page = self.get('/admin/books/record/1')[1]
        self.assertIn('value="2026-11-29T12:00:00Z"', page)
        self.assertIn('value="0.5"', page)
        self.assertIn('<option value="1" selected>Ada &lt;b&gt;</option>', page)
        form = {**BOOK, 'title': 'Pepper', 'author_id': '', '_seen': seen_in(page)}
        del form['in_print']
        status, _, body = self.post('/admin/books/record/1', form)
        self.assertEqual(303, status, body)
        self.assertEqual(1, self.number("select count(*) from books where title = 'Pepper' and "
                                        "author_id is null and version = 2"))
        page = self.get('/admin/books/record/1')[1]
        self.assertIn('<li>Title: <del>Salt</del> <ins>Pepper</ins></li>', page)
        self.assertIn('<li>In print: <del>Yes</del> <ins>No</ins></li>', page)
        for query, count in (('q=PEPP', 1), ('q=%25', 0), ('f.genre=novel&f.stock.min=5', 1),
                             ('f.in_print=true', 0), ('f.printed.max=2026-01-01T00:00:00Z', 0),
                             ('sort=-printed', 1)):
            self.assertIn(f'<caption>{count} record', self.get('/admin/books?' + query)[1], query)
        status, csv = self.get('/admin/books/export.csv')
        self.assertEqual(200, status)
        self.assertIn('1,Pepper,novel,5,false,0.5,2026-11-29T12:00:00Z,', csv)
        status, _, body = self.post('/admin/books/record/1', {
            **BOOK, 'author_id': '99', '_seen': seen_in(self.get('/admin/books/record/1')[1])})
        self.assertEqual(422, status, body)
        self.assertEqual(422, self.post('/admin/authors/new', {'name': 'Ada <b>'})[0])

    def test_dependents_are_shown_and_deleted(self):
        self.create('/admin/books', **{**BOOK, 'author_id': ''})
        self.create('/admin/reviews', book_id='1', text='good')
        self.create('/admin/loans', book_id='1')
        page = self.post('/admin/books/delete', {'key': '1'})[2]
        self.assertIn('Reviews</a>: 1, will be deleted, too', page)
        self.assertIn('Loans</a>: 1, must be changed or deleted first', page)
        self.assertEqual(409, self.delete('/admin/books', '1')[0])
        self.assertEqual(1, self.number('select count(*) from books'))
        self.assertEqual(303, self.delete('/admin/loans', '1')[0])
        self.create('/admin/reviews', book_id='1', text='bad')
        old = {'key': '1', 'confirm': 'yes', '_seen': seen_in(page)}
        self.assertEqual(409, self.post('/admin/books/delete', old)[0])
        self.assertEqual(2, self.number('select count(*) from reviews'))
        status, location, _ = self.delete('/admin/books', '1')
        self.assertEqual(303, status)
        self.assertEqual(0, self.number('select count(*) from books') +
                         self.number('select count(*) from reviews'))
        self.assertIn('done=', location)

    def test_of_concurrent_changes_one_is_stored(self):
        self.create('/admin/books', **{**BOOK, 'author_id': ''})
        for turn in range(ROUNDS):
            seen = seen_in(self.get('/admin/books/record/1')[1])

            def change(client, turn=turn, seen=seen):
                form = {**BOOK, 'author_id': '', 'stock': str(100 * turn + client + 10),
                        '_seen': seen}
                return self.post('/admin/books/record/1', form, at=client % 2)[0]

            with concurrent.futures.ThreadPoolExecutor(CLIENTS) as threads:
                statuses = sorted(threads.map(change, range(CLIENTS)))
            self.assertEqual([303] + [409] * (CLIENTS - 1), statuses)
        self.assertEqual(ROUNDS + 1, self.number('select version from books where id = 1'))
        self.assertEqual(ROUNDS, self.number("select count(*) from eider_admin_log where "
                                             "action = 'change'"))

    def test_a_killed_process_leaves_no_change_without_its_entry(self):
        self.create('/admin/books', **{**BOOK, 'author_id': ''})
        ends = threading.Event()
        stored = [0]

        def change():
            turn = 0
            while not ends.is_set():
                turn += 1
                try:
                    seen = seen_in(self.get('/admin/books/record/1', at=1)[1])
                    form = {**BOOK, 'author_id': '', 'stock': str(turn), '_seen': seen}
                    stored[0] += self.post('/admin/books/record/1', form, at=1)[0] == 303
                except (OSError, ValueError, AttributeError):
                    time.sleep(0.01)

        for _ in range(3):
            ends.clear()
            before = stored[0]
            thread = threading.Thread(target=change)
            thread.start()
            deadline = time.monotonic() + 60
            while stored[0] < before + 5 and time.monotonic() < deadline:
                time.sleep(0.01)
            self.programs[1].process.kill()
            ends.set()
            thread.join()
            self.assertGreaterEqual(stored[0], before + 5)
            self.programs[1].__exit__()
            self.programs[1] = self.start()
            self.addCleanup(self.programs[1].__exit__)
        changes = self.number("select count(*) from eider_admin_log where action = 'change'")
        self.assertEqual(changes, self.number('select version from books where id = 1') - 1)
        self.assertGreaterEqual(changes, stored[0])
        self.assertEqual(200, self.get('/admin/log')[0])

    def test_an_action_is_logged(self):
        self.create('/admin/books', **{**BOOK, 'author_id': ''})
        status, location, _ = self.post('/admin/books/action/empty', {'key': ['1', '7']})
        self.assertEqual(303, status)
        page = self.programs[0].ask('GET', location, headers={'X-User': 'user0'})[2].decode()
        self.assertIn('Empty: done.', html.unescape(page))
        self.assertEqual(0, self.number('select stock from books where id = 1'))


class Sqlite(AdminTest, unittest.TestCase):
    """Against an SQLite file."""

    def prepare(self):
        self.where = str(Path(self.directory, 'admin.db'))
        with sqlite3.connect(self.where) as database:
            database.executescript(TABLES.format(key='integer primary key', boolean='boolean',
                                                 real='real', time='text'))
        database.close()

    def ask(self, sql):
        database = sqlite3.connect(self.where)
        try:
            return database.execute(sql).fetchone()[0]
        finally:
            database.close()


@unittest.skipUnless(Path('/usr/lib/postgresql').exists(), 'PostgreSQL is not installed')
class Postgres(AdminTest, unittest.TestCase):
    """Against a temporary PostgreSQL server."""

    def prepare(self):
        self.server = self.enterContext(PostgresServer())
        self.where = self.server.where
        self.ask(TABLES.format(key='bigint generated by default as identity primary key',
                               boolean='boolean', real='double precision', time='timestamptz'))

    def ask(self, sql):
        return self.server.ask(sql)


@unittest.skipUnless(shutil.which('mariadbd') or Path('/usr/sbin/mariadbd').exists(),
                     'MariaDB is not installed')
class Mariadb(AdminTest, unittest.TestCase):
    """Against a temporary MariaDB server."""

    def prepare(self):
        self.server = self.enterContext(MariadbServer())
        self.where = self.server.where
        self.ask(TABLES.format(key='bigint auto_increment primary key', boolean='boolean',
                               real='double', time='timestamp(6) null'))

    def ask(self, sql):
        return self.server.ask(sql, 'test')


if __name__ == '__main__':
    unittest.main()

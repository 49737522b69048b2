"""Checked SQL: `eider db check` with scratch databases, which it removes afterwards.

Must not use internals of the library: only its output, its status and leftover files count.
"""

import contextlib
import os
import re
import signal
import socket
import sqlite3
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from mariadb_support import MariadbServer
from migrations_support import Directory, WAIT_SECONDS_MAX, wait_until
from postgres_support import PostgresServer
from support import Program, ROOT, run_to_end


class Checks(Directory):
    """A schema, and a source that is checked with it."""

    def setUp(self):
        super().setUp()
        self.write('0001_books.sql', 'create table books(title text not null, year int);\n')

    def check(self, source, *words):
        (self.directory / 'store.cc').write_text(source)
        return self.run_db('check', *words, 'store.cc')

    def lock(self):
        return (self.directory / 'queries.lock').read_text()


class CheckedBySqlite(Checks):
    def test_a_statement_that_the_schema_does_not_know_is_told_where_it_stands(self):
        status, _, error = self.check('\n\ndb.one<int>("select yeer from books");\n')
        self.assertEqual(status, 1)
        self.assertEqual(error, 'store.cc:3: SQLite: no such column: yeer\n')
        self.assertFalse((self.directory / 'queries.lock').exists())

    def test_what_is_found_out_becomes_a_header_for_that_schema_alone(self):
        self.assertEqual(self.check('db.all<Book>("select title, year from books")')[0], 0)
        self.assertIn('column integer null INT | year\n', self.lock())
        self.assertEqual(self.run_db('header', '--out', 'checked.h')[0], 0)
        self.assertIn('{"year", ColumnKind::integer, true}',
                      (self.directory / 'checked.h').read_text())
        self.write('0002_more.sql', 'alter table books add column pages int;\n')
        status, _, error = self.run_db('header', '--out', 'checked.h')
        self.assertEqual(status, 1)
        self.assertIn('queries.lock does not match the migrations in migrations', error)

    def test_a_lock_file_of_before_says_how_it_is_made_anew(self):
        (self.directory / 'queries.lock').write_text('schema 1234\n')
        status, _, error = self.run_db('header', '--out', 'checked.h')
        self.assertEqual(status, 1)
        self.assertIn('queries.lock: line 1 is not valid in a lock file: schema 1234: build the '
                      'target',
                      error)


class CheckedProgram(Directory):
    """The example notes, whose statements were checked during its build."""

    def setUp(self):
        super().setUp()
        migrations = ROOT / 'examples/notes/migrations/sqlite'
        self.assertEqual(self.run_db('up', '--migrations', str(migrations))[0], 0)

    def change(self, sql):
        with contextlib.closing(sqlite3.connect(self.database)) as connection:
            connection.executescript(sql)

    def test_it_does_not_start_over_a_schema_that_was_changed_by_hand(self):
        self.change('alter table notes rename column body to text')
        status, said = run_to_end('notes', '--database-file', self.database, '--port', '0')
        self.assertNotEqual(status, 0)
        self.assertIn('notes.body: [differs] the column was text not null when this program was '
                      'checked, but does not exist any more; used by: insert into notes(', said)

    def test_it_starts_over_what_has_come_to_it(self):
        self.change('alter table notes add column mood text; create table moods(name text)')
        with Program('notes', '--database-file', self.database, '--port', '{port}') as notes:
            self.assertEqual(notes.ask('GET', '/')[0], 200)


class ChecksByServer(Checks):
    """Each run has its own temporary directory, so leftover files belong to it."""

    def setUp(self):
        super().setUp()
        self.temporary = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.temporary.chmod(0o755)
        self.enterContext(unittest.mock.patch.dict(os.environ, TMPDIR=str(self.temporary)))

    def assert_nothing_left(self):
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertEqual(self.servers(), [])

    def servers(self):
        """Returns the command lines of processes that contain the run's directory."""
        lines = []
        for process in Path('/proc').glob('[0-9]*'):
            try:
                line = (process / 'cmdline').read_bytes()
            except OSError:
                continue  # it has ended in the meantime
            lines += [line] if str(self.temporary).encode() in line else []
        return lines


class EndedCheck(ChecksByServer):
    def test_a_check_that_is_ended_leaves_no_database_of_sqlite(self):
        (self.directory / 'store.cc').write_text('')
        self.write('0002_long.sql', 'with recursive c(n) as (select 1 union all select n + 1 '
                                    'from c where n < 1e12) select max(n) from c;\n')
        for end in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            with self.subTest(end.name):
                with self.start('check', '--sqlite', 'migrations', 'store.cc') as checker:
                    wait_until(lambda: any(self.temporary.glob('*/scratch.db')))
                    checker.send_signal(end)
                    checker.wait(WAIT_SECONDS_MAX)
                self.assertEqual(checker.returncode, -end)
                if end == signal.SIGKILL:  # the killed process could not wait
                    wait_until(lambda: not list(self.temporary.iterdir()))
                self.assert_nothing_left()


class CheckedByPostgres(ChecksByServer):
    """The same with a server that is started for the check."""

    BOTH = ['--sqlite', 'migrations', '--postgres', 'migrations']

    def check_by_postgres(self, source, *words):
        answer = self.check(source, '--postgres', 'migrations', *words)
        self.assert_nothing_left()
        return answer

    def test_a_query_that_is_wrong_is_told_where_it_stands(self):
        status, _, error = self.check_by_postgres(
            'db.one<int>("selec year");\n\ndb.one<int>(\n  "select yeer from books");\n')
        self.assertEqual(status, 1)
        self.assertEqual(error.splitlines()[0],
                         'store.cc:1: PostgreSQL: syntax error at or near "selec"')
        self.assertIn('store.cc:4: PostgreSQL: column "yeer" does not exist (Perhaps you meant',
                      error)
        self.assertFalse((self.directory / 'queries.lock').exists())

    def test_both_databases_become_one_lock_file_and_one_header(self):
        status, _, error = self.check(
            'db.all<Book>("select title, year from books where year > $1");\n'
            'db.one<int>("select count(*) as count from books");\n', *self.BOTH)
        self.assertEqual((status, error), (0, ''))
        self.assert_nothing_left()
        lock = self.lock()
        self.assertEqual(re.findall(r'^schema (\w+) ', lock, re.MULTILINE), ['sqlite', 'postgres'])
        self.assertIn('parameter integer\ncolumn text not-null text | title\n', lock)
        self.assertEqual(re.findall(r'^stored (.*)', lock, re.MULTILINE),
                         ['not-null books | title | text', 'null books | year | int',
                          'not-null books | title | text', 'null books | year | integer'])
        self.assertEqual(self.run_db('header', *self.BOTH, '--out', 'checked.h')[0], 0)
        header = (self.directory / 'checked.h').read_text()
        self.assertEqual(header.count('{"title", ColumnKind::text, false}'), 1)
        self.assertIn('{"count", ColumnKind::unknown, false}', header)
        self.assertIn('{"count", ColumnKind::integer, false}', header)
        for fewer in [[], ['--postgres', 'migrations']]:
            status, _, error = self.run_db('header', *fewer, '--out', 'checked.h')
            self.assertEqual(status, 1)
            self.assertIn('queries.lock was generated for other databases: build the '
                          'target', error)

    def test_a_statement_for_one_database_alone_is_refused_by_the_other(self):
        status, _, error = self.check('db.exec("pragma optimize");', *self.BOTH)
        self.assertEqual(status, 1)
        self.assertEqual(error, 'store.cc:1: PostgreSQL: syntax error at or near "pragma"\n')
        self.assertEqual(self.check('db.exec(db::unchecked("pragma optimize"));', *self.BOTH)[0], 0)

    def test_a_failing_migration_is_told_by_its_file_and_line(self):
        self.write('0002_more.sql', '-- more\nalter table book add column pages int;\n')
        status, _, error = self.check_by_postgres('')
        self.assertEqual(status, 1)
        self.assertIn('migrations/0002_more.sql:2: [failed] ', error)
        self.assertIn('relation "book" does not exist', error)

    def test_programs_that_are_missing_are_told_with_the_mend(self):
        with unittest.mock.patch.dict(os.environ, EIDER_POSTGRES_BIN='/nowhere'):
            status, _, error = self.check_by_postgres('')
        self.assertEqual(status, 1)
        self.assertIn('initdb and postgres are not in /nowhere: set EIDER_POSTGRES_BIN', error)

    def test_a_log_that_was_replaced_by_a_link_leads_nowhere(self):
        programs = self.directory / 'bin'
        programs.mkdir()
        self.directory.chmod(0o755)
        other = self.directory / 'other'
        replace = f'cd "${{2%/data}}" && rm -f log && ln -s {other} log'
        for name, does in [('initdb', replace), ('postgres', 'echo no room for it; exit 3')]:
            (programs / name).write_text(f'#!/bin/sh\n{does}\n')
            (programs / name).chmod(0o755)
        with unittest.mock.patch.dict(os.environ, EIDER_POSTGRES_BIN=str(programs)):
            status, _, error = self.check_by_postgres('')
        self.assertEqual(status, 1)
        self.assertFalse(other.exists())
        self.assertIn('/postgres failed in ', error)
        self.assertIn(': no room for it', error)

    def test_programs_that_fail_are_told_with_what_they_say(self):
        programs = self.directory / 'bin'
        programs.mkdir()
        self.directory.chmod(0o755)
        for name in ['initdb', 'postgres']:
            (programs / name).write_text('#!/bin/sh\necho no room for it; exit 3\n')
            (programs / name).chmod(0o755)
        with unittest.mock.patch.dict(os.environ, EIDER_POSTGRES_BIN=str(programs)):
            status, _, error = self.check_by_postgres('')
        self.assertEqual(status, 1)
        self.assertIn(f'{programs}/initdb failed in {self.temporary}/eider_check_', error)
        self.assertIn(': no room for it', error)

    def test_variables_of_libpq_lead_nowhere_else(self):
        elsewhere = {'PGHOST': '/nowhere', 'PGHOSTADDR': '127.0.0.9', 'PGPORT': '9', 'PGUSER': 'x',
                     'PGDATABASE': 'x', 'PGSSLMODE': 'require', 'PGOPTIONS': '-c nothing=1',
                     'PGSERVICE': 'x', 'PGDATA': '/nowhere', 'PGTZ': 'x/y'}
        with unittest.mock.patch.dict(os.environ, elsewhere):
            self.assertEqual(self.check_by_postgres('db.exec("delete from books");')[0], 0)

    def test_a_directory_whose_name_is_long_has_room_for_the_socket(self):
        long = self.temporary / ('long' * 20)
        long.mkdir()
        with unittest.mock.patch.dict(os.environ, TMPDIR=str(long)):
            self.assertEqual(self.check('db.exec("delete from books");', '--postgres',
                                        'migrations')[0], 0)
        self.assertEqual(list(long.iterdir()), [])

    def test_a_directory_whose_name_has_blanks_and_quotes_is_as_good(self):
        odd = self.temporary / "a b's host=x"
        odd.mkdir()
        with unittest.mock.patch.dict(os.environ, TMPDIR=str(odd)):
            status, _, error = self.check('db.exec("delete from books");', '--postgres',
                                          'migrations')
        self.assertEqual((status, error), (0, ''))
        self.assertEqual(list(odd.iterdir()), [])

    def test_a_temporary_directory_that_is_none_is_not_used(self):
        with unittest.mock.patch.dict(os.environ, TMPDIR=str(self.temporary / 'absent')):
            self.assertEqual(self.check('db.exec("delete from books");', '--postgres',
                                        'migrations')[0], 0)

    def test_whatever_ends_it_ends_its_server_and_removes_its_directory(self):
        (self.directory / 'store.cc').write_text('db.exec("delete from books");')
        self.write('0002_long.sql', 'select pg_sleep(60);\n')
        stages = {'initdb': lambda: any(self.temporary.glob('*/data')),
                  'server': lambda: any(self.temporary.glob('*/data/postmaster.pid')),
                  'migration': lambda: any(b'SELECT' in line for line in self.titles())}
        # All catchable signals have the same effect: each is tested in one of the stages.
        caught = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
        for (name, is_reached), end in [*zip(stages.items(), caught),
                                        *((stage, signal.SIGKILL) for stage in stages.items())]:
            with self.subTest(stage=name, end=end.name):
                with self.start('check', '--postgres', 'migrations', 'store.cc') as checker:
                    wait_until(is_reached)
                    checker.send_signal(end)
                    checker.wait(WAIT_SECONDS_MAX)
                self.assertEqual(checker.returncode, -end)
                if end == signal.SIGKILL:  # the killed process could not wait
                    wait_until(lambda: not list(self.temporary.iterdir()))
                    wait_until(lambda: not self.servers())
                self.assert_nothing_left()

    def titles(self):
        """Returns the children of the run's servers."""
        found = []
        for pid in self.temporary.glob('*/data/postmaster.pid'):
            try:
                server = pid.read_text().split()[0]
                children = Path(f'/proc/{server}/task/{server}/children').read_text().split()
                found += [Path(f'/proc/{child}/cmdline').read_bytes() for child in children]
            except (OSError, IndexError):
                continue
        return found


class CheckedInServer(Directory):
    """With a separate database on a server that the user names."""

    def setUp(self):
        super().setUp()
        self.server = self.enterContext(PostgresServer())
        self.write('0001_books.sql', 'create table books(title text not null, year int);\n')
        (self.directory / 'store.cc').write_text('db.one<int>("select year from books");')

    def databases(self):
        return self.server.ask('select string_agg(datname, \' \' order by datname) '
                               'from pg_database where not datistemplate')

    def check(self, *words):
        return self.start('check', '--postgres', 'migrations', *words, 'store.cc')

    def test_it_is_dropped_afterwards(self):
        with self.check('--server', self.server.where) as checker:
            self.assertEqual(checker.communicate(timeout=WAIT_SECONDS_MAX)[1], '')
        self.assertEqual(checker.returncode, 0)
        self.assertEqual(self.databases(), 'postgres')
        self.assertEqual(self.server.ask("select count(*) from pg_class where relname = 'books'"),
                         '0')

    def test_it_is_dropped_when_the_check_is_ended(self):
        self.write('0002_long.sql', 'select pg_sleep(60);\n')
        for end in [signal.SIGINT, signal.SIGKILL]:
            with self.subTest(end.name):
                with self.check('--server', self.server.where) as checker:
                    wait_until(lambda: self.server.ask(
                        "select count(*) from pg_stat_activity where query like "
                        "'select pg_sleep%'") == '1')
                    checker.send_signal(end)
                    checker.wait(WAIT_SECONDS_MAX)
                wait_until(lambda: self.databases() == 'postgres')

    def test_a_server_that_says_nothing_is_given_up_also_when_the_check_is_ended(self):
        with socket.create_server(('127.0.0.1', 0)) as silent:
            where = f'host=127.0.0.1 port={silent.getsockname()[1]}'
            with self.check('--server', where) as checker:
                kept, _ = silent.accept()
                checker.send_signal(signal.SIGINT)
                checker.wait(WAIT_SECONDS_MAX)
            kept.close()
            with self.check('--server', where) as checker:
                told = checker.communicate(timeout=WAIT_SECONDS_MAX)[1]
            self.assertIn('cannot create a scratch database on the server of --server', told)

    def test_a_server_that_refuses_is_told(self):
        self.server.ask('create role weak login')
        weak = self.server.where.replace('user=tester', 'user=weak')
        for server, why in [(weak, 'permission denied to create database'),
                            ('host=/nowhere',
                             'cannot create a scratch database on the server of --server'),
                            ('books.db', '--server requires the URL of a PostgreSQL server')]:
            with self.check('--server', server) as checker:
                self.assertIn(why, checker.communicate(timeout=WAIT_SECONDS_MAX)[1])
            self.assertEqual(checker.returncode, 1)
        self.assertEqual(self.databases(), 'postgres')


class CheckedByMariadb(ChecksByServer):
    """With a MariaDB server that is started for the check."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(MariadbServer())

    def check_by_mariadb(self, source, *words):
        answer = self.check(source, '--mariadb', 'migrations', *words)
        self.assert_nothing_left()
        return answer

    def test_what_is_found_out_becomes_a_lock_file_and_a_header(self):
        status, _, error = self.check_by_mariadb(
            'db.all<Book>("select title, year from books where year > $1");\n'
            'db.one<int>("insert into books values($1, $2) returning year");\n')
        self.assertEqual((status, error), (0, ''))
        self.assertIn('parameter any\ncolumn text not-null | title\ncolumn integer null | year\n',
                      self.lock())
        self.assertIn('stored not-null books | title | text\nstored null books | year | int(11)\n',
                      self.lock())
        arguments = ['--mariadb', 'migrations', '--out', 'checked.h']
        self.assertEqual(self.run_db('header', *arguments)[0], 0)
        self.assertIn('{"year", ColumnKind::integer, true}',
                      (self.directory / 'checked.h').read_text())

    def test_what_is_wrong_is_told_where_it_stands(self):
        status, _, error = self.check_by_mariadb('\n\ndb.one<int>("select yeer from books");\n')
        self.assertEqual(status, 1)
        self.assertIn("store.cc:3: MariaDB: Unknown column 'yeer' in ", error)
        self.write('0002_more.sql', '-- more\nalter table book add column pages int;\n')
        status, _, error = self.check_by_mariadb('')
        self.assertEqual(status, 1)
        self.assertIn('migrations/0002_more.sql:2: [failed] MariaDB: ', error)

    def test_it_is_gone_wherever_the_check_is_ended(self):
        for number in (signal.SIGINT, signal.SIGKILL):
            self.write('0002_long.sql', 'do sleep(60);\n')
            (self.directory / 'store.cc').write_text('')
            with self.start('check', '--mariadb', 'migrations', 'store.cc') as check:
                wait_until(lambda: any(b'mariadbd\0' in line for line in self.servers()))
                check.send_signal(number)
            wait_until(lambda: not self.servers() and not list(self.temporary.iterdir()))

    def test_programs_that_are_missing_are_told_with_the_mend(self):
        with unittest.mock.patch.dict(os.environ, EIDER_MARIADB_BIN='/nowhere'):
            status, _, error = self.check_by_mariadb('')
        self.assertEqual(status, 1)
        self.assertIn('mariadb-install-db and mariadbd are not in /nowhere: set EIDER_MARIADB',
                      error)

    def test_a_server_that_is_named_gets_a_database_for_the_check_alone(self):
        status, _, error = self.check('db.one<int>("select year from books")', '--mariadb',
                                      'migrations', '--server', self.server.where)
        self.assertEqual((status, error), (0, ''))
        self.assertNotIn('eider_check', self.server.ask('show databases'))


if __name__ == '__main__':
    unittest.main()

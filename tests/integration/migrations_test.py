"""`eider db` as in deployments: sequentially, concurrently, and killed in the middle.

Must not use internals of the library: only its output, its status and the tables count.
"""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import unittest
from pathlib import Path
from unittest import mock

from mariadb_support import MariadbServer
from migrations_support import Directory, WAIT_SECONDS_MAX, wait_until
from postgres_support import PostgresServer
from support import BIN

#: Runs until it is killed, in both databases.
ENDLESS = 'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n'


class Commands(Directory):
    def test_a_schema_goes_up_and_back(self):
        self.assertEqual(self.run_db('new', 'books', '--down')[:2],
                         (0, 'migrations/0001_books.sql\n'))
        self.write('0001_books.sql', 'create table books(title text);\n')
        self.write('0001_books.down.sql', 'drop table books;\n')
        self.assertEqual(self.run_db('new', 'authors')[:2], (0, 'migrations/0002_authors.sql\n'))
        status, _, error = self.run_db('up')
        self.assertEqual(status, 1)
        self.assertIn('migrations/0002_authors.sql: [empty] the file contains no statement', error)
        self.write('0002_authors.sql', 'create table authors(name text);\n')
        self.assertEqual(self.run_db('status')[0], 3)
        self.assertEqual(self.run_db('up', '--to', '1')[:2], (0, 'applied 0001_books\n'))
        self.assertEqual(self.run_db('down')[:2], (0, 'undid 0001_books\n'))
        self.assertEqual(self.run_db('up')[:2],
                         (0, 'applied 0001_books\napplied 0002_authors\n'))
        self.assertEqual(self.run_db('status')[0], 0)
        self.assertEqual(self.run_db('snapshot')[:2],
                         (0, 'CREATE TABLE authors(name text);\nCREATE TABLE books(title text);\n'))

    def test_a_status_is_told_to_programs(self):
        self.write('0001_books.sql', 'create table books(title text);\n')
        self.write('0002_authors.sql', 'create table authors(name text);\n')
        self.assertEqual(self.run_db('up', '--to', '1')[0], 0)
        status, said, _ = self.run_db('status', '--json')
        told = json.loads(said)
        self.assertRegex(told['migrations'][0].pop('applied'), r'^\d{4}-\d\d-\d\dT[\d:]+Z$')
        self.assertEqual((status, told), (3, {'is_current': False, 'migrations': [
            {'name': '0001_books', 'is_unfinished': False},
            {'name': '0002_authors', 'is_unfinished': False}]}))
        self.assertEqual(self.run_db('up')[0], 0)
        status, said, _ = self.run_db('status', '--json')
        self.assertEqual((status, json.loads(said)['is_current']), (0, True))

    def test_what_is_not_understood_is_told_with_status_2(self):
        for words in [[], ['sideways'], ['new'], ['up', '--to'], ['up', '--to', 'x'],
                      ['up', '--json'], ['up', '--unfinished', 'maybe'], ['embed'], ['up', 'here']]:
            with self.subTest(words):
                status, _, error = self.run_db(*words)
                self.assertEqual(status, 2)
                self.assertTrue(error.startswith('eider db: '), error)
        self.assertEqual(self.run_db('new', 'a b')[0], 1)

    def test_what_was_meant_by_a_wrong_option_is_told(self):
        for words, said in ((['up', '--databse', 'x.db'],
                             'unknown option --databse (did you mean --database?)'),
                            (['status', '--josn'], 'unknown option --josn (did you mean '
                                                   '--json?)'),
                            (['up', '--to'], '--to requires a value (NUMBER)'),
                            (['new', 'a', 'b'], 'unexpected argument b; expected: one name'),
                            (['up', 'here'], 'unexpected argument here'),
                            (['check', 'a.cc', '--sqlite', 'a', '--sqlite=b'],
                             '--sqlite is given more than once')):
            self.assertEqual(self.run_db(*words), (2, '', f'eider db: {said}\n'))

    def test_an_edited_history_is_told_as_a_place_in_a_file(self):
        self.write('0001_books.sql', 'create table books(title text);\n')
        self.assertEqual(self.run_db('up')[0], 0)
        self.write('0001_books.sql', 'create table books(title blob);\n')
        for action in ['up', 'down', 'status']:
            status, _, error = self.run_db(action)
            self.assertEqual(status, 1)
            self.assertIn('migrations/0001_books.sql: [edited]', error)
            self.assertIn("line 1 was 'create table books(title text);', but is now '", error)


    def test_a_migration_is_begun_ahead_of_another_that_has_no_text_yet(self):
        self.assertEqual(self.run_db('new', 'a')[:2], (0, 'migrations/0001_a.sql\n'))
        self.assertEqual(self.run_db('new', 'b')[:2], (0, 'migrations/0002_b.sql\n'))

    def test_a_database_that_is_not_there_is_made_by_up_alone(self):
        self.write('0001_a.sql', 'create table a(x int);\n')
        for action in ['status', 'down', 'snapshot']:
            status, _, error = self.run_db(action, '--database', 'typo.db')
            self.assertEqual(status, 1)
            self.assertIn('there is no database typo.db', error)
            self.assertFalse((self.directory / 'typo.db').exists())
        self.assertEqual(self.run_db('up', '--database', 'typo.db')[0], 0)

    def test_a_file_that_is_no_database_is_named_with_the_mend(self):
        self.write('0001_a.sql', 'create table a(x int);\n')
        (self.directory / 'text.db').write_text(5000 * 'x')
        for action in ['status', 'up', 'down', 'snapshot']:
            self.assertEqual(self.run_db(action, '--database', 'text.db'), (
                1, '', 'eider db: cannot open the database text.db: file is not a database. '
                'The file is not an SQLite database: move it away, or use another path.\n'))

    def test_an_address_of_no_database_is_told(self):
        status, _, error = self.run_db('up', '--database', 'mysq://me:geheim@localhost/shop')
        self.assertEqual(status, 2)
        self.assertIn('unknown database mysq://: use postgresql://…, mysql://… or', error)
        self.assertNotIn('geheim', error)

    def test_what_only_reads_leaves_an_sqlite_file_as_it_is(self):
        self.write('0001_a.sql', 'create table a(x int);\n')
        with sqlite3.connect(self.database) as connection:
            connection.execute('create table made_before(x int)')
        connection.close()
        before = Path(self.database).read_bytes()
        self.assertEqual(self.run_db('status')[:2], (3, 'pending                         0001_a\n'))
        self.assertEqual(self.run_db('snapshot')[:2], (0, 'CREATE TABLE made_before(x int);\n'))
        self.assertEqual(Path(self.database).read_bytes(), before)
        self.assertEqual(sorted(one.name for one in self.directory.iterdir()),
                         ['migrations', 'shop.db'])

    def test_what_is_embedded_has_the_name_of_a_function(self):
        self.write('0001_a.sql', 'select 1;\n')
        self.assertEqual(self.run_db('embed', '--out', 'gen/my-migrations')[0], 1)
        self.assertEqual(self.run_db('embed', '--out', 'gen/my_migrations')[0], 0)

    def test_what_libpq_takes_is_no_file_that_shows_a_password(self):
        self.write('0001_a.sql', 'create table a(x int);\n')
        for where in ['user=x password=geheim host=/nowhere dbname=y',
                      'user = x password=geheim host=/nowhere',
                      'POSTGRES://x:geheim@%2Fnowhere/y']:
            status, _, error = self.run_db('up', '--database', where)
            self.assertEqual(status, 1)
            self.assertNotIn('geheim', error)
            self.assertEqual([one.name for one in self.directory.iterdir()], ['migrations'])

    def test_a_snapshot_can_be_read_where_there_is_a_virtual_table(self):
        self.write('0001_a.sql', 'create virtual table f using fts5(x);\n')
        self.assertEqual(self.run_db('up')[0], 0)
        with sqlite3.connect(':memory:') as connection:
            connection.executescript(self.run_db('snapshot')[1])


class Built(Directory):
    """Builds that CMake generates for a directory of migrations, with Ninja and with make."""

    def project(self, call):
        sources = Path(__file__).resolve().parents[2] / 'cmake'
        includes = ''.join(f'include("{sources}/Eider{part}.cmake")\n'
                           for part in ['Assets', 'Views', 'Migrations'])
        (self.directory / 'CMakeLists.txt').write_text(
            'cmake_minimum_required(VERSION 3.25)\nproject(shop CXX)\n'
            'set(CMAKE_CXX_COMPILE_OBJECT "<CMAKE_COMMAND> -E touch <OBJECT>")\n'
            f'{includes}function(eider_find_command out)\n'
            f'  set(${{out}} "{BIN}/eider" PARENT_SCOPE)\nendfunction()\n'
            'add_executable(eider::assets_command IMPORTED)\n'
            'set_target_properties(eider::assets_command PROPERTIES IMPORTED_LOCATION '
            f'"{BIN}/eider-assets")\n'
            'add_library(eider::views INTERFACE IMPORTED)\n'
            f'file(WRITE main.cc "")\nadd_library(shop OBJECT main.cc)\n{call}\n')

    def configure(self, generator):
        shutil.rmtree(self.directory / 'out', ignore_errors=True)
        self.cmake('-S', '.', '-B', 'out', '-G', generator)

    def built(self, source, pattern):
        self.cmake('--build', 'out', '--target', 'shop')
        return re.findall(pattern, (self.directory / 'out' / source).read_text())

    def cmake(self, *words):
        subprocess.run(['cmake', *words], cwd=self.directory, check=True, capture_output=True)

    def refused(self, target):
        """Returns the output of a build that must fail."""
        ended = subprocess.run(['cmake', '--build', 'out', '--target', target], cwd=self.directory,
                               check=False, capture_output=True, text=True)
        self.assertNotEqual(ended.returncode, 0)
        return ended.stdout + ended.stderr

    def test_a_migration_that_is_gone_or_renamed_leaves_the_program(self):
        self.project('eider_migrations(shop DIRECTORY migrations)')
        migrations = self.directory / 'migrations'
        made = ['shop_migrations/shop_migrations.cc', r'"(\w+)\.sql"']
        for generator in ['Ninja', 'Unix Makefiles']:
            shutil.rmtree(migrations, ignore_errors=True)
            for name in ['0001_a', '0002_b', '0003_c']:
                self.write(f'{name}.sql', 'select 1;\n')
            self.configure(generator)
            self.assertEqual(self.built(*made), ['0001_a', '0002_b', '0003_c'])
            (migrations / '0002_b.sql').unlink()
            self.assertEqual(self.built(*made), ['0001_a', '0003_c'])
            (migrations / '0003_c.sql').rename(migrations / '0002_c.sql')
            self.assertEqual(self.built(*made), ['0001_a', '0002_c'])

    def test_statements_are_checked_by_a_target_and_held_by_the_build_unless_that_is_off(self):
        self.project('eider_checked_sql(shop MIGRATIONS migrations SOURCES store.cc)')
        self.write('0001_books.sql', 'create table books(title text not null);\n')
        (self.directory / 'store.cc').write_text('db.one<Title>("select title from books");\n')
        self.configure('Ninja')
        self.assertIn('queries.lock', self.refused('shop'))
        self.cmake('--build', 'out', '--target', 'shop_sql_check')
        made = ['shop_migrations/shop_checked_sql.h', r'\{"title", ColumnKind::(\w+), false\}']
        self.assertEqual(self.built(*made), ['text'])
        rules = self.directory / 'out/build.ninja'
        self.assertIn('-DEIDER_CHECKED_SQL=', rules.read_text())
        self.write('0002_more.sql', 'alter table books add column pages int;\n')
        self.assertIn('queries.lock does not match the migrations', self.refused('shop'))
        self.cmake('-DEIDER_SQL_CHECK=OFF', 'out')
        self.cmake('--build', 'out', '--target', 'shop')
        self.assertNotIn('EIDER_CHECKED_SQL', rules.read_text())
        (self.directory / 'store.cc').write_text('\ndb.one<Title>("select name from books");\n')
        self.assertIn('store.cc:2: SQLite: no such column: name', self.refused('shop_sql_check'))

    def test_an_asset_that_is_gone_or_renamed_leaves_the_program(self):
        self.project('eider_assets(shop DIRECTORY assets)')
        assets = self.directory / 'assets'
        made = ['shop_assets/shop_assets.cc', r'"(\w+\.txt)"']
        for generator in ['Ninja', 'Unix Makefiles']:
            shutil.rmtree(assets, ignore_errors=True)
            assets.mkdir()
            for name in ['a', 'b', 'c']:
                (assets / f'{name}.txt').write_text(name)
            self.configure(generator)
            self.assertEqual(self.built(*made), ['a.txt', 'b.txt', 'c.txt'])
            (assets / 'b.txt').unlink()
            self.assertEqual(self.built(*made), ['a.txt', 'c.txt'])
            (assets / 'c.txt').rename(assets / 'b.txt')
            self.assertEqual(self.built(*made), ['a.txt', 'b.txt'])


class TwoDeployers(Directory):
    """With either database; `count` returns a number."""

    def ask_shell(self, statement):
        """Returns the response of `eider db shell`."""
        with self.start('shell') as shell:
            shell.stdin.write(statement + ';\n')
            out, error = shell.communicate(timeout=WAIT_SECONDS_MAX)
        self.assertEqual((shell.returncode, error), (0, ''))
        return out

    def deploy(self, count):
        self.write('0001_log.sql', 'create table log(i integer primary key);\n')
        for i in range(2, 30):
            self.write(f'{i:04}_more.sql', f'insert into log values({i});\n')
        deployers = [self.start('up') for _ in range(3)]
        outputs = [deployer.communicate(timeout=WAIT_SECONDS_MAX) for deployer in deployers]
        self.assertEqual([deployer.returncode for deployer in deployers], [0, 0, 0], outputs)
        applied = [line for out, _ in outputs for line in out.splitlines() if 'applied' in line]
        self.assertEqual(len(applied), 29)
        self.assertEqual(len(set(applied)), 29)
        self.assertEqual(count('select count(*) from log'), 28)


class SqliteDeployers(TwoDeployers):
    def count(self, sql):
        connection = sqlite3.connect(self.database)
        try:
            return connection.execute(sql).fetchone()[0]
        finally:
            connection.close()

    def is_locked(self):
        connection = sqlite3.connect(self.database, timeout=0)
        try:
            connection.execute('begin immediate')
            return False
        except sqlite3.OperationalError:
            return True
        finally:
            connection.close()

    def test_several_apply_each_once(self):
        self.deploy(self.count)

    def test_the_shell_opens_the_file_by_its_path_or_as_a_url(self):
        self.ask_shell('create table a(x); insert into a values(7)')
        self.assertEqual(self.count('select x from a'), 7)
        self.database = f'sqlite:{self.database}'
        self.assertEqual(self.ask_shell('select x from a'), '7\n')

    def test_one_that_is_killed_leaves_nothing_half_done(self):
        self.write('0001_good.sql', 'create table good(i integer);\n')
        self.write('0002_long.sql', f'create table half(i integer);\n{ENDLESS};\n')
        with self.start('up') as deployer:
            self.assertEqual(deployer.stdout.readline(), 'applied 0001_good\n')
            wait_until(self.is_locked)
            deployer.send_signal(signal.SIGKILL)
        self.assertEqual(self.count('select count(*) from eider_migrations'), 1)
        self.write('0002_long.sql', 'create table half(i integer);\n')
        self.assertEqual(self.run_db('up')[:2], (0, 'applied 0002_long\n'))


class PostgresDeployers(TwoDeployers):
    def setUp(self):
        super().setUp()
        self.server = self.enterContext(PostgresServer())
        self.database = self.server.where

    def count(self, sql):
        return int(self.server.ask(sql))

    def is_in_it(self):
        return self.count("select count(*) from pg_locks where locktype = 'advisory'") == 1 and \
            self.count("select count(*) from pg_stat_activity where query like 'with rec%' "
                       "and state = 'active'") == 1

    def end_what_was_left(self):
        """The server notices the end of a client only when it writes to it."""
        self.count("select count(pg_terminate_backend(pid)) from pg_stat_activity "
                   "where query like 'with rec%'")

    def test_several_apply_each_once(self):
        self.deploy(self.count)

    def test_one_that_is_killed_leaves_nothing_half_done(self):
        self.addCleanup(self.end_what_was_left)
        self.write('0001_good.sql', 'create table good(i integer);\n')
        self.write('0002_long.sql', f'create table half(i integer);\n{ENDLESS};\n')
        with self.start('up') as deployer:
            wait_until(self.is_in_it)
            deployer.send_signal(signal.SIGKILL)
        status, _, error = self.run_db('up', '--wait', '0')
        self.assertEqual(status, 1)
        self.assertIn('[locked] another migration run', error)
        self.end_what_was_left()
        self.write('0002_long.sql', 'create table half(i integer);\n')
        self.assertEqual(self.run_db('up')[:2], (0, 'applied 0002_long\n'))

    def test_another_waits_for_what_runs_beside_a_transaction_though_told_again(self):
        self.write('0001_log.sql', '-- eider: no transaction\n'
                   'create table if not exists log(i integer);\n'
                   'select pg_sleep(2);\ninsert into log values(1);\n')
        with self.start('up', '--unfinished', 'rerun') as first:
            wait_until(lambda: self.count("select count(*) from pg_stat_activity where query "
                                          "like 'select pg_sleep%'") == 1)
            self.assertEqual(self.run_db('up', '--unfinished', 'rerun')[:2],
                             (0, 'no pending migrations\n'))
            self.assertEqual(first.communicate(timeout=WAIT_SECONDS_MAX)[0], 'applied 0001_log\n')
        self.assertEqual(self.count('select count(*) from log'), 1)

    def test_an_index_is_made_concurrently_under_the_lock(self):
        self.write('0001_log.sql', 'create table log(i integer);\n')
        self.write('0002_index.sql', '-- eider: no transaction\n'
                   'create index concurrently log_i on log(i);\n')
        self.assertEqual(self.run_db('up')[:2], (0, 'applied 0001_log\napplied 0002_index\n'))

    def test_the_shell_asks_the_database_of_the_address_with_no_password_as_an_argument(self):
        self.server.ask("create role eve login password 'geh eim'")
        self.server.ask('create database shop')
        self.database = self.server.where.replace('user=tester', 'user=eve').replace(
            'dbname=postgres', 'dbname=shop') + " password='geh eim'"
        with self.start('shell') as shell:
            shell.stdin.write('\\echo :USER :DBNAME\n\\! echo $PGPASSWORD\n')
            shell.stdin.flush()
            self.assertEqual(shell.stdout.readline(), 'eve shop\n')
            self.assertEqual(shell.stdout.readline(), 'geh eim\n')
            self.assertNotIn(b'eim', Path(f'/proc/{shell.pid}/cmdline').read_bytes())
            error = shell.communicate(timeout=WAIT_SECONDS_MAX)[1]
        self.assertEqual((shell.returncode, error), (0, ''))

    def test_the_snapshot_is_the_same_each_time(self):
        self.write('0001_good.sql', 'create table good(i integer not null);\n')
        self.assertEqual(self.run_db('up')[0], 0)
        status, first, _ = self.run_db('snapshot')
        self.assertEqual(status, 0)
        self.assertIn('CREATE TABLE public.good', first)
        self.assertNotIn('eider_migrations', first)
        self.assertEqual(self.run_db('snapshot')[1], first)

    def test_a_stopped_snapshot_stops_the_dump(self):
        program = self.directory / 'pg_dump'
        program.write_text('#!/bin/sh\nkill -INT $PPID\nexec sleep 1000\n')
        program.chmod(0o755)
        with mock.patch.dict(os.environ, PATH=f'{self.directory}:{os.environ["PATH"]}'):
            self.assertEqual(self.run_db('snapshot'), (130, '', ''))

    def test_a_snapshot_of_an_absent_database_reports_the_cause(self):
        self.database = self.server.where.replace('dbname=postgres', 'dbname=absent')
        status, _, error = self.run_db('snapshot')
        self.assertEqual(status, 1)
        self.assertIn('database "absent" does not exist', error)
        self.assertNotIn('install', error)


class MariadbDeployers(TwoDeployers):
    """All tests share a server; each test has a database, whose name needs quotes."""

    NAME = "sh`op '\"$x"
    URL_NAME = 'sh%60op%20\'%22$x'

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(MariadbServer())

    def setUp(self):
        super().setUp()
        self.quoted = '`' + self.NAME.replace('`', '``') + '`'
        self.server.ask(f'drop database if exists {self.quoted}; create database {self.quoted}')
        self.database = f'mysql://root@localhost/{self.URL_NAME}?socket={self.server.socket}'

    def count(self, sql):
        return int(self.server.ask(sql, self.NAME))

    def sessions_at(self, statement):
        return self.server.ask("select id from information_schema.processlist "
                               f"where info = '{statement}'").split()

    def test_several_apply_each_once(self):
        self.deploy(self.count)

    def test_one_that_is_killed_is_waited_for_and_told_of(self):
        self.write('0001_long.sql', 'create table half(i integer);\ndo sleep(60);\n')
        with self.start('up') as deployer:
            wait_until(lambda: self.sessions_at('do sleep(60)'))
            deployer.send_signal(signal.SIGKILL)
        status, _, error = self.run_db('up', '--wait', '0')
        self.assertEqual(status, 1)
        self.assertIn('[locked] another migration run', error)
        for session in self.sessions_at('do sleep(60)'):
            self.server.ask(f'kill {session}')
        wait_until(lambda: '[unfinished]' in self.run_db('up', '--wait', '0')[2])
        self.assertEqual(self.count('select count(*) from half'), 0)
        self.write('0001_long.sql', 'create table if not exists half(i integer);\n')
        self.assertEqual(self.run_db('up', '--unfinished', 'rerun')[:2], (0, 'applied 0001_long\n'))

    def test_a_schema_goes_up_and_back_and_has_a_snapshot(self):
        self.write('0001_a.sql', 'create table a(id bigint auto_increment primary key);\n'
                   'create trigger t before insert on a for each row\nbegin\n  set @x = 1;\n'
                   '  set @y = 2;\nend;\n')
        self.write('0001_a.down.sql', 'drop table a;\n')
        self.assertEqual(self.run_db('status')[0], 3)
        self.assertEqual(self.run_db('up')[:2], (0, 'applied 0001_a\n'))
        self.assertEqual(self.run_db('status')[0], 0)
        status, first, error = self.run_db('snapshot')
        self.assertEqual(status, 0, error)
        self.assertIn('CREATE TABLE `a`', first)
        self.assertIn('trigger t before insert', first)
        self.assertNotIn('eider_migrations', first)
        self.server.ask('insert into a values(); insert into a values()', self.NAME)
        self.assertEqual(self.run_db('snapshot')[1], first)
        self.assertEqual(self.run_db('down')[:2], (0, 'undid 0001_a\n'))

    def test_the_shell_asks_the_database_of_the_url(self):
        self.assertIn(self.NAME, self.ask_shell('select database()'))

    def test_a_password_is_no_argument_and_may_have_any_letter(self):
        self.server.ask("create or replace user eve@localhost identified by 'a\"b\\\\c #d;e''f';"
                        "grant all on *.* to eve@localhost")
        self.database = self.database.replace(
            'root@', 'eve:a%22b%5Cc%20%23d%3Be%27f@')
        self.write('0001_a.sql', 'create table a(id int);\n')
        self.assertEqual(self.run_db('up')[0], 0)
        status, schema, error = self.run_db('snapshot')
        self.assertEqual((status, error), (0, ''))
        self.assertIn('CREATE TABLE `a`', schema)


if __name__ == '__main__':
    unittest.main()

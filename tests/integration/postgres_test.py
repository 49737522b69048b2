"""A service with PostgreSQL: stored data, rejected data, and the effect of restarts.

Must not use internals of the service: only responses and the contents of tables count.
"""

import contextlib
import json
import socket
import time
import unittest
from pathlib import Path

from postgres_support import PostgresServer
from support import Program, run_to_end

PROGRAM = '26_postgres'
JSON = {'Content-Type': 'application/json'}


class InvalidAddresses(unittest.TestCase):
    def test_an_invalid_address_is_reported_in_one_line(self):
        for program, variable, error in [
                ('26_postgres', 'DATABASE', 'must start with postgres:// or postgresql://'),
                ('30_mariadb', 'DATABASE', 'must start with mysql:// or mariadb://'),
                ('27_redis', 'REDIS', ''), ('29_processes', 'REDIS', '')]:
            with self.subTest(program):
                status, said = run_to_end(program, environment={variable: 'foo://x'})
                self.assertEqual((status, said.count('\n')), (1, 1), said)
                self.assertIn(error, said)


class Postgres(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(PostgresServer())
        self.program = self.enterContext(Program(PROGRAM, '--port', '{port}', '--threads', '2',
                                                 environment={'DATABASE': self.server.where}))

    def add(self, title, year=None):
        """Returns (status, response)."""
        status, _, body = self.program.ask('POST', '/books',
                                           json.dumps({'title': title, 'year': year}), JSON)
        return status, json.loads(body)

    def titles(self):
        return [book['title'] for book in json.loads(self.program.ask('GET', '/books')[2])]

    def test_a_value_that_a_column_cannot_hold_is_an_error_of_the_client(self):
        status, problem = self.add('a\0b')
        self.assertEqual((status, problem['errors'][0]['pointer']), (422, '/title'))
        self.assertEqual(self.program.ask('GET', '/books/9223372036854775807')[0], 404)
        self.server.ask('alter table books alter id type int')
        for number in (2147483648, -2147483649):
            self.assertEqual(self.program.ask('GET', f'/books/{number}')[0], 404)
        self.assertNotIn('failed', self.program.said())

    def test_it_keeps_what_it_is_given(self):
        self.assertEqual(self.add('Emma', 1815), (201, {'id': 1, 'title': 'Emma', 'year': 1815}))
        self.assertEqual(self.add('Ada'), (201, {'id': 2, 'title': 'Ada'}))
        self.assertEqual(self.titles(), ['Ada', 'Emma'])
        self.assertEqual(self.program.ask('GET', '/books/1')[0], 200)
        self.assertEqual(self.program.ask('GET', '/books/9')[0], 404)

    def test_a_constraint_names_the_member_that_it_is_about(self):
        self.add('Emma')
        status, problem = self.add('Emma')
        self.assertEqual(status, 422)
        self.assertEqual(problem['errors'][0]['pointer'], '/title')
        self.assertNotIn('books_title_key', json.dumps(problem))

    def test_it_goes_on_behind_a_restart_of_its_server(self):
        self.add('Emma')
        self.server.stop()
        self.server.start()
        self.assertEqual(self.add('Ada')[0], 201)
        self.assertEqual(self.titles(), ['Ada', 'Emma'])

    def test_without_its_server_it_answers_503_and_tells_the_client_nothing(self):
        self.add('Emma')
        self.server.stop()
        status, problem = self.add('Ada')
        self.assertEqual(status, 503)
        self.assertNotIn('pg', json.dumps(problem).lower())
        self.server.start()
        self.assertEqual(self.titles(), ['Emma'])

    def fill(self, count):
        self.titles()  # it responds when the table exists
        self.server.ask("insert into books(title, year) select 'book ' || n, n % 2000 "
                        f'from generate_series(1, {count}) n')

    def open_export(self, path):
        """Returns a socket that has sent the request, and buffers little."""
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        connection.settimeout(30)
        connection.connect(('127.0.0.1', self.program.port))
        request = f'GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
        connection.sendall(request.encode())
        return connection

    def most_memory_kilobytes(self):
        status = Path(f'/proc/{self.program.process.pid}/status').read_text()
        line = next(line for line in status.splitlines() if line.startswith('VmHWM'))
        return int(line.split()[1])

    def kept_by_streams(self):
        """Returns the number of connections of the server."""
        return int(self.server.ask("select count(*) from pg_stat_activity "
                                   "where query like '%eider_rows%' and state <> 'idle' "
                                   'and pid <> pg_backend_pid()'))

    def wait_for_none(self):
        end = time.monotonic() + 20
        while self.kept_by_streams() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.kept_by_streams(), 0)

    def test_it_gives_all_rows_as_a_table_and_as_lines(self):
        self.assertEqual(self.program.ask('GET', '/books.csv')[2], b'id,title,year\r\n')
        self.fill(20000)
        status, fields, table = self.program.ask('GET', '/books.csv')
        lines = table.decode().split('\r\n')
        self.assertEqual((status, len(lines), lines[20000]), (200, 20002, '20000,book 20000,0'))
        rows = self.program.ask('GET', '/books.jsonl')[2].splitlines()
        self.assertEqual(sum(json.loads(row)['id'] for row in rows), 20000 * 20001 // 2)
        self.assertEqual(self.program.ask('HEAD', '/books.csv')[0], 200)
        self.wait_for_none()

    def test_a_table_goes_out_and_comes_in_again_as_csv(self):
        self.fill(20000)
        status, fields, table = self.program.ask('GET', '/backup.csv')
        self.assertEqual((status, table.count(b'\n')), (200, 20001))
        self.server.ask('truncate books')
        status, _, told = self.program.ask('PUT', '/backup.csv', table)
        self.assertEqual((status, json.loads(told)['rows']), (200, 20000))
        status, _, told = self.program.ask('PUT', '/backup.csv', b'title,year\nnew,1\nbook 7,2\n')
        self.assertEqual((status, json.loads(told)['errors'][0]['detail']),
                         (422, 'line 3 was rejected'))
        self.assertEqual(self.server.ask('select count(*) from books').strip(), '20000')

    def test_an_upload_whose_client_leaves_mid_way_keeps_nothing(self):
        self.titles()
        with socket.create_connection(('127.0.0.1', self.program.port)) as upload:
            upload.sendall(b'PUT /backup.csv HTTP/1.1\r\nHost: a\r\n'
                           b'Content-Length: 10000000\r\n\r\n'
                           b'title,year\n' + b''.join(b'title %d,2000\n' % n for n in range(50000)))
            end = time.monotonic() + 20
            copying = ("select count(*) from pg_stat_activity where query like '%copy books%' and "
                       "state = 'active' and pid <> pg_backend_pid()")
            while self.server.ask(copying).strip() == '0' and time.monotonic() < end:
                time.sleep(0.02)
        while self.server.ask(copying).strip() != '0' and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.server.ask(copying).strip(), '0')
        self.assertEqual(self.server.ask('select count(*) from books').strip(), '0')
        self.assertEqual(self.program.ask('GET', '/books')[0], 200)

    def test_slow_clients_have_no_rows_waiting_and_those_that_leave_no_connection(self):
        self.fill(1_000_000)
        before = self.most_memory_kilobytes()
        with contextlib.ExitStack() as slow:
            for _ in range(2):
                export = slow.enter_context(self.open_export('/books.jsonl'))
                self.assertTrue(export.recv(100).startswith(b'HTTP/1.1 200'))
            self.assertEqual(self.kept_by_streams(), 2)
            self.assertEqual(self.program.ask('GET', '/books')[0], 200)
            self.assertLess(self.most_memory_kilobytes() - before, 20_000)
        self.wait_for_none()
        self.assertEqual(self.program.ask('GET', '/books')[0], 200)

    def test_an_error_amid_the_rows_cuts_the_answer(self):
        self.fill(20000)
        self.server.ask('alter table books rename to stored; create view books as '
                        'select id, title, 1 / (15000 - id)::int as year from stored')
        with self.open_export('/books.jsonl') as export:
            told = b''.join(iter(lambda: export.recv(65536), b''))
        self.assertTrue(told.startswith(b'HTTP/1.1 200'))
        self.assertIn(b'"id":14000,', told)
        self.assertFalse(told.endswith(b'0\r\n\r\n'))
        self.assertEqual(self.program.ask('GET', '/books/1')[0], 200)

    def test_a_server_that_goes_amid_the_rows_cuts_the_answer(self):
        self.fill(500_000)
        with self.open_export('/books.jsonl') as export:
            told = export.recv(100)
            self.server.stop()
            told += b''.join(iter(lambda: export.recv(65536), b''))
        self.assertFalse(told.endswith(b'0\r\n\r\n'))

    def test_it_stops_while_rows_are_sent(self):
        self.fill(500_000)
        with self.open_export('/books.jsonl') as export:
            export.recv(100)
            began = time.monotonic()
            self.program.stop()
            self.assertLess(time.monotonic() - began, 30)
        self.wait_for_none()

    def test_it_stops_with_connections_open(self):
        self.add('Emma')
        self.assertEqual(self.program.stop(), 0)
        self.assertEqual(self.server.ask('select count(*) from books'), '1')


if __name__ == '__main__':
    unittest.main()

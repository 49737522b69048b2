"""The benchmark service as a process: its responses, its delays, many clients, signals."""

import contextlib
import json
import pathlib
import signal
import socket
import sqlite3
import sys
import tempfile
import threading
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / 'arena'))

from experiments import database, form
from experiments.model import Machine
from load import postgres
from verify import answers, rows

from mariadb_support import MariadbServer
from redis_support import RedisServer
from support import (STOP_SECONDS_MAX, Program, free_port, open_files_max, receive_until,
                     run_to_end)

PROGRAM = 'arena_eider'
BACKENDS = ('epoll', 'io_uring')
DELAY_MS = 200


def post_delayed(service, path, count):
    """One client: sends this number of requests, each on a new connection. Returns the
    responses."""
    body = json.dumps({'n': 1})
    kind = {'Content-Type': 'application/json'}
    return [service.ask('POST', path, body, kind) for _ in range(count)]


def seconds_of_clients(service, path, clients, count):
    """Returns how long this number of clients takes in parallel."""
    threads = [threading.Thread(target=post_delayed, args=(service, path, count))
               for _ in range(clients)]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - begin


class Items(unittest.TestCase):
    def test_those_that_redis_keeps_are_as_the_rules_of_crud_say(self):
        stored = postgres.shared()
        stored.fill()
        with RedisServer('secret') as redis, \
                Program(PROGRAM, '{port}', '1', '--database', stored.where,
                        '--redis', redis.url) as service:
            rows.CrudWalk().check(service.port)
            with socket.create_connection(('127.0.0.1', redis.port), 10) as asking:
                asking.sendall(b'AUTH secret\r\nINFO commandstats\r\nQUIT\r\n')
                with asking.makefile('rb') as answer:
                    told = answer.read()
        for command in (b'get', b'set', b'del'):
            self.assertIn(b'cmdstat_' + command + b':calls=', told)


class Databases(unittest.TestCase):
    """TechEmpower's tests, as the arena checks them, for parts that its contestants do not use."""

    def check(self, where, ask):
        fortunes = ', '.join(f"({number}, '{text.replace(chr(39), chr(39) * 2)}')"
                             for number, text in enumerate(postgres.FORTUNES, 1))
        ask(f'''create table world(id int primary key, randomnumber int not null);
            create table fortune(id int primary key, message text not null);
            insert into fortune values {fortunes}''')
        for first in range(1, postgres.WORLDS + 1, 1000):
            ask('insert into world values' + ', '.join(
                f'({world}, {postgres.number_of(world)})' for world in range(first, first + 1000)))
        cells = database.techempower(Machine((0,), (1,))).cells
        with Program(PROGRAM, '{port}', '1', '--database', where) as service:
            for cell in cells:
                with self.subTest(cell.id):
                    answers.check(service.port, cell.ask.request(), 1, cell.ask.expected, True)
                    for each in cell.ask.first:
                        if not isinstance(each, rows.Updated):  # which reads from PostgreSQL
                            each.check(service.port)
            updated = json.loads(service.ask('GET', '/updates?count=20')[2])
        told = ','.join(str(world['id']) for world in updated)
        return updated, f'select id, randomnumber from world where id in ({told}) order by id'

    def test_over_sqlite(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        with contextlib.closing(sqlite3.connect(f'{folder}/arena.db')) as stored:
            updated, sql = self.check(f'sqlite:{folder}/arena.db', stored.executescript)
            self.assertEqual(stored.execute(sql).fetchall(),
                             [(world['id'], world['randomNumber']) for world in updated])

    def test_over_mariadb(self):
        server = self.enterContext(MariadbServer())
        updated, sql = self.check(server.where, lambda sql: server.ask(sql, 'test'))
        self.assertEqual(server.ask(sql, 'test').split(),
                         [str(value) for world in updated for value in world.values()])


class Answers(unittest.TestCase):
    def test_every_endpoint_answers_on_every_backend(self):
        expected = {'/plaintext': b'Hello, World!', '/simple': b'Hello, World!',
                    '/json': b'{"message":"Hello, World!"}', '/test/status': b'OK',
                    '/test/labels/a%20b': b'a b', '/users/42/posts/7': b'42 7'}
        for backend in BACKENDS:
            with Program(PROGRAM, '{port}', '1', '--backend', backend) as service:
                for path, body in expected.items():
                    with self.subTest(backend=backend, path=path):
                        status, headers, told = service.ask('GET', path)
                        self.assertEqual((status, told), (200, body))
                        self.assertLessEqual({'Date', 'Server', 'Content-Type', 'Content-Length'},
                                             headers.keys())

    def test_an_order_is_checked_behind_middleware_or_taken_as_it_is(self):
        order = {'id': 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'name': 'Ada', 'mail': 'a@b.example',
                 'street': 'Way 1', 'postcode': '10115', 'city': 'Berlin', 'country': 'DE',
                 'paid_with': 'card', 'tags': ['new'], 'is_gift': False,
                 'lines': [{'sku': 'tea-1', 'count': 3, 'cents': 250}]}
        wrong = {**order, 'mail': 'nobody', 'country': 'FR', 'tags': ['a', 'a'],
                 'lines': [{'sku': 'TEA', 'count': 0, 'cents': 1}]}
        kind = {'Content-Type': 'application/json'}
        with Program(PROGRAM, '{port}', '1') as service:
            for path in ('/checked', '/unchecked'):
                status, fields, told = service.ask('POST', path, json.dumps(order), kind)
                self.assertEqual((status, told), (200, b'{"name":"Ada","lines":1,"cents":750}'))
                self.assertEqual('X-Request-Id' in fields, path == '/checked')
                self.assertEqual('RateLimit' in fields, path == '/checked')
            status, _, told = service.ask('POST', '/checked', json.dumps(wrong), kind)
            self.assertEqual(status, 422)
            pointers = {error['pointer'] for error in json.loads(told)['errors']}
            self.assertEqual(pointers, {'/mail', '/country', '/tags', '/lines/0/sku',
                                        '/lines/0/count'})
            self.assertEqual(service.ask('POST', '/unchecked', json.dumps(wrong), kind)[0], 200)

    def test_a_form_is_shown_with_its_session_and_its_token(self):
        with Program(PROGRAM, '{port}', '1') as service:
            answers.check(service.port, form.FORM.request(), 2, form.FORM.expected, False)

    def test_a_big_answer_arrives_whole(self):
        for backend in BACKENDS:
            with self.subTest(backend), \
                    Program(PROGRAM, '{port}', '1', '--backend', backend) as service:
                status, _, body = service.ask('GET', '/big')
                self.assertEqual((status, len(body)), (200, 8 << 20))

    def test_what_is_posted_comes_back_with_a_reply(self):
        with Program(PROGRAM, '{port}', '1') as service:
            for path in ('/test', '/test/blocking'):
                for _, (status, _, body) in enumerate(post_delayed(service, path, 2)):
                    self.assertEqual(status, 200)
                    self.assertEqual(json.loads(body), {'n': 1, 'reply': 'received'})

    def test_wrong_requests_are_told_why(self):
        with Program(PROGRAM, '{port}', '1') as service:
            for method, path, status in (('GET', '/nowhere', 404), ('DELETE', '/plaintext', 405),
                                         ('GET', '/users/x/posts/7', 400), ('POST', '/test', 400)):
                with self.subTest(path):
                    told, headers, body = service.ask(
                        method, path, '{' if method == 'POST' else None,
                        {'Content-Type': 'application/json'})
                    self.assertEqual(told, status)
                    self.assertEqual(headers['Content-Type'], 'application/problem+json')
                    self.assertEqual(json.loads(body)['status'], status)


class Delays(unittest.TestCase):
    def test_awaiting_holds_no_thread(self):
        with Program(PROGRAM, '{port}', '2', '--delay-ms', str(DELAY_MS)) as service:
            seconds = seconds_of_clients(service, '/test', clients=50, count=5)
            self.assertGreaterEqual(seconds, 1.0)
            # 50 waits one after the other on two threads would take 25 times as long.
            self.assertLess(seconds, 20)


class ManyClients(unittest.TestCase):
    def test_ten_thousand_connections_are_answered_and_the_exit_is_clean(self):
        count = min(10000, open_files_max() - 500)
        request = b'GET /plaintext HTTP/1.1\r\nHost: x\r\n\r\n'
        for backend in BACKENDS:
            with self.subTest(backend), \
                    Program(PROGRAM, '{port}', '2', '--backend', backend) as service:
                connections = [service.connect() for _ in range(count)]
                try:
                    for _ in range(2):
                        for connection in connections:
                            connection.sendall(request)
                        for connection in connections:
                            receive_until(connection, b'Hello, World!')
                    self.assertEqual(service.stop(), 0)
                finally:
                    for connection in connections:
                        connection.close()


class Signals(unittest.TestCase):
    def start_slow_request(self, service):
        """Sends a request with a slow response, and waits until it has started."""
        connection = service.connect()
        connection.sendall(b'POST /test HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
                           b'Expect: 100-continue\r\nContent-Length: 2\r\n\r\n')
        receive_until(connection, b'\r\n\r\n')
        connection.sendall(b'{}')
        return connection

    def test_what_is_in_flight_is_finished_first(self):
        for how in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(how), \
                    Program(PROGRAM, '{port}', '1', '--delay-ms', '600') as service, \
                    self.start_slow_request(service) as connection:
                service.process.send_signal(how)
                answer = receive_until(connection, b'}')
                self.assertIn(b'200 OK', answer)
                self.assertIn(b'connection: close', answer.lower())
                self.assertEqual(service.process.wait(STOP_SECONDS_MAX), 0)

    def test_a_second_signal_leaves_at_once(self):
        with Program(PROGRAM, '{port}', '1', '--delay-ms', '60000') as service, \
                self.start_slow_request(service):
            service.process.send_signal(signal.SIGTERM)
            self.await_refused(service)
            begin = time.monotonic()
            service.stop()
            self.assertLess(time.monotonic() - begin, 25)

    def await_refused(self, service):
        """Waits until the first signal is handled: then connections are refused."""
        end = time.monotonic() + STOP_SECONDS_MAX
        while time.monotonic() < end:
            try:
                service.connect().close()
            except OSError:
                return
            time.sleep(0.01)
        self.fail('it still accepts after SIGTERM')


class Mistakes(unittest.TestCase):
    def test_a_busy_port_is_named(self):
        port = free_port()
        with socket.socket() as other:
            other.bind(('127.0.0.1', port))
            other.listen()
            status, text = run_to_end(PROGRAM, str(port), '1')
        self.assertEqual(status, 1)
        self.assertIn(str(port), text)

    def test_what_is_wrong_about_a_command_line_is_named(self):
        for arguments, said in (((), 'PORT is required'), (('8080',), 'THREADS is required'),
                                (('8080', '1', '--backend', 'none'), '--backend: none'),
                                (('65536', '1'), 'PORT: '), (('8080', '1', '--x'), '--x'),
                                (('8080', '1', '--routes'), '--routes: '),
                                (('8080', '1', '2'), 'not expected: 2')):
            with self.subTest(arguments):
                status, text = run_to_end(PROGRAM, *arguments)
                self.assertEqual(status, 2)
                self.assertIn(said, text)


if __name__ == '__main__':
    unittest.main()

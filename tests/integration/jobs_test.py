"""Jobs and schedules of several processes, and `eider jobs`. See jobs_faults_test.py for faults."""

import http.client
import itertools
import json
import socket
import time
import unittest
import urllib.request
from pathlib import Path

from jobs_support import HAS_MARIADB, HAS_POSTGRES, Processes, runs_of
from mariadb_support import MariadbServer
from postgres_support import PostgresServer
from support import BIN, Program, free_port, run_to_end

JOBS = 1000
RUNS = 5
PROCESSES = 3
SECONDS_MAX = 60


class Worker(Program):
    """A process with --jobs-only, which notifies systemd when it is ready."""

    def __init__(self, directory, *arguments):
        self.path = Path(directory, 'notify')
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))
        self.socket.settimeout(60)
        super().__init__('jobs_app', '--jobs-only', *arguments,
                         environment={'NOTIFY_SOCKET': str(self.path)})

    def _await_listening(self):
        while b'READY=1' not in self.socket.recv(4096):
            pass

    def __exit__(self, *_):
        super().__exit__()
        self.socket.close()
        self.path.unlink()


class JobsTest(Processes):
    """The tests for each database."""

    shift_seconds = 600  # difference between the clocks of its processes

    def test_a_shutdown_repeats_nothing(self):
        self.post(f'/orders/0/{JOBS}')
        program = self.start('--takes', '5ms')
        for _ in range(5):
            time.sleep(0.2)
            self.end(program)
            program = self.start('--takes', '5ms')
        self.await_end(program)
        self.check(program)
        self.end(program)

    def test_all_processes_together_run_as_many_jobs_as_a_queue_allows(self):
        count = 200
        self.post(f'/nap/{count}')
        words = '--takes', '10ms', '--cluster', '3'
        programs = [self.start(*words) for _ in range(PROCESSES)]
        self.await_true(self.notes.exists)
        self.kill(programs[0])
        programs[0] = self.start(*words)
        self.await_end(programs[0])
        for program in programs:
            self.end(program)
        all_runs = runs_of(self.notes).values()
        self.assertEqual(len(all_runs), count)
        changes = []
        for run in [run for runs in all_runs for run in runs]:
            changes += [(run.begin, 1), (self.end_of(run), -1)]
        running = list(itertools.accumulate(change for _, change in sorted(changes)))
        self.assertLessEqual(max(running), 3)

    def test_web_servers_enqueue_and_workers_run(self):
        server = self.start('--no-jobs')
        self.order(server, 3)
        following = http.client.HTTPConnection('127.0.0.1', server.port, timeout=60)
        following.request('GET', '/progress/1')
        events = following.getresponse()
        self.assertIn(b'"state":"available"', events.readline())
        self.check_worker(server, 3)
        self.assertIn(b'event: end\ndata: {"state":"ended"', events.read())
        following.close()
        self.order(server, 6)
        self.check_worker(server, 6, '--workers', '2')
        self.end(server)
        runs = [each[0] for each in runs_of(self.notes).values()]
        self.assertFalse(any(run.is_cancelled or run.process == server.process.pid for run in runs))

    def test_a_worker_with_monitoring_serves_nothing_else(self):
        with Worker(self.directory, '--jobs-monitoring', '--port', '{port}', '--database',
                    self.where) as worker:
            # Its worker begins its lease after the start, and each event loop caches the checks.
            self.await_true(lambda: json.loads(worker.ask('GET', '/readyz')[2])
                            == {'status': 'ok', 'checks': {'jobs': 'ok'}})
            self.assertEqual(worker.ask('GET', '/livez')[0], 200)
            self.assertEqual(worker.ask('GET', '/orders')[0], 404)
            self.assertEqual(worker.ask('POST', '/orders/0/3')[0], 404)
            self.assertEqual(worker.stop(), 0)

    def order(self, server, first):
        """Adds three orders, each with a job."""
        self.assertEqual(server.ask('POST', f'/orders/{first}/3')[0], 200)

    def check_worker(self, server, begun, *more):
        """Runs three jobs, and ends only after them."""
        metrics = free_port()
        with Worker(self.directory, '--port', '{port}', '--database', self.where, '--notes',
                    str(self.notes), '--takes', '1s', '--metrics', f'127.0.0.1:{metrics}',
                    *more) as worker:
            self.assertRaises(OSError, worker.connect)
            with urllib.request.urlopen(f'http://127.0.0.1:{metrics}/metrics') as page:
                self.assertIn(b'process_', page.read())
            self.await_true(lambda: len(runs_of(self.notes)) == begun)
            self.assertEqual(worker.stop(), 0)
            self.assertIn('Eider runs without an HTTP address', worker.said())
        self.assertEqual(self.call(server, '/left'), 0)
        self.assertEqual(self.check(server)[0], begun)

    def test_processes_with_different_clocks_run_a_schedule_once(self):
        admin = self.start('--no-jobs')
        first = self.start()
        self.await_true(lambda: self.call(admin, '/plan/1000000', 'POST') != 0)
        self.end(first)
        times = []
        for _ in range(RUNS):
            times.append(self.call(admin, '/plan/1000', 'POST'))
            slow, fast = self.start_at(-self.shift_seconds), self.start_at(self.shift_seconds)
            self.assertGreater(self.call(fast, '/clock') - self.call(slow, '/clock'),
                               1000 * self.shift_seconds)
            self.await_true(lambda: len(self.call(admin, '/planned')) >= len(times)
                            and self.call(admin, '/left') == 0)
            self.end(slow)
            self.end(fast)
        self.assertEqual(self.call(admin, '/planned'), times)
        self.end(admin)

    def test_the_command_line_lists_and_changes_jobs(self):
        self.post('/touch/3')
        status, said = self.eider('list')
        self.assertEqual(status, 0)
        self.assertEqual(said.count('available'), 3)
        jobs = json.loads(self.eider('list', '--json', '--state', 'available')[1])
        first = jobs[-1]['id']
        for words in (['--queue', 'default', '--type', 'Touch', '--limit', '2'],
                      ['--before', str(first + 2)]):
            found = json.loads(self.eider('list', '--json', *words)[1])
            self.assertEqual(len(found), 2, words)
        self.assertEqual(json.loads(self.eider('list', '--json', '--type', 'Store')[1]), [])
        self.assertEqual(json.loads(jobs[-1]['args']), {'n': 0})
        self.assertIn('"n":0', self.eider('show', str(first))[1])
        self.assertEqual(self.eider('show', '999')[0], 3)
        self.assertEqual(self.eider('retry', str(first))[0], 3)  # it is already waiting
        self.assertEqual(self.eider('discard', str(first), 'second')[0], 2)  # changes nothing
        self.assertEqual(self.eider('discard', str(first)), (0, f'discarded {first}\n'))
        self.assertEqual(self.eider('discard', str(first))[0], 3)
        self.assertEqual(self.eider('pause', 'default')[0], 0)
        self.assertIn('paused', self.eider('queues')[1])
        self.assertEqual([queue['available'] for queue in
                          json.loads(self.eider('queues', '--json')[1])], [2])
        program = self.start()
        time.sleep(1)
        self.assertEqual(self.call(program, '/left'), 2)
        self.assertEqual(self.eider('resume', 'default')[0], 0)
        self.await_end(program)
        self.end(program)
        self.assertIn('yearly', self.eider('schedules')[1])

    def eider(self, *words):
        """Returns exit status and output."""
        return run_to_end('eider', 'jobs', *words, '--database', self.where)[:2]

    def start_at(self, shift):
        """Starts a process whose clock differs from that of the machine by this number of
        seconds."""
        return self.start(environment={'LD_PRELOAD': str(BIN / 'shifted_clock.so'),
                                       'SHIFTED_CLOCK_SECONDS': str(shift)})

    def await_true(self, check):
        deadline = time.monotonic() + SECONDS_MAX
        while not check():
            self.assertLess(time.monotonic(), deadline, self.all_said())
            time.sleep(0.02)


class Sqlite(JobsTest, unittest.TestCase):
    """An SQLite file. Its times are those of the processes, so their clocks must differ by less
    than their lease."""

    lease_ms = 20_000
    shift_seconds = 5

    def setUp(self):
        super().setUp()
        self.where = str(Path(self.directory, 'jobs.db'))


@unittest.skipUnless(HAS_POSTGRES, 'PostgreSQL is not installed')
class Postgres(JobsTest, unittest.TestCase):
    """A temporary PostgreSQL server."""

    def setUp(self):
        super().setUp()
        self.where = self.enterContext(PostgresServer()).where


@unittest.skipUnless(HAS_MARIADB, 'MariaDB is not installed')
class Mariadb(JobsTest, unittest.TestCase):
    """A temporary MariaDB server."""

    def setUp(self):
        super().setUp()
        self.where = self.enterContext(MariadbServer()).where


class CommandLine(unittest.TestCase):
    """eider jobs, with errors of its user."""

    def test_invalid_usage_is_reported(self):
        for code, words in ((2, ['start']), (2, ['show']), (2, ['show', '1x']),
                            (2, ['list', '--limit', 'many']),
                            (1, ['list'])):  # there is no database
            with self.subTest(words):
                self.assertEqual(run_to_end('eider', 'jobs', *words, '--database', 'none.db')[0],
                                 code)


if __name__ == '__main__':
    unittest.main()

"""Jobs are done once while processes, the database and its connections fail, on each database.

None is lost, none runs without the commit that added it or twice at the same time, and effects in
the database happen once. EIDER_JOBS sets the number of jobs, EIDER_SEED repeats a run.
"""

import collections
import http.client
import os
import random
import signal
import sqlite3
import threading
import time
import unittest
from pathlib import Path

from jobs_support import HAS_MARIADB, HAS_POSTGRES, Fault, Processes, now
from mariadb_support import MariadbServer
from postgres_support import PostgresServer
from relay_support import Relay

JOBS = int(os.environ.get('EIDER_JOBS', '2000'))
SEED = int(os.environ.get('EIDER_SEED', random.randrange(1 << 30)))
JOBS_PER_FAULT = 500
ROUNDS_MIN = 2
LEAD = 2  # so that the workers are busy
WORKERS = 3
TAKES = ('--takes', '50ms')


class Orders(threading.Thread):
    """Adds orders with their jobs, several in each transaction; some transactions are rolled
    back."""

    def __init__(self, start):
        super().__init__()
        self.start_program = start
        self.program = start()
        self.random = random.Random(SEED)
        self.changed = threading.Condition()
        self.wanted = 0
        self.is_over = False
        self.acknowledged = set()
        self.rolled_back = set()
        self.next = 0

    def want(self, count):
        """Requests this number of further orders."""
        with self.changed:
            self.wanted += count
            self.changed.notify()

    def finish(self):
        """Ends after all requested orders."""
        with self.changed:
            self.is_over = True
            self.changed.notify()
        self.join()

    def abandon(self):
        """Ends after the current order."""
        self.want(-self.wanted)
        self.finish()

    def run(self):
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.is_over or self._is_wanted())
                if not self._is_wanted():
                    return
            try:
                self._add()
            except (OSError, http.client.HTTPException):  # it may have been committed
                self._restart()

    def _is_wanted(self):
        return len(self.acknowledged) < self.wanted

    def _add(self):
        count = self.random.choice((1, 3, 20, 60))
        numbers = range(self.next, self.next + count)
        is_rolled_back = self.random.random() < 0.1
        self.next += count
        path = f'/orders/{numbers.start}/{count}' + '?rolled_back=on' * is_rolled_back
        if self.program.ask('POST', path)[0] == 200:
            (self.rolled_back if is_rolled_back else self.acknowledged).update(numbers)
        else:
            time.sleep(0.1)  # the database is unavailable

    def _restart(self):
        while self.program.process.poll() is not None:
            try:
                self.program = self.start_program()
            except AssertionError:  # the database is unavailable
                time.sleep(0.1)


class Worker:
    """A process that runs jobs. `relay` is its connection to the server, if there is one."""

    def __init__(self, program, where, relay):
        self.program = program
        self.where = where
        self.relay = relay
        self.is_away = False


class Faults(Processes):
    """The tests for each database."""

    kinds = ('kill_worker', 'freeze_worker', 'restart_worker', 'kill_orders')

    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.counts = collections.Counter()
        self.threads = []

    def test_jobs_are_done_once(self):
        begin = time.monotonic()
        self.workers = [self.start_worker(number) for number in range(WORKERS)]
        self.orders = Orders(lambda: self.start('--no-jobs'))
        self.orders.start()
        self.addCleanup(self.orders.abandon)
        self.cause_faults()
        for thread in self.threads:
            thread.join()
        self.orders.finish()
        last, *others = (worker.program for worker in self.workers)
        self.await_end(last)
        for program in others:
            self.end(program)
        if self.orders.program.process.poll() is None:  # not killed after its last order
            self.end(self.orders.program)
        jobs, repeated, unexplained = self.check(last)
        orders = set(self.call(last, '/orders'))
        self.assertLessEqual(self.orders.acknowledged, orders, 'a committed order is lost')
        self.assertFalse(self.orders.rolled_back & orders)
        self.end(last)
        faults = ', '.join(f'{count} {kind}' for kind, count in sorted(self.counts.items()))
        print(f'{type(self).__name__}, seed {SEED}: {jobs} jobs, {repeated} attempts repeated '
              f'({unexplained} without a fault of the test); faults: {faults}; '
              f'{time.monotonic() - begin:.0f} s', flush=True)

    def cause_faults(self):
        """Causes each kind of fault equally often, in random order; orders are added in between."""
        rounds = max(ROUNDS_MIN, JOBS // (JOBS_PER_FAULT * len(self.kinds)))
        plan = list(self.kinds) * rounds
        self.random.shuffle(plan)
        per_fault = -(-JOBS // (len(plan) + LEAD))
        self.orders.want(LEAD * per_fault)
        for kind in plan:
            self.orders.want(per_fault)
            time.sleep(self.random.uniform(0.1, 0.5))
            getattr(self, kind)()

    def start_worker(self, _):
        return self.run_worker(self.where, None)

    def run_worker(self, where, relay):
        return Worker(self.start(*TAKES, where=where), where, relay)

    def choose(self):
        """Returns an available worker; None if there is none."""
        there = [worker for worker in self.workers if not worker.is_away]
        return self.random.choice(there) if there else None

    def take_away(self, worker, how):
        """Runs in parallel with other faults."""

        def run():
            how()
            worker.is_away = False

        worker.is_away = True
        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()

    def sleep_longer_than_lease(self):
        time.sleep(self.lease_ms / 1000 * 1.5)

    def note(self, kind, process=None, begin=None):
        """Records a fault of a process, or of all, which ends now."""
        self.faults.append(Fault(kind, process, begin or now(), now()))

    # Faults.

    def kill_worker(self):
        worker = self.choose()
        if worker:
            self.counts['killed'] += 1
            self.note('kill', worker.program.process.pid)
            self.kill(worker.program)
            worker.program = self.start(*TAKES, where=worker.where)

    def restart_worker(self):
        worker = self.choose()
        if worker:
            self.counts['shut down'] += 1
            self.end(worker.program)
            worker.program = self.start(*TAKES, where=worker.where)

    def freeze_worker(self):
        worker = self.choose()
        if worker:
            self.counts['frozen'] += 1
            self.take_away(worker, lambda: self.freeze(worker.program, self.lease_ms / 1000 * 1.5))

    def kill_orders(self):
        self.counts['killed while it added jobs'] += 1
        process = self.orders.program.process
        process.kill()
        process.wait()


class Server(Faults):
    """Databases with a server. Each worker has a relay to its socket."""

    kinds = (*Faults.kinds, 'cut_worker', 'cut_off_worker', 'kill_database', 'restart_database',
             'freeze_database')

    def start_worker(self, number):
        directory = Path(self.directory, f'relay{number}')
        directory.mkdir()
        target = Path(self.server.socket)
        relay = self.enterContext(Relay(directory / target.name, target))
        return self.run_worker(self.server.where_of(directory / target.name), relay)

    def cut_worker(self):
        """Its connections end, and it may reconnect."""
        worker = self.choose()
        if worker:
            self.counts['connections cut'] += 1
            self.note('cut', worker.program.process.pid)
            worker.relay.cut()

    def cut_off_worker(self):
        """For longer than its lease. Then its bytes arrive late, or never."""
        worker = self.choose()
        if not worker:
            return
        self.counts['cut off'] += 1
        is_late = self.random.random() < 0.5

        def cut_off():
            begin = now()
            worker.relay.hold()
            self.sleep_longer_than_lease()
            if not is_late:
                worker.relay.cut()
            worker.relay.go_on()
            self.note('cut off', worker.program.process.pid, begin)

        self.take_away(worker, cut_off)

    def kill_database(self):
        self.counts['database killed'] += 1
        begin = now()
        self.server.kill()
        time.sleep(self.random.uniform(0, 0.5))
        self.server.start()
        self.note('database', begin=begin)

    def restart_database(self):
        self.counts['database restarted'] += 1
        begin = now()
        self.server.stop()
        self.server.start()
        self.note('database', begin=begin)

    def freeze_database(self):
        self.counts['database frozen'] += 1
        begin = now()
        self.server.send_signal(signal.SIGSTOP)
        self.sleep_longer_than_lease()
        self.server.send_signal(signal.SIGCONT)
        self.note('database', begin=begin)


class Sqlite(Faults, unittest.TestCase):
    """An SQLite file."""

    kinds = (*Faults.kinds, 'lock_database')

    def setUp(self):
        super().setUp()
        self.where = str(Path(self.directory, 'jobs.db'))

    def freeze(self, program, seconds):
        """The process may have the lock of the only writer."""
        begin = now()
        super().freeze(program, seconds)
        self.note('database', begin=begin)

    def lock_database(self):
        """Another program writes for longer than the lease."""
        self.counts['database locked'] += 1
        begin = now()
        connection = sqlite3.connect(self.where, timeout=60, isolation_level=None)
        connection.execute('begin immediate')
        self.sleep_longer_than_lease()
        connection.execute('rollback')
        connection.close()
        self.note('database', begin=begin)


@unittest.skipUnless(HAS_POSTGRES, 'PostgreSQL is not installed')
class Postgres(Server, unittest.TestCase):
    """A temporary PostgreSQL server."""

    def setUp(self):
        super().setUp()
        self.server = self.enterContext(PostgresServer())
        self.where = self.server.where


@unittest.skipUnless(HAS_MARIADB, 'MariaDB is not installed')
class Mariadb(Server, unittest.TestCase):
    """A temporary MariaDB server."""

    def setUp(self):
        super().setUp()
        self.server = self.enterContext(MariadbServer())
        self.where = self.server.where


if __name__ == '__main__':
    unittest.main()

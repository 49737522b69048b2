"""Processes with jobs that a test kills, freezes or disconnects, and the effects of their jobs.

All processes record their runs in one file, with a common clock. The database contains the orders,
each with one job, and the effects of those jobs that change the database.
"""

import json
import re
import shutil
import signal
import tempfile
import time
from pathlib import Path

from support import Program

# Maximum time in which no job ends. Far less than the time limit of a script, so that the failure
# is reported.
IDLE_SECONDS_MAX = 100
HAS_POSTGRES = Path('/usr/lib/postgresql').exists()
HAS_MARIADB = bool(shutil.which('mariadbd')) or Path('/usr/sbin/mariadbd').exists()


def now():
    """Returns the time of the clock of the records."""
    return time.clock_gettime(time.CLOCK_MONOTONIC)


class Run:
    """The run of a handler, from its begin to its end; None: it was killed."""

    def __init__(self, process, begin):
        self.process = process
        self.begin = begin
        self.end = None
        self.is_cancelled = False


def runs_of(notes):
    """Returns the runs of each job, in the order of their start."""
    runs = {}
    for line in notes.read_text().splitlines() if notes.exists() else []:
        what, job, process, at = line.split()
        if what == 'begin':
            runs.setdefault(int(job), []).append(Run(int(process), float(at)))
        else:
            run = next(run for run in reversed(runs[int(job)]) if run.process == int(process))
            run.end = float(at)
            run.is_cancelled = what == 'cancel'
    return runs


def has_effect_in_database(job):
    """Returns whether the job changes the database; every third one only notifies others."""
    return job % 3 != 2


class Fault:
    """A fault that a test caused in a process, or in all of them: then its process is None."""

    def __init__(self, kind, process, begin, end):
        self.kind = kind
        self.process = process
        self.begin = begin
        self.end = end

    def explains(self, before, after, seconds):
        """Returns whether it may be the reason for repeating the first run, at most one lease
        later."""
        return (self.process in (None, before.process) and self.begin <= after.begin
                and before.begin <= self.end + seconds)


class Processes:
    """A mixin for a TestCase. `where` is its database."""

    lease_ms = 4000
    where = None

    def setUp(self):
        self.directory = self.enterContext(tempfile.TemporaryDirectory())
        self.notes = Path(self.directory, 'notes')
        self.killed = {}  # time by process
        self.faults = []
        self.logs = []
        self.programs = []

    def start(self, *more, where=None, environment=None):
        program = Program('jobs_app', '--port', '{port}', '--threads', '1', '--database',
                          where or self.where, '--notes', str(self.notes), '--lease',
                          f'{self.lease_ms}ms', *more, environment=environment)
        program.__enter__()
        self.addCleanup(lambda: program.errors.closed or program.__exit__())
        self.programs.append(program)
        return program

    def all_said(self):
        """Returns the output of the running processes, for messages."""
        return [program.said() for program in self.programs if not program.errors.closed]

    def kill(self, program):
        """Kills the process, like the kernel when memory is short."""
        self.killed[program.process.pid] = now()
        program.process.kill()
        program.process.wait()
        self.logs.append(program.said())
        program.__exit__()

    def end(self, program):
        """Shuts the process down."""
        self.assertEqual(program.stop(), 0, program.said())
        self.logs.append(program.said())
        program.__exit__()

    def freeze(self, program, seconds):
        """Freezes the process for this time."""
        pid = program.process.pid
        begin = now()
        program.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.faults.append(Fault('freeze', pid, begin, now()))
        program.process.send_signal(signal.SIGCONT)

    def call(self, program, path, method='GET'):
        """Returns the JSON of a response."""
        status, _, body = program.ask(method, path)
        self.assertEqual(status, 200, body)
        return json.loads(body)

    def post(self, path):
        """Sends the request to a process that runs no jobs."""
        program = self.start('--no-jobs')
        status, _, body = program.ask('POST', path)
        self.assertEqual(status, 200, body)
        self.end(program)

    def await_end(self, program):
        """Waits until no job is left. The database may still be unavailable for a while."""
        fewest, status, body = float('inf'), None, None
        deadline = time.monotonic() + IDLE_SECONDS_MAX
        while time.monotonic() < deadline:
            status, _, body = program.ask('GET', '/left')
            if (status, body) == (200, b'0'):
                return
            if status == 200 and int(body) < fewest:
                fewest = int(body)
                deadline = time.monotonic() + IDLE_SECONDS_MAX
            time.sleep(0.1)
        self.fail(f'jobs are left: {status} {body}, {self.all_said()}')

    def end_of(self, run):
        """Returns when the run certainly ended. A process that was frozen for longer than its lease
        may execute a few instructions before it notices."""
        end = run.end or self.killed.get(run.process, float('inf'))
        for fault in self.faults:
            if fault.kind == 'freeze' and fault.process == run.process \
                    and fault.begin <= end and run.begin < fault.end:
                end = min(end, fault.begin)
        return end

    def check(self, program):
        """Checks that no job is lost, runs without an order, or runs twice at the same time.
        Returns the number of jobs, of repeated attempts, and of those without a fault."""
        orders = set(self.call(program, '/orders'))
        effects = sorted(self.call(program, '/effects'))
        runs = runs_of(self.notes)
        self.assertEqual(effects, sorted(filter(has_effect_in_database, orders)))
        self.assertEqual(set(runs), orders, 'jobs ran without an order, or not at all')
        repeated, unexplained = 0, 0
        for job, its in runs.items():
            if not has_effect_in_database(job):
                self.assertTrue(any(run.end and not run.is_cancelled for run in its), job)
            for before, after in zip(its, its[1:]):
                self.assertLessEqual(self.end_of(before), after.begin,
                                     f'job {job} ran in two processes at the same time')
                repeated += 1
                unexplained += not any(fault.explains(before, after, self.lease_ms / 500)
                                       for fault in self.faults)
        self.assertLessEqual(unexplained, self.logged(), 'attempts were repeated without a reason')
        return len(orders), repeated, unexplained

    def logged(self):
        """Returns how many attempts the processes reported as failed or canceled. On a busy
        machine, a statement may fail, and a lease may expire, without a fault of the test."""
        said = '\n'.join(self.logs)
        return said.count(' and runs again in ') + said.count(' was taken over: ') + sum(
            map(int, re.findall(r'(\d+) running jobs are canceled', said)))

"""Measures job queues on one PostgreSQL: enqueuing, working, being idle.

Must not know a queue: each adapter has the same protocol (arena/APPLICATIONS.md).
"""

import os
import select
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

from load import postgres, process
from load.server import ServerFailed
from peers.manifest import filled

ROLE = "jobs"  # of the adapters; the arena's own statements use another
SETTINGS = ("shared_preload_libraries=pg_stat_statements",)
CONNECTIONS, CONCURRENCY, BATCH = 20, 100, 1000
_LINE_SECONDS_MAX, _END_SECONDS_MAX, _LEFT_SECONDS_MAX = 600, 30, 60
_SETTLE_SECONDS, _LEFT_EVERY = 2, 0.05
_CALLS = ("select coalesce(sum(calls), 0) from pg_stat_statements "
          f"where userid = '{ROLE}'::regrole")


class JobsFailed(Exception):
    """A queue did not do its task; has the reason."""


@dataclass
class Amounts:
    """Numbers of jobs and the idle time of each round.

    singles  jobs that are enqueued in a transaction each
    """
    singles: int
    jobs: int
    idle_seconds: float

    @property
    def all_jobs(self):
        """Number of jobs of the worker."""
        return self.singles + self.jobs


class Adapter:
    """A process of an adapter. Use as a context manager."""

    def __init__(self, contestant, database, task, numbers=(0, 1)):
        more = contestant.command[len(contestant.peer.run["command"]):]
        self._words = [*filled(contestant.peer.run["command"], contestant.peer, database=database),
                       task, *map(str, numbers), str(CONNECTIONS), *more]
        self._environment = {**os.environ, **contestant.peer.run.get("environment", {})}
        self._process, self._log = None, tempfile.TemporaryFile()

    def __enter__(self):
        self._process = subprocess.Popen(
            self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log,
            env=self._environment, start_new_session=True)
        try:
            self.expect("ready")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        """Waits for its exit: a worker may delete its own row first."""
        self._process.stdin.close()
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_END_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()

    def begin(self):
        """Starts its task."""
        self._process.stdin.write(b"go\n")
        self._process.stdin.flush()

    def expect(self, line):
        """Waits for a line, and ignores others."""
        deadline = time.monotonic() + _LINE_SECONDS_MAX
        output, text = self._process.stdout.fileno(), b""
        while line.encode() not in text.split():
            if not select.select([output], [], [], max(0, deadline - time.monotonic()))[0]:
                raise JobsFailed(f"did not say {line} within {_LINE_SECONDS_MAX} s")
            read = os.read(output, 4096)
            if not read:
                raise JobsFailed(f"ended instead of saying {line}: {self._last_words()}")
            text += read

    def _last_words(self):
        self._log.seek(0)
        return self._log.read().decode(errors="replace").strip()[-500:]

    def cpu_ns(self):
        """CPU time of its process tree."""
        return process.cpu_ns(self._process.pid)[0]


class Meter:
    """Time, CPU time and statements since its creation."""

    def __init__(self, database, adapter):
        self._database, self._adapter = database, adapter
        database.run(postgres.DATABASE, "select pg_stat_statements_reset()")
        self._cpu = self._cpu_ns()
        self._began = time.monotonic()

    def _cpu_ns(self):
        return self._adapter.cpu_ns(), self._database.cpu_ns()

    def result(self, jobs, seconds=None):
        """The figures. seconds: default: until now."""
        seconds = time.monotonic() - self._began if seconds is None else seconds
        own, others = (max(0, after - before) for before, after in zip(self._cpu, self._cpu_ns()))
        calls = int(self._database.run(postgres.DATABASE, _CALLS))
        return figures(jobs, seconds, own, others, calls)

    def seconds(self):
        """Seconds since its creation."""
        return time.monotonic() - self._began


def figures(jobs, seconds, own_ns, postgres_ns, statements):
    """Figures per job, or per second if there are no jobs."""
    count = jobs or seconds
    found = {"seconds": seconds, "worker_cpu_us": own_ns / count / 1e3,
             "postgres_cpu_us": postgres_ns / count / 1e3,
             "cpu_us": (own_ns + postgres_ns) / count / 1e3, "statements": statements / count}
    if jobs:
        found["per_second"] = jobs / seconds
    return found


def server():
    """Returns the PostgreSQL of all contestants; it is started as a context manager."""
    return postgres.Postgres(settings=SETTINGS)


def where(database):
    """Returns libpq keywords for adapters."""
    return database.where.replace(f"user={postgres.USER}", f"user={ROLE}")


def prepare(database):
    """Creates the role of the adapters; call once."""
    database.run("postgres", f"create role {ROLE} superuser login")


def _renew(database, contestant):
    """Creates an empty database with the queue's tables."""
    name = postgres.DATABASE
    database.run("postgres", f"drop database if exists {name} with (force)")
    database.run("postgres", f"create database {name} owner {ROLE}")
    database.run(name, "create extension pg_stat_statements; create table effects(n bigint not "
                 f"null); alter table effects owner to {ROLE}")
    with Adapter(contestant, where(database), "create"):
        pass


def _enqueue(database, contestant, count, batch):
    with Adapter(contestant, where(database), "enqueue", (count, batch)) as adapter:
        meter = Meter(database, adapter)
        adapter.begin()
        adapter.expect("done")
        return meter.result(count)


def _await_none_left(database, contestant, meter):
    while int(database.run(postgres.DATABASE, contestant.peer.data["jobs"]["left"])):
        if meter.seconds() > _LINE_SECONDS_MAX + _LEFT_SECONDS_MAX:
            raise JobsFailed("has not recorded the end of all jobs")
        time.sleep(_LEFT_EVERY)


def _check_effects(database, amounts):
    """Each job must have run exactly once, because no worker was killed."""
    told = database.run(postgres.DATABASE, "select count(*), count(distinct n) from effects")
    expected = f"{amounts.all_jobs}|{max(amounts.singles, amounts.jobs)}"
    if told.strip() != expected:
        raise JobsFailed(f"ran (jobs|different ones) {told.strip()} instead of {expected}")


def _work(database, contestant, amounts):
    """Runs all jobs, then measures the idle worker."""
    database.run(postgres.DATABASE, "vacuum analyze")
    with Adapter(contestant, where(database), "work",
                 (amounts.all_jobs, CONCURRENCY)) as adapter:
        meter = Meter(database, adapter)
        adapter.begin()
        adapter.expect("done")
        seconds = meter.seconds()
        _await_none_left(database, contestant, meter)
        worked = meter.result(amounts.all_jobs, seconds)
        _check_effects(database, amounts)
        time.sleep(_SETTLE_SECONDS)
        meter = Meter(database, adapter)
        time.sleep(amounts.idle_seconds)
        return worked, meter.result(0)


def measure(database, contestant, amounts):
    """Measures a round of one contestant: {"single", "batch", "work", "idle"}, each with figures.

    Raises JobsFailed.
    """
    try:
        _renew(database, contestant)
        single = _enqueue(database, contestant, amounts.singles, 1)
        batch = _enqueue(database, contestant, amounts.jobs, BATCH)
        worked, idle = _work(database, contestant, amounts)
    except (OSError, subprocess.SubprocessError, ServerFailed) as failure:
        raise JobsFailed(getattr(failure, "stderr", "") or str(failure)) from None
    return {"single": single, "batch": batch, "work": worked, "idle": idle}

"""Measures the jobs per second of a process, and the CPU time of each job, on each database.

The jobs do nothing, so this is the cost of claiming and completing them. Needs EIDER_BIN.
"""

import json
import os
import tempfile
import time
from pathlib import Path

from mariadb_support import MariadbServer
from postgres_support import PostgresServer
from support import Program

JOBS = int(os.environ.get('EIDER_JOBS', '20000'))
CONCURRENCY = os.environ.get('EIDER_JOBS_CONCURRENCY', '200')
TICKS = os.sysconf('SC_CLK_TCK')


def cpu_of(pid):
    """Returns the CPU seconds of a process."""
    fields = Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def cpu_of_tree(pid):
    """Returns the CPU seconds of a process and its children, including ended ones."""
    fields = Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
    seconds = sum(int(field) for field in fields[11:15]) / TICKS
    children = Path(f'/proc/{pid}/task/{pid}/children').read_text().split()
    return seconds + sum(cpu_of(child) for child in children)


def measure(name, where, server):
    """Measures one database, and prints one line."""
    command = ('jobs_app', '--port', '{port}', '--threads', '1', '--database', where,
               '--concurrency', CONCURRENCY)
    with Program(*command, '--no-jobs') as enqueuing:
        begin = time.monotonic()
        assert enqueuing.ask('POST', f'/touch/{JOBS}')[0] == 200
        enqueued = time.monotonic() - begin
    before = cpu_of_tree(server) if server else 0
    begin = time.monotonic()
    with Program(*command) as worker:
        while json.loads(worker.ask('GET', '/left')[2]):
            time.sleep(0.05)
        took = time.monotonic() - begin
        own = cpu_of(worker.process.pid)
        others = cpu_of_tree(server) - before if server else 0
        print(f'{name:10} enqueued {JOBS / enqueued:8.0f} jobs/s, ran {JOBS / took:8.0f} jobs/s, '
              f'CPU per job: {own / JOBS * 1e6:5.1f} us worker, '
              f'{others / JOBS * 1e6:5.1f} us server')


def main():
    """Measures all databases, one after the other."""
    with tempfile.TemporaryDirectory() as directory:
        measure('SQLite', str(Path(directory, 'jobs.db')), None)
    with PostgresServer() as server:
        measure('PostgreSQL', server.where, server.process.pid)
    with MariadbServer() as server:
        measure('MariaDB', server.where, server.process.pid)


if __name__ == '__main__':
    main()

"""Load shedding: which requests are rejected and how fast, and that none is rejected without it.

Must not check times narrowly, or compare runs.
"""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from support import BIN, Program

PROGRAM = 'arena_overloaded'
SECONDS = 3
CLIENTS = 400
REJECTION_SECONDS_MAX = 100e-6  # CPU time, also with cold caches
BACKENDS = ('epoll', 'io_uring')


def load(service, path, *words):
    """Returns the report of eider bench for a run in which only a 200 counts as a response."""
    with tempfile.NamedTemporaryFile(suffix='.json') as report:
        subprocess.run([BIN / 'eider', 'bench', '--no-progress', '--expect-status', '200',
                        '--json', report.name, *map(str, words),
                        f'http://127.0.0.1:{service.port}{path}'],
                       stdout=subprocess.DEVNULL, timeout=60, check=False)
        return json.loads(pathlib.Path(report.name).read_text('utf-8'))


def resident_mib(service):
    """Returns the memory of the service."""
    words = pathlib.Path(f'/proc/{service.process.pid}/status').read_text('ascii').split()
    return int(words[words.index('VmRSS:') + 1]) / 1024


def processor_seconds(service):
    """Returns the CPU time that the service has used."""
    stat = pathlib.Path(f'/proc/{service.process.pid}/stat').read_text('ascii')
    words = stat.split(') ')[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf('SC_CLK_TCK')


def shedding(*words):
    """Returns the program with load shedding."""
    return Program(PROGRAM, '--port', '{port}', '--threads', '1', '--limits-queue-time', '100ms',
                   *words)


@contextlib.contextmanager
def busy_processes(count):
    """Runs this number of processes that use all their CPU time, for at most a minute."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            process = stack.enter_context(
                subprocess.Popen(['timeout', '60', 'sh', '-c', 'while :; do :; done']))
            stack.callback(process.terminate)
        yield


class Asking(threading.Thread):
    """Requests one path repeatedly during a test."""

    def __init__(self, service, path):
        super().__init__()
        self.service = service
        self.path = path
        self.is_over = threading.Event()
        self.statuses = []

    def run(self):
        while not self.is_over.wait(0.05):
            self.statuses.append(self.service.ask('GET', self.path)[0])

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.join()


class Overload(unittest.TestCase):
    def check(self, service, path, each_seconds, at_once):
        """Sends eight times the requests that `at_once` processors could handle, and counts.

        All limits are ratios within one run, because another run may get another share of the
        machine.
        """
        before = resident_mib(service)
        computed_before = processor_seconds(service)
        with Asking(service, '/livez') as health, Asking(service, '/readyz') as ready:
            told = load(service, path, '-c', CLIENTS, '-r', int(8 * at_once / each_seconds),
                        '-d', f'{SECONDS}s', '--warmup', '2s', '--timeout', '50s')
        computed = processor_seconds(service) - computed_before
        refused = told['errors_by_kind']['wrong_status']
        self.assertEqual(told['errors'], refused, told['first_error'])
        self.assertGreater(refused, told['requests'] / 5)
        # Handlers get at least a fifth of the time that rejections leave; some of it is warm-up.
        left = computed - refused * REJECTION_SECONDS_MAX
        self.assertGreater(told['requests'] * each_seconds, left / 5)
        # Without rejections, each client would wait for all others.
        wait_ms = CLIENTS / told['requests_per_second'] * 1000
        self.assertLess(told['latency_from_sending']['p50_ms'], wait_ms / 4)
        self.assertGreater(told['latency_from_sending']['p50_ms'], each_seconds * 1000 / 2)
        self.assertLess(resident_mib(service) - before, 10)
        for asking in (health, ready):
            self.assertGreater(len(asking.statuses), 3)
            self.assertEqual(set(asking.statuses), {200})
        time.sleep(1.1)  # more than a second after the last late request
        after = load(service, path, '-c', 4, '-n', 100)
        self.assertEqual((after['requests'], after['errors']), (100, 0), after['first_error'])

    def test_of_handlers_that_compute_is_refused_and_not_waited_for(self):
        for backend in BACKENDS:
            with self.subTest(backend=backend), \
                    shedding('--backend', backend) as service:
                self.check(service, '/compute/2000', 0.002, 1)

    def test_of_blocking_handlers_is_refused_and_not_waited_for(self):
        with shedding() as service:
            self.check(service, '/blocking/2000', 0.002, os.cpu_count())

    def test_of_a_burst_refuses_nobody(self):
        with shedding() as service:
            told = load(service, '/compute/200', '-c', 200, '-n', 200)
            self.assertEqual((told['requests'], told['errors']), (200, 0), told['first_error'])

    def test_refusals_say_when_to_ask_again_and_read_a_pipeline_to_its_end(self):
        request = b'GET /compute/2000 HTTP/1.1\r\nHost: a\r\n\r\n'
        last = b'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
        with shedding() as service, subprocess.Popen(
                [BIN / 'eider', 'bench', '--no-progress', '-c', '100', '-d', '60s',
                 f'http://127.0.0.1:{service.port}/compute/2000'],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as flood, \
                contextlib.ExitStack() as stack:
            stack.callback(flood.terminate)
            deadline = time.monotonic() + 30
            while service.ask('GET', '/compute/2000')[0] != 503:
                self.assertLess(time.monotonic(), deadline, 'no request is rejected')
            with socket.create_connection(('127.0.0.1', service.port), timeout=30) as client:
                client.sendall(request * 1000 + last)
                with client.makefile('rb') as answers:
                    told = answers.read()
        heads = told.split(b'HTTP/1.1 ')[1:]
        self.assertEqual(len(heads), 1001)
        self.assertTrue(heads[-1].startswith(b'200'))
        refused = [head for head in heads if head.startswith(b'503')]
        self.assertGreater(len(refused), 100)
        for head in refused:
            self.assertIn(b'Retry-After: 1\r\n', head)


class ManyClients(unittest.TestCase):
    """By default, all clients of a closed loop are served, however long they wait for each
    other."""

    def test_10000_connections_beside_six_busy_processes_get_no_error(self):
        for backend in BACKENDS:
            with self.subTest(backend=backend), busy_processes(6), \
                    Program(PROGRAM, '--port', '{port}', '--backend', backend) as service:
                report = load(service, '/plain', '-c', 10_000, '-n', 30_000, '-d', '60s',
                              '--timeout', '60s')
                self.assertEqual((report['requests'], report['errors']), (30_000, 0),
                                 report['first_error'])


if __name__ == '__main__':
    unittest.main()

"""Workers that start with the first connection: it gets a response, whatever happens before.

Must not connect by itself: a connection starts the workers.
"""

import os
import re
import signal
import socket
import ssl
import sys
import tempfile
import time
import unittest
from pathlib import Path

from descriptor_store_test import Systemd, ask, read
from support import BIN, free_port, run_to_end
from upgrade_test import (Service, children, is_alive, program_that,
                          setUpModule as adopt_orphans, until)
from workers_test import memory

WORKERS = 3
PROGRAM = '10_http2'
SECONDS_MAX = 30
LAZY = '--workers', str(WORKERS), '--workers-start', 'lazy'
ASK = b'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'


def setUpModule():
    adopt_orphans()


class LazyService(Service):
    def __init__(self, *arguments, workers=WORKERS, **more):
        super().__init__('--port', '{port}', '--workers', str(workers), '--workers-start', 'lazy',
                         *arguments, **more)

    def _await_listening(self):
        self.await_serving()


def await_workers(service):
    until(lambda: len(children(service.pid)) == WORKERS, service.said)


def program_whose_workers(directory, words):
    """Returns a link to a program whose workers run these commands first, or instead of it."""
    link, other = program_that(directory, f'if [ -n "$EIDER_WORKER" ]; then {words}; fi\n'
                               f"exec bash -c 'exec -a \"$0\" {BIN / PROGRAM} \"$@\"' "
                               '"$0" "$@"')
    link.unlink()
    link.symlink_to(other)
    return link


def seconds_of_processor(process):
    fields = Path(f'/proc/{process}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def connect_tls(port):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(socket.create_connection(('127.0.0.1', port), SECONDS_MAX))


def connect_path(path):
    client = socket.socket(socket.AF_UNIX)
    client.connect(str(path))
    return client


class Starts(unittest.TestCase):
    def check_started_by(self, connect, service):
        """Connects, which starts the workers, and expects a response."""
        self.assertIn(f'({WORKERS} processes, which the first connection starts)', service.said())
        self.assertEqual(children(service.pid), set())
        with connect() as client:
            client.settimeout(SECONDS_MAX)
            client.sendall(ASK)
            self.assertTrue(client.recv(1000).startswith(b'HTTP/1.1 200'), service.said())
        await_workers(service)
        self.assertEqual(len(service.lines('The first connection starts the workers')), 1)
        self.assertEqual(service.end(), 0)

    def test_all_are_started_by_who_comes_first_at_a_port(self):
        with LazyService() as service:
            self.check_started_by(service.connect, service)

    def test_all_are_started_by_who_comes_first_by_tls(self):
        port = free_port()
        with LazyService('--tls-port', str(port)) as service:
            self.check_started_by(lambda: connect_tls(port), service)

    def test_all_are_started_by_who_comes_first_at_a_path(self):
        path = Path(self.enterContext(tempfile.TemporaryDirectory())) / 'app.sock'
        with LazyService('--listen', '127.0.0.1:{port}', '--listen', f'unix:{path}') as service:
            self.check_started_by(lambda: connect_path(path), service)

    def test_a_hundred_who_come_at_once_are_all_answered(self):
        with LazyService() as service:
            for client in [ask(service.port) for _ in range(100)]:
                self.assertTrue(read(client).startswith(b'HTTP/1.1 200'))
            self.assertEqual(service.end(), 0)

    def test_the_environment_and_a_file_say_it_as_well(self):
        with tempfile.TemporaryDirectory() as directory:
            config = Path(directory) / 'shop.toml'
            config.write_text('[server]\nworkers = 2\nworkers_start = "lazy"\n')
            for words, environment in (
                    (['--config', str(config)], {}),
                    ([], {'EIDER_WORKERS': '2', 'EIDER_WORKERS_START': 'lazy'})):
                status, said = run_to_end(PROGRAM, *words, '--print-config',
                                          environment=environment)
                self.assertEqual(status, 0, said)
                self.assertRegex(said, r'(?m)^workers_start = "lazy"')
        status, said = run_to_end(PROGRAM, '--workers-start', 'later')
        self.assertEqual(status, 2, said)
        self.assertIn('must be one of eager, lazy', said)

    def test_one_that_does_not_come_up_is_tried_again_while_the_client_waits(self):
        directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        link = program_whose_workers(directory, f'echo >> {directory}/tries; [ "$(wc -l < '
                                     f'{directory}/tries)" -gt 4 ] || exit 3')
        with LazyService(workers=1, program=link) as service:
            spent = seconds_of_processor(service.pid)
            began = time.monotonic()
            with ask(service.port) as client:
                self.assertTrue(read(client).startswith(b'HTTP/1.1 200'), service.said())
            pauses = [int(pause) for pause in re.findall(r'starting in (\d+) ms', service.said())]
            self.assertEqual(pauses, [0, 100, 200, 400])
            # The connection is pending all the time, but must not be polled.
            self.assertLess(seconds_of_processor(service.pid) - spent,
                            (time.monotonic() - began) / 4)
            self.assertEqual(service.end(), 0)


class Ahead(unittest.TestCase):
    """Events before the first connection."""

    def test_a_stop_ends_it_with_0_and_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as directory:
            path, pid_file = Path(directory) / 'app.sock', Path(directory) / 'pid'
            with LazyService('--listen', f'unix:{path}', '--pid-file', str(pid_file)) as service:
                self.assertEqual(pid_file.read_text(), f'{service.pid}\n')
                self.assertTrue(path.exists())
                self.assertEqual(service.end(), 0)
                self.assertNotIn('starts the workers', service.said())
            self.assertEqual(list(Path(directory).iterdir()), [])

    def test_what_is_asked_of_it_behind_a_stop_does_not_end_it_otherwise(self):
        for number in signal.SIGUSR2, signal.SIGUSR1, signal.SIGHUP:
            for behind in range(0, 400_000, 25_000):  # ns: it ends within about 200 us
                with LazyService() as service:
                    until_then = time.perf_counter_ns() + behind
                    service.process.terminate()
                    while time.perf_counter_ns() < until_then:
                        pass
                    os.kill(service.pid, number)
                    self.assertEqual(service.process.wait(SECONDS_MAX), 0, service.said())

    def test_a_stop_while_the_first_ones_wait_answers_them(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        with LazyService(program=program_whose_workers(directory, 'sleep 1')) as service:
            clients = [ask(service.port) for _ in range(500)]
            await_workers(service)
            os.kill(service.pid, signal.SIGTERM)
            for client in clients:
                self.assertTrue(read(client).startswith(b'HTTP/1.1 200'), service.said())
            self.assertEqual(service.process.wait(SECONDS_MAX), 0)

    def test_a_look_inside_says_that_none_has_started(self):
        with LazyService() as service:
            os.kill(service.pid, signal.SIGUSR1)
            until(lambda: service.lines('Workers: none started yet'), service.said)
            self.assertEqual(children(service.pid), set())
            self.assertEqual(service.end(), 0)

    def test_settings_that_have_changed_are_those_of_the_workers(self):
        with tempfile.NamedTemporaryFile('w', suffix='.toml') as file, \
                LazyService('--config', file.name) as service:
            file.write('[server]\nlog_level = "debug"\n')
            file.flush()
            os.kill(service.pid, signal.SIGHUP)
            os.kill(service.pid, signal.SIGUSR1)
            until(lambda: service.lines('none started yet'), service.said)
            self.assertEqual(service.ask('GET', '/')[0], 200)
            os.kill(service.pid, signal.SIGHUP)
            until(lambda: len(service.lines('reloaded without changes')) == WORKERS, service.said)
            self.assertEqual(service.end(), 0)


class Upgrades(unittest.TestCase):
    """The new process must show that it serves, so its workers start at once."""

    def check_upgrade(self, service):
        old = service.upgrade()
        self.assertEqual(len(children(service.pid)), WORKERS)
        self.assertNotIn('which the first connection starts', service.lines('serves on')[-1])
        until(lambda: not is_alive(old), service.said)
        self.assertEqual(service.ask('GET', '/')[0], 200)

    def test_one_whose_workers_have_not_started_is_replaced(self):
        with LazyService() as service:
            for _ in range(2):
                self.check_upgrade(service)
            self.assertEqual(service.end(), 0)

    def test_one_of_threads_or_of_workers_is_replaced_by_a_lazy_one(self):
        for words in 'threads = 2\n', f'workers = {WORKERS}\n':
            with self.subTest(words), tempfile.TemporaryDirectory() as directory:
                config = Path(directory) / 'shop.toml'
                config.write_text(f'[server]\n{words}')
                with Service('--port', '{port}', '--config', str(config)) as service:
                    config.write_text(
                        f'[server]\nworkers = {WORKERS}\nworkers_start = "lazy"\n')
                    self.check_upgrade(service)
                    self.assertEqual(service.end(), 0)

    def test_one_that_comes_to_nothing_leaves_the_first_connection_to_the_old_one(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        link = program_whose_workers(directory, 'exit 3')
        with LazyService(program=link) as service:
            self.assertTrue(service.refuse('exited with status 1'), service.said())
            until(lambda: not children(service.pid), service.said)
            link.unlink()
            link.symlink_to(BIN / PROGRAM)
            self.assertEqual(service.ask('GET', '/')[0], 200)
            await_workers(service)
            self.assertEqual(service.end(), 0)

    def test_a_place_that_the_settings_name_meanwhile_is_left_to_the_next_one(self):
        place = free_port()
        with tempfile.NamedTemporaryFile('w', suffix='.toml') as file, \
                LazyService('--config', file.name) as service:
            file.write(f'[server]\ntls_port = [{place}]\n')
            file.flush()
            with ask(service.port) as client:
                until(lambda: service.lines('addresses have changed'), service.said)
                service.upgrade()
                self.assertTrue(read(client).startswith(b'HTTP/1.1 200'), service.said())
            connect_tls(place).close()
            self.assertEqual(service.end(), 0)

    def test_who_comes_first_while_the_new_one_starts_is_answered_by_the_old_one(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        link, other = program_that(directory, f'sleep 2; exec {BIN / PROGRAM} "$@"')
        with LazyService(program=link) as service:
            link.unlink()
            link.symlink_to(other)
            old = service.pid
            os.kill(old, signal.SIGUSR2)
            until(lambda: children(old), service.said)
            self.assertEqual(service.ask('GET', '/')[0], 200)
            self.assertEqual(service.lines('took over'), [])
            until(lambda: service.lines('took over'), service.said)
            service.pids.append(int(re.findall(r'Process (\d+) took over', service.said())[-1]))
            until(lambda: not is_alive(old), service.said)
            self.assertEqual(service.ask('GET', '/')[0], 200)
            self.assertEqual(len(children(service.pid)), WORKERS)
            self.assertEqual(service.end(), 0)

    def test_one_that_is_asked_for_by_the_command(self):
        with LazyService() as service:
            status, said = run_to_end('eider', 'upgrade', str(service.pid))
            self.assertEqual(status, 0, said)
            service.pids.append(int(re.findall(r'Process (\d+) took over', service.said())[-1]))
            self.assertEqual(len(children(service.pid)), WORKERS)
            self.assertEqual(service.end(), 0)


class BySystemd(unittest.TestCase):
    def test_it_is_ready_and_alive_with_no_worker(self):
        port = free_port()
        systemd = Systemd(self, '--port', str(port), *LAZY,
                          environment={'WATCHDOG_USEC': '1000000'})
        systemd.start()
        systemd.hear_until(b'WATCHDOG=1')
        self.assertEqual(children(systemd.main), set())
        self.assertTrue(read(ask(port)).startswith(b'HTTP/1.1 200'))
        systemd.process.terminate()
        self.assertEqual(systemd.process.wait(SECONDS_MAX), 0)

    def test_who_waits_at_the_socket_of_a_unit_starts_them(self):
        systemd = Systemd(self, '--listen', 'systemd', *LAZY)
        with socket.create_server(('127.0.0.1', 0)) as unit:
            systemd.units = [('shop.socket', unit.fileno())]
            client = ask(unit.getsockname()[1])
            systemd.start()
            self.assertTrue(read(client).startswith(b'HTTP/1.1 200'))

    def test_who_has_waited_for_a_restart_starts_them(self):
        port = free_port()
        systemd = Systemd(self, '--port', str(port), *LAZY, '--store-sockets')
        systemd.start()
        systemd.crash()
        client = ask(port)
        systemd.start()
        self.assertTrue(read(client).startswith(b'HTTP/1.1 200'))


class Costs(unittest.TestCase):
    """Memory without workers, and the latency of the first request; printed, and checked with wide
    limits."""

    def test_a_supervisor_alone_is_small_and_the_first_one_is_answered_soon(self):
        for program in '01_hello', PROGRAM:
            tls = ['--tls-port', str(free_port())] if program == PROGRAM else []
            for workers in 1, 4, 100:
                with LazyService(*tls, workers=workers, program=BIN / program) as service:
                    taken = memory(service.pid)
                    began = time.monotonic()
                    self.assertEqual(service.ask('GET', '/')[0], 200)
                    first = time.monotonic() - began
                    began = time.monotonic()
                    self.assertEqual(service.ask('GET', '/')[0], 200)
                    later = time.monotonic() - began
                    print(f'{program} --workers {workers}: {taken / 1024:.1f} MiB (PSS) with none, '
                          f'the first request took {1000 * first:.0f} ms, '
                          f'the next {1000 * later:.1f} ms', file=sys.stderr)
                    self.assertLess(taken, 16 * 1024)
                    self.assertLess(first, 10)
                    self.assertEqual(service.end(), 0)


if __name__ == '__main__':
    unittest.main()

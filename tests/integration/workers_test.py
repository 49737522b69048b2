"""Workers of a supervisor: if one crashes, only its own requests are lost.

Must compare all losses with the open requests of the worker when it was killed.

    workers_test.py --crashes 100 --rate 10000     longer, and faster
"""

import argparse
import contextlib
import ctypes
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from support import BIN, Program, free_port, run_to_end
from upgrade_test import (STREAMS, Service, children, descriptors, is_alive, loads_of, program_that,
                          setUpModule as adopt_orphans, until)

WORKERS = 3
SECONDS_MAX = 30
PROGRAM = '10_http2'

parser = argparse.ArgumentParser()
parser.add_argument('--crashes', type=int, default=10)
parser.add_argument('--rate', type=int, default=2000)
parser.add_argument('--workers', type=int, default=10)
LONGER, OTHERS = parser.parse_known_args()


def setUpModule():
    adopt_orphans()


def memory(process):
    """Returns the memory that it adds to all processes, in KiB."""
    text = Path(f'/proc/{process}/smaps_rollup').read_text()
    return int(re.search(r'^Pss:\s+(\d+)', text, re.M)[1])


def supervised(*arguments, workers=WORKERS):
    return Service('--port', '{port}', '--workers', str(workers), *arguments)


@contextlib.contextmanager
def action_of_children(number, action):
    """Programs started in this block begin with this action for the signal."""
    before = signal.signal(number, action)
    try:
        yield
    finally:
        signal.signal(number, before)


def is_pending(process, number):
    status = Path(f'/proc/{process}/status').read_text(encoding='utf-8')
    return int(re.search(r'^ShdPnd:\s*(\w+)$', status, re.MULTILINE)[1], 16) >> number - 1 & 1


class PerProcess(unittest.TestCase):
    """Guards whose state is separate in each worker are reported at startup."""

    def test_they_are_named_once_with_workers_alone(self):
        warning = 'With --workers, each process has its own: '
        for words, count in ((('--workers', '2'), 1), (('--threads', '2'), 0)):
            with Program('15_middleware', '--port', '{port}', *words) as service:
                service.await_serving()
                self.assertEqual(service.said().count(warning), count, service.said())
                if count:
                    self.assertIn(warning + 'csrf() without a key, rate_limit() without a store. ',
                                  service.said())


def sockets(process):
    return descriptors(process).count('socket:')


class Crashes(unittest.TestCase):
    def kill_one(self, service, number):
        """Kills a worker; returns the maximum number of its requests, from its sockets."""
        workers = sorted(children(service.pid))
        victim = workers[number % len(workers)]
        count = len(service.lines('; restarting in'))
        held = sockets(victim)
        os.kill(int(victim), signal.SIGKILL)
        until(lambda: len(service.lines('; restarting in')) > count and
              len(children(service.pid)) == WORKERS, service.said)
        return held

    def test_ten_crashes_lose_what_the_workers_held_and_refuse_nobody(self):
        tls_port = free_port()
        with supervised('--tls-port', str(tls_port)) as service, contextlib.ExitStack() as stack:
            loads = loads_of(service.port, tls_port, LONGER.rate)
            for load in loads.values():
                stack.enter_context(load)
            time.sleep(0.5)
            held = 0
            for number in range(LONGER.crashes):
                held += self.kill_one(service, number)
                time.sleep(0.2)
            sent, lost, sockets_lost = 0, 0, 0
            for name, load in loads.items():
                _, report, said = load.end()
                kinds = {kind: count for kind, count in report['errors_by_kind'].items() if count}
                self.assertLessEqual(kinds.keys(), {'reset', 'closed', 'tls'}, said)
                self.assertEqual(report['unsent'], 0, said)
                self.assertGreater(report['requests'], 100, name)
                lost += report['errors']
                sockets_lost += report['errors'] / STREAMS.get(name, 1)
                sent += report['requests'] + report['errors']
            print(f'{sent} requests over {LONGER.crashes} crashes, {lost} lost with the workers '
                  f'that held them, on {sockets_lost:.0f} of {held} sockets', file=sys.stderr)
            self.assertLessEqual(sockets_lost, held)
            self.assertEqual(service.end(), 0)

    def test_one_that_goes_on_crashing_is_started_less_and_less_often(self):
        with supervised(workers=1) as service:
            for count in range(1, 4):
                worker, = children(service.pid)
                os.kill(int(worker), signal.SIGKILL)
                until(lambda n=count: len(service.lines('; restarting in')) == n and
                      children(service.pid), service.said)
                self.assertEqual(service.ask('GET', '/')[0], 200)
            pauses = [int(re.search(r'in (\d+) ms', line)[1])
                      for line in service.lines('; restarting in')]
            self.assertEqual(pauses, [0, 100, 200])
            self.assertEqual(service.end(), 0)


class Stuck(unittest.TestCase):
    """Workers that are alive, but do not serve."""

    def check_another_one_comes(self, service, victim, signal_number):
        until(lambda: service.lines('was blocked for 1 s'), service.said)
        line, = service.lines('was blocked for 1 s')
        self.assertIn(f'the process was killed by signal {signal_number}; restarting in', line)
        until(lambda: len(children(service.pid)) == WORKERS, service.said)
        self.assertNotIn(victim, children(service.pid))
        self.assertEqual(service.ask('GET', '/')[0], 200)

    def test_one_whose_loop_hangs_is_aborted_and_the_others_stay(self):
        with supervised('--stuck-seconds', '1', '--backend', 'epoll') as service:
            workers = children(service.pid)
            victim = min(workers)
            with HungLoop(victim):
                self.check_another_one_comes(service, victim, signal.SIGABRT)
            self.assertEqual(len(workers & children(service.pid)), WORKERS - 1)
            self.assertEqual(service.end(), 0)

    def test_one_that_cannot_even_be_aborted_is_killed(self):
        with supervised('--stuck-seconds', '1', '--backend', 'epoll') as service:
            victim = min(children(service.pid))
            os.kill(int(victim), signal.SIGSTOP)
            self.check_another_one_comes(service, victim, signal.SIGKILL)
            self.assertEqual(service.end(), 0)

    def test_a_supervisor_that_was_stopped_itself_blames_nobody(self):
        with supervised('--stuck-seconds', '1', '--backend', 'epoll') as service:
            workers = children(service.pid)
            os.kill(service.pid, signal.SIGSTOP)
            time.sleep(3)
            os.kill(service.pid, signal.SIGCONT)
            time.sleep(1)
            self.assertEqual(children(service.pid), workers)
            self.assertEqual(service.end(), 0)


class HungLoop:
    """Stops the last thread of a process, that of its loop, and lets its other threads continue."""

    ALL, SEIZE, INTERRUPT = 0x40000000, 0x4206, 0x4207

    def __init__(self, process):
        self.thread = max(int(task.name) for task in Path(f'/proc/{process}/task').iterdir()
                          if (task / 'comm').read_text() != 'eider-inspect\n')

    def __enter__(self):
        library = ctypes.CDLL(None, use_errno=True)
        for what in self.SEIZE, self.INTERRUPT:
            if library.ptrace(what, self.thread, None, None) != 0:
                raise unittest.SkipTest(f'no ptrace here: {os.strerror(ctypes.get_errno())}')
        # Its process ends only after this process has waited for it, too.
        threading.Thread(target=self.reap, daemon=True).start()
        return self

    def __exit__(self, *_):
        pass

    def reap(self):
        with contextlib.suppress(ChildProcessError):
            while not os.WIFSIGNALED(os.waitpid(self.thread, self.ALL)[1]):
                pass


class Ends(unittest.TestCase):
    def test_a_stop_of_all_at_once_answers_what_is_in_flight(self):
        with supervised() as service:
            workers = children(service.pid)
            self.assertEqual(len(workers), WORKERS)
            with service.connect() as client:
                client.sendall(b'GET /slow/700 HTTP/1.1\r\nHost: a\r\n\r\n')
                time.sleep(0.3)
                # Like systemd and terminals: to every process.
                for each in [*map(int, workers), service.pid]:
                    os.kill(each, signal.SIGTERM)
                self.assertIn(b'200 OK', client.recv(10000))
            self.assertEqual(service.process.wait(SECONDS_MAX), 0)
            self.assertFalse(any(map(is_alive, workers)))

    def test_what_a_worker_starts_hears_signals_as_usual(self):
        with supervised() as service:
            for worker in children(service.pid):
                status = Path(f'/proc/{worker}/status').read_text()
                ignored = int(re.search(r'^SigIgn:\s+(\w+)', status, re.M)[1], 16)
                for number in signal.SIGTERM, signal.SIGINT, signal.SIGUSR2:
                    self.assertFalse(ignored >> number - 1 & 1, number)
            self.assertEqual(service.end(), 0)

    def test_a_worker_that_hangs_is_killed_when_it_could_have_ended(self):
        with supervised('--drain-seconds', '1') as service:
            workers = children(service.pid)
            os.kill(int(min(workers)), signal.SIGSTOP)
            self.assertEqual(service.end(), 0)
            self.assertIn('did not stop in time', service.said())
            self.assertFalse(any(map(is_alive, workers)))

    def test_a_second_signal_kills_the_workers_and_then_the_supervisor(self):
        for action in (signal.SIG_DFL, signal.SIG_IGN):  # shells ignore SIGINT for background jobs
            with self.subTest(action), action_of_children(signal.SIGINT, action):
                self.check_second_signal()

    def check_second_signal(self):
        with supervised() as service:
            workers = children(service.pid)
            for worker in workers:
                os.kill(int(worker), signal.SIGSTOP)
            os.kill(service.pid, signal.SIGINT)
            # Two pending signals are one.
            until(lambda: not is_pending(service.pid, signal.SIGINT), service.said)
            self.assertTrue(all(map(is_alive, workers)))
            os.kill(service.pid, signal.SIGINT)
            self.assertEqual(service.process.wait(SECONDS_MAX), -signal.SIGINT)
            until(lambda: not any(map(is_alive, workers)), service.said)

    def test_a_supervisor_that_is_killed_leaves_no_worker(self):
        with supervised() as service:
            workers = children(service.pid)
            os.kill(service.pid, signal.SIGKILL)
            service.process.wait(SECONDS_MAX)
            until(lambda: not any(map(is_alive, workers)), service.said)

    def test_workers_that_do_not_come_up_are_told_and_end_it(self):
        status, said = run_to_end(PROGRAM, '--port', str(free_port()), '--workers', '2',
                                  '--tls-port', str(free_port()), '--cert', '/nowhere.pem',
                                  '--key', '/nowhere.pem')
        self.assertEqual(status, 1, said)
        self.assertIn('the process exited with status 1', said)


class Upgrades(unittest.TestCase):
    def test_a_supervisor_is_replaced_with_its_workers_and_loses_no_request(self):
        tls_port = free_port()
        with supervised('--tls-port', str(tls_port), '--drain-seconds', '4') as service, \
                contextlib.ExitStack() as stack:
            loads = loads_of(service.port, tls_port, LONGER.rate)
            for load in loads.values():
                stack.enter_context(load)
            time.sleep(0.5)
            first = len(descriptors(service.pid))
            gone = set()
            for _ in range(3):
                gone |= children(service.pid)
                service.upgrade()
                time.sleep(0.3)
            for name, load in loads.items():
                status, report, said = load.end()
                with self.subTest(name):
                    self.assertEqual((status, report['errors'], report['unsent']), (0, 0, 0), said)
            until(lambda: not any(map(is_alive, [*service.pids[:-1], *gone])), service.said)
            self.assertEqual(len(children(service.pid)), WORKERS)
            self.assertLessEqual(len(descriptors(service.pid)), first)
            self.assertEqual(service.end(), 0)


    def test_workers_that_the_environment_asks_for_stay_workers(self):
        with Service('--port', '{port}', environment={'EIDER_WORKERS': '2'}) as service:
            service.upgrade()
            self.assertIn('(2 processes)', service.lines('serves on')[-1])
            self.assertEqual(service.end(), 0)


class HangUps(unittest.TestCase):
    def test_workers_read_settings_anew_also_those_that_are_starting(self):
        with tempfile.NamedTemporaryFile('w', suffix='.toml') as file, \
                supervised('--config', file.name) as service:
            file.write('[server]\nlog_level = "debug"\n')
            file.flush()
            workers = children(service.pid)
            os.kill(service.pid, signal.SIGHUP)
            until(lambda: len(service.lines('log_level is')) == WORKERS, service.said)
            self.assertEqual(children(service.pid), workers)
            os.kill(int(min(workers)), signal.SIGKILL)
            until(lambda: service.lines('; restarting in'), service.said)
            os.kill(service.pid, signal.SIGHUP)
            until(lambda: len(service.lines('reloaded without changes')) == WORKERS, service.said)
            self.assertEqual(len(service.lines('; restarting in')), 1)
            self.assertEqual(service.end(), 0)

    def test_nothing_happens_where_there_is_nothing_to_read(self):
        with supervised() as service:
            workers = children(service.pid)
            os.kill(service.pid, signal.SIGHUP)
            until(lambda: service.lines('SIGHUP is ignored'), service.said)
            for worker in workers:  # like a closing terminal
                os.kill(int(worker), signal.SIGHUP)
            self.assertEqual(service.ask('GET', '/')[0], 200)
            self.assertEqual(children(service.pid), workers)
            self.assertEqual(service.end(), 0)


class Failed(unittest.TestCase):
    """An upgrade in which not all workers start: the old workers continue with the sockets."""

    def start(self, second_worker):
        """Returns a service whose next second worker runs these commands first, or instead of the
        program."""
        directory = self.enterContext(tempfile.TemporaryDirectory())
        program = f'exec -a "$0" {BIN / PROGRAM} "$@"'
        link, other = program_that(directory, f'[ "$EIDER_WORKER" = 1 ] && {second_worker}\n'
                                   f"exec bash -c '{program}' \"$0\" \"$@\"")
        path = Path(directory) / 'app.sock'
        service = self.enterContext(Service(
            '--listen', '127.0.0.1:{port}', '--listen', f'unix:{path}', '--workers', '2',
            '--drain-seconds', '1', program=link))
        link.unlink()
        link.symlink_to(other)
        return service, path

    def check_serves(self, service, path):
        for _ in range(8):
            self.assertEqual(service.ask('GET', '/')[0], 200)
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(SECONDS_MAX)
                client.connect(str(path))
                client.sendall(b'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
                self.assertTrue(client.recv(1000).startswith(b'HTTP/1.1 200'))

    def test_a_worker_that_ends_leaves_the_old_ones_their_sockets(self):
        service, path = self.start('sleep 2 && exit 3')
        workers = children(service.pid)
        self.assertTrue(service.refuse('exited with status 1'), service.said())
        self.assertIn('Worker 1: the process exited with status 3', service.said())
        self.assertEqual(children(service.pid), workers)
        self.check_serves(service, path)
        self.assertEqual(service.end(), 0)

    def test_an_old_process_that_never_lets_go_keeps_its_sockets(self):
        with socket.create_server(('127.0.0.1', 0)) as listening:
            here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            place = f'127.0.0.1:{listening.getsockname()[1]}'
            socket.send_fds(here, [b'S' + place.encode()], [listening.fileno()])
            here.send(b'A')
            new = subprocess.Popen([BIN / PROGRAM, '--listen', place, '--workers', '2'],
                                   env={**os.environ, 'EIDER_HANDOVER': str(there.fileno())},
                                   pass_fds=[there.fileno()], stderr=subprocess.PIPE, text=True)
            there.close()
            here.settimeout(SECONDS_MAX)
            self.assertEqual(here.recv(100), f'R{new.pid}\0{place}'.encode())
            said = new.communicate(timeout=SECONDS_MAX)[1]
            self.assertEqual(new.returncode, 1, said)
            self.assertIn('does not release', said)
            self.assertRaises(BrokenPipeError, here.send, b'G')
            here.close()
            for _ in range(8):
                socket.create_connection(listening.getsockname(), SECONDS_MAX).close()

    def test_an_old_supervisor_that_is_killed_meanwhile_closes_nothing(self):
        service, path = self.start('sleep 3')
        workers = children(service.pid)
        os.kill(service.pid, signal.SIGUSR2)
        until(lambda: children(service.pid) - workers, service.said)
        new, = children(service.pid) - workers
        service.pids.append(int(new))
        os.kill(service.process.pid, signal.SIGKILL)
        service.process.wait()
        until(lambda: not any(map(is_alive, workers)), service.said)
        until(lambda: len(service.lines('serves on')) == 2, service.said)
        self.check_serves(service, path)
        self.assertEqual(service.end(), 0)


class Memory(unittest.TestCase):
    """At most 130 MiB for a hundred workers and 35 for as many threads; more with TLS."""

    def check(self, program, option, count, each_max):
        """Returns the memory in KiB, with TLS if the program supports it."""
        tls = ['--tls-port', str(free_port())] if program == PROGRAM else []
        with Service('--port', '{port}', *tls, option, str(count),
                     program=BIN / program) as service:
            taken = sum(map(memory, [service.pid, *children(service.pid)]))
            print(f'{program} {option} {count}: {taken / 1024:.1f} MiB (PSS)', file=sys.stderr)
            self.assertLess(taken / count, each_max)
            self.assertEqual(service.end(), 0)

    def test_a_worker_costs_little(self):
        self.check('01_hello', '--workers', 100, 1331)
        self.check(PROGRAM, '--workers', LONGER.workers, 3300)

    def test_a_thread_costs_less(self):
        for program in '01_hello', PROGRAM:
            self.check(program, '--threads', 100, 358)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *OTHERS])

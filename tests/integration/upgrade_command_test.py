"""`eider upgrade`: it waits for the new process, or reports why there is none, and affects no other
process.

Must not rely on the log alone: the new process must respond.
"""

import contextlib
import json
import os
import pwd
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support import BIN
from upgrade_test import (PROGRAM, SECONDS_MAX, Service, children, is_alive, program_that,
                          setUpModule, until)

__all__ = ['setUpModule']


def upgrade(*words, **more):
    """Returns (exit code, standard output, standard error)."""
    ended = subprocess.run([BIN / 'eider', 'upgrade', *map(str, words)], text=True, check=False,
                           capture_output=True, timeout=SECONDS_MAX, stdin=subprocess.DEVNULL,
                           **more)
    return ended.returncode, ended.stdout, ended.stderr


def lie():
    """Connects to each socket on which an `eider upgrade` waits, and sends two false reports."""
    is_connected = False
    for name in re.findall('@(eider/upgrade/[0-9]+)', Path('/proc/net/unix').read_text()):
        for report in b'123 ', b'':
            # The other end may close the connection at once.
            with contextlib.suppress(OSError), \
                    socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as liar:
                liar.connect('\0' + name)
                is_connected = True
                liar.send(report)
    return is_connected


def lies_in_child(become):
    """Returns whether a process that has called `become` could send false reports."""
    child = os.fork()
    if child == 0:
        is_done = False
        try:
            become()
            is_done = lie()
        finally:
            os._exit(0 if is_done else 1)
    return os.waitpid(child, 0)[1] == 0


def blocks(pid, number):
    """Returns whether the process has blocked that signal."""
    blocked = next(line.split()[1] for line in Path(f'/proc/{pid}/status').read_text().splitlines()
                   if line.startswith('SigBlk:'))
    return int(blocked, 16) >> number - 1 & 1


def become_nobody():
    """Drops root privileges in a child process."""
    user = pwd.getpwnam('nobody')
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)


class Upgraded(unittest.TestCase):
    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.directory / 'pid'

    def check_upgrade(self, service, *words):
        """It reports the serving process, which responds."""
        before = service.pid
        status, said, errors = upgrade(*words)
        self.assertEqual((status, errors), (0, ''), service.said())
        new = int(said.split()[1])
        self.assertEqual(said, f'process {new} replaced {before}\n')
        service.pids.append(new)
        self.assertEqual(service.ask('GET', '/')[0], 200)
        until(lambda: not is_alive(before), service.said)

    def test_it_ends_when_the_new_process_serves(self):
        with Service('--port', '{port}', '--pid-file', str(self.file)) as service:
            self.check_upgrade(service, '--pid-file', self.file)
            self.check_upgrade(service, service.pid)
            self.check_upgrade(service, f'--pid-file={self.file}', '--within', '30')
            status, said, errors = upgrade(service.pid, '--json')
            told = json.loads(said)
            self.assertEqual((status, errors, told['replaced']), (0, '', service.pid))
            service.pids.append(told['serving'])
            until(lambda: not is_alive(told['replaced']), service.said)
            self.assertEqual(self.file.read_text(), f'{service.pid}\n')
            self.assertEqual(service.end(), 0)

    def test_one_that_was_started_before_is_not_taken_for_the_program_on_the_disk(self):
        go = self.directory / 'go'
        link, slow = program_that(
            self.directory, f'until [ -e {go} ]; do sleep 0.05; done; exec {BIN / PROGRAM} "$@"')
        with Service('--port', '{port}', program=link) as service:
            before = service.pid
            link.unlink()
            link.symlink_to(slow)
            os.kill(before, signal.SIGUSR2)
            # The script has a child only after exec, so the link is no longer needed.
            until(lambda: any(children(child) for child in children(before)), service.said)
            started = int(children(before).pop())
            link.unlink()
            link.symlink_to(BIN / PROGRAM)
            tick = int(Path(f'/proc/{started}/stat').read_text().rpartition(')')[2].split()[19])
            hertz = os.sysconf('SC_CLK_TCK')
            until(lambda: time.clock_gettime(time.CLOCK_BOOTTIME) * hertz > tick + 1, service.said)
            with subprocess.Popen([BIN / 'eider', 'upgrade', str(before), '--json'], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asking:
                until(lambda: service.lines('a new process is already starting'), service.said)
                go.touch()
                output, errors = asking.communicate(timeout=SECONDS_MAX)
            self.assertEqual((asking.returncode, output, errors), (
                1, '', f'eider upgrade: process {started} replaced {before}, but was started '
                       'before this command: the program on disk may be newer. Run the command '
                       'again\n'))
            service.pids.append(started)
            self.check_upgrade(service, started)
            self.assertEqual(service.end(), 0)

    def test_a_supervisor_is_asked_and_a_worker_is_not(self):
        with Service('--port', '{port}', '--workers', '1') as service:
            worker, = children(service.pid)
            self.assertEqual(upgrade(worker), (
                1, '', f'eider upgrade: process {worker} is a worker. Upgrade its supervisor, '
                       f'process {service.pid}\n'))
            self.check_upgrade(service, service.pid)
            self.assertEqual(service.end(), 0)


class Refused(unittest.TestCase):
    """If the new process does not start, the old one keeps serving."""

    def start(self, words, *more):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        link, other = program_that(directory, words)
        service = self.enterContext(Service('--port', '{port}', *more, program=link))
        link.unlink()
        link.symlink_to(other)
        return service, link

    def check_refusal(self, service, why):
        self.assertEqual(upgrade(service.pid), (
            1, '', f'eider upgrade: the upgrade failed: {why}. Process {service.pid} continues '
                   'to serve\n'))
        self.assertEqual(service.ask('GET', '/')[0], 200)

    def test_a_program_that_ends_crashes_or_is_not_there(self):
        service, link = self.start('exit 3')
        self.check_refusal(service, 'the process exited with status 3')
        link.resolve().write_text('#!/bin/sh\nkill -9 $$\n')
        self.check_refusal(service, 'the process was killed by signal 9')
        link.unlink()
        self.check_refusal(service, 'No such file or directory')
        link.symlink_to(BIN / PROGRAM)
        status, said, _ = upgrade(service.pid)
        self.assertEqual(status, 0)
        service.pids.append(int(said.split()[1]))
        self.assertEqual(service.end(), 0)

    def test_one_that_is_never_ready_and_a_wait_that_is_over_before(self):
        service, _ = self.start('exec sleep 60', '--upgrade-seconds', '3')
        self.assertEqual(upgrade(service.pid, '--within', '1'), (
            1, '', f'eider upgrade: process {service.pid} did not report the result within 1 s; '
                   'see its log\n'))
        # The result of the upgrade that is already running.
        self.check_refusal(service, 'the process was not ready in time')
        until(lambda: not children(service.pid), service.said)
        self.check_refusal(service, 'the process was not ready in time')

    def test_who_waits_hears_of_his_own_while_others_ask(self):
        service, link = self.start('sleep 1; exec ' + str(BIN / PROGRAM) + ' "$@"')
        with subprocess.Popen([BIN / 'eider', 'upgrade', str(service.pid)], text=True,
                              stdout=subprocess.PIPE) as asking:
            until(lambda: children(service.pid), service.said)
            os.kill(service.pid, signal.SIGUSR2)
            said = asking.communicate(timeout=SECONDS_MAX)[0]
        self.assertEqual(asking.returncode, 0, said)
        service.pids.append(int(said.split()[1]))
        self.assertEqual(service.end(), 0)

    def test_a_service_that_stops_or_ends_meanwhile(self):
        for how, why in ((signal.SIGTERM, 'the upgrade failed: this process is stopping. Process '
                                          '{0} continues to serve'),
                         (signal.SIGKILL, 'process {0} ended; see its log')):
            service, _ = self.start('exec sleep 60')
            with subprocess.Popen([BIN / 'eider', 'upgrade', str(service.pid)], text=True,
                                  stderr=subprocess.PIPE) as asking:
                until(lambda at=service: children(at.pid), service.said)
                started, = children(service.pid)
                os.kill(service.pid, how)
                _, errors = asking.communicate(timeout=SECONDS_MAX)
                self.assertEqual((asking.returncode, errors),
                                 (1, f'eider upgrade: {why.format(service.pid)}\n'))
            if is_alive(started):
                os.kill(int(started), signal.SIGKILL)

    def test_ctrl_c_ends_the_wait_and_each_request_gets_the_outcome(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        go = Path(directory, 'go')
        service, _ = self.start(f'until [ -e {go} ]; do sleep 0.05; done; exit 3')
        command = [BIN / 'eider', 'upgrade', str(service.pid)]
        with subprocess.Popen(command, text=True, stderr=subprocess.PIPE) as waiting:
            until(lambda: children(service.pid), service.said)
            stopped = self.enterContext(subprocess.Popen(command))
            until(lambda: service.lines('while a new process is already starting'), service.said)
            until(lambda: blocks(stopped.pid, signal.SIGINT), service.said)
            stopped.send_signal(signal.SIGINT)
            self.assertEqual(stopped.wait(SECONDS_MAX), 130)
            go.touch()
            _, errors = waiting.communicate(timeout=SECONDS_MAX)
            self.assertEqual((waiting.returncode, errors), (
                1, 'eider upgrade: the upgrade failed: the process exited with status 3. '
                   f'Process {service.pid} continues to serve\n'))
        self.assertEqual(service.ask('GET', '/')[0], 200)
        self.assertEqual(service.end(), 0)


class Others(unittest.TestCase):
    """Processes that are not services are not affected."""

    def assert_refused(self, said, *words, status=1, **more):
        self.assertEqual(upgrade(*words, **more), (status, '', f'eider upgrade: {said}\n'))

    def test_a_process_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory, 'pid')
            self.assert_refused(f'cannot read {file}: No such file or directory. A service '
                                'writes the file if it runs with --pid-file', '--pid-file', file)
            gone = subprocess.Popen(['true'])
            gone.wait()
            self.assert_refused(f'process {gone.pid} does not exist', gone.pid)
            file.write_text(f'{gone.pid}\n')
            self.assert_refused(f'{file} is from an earlier run: process {gone.pid} does not '
                                'exist any more. Start the service', '--pid-file', file)
            for text in ('', '\n', 'shop', '-1', '12 13', '99999999999999999999'):
                file.write_text(text)
                self.assert_refused(f'{file} does not contain a process ID', '--pid-file', file)

    def test_a_number_that_another_process_has_by_now(self):
        with tempfile.TemporaryDirectory() as directory, Service('--port', '{port}') as service:
            file = Path(directory, 'pid')
            file.write_text(f'{service.pid}\n')
            long_ago = time.time() - 3600
            os.utime(file, (long_ago, long_ago))
            self.assert_refused(
                f'{file} is older than process {service.pid}, so it is from an earlier run. To '
                f'upgrade that process: eider upgrade {service.pid}', '--pid-file', file)
            self.assertEqual(service.end(), 0)

    def test_a_process_that_sigusr2_would_end(self):
        # The shell has a handler for it that ends the shell.
        for name, command in (('sleep', ['sleep', '600']),
                              ('bash', ['bash', '-c', 'trap : EXIT; echo; read'])):
            with self.subTest(name):
                other = self.enterContext(subprocess.Popen(command, stdin=subprocess.PIPE,
                                                           stdout=subprocess.PIPE))
                self.addCleanup(other.kill)
                until(lambda: Path(f'/proc/{other.pid}/comm').read_text() == f'{name}\n',
                      lambda: name)
                if name == 'bash':
                    other.stdout.readline()
                self.assert_refused(f'process {other.pid} ({name}) is not a running service of '
                                    'Eider, so SIGUSR2 could end the process', other.pid)
                self.assertIsNone(other.poll())

    @unittest.skipUnless(os.getuid() == 0, 'only root can ask as somebody else')
    def test_somebody_elses_process(self):
        with Service('--port', '{port}') as service:
            self.assert_refused(f'process {service.pid} belongs to another user: run this '
                                'command as that user, or as root', service.pid,
                                preexec_fn=become_nobody, cwd='/')
            self.assertEqual(service.end(), 0)

    def test_a_report_of_another_process_is_not_believed(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        link, other = program_that(directory, 'exec sleep 60')
        users = [become_nobody, lambda: None] if os.getuid() == 0 else [lambda: None]
        with Service('--port', '{port}', program=link) as service:
            link.unlink()
            link.symlink_to(other)
            with subprocess.Popen([BIN / 'eider', 'upgrade', str(service.pid), '--within', '2'],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as asking:
                until(lambda: children(service.pid), service.said)
                for user in users:
                    self.assertTrue(lies_in_child(user))
                self.assertEqual(asking.communicate(timeout=SECONDS_MAX)[0], b'')
                self.assertEqual(asking.returncode, 1)
            self.assertEqual(service.end(), 0)

    def test_a_socket_that_another_process_has_bound_first_does_not_matter(self):
        with Service('--port', '{port}') as service:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as first:
                first.bind(f'\0eider/upgrade/{service.pid}')
                status, said, errors = upgrade(service.pid)
                self.assertEqual((status, errors), (0, ''), service.said())
                service.pids.append(int(said.split()[1]))
                with self.assertRaises(BlockingIOError):
                    first.recv(1, socket.MSG_DONTWAIT)
            self.assertEqual(service.end(), 0)

    def test_words_that_are_not_understood(self):
        for words, said in (((), 'no process given: use PID or --pid-file FILE'),
                            (('shop',), 'shop is not a process ID'),
                            (('0',), '0 is not a process ID'),
                            (('1', '--pid-file', 'x'),
                             'no process given: use PID or --pid-file FILE'),
                            (('1', '--within', '0'), '--within must be 1 to 86400 seconds, not '
                                                     '0'),
                            (('1', '--pidfile', 'x'),
                             'unknown option --pidfile (did you mean --pid-file?)')):
            self.assert_refused(f'{said}; see eider upgrade --help', *words, status=2)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0]])

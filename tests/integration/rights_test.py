"""User, CPU affinity and permissions of a service: from /proc, for each thread.

Must not rely on the service's own output.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BIN, Program, free_port, run_to_end
from upgrade_test import (Service, children, is_alive, setUpModule as adopt_orphans, until)

PROGRAM = '10_http2'
USER, GROUP = 65534, 65533  # they need no entries
AS_USER = ('--user', str(USER), '--group', str(GROUP))
SECONDS_MAX = 30
NOBODY = {'Uid': {USER}, 'Gid': {GROUP}, 'Groups': {GROUP}, 'CapInh': {0}, 'CapPrm': {0},
          'CapEff': {0}, 'CapAmb': {0}, 'NoNewPrivs': {1}}


def setUpModule():
    adopt_orphans()


def statuses(process):
    """Yields the numbers of each line by name, for each of its threads."""
    for task in Path(f'/proc/{process}/task').iterdir():
        lines = (task / 'status').read_text().splitlines()
        found = dict(line.split(':', 1) for line in lines)
        yield {name: {int(word, 16 if name.startswith('Cap') else 10)
                      for word in found[name].split()} for name in NOBODY}


def affinities(process):
    """Returns the affinity of its threads, except those of the kernel and the one that watches the
    others."""
    return sorted(tuple(sorted(os.sched_getaffinity(int(task.name))))
                  for task in Path(f'/proc/{process}/task').iterdir()
                  if not (task / 'comm').read_text().startswith(('iou-', 'eider-inspect')))


def public_directory(case):
    """Returns a directory that all users may enter."""
    directory = case.enterContext(tempfile.TemporaryDirectory())
    os.chmod(directory, 0o755)
    return Path(directory)


class Pins(unittest.TestCase):
    def check(self, process, loops):
        """Each loop has one processor, and the first thread all."""
        usable = tuple(sorted(os.sched_getaffinity(0)))
        wanted = [usable, *((usable[index % len(usable)],) for index in range(loops))]
        until(lambda: affinities(process) == sorted(wanted), lambda: str(affinities(process)))

    def test_each_loop_has_a_processor_and_nobody_inherits_it(self):
        loops = len(os.sched_getaffinity(0))
        with Service('--port', '{port}', '--pin', '--threads', str(loops)) as service:
            self.check(service.pid, loops)
            # The new process is started by a pinned loop.
            old = service.upgrade()
            until(lambda: not is_alive(old), service.said)
            self.check(service.pid, loops)
            self.assertEqual(service.ask('GET', '/blocking')[0], 200)
            usable = tuple(sorted(os.sched_getaffinity(0)))
            self.assertEqual(affinities(service.pid).count(usable), 3 if loops == 1 else 2)
            self.assertEqual(service.end(), 0)

    def test_workers_lie_beside_each_other(self):
        usable = sorted(os.sched_getaffinity(0))
        with Service('--port', '{port}', '--pin', '--workers', '2') as service:
            loops = sorted(one for worker in children(service.pid) for one in affinities(worker)
                           if len(one) == 1 or one != tuple(usable))
            if len(usable) > 1:
                self.assertEqual(loops, [(usable[0],), (usable[1],)])
            self.assertEqual(service.end(), 0)

    def test_more_loops_than_processors_are_told(self):
        loops = len(os.sched_getaffinity(0)) + 1
        with Service('--port', '{port}', '--pin', '--threads', str(loops)) as service:
            self.assertIn(f'--pin: {loops} event loops share', service.said())
            self.assertEqual(service.end(), 0)


class Limits(unittest.TestCase):
    def test_open_files_and_memory_are_bounded_also_for_workers(self):
        words = ('--port', '{port}', '--open-files-max', '500', '--memory-max', '1GiB')
        for more in ((), ('--workers', '1')):
            with Service(*words, *more) as service:
                for process in {str(service.pid), *children(service.pid)}:
                    limits = Path(f'/proc/{process}/limits').read_text()
                    self.assertRegex(limits, r'Max open files\s+500\s+500 ')
                    self.assertRegex(limits, r'Max data size\s+1073741824\s+1073741824 ')
                self.assertEqual(service.end(), 0)

    def test_a_request_that_takes_more_memory_fails_and_others_are_answered(self):
        with Service('--port', '{port}', '--memory-max', '256MiB', '--threads', '2') as service:
            for _ in range(3):
                self.assertEqual(service.ask('GET', '/bytes/900000000')[0], 500)
                self.assertEqual(service.ask('GET', '/')[0], 200)
            self.assertEqual(service.end(), 0)

    def test_a_start_that_gets_no_more_threads_ends_and_says_so(self):
        # A thread needs 8 MiB for its stack: not even the log's can be started, or only some of
        # them.
        for mebibytes in (2, *range(8, 64, 4)):
            status, said = run_to_end('33_inside', '--port', str(free_port()), '--threads', '8',
                                      '--memory-max', f'{mebibytes}MiB')
            self.assertEqual(status, 1, (mebibytes, said))
            self.assertIn('Cannot start 8 threads', said, mebibytes)

    def test_what_may_not_be_had_is_refused_with_the_mend(self):
        if int(Path('/proc/sys/fs/nr_open').read_text()) < 999999999:
            self.refuse(['--open-files-max', '999999999'], 'LimitNOFILE=')
        for words, why in ((['--umask', '888'], 'as 027'), (['--umask', '01777'], 'as 027')):
            self.refuse(words, why)

    def refuse(self, words, why):
        status, said = run_to_end(PROGRAM, '--port', str(free_port()), *words)
        self.assertIn(status, (1, 2), said)
        self.assertIn(why, said)

    def test_the_umask_is_that_of_its_sockets(self):
        path = public_directory(self) / 'app.sock'
        for umask, rights in ('077', 0o700), ('0', 0o777):
            with Service('--listen', '127.0.0.1:{port}', '--listen', f'unix:{path}', '--umask',
                         umask) as service:
                self.assertEqual(path.stat().st_mode & 0o777, rights)
                self.assertEqual(service.end(), 0)


class Refused(unittest.TestCase):
    def refuse(self, *words):
        ended = subprocess.run([BIN / PROGRAM, '--port', str(free_port()), *words],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.STDOUT, timeout=SECONDS_MAX)
        self.assertEqual(ended.returncode, 1, ended.stdout)
        return ended.stdout

    def test_who_is_nobody_or_root_is_told(self):
        for words, why in ((['--user', 'no-such-user'], "no user 'no-such-user'"),
                           (['--user', '4294967295'], 'no user'),
                           (['--user', '54321'], 'add --group'),
                           (['--user', 'root'], 'no privileges would be dropped'),
                           (['--user', '54321', '--group', 'no-such'], "no group 'no-such'"),
                           (['--user', '54321', '--group', '0'], 'no privileges would be dropped')):
            self.assertIn(why, self.refuse(*words))
            self.assertIn(why, self.refuse(*words, '--workers', '1'))

    @unittest.skipIf(os.getuid(), 'only root can become another user')
    def test_another_user_than_root_cannot_become_one(self):
        space = ['setpriv', '--reuid', '54321', '--regid', '54321', '--clear-groups']
        program = public_directory(self) / 'program'
        shutil.copy(BIN / PROGRAM, program)
        for more in ([], ['--workers', '1']):
            ended = subprocess.run([*space, program, '--port', str(free_port()), *AS_USER, *more],
                                   stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                   timeout=SECONDS_MAX)
            self.assertEqual(ended.returncode, 1)
            self.assertIn('only root can switch to another user', ended.stderr)


@unittest.skipIf(os.getuid(), 'only root can become another user')
class Users(unittest.TestCase):
    def start(self, *words, program=None, backend='auto'):
        """Creates a copy of the program that the user can read, next to files that only root can
        read."""
        self.directory = public_directory(self)
        path = program or self.directory / 'program'
        if program is None:
            shutil.copy(BIN / PROGRAM, path)
        return self.enterContext(Service('--port', '{port}', '--threads', '2', *AS_USER,
                                         '--backend', backend, *words, program=path))

    def check_dropped(self, process):
        for status in statuses(process):
            self.assertEqual(status, NOBODY)

    def test_no_thread_keeps_a_right(self):
        # The groups of this process must be removed, too.
        before = os.getgroups()
        os.setgroups([0, 4, 27])
        self.addCleanup(os.setgroups, before)
        for backend in 'epoll', 'io_uring':
            with self.subTest(backend):
                service = self.start(backend=backend)
                self.assertEqual(service.ask('GET', '/blocking')[0], 200)
                self.assertGreaterEqual(len(list(statuses(service.pid))), 4)
                self.check_dropped(service.pid)
                self.assertEqual(service.end(), 0)

    def test_keys_and_low_ports_are_had_first(self):
        directory = public_directory(self)
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
                        'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=a', '-days', '2',
                        '-keyout', directory / 'key', '-out', directory / 'cert'], check=True,
                       capture_output=True, timeout=SECONDS_MAX)
        (directory / 'key').chmod(0o600)
        low = next(port for port in range(1023, 500, -1) if self.is_free(port))
        for workers in ((), ('--workers', '2')):
            service = self.start('--cert', str(directory / 'cert'), '--key', str(directory / 'key'),
                                 '--tls-port', str(low), *workers)
            answer = subprocess.run(['curl', '-sSk', '--max-time', '20',
                                     f'https://127.0.0.1:{low}'],
                                    capture_output=True, text=True, timeout=SECONDS_MAX)
            self.assertIn('Hello', answer.stdout, answer.stderr)
            for process in children(service.pid) if workers else [service.pid]:
                self.check_dropped(process)
            self.assertEqual(service.end(), 0)

    def is_free(self, port):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            return probe.connect_ex(('127.0.0.1', port)) != 0

    def test_workers_serve_as_that_user_also_those_that_follow_a_crash(self):
        service = self.start('--workers', '2')
        for _ in range(2):
            workers = children(service.pid)
            self.assertEqual(len(workers), 2)
            for worker in workers:
                self.check_dropped(worker)
            os.kill(int(min(workers)), signal.SIGKILL)
            until(lambda old=workers: len(children(service.pid) - old) == 1 and
                  len(children(service.pid)) == 2, service.said)
            until(lambda: all(status['Uid'] == {USER} for worker in children(service.pid)
                              for status in statuses(worker)), service.said)
        # The supervisor starts them as root, and an upgrade repeats all steps.
        old = service.upgrade()
        until(lambda: not is_alive(old), service.said)
        for worker in children(service.pid):
            self.check_dropped(worker)
        self.assertEqual(service.end(), 0)

    def test_sockets_in_the_file_system_are_its_groups(self):
        path = public_directory(self) / 'app.sock'
        service = self.start('--listen', '127.0.0.1:{port}', '--listen', f'unix:{path}')
        self.assertEqual((path.stat().st_uid, path.stat().st_gid), (0, GROUP))
        self.assertEqual(service.end(), 0)

    def test_an_upgrade_goes_on_with_the_sockets_and_the_file(self):
        file = public_directory(self) / 'pid'
        service = self.start('--pid-file', str(file))
        self.assertEqual(file.read_text(), f'{service.pid}\n')
        for _ in range(2):
            old = service.upgrade()
            until(lambda pid=old: not is_alive(pid), service.said)
            self.check_dropped(service.pid)
            self.assertEqual(service.ask('GET', '/')[0], 200)
            self.assertEqual(file.read_text(), f'{service.pid}\n')
        self.assertEqual(service.end(), 0)
        self.assertEqual(file.read_text(), '')  # only root can write to its directory

    def test_a_program_that_it_cannot_read_any_more_leaves_the_old_one_serving(self):
        service = self.start()
        (self.directory / 'program').chmod(0o700)
        self.assertTrue(service.refuse('Permission denied'), service.said())
        self.assertEqual(service.ask('GET', '/')[0], 200)
        (self.directory / 'program').chmod(0o755)
        service.upgrade()
        self.check_dropped(service.pid)
        self.assertEqual(service.end(), 0)

    def test_what_only_root_could_open_leaves_the_old_one_serving(self):
        config = public_directory(self) / 'options'
        config.write_text('')
        service = self.start('--config', str(config))
        config.chmod(0o600)
        self.assertTrue(service.refuse('the process exited with status'), service.said())
        self.assertEqual(service.ask('GET', '/')[0], 200)
        self.assertEqual(service.end(), 0)

    def test_signals_while_it_starts_leave_no_half_dropped_process(self):
        program = public_directory(self) / 'program'
        shutil.copy(BIN / PROGRAM, program)
        for _ in range(10):
            process = subprocess.Popen([program, '--port', str(free_port()), '--threads', '2',
                                        *AS_USER], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            try:
                # The signals arrive at any point of the startup.
                for _ in range(200):
                    os.kill(process.pid, signal.SIGWINCH)
                    os.kill(process.pid, signal.SIGCHLD)
                until(lambda p=process: all(status == NOBODY for status in statuses(p.pid)),
                      lambda p=process: str(list(statuses(p.pid))))
            finally:
                process.terminate()
                self.assertIn(process.wait(SECONDS_MAX), (0, -signal.SIGTERM))


class Sandboxes(unittest.TestCase):
    """`sandbox_test.cc` tests rejected calls; here the service runs in a sandbox, and is
    upgraded."""

    HELD = {'NoNewPrivs': '1', 'Seccomp': '2'}

    def setUp(self):
        self.directory = public_directory(self)
        (self.directory / 'files').mkdir()
        (self.directory / 'files' / 'a.txt').write_text('a file')
        (self.directory / 'bin').mkdir()
        self.program = self.directory / 'bin' / 'program'
        shutil.copy(BIN / PROGRAM, self.program)

    def start(self, *words, mode='required'):
        return self.enterContext(Service(
            '--port', '{port}', '--threads', '2', '--sandbox', mode, *words,
            '--files', str(self.directory / 'files'), program=self.program))

    def held(self, process):
        """Returns, for all its threads, whether they are sandboxed, and the number of filters."""
        found = set()
        for task in Path(f'/proc/{process}/task').iterdir():
            lines = dict(line.split(':', 1) for line in
                         (task / 'status').read_text().splitlines())
            self.assertEqual({name: lines[name].strip() for name in self.HELD}, self.HELD)
            found.add(int(lines.get('Seccomp_filters', '1')))
        return found

    def check_serves(self, service):
        self.assertEqual(service.ask('GET', '/blocking')[0], 200)
        self.assertEqual(service.ask('GET', '/files/a.txt')[2], b'a file')

    def test_it_serves_what_the_program_names_and_is_followed_without_end(self):
        service = self.start()
        first = self.held(service.pid)
        self.assertEqual(len(first), 1)
        for _ in range(20):  # the kernel allows only a limited number of nested filters
            old = service.upgrade()
            until(lambda pid=old: not is_alive(pid), service.said)
        self.check_serves(service)
        self.assertEqual(self.held(service.pid), first)
        self.assertEqual(service.end(), 0)

    def test_each_worker_has_one_and_a_crash_does_not_end_that(self):
        service = self.start('--workers', '2', *(AS_USER if os.getuid() == 0 else ()))
        workers = children(service.pid)
        for worker in workers:
            self.held(worker)
        os.kill(int(min(workers)), signal.SIGKILL)
        until(lambda: len(children(service.pid) - workers) == 1, service.said)
        until(lambda: service.ask('GET', '/files/a.txt')[0] == 200, service.said)
        self.assertEqual(service.end(), 0)

    def test_a_program_from_elsewhere_leaves_the_old_one_serving(self):
        (self.directory / 'elsewhere').mkdir()
        other = self.directory / 'elsewhere' / 'program'
        self.program.rename(other)
        self.program.symlink_to(BIN / PROGRAM)
        service = self.start()
        self.program.unlink()
        self.program.symlink_to(other)
        self.assertTrue(service.refuse('Permission denied'), service.said())
        self.check_serves(service)
        self.assertEqual(service.end(), 0)

    def test_what_a_program_opens_by_itself_it_reaches(self):
        for place in ('data', 'log'):
            (self.directory / place).mkdir()
        database, log = self.directory / 'data/notes.db', self.directory / 'log/shop.log'
        words = ('--port', '{port}', '--sandbox', 'required')
        with Service(*words, '--database-file', str(database), program=BIN / 'notes') as notes:
            note = b'{"title": "Milk", "body": "Two."}'
            status, _, said = notes.ask('POST', '/api/v1/notes', note,
                                        {'Content-Type': 'application/json'})
            self.assertEqual(status, 201, said)
            self.held(notes.pid)
            self.assertEqual(notes.end(), 0)
        # The log next to it was merged, and removed.
        self.assertEqual(list(database.parent.iterdir()), [database])
        with Program('31_telemetry', *words, '--log-file', str(log)) as shop:
            until(log.exists, shop.said)
            log.rename(self.directory / 'log/shop.log.1')
            until(lambda: shop.ask('GET', '/stock') and log.exists(), shop.said)

    def test_a_log_may_have_lines_before_it_begins(self):
        log = self.directory / 'shop.log'
        words = ('--port', '{port}', '--tls-port', str(free_port()), '--sandbox', 'required',
                 '--log-file', str(log))
        with Program('31_telemetry', *words) as shop:
            until(lambda: 'Eider serves on' in log.read_text(), shop.said)
            self.assertRegex(log.read_text(), '(?s)^[^\\n]*no certificate is configured.*serves on')
            self.held(shop.process.pid)
            # No data is lost if the start fails.
            log.unlink()
            status, said = run_to_end('31_telemetry', '--port', str(shop.port), *words[2:])
        self.assertEqual(status, 1, said)
        self.assertRegex(log.read_text(), '(?s)^[^\\n]*no certificate is configured.*in use')

    def test_a_path_that_is_not_there_is_told(self):
        status, said = run_to_end(PROGRAM, '--port', str(free_port()), '--sandbox', 'on',
                                  '--sandbox-write', '/nowhere')
        self.assertEqual(status, 1, said)
        self.assertIn('/nowhere', said)
        status, said = run_to_end(PROGRAM, '--port', str(free_port()), '--sandbox', 'maybe')
        self.assertEqual(status, 2, said)


class PidFiles(unittest.TestCase):
    def test_links_that_lie_in_its_way_are_not_followed(self):
        directory = public_directory(self)
        victim = directory / 'victim'
        victim.write_text('as it was')
        file = directory / 'pid'
        file.symlink_to(victim)
        script = directory / 'start'
        # A link at the name of the temporary file, which is renamed afterwards.
        script.write_text(f'#!/bin/bash\nln -s {victim} {file}.$$\nexec {BIN / PROGRAM} "$@"\n')
        script.chmod(0o755)
        with Service('--port', '{port}', '--pid-file', str(file), program=script) as service:
            until(lambda: re.fullmatch(r'\d+\n', file.read_text()), file.read_text)
            self.assertFalse(file.is_symlink())
            self.assertEqual(victim.read_text(), 'as it was')
            self.assertEqual(service.end(), 0)
        self.assertFalse(file.exists())

    def test_one_that_is_anothers_by_now_stays(self):
        file = public_directory(self) / 'pid'
        with Service('--port', '{port}', '--pid-file', str(file)) as service:
            file.unlink()
            file.write_text('12345\n')
            self.assertEqual(service.end(), 0)
        self.assertEqual(file.read_text(), '12345\n')

    def test_one_that_cannot_be_written_is_told(self):
        file = public_directory(self) / 'absent/pid'
        for words in ((), ('--workers', '1')):
            with Service('--port', '{port}', '--pid-file', str(file), *words) as service:
                until(lambda: f'--pid-file: cannot write {file}' in service.said(), service.said)
                self.assertEqual(service.end(), 0)


if __name__ == '__main__':
    unittest.main()

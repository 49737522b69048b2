"""Settings of real programs: files, their output, secrets, and SIGHUP under load.

Must not use internals of a program: only its output, its responses and its exit code count.
"""

import http.client
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from mail_support import make_certificate
from support import ANSWER_SECONDS_MAX, ROOT, Program, run_to_end

CLIENTS = 8
RELOADS = 20
LONG = 2000 * 'x'
HIDDEN = 'hunter2-of-the-mail-server'


def setUpModule():
    """Programs start with the default action for SIGHUP, even if this process ignores it."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Asking:
    """Threads that send requests on persistent connections until they are stopped; all must get
    responses."""

    def __init__(self, port):
        self.port = port
        self.is_over = threading.Event()
        self.lock = threading.Lock()
        self.answered = 0
        self.wrong = []
        self.threads = [threading.Thread(target=self.run, args=(each % 2 == 0,))
                        for each in range(CLIENTS)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def run(self, is_kept):
        """Every second client opens a connection for each request."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=ANSWER_SECONDS_MAX)
        while not self.is_over.is_set() and not self.wrong:
            try:
                connection.request('GET', '/pause')
                reply = connection.getresponse()
                told = (reply.status, reply.read().decode())
            except (OSError, http.client.HTTPException) as error:
                told = (0, repr(error))
            with self.lock:
                self.answered += 1
                if told[0] != 200 or not told[1].endswith('s'):
                    self.wrong.append(told)
            if not is_kept:
                connection.close()  # the next request reopens it
        connection.close()


class Reloads(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = Path(directory.name) / 'clock.toml'
        self.directory = Path(directory.name)
        self.write('1s')

    def write(self, pause, more=''):
        """Replaces the file, like `mv`."""
        new = self.file.with_suffix('.new')
        new.write_text(f'[clock]\npause = "{pause}"\nfile = "{self.directory}/count"\n{more}')
        os.replace(new, self.file)

    def start(self, name='13_clock'):
        """Starts the program; SIGHUP is handled once it has reported that it serves."""
        program = self.enterContext(Program(name, '--port', '{port}', '--threads', '2',
                                            '--config', str(self.file)))
        self.said(program, ' info Eider serves on ')
        return program

    def said(self, program, line, times=1):
        """Waits until the log contains the line this number of times."""
        deadline = time.monotonic() + ANSWER_SECONDS_MAX
        while program.said().count(line) < times:
            self.assertLess(time.monotonic(), deadline, program.said())
            time.sleep(0.005)

    def hang_up(self, program):
        program.process.send_signal(signal.SIGHUP)

    def test_take_what_may_change_and_lose_no_request(self):
        program = self.start()
        self.assertEqual(program.ask('GET', '/pause')[2], b'1s')
        with Asking(program.port) as asking:
            for each in range(RELOADS):
                self.write(f'{each + 2}s')
                self.hang_up(program)
                self.said(program, f'settings: clock.pause is "{each + 2}s" ({self.file}:2)')
                self.assertEqual(program.ask('GET', '/pause')[2], f'{each + 2}s'.encode())
        self.assertEqual(asking.wrong, [])
        self.assertGreater(asking.answered, CLIENTS)
        self.assertEqual(program.stop(), 0)

    def test_take_the_level_of_the_log(self):
        program = self.start()
        self.write('1s', '[server]\nlog_level = "error"\n')
        self.hang_up(program)
        self.said(program, f'settings: server.log_level is "error" ({self.file}:5)')
        self.write('2s', '[server]\nlog_level = "error"\n')
        self.hang_up(program)
        deadline = time.monotonic() + ANSWER_SECONDS_MAX
        while program.ask('GET', '/pause')[2] != b'2s':
            self.assertLess(time.monotonic(), deadline)
        self.assertNotIn('clock.pause is', program.said())
        self.write('2s', '[server]\nlog_level = "loud"\n')
        self.hang_up(program)
        self.said(program, 'server.log_level must be one of debug, info, warning, error')
        self.assertEqual(program.stop(), 0)

    def test_take_limits_for_what_comes_over_http1_and_http2(self):
        self.file.write_text('')
        program = self.start('10_http2')
        kept = http.client.HTTPConnection('127.0.0.1', program.port, timeout=ANSWER_SECONDS_MAX)
        self.addCleanup(kept.close)

        def statuses():
            """Sends a long URL on an existing connection, on a new one, and over HTTP/2."""
            kept.request('GET', '/?' + LONG)
            reply = kept.getresponse()
            reply.read()
            url = f'http://127.0.0.1:{program.port}/?{LONG}'
            return [reply.status] + [
                int(subprocess.run(['curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', version,
                                    url], capture_output=True, text=True, check=True).stdout)
                for version in ('--http1.1', '--http2-prior-knowledge')]
        self.assertEqual(statuses(), [200, 200, 200])
        for size, status in ('1KiB', 414), ('8KiB', 200):
            self.file.write_text(f'[server.limits]\ntarget_bytes_max = "{size}"')
            self.hang_up(program)
            self.said(program, f'settings: server.limits.target_bytes_max is "{size}"')
            deadline = time.monotonic() + ANSWER_SECONDS_MAX
            while statuses() != 3 * [status]:
                self.assertLess(time.monotonic(), deadline)
        self.assertEqual(program.stop(), 0)

    def test_tell_what_needs_a_restart(self):
        program = self.start()
        self.write('1s', '[server]\nport = 1\nthreads = 4\n')
        self.hang_up(program)
        # The command line takes precedence over the file, so these two settings have not changed.
        self.said(program, 'settings: reloaded without changes')
        self.write('1s', '[server]\ndrain_seconds = 3\n')
        self.hang_up(program)
        self.said(program, 'settings: server.drain_seconds has changed and requires a restart')
        self.assertEqual(program.stop(), 0)

    def test_of_a_bad_file_leave_all_as_it_was_and_tell_why(self):
        program = self.start()
        whole = self.file.read_text()
        self.file.write_text(whole.replace('1s', '2s')[:len(whole) // 2] + '\nhalf')
        self.hang_up(program)
        self.said(program, 'settings: the reload failed, and the settings are unchanged: ')
        self.said(program, 'is not TOML: ')
        self.file.unlink()
        self.hang_up(program)
        self.said(program, 'which cannot be read: No such file or directory')
        self.file.mkdir()
        self.hang_up(program)
        self.said(program, 'which cannot be read: Is a directory')
        self.file.rmdir()
        self.file.write_text(whole + '\n' * (10 << 20))
        self.hang_up(program)
        self.said(program, 'which is larger than 1024 KiB')
        self.file.unlink()
        os.mkfifo(self.file)
        self.hang_up(program)  # a pipe without a writer: requests are served meanwhile
        self.assertEqual(program.ask('GET', '/pause')[2], b'1s')
        self.file.write_text(whole.replace('1s', '5s'))
        self.said(program, 'settings: clock.pause is "5s"')
        self.assertEqual(program.stop(), 0)

    def test_are_not_waited_for_at_the_stop(self):
        program = self.start()
        for _ in range(RELOADS):
            self.hang_up(program)
        self.assertEqual(program.stop(), 0)

    def test_without_anything_to_read_anew_end_as_programs_do(self):
        program = self.enterContext(Program('01_hello', '--port', '{port}'))
        self.assertEqual(program.stop(signal.SIGHUP), -signal.SIGHUP)

    def test_are_heard_where_certificates_may_have_changed(self):
        certificate, key = make_certificate(self.directory)
        program = self.enterContext(Program('10_http2', '--port', '{port}', '--tls-port', '0',
                                            '--cert', str(certificate), '--key', str(key)))
        self.said(program, ' info Eider serves on ')
        self.hang_up(program)
        self.said(program, 'settings: reloaded without changes')
        self.assertEqual(program.stop(), 0)


class Printed(unittest.TestCase):
    def test_settings_of_the_bookstore_are_the_same_when_they_are_read_again(self):
        file = ROOT / 'examples/bookstore/bookstore.toml'
        status, first = run_to_end('bookstore', '--config', str(file), '--print-config')
        self.assertEqual(status, 0, first)
        self.assertIn(f'database_file = "/var/lib/bookstore/bookstore.db"  # {file}:4\n', first)
        self.assertIn('\nthreads = 2  # ', first)
        with tempfile.NamedTemporaryFile('w', suffix='.toml') as again:
            again.write(first)
            again.flush()
            status, second = run_to_end('bookstore', '--config', again.name, '--print-config')
        values = [[line.rpartition('#')[0] for line in text.splitlines()]
                  for text in (first, second)]
        self.assertEqual((status, values[0]), (0, values[1]))

    def test_secrets_are_told_nowhere(self):
        environment = {'BOOKSTORE_SMTP_PASSWORD': HIDDEN}
        with tempfile.TemporaryDirectory() as directory:
            named = Path(directory) / 'smtp_password'
            named.write_text(HIDDEN + '\n')
            all_said = ''
            for words in (('--print-config',), ('--help',), ('--routes',), ('--port', 'x'),
                          ('--smtp-password', HIDDEN), ('--smtp-password=' + HIDDEN,)):
                all_said += run_to_end('bookstore', *words, environment=environment)[1]
                all_said += run_to_end('bookstore', *words, environment={
                    'CREDENTIALS_DIRECTORY': directory})[1]
                all_said += run_to_end('bookstore', '--smtp-password-file', str(named), *words)[1]
            self.assertIn('# smtp_password_file = FILE  # BOOKSTORE_SMTP_PASSWORD\n', all_said)
            self.assertIn('# smtp_password_file = FILE  # the credential smtp_password\n', all_said)
            self.assertIn(f'smtp_password_file = "{named}"  # --smtp-password-file\n', all_said)
            self.assertNotIn('hunter2', all_said)
            program = self.enterContext(Program('bookstore', '--port', '{port}', '--database-file',
                                                str(Path(directory) / 'shop.db'), '--smtp-url',
                                                'smtp://127.0.0.1:9', '--smtp-user', 'shop',
                                                environment=environment))
            program.ask('GET', '/')
            program.stop()
            self.assertNotIn('hunter2', program.said())


if __name__ == '__main__':
    unittest.main()

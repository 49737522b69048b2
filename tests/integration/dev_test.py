"""`eider dev` for a small project, and `eider run` of a file.

Saved changes are built, run and shown, and no request is refused. One `eider dev` serves all tests,
in the order of their names; compiler and browser are real.
"""

import contextlib
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import webdriver
from support import BIN, free_port

#: Seconds after which a test counts as hanging. The compiler reads all headers of Eider at low
#: priority, and gets only a few percent of a busy machine.
PATIENCE = 300
PROJECT = Path(__file__).with_name('dev_project')
GUARDED = '#ifndef SHOP_GOODS_H\n#define SHOP_GOODS_H\n#include <eider/forms.h>\n#endif\n'
CRASH = '  std::abort();  // here'
HANGING = '  std::fputs("opens the shop\\n", stderr); ::sleep(1000);  // here'
#: Serves the socket of `eider dev` itself, without reporting readiness.
MUTE = '  for (;;) { ::close(::accept(3, nullptr, nullptr)); }  // here'
WORDS = 'app.get("/words", [] { '
#: From the first request on, when the program has installed its own signal handling.
STUBBORN = WORDS + 'std::signal(SIGTERM, SIG_IGN); '


def until(question, what):
    """Calls the function until its result is true, and returns that."""
    deadline = time.monotonic() + PATIENCE
    while True:
        answer = question()
        if answer:
            return answer
        assert time.monotonic() < deadline, f'waited in vain for {what}'
        time.sleep(0.02)


def install(prefix):
    subprocess.run(['cmake', '--install', BIN.parent, '--prefix', prefix], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Developing:
    """`eider dev` for a copy of a project, with an installed Eider."""

    def __init__(self, directory, project=PROJECT):
        self.prefix = directory / 'prefix'
        self.project = directory / 'shop'
        self.port = free_port()
        self.log = directory / 'said'
        install(self.prefix)
        shutil.copytree(project, self.project)
        self.process = None

    def command(self, *words):
        return [self.prefix / 'bin/eider', 'dev', *words]

    def start(self):
        with open(self.log, 'wb') as log:
            self.process = subprocess.Popen(self.command('--port', str(self.port)), stdout=log,
                                            stderr=log, stdin=subprocess.DEVNULL,
                                            cwd=self.project)
        until(self.listens, 'the front')

    def stop(self):
        self.process.terminate()
        return self.process.wait(PATIENCE)

    def listens(self):
        with contextlib.suppress(OSError), socket.create_connection(('127.0.0.1', self.port)):
            return True
        return False

    def said(self):
        return self.log.read_text(errors='replace')

    def starts(self):
        return self.said().count('eider dev: ready')

    def ask(self, path='/words', method='GET', body=None, headers=None):
        """Returns (status, text) of one request on a separate connection."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            return reply.status, reply.read().decode()

    def page(self, path='/'):
        return self.ask(path, headers={'Accept': 'text/html', 'Sec-Fetch-Dest': 'document'})

    def change(self, name, *texts):
        """Saves the file once, with each old text replaced by the new one after it."""
        file = self.project / name
        text = file.read_text()
        for old, new in zip(texts[::2], texts[1::2]):
            assert old in text, (name, old)
            text = text.replace(old, new)
        file.write_text(text)

    @contextlib.contextmanager
    def stopped(self):
        """All changes in this block are seen at the same time, however long they take."""
        self.process.send_signal(signal.SIGSTOP)
        status = Path(f'/proc/{self.process.pid}/status')
        until(lambda: 'State:\tT' in status.read_text(), 'that it is stopped')
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def until_page(self, words):
        """Returns the first page that contains these words, with any status."""
        return until(lambda: (lambda page: page if words in page[1] else None)(self.page()), words)


class Dev(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.directory, True)
        cls.dev = Developing(cls.directory)
        (cls.dev.project / 'goods.h').write_text(GUARDED)
        cls.dev.change('main.cc', '#include "words.h"',
                       '#include "goods.h"  // [\n#include "words.h"')
        cls.dev.start()
        cls.addClassCleanup(cls.dev.stop)

    def tearDown(self):
        self.assertIsNone(self.dev.process.poll(), self.dev.said())

    def test_01_a_request_waits_for_the_first_build(self):
        self.assertEqual(self.dev.ask(), (200, 'first words'), self.dev.said())

    def test_01_headers_that_its_sources_read_are_precompiled(self):
        text = (self.dev.project / 'build/eider-dev/eider-dev/shop_precompiled.h').read_text()
        for header in ('eider.h', 'assets.h', 'telemetry.h', 'views.h', 'forms.h'):
            self.assertIn(f'#include <eider/{header}>', text)
        for component in ('redis', 'postgres'):
            self.assertNotIn(component, text, 'it may not be there')

    def test_01_its_log_is_text_for_people(self):
        self.assertEqual(self.dev.ask(method='POST', body='four')[1], 'four')
        until(lambda: ' info posted bytes=4\n' in self.dev.said(), 'its line')

    def test_02_requests_during_a_build_wait_and_none_fails(self):
        answers, is_over = [], threading.Event()

        def ask_on():
            while not is_over.is_set():
                answers.append(self.dev.ask())
                answers.append(self.dev.ask(method='POST', body='sent'))

        asking = [threading.Thread(target=ask_on) for _ in range(4)]
        for each in asking:
            each.start()
        self.dev.change('words.cc', 'first', 'second')
        until(lambda: (200, 'second words') in answers, 'the new words')
        is_over.set()
        for each in asking:
            each.join()
        self.assertEqual({status for status, _ in answers}, {200}, answers)
        first_new = answers.index((200, 'second words'))
        behind = [text for _, text in answers[first_new:]]
        # Each thread may have had one request in progress.
        self.assertLessEqual(behind.count('first words'), len(asking))

    def test_03_many_saves_are_one_build(self):
        before = self.dev.starts()
        text = (self.dev.project / 'words.cc').read_text()
        with self.dev.stopped():
            for turn in range(100):
                (self.dev.project / 'words.cc').write_text(text.replace('second', f'turn {turn}'))
        until(lambda: self.dev.ask() == (200, 'turn 99 words'), 'the last words')
        self.assertEqual(self.dev.starts(), before + 1, self.dev.said())

    def test_04_a_browser_follows_and_keeps_its_place(self):
        if not webdriver.is_installed():
            self.skipTest('chromium and chromedriver are not installed')
        with webdriver.Browser() as browser:
            self.follow(browser)

    def follow(self, browser):
        def shows(selector, text):
            browser.until(lambda: browser.run(
                f'const e = document.querySelector("{selector}"); return e && e.textContent')
                == text, text, PATIENCE)

        browser.open(f'http://localhost:{self.dev.port}/')
        shows('h1', 'turn 99 words')
        browser.until(lambda: browser.run(
            "return document.querySelector('#sockets').textContent") == '1', 'a WebSocket')
        browser.run('scrollTo(0, 1234)')
        with self.subTest('an edit'):
            self.dev.change('words.cc', 'turn 99', 'third')
            shows('h1', 'third words')
            browser.until(lambda: browser.run('return scrollY') == 1234, 'its place')
        with self.subTest('an error, and its mend'):
            self.dev.change('words.cc', '"third words"', '"<b>bold</b>" + nothing_such')
            shows('h1', 'The build failed')
            told = browser.find('section').text()
            self.assertIn('words.cc:8:', told)
            self.assertIn("undeclared identifier 'nothing_such'", told)
            self.assertIn('Usually:', told)
            self.assertIn('<b>bold</b>', told)
            self.assertEqual(browser.find_all('section b, pre b'), [])
            self.dev.change('words.cc', '"<b>bold</b>" + nothing_such', '"fourth words"')
            shows('h1', 'fourth words')
        starts = self.dev.starts()
        with self.subTest('a template'):
            self.dev.change('pages/front.html', 'template one', 'template two')
            shows('h2', 'template two')
        with self.subTest('a style sheet, on the page as it is'):
            browser.until(lambda: browser.run(
                "return document.querySelector('#sockets').textContent") == '1', 'a WebSocket')
            browser.run('window.stays = true')
            self.dev.change('web/style.css', 'rgb(1, 2, 3)', 'rgb(4, 5, 6)')
            browser.until(lambda: browser.run(
                "return getComputedStyle(document.querySelector('h1')).color") == 'rgb(4, 5, 6)',
                'the new style')
            self.assertIs(browser.run('return window.stays'), True)
        self.assertEqual(self.dev.starts(), starts, 'no build was needed')

    def test_05_the_program_s_own_sockets_are_passed_on_to_the_next_one(self):
        starts = self.dev.starts()
        self.dev.change('words.cc', 'words"', 'words "')
        until(lambda: self.dev.starts() > starts, 'the next program')
        with socket.create_connection(('127.0.0.1', self.dev.port), timeout=PATIENCE) as line:
            line.sendall(b'GET /echo HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n'
                         b'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
                         b'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n')
            self.assertIn(b' 101 ', line.recv(4096))
            line.sendall(b'\x81\x82\0\0\0\0hi')
            self.assertEqual(line.recv(4), b'\x81\x02hi')

    def test_06_a_file_that_is_gone_is_told_until_it_is_back(self):
        header = self.dev.project / 'words.h'
        text = header.read_text()
        header.unlink()
        status, page = self.dev.until_page('The build failed')
        self.assertEqual(status, 503)
        self.assertIn('words.h', page)
        header.write_text(text)
        self.dev.until_page('template two')

    def test_06_a_cmake_file_that_is_mended_is_told(self):
        file, starts = self.dev.project / 'CMakeLists.txt', self.dev.starts()
        text = file.read_text()
        file.write_text(text + 'nonsense\n')
        self.dev.until_page('The build failed')
        until(lambda: re.search(r'\nCMakeLists\.txt:\d+: CMake:\n', self.dev.said()), 'the place')
        file.write_text(text)
        until(lambda: self.dev.starts() > starts, 'that it is ready')
        self.dev.until_page('template two')

    def test_07_a_crash_at_the_start_shows_its_stack(self):
        self.dev.change('main.cc', '  // here', CRASH)
        status, page = self.dev.until_page('The program crashed')
        self.assertEqual(status, 503)
        line = (self.dev.project / 'main.cc').read_text().split('std::abort')[0].count('\n') + 1
        self.assertIn('The stack, innermost first', page)
        self.assertIn(f'main.cc:{line} main', page)
        self.assertIn(f'main.cc:{line} main', self.dev.ask()[1])  # as text
        self.dev.change('main.cc', CRASH, '  // here')
        self.dev.until_page('template two')

    def test_08_a_program_that_does_not_mind_sigterm_is_killed(self):
        starts = self.dev.starts()
        self.dev.change('main.cc', '#include <string>', '#include <csignal>\n#include <string>',
                        WORDS, STUBBORN)
        until(lambda: self.dev.starts() > starts, 'the stubborn one')
        self.assertEqual(self.dev.ask()[0], 200)  # it has recovered
        self.dev.change('main.cc', STUBBORN, WORDS)
        until(lambda: self.dev.starts() > starts + 1, 'the next one')
        self.assertIn('did not stop after SIGTERM', self.dev.said())
        self.assertEqual(self.dev.ask()[0], 200)

    def test_08_one_that_hangs_at_its_start_is_not_ready(self):
        starts = self.dev.starts()
        self.dev.change('main.cc', '#include <csignal>',
                        '#include <csignal>\n#include <sys/socket.h>\n#include <unistd.h>',
                        '  // here', HANGING)
        # It is reported after 5 s, 10 s and so on: on a busy machine, the program opens the shop
        # later.
        until(lambda: re.search(r'eider dev: still starting \(\d+ s\), in \w+; last output: '
                                r'opens the shop\n', self.dev.said()), 'what it is at')
        self.assertIn('eider dev: still starting (5 s)', self.dev.said())
        self.assertEqual(self.dev.starts(), starts, self.dev.said())
        self.dev.change('main.cc', HANGING, MUTE)
        until(lambda: self.dev.starts() > starts, 'that one accepts which tells nothing')
        self.dev.change('main.cc', MUTE, '  // here')
        self.dev.until_page('template two')

    def test_09_a_directory_that_is_moved_is_followed(self):
        starts = self.dev.starts()
        parts = self.directory / 'parts'
        (parts / 'deep').mkdir(parents=True)
        parts.rename(self.dev.project / 'parts')
        (self.dev.project / 'parts/deep/more.h').write_text('#define MORE "more "\n')
        self.dev.change('words.cc', '#include "words.h"',
                        '#include "words.h"\n\n#include "parts/deep/more.h"')
        self.dev.change('words.cc', 'return "', 'return MORE "')
        until(lambda: self.dev.ask()[1].startswith('more '), 'the moved header')
        self.assertGreater(self.dev.starts(), starts)
        (self.dev.project / 'parts/deep/more.h').write_text('#define MORE "less "\n')
        until(lambda: self.dev.ask()[1].startswith('less '), 'a file of the moved directory')

    def test_10_other_names_are_refused(self):
        for path in ('/', '/words', '/_eider/dev.js'):
            self.assertEqual(self.dev.ask(path, headers={'Host': 'evil.example'})[0], 403)
        for host in ('localhost', 'shop.localhost:1', '127.0.0.1', '[::1]:8080'):
            self.assertEqual(self.dev.ask(headers={'Host': host})[0], 200, host)

    def test_10_the_port_of_the_program_is_for_eider_dev_alone(self):
        own = {os.readlink(entry.path) for entry in os.scandir(f'/proc/{self.dev.process.pid}/fd')}
        lines = [line.split() for line in Path('/proc/net/tcp').read_text().splitlines()[1:]]
        ports = {int(line[1].split(':')[1], 16) for line in lines
                 if line[3] == '0A' and f'socket:[{line[9]}]' in own} - {self.dev.port}
        self.assertEqual(len(ports), 1)
        for host in ('evil.example', 'localhost', f'localhost:{self.dev.port}'):
            for headers in ({}, {'Eider-Dev-Token': 'wrong'}):
                connection = http.client.HTTPConnection('127.0.0.1', *ports, timeout=PATIENCE)
                self.addCleanup(connection.close)
                connection.request('GET', '/words', headers={'Host': host, **headers})
                self.assertEqual(connection.getresponse().status, 403, (host, headers))

    def test_11_a_second_one_is_told_of_the_first(self):
        ended = subprocess.run(self.dev.command('--port', str(free_port())), cwd=self.dev.project,
                               text=True, capture_output=True, check=False, timeout=PATIENCE)
        self.assertEqual(ended.returncode, 1)
        self.assertIn('already running for this project: '
                      f'http://localhost:{self.dev.port}/, process {self.dev.process.pid}',
                      ended.stderr)

    def test_12_a_port_that_is_taken_is_told_with_one_that_is_free(self):
        ended = subprocess.run(
            self.dev.command('--port', str(self.dev.port), '--build', self.directory / 'other'),
            cwd=self.dev.project, text=True, capture_output=True, check=False, timeout=PATIENCE)
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(ended.stderr, r'cannot listen on 127\.0\.0\.1 port \d+.*--port \d+')

    def test_13_a_missing_include_and_a_blocked_loop_are_told(self):
        """words.cc uses a header that main.cc includes, which is precompiled for both."""
        begin, starts = 'std::string greeting() {\n', self.dev.starts()
        wrong = begin + '  (void)sizeof(eider::ViewsOptions);\n  ::sleep(3);\n'
        self.dev.change('words.cc', begin, wrong)
        until(lambda: 'words.cc lacks an #include' in self.dev.said(), 'the missing include')
        self.assertIn('ViewsOptions', self.dev.said())
        self.assertEqual(self.dev.ask()[0], 200)
        until(lambda: ' is blocked for ' in self.dev.said(), 'its log')
        self.dev.change('words.cc', wrong, begin)
        until(lambda: self.dev.starts() > starts + 1, 'the program without them')

    def test_13_words_that_are_wrong_are_told(self):
        for words, told in ((['--nothing', '1'], 'unknown option --nothing'),
                            (['--verbose'], 'unknown option --verbose; put options of the '
                                            'program after --'),
                            (['--prot', '3000'], 'unknown option --prot (did you mean --port?)'),
                            (['shop'], 'unexpected argument shop; put options of the program'),
                            (['--port'], 'requires a value'), (['--port=x'], 'must be a number'),
                            (['-Dx=y', '--port', '0'], 'must be a number')):
            ended = subprocess.run(self.dev.command(*words), text=True, capture_output=True,
                                   check=False, timeout=PATIENCE)
            self.assertEqual(ended.returncode, 2)
            self.assertIn(told, ended.stderr)
        ended = subprocess.run(self.dev.command('--build', '.'), text=True, capture_output=True,
                               check=False, timeout=PATIENCE, cwd=self.dev.project)
        self.assertEqual(ended.returncode, 1)
        self.assertIn('--build . is the folder of the project. Use a folder of its own',
                      ended.stderr)
        ended = subprocess.run(self.dev.command(), cwd=self.directory, text=True,
                               capture_output=True, check=False, timeout=PATIENCE)
        self.assertEqual(ended.returncode, 1)
        self.assertIn('found no project here or above', ended.stderr)

    def test_14_ctrl_c_ends_all_children(self):
        group = self.children()
        self.assertTrue(group)
        self.dev.change('words.cc', 'MORE', 'MORE')
        self.dev.process.send_signal(signal.SIGINT)
        self.assertEqual(self.dev.process.wait(PATIENCE), 0)
        self.assertEqual([pid for pid in group if Path(f'/proc/{pid}/cmdline').exists()
                          and Path(f'/proc/{pid}/cmdline').read_bytes()], [])
        self.dev.start()  # for tearDown

    def children(self):
        """Returns the processes of `eider dev`, at any depth."""
        found, left = [], [self.dev.process.pid]
        while left:
            pid = left.pop()
            for tasks in Path(f'/proc/{pid}/task').glob('*/children'):
                below = [int(each) for each in tasks.read_text().split()]
                found += below
                left += below
        return found


HELLO = """#include <eider/eider.h>
#include <cstdio>

int main(int argc, char** argv) {
  std::printf("hello %s\\n", argc > 1 ? argv[1] : "nobody");
  return argc;
}
"""


class Run(unittest.TestCase):
    """`eider run` of a single file."""

    @classmethod
    def setUpClass(cls):
        cls.directory = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.directory, True)
        install(cls.directory / 'prefix')
        # Shared by most tests, because the headers of Eider are precompiled for each file.
        cls.file = cls.directory / 'hello there.cc'
        cls.file.write_text(HELLO)
        cls.environment = {**os.environ, 'XDG_CACHE_HOME': str(cls.directory / 'cache'),
                           'PATH': f'{cls.directory}/prefix/bin:{os.environ["PATH"]}'}

    def run_file(self, *words):
        ended = subprocess.run([str(word) for word in words], text=True, capture_output=True,
                               check=False, timeout=PATIENCE, env=self.environment,
                               stdin=subprocess.DEVNULL)
        return ended.returncode, ended.stdout, ended.stderr

    def compilations(self):
        """Returns the number of lines in the logs of the builds."""
        return sum(len(log.read_text().splitlines())
                   for log in self.directory.glob('cache/eider/run/*/build/.ninja_log'))

    def test_1_it_is_compiled_once_and_gets_its_words(self):
        self.assertEqual(self.run_file('eider', 'run', self.file), (1, 'hello nobody\n', ''))
        made = self.compilations()
        self.assertEqual(self.run_file('eider', 'run', self.file, 'you'), (2, 'hello you\n', ''))
        self.assertEqual(self.run_file('eider', 'run', self.file, '--', '--you'),
                         (2, 'hello --you\n', ''))
        self.assertEqual(self.compilations(), made)
        # The help of a program shows its name, not that of the build.
        self.assertEqual(len([*self.directory.glob('cache/eider/run/*/build/bin/hello there')]), 1)

    def test_2_an_error_is_told_and_mended(self):
        self.file.write_text(HELLO.replace('argc;', 'args;'))
        status, said, errors = self.run_file('eider', 'run', self.file)
        self.assertEqual(status, 1)
        self.assertIn("hello there.cc:6:10: error: use of undeclared identifier 'args'",
                      said + errors)
        self.file.write_text(HELLO)
        self.assertEqual(self.run_file('eider', 'run', self.file)[:2], (1, 'hello nobody\n'))

    def test_3_a_file_can_be_run_by_its_name(self):
        self.file.write_text('#!/usr/bin/env -S eider run\n' + HELLO.replace('argc;', 'args;'))
        self.file.chmod(0o755)
        status, said, errors = self.run_file(self.file)
        self.assertEqual(status, 1)
        self.assertIn('hello there.cc:7:10: error:', said + errors)
        self.file.write_text('#!/usr/bin/env -S eider run\n' + HELLO)
        self.assertEqual(self.run_file(self.file, 'me'), (2, 'hello me\n', ''))

    def test_4_a_file_of_a_project_is_told_to_be_one(self):
        project = self.directory / 'shop/src'
        project.mkdir(parents=True)
        (self.directory / 'shop/CMakeLists.txt').write_text(
            'project(shop)\nfind_package(eider REQUIRED)\n')
        file = project / 'main.cc'
        file.write_text('int elsewhere();\nint main() { return elsewhere(); }\n')
        status, _, errors = self.run_file('eider', 'run', file)
        self.assertEqual(status, 1)
        self.assertIn('eider run: main.cc was compiled alone, without the rest of '
                      f'{self.directory}/shop. Use eider dev to run the whole project\n', errors)
        self.file.write_text(file.read_text())
        status, _, errors = self.run_file('eider', 'run', self.file)
        self.assertEqual((status, 'compiled alone' in errors), (1, False))

    def test_5_words_that_are_wrong_are_told(self):
        text, empty = self.directory / 'text.txt', self.directory / 'empty.cc'
        text.write_text('hello')
        empty.write_text('')
        for words, told in ((['run'], 'no source file given. Example: eider run main.cc'),
                            (['run', '--port', '3000', self.file],
                             'put options after the source file. Example: eider run main.cc '
                             '--port 3000'),
                            (['run', self.directory / 'none.cc'],
                             'none.cc: No such file or directory. A C++ source file is required'),
                            (['run', text], 'text.txt: does not have one of the file name '
                                            'extensions .cc, .cpp'),
                            (['run', empty], 'empty.cc: is empty'),
                            (['run', '/dev/null'], '/dev/null: is not a file'),
                            (['run', self.directory], ': is a directory. A C++ source file is '
                                                      'required')):
            status, _, errors = self.run_file('eider', *words)
            self.assertEqual(status, 2)
            self.assertIn(told, errors)
        odd = self.directory / 'a;b.cc'
        odd.write_text(HELLO)
        status, _, errors = self.run_file('eider', 'run', odd)
        self.assertEqual(status, 2)
        self.assertIn('its path has the character ;, which CMake cannot use. Rename', errors)

    def test_6_a_missing_compiler_is_reported_with_the_one_to_install(self):
        tools = self.directory / 'tools'
        tools.mkdir()
        for name in ('cmake', 'ninja', 'eider'):
            (tools / name).symlink_to(shutil.which(name, path=self.environment['PATH']))
        without = {name: value for name, value in self.environment.items() if name != 'CXX'}
        for variables, told in (({}, 'no compiler was found: install clang 19 (apt install '
                                     'clang-19), or g++ 13 or later'),
                                ({'CXX': 'nope'}, 'CXX is nope, but there is no such compiler')):
            ended = subprocess.run(['eider', 'run', str(self.file)], text=True,
                                   capture_output=True, check=False, timeout=PATIENCE,
                                   env={**without, 'PATH': str(tools), **variables})
            self.assertEqual((ended.returncode, ended.stderr), (1, f'eider run: {told}\n'))

    def test_7_an_error_that_cannot_be_written_is_no_crash(self):
        for words in (['eider', 'run', 'none.cc'], ['eider', 'nothing'], ['eider', 'explain', 'x']):
            with open('/dev/full', 'w', encoding='utf-8') as full:
                ended = subprocess.run(words, check=False, timeout=PATIENCE, stderr=full,
                                       env=self.environment, cwd=self.directory)
            self.assertIn(ended.returncode, (1, 2), words)
            closed = subprocess.run(['sh', '-c', 'exec "$@" <&- >&- 2>&-', 'sh', *words],
                                    check=False, timeout=PATIENCE, env=self.environment,
                                    cwd=self.directory)
            self.assertEqual(closed.returncode, ended.returncode, words)


if __name__ == '__main__':
    unittest.main()

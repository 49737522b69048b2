"""The steps of docs/tutorial, and first-steps.md: each is built as its page shows it, and its
commands print the shown output. Also the messages that troubleshooting.md explains.

A block of code that begins with a comment with a file name (`// notes.cc`) is that file. In blocks
of `console`, `$ eider run FILE …` and `$ eider dev` start the step's program on a free port instead
of 8080, and `$ curl …`, `$ cat …` and `$ sqlite3 …` run unchanged; the following lines are their
output. A program whose page shows an output is run to its end. Other commands are only for readers.

Must not compare text that differs between runs: MASKED.

    python3 tests/integration/tutorial_test.py --write    # writes the outputs to the pages
"""

import contextlib
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from project_support import Installed, environment
from support import ROOT, STOP_SECONDS_MAX, free_port

PAGES = [ROOT / 'docs/get-started/first-steps.md',
         *sorted((ROOT / 'docs/tutorial').glob('[0-9][0-9]-*.md'))]
FENCED = re.compile(r'^```(\w+) *\n(.*?)^```$', re.DOTALL | re.MULTILINE)
NAMED = re.compile(r'(?://|#|--|/\*|\{#|<!--) ([\w./-]+\.\w+)\b')
COMMAND = re.compile(r'^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)', re.MULTILINE)
MASKED = [(re.compile(pattern), mask) for pattern, mask in (
    (r'\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT', '<date>'),
    (r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z', '<time>'),
    (r'(?i)(etag: ).*', r'\1<tag>'),
    (r'("milliseconds":)[\d.]+', r'\1<time>'),
    (r'\b[0-9a-f]{16}\b', '<id>'),
    (r'\(\d+ threads?, \w+\)', '(<threads>)'))]
# Messages of compilers, linkers and CMake.
THEIRS = re.compile(r'deduced return type|undeclared identifier|Could not find|undefined reference'
                    r'|no member')
BUILD_SECONDS_MAX = 400
# A page that is read again may show more, because background work continues.
PATIENCE = 20

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(tutorial LANGUAGES CXX)
find_package(eider REQUIRED COMPONENTS core {components})
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g0")
# One precompiled header for all of them.
add_library(shared OBJECT shared.cc)
target_link_libraries(shared PRIVATE eider::core)
target_precompile_headers(shared PRIVATE <eider/eider.h>)
function(step name)
  target_precompile_headers(${{name}} REUSE_FROM shared)
endfunction()
"""


def masked(text):
    """Returns the text without parts that differ between runs."""
    for pattern, mask in MASKED:
        text = pattern.sub(mask, text)
    return text.strip()


class Step:
    """A page: its files, and its commands with their outputs."""

    def __init__(self, page):
        self.page = page
        self.name = page.stem
        self.files = {}
        self.commands = []  # (command, output)
        for language, text in FENCED.findall(page.read_text()):
            named = NAMED.match(text)
            if language == 'console':
                self.commands += COMMAND.findall(text)
            elif named:
                self.files[named[1]] = text

    @property
    def is_project(self):
        """Whether it has its own CMakeLists.txt."""
        return 'CMakeLists.txt' in self.files

    def components(self, prefix):
        """Returns the components whose headers it includes."""
        headers = re.findall(r'#include <eider/(\w+)\.h>', '\n'.join(self.files.values()))
        return {name for name in headers if (prefix / f'lib/libeider_{name}.a').exists()}

    def targets(self):
        """Returns the programs of its CMakeLists.txt; a single source has the name of the page."""
        if not self.is_project:
            return [self.name]
        return re.findall(r'add_executable\((\w+)', self.files['CMakeLists.txt'])

    def write(self, place):
        """Writes its files to that folder; returns the lines that CMake needs for them."""
        for name, text in self.files.items():
            (place / self.name / name).parent.mkdir(parents=True, exist_ok=True)
            (place / self.name / name).write_text(text)
        if self.is_project:
            lines = [f'add_subdirectory({self.name})']
        else:
            source = next(name for name in self.files if name.endswith('.cc'))
            lines = [f'add_executable({self.name} {self.name}/{source})']
        return lines + [f'step({target})' for target in self.targets()]


def build(steps, prefix, place):
    """Builds all steps below `place`."""
    components = set().union(*(step.components(prefix) for step in steps))
    lines = [PROJECT.format(components=' '.join(sorted(components)))]
    for step in steps:
        lines += step.write(place)
        if not step.is_project:
            linked = ' '.join(f'eider::{name}' for name in ['core', *step.components(prefix)])
            lines.append(f'target_link_libraries({step.name} PRIVATE {linked})')
    (place / 'CMakeLists.txt').write_text('\n'.join(lines) + '\n')
    (place / 'shared.cc').write_text('')
    words = ['cmake', '-S', place, '-B', place / 'build', '-G', 'Ninja',
             '-DCMAKE_BUILD_TYPE=Debug', f'-DCMAKE_PREFIX_PATH={prefix}']
    # The package supports the compiler that built Eider; clang compiles fastest.
    clang = next((path for path in map(shutil.which, ('clang++-19', 'clang++')) if path), None)
    words += [f'-DCMAKE_CXX_COMPILER={clang}'] if clang else []
    words += ['-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld'] if clang and shutil.which('ld.lld') else []
    for command in words, ['cmake', '--build', place / 'build']:
        ended = subprocess.run(command, text=True, stdout=subprocess.PIPE, env=environment(),
                               stderr=subprocess.STDOUT, check=False, timeout=BUILD_SECONDS_MAX)
        if ended.returncode != 0:
            raise AssertionError(ended.stdout)


class Terminal:
    """Runs the commands of a step like its readers. Use as a context manager."""

    def __init__(self, step, place):
        self.step = step
        self.folder = place / step.name
        binary = place / 'build' / (step.name if step.is_project else '')
        self.program = binary / step.targets()[0]
        self.port = free_port()
        self.served = None
        self.log = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stop()

    def _stop(self):
        if self.served:
            with contextlib.suppress(ProcessLookupError):
                self.served.send_signal(signal.SIGTERM)
            self.served.wait(STOP_SECONDS_MAX)
            self.served = None

    def run(self, command, shown):
        """Returns the command's output; None for a command that is only for readers."""
        command = command.replace('\\\n', ' ').replace('8080', str(self.port))
        started = re.match(r'((?:\w+=\S+ )*)eider (?:run [\w.]+|dev)(?: -- (.*)| ?(.*))$', command)
        if started:
            return self._start(started[1], started[2] or started[3] or '', shown)
        if not re.match(r'(?:curl|cat|sqlite3) ', command):
            return None
        can_be_again = command.startswith('cat') or not re.search(r' (?:-X|--json|-d|-F) ', command)
        begin = time.monotonic()
        while True:
            ended = subprocess.run(['sh', '-c', command], cwd=self.folder, text=True, check=False,
                                   capture_output=True,
                                   env=environment(HOME=str(self.folder), no_proxy='*'),
                                   stdin=subprocess.DEVNULL, timeout=STOP_SECONDS_MAX)
            output = ended.stdout.replace('\r', '').replace(str(self.port), '8080')
            is_over = time.monotonic() - begin > PATIENCE or not shown.strip()
            if masked(output) == masked(shown) or is_over or not can_be_again:
                return output
            time.sleep(0.1)

    def _start(self, variables, words, shown):
        words, _, kept = words.partition('2> ')
        given = dict(word.split('=', 1) for word in shlex.split(variables))
        words = [self.program, *shlex.split(words)]
        self._stop()
        if shown.strip():
            ended = subprocess.run(words, cwd=self.folder, env=environment(**given), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                                   stdin=subprocess.DEVNULL, timeout=STOP_SECONDS_MAX)
            return ended.stdout
        given.setdefault('EIDER_PORT', str(self.port))
        errors = self.folder / (kept or 'errors.log')
        with open(errors, 'w', encoding='utf-8') as file:
            self.served = subprocess.Popen(words, cwd=self.folder, env=environment(**given),
                                           stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        deadline = time.monotonic() + STOP_SECONDS_MAX
        while True:
            if self.served.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f'{self.step.name} does not serve: {errors.read_text()}')
            with contextlib.suppress(OSError):
                socket.create_connection(('127.0.0.1', self.port), 1).close()
                return None
            time.sleep(0.02)


def run_tests_of(step, place):
    """Runs the step's own tests, if it has some; returns (exit status, output)."""
    for target in step.targets():
        if target.endswith('_test'):
            ended = subprocess.run([place / 'build' / step.name / target], text=True, check=False,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   timeout=STOP_SECONDS_MAX)
            yield ended.returncode, ended.stdout


class Tutorial(unittest.TestCase):
    """Every step."""

    @classmethod
    def setUpClass(cls):
        cls.prefix = cls.enterClassContext(Installed()).prefix
        cls.place = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.steps = [Step(page) for page in PAGES]
        build(cls.steps, cls.prefix, cls.place)

    def test_each_step_shows_what_it_does(self):
        self.assertGreaterEqual(len(self.steps), 21)
        for step in self.steps:
            with self.subTest(step=step.name), Terminal(step, self.place) as terminal:
                self.assertTrue(step.commands)
                for command, shown in step.commands:
                    output = terminal.run(command, shown)
                    if output is not None:
                        self.assertEqual(masked(shown), masked(output), command)

    def test_the_tests_of_a_step_pass(self):
        tests = [ended for step in self.steps for ended in run_tests_of(step, self.place)]
        self.assertTrue(tests)
        for status, output in tests:
            self.assertEqual(status, 0, output)


class Troubleshooting(unittest.TestCase):
    """The page on error messages."""

    def test_the_messages_that_it_explains_are_those_of_the_sources(self):
        page = (ROOT / 'docs/get-started/troubleshooting.md').read_text()
        sources = ' '.join(path.read_text() for folder in ('src', 'cli')
                           for path in (ROOT / folder).rglob('*.[ch]*') if path.is_file())
        # Literals that continue on the next line are one text.
        sources = re.sub(r'"\s*"', '', sources)
        for message in re.findall(r'^### `([^`]+)`', page, re.MULTILINE):
            for part in message.split('…') if not THEIRS.search(message) else ():
                with self.subTest(message=message):
                    self.assertIn(part.strip(' ,<>'), sources)


def write_outputs(names):
    """Writes the real output of the commands to the pages whose names begin with these; without
    names, to all."""
    steps = [Step(page) for page in PAGES if not names or page.name.startswith(tuple(names))]
    prefix = os.environ.get('EIDER_PREFIX')
    with contextlib.ExitStack() as kept:
        prefix = Path(prefix) if prefix else kept.enter_context(Installed()).prefix
        place = Path(kept.enter_context(tempfile.TemporaryDirectory()))
        build(steps, prefix, place)
        for step in steps:
            with Terminal(step, place) as terminal:
                step.page.write_text(FENCED.sub(
                    lambda block, terminal=terminal: block[0] if block[1] != 'console' else
                    '```console\n' + COMMAND.sub(lambda found: one(terminal, found), block[2])
                    + '```', step.page.read_text()))
            for status, output in run_tests_of(step, place):
                print(step.name, 'tests', status, output if status else '')


def one(terminal, found):
    """Returns a command with its real output; unchanged if it differs only in MASKED."""
    output = terminal.run(found[1], found[2])
    if output is None or masked(output) == masked(found[2]):
        return found[0]
    return f'$ {found[1]}\n' + (output.strip() + '\n' if output.strip() else '')


if __name__ == '__main__':
    if sys.argv[1:2] == ['--write']:
        write_outputs(sys.argv[2:])
    else:
        unittest.main()

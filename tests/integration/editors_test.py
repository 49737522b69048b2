"""Editors and debuggers: the files that `eider new` writes for them, and the pretty-printers.

Must not need an editor: clangd, gdb and lldb run without one.
"""

import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from clangd_support import Clangd
from project_support import STEP_SECONDS_MAX, Installed, environment
from support import ROOT

INSTALLED = Installed()
KINDS = ('service', 'web', 'realtime', 'library')
# Each variable of tests/debugger/values.cc, with the output of gdb and of lldb.
VALUES = {
    'empty': ('empty task', 'empty task'),
    'fresh': (r'task .*response\(int\), not started, frame 0x\w+',
              r'task .*response\(int\), not started'),
    'done': (r'task .*greet\(std::.*\), done, frame 0x\w+ = \{result = "Ada1"\}',
             r'task .*greet\(std::.*\), done = "Ada1"'),
    'waiting': (r'task .*waits\(\), waiting or running, frame 0x\w+',
                r'task .*waits\(\), waiting or running'),
    'failed': (r'task .*fails\(\), done, frame 0x\w+ = \{ended by = an exception\}',
               r'task .*fails\(\), done, an exception'),
    'note': (r'object of 2 = \{\["title"\] = "Milk", \["tags"\] = array of 5 = '
             r'\{"a", 1, 2\.5, null, true\}\}',
             r'\{"title": "Milk", "tags": \["a", 1, 2\.5, null, true\]\}'),
    'large': ('18446744073709551615',) * 2,
    'title': ('"Milk"',) * 2,
    'stars': ('4',) * 2,
    'absent': ('absent',) * 2,
    'null': ('null',) * 2,
    'seven': ('7',) * 2,
    'trimmed': ('"Ada"',) * 2,
    'id': ('f81d4fae-7dec-11d0-a765-00a0c91e6bf6',) * 2,
    'price': (r'-0\.50',) * 2,
    'error': (r'error 409: There are 3 left\.',) * 2,
    'secret': ('secret',) * 2,
}


def setUpModule():
    """One prefix for all tests."""
    unittest.enterModuleContext(INSTALLED)


def done(*command, place):
    """Returns the output of a command that finds the prefix; it must succeed."""
    ended = subprocess.run([str(word) for word in command], cwd=place, text=True, check=False,
                           env=environment(CMAKE_PREFIX_PATH=str(INSTALLED.prefix)),
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=STEP_SECONDS_MAX)
    if ended.returncode != 0:
        raise AssertionError(f'{command}: {ended.returncode}\n{ended.stdout[-4000:]}')
    return ended.stdout


class Place(unittest.TestCase):
    """Each test has its own folder."""

    def setUp(self):
        self.place = Path(tempfile.mkdtemp(dir=INSTALLED.place.name)).resolve()

    def made(self, kind):
        """Returns a project that `eider new` has created."""
        done(INSTALLED.command, 'new', kind, f'my-{kind}', place=self.place)
        return self.place / f'my-{kind}'


class Files(Place):
    """The files of each kind of project."""

    def test_refer_to_tasks_and_programs_of_the_project(self):
        for kind in KINDS:
            with self.subTest(kind):
                project = self.made(kind)
                launch, tasks, devcontainer, extensions = (
                    json.loads((project / name).read_text()) for name in (
                        '.vscode/launch.json', '.vscode/tasks.json',
                        '.devcontainer/devcontainer.json', '.vscode/extensions.json'))
                labels = {task['label'] for task in tasks['tasks']}
                programs = set()
                for each in launch['configurations']:
                    self.assertIn(each['preLaunchTask'], labels)
                    programs.add(each['program'].removeprefix('${workspaceFolder}/build/debug/'))
                done('cmake', '--preset', 'debug', place=project)
                built = done('ninja', '-C', 'build/debug', '-t', 'targets', 'all', place=project)
                expected = {f'my-{kind}_test', *([] if kind == 'library' else [f'my-{kind}'])}
                self.assertEqual(expected, programs)
                for program in programs:
                    self.assertIn(f'\n{program}: CXX_EXECUTABLE_LINKER', built)
                self.assertTrue((project / 'build/debug/eider_lldb.py').exists())
                self.assertEqual(extensions['recommendations'],
                                 devcontainer['customizations']['vscode']['extensions'])
                self.assertTrue((project / '.devcontainer' /
                                 devcontainer['build']['dockerfile']).exists())

    def test_are_written_as_editorconfig_says(self):
        for kind in KINDS:
            project = self.made(kind)
            rules = (project / '.editorconfig').read_text()
            self.assertIn('end_of_line = lf', rules)
            for file in project.rglob('*'):
                if file.is_file():
                    with self.subTest(file.relative_to(self.place)):
                        text = file.read_bytes().decode()
                        self.assertNotRegex(text, r'[ \t]\n|\n\n\Z|\r|\t')
                        self.assertTrue(text.endswith('\n'))

    def test_the_commands_of_the_last_build_are_linked(self):
        project = self.made('service')
        link = project / 'compile_commands.json'
        self.assertFalse(link.is_symlink())
        for preset in 'dev', 'release':
            done('cmake', '--preset', preset, place=project)
            self.assertEqual((project / 'build' / preset / link.name).resolve(), link.resolve())
            self.assertIn('src/app.cc', ' '.join(
                each['file'] for each in json.loads(link.read_text())))

    def test_commands_that_are_a_file_of_the_user_are_not_replaced(self):
        project = self.made('library')
        (project / 'compile_commands.json').write_text('[]\n')
        done('cmake', '--preset', 'dev', place=project)
        self.assertEqual('[]\n', (project / 'compile_commands.json').read_text())


@unittest.skipUnless(shutil.which('clangd-19'), 'clangd 19 is not installed')
class LanguageServer(Place):
    """clangd, with the files that `eider new` writes."""

    def generate(self, project):
        """Creates the headers that a build generates, and nothing else."""
        listed = done('ninja', '-C', 'build/dev', '-t', 'targets', 'rule', 'CUSTOM_COMMAND',
                      place=project)
        headers = [name for name in listed.split() if re.match(r'[^/].*\.h$', name)]
        if headers:
            done('ninja', '-C', 'build/dev', *headers, place=project)

    def test_reports_nothing_in_a_new_project(self):
        for kind in KINDS:
            with self.subTest(kind):
                project = self.made(kind)
                done('cmake', '--preset', 'dev', place=project)
                self.generate(project)
                files = [file for folder in ('include', 'src', 'tests')
                         for file in sorted((project / folder).rglob('*.[ch]*'))]
                self.assertGreaterEqual(len(files), 3)
                with Clangd(project) as clangd:
                    self.assertEqual([], [line for file in files
                                          for line in clangd.diagnostics(file)])

    def test_reports_an_error_and_an_include_that_is_not_used(self):
        project = self.made('library')
        done('cmake', '--preset', 'dev', place=project)
        wrong = project / 'src/wrong.cc'
        wrong.write_text('#include <eider/json.h>\n\n#include <string>\n\nint number = "one";\n')
        with Clangd(project) as clangd:
            said = '\n'.join(clangd.diagnostics(wrong))
        self.assertRegex(said, r"wrong\.cc:5: .*'const char\[4\]'")
        self.assertRegex(said, r'wrong\.cc:3: Included header string is not used')


class Debuggers(Place):
    """The pretty-printers print each value of a program on one line."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(dir=INSTALLED.place.name))
        packages = next(INSTALLED.prefix.rglob('eider-core.pc')).parent
        flags = subprocess.run(['pkg-config', '--cflags', '--libs', 'eider-core'], text=True,
                               env=environment(PKG_CONFIG_PATH=str(packages)), check=True,
                               stdout=subprocess.PIPE).stdout.split()
        done('clang++-19', '-std=c++23', '-O0', '-g', '-fstandalone-debug',
             ROOT / 'tests/debugger/values.cc', '-o', 'values', *flags, place=cls.folder)
        cls.scripts = INSTALLED.prefix / 'share/eider'

    def assert_prints(self, output, debugger, before):
        """Expects that each variable has a line, which begins with `before` and its name."""
        for name, expected in VALUES.items():
            with self.subTest(name):
                self.assertRegex(output, rf'(?m)^{before}{name} = {expected[debugger]}$')

    @unittest.skipUnless(shutil.which('gdb'), 'gdb is not installed')
    def test_gdb(self):
        # -iex: before the program is known, as from ~/.gdbinit.
        said = done('gdb', '-nx', '-batch', '-iex', f'source {self.scripts}/eider_gdb.py', '-ex',
                    'break breakpoint', '-ex', 'run', '-ex', 'up', '-ex', 'info locals', 'values',
                    place=self.folder)
        self.assertNotIn('hidden', said)
        self.assert_prints(said, 0, '')

    @unittest.skipUnless(shutil.which('lldb-19'), 'lldb 19 is not installed')
    def test_lldb(self):
        said = done('lldb-19', '--no-lldbinit', '-b', '-o',
                    f'command script import {self.scripts}/eider_lldb.py', '-o',
                    'breakpoint set -n breakpoint', '-o', 'run', '-o', 'up', '-o',
                    'frame variable', '-o', 'kill', 'values', place=self.folder)
        self.assertNotIn('= "hidden"', said)
        self.assert_prints(said, 1, r'\(eider::.*\) ')

    @unittest.skipUnless(shutil.which('gdb'), 'gdb is not installed')
    def test_gdb_loads_them_with_a_program_of_a_project(self):
        project = self.made('library')
        done('cmake', '--preset', 'debug', place=project)
        done('cmake', '--build', '--preset', 'debug', place=project)
        arguments = ('-ex', 'break my_library::Counts::add', '-ex', 'run', '-ex', 'info args',
                     '-ex', 'info pretty-printer global eider', 'build/debug/my-library_test')
        said = done('gdb', '-nx', '-batch', '-iex', f'add-auto-load-safe-path {self.place}',
                    *arguments, place=project)
        self.assertIn('name = "tea"', said)
        self.assertRegex(said, r'eider\n(?: +\w+\n)* +task\n')


if __name__ == '__main__':
    unittest.main()

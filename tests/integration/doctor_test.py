"""`eider doctor`: each finding with its fix, as text and as JSON; also for a running program.

Must not rely on properties of the machine that may change.
"""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BIN, ROOT, Program

SECONDS_MAX = 60


def doctor(*words, **changes):
    """Returns (exit code, standard output, standard error)."""
    ended = subprocess.run([BIN / 'eider', 'doctor', *words], text=True, check=False,
                           env={**os.environ, **changes}, capture_output=True,
                           timeout=SECONDS_MAX)
    return ended.returncode, ended.stdout, ended.stderr


def findings(*words, **changes):
    """Returns (exit code, {name: (state, found, mend)})."""
    status, said, _ = doctor(*words, '--json', **changes)
    return status, {each['name']: (each['state'], each['found'], each['fix'])
                    for each in json.loads(said)['findings']}


class Machine(unittest.TestCase):
    def test_each_finding_that_is_not_good_has_a_mend(self):
        status, found = findings()
        for name in ('compiler', 'cmake', 'ninja', 'simdjson', 'kernel', 'io_uring', 'open files',
                     'tcp_migrate_req', 'port 8080', 'disk space'):
            self.assertIn(name, found)
        self.assertEqual({name for name, (state, _, _) in found.items() if state != 'good'},
                         {name for name, (_, _, mend) in found.items() if mend})
        self.assertEqual(status, 3 if 'bad' in {state for state, _, _ in found.values()} else 0)

    def test_a_machine_without_tools_is_told_what_to_install(self):
        with tempfile.TemporaryDirectory() as empty:
            status, found = findings(PATH=empty)
        self.assertEqual(status, 3)
        self.assertEqual(found['compiler'],
                         ('bad', 'none', 'apt install clang-19 (or g++ 13 or later)'))
        self.assertEqual(found['cmake'], ('bad', 'none', 'apt install cmake: configures builds'))

    def test_all_that_the_package_asks_for_is_looked_for(self):
        """The libraries are those of libeider-dev: all that a build needs, except Eider's own
        sources."""
        with tempfile.TemporaryDirectory() as empty:
            mends = ' '.join(mend for _, _, mend in findings(PATH=empty)[1].values())
        wanted = re.findall(r'(?m)^build +(\S+-dev) ', (ROOT / 'tools/packages.txt').read_text())
        packaging = (ROOT / 'cmake/EiderPackage.cmake').read_text()
        own = re.search(r'eider_building ([^)]*)', packaging)[1].split()
        self.assertEqual([], [name for name in wanted
                              if name not in own and f'apt install {name}' not in mends])

    def test_tools_that_are_too_old_are_told(self):
        with tempfile.TemporaryDirectory() as place:
            for name, says in (('cmake', 'cmake version 3.16.3'), ('g++', '12.2.0'),
                               ('pkg-config', '0.1')):
                tool = Path(place, name)
                tool.write_text(f'#!/bin/sh\necho "{says}"\n')
                tool.chmod(0o755)
            _, found = findings(PATH=place)
        self.assertEqual(found['cmake'][::2], ('bad', '3.25 or later is needed'))
        self.assertEqual(found['compiler'][2],
                         'g++ 13 or later is needed: apt install clang-19')
        self.assertEqual(found['openssl'],
                         ('advice', '0.1', 'needed by tls, version 3.0: apt install libssl-dev'))

    def test_tools_of_clang_are_checked_only_if_clang_compiles(self):
        for name, is_checked in (('clang++-19', True), ('g++', False)):
            with tempfile.TemporaryDirectory() as place:
                tool = Path(place, name)
                tool.write_text('#!/bin/sh\necho 14.2.0\n')
                tool.chmod(0o755)
                self.assertEqual('llvm-profdata' in findings(PATH=place)[1], is_checked, name)

    def test_missing_libraries_of_the_sanitizers_are_told(self):
        for name, package in (('clang++-19', 'libclang-rt-19-dev'), ('clang++', 'libclang-rt-dev')):
            with tempfile.TemporaryDirectory() as place:
                tool = Path(place, name)
                tool.write_text('#!/bin/sh\necho "${1#-print-file-name=}"\n')
                tool.chmod(0o755)
                state, what, mend = findings(PATH=place)[1]['sanitizers']
            self.assertEqual((state, mend),
                             ('advice', f'apt install {package}: needed by eider check'))
            self.assertRegex(what, r'^no libclang_rt\.asan-\w+\.a$')

    def test_people_read_a_line_and_its_mend(self):
        _, said, errors = doctor()
        self.assertEqual(errors, '')
        self.assertRegex(said, r'(?m)^(ok|--|!!)  kernel +\S')


class Production(unittest.TestCase):
    def test_a_service_is_judged_by_how_it_runs(self):
        with Program('12_guards', '--port', '{port}', '--drain-seconds', '0') as plain:
            status, found = findings('production', '--pid', str(plain.process.pid))
            self.assertEqual(status, 3)
            self.assertEqual(found['drain'][:2], ('bad', '0 s'))
            self.assertEqual(found['shutdown_delay'][:2], ('advice', '0 s'))
            self.assertIn('--shutdown-delay-seconds 10', found['shutdown_delay'][2])
            self.assertEqual(found['listens'], ('good', f'127.0.0.1:{plain.port}', ''))
            self.assertEqual(found['user'][0], 'bad' if os.getuid() == 0 else 'good')
            self.assertEqual(found['file'], ('good', str(BIN / '12_guards'), ''))
            self.assertIn('/readyz', found)

    def test_what_other_machines_reach_in_the_clear_is_told(self):
        with Program('01_hello', '--listen', '[::]:{port}',
                     environment={'EIDER_DRAIN_SECONDS': '7', 'INVOCATION_ID': 'x'}) as plain:
            _, found = findings('production', '--pid', str(plain.process.pid))
            self.assertEqual(found['listens'][:2], ('advice', f':::{plain.port}, unencrypted'))
            self.assertEqual(found['drain'], ('good', '7 s', ''))
            self.assertEqual(found['supervisor'], ('good', 'systemd', ''))
            self.assertEqual(found['/readyz'][:2], ('bad', '404'))
            _, said, _ = doctor('production', '--pid', str(plain.process.pid))
            self.assertRegex(said, r'\n[1-9]\d* of [1-9]\d* checks passed\n$')

    def test_how_it_stops_is_read_of_its_words_its_environment_or_its_file(self):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory, 'shop.toml')
            file.write_text('[server]\n# drain_seconds = 5\nshutdown_delay_seconds = 9\n')
            for words, environment, leave, drain in (
                    (('--shutdown-delay-seconds=4',), {'EIDER_SHUTDOWN_DELAY_SECONDS': '5'},
                     '4 s', '10 s'),
                    ((), {'EIDER_SHUTDOWN_DELAY_SECONDS': '5', 'EIDER_DRAIN_SECONDS': '3'},
                     '5 s', '3 s'),
                    (('--config', str(file)), {}, '9 s', '10 s'),
                    ((), {'EIDER_CONFIG': str(file), 'EIDER_SHUTDOWN_DELAY_SECONDS': ''}, '9 s',
                     '10 s')):
                with Program('01_hello', '--port', '{port}', *words,
                             environment=environment) as plain:
                    _, found = findings('production', '--pid', str(plain.process.pid))
                self.assertEqual(found['shutdown_delay'], ('good', leave, ''))
                self.assertTrue(found['drain'][1].startswith(drain), found['drain'])

    def test_what_is_no_process_is_told(self):
        self.assertEqual(doctor('production', '--pid', '999999999')[::2],
                         (1, 'eider doctor: process 999999999 does not exist\n'))
        self.assertEqual(doctor('production', '--pid', 'x')[::2],
                         (2, 'eider doctor: x is not a process ID; see eider doctor --help\n'))
        self.assertEqual(doctor('prod')[::2], (2, 'eider doctor: unexpected argument prod; '
                                                  'expected: production; see eider doctor '
                                                  '--help\n'))


if __name__ == '__main__':
    unittest.main()

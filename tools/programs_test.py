"""Reports of the test run about a failed fuzzer, and about tests that could not run.

Must not run a program: the output is written here.
"""

import contextlib
import os
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path
from types import SimpleNamespace

from parts import commands, programs, standstill, statics, units
from parts.build import Tree
from parts.commands import Ended
from parts.outcome import Outcome, last_words

OUTPUT = """INFO: Seed: 1
#2\tINITED cov: 318 ft: 556 corp: 10/400b exec/s: 0 rss: 50Mb
#30\tREDUCE cov: 338 ft: 845 corp: 91/2690b lim: 137 exec/s: 5461 rss: 198Mb
\tNEW_FUNC[1/1]: 0x56158f01ba20
url_fuzz.cc:89: assertion failed: pieces end as the whole does
SUMMARY: libFuzzer: deadly signal
"""


class Fuzzers(unittest.TestCase):
    def test_the_fault_is_told_and_not_the_way_to_it(self):
        self.assertEqual(programs.without_progress(OUTPUT).splitlines(),
                         ['INFO: Seed: 1',
                          'url_fuzz.cc:89: assertion failed: pieces end as the whole does',
                          'SUMMARY: libFuzzer: deadly signal'])


class Machine(unittest.TestCase):
    def test_is_told_of_where_it_stood_still_and_else_not(self):
        self.assertEqual(standstill.told([0.1, 21, 1.9, 40.4], 100, 0, 0),
                         ['the machine, or this program, stopped 2 times, 61 s in all, '
                          '40 s at once'])
        self.assertEqual(standstill.told([0.1, 1.9], 100, 0, 0), [])
        share = 100 * os.cpu_count()
        self.assertEqual(standstill.told([], 100, share * 0.09, 0), [])
        self.assertEqual(standstill.told([], 100, share / 2, 0), [
            f"other machines had {share / 2:.0f} s of its processors' time"])
        self.assertEqual(standstill.told([], 100, 0, 7.2),
                         ['all programs waited for memory for 7 s'])

    def test_is_looked_at_while_a_part_runs(self):
        with standstill.Standstill() as machine:
            time.sleep(1.2)
        self.assertTrue(machine._late)
        self.assertGreaterEqual(standstill.stolen_seconds(), 0)
        self.assertGreaterEqual(standstill.memory_seconds(), 0)


class Failures(unittest.TestCase):
    def test_end_with_their_last_lines_and_no_rules(self):
        said = '\n'.join(f'line {number}' for number in range(20)) + f'\n\n{"-" * 70}\n  \n====\n'
        self.assertEqual(last_words(said), [f'line {number}' for number in range(12, 20)])
        self.assertEqual(last_words('x' * 300), ['x' * 200])


CTEST = """3: [ RUN      ] Loop.rings
4: [ RUN      ] Pool.gives_back
3: loop_test.cc:81: Skipped
4: pool_test.cc:17: Skipped
3: no filter, or no liburing
4: the pool stands aside
3: [  SKIPPED ] Loop.rings (0 ms)
4: [  SKIPPED ] Pool.gives_back (0 ms)
4: [ RUN      ] Backends/Pool.takes/uring
4: pool_test.cc:28: Skipped
4: this kernel lacks the backend
4:
4: [  SKIPPED ] Backends/Pool.takes/uring, where GetParam() = 1 (0 ms)
"""
UNITTEST = """test_a (__main__.A.test_a) ... skipped 'no nginx'
test_b (__main__.A.test_b)
What it holds. ... skipped "that's not here"
test_c (__main__.A.test_c) ... ok

Ran 3 tests in 0.001s

OK (skipped=2)
"""


class Skipped(unittest.TestCase):
    def test_each_program_gives_its_reason_also_between_the_lines_of_others(self):
        self.assertEqual(units.skip_reasons(CTEST),
                         {'Loop.rings': 'no filter, or no liburing',
                          'Pool.gives_back': 'the pool stands aside',
                          'Backends/Pool.takes/uring': 'this kernel lacks the backend'})

    def test_a_script_gives_its_reason_in_a_line(self):
        outcome = Outcome()
        statics.count_unittest(outcome, 'a_test.py', Ended(0, UNITTEST))
        self.assertEqual(outcome.passed, 1)
        self.assertEqual(outcome.skipped, [('a_test.py: test_a', 'no nginx'),
                                           ('a_test.py: test_b', "that's not here")])

    def test_a_case_that_fails_in_two_ways_is_told_twice(self):
        outcome = Outcome()
        line = '=' * 70
        statics.count_unittest(outcome, 'a_test.py', Ended(1, f"""{line}
FAIL: test_a (__main__.A.test_a)
first
{line}
ERROR: test_a (__main__.A.test_a)
second
{'-' * 70}
Ran 2 tests in 0.001s
"""))
        self.assertEqual([details.splitlines()[1] for _, details in outcome.failures],
                         ['first', 'second'])


FAILED = f"""{'=' * 70}
FAIL: test_a (__main__.A.test_a)
too late
{'-' * 70}
Ran 2 tests in 0.001s
"""
CTEST_FAILED = """96% tests passed, 2 tests failed out of 54

Total Test time (real) = 106.94 sec

The following tests FAILED:
\t 11 - db/postgres (Failed)
\t 48 - app (SEGFAULT)
Errors while running CTest
"""
PROGRAM = """#!/bin/sh
[ "$1" = "--gtest_filter=A.rare" ]
"""


class RunAgain(unittest.TestCase):
    """A test that fails next to others may pass alone: this is reported, but is not a failure."""

    def test_a_script_that_passes_then_is_unsteady(self):
        outcome = Outcome()
        programs.count_script(outcome, 'a_test.py', Ended(1, FAILED),
                              Ended(0, 'Ran 2 tests in 0.001s\n\nOK\n'))
        self.assertEqual((outcome.passed, outcome.failures), (2, []))
        self.assertEqual([name for name, _ in outcome.unsteady], ['a_test.py: test_a'])

    def test_a_script_that_fails_then_too_has_failed(self):
        outcome = Outcome()
        programs.count_script(outcome, 'a_test.py', Ended(1, FAILED), Ended(1, FAILED))
        self.assertEqual((outcome.passed, len(outcome.failures), outcome.unsteady), (1, 1, []))

    def test_a_script_that_skips_then_what_failed_has_failed(self):
        outcome = Outcome()
        programs.count_script(outcome, 'a_test.py', Ended(1, FAILED), Ended(0, (
            "test_a (__main__.A.test_a) ... skipped 'no port'\n\nRan 2 tests in 0.001s\n\nOK\n")))
        self.assertEqual((len(outcome.failures), outcome.unsteady), (1, []))

    def test_what_failed_ahead_of_the_end_of_time_is_told(self):
        ended = iter((Ended(1, FAILED), commands.OutOfTime()))
        def run(*_):
            one = next(ended)
            if isinstance(one, Exception):
                raise one
            return one
        with tempfile.TemporaryDirectory() as root, \
                unittest.mock.patch.object(commands, 'run', run):
            script = Path(root, 'tests/integration/a_test.py')
            script.parent.mkdir(parents=True)
            script.write_text('')
            outcome = Outcome()
            with self.assertRaises(commands.OutOfTime):
                programs.run_scripts(outcome, SimpleNamespace(root=Path(root), bin=root))
        self.assertEqual(len(outcome.failures), 1)

    def test_results_before_the_end_of_time_are_counted(self):
        def run(command, *_):
            if Path(command[1]).name == 'b_test.py':
                raise commands.OutOfTime
            return Ended(0, 'Ran 1 test in 0.001s\n\nOK\n')
        with tempfile.TemporaryDirectory() as root, \
                unittest.mock.patch.object(commands, 'run', run):
            folder = Path(root, 'tests/integration')
            folder.mkdir(parents=True)
            for name in ('a_test.py', 'b_test.py', 'c_test.py'):
                Path(folder, name).write_text('')
            outcome = Outcome()
            with self.assertRaises(commands.OutOfTime):
                programs.run_scripts(outcome, SimpleNamespace(root=Path(root), bin=root))
        self.assertEqual(outcome.passed, 2)

    def test_load_scripts_run_one_after_the_other(self):
        running, together = [], []
        def run(command, *_):
            name = Path(command[1]).name
            running.append(name)
            together.append(sum(one in programs.LOADS for one in running))
            time.sleep(0.01)
            running.remove(name)
            return Ended(0, 'Ran 1 test in 0.001s\n\nOK\n')
        with tempfile.TemporaryDirectory() as root, \
                unittest.mock.patch.object(commands, 'run', run):
            folder = Path(root, 'tests/integration')
            folder.mkdir(parents=True)
            for name in (*programs.LOADS, 'a_test.py', 'b_test.py', *programs.ALONE):
                Path(folder, name).write_text('')
            outcome = Outcome()
            programs.run_scripts(outcome, SimpleNamespace(root=Path(root), bin=root))
        self.assertEqual(outcome.passed, len(programs.LOADS) + 4)
        self.assertEqual(max(together), 1)

    def test_a_program_that_crashed_is_told_beside_a_case_that_failed(self):
        self.assertEqual(units.broken_programs(CTEST_FAILED), {'db_postgres_test', 'app_test'})
        self.assertEqual(units.broken_programs(CTEST), set())

    def test_a_case_is_run_by_its_name(self):
        with self.tree_with('a_test') as tree:
            self.assertTrue(units.passes_alone(tree, 'a_test', 'A.rare'))
            self.assertFalse(units.passes_alone(tree, 'a_test', 'A.broken'))

    def test_a_case_of_a_cross_build_is_run_by_the_emulator(self):
        with self.tree_with('a_test') as tree:
            cache = tree.directory / 'CMakeCache.txt'
            for emulator in ('qemu', 'qemu;-L;/sys root'):
                cache.write_text('A:STRING=1\n'
                                 f'CMAKE_CROSSCOMPILING_EMULATOR:UNINITIALIZED={emulator}\n')
                words = emulator.split(';')
                self.assertEqual(tree.command('a_test'), [*words, tree.bin / 'a_test'])
            cache.write_text('CMAKE_CROSSCOMPILING_EMULATOR:STRING=\n')
            self.assertEqual(tree.command('a_test'), [tree.bin / 'a_test'])
            # The program is for another architecture: only the emulator can run it.
            (tree.bin / 'a_test').write_bytes(b'\x7fELF of another machine')
            emulator = tree.directory / 'emulator'
            emulator.write_text('#!/bin/sh\n[ "$1" = "${0%/*}/bin/a_test" ] && '
                                '[ "$2" = --gtest_filter=A.rare ]\n')
            emulator.chmod(0o755)
            cache.write_text(f'CMAKE_CROSSCOMPILING_EMULATOR:STRING={emulator}\n')
            self.assertTrue(units.passes_alone(tree, 'a_test', 'A.rare'))
            self.assertFalse(units.passes_alone(tree, 'a_test', 'A.broken'))

    @contextlib.contextmanager
    def tree_with(self, name):
        """Returns a tree with that single program."""
        with tempfile.TemporaryDirectory() as root:
            tree = Tree(Path(root), 'unit')
            tree.bin.mkdir(parents=True)
            (tree.bin / name).write_text(PROGRAM)
            (tree.bin / name).chmod(0o755)
            yield tree


if __name__ == '__main__':
    unittest.main()

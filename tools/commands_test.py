"""The end of a run with a time limit.

Must not wait: commands that run too long are ended within a second.
"""

import contextlib
import io
import os
import signal
import time
import unittest
from unittest import mock

from parts import commands
from parts.outcome import Teller


class Faster(unittest.TestCase):
    """The program that starts compilers."""

    def test_compiler_keeps_its_arguments_and_status(self):
        ended = commands.run([commands.FASTER, 'sh', '-c', 'echo "$@"; exit 3', 'sh', 'a  b', '*'],
                             60)
        self.assertEqual((ended.status, ended.output), (3, 'a  b *\n'))


class LowPriority(unittest.TestCase):
    """Programs of a part in advance stay in its session, whose scheduling group has a low
    priority."""

    def test_programs_stay_in_the_session(self):
        session = ['python3', '-c', 'import os; print(os.getsid(0), os.getpgrp() == os.getpid())']
        for factor, stays in ((1, False), (commands.LOW_PRIORITY_FACTOR, True)):
            with self.subTest(factor), mock.patch.object(commands, '_factor', factor):
                number, is_group = commands.run(session, 60).output.split()
                self.assertEqual(int(number) == os.getsid(0), stays)
                self.assertEqual(is_group, 'True')


class OutOfTime(unittest.TestCase):
    """Running commands are ended and skipped, and later ones do not start."""

    def setUp(self):
        patch = mock.patch.object(commands, '_ends_at', None)
        patch.start()
        self.addCleanup(patch.stop)

    def test_what_runs_is_ended(self):
        commands.end_within(0.2)
        began = time.monotonic()
        with self.assertRaises(commands.OutOfTime):
            commands.run(['sleep', '60'], 60)
        self.assertLess(time.monotonic() - began, 30)

    def test_daemon_that_keeps_the_output_open_is_not_waited_for(self):
        with mock.patch.object(commands, 'KILLED_SECONDS_MAX', 0.1):
            ended = commands.run(['sh', '-c', 'echo begun; setsid sleep 20 & sleep 60'], 0.5)
        self.assertEqual(ended.output, 'begun\n\n(ended after 0.5 s)')

    def test_program_that_ignores_the_signal_is_killed(self):
        process = commands.begin(['sh', '-c', 'trap "" TERM; echo; sleep 60; sleep 60'], '/', {})
        with mock.patch.object(commands, 'END_SECONDS_MAX', 0.1):
            time.sleep(0.3)
            commands.end(process)
        self.assertIn(process.returncode, (-signal.SIGKILL, -signal.SIGTERM))

    def test_nothing_begins_behind_it(self):
        commands.end_within(0)
        with mock.patch.object(commands.subprocess, 'Popen') as begun:
            with self.assertRaises(commands.OutOfTime):
                commands.run(['true'], 60)
        begun.assert_not_called()

    def test_a_shorter_bound_of_its_own_is_its_own_failure(self):
        commands.end_within(60)
        self.assertIsNone(commands.run(['sleep', '60'], 0.1).status)

    def test_the_part_keeps_what_it_has_shown_and_has_not_failed(self):
        def part(outcome):
            outcome.ok(3)
            commands.each(lambda _: commands.run(['true'], 60), range(4))
        commands.end_within(0)
        teller = Teller()
        with contextlib.redirect_stdout(io.StringIO()):
            teller.run('asan', 'memory', part)
            self.assertEqual(teller.finish(), 0)
        self.assertEqual((teller.total.passed, teller.total.failures), (3, []))
        self.assertEqual(teller.total.skipped,
                         [('what is left of it', 'the time of the run is over')])


if __name__ == '__main__':
    unittest.main()

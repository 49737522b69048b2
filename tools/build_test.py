"""Steps that run before the part that needs them.

Must not build a tree: the steps are short shell commands.
"""

import tempfile
import time
import unittest
from pathlib import Path

from parts.build import Ahead, Step, building
from parts.commands import JOBS


class RunAhead(unittest.TestCase):
    """Runs one step at a time, never beside the part that needs it."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.ahead = Ahead()
        self.addCleanup(self.ahead.stop)

    def step(self, name, command='true'):
        """Returns a step that appends its name to a file once the command has ended."""
        return Step(name, ['sh', '-c', f'{command}; echo {name} >> ran'])

    def waiting(self, name):
        """Returns a step that waits for the file `go`."""
        return self.step(name, 'mkfifo begun; echo > begun; until [ -e go ]; do sleep 0.01; done')

    def await_begin(self):
        """Waits until the step from `waiting` runs, or repeats."""
        fifo = self.directory / 'begun'
        while not fifo.exists():
            time.sleep(0.01)
        fifo.read_text()
        fifo.unlink()

    def ran(self):
        """Returns the names of the steps that have ended, in order."""
        file = self.directory / 'ran'
        return file.read_text().split() if file.exists() else []

    def test_steps_run_one_after_the_other(self):
        self.ahead.plan(self.directory, [self.step('release'), self.step('asan'),
                                         self.waiting('tidy')])
        self.ahead.go_on()
        self.await_begin()
        self.assertEqual(self.ran(), ['release', 'asan'])

    def test_running_step_is_awaited(self):
        self.ahead.plan(self.directory, [self.waiting('release'), self.step('asan')])
        self.ahead.go_on()
        self.ahead.go_on()  # the step runs once
        self.await_begin()
        (self.directory / 'go').touch()
        self.ahead.await_step('release')
        self.assertEqual(self.ran()[:1], ['release'])
        self.ahead.await_step('asan')
        self.assertEqual(self.ran().count('release'), 1)

    def test_step_that_has_not_begun_does_not_run(self):
        self.ahead.plan(self.directory, [self.waiting('release'), self.step('asan'),
                                         self.step('tsan')])
        self.ahead.go_on()
        self.await_begin()
        self.ahead.await_step('asan')
        (self.directory / 'go').touch()
        self.ahead.await_step('release')
        while 'tsan' not in self.ran():
            time.sleep(0.01)
        self.assertEqual(self.ran(), ['release', 'tsan'])

    def test_stopped_step_runs_again(self):
        self.ahead.plan(self.directory, [self.waiting('release')])
        self.ahead.go_on()
        self.await_begin()
        self.ahead.stop()
        self.assertEqual(self.ran(), [])
        self.ahead.go_on()
        self.await_begin()
        (self.directory / 'go').touch()
        self.ahead.await_step('release')
        self.assertEqual(self.ran(), ['release'])

    def test_failed_step_does_not_stop_the_others(self):
        self.ahead.plan(self.directory, [Step('release', ['false']), self.waiting('asan')])
        self.ahead.go_on()
        self.await_begin()

    def test_build_of_a_tree_has_its_targets(self):
        self.assertEqual(building('tsan', 'tests/all').command[-1],
                         f'cmake --preset tsan && ninja -C build/tsan -k 0 -j {JOBS} tests/all')


if __name__ == '__main__':
    unittest.main()

"""Builds that start before the part that needs them.

Must not build a tree: a mock records the commands that would start and end.
"""

import unittest
from unittest import mock

from parts import build


class BuiltAhead(unittest.TestCase):
    """Builds one tree at a time, after the tree that a part has built, never in parallel with
    it."""

    def setUp(self):
        patch = mock.patch.object(build, 'commands')
        self.commands = patch.start()
        self.addCleanup(patch.stop)
        self.ahead = build.Ahead()

    def begun(self):
        """Returns the started commands, each as one text."""
        return [' '.join(call.args[0]) for call in self.commands.begin.call_args_list]

    def test_the_tree_behind_the_one_built_is_begun(self):
        self.ahead.plan([('gcc',), ('release',), ('asan', 'tests/all')])
        self.ahead.go_on('.', 'gcc')
        self.ahead.stop()
        self.ahead.go_on('.', 'release')
        self.assertIn('build/release', self.begun()[0])
        self.assertIn('build/asan -k 0 tests/all', self.begun()[1])

    def test_a_tree_that_is_built_again_begins_the_next_one_again(self):
        self.ahead.plan([('release',), ('asan',)])
        for _ in range(2):
            self.ahead.go_on('.', 'release')
            self.ahead.stop()
        self.assertEqual(['build/asan' in each for each in self.begun()], [True, True])
        self.assertEqual(self.commands.end.call_count, 2)

    def test_what_is_at_work_goes_on_beside_other_trees_and_is_awaited_by_its_own(self):
        self.ahead.plan([('release',), ('asan',)])
        process = self.commands.begin.return_value
        process.poll.return_value = None
        self.ahead.go_on('.', 'release')
        self.ahead.go_on('.', 'release')
        self.ahead.await_tree('release')
        self.commands.wait.assert_not_called()
        self.ahead.await_tree('asan')
        self.commands.wait.assert_called_once_with(process, build.BUILD_SECONDS_MAX)
        self.assertEqual(len(self.begun()), 1)
        self.commands.end.assert_not_called()

    def test_nothing_is_begun_behind_the_last(self):
        self.ahead.plan([('asan',)])
        self.ahead.go_on('.', 'asan')
        self.ahead.stop()
        self.assertEqual(self.begun(), [])
        self.commands.end.assert_not_called()


if __name__ == '__main__':
    unittest.main()

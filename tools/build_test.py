"""What is built ahead of the part that needs it.

Must not build a tree: what would be begun and ended is written down here.
"""

import unittest
from unittest import mock

from parts import build


class BuiltAhead(unittest.TestCase):
    """One tree at a time, behind the one that a part has built, never beside that part's build."""

    def setUp(self):
        patch = mock.patch.object(build, 'commands')
        self.commands = patch.start()
        self.addCleanup(patch.stop)
        self.ahead = build.Ahead()

    def begun(self):
        """The commands that were begun, each as one text."""
        return [' '.join(call.args[0]) for call in self.commands.begin.call_args_list]

    def test_the_tree_behind_the_one_built_is_begun(self):
        self.ahead.plan(['gcc', 'release', 'asan'])
        self.ahead.go_on('.', 'gcc')
        self.ahead.stop()
        self.ahead.go_on('.', 'release')
        self.assertIn('build/release', self.begun()[0])
        self.assertIn('build/asan', self.begun()[1])

    def test_a_tree_that_is_built_again_begins_the_next_one_again(self):
        self.ahead.plan(['release', 'asan'])
        for _ in range(2):
            self.ahead.go_on('.', 'release')
            self.ahead.stop()
        self.assertEqual(['build/asan' in each for each in self.begun()], [True, True])
        self.assertEqual(self.commands.end.call_count, 2)

    def test_nothing_is_begun_behind_the_last(self):
        self.ahead.plan(['asan'])
        self.ahead.go_on('.', 'asan')
        self.ahead.stop()
        self.assertEqual(self.begun(), [])
        self.commands.end.assert_not_called()


if __name__ == '__main__':
    unittest.main()

"""The parts of a run, and those that run in advance.

Must not run a part of the repository.
"""

import tempfile
import unittest
from dataclasses import replace
from unittest import mock

import test as runs
from parts import commands
from parts.outcome import Outcome


class Chosen(unittest.TestCase):
    """The parts of a run."""

    def names(self, part=(), quick=False):
        """Returns the names of the parts that the options choose."""
        return [one.name for one in runs.chosen(mock.Mock(part=list(part), quick=quick))]

    def test_the_full_run_has_debian_13_in_place_of_the_unit_part(self):
        self.assertIn('debian13', self.names())
        self.assertNotIn('unit', self.names())

    def test_the_quick_run_has_the_unit_part(self):
        self.assertIn('unit', self.names(quick=True))
        self.assertNotIn('debian13', self.names(quick=True))

    def test_named_part_runs_without_others(self):
        self.assertEqual(self.names(['unit']), ['packages', 'unit'])

    def test_quick_run_installs_nothing_else(self):
        self.assertNotIn('packages', self.names(quick=True))

    def test_trees_come_before_parts_in_advance(self):
        parts = runs.chosen(mock.Mock(part=['asan', 'tidy'], quick=False))
        self.assertEqual([step.name for step in runs.steps_ahead(parts, 'there')],
                         ['asan', 'release', 'tidy'])

    @mock.patch.object(commands, '_factor', 1)
    def test_part_in_advance_runs_once(self):
        def run(outcome, _):
            outcome.ok(7)
            outcome.fail('name', 'details')
        part = runs.Part('alone', 'headers', run, is_compilation=True)
        with tempfile.TemporaryDirectory() as directory:
            runs.run_in_advance(part, mock.Mock(save=runs.saved(part, directory)))
            outcome = Outcome()
            runs.run_part(replace(part, run=self.fail), outcome, None, directory)
        self.assertEqual((outcome.passed, outcome.failures), (7, [['name', 'details']]))

    def test_part_that_did_not_run_in_advance_runs(self):
        part = runs.Part('alone', 'headers', lambda outcome, _: outcome.ok(7), is_compilation=True)
        outcome = Outcome()
        with tempfile.TemporaryDirectory() as directory:
            runs.run_part(part, outcome, None, directory)
        self.assertEqual(outcome.passed, 7)


if __name__ == '__main__':
    unittest.main()

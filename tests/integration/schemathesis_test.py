"""Schemathesis asks programs what their documents promise, rightly and wrongly, and finds nothing.

Must not find another thing each time: the seed is fixed, and so is how much is asked.
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import Program, make_environment

SECONDS_MAX = 150


class Schemathesis(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = make_environment('schemathesis') / 'bin/st'

    def assert_finds_nothing(self, service, directory, *more):
        """In answers to valid and invalid requests, alone and one behind the other."""
        command = [self.program, 'run', f'http://127.0.0.1:{service.port}/openapi.json',
                   '--seed', '1', '--max-examples', '40', '--no-color', *more]
        ended = subprocess.run(command, cwd=directory, text=True, check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               timeout=SECONDS_MAX)
        self.assertEqual(ended.returncode, 0, ended.stdout)
        self.assertIn('No issues found', ended.stdout)

    def test_bookings(self):
        with tempfile.TemporaryDirectory() as directory:
            with Program('14_openapi', '--port', '{port}') as service:
                # That no day is before the first is a rule that JSON Schema has no words for.
                self.assert_finds_nothing(service, directory,
                                          '--exclude-checks', 'positive_data_acceptance')

    def test_notes(self):
        with tempfile.TemporaryDirectory() as directory:
            database = {'NOTES_DATABASE_FILE': os.fspath(Path(directory) / 'notes.db')}
            with Program('notes', '--port', '{port}', environment=database) as service:
                self.assert_finds_nothing(service, directory)

    def test_records(self):
        with tempfile.TemporaryDirectory() as directory:
            database = {'SQLITE': os.fspath(Path(directory) / 'books.db')}
            with Program('28_crud', '--port', '{port}', environment=database) as service:
                # That a title is taken, and which state is there, no schema knows: most changes
                # that are made up are refused, which it warns of.
                self.assert_finds_nothing(service, directory, '--warnings', 'off',
                                          '--exclude-checks', 'positive_data_acceptance')


if __name__ == '__main__':
    unittest.main()

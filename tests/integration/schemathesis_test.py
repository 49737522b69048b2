"""Schemathesis sends valid and invalid requests according to programs' documents, and finds
nothing.

Must be reproducible: the seed and the number of requests are fixed.
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
        """Expects no errors in responses to valid and invalid requests, single and in sequences."""
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
                # JSON Schema cannot express that no day is before the first one.
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
                # A schema cannot express unique titles and states: most generated changes are
                # rejected, which it warns about.
                self.assert_finds_nothing(service, directory, '--warnings', 'off',
                                          '--exclude-checks', 'positive_data_acceptance')


if __name__ == '__main__':
    unittest.main()

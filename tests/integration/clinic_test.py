"""The clinic as a process, on SQLite and PostgreSQL: from the sign-up to an API key.

Must not test its rules: examples/clinic/clinic_test.cc does.
"""

import contextlib
import json
import pathlib
import re
import tempfile
import time
import unittest
import urllib.parse

from bookstore_shop import Visitor
from postgres_support import PostgresServer
from support import ANSWER_SECONDS_MAX, ROOT, Program, run_to_end

PASSWORD = 'correct horse battery'


class Clinic(Program):
    """The program with its own data; mails go to its log."""

    def __init__(self, *arguments):
        self.directory = tempfile.TemporaryDirectory()
        super().__init__('clinic', '--port', '{port}', *options(self.directory.name), *arguments)

    def __exit__(self, *_):
        super().__exit__()
        self.directory.cleanup()

    def token_to(self, email):
        """Returns the token of the link in the mail to that address; waits for the mail in the
        log."""
        deadline = time.monotonic() + ANSWER_SECONDS_MAX
        while time.monotonic() < deadline:
            found = re.search(rf'mail to {re.escape(email)}:[^#]*?#([\w-]{{43}})', self.said())
            if found:
                return found[1]
            time.sleep(0.05)
        raise AssertionError(f'no mail to {email}: {self.said()}')


def options(directory):
    return ('--database-file', str(pathlib.Path(directory, 'clinic.db')),
            '--storage-directory', str(pathlib.Path(directory, 'storage')))


def post(visitor, path, **fields):
    body = urllib.parse.urlencode(fields)
    return visitor.ask('POST', path, body,
                       **{'Content-Type': 'application/x-www-form-urlencoded'})


def sign_up(clinic, name):
    """Returns a logged-in visitor."""
    email = f'{name}@clinic.example'
    visitor = Visitor(clinic)
    assert post(visitor, '/signup', email=email)[0] == 303
    status, _, page = post(visitor, '/confirm', name=name, password=PASSWORD,
                           token=clinic.token_to(email))
    assert status == 303, page
    return visitor


class ClinicExample(unittest.TestCase):
    def check(self, clinic):
        staff, patient = sign_up(clinic, 'staff'), sign_up(clinic, 'ann')
        self.assertEqual((staff.get('/admin/people')[0], patient.get('/admin/people')[0]),
                         (200, 403))
        self.assertIn('Termine', patient.get('/', **{'Accept-Language': 'de'})[2])
        _, _, page = post(patient, '/api-keys', name='sync', scopes='read', days='30')
        key = re.search(r'clinic_[0-9A-Za-z]{38}', page)[0]
        status, _, body = clinic.ask('GET', '/api/appointments', None,
                                     {'Authorization': f'Bearer {key}'})
        self.assertEqual((status, json.loads(body)), (200, []))
        self.assertEqual(clinic.ask('GET', '/api/appointments')[0], 401)

    def test_on_sqlite(self):
        with Clinic() as clinic:
            self.check(clinic)
            self.assertEqual(clinic.stop(), 0)

    def test_on_postgres(self):
        with PostgresServer() as server, Clinic('--database', server.where) as clinic:
            self.check(clinic)

    def test_is_short(self):
        lines = {kind: sum(len(path.read_text().splitlines())
                           for path in (ROOT / 'examples/clinic').rglob(pattern))
                 for kind, pattern in (('C++', '*.cc'), ('headers', '*.h'), ('tests', '*_test.cc'),
                                       ('templates', '*.html'), ('SQL', '*.sql'))}
        cpp = lines['C++'] + lines['headers'] - lines['tests']
        self.assertLessEqual(cpp, 900)
        self.assertLessEqual(cpp + lines['templates'] + lines['SQL'], 1100)

    def test_prints_its_routes_and_its_document(self):
        with contextlib.ExitStack() as stack:
            own = options(stack.enter_context(tempfile.TemporaryDirectory()))
            code, routes = run_to_end('clinic', *own, '--routes')
            self.assertEqual(code, 0)
            self.assertIn('/api/documents/{id}/link', routes)
            code, document = run_to_end('clinic', *own, '--openapi')
            operation = json.loads(document)['paths']['/api/appointments']['post']
            self.assertEqual(operation['security'], [{'session': []}, {'api_key': []}])
            code, errors = run_to_end('clinic', *own, '--migrations-at-start=false', '--port',
                                         '0')
            self.assertEqual((code, 'pending' in errors), (1, True), errors)


if __name__ == '__main__':
    unittest.main()

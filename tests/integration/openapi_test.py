"""The OpenAPI document is valid for a third-party validator, and responses match it.

Must not use packages of the machine: it creates an environment with pinned packages.
"""

import json
import os
import sys
import unittest

from support import Program, make_environment

JSON = {'Content-Type': 'application/json'}
ROOM = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'
BOOKING = {'room': ROOM, 'mail': 'ada@example.org', 'from': '2026-11-22', 'to': '2026-11-24'}
# Bodies that a client sends, and whether the schema accepts them; the program must agree.
BOOKINGS = [
    (BOOKING, True),
    ({**BOOKING, 'price': '12.50'}, True),
    ({**BOOKING, 'price': None}, True),
    ({**BOOKING, 'extras': ['a', 'b']}, True),
    ({**BOOKING, 'extras': ['a', 'a']}, False),
    ({**BOOKING, 'extras': list('abcdef')}, False),
    ({**BOOKING, 'price': 12.5}, False),
    ({**BOOKING, 'price': '1e2'}, False),
    ({**BOOKING, 'price': '1234567890123456789'}, False),
    ({**BOOKING, 'room': 'x'}, False),
    ({**BOOKING, 'room': None}, False),
    ({**BOOKING, 'mail': 'ada'}, False),
    ({**BOOKING, 'from': '2026-02-30'}, False),
    ({**BOOKING, 'more': 1}, False),
    ({'room': ROOM}, False),
    ([], False),
]


class OpenApi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        version = f'python{sys.version_info.major}.{sys.version_info.minor}'
        packages = make_environment('openapi') / 'lib' / version / 'site-packages'
        sys.path.insert(0, os.fspath(packages))

    def document(self, program):
        status, headers, body = program.ask('GET', '/openapi.json')
        self.assertEqual((status, headers['Content-Type']), (200, 'application/json'))
        return json.loads(body)

    def validator(self, document, reference):
        """Validates a value with a schema of the document, including formats."""
        from jsonschema import Draft202012Validator
        schema = {'$ref': reference, 'components': document['components']}
        return Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)

    def test_the_document_is_valid(self):
        from openapi_spec_validator import OpenAPIV31SpecValidator
        with Program('14_openapi', '--port', '{port}') as program:
            document = self.document(program)
        self.assertEqual([str(error) for error in OpenAPIV31SpecValidator(document).iter_errors()],
                         [])
        self.assertEqual(sorted(document['paths']['/bookings']), ['get', 'post'])

    def test_the_program_takes_what_the_document_takes(self):
        with Program('14_openapi', '--port', '{port}') as program:
            judge = self.validator(self.document(program), '#/components/schemas/NewBooking')
            for value, is_taken in BOOKINGS:
                with self.subTest(value=value):
                    status, _, _ = program.ask('POST', '/bookings', json.dumps(value), JSON)
                    self.assertEqual(status, 201 if is_taken else 422)
                    self.assertEqual(judge.is_valid(value), is_taken)

    def test_answers_are_as_the_document_says(self):
        with Program('14_openapi', '--port', '{port}') as program:
            document = self.document(program)
            _, _, made = program.ask('POST', '/bookings', json.dumps(BOOKING), JSON)
            self.validator(document, '#/components/schemas/Booking').validate(json.loads(made))
            _, _, wrong = program.ask('POST', '/bookings', '{"room": 1}', JSON)
            self.validator(document, '#/components/schemas/Problem').validate(json.loads(wrong))


if __name__ == '__main__':
    unittest.main()

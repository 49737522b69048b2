#!/usr/bin/env python3
"""Which headers may be precompiled for the check that a header compiles alone."""

import tempfile
import unittest
from pathlib import Path

from parts.alone import Headers


class Bases(unittest.TestCase):
    def headers(self, includes, public):
        """Creates headers with these includes; those named in `public` are public."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / 'eider').mkdir()
        for name, included in includes.items():
            lines = ['#include <vector>', *(f'#include "eider/{each}.h"' for each in included)]
            (folder / f'eider/{name}.h').write_text('\n'.join(lines))
        return Headers(folder, [f'eider/{name}.h' for name in public])

    def test_headers_are_read_in_the_order_of_the_compiler(self):
        headers = self.headers({'a': 'bc', 'b': 'd', 'c': 'd', 'd': ''}, 'a')
        self.assertEqual(headers.read('eider/a.h'),
                         ['eider/d.h', 'eider/b.h', 'eider/c.h', 'eider/a.h'])

    def test_a_base_is_included_by_the_header_itself(self):
        headers = self.headers({'a': 'b', 'b': '', 'c': ''}, 'abc')
        self.assertEqual(headers.bases_of('eider/a.h'), ['eider/b.h'])
        self.assertEqual(headers.bases_of('eider/b.h'), [])

    def test_what_is_read_before_a_base_is_checked_by_itself(self):
        includes = {'a': 'xb', 'b': '', 'x': ''}
        self.assertEqual(self.headers(includes, 'ab').bases_of('eider/a.h'), [])
        self.assertEqual(self.headers(includes, 'abx').base_of('eider/a.h', ['eider/b.h']),
                         'eider/b.h')
        self.assertEqual(self.headers({**includes, 'b': 'x'}, 'ab').bases_of('eider/a.h'),
                         ['eider/b.h'])

    def test_of_several_bases_the_largest_is_taken(self):
        headers = self.headers({'a': 'b', 'b': 'c', 'c': ''}, 'abc')
        self.assertEqual(headers.base_of('eider/a.h', ['eider/c.h', 'eider/b.h']), 'eider/b.h')

    def test_a_header_that_many_include_is_precompiled(self):
        users = {f'user{number}': 'b' for number in range(4)}
        headers = self.headers({**users, 'b': '', 'alone': ''}, [*users, 'b', 'alone'])
        self.assertEqual(headers.bases(), ['eider/b.h'])


if __name__ == '__main__':
    unittest.main()

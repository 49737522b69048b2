#!/usr/bin/env python3
"""Sizes of small programs without symbols, and the parts that they do not link.

Bytes, not times: the result is the same on a busy machine.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
# pylint: disable=wrong-import-position
from support import BIN

MIB = 2**20
HELLO_BYTES_MAX = 1.5 * MIB  # arena/compile_cost has the same limit
SERVE_BYTES_MAX = 1.05 * MIB


def stripped_bytes(program):
    """Returns the program's size without symbols."""
    with tempfile.NamedTemporaryFile() as copy:
        subprocess.run(['strip', '-o', copy.name, BIN / program], check=True, timeout=60)
        return Path(copy.name).stat().st_size


def output_of(*command):
    """Returns the standard output of a command."""
    return subprocess.run(command, check=True, timeout=60, capture_output=True, text=True).stdout


class ProgramSizes(unittest.TestCase):
    def test_a_program_with_all_options_is_small(self):
        self.assertLessEqual(stripped_bytes('01_hello'), HELLO_BYTES_MAX)

    def test_a_program_without_a_command_line_is_smaller(self):
        self.assertLessEqual(stripped_bytes('serve_app'), SERVE_BYTES_MAX)

    def test_a_program_without_a_command_line_links_no_parsers(self):
        names = output_of('nm', '--demangle', BIN / 'serve_app')
        for part in ('toml::', 'CLI::App', 'Settings::read', 'json::detail::Reader'):
            self.assertNotIn(part, names)


if __name__ == '__main__':
    unittest.main()

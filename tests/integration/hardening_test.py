#!/usr/bin/env python3
"""Hardening that the compiler and the linker add to shipped programs, as reported by readelf.

Must not run them: the compiler's own tests cover the effect of the checks.
"""

import platform
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
# pylint: disable=wrong-import-position
from support import BIN

IS_X86 = platform.machine() in ('x86_64', 'i686')
PROGRAMS = ('notes', '11_proxy', 'eider')


def told(program, *options):
    """Returns the output of readelf for the program."""
    return subprocess.run(['readelf', '-W', *options, BIN / program], check=True, timeout=60,
                          capture_output=True, text=True).stdout


def is_marked(file):
    """Returns whether its note declares support for checks of each jump and return (IBT, SHSTK)."""
    said = subprocess.run(['readelf', '-W', '-n', file], check=True, timeout=60,
                          capture_output=True, text=True).stdout
    return bool(re.search(r'x86 feature:.*IBT.*SHSTK', said))


def start_file():
    """Returns the path of the startup code of the C library; that of Debian 12 is not marked."""
    asked = subprocess.run(['g++', '-print-file-name=Scrt1.o'], check=True, timeout=60,
                           capture_output=True, text=True)
    return asked.stdout.strip()


class Hardening(unittest.TestCase):
    def of_each(self, check):
        """Calls check(program) for each program."""
        for program in PROGRAMS:
            with self.subTest(program):
                check(program)

    def test_frames_of_functions_are_guarded(self):
        self.of_each(lambda program: self.assertIn('__stack_chk_fail', told(program, '--dyn-syms')))

    def test_copies_know_the_size_of_what_they_copy_into(self):
        self.of_each(lambda program: self.assertRegex(told(program, '--dyn-syms'),
                                                      r'\b__(?!stack)\w+_chk@'))

    def test_the_standard_library_checks_what_is_not_hot(self):
        self.of_each(lambda program: self.assertIn('__glibcxx_assert_fail',
                                                   told(program, '--dyn-syms')))

    def test_they_lie_anywhere_in_memory(self):
        self.of_each(lambda program: self.assertRegex(told(program, '-d'), r'FLAGS_1.*\bPIE\b'))

    def test_tables_of_functions_are_bound_at_start_and_then_read_only(self):
        def check(program):
            self.assertIn('BIND_NOW', told(program, '-d'))
            self.assertIn('GNU_RELRO', told(program, '-l'))
        self.of_each(check)

    def test_the_stack_holds_no_code(self):
        self.of_each(lambda program: self.assertRegex(told(program, '-l'), r'GNU_STACK .* RW +0x'))

    @unittest.skipUnless(IS_X86, 'only x86 processors watch jumps so')
    def test_functions_begin_where_the_processor_lets_a_jump_land(self):
        def check(program):
            code = subprocess.run(['objdump', '-d', '--disassemble=main', BIN / program],
                                  check=True, timeout=60, capture_output=True, text=True).stdout
            self.assertRegex(code, r'<main>:\n.*\bendbr(64|32)\b')
        self.of_each(check)

    @unittest.skipUnless(IS_X86 and is_marked(start_file()),
                         f'{start_file()} is not marked for IBT, so no program that it starts is')
    def test_programs_are_marked_for_it(self):
        self.of_each(lambda program: self.assertTrue(is_marked(BIN / program)))


if __name__ == '__main__':
    unittest.main()

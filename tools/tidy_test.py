"""What check_tidy makes of clang-tidy's words, and which files it looks at."""

import unittest
from pathlib import Path

from parts import tidy
from parts.commands import Ended

OUTPUT = """[1/1] Processing file /house/src/eider/base/url.cc.
/house/src/eider/base/url.cc:7:3: error: 'x' used after it was moved [bugprone-use-after-move]
    7 |   x;
      |   ^
/house/src/eider/base/url.cc:7:3: error: 'x' used after it was moved [bugprone-use-after-move]
/house/src/eider/base/url.cc:6:1: note: move occurred here
12 warnings generated.
"""


class Tidy(unittest.TestCase):
    def test_what_was_found_is_told_once_with_its_place(self):
        self.assertEqual(tidy.faults_of(Ended(1, OUTPUT)),
                         ["url.cc:7:3: error: 'x' used after it was moved "
                          "[bugprone-use-after-move]"])

    def test_a_clean_file_has_no_faults(self):
        self.assertEqual(tidy.faults_of(Ended(0, '12 warnings generated.\n')), [])

    def test_a_run_that_broke_off_is_a_fault(self):
        self.assertNotEqual(tidy.faults_of(Ended(None, 'ended after 300 s')), [])

    def test_sources_of_the_library_and_the_examples_are_checked(self):
        root = Path('/house')
        for name, is_checked in (('src/eider/base/url.cc', True), ('examples/01_hello.cc', True),
                                 ('build/CMakeFiles/eider_core.dir/Unity/base_0.cxx', True),
                                 ('build/x/examples/CMakeFiles/chat.dir/Unity/unity_chat_0_cxx.cxx',
                                  True),
                                 ('build/x/examples/CMakeFiles/chat.dir/Unity/'
                                  'unity_chat_generated_0_cxx.cxx', False),
                                 ('src/eider/base/url_test.cc', False),
                                 ('src/eider/base/url_fuzz.cc', False),
                                 ('arena/apps/x/app.cc', False)):
            self.assertEqual(tidy.is_checked(root / name, root), is_checked, name)


if __name__ == '__main__':
    unittest.main()

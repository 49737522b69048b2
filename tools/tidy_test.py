"""Parsing of clang-tidy's output in check_tidy, and the checked files in their batches."""

import tempfile
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


class Together(unittest.TestCase):
    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / 'src/eider').mkdir(parents=True)

    def entry(self, name, text, flags='-O2'):
        path = self.root / name
        path.write_text(text, 'utf-8')
        return {'directory': str(self.root), 'file': str(path),
                'command': f'clang++ {flags} -o {name}.o -c {path}'}

    def assert_batches(self, wanted, *entries):
        self.assertEqual(wanted, [[Path(entry['file']).stem for entry in batch]
                                  for batch in tidy.together(entries, tidy.Names(self.root))])

    def test_sources_with_the_same_flags_are_joined(self):
        self.assert_batches([['a', 'c'], ['b']],
                            self.entry('a.cc', 'int main() {}\n'),
                            self.entry('b.cc', 'int main() {}\n', '-O0'),
                            self.entry('c.cc', 'int main() {}\n'))

    def test_sources_that_declare_the_same_name_are_not(self):
        for text in ('struct Name {\n', 'using Name = int;\n', 'constexpr int Name = 1;\n',
                     'template <class T>\nbool Name(T x) {\n', 'enum class Name { x };\n',
                     'using other::Name;\n'):
            with self.subTest(text):
                self.assert_batches([['a'], ['b']], self.entry('a.cc', 'class Name;\n'),
                                    self.entry('b.cc', text))

    def test_names_within_braces_do_not_clash(self):
        self.assert_batches([['a', 'b']], self.entry('a.cc', 'void one() {\n  int x = 1;\n}\n'),
                            self.entry('b.cc', 'void two() {\n  int x = 2;\n}\n'))

    def test_a_name_of_a_header_clashes_where_the_header_is_not_included(self):
        self.entry('src/eider/name.h', 'struct Name {\n')
        header, other = '#include "eider/name.h"\n', 'void other();\n'
        own = 'struct Name {\n'
        for first, second, wanted in ((header, own, [['a'], ['b']]),
                                      (own, header, [['a'], ['b']]),
                                      (header + own, header + other, [['a', 'b']])):
            with self.subTest(first):
                self.assert_batches(wanted, self.entry('a.cc', first), self.entry('b.cc', second))

    def test_a_joint_source_has_a_main_of_each(self):
        batch = [self.entry(name, '') for name in ('a.cc', 'b.cc')]
        made = tidy.joint(self.root / 'joint.cc', batch, tidy.Names(self.root))
        self.assertEqual(f'clang++ -O2 -c {self.root}/joint.cc', made['command'])
        text = (self.root / 'joint.cc').read_text()
        for number, name in enumerate(('a.cc', 'b.cc')):
            self.assertIn(f'#define main main_{number}\n#include "{self.root}/{name}"\n'
                          '#undef main\n', text)

    def test_examples_with_the_same_names_are_joined_in_namespaces(self):
        (self.root / 'examples').mkdir()
        text = '#include <eider/eider.h>\n\nstruct Name {};\nint main() {}\n'
        batch = [self.entry(f'examples/{name}.cc', text) for name in ('a', 'b')]
        self.assert_batches([['a', 'b']], *batch)
        tidy.joint(self.root / 'joint.cc', batch, tidy.Names(self.root))
        self.assertIn('#include <eider/eider.h>\nnamespace batch_1 {\n#define main main_1\n',
                      (self.root / 'joint.cc').read_text())
        for outside in ('template <>\n', '#include "own.h"\n'):
            with self.subTest(outside):
                self.assert_batches([['a'], ['b']],
                                    *(self.entry(f'examples/{name}.cc', text + outside)
                                      for name in ('a', 'b')))


if __name__ == '__main__':
    unittest.main()

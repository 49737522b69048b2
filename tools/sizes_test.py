"""The rule for classes counts all their files."""

import unittest

import sizes


class Classes(unittest.TestCase):
    def test_lines_and_functions_are_those_of_all_files(self):
        texts = [('src/eider/app/a.h', 'class A {\n  int f() { return 1; }\n};'),
                 ('src/eider/app/a.cc', 'A::A() {\n}'),
                 ('src/eider/app/a_more.cc', 'int A::g() {}')]
        self.assertEqual(sizes.class_sizes(texts), {'app/A': (6, 3)})

    def test_those_of_one_name_in_two_folders_are_two(self):
        texts = [('src/eider/app/a.h', 'class A {};'), ('src/eider/tls/a.h', 'class A {};')]
        self.assertEqual(sizes.class_sizes(texts), {'app/A': (1, 0), 'tls/A': (1, 0)})

    def test_a_large_one_is_told_with_what_it_takes(self):
        told = sizes.class_faults({'app/A': (601, 1), 'app/B': (1, 41), 'app/C': (600, 40)})
        self.assertEqual([fault.split(':')[0] for fault in told], ['app/A', 'app/B'])


if __name__ == '__main__':
    unittest.main()

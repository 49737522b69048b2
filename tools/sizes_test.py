"""Large classes are counted over all their files; parts of classes are found."""

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

    def test_a_large_one_is_a_question(self):
        asked = sizes.class_questions({'app/A': (601, 1), 'app/B': (1, 41), 'app/C': (600, 40)})
        self.assertEqual([line.split(':')[0] for line in asked], ['app/A', 'app/B'])


class Headers(unittest.TestCase):
    def test_they_begin_with_a_purpose_and_a_rule(self):
        purpose, rule = '// Makes pages.\n', '// Layering: must not know\n// users.\n'
        self.assertEqual([], sizes.header_faults('a.h', f'{purpose}{rule}#pragma once\n'))
        self.assertEqual(1, len(sizes.header_faults('a.h', f'{purpose}#pragma once\n')))
        self.assertEqual(['a.h:4: #pragma once follows the first comment'],
                         sizes.header_faults('a.h', f'{purpose}{rule}\n#pragma once\n'))


class Parts(unittest.TestCase):
    """`A` is a class; the other classes are or are not parts of it."""

    def faults(self, **files):
        """Returns the errors for files in one folder, by name: `__` stands for the dot."""
        texts = [(f'src/eider/app/{name.replace("__", ".")}', text) for name, text in files.items()]
        return [fault.split(':', 1)[1] for fault in sizes.part_faults(texts)]

    def test_a_friend_that_only_its_class_uses_is_one(self):
        look = 'class Look {\n  int count_;\n};'
        mine = 'class A {\n  friend class Look;\n};'
        found = self.faults(look__h=look, a__h=mine, a__cc='int A::f() {\n  return Look().f();\n}')
        self.assertEqual(len(found), 1)
        self.assertIn('friend Look', found[0])

    def test_a_friend_of_another_namespace_is_one(self):
        look = 'namespace detail {\nclass Look {\n  int count_;\n};\n}'
        mine = 'class A {\n  friend class detail::Look;\n};'
        found = self.faults(look__h=look, a__h=mine)
        self.assertEqual(len(found), 1)
        self.assertIn('friend Look', found[0])
        beside = look + '\nclass [[nodiscard]] B {\n  detail::Look look_;\n};'
        self.assertEqual(self.faults(look__h=beside, a__h=mine), [])

    def test_a_friend_that_another_class_uses_is_not(self):
        look = 'class Look {\n  int count_;\n};'
        mine = 'class A {\n  friend class Look;\n};'
        self.assertEqual(self.faults(look__h=look, a__h=mine, b__cc='Look look;'), [])

    def test_a_base_that_only_its_heir_uses_is_one(self):
        base = 'class Base {\n  virtual void f() = 0;\n};'
        heir = 'class A final : public Base {\n  void f() override;\n};'
        self.assertEqual(len(self.faults(base__h=base, a__h=heir)), 1)

    def test_an_interface_that_another_class_calls_is_not(self):
        base = 'class Base {\n  virtual void f() = 0;\n};'
        heir = 'class A final : public Base {\n  void f() override;\n};'
        self.assertEqual(self.faults(base__h=base, a__h=heir, b__h='class B {\n  Base& b_;\n};'),
                         [])
        beside = base + '\nclass B {\n  Base& b_;\n};'
        self.assertEqual(self.faults(base__h=beside, a__h=heir), [])

    def test_a_base_with_two_heirs_is_not(self):
        base = 'class Base {\n  virtual void f() const noexcept = 0;\n};'
        heirs = 'class A : public Base {\n};\nclass B : public Base {\n};'
        self.assertEqual(self.faults(base__h=base, a__h=heirs), [])

    def test_a_class_that_only_refers_to_its_only_user_is_one(self):
        part = 'class Part {\n  void f();\n  A& a_;\n};'
        user = 'class A {\n  void g() { Part(*this); }\n};'
        self.assertEqual(len(self.faults(part__h=part, a__h=user)), 1)

    def test_a_class_with_state_of_its_own_is_not(self):
        part = 'class Part {\n  void f();\n  A& a_;\n  int count_ = 0;\n};'
        self.assertEqual(self.faults(part__h=part, a__h='class A {\n  Part part_;\n};'), [])


if __name__ == '__main__':
    unittest.main()

"""The reader of C++ finds all functions, and nothing else."""

import unittest

import cpp


def found(text):
    """Returns (name, lines) of every function in the text."""
    return [(function.name, function.lines) for function in cpp.functions(text)]


class Functions(unittest.TestCase):
    def test_free_functions_are_found_with_their_lines(self):
        self.assertEqual(found('int one() { return 1; }\n\nvoid two(int a,\n        int b) {\n}\n'),
                         [('one', 1), ('two', 3)])

    def test_members_are_found_behind_access_specifiers(self):
        self.assertEqual(found('class A {\n public:\n  int get() const {\n    return 1;\n  }\n};'),
                         [('get', 3)])

    def test_constructors_with_braced_members_end_at_their_own_brace(self):
        self.assertEqual(found('A::A(int x)\n    : a_{x}, b_(y()), c_{} {\n  go();\n}\nint f() {}'),
                         [('A::A', 4), ('f', 1)])

    def test_constructors_that_name_what_they_initialise_hide_nothing_behind_them(self):
        self.assertEqual(found('A::A(B b)\n    : a_{.x = b.y(),\n      .z = {1}} {}\nint f() {}'),
                         [('A::A', 3), ('f', 1)])

    def test_lambdas_and_blocks_belong_to_what_holds_them(self):
        self.assertEqual(found('void f() {\n  if (x) {\n    g([] { return 1; });\n  }\n}'),
                         [('f', 5)])

    def test_initialisers_and_types_are_no_functions(self):
        for text in ('int table[] = {1, 2, 3};', 'constexpr auto k = [](int a) { return a; };',
                     'enum class A : int { x, y };', 'struct A { int b{f(1)}; };',
                     'template <class T> concept C = requires(T t) { t.size(); };',
                     'namespace a::b {}', 'extern "C" { int f(); }'):
            self.assertEqual(found(text), [], text)

    def test_templates_operators_and_trailing_types_are_functions(self):
        for text, name in (('template <class T = A<int>> T f(T t) { return t; }', 'f'),
                           ('bool operator==(const A& a) const { return a; }', 'operator=='),
                           ('auto f(int a = 1) -> std::vector<int> { return {}; }', 'f'),
                           ('A::~A() { close(); }', 'A::~A'),
                           ('[[nodiscard]] static int f() noexcept { return 1; }', 'f')):
            self.assertEqual([name for name, _ in found(text)], [name], text)

    def test_braces_in_text_and_comments_do_not_count(self):
        text = 'void f() {\n  // {\n  g("}{", \'{\', R"x({{)x", 1\'000); /* { */\n}'
        self.assertEqual(found(text), [('f', 4)])

    def test_directives_do_not_count(self):
        self.assertEqual(found('#define OPEN {\\\n  {\nvoid f() {\n}'), [('f', 2)])


class Classes(unittest.TestCase):
    def test_are_found_with_their_lines_and_those_that_they_hold(self):
        text = 'namespace a {\nclass B final : public C {\n  struct D {\n  };\n};\nstruct E;\n}'
        self.assertEqual([(found.owner, found.lines) for found in cpp.classes(text)],
                         [('B::D', 2), ('B', 4)])

    def test_own_the_functions_within_and_those_that_name_them(self):
        text = ('struct A {\n  A() {}\n  struct B { void f() {} };\n};\nvoid A::B::g() {}\n'
                'A::~A() {}\nint h() { return 0; }')
        self.assertEqual([found.owner for found in cpp.functions(text)],
                         ['A', 'A::B', 'A::B', 'A', ''])


class Includes(unittest.TestCase):
    def test_both_kinds_are_named(self):
        self.assertEqual(cpp.includes('#include "a/b.h"\n# include <c>\n// #include "d"'),
                         ['a/b.h', 'c'])


if __name__ == '__main__':
    unittest.main()

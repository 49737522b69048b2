"""Snippets of pages: their division into declarations and statements, and skipped blocks."""

import tempfile
import unittest
from pathlib import Path

import docs_test
import snippets

ROOT = docs_test.ROOT
EXCEPTIONS_MAX = 2


def cut(code):
    """Returns (whether it is declared, text) of each item."""
    return [(snippets.is_declared(item), item.text.strip()) for item in snippets.items_of(code)]


def made_of(page, name='docs/guides/a-page.md'):
    """Returns the source for a repository with only this page."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        (root / 'README.md').write_text('')
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(page)
        return ''.join(snippets.sources_of(root, 1))


class Names(unittest.TestCase):
    def test_a_namespace_begins_with_a_letter(self):
        self.assertEqual('from_crow_page', snippets.namespace_of(Path('from-crow.md')))
        self.assertEqual('step_01_hello_page', snippets.namespace_of(Path('01-hello.md')))


class Items(unittest.TestCase):
    def test_what_stands_outside_of_functions(self):
        for code in ('struct A { int a; };', 'enum class B { c };', 'using D = int;',
                     'int f(int a) {\n  return a;\n}', 'Exit serve(int argc, char** argv);',
                     'const Problem kNone{.uri = ""};', 'template <>\nstruct eider::E<F> {};',
                     'Task<Result<void>> g(Json<A> a, State<B> b) { co_return {}; }',
                     'TEST(Notes, AreKept) {\n  EXPECT_EQ(1, 1);\n}'):
            with self.subTest(code=code):
                self.assertEqual([(True, code)], cut(code))

    def test_what_stands_within(self):
        for code in ('app.get("/", [](int a) { return a; });', 'TestClient client(app);',
                     'if (a) {\n  b();\n} else {\n  c();\n}', 'co_await f();', 'return a;',
                     'for (const A& a : b) { f(a); }', 'App app = make_app();',
                     'const Span span("a");', 'try { f(); } catch (const A& a) { g(); }',
                     'auto a = f(x)\n    .b({.c = "d"});'):
            with self.subTest(code=code):
                self.assertEqual([(False, code)], cut(code))

    def test_each_has_its_line(self):
        code = '#include <a>\n\nstruct A {\n  int a;\n};\n\nf(A{});  // ; }\n\ng();\n'
        self.assertEqual([2, 6, 8], [item.line for item in snippets.items_of(code)])


class LeftOut(unittest.TestCase):
    def test_dots_are_lines_bodies_and_values(self):
        self.assertEqual('\nf([] {});\ng(LeftOut());\nh("…");  // …\n',
                         snippets.without_dots('  …\nf([] { … });\ng(…);\nh("…");  // …\n'))


class Sources(unittest.TestCase):
    def test_faults_are_told_by_the_lines_of_the_page(self):
        made = made_of('# A\n\n```cpp\nstruct A {};\n\nf(A());\n```\n')
        self.assertIn('#line 4 "docs/guides/a-page.md"\nstruct A {};', made)
        self.assertIn('#line 6 "docs/guides/a-page.md"\nf(A());', made)
        self.assertIn('namespace docs { namespace a_page_page { namespace line_4 {', made)

    def test_later_blocks_see_what_earlier_ones_have(self):
        made = made_of('```cpp\nint a();\n```\n\n```cpp\nint b = a();\n```\n')
        self.assertIn('namespace line_2 { namespace line_6 {', made)

    def test_a_block_that_names_a_file_is_none(self):
        self.assertNotIn('line_', made_of('```cpp examples/a.cc\nint a();\n```\n'))

    def test_statements_that_wait_are_a_coroutine(self):
        for code, result in (('f();', 'void'), ('co_await f();', 'eider::Task<>'),
                             ('return f();', 'Anything'),
                             ('co_return f();', 'eider::Task<Anything>'),
                             ('app.get("/", [] { return 1; });', 'void'),
                             ('app.get("/", []() -> Task<int> { co_return 1; });', 'void')):
            with self.subTest(code=code):
                self.assertIn(f'{result} statements() {{', made_of(f'```cpp\n{code}\n```\n'))

    def test_what_lambdas_take_is_a_variable_of_the_function(self):
        made = made_of('```cpp\nconst int a = 1;\nf([a, b] { return a + b; });\n```\n')
        self.assertIn('auto& b = docs::a_page_page::b;', made)
        self.assertNotIn('auto& a =', made)

    def test_a_fault_within_a_header_is_the_page_s_that_led_there(self):
        said = ('src/a.h:1:2: error: no\nsrc/b.h:1:2: note: in\ndocs/c.md:7:1: note: there\n'
                'docs/d.md:3:1: error: none\n')
        self.assertEqual({'docs/c.md': ['docs/c.md:7: src/a.h:1:2: error: no'],
                          'docs/d.md': ['docs/d.md:3:1: error: none']}, snippets.faults_of(said))


class Exceptions(unittest.TestCase):
    def test_are_few_and_are_there(self):
        self.assertLessEqual(len(snippets.NOT_COMPILED), EXCEPTIONS_MAX)
        self.assertEqual([], snippets.unknown_exceptions(ROOT))

    def test_no_block_of_cpp_hides_by_having_no_language(self):
        for page in docs_test.PAGES:
            for number, code in docs_test.unmarked_of(page.read_text()):
                with self.subTest(page=page.name, line=number):
                    self.assertNotRegex(code, r'(?m)^#include|\bco_await\b|\w\(.*\);(?: *//.*)?$')


if __name__ == '__main__':
    unittest.main()

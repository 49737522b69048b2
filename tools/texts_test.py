"""The texts of sources are found, and violations of the rules are reported."""

import shutil
import tempfile
import unittest
from pathlib import Path

import texts

LONG = ' '.join(['word'] * 31)


class Literals(unittest.TestCase):
    def test_adjacent_literals_are_one(self):
        self.assertEqual([(1, 'cannot read the file')],
                         texts.literals_of('f("cannot read "\n  "the file");'))
        self.assertEqual([(1, 'one'), (1, 'two')], texts.literals_of('f("one", "two");'))
        self.assertEqual([(1, 'one'), (1, 'two')], texts.literals_of('f("one" + x + "two");'))

    def test_escapes_and_raw_literals(self):
        self.assertEqual([(1, 'say "a"\n…')], texts.literals_of(r'f("say \"a\"\n\u2026");'))
        self.assertEqual([(1, 'a "b"\nc'), (3, 'next')],
                         texts.literals_of('f(R"x(a "b"\nc)x");\nf("next");'))

    def test_comments_characters_and_includes_have_none(self):
        self.assertEqual([], texts.literals_of('// "a"\n/* "b" */ f(\'"\');\n#include "c.h"\n'))

    def test_macros_have_literals(self):
        self.assertEqual([(2, 'the value is wrong')],
                         texts.literals_of('\n#define F() f("the value " \\\n  "is wrong")\n'))


class ForUsers(unittest.TestCase):
    def test_sentences_and_parts_of_them(self):
        for text in ('Cannot listen on ', ' is not a number', 'unknown option {}{}',
                     'Select a role.', 'Create a project'):
            self.assertTrue(texts.is_for_users(text), text)

    def test_keys_paths_and_formats(self):
        for text in ('content-type', '/var/lib/app', '{} {}', '%.*s: %d', 'a', ', ', 'max-age=1'):
            self.assertFalse(texts.is_for_users(text), text)

    def test_sql_html_and_code(self):
        for text in ('select name from users', 'update users set name = $1',
                     'create table if not exists books (id integer)', 'order by name desc',
                     '<p class="error">no such page</p>', 'int main() {\n  return one;\n}\n',
                     '#!/bin/sh\necho all is done', "local now = redis.call('TIME')",
                     ':root{color-scheme:light dark}'):
            self.assertFalse(texts.is_for_users(text), text)


class Sources(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.root = Path(held.name)
        self.write('src/eider/app/wing.cmake', 'eider_wing(app)\n'
                   'eider_component(app FOLDERS . HEADERS app)\n')
        self.write('include/eider/app.h', '// An application.\n// Component: app.\n#pragma once\n'
                   '#include "eider/app/app.h"\n')
        self.write('docs/words.txt', '')
        self.write('docs/lint.toml', '')

    def write(self, name, text):
        """Writes a file below the root."""
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding='utf-8')

    def texts_of(self, name, text):
        """Returns [(line, kind, text)] of a file with this content."""
        self.write(name, text)
        return [(each.line, each.kind, each.text) for each in texts.texts_of_file(self.root, name)]

    def faults_of(self, text, name='src/eider/app/page.cc'):
        """Returns the errors for a file with this content, without its name."""
        self.write(name, text)
        return [fault.partition(':')[2] for fault in texts.check(self.root, [name]).get(name, [])]

    def test_documentation_comments_of_public_headers(self):
        source = ('// Makes pages.\n// Layering: must not know users.\n#pragma once\n'
                  '/// Returns a page:\n///\n///     page(1);\n///\n/// number  from 1\n'
                  'int page(int number);\n// Not for users.\n'
                  'namespace detail {\n/// Not for users.\nint f();\n}  // namespace detail\n'
                  'class Page {\n public:\n  /// Opens it.\n  void open();\n\n private:\n'
                  '  /// Not for users.\n  int x_;\n};\n')
        first = [(1, 'comment', 'Makes pages.'), (2, 'comment', 'must not know users.')]
        self.assertEqual([*first, (4, 'summary', 'Returns a page:'), (8, 'comment', 'from 1'),
                          (17, 'summary', 'Opens it.')],
                         self.texts_of('src/eider/app/app.h', source))
        self.assertEqual(first, self.texts_of('src/eider/app/inner.h', source))

    def test_documentation_comments_of_types_that_pages_name(self):
        self.write('src/eider/app/app.h', '// An app.\n#include "eider/app/page.h"\n')
        self.write('src/eider/app/page.h', '#include "eider/app/request.h"\n')
        source = ('/// Reads a request.\nclass Request {\n public:\n  /// Ends.\n  void end();\n'
                  '};\n/// A part.\nclass Part {};\n')
        self.assertEqual([], self.texts_of('src/eider/app/request.h', source))
        texts.names_in_pages.cache_clear()
        self.write('docs/page.md', 'Call `Request::end()`.\n')
        self.assertEqual([(1, 'summary', 'Reads a request.'), (4, 'summary', 'Ends.')],
                         self.texts_of('src/eider/app/request.h', source))

    def test_rows_and_paragraphs_of_help_texts_are_separate(self):
        text = ('R"(\nStarts the server.\n\n--port PORT   Port to listen on\n'
                '              (default: 8080)\n--help        Show this\n)"')
        self.assertEqual(['Starts the server.', 'Port to listen on (default: 8080)', 'Show this'],
                         [each[2] for each in self.texts_of('cli/main.cc', f'f({text});')])

    def test_names_of_compiler_errors(self):
        self.assertEqual([(1, 'name', 'the pattern is not valid: begin with a slash')],
                         self.texts_of('src/eider/x.h',
                                       'void the_pattern_is_not_valid__begin_with_a_slash();\n'))

    def test_comments_and_texts_of_templates_for_projects(self):
        self.assertEqual([(1, 'comment', 'A note.'), (2, 'message', 'There is no such note.')],
                         self.texts_of('cli/new/a.cc.in',
                                       '// A note.\nf("There is no such note.");\n'))
        self.assertEqual([(2, 'comment', 'All sources.')],
                         self.texts_of('cli/new/CMakeLists.txt.in', 'project(x)\n# All sources.\n'))
        self.assertEqual([(1, 'page', 'Run the tests.')],
                         self.texts_of('cli/new/AGENTS.md.in', 'Run the tests.\n'))

    def test_markup_and_expressions_of_templates(self):
        page = ('<title>Guest book</title>\n<style>p { color: red }</style>\n'
                '{% if user is some %}<p>Hello {{ user.name }}, good day.</p>{% endif %}\n\n'
                '<input placeholder="Your name" name="not for users">\n'
                '{{ "You have {count} messages" | tr(count: all) }}\n')
        self.assertEqual([(1, 'markup', 'Guest book'), (3, 'markup', 'Hello X, good day.'),
                          (5, 'markup', 'Your name'), (6, 'markup', 'You have X messages')],
                         self.texts_of('examples/a/pages/a.html', page))
        self.assertEqual([(2, 'markup', 'No key yet.')],
                         self.texts_of('cli/a.cc', '\nf("<p class=\\"note\\">No key yet.</p>");\n'))

    def test_literals_of_scripts(self):
        script = ('// "not for users"\nconst key = "content-type";\n'
                  'show(`Cannot load ${file} now.`);\n')
        self.assertEqual([(3, 'message', 'Cannot load X now.')],
                         self.texts_of('docs/site/static/a.js', script))

    def test_literals_of_python(self):
        program = ('#!/usr/bin/env python3\n"""Starts the servers."""\n'
                   'def f(name):\n    """Not for users."""\n'
                   '    raise SystemExit(f"there is no {name}: "\n'
                   '                     "choose another")\n')
        self.assertEqual([(2, 'message', 'Starts the servers.'),
                          (5, 'message', 'there is no X: choose another')],
                         self.texts_of('arena/run', program))
        for name in ('arena/load.py', 'arena/tests/load.py', 'tools/load_test.py', 'arena/data'):
            self.write(name, '')
        self.assertEqual(['arena/load.py', 'arena/run', 'include/eider/app.h'],
                         texts.files_of(self.root))

    def test_files_of_tests_are_left_out(self):
        for name in ('src/eider/a_test.cc', 'src/eider/a_fuzz.cc', 'src/eider/test_a.h',
                     'cli/a.cc', 'tests/b.cc', 'arena/b.cc', 'examples/x/main.cc',
                     'examples/x/page.html', 'examples/x/page_test.cc', 'docs/site/a.min.js'):
            self.write(name, '')
        self.assertEqual(['cli/a.cc', 'examples/x/main.cc', 'examples/x/page.html',
                          'include/eider/app.h'],
                         texts.files_of(self.root))

    def test_plain_texts_pass(self):
        self.assertEqual([], self.faults_of('f("The port is in use.", "is not a number");'))

    def test_unusual_words(self):
        self.assertEqual(['2: "stands": an unusual word; use the ordinary one'],
                         self.faults_of('\nf("the value stands in a file");'))

    def test_long_sentences(self):
        self.assertEqual([f'1: a sentence has 31 words (at most 30): "{LONG[:39]} …"'],
                         self.faults_of(f'f("{LONG}");'))
        self.assertEqual([], self.faults_of(f'f("{LONG[:70]}", "{LONG[70:]}");'))

    def test_statements_that_begin_with_what_or_who(self):
        self.assertEqual(['1: a statement begins with What or Who: "What is wrong. …"'],
                         self.faults_of('f("What is wrong.");'))
        self.assertEqual([], self.faults_of('f("What is wrong?");'))

    def test_male_pronouns(self):
        self.assertEqual(['1: "his": write "they" or name the person'],
                         self.faults_of('f("the user and his name");'))

    def test_british_spelling(self):
        self.assertIn('1: "colour" is British spelling: use American',
                      self.faults_of('f("the colour of a page");'))

    @unittest.skipUnless(shutil.which('hunspell'), 'hunspell is not installed')
    def test_misspelled_words(self):
        self.assertEqual(['1: "acccepted" is misspelled, or missing in docs/words.txt'],
                         self.faults_of('f("not acccepted, set mispeled=1 or \\"othr\\"");'))

    def test_documentation_comments_begin_with_a_verb_or_a_noun(self):
        fault = '3: a documentation comment begins with "Of": begin with a verb or a noun'
        head = '// Makes pages.\n// Layering: must not know users.\n'
        name = 'src/eider/app/app.h'
        self.assertEqual([fault], self.faults_of(f'{head}/// Of all pages.\nint x;\n', name))
        self.assertEqual([], self.faults_of(
            f'{head}/// Returns a page.\n///\n/// It may be empty.\nint x;\n', name))

    def test_exceptions(self):
        self.write('docs/lint.toml',
                   '[exceptions]\n"src/eider/app/page.cc" = { markers = "a quotation" }\n')
        self.assertEqual([], self.faults_of('f("the user stands in a file");'))
        self.assertEqual(1, len(self.faults_of('f("What stands in a file.");')))

    def test_figures(self):
        self.write('src/eider/app/page.cc', 'f("The value stands here. It is told.");')
        self.assertEqual((1, 7, 3.5), texts.figures_of(self.root)['message'][:3])


if __name__ == '__main__':
    unittest.main()

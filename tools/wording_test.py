"""The checks of the language of the documentation, and of the first program of each page."""

import shutil
import tempfile
import unittest
from pathlib import Path

import first_blocks
import wording
from parts import pages

ROOT = Path(__file__).resolve().parent.parent
LONG = ' '.join(['word'] * 31)


def faults_of(text, name='page.md'):
    """Returns the rules that a page with this text violates."""
    page = wording.Page(name, text, wording.blocks_of(text))
    return [rule for _, rule, _ in wording.faults_of(page, wording.read_terms(ROOT))]


class Language(unittest.TestCase):
    def test_a_plain_page_passes(self):
        self.assertEqual([], faults_of('# Middleware\n\nMiddleware runs around a handler.\n'))

    def test_long_sentences(self):
        self.assertEqual(['sentence'], faults_of(f'# Middleware\n\n{LONG}.\n'))
        two = f'{LONG[:70]}. {LONG[70:].strip().upper()}.'
        self.assertEqual([], faults_of(f'# Middleware\n\n{two}\n'))

    def test_list_items_are_sentences_of_their_own(self):
        items = ''.join(f'- {" ".join(["word"] * 10)}\n' for _ in range(5))
        self.assertEqual([], faults_of(f'# Middleware\n\n{items}'))

    def test_code_tables_and_link_targets_are_no_sentences(self):
        for text in (f'```\n{LONG}\n```', f'`{LONG}` is code.', f'| {LONG} | cell |',
                     f'Read [this](https://x.example/{LONG.replace(" ", "/")}).',
                     f'    {LONG}', f'<!-- {LONG} -->'):
            self.assertEqual([], faults_of(f'# Middleware\n\n{text}\n'), text)

    def test_unusual_words(self):
        text = '# Middleware\n\nThe client is told. Whoever asked stands here.\n'
        self.assertEqual(['markers'], faults_of(text))
        page = wording.Page('page.md', text, wording.blocks_of(text))
        self.assertEqual(['told', 'Whoever', 'asked', 'stands'],
                         [word for _, word in page.markers])

    def test_unusual_words_count_in_tables_but_not_in_code(self):
        self.assertEqual(['markers'], faults_of('# Middleware\n\n| it is told | nobody |\n'))
        self.assertEqual([], faults_of('# Middleware\n\n| `told` | `nobody` |\n'))

    def test_one_unusual_word_and_the_terms_of_the_field_are_allowed(self):
        self.assertEqual([], faults_of('# Middleware\n\nThe user is asked for a password.\n'))
        self.assertEqual([], faults_of(
            '# Middleware\n\nIt runs behind a proxy, behind nginx or behind the load balancer.\n'))
        self.assertEqual([], faults_of('# Middleware\n\nThere is no file and there are no rows.\n'))

    def test_long_pages(self):
        text = 'These are five plain words.\n\n'
        self.assertEqual([], faults_of('# Middleware\n\n' + text * 239))
        self.assertEqual(['length'], faults_of('# Middleware\n\n' + text * 240))

    def test_statements_that_begin_with_what_or_who(self):
        self.assertEqual(['what'], faults_of('# Middleware\n\nWhat is left is returned.\n'))
        self.assertEqual([], faults_of('# Middleware\n\nWhat is left?\n'))

    def test_pronouns_and_british_spelling(self):
        self.assertEqual(['male'], faults_of('# Middleware\n\nThe user enters his name.\n'))
        self.assertEqual(['spelling'], faults_of('# Middleware\n\nThe behaviour is fixed.\n'))

    def test_titles_have_a_term(self):
        self.assertEqual(['title'], faults_of('# Keep strangers out\n\nText.\n'))
        self.assertEqual([], faults_of('# CSRF protection\n\nText.\n'))
        self.assertEqual(['title'], faults_of('No title.\n'))

    def test_abbreviations_end_no_sentence(self):
        self.assertEqual(1, len(wording.sentences_of('Use a server, e.g. Nginx or Caddy.')))
        text = wording.plain('It returns 404. `x` returns 405.')
        self.assertEqual(2, len(wording.sentences_of(text)))

    def test_figures(self):
        page = wording.Page('page.md', '', wording.blocks_of('# A cache\n\nIt is told. It ends.\n'))
        self.assertEqual((7, 2, 2.5), wording.figures_of(page)[:3])


class Programs(unittest.TestCase):
    def test_the_first_block_is_a_program(self):
        self.assertEqual(['main'], faults_of('# Middleware\n\n```cpp\napp.get();\n```\n'))
        self.assertEqual([], faults_of('# Middleware\n\n```cpp\nint main() {}\n```\n'))
        self.assertEqual([], faults_of('# Middleware\n\n```cpp\nTEST(A, B) {}\n```\n'))
        self.assertEqual([], faults_of('# Middleware\n\n```sh\ncurl\n```\n'))

    def test_programs_with_the_same_includes_share_a_source(self):
        program = '#include <eider/eider.h>\nint main() {}\n'
        programs = [first_blocks.Program(f'{at}.md', 3, program) for at in range(3)]
        other = first_blocks.Program('other.md', 3, '#include <eider/cache.h>\n' + program)
        special = first_blocks.Program('special.md', 3, program + 'template <>\nstruct X<int> {};')
        sources = first_blocks.sources_of([*programs, other, special])
        self.assertEqual([3, 1, 1], [text.count('int main') for _, text in sources])
        self.assertEqual(['0.md', '1.md', '2.md'], sources[0][0])
        self.assertEqual(1, sources[0][1].count('#include'))
        self.assertIn('#line 3 "2.md"', sources[0][1])
        more = first_blocks.Program('more.md', 3, '#include <string>\n' + program)
        self.assertEqual(2, len(first_blocks.sources_of([*programs, more])))
        self.assertEqual(1, len(first_blocks.sources_of([*programs, more], {'#include <string>'})))

    def test_errors_are_of_their_page_and_line(self):
        good = '#include <map>\n#include <string>\nint main() {\n  std::string text;\n}\n'
        bad = '#include <string>\nint main() {\n  string text;\n}\n'
        bare = 'int main() {\n  std::string text;\n}\n'
        programs = [first_blocks.Program('good.md', 5, good),
                    first_blocks.Program('bad.md', 5, bad),
                    first_blocks.Program('bare.md', 5, bare)]
        with tempfile.TemporaryDirectory() as held:
            memory = Path(held, 'memory')
            faults = pages.compile_faults(programs, ROOT, memory)
            self.assertEqual(1, len(list(memory.iterdir())))
            self.assertEqual(faults, pages.compile_faults(programs, ROOT, memory))
        self.assertEqual({'bad.md', 'bare.md'}, set(faults))
        self.assertIn("bad.md:7:3: error: unknown type name 'string'", faults['bad.md'][0])


class Lists(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.root = Path(held.name)
        (self.root / 'docs').mkdir()
        (self.root / 'docs/terms.txt').write_text('middleware\n')
        (self.root / 'docs/words.txt').write_text('middleware\n')
        (self.root / 'good.md').write_text('# Middleware\n')
        (self.root / 'bad.md').write_text('# Riddle\n')

    @unittest.skipUnless(shutil.which('hunspell'), 'hunspell is not installed')
    def test_misspelled_words(self):
        (self.root / 'good.md').write_text('# Middleware\n\nA `mispeled` and an acccepted word.\n')
        failed = self.check('')
        self.assertEqual(['good.md:3: "acccepted" is misspelled, or missing in docs/words.txt'],
                         failed['good.md'])

    def check(self, settings, extra=None):
        (self.root / 'docs/lint.toml').write_text(settings)
        return wording.check(self.root, extra)

    def test_pages_that_fail(self):
        self.assertEqual(['bad.md'], list(self.check('')))

    def test_pages_of_the_arena_are_checked(self):
        (self.root / 'arena/app').mkdir(parents=True)
        for name in ('worse.md', 'app/README.md', 'app/report.md'):
            (self.root / 'arena' / name).write_text('# Riddle\n')
        self.assertEqual(['arena/app/README.md', 'arena/worse.md', 'bad.md'],
                         list(self.check('')))

    def test_exceptions_for_sources(self):
        (self.root / 'source.cc').write_text('')
        self.assertEqual(['bad.md'], list(self.check(
            '[exceptions]\n"source.cc" = { all = "contains German texts" }\n')))

    def test_exceptions_for_missing_pages(self):
        failed = self.check('[exceptions]\n"gone.md" = { male = "a name" }\n')
        self.assertEqual(['docs/lint.toml lists gone.md, which does not exist: remove it'],
                         failed['gone.md'])

    def test_exceptions_and_errors_of_the_compiler(self):
        settings = '[exceptions]\n"bad.md" = { title = "a name" }\n'
        self.assertEqual({}, self.check(settings))
        self.assertEqual({'good.md': ['good.md:1: error']},
                         self.check(settings, {'good.md': ['good.md:1: error']}))


if __name__ == '__main__':
    unittest.main()

"""The example with several languages, compared with GNU gettext, which reads the same
catalogues."""

import gettext
import html
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import ROOT, Program

FOLDER = Path(ROOT, 'examples/16_languages')
CATALOGUES = sorted((FOLDER / 'languages').glob('*.po'))
COUNTS = (0, 1, 2, 5, 11, 22, 100)
KEYWORDS = ('-ktr', '-kplural:1,2', '-kcontext:1c,2', '-kcontext_plural:1c,2,3')


def run(*words):
    """Returns the output of a gettext tool; fails if the tool fails."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise AssertionError(f'{words}: {done.stderr}')
    return done.stdout


def serve():
    """Returns the example with its catalogues."""
    return Program('16_languages', '--port', '{port}', '--directory', str(FOLDER / 'languages'))


class LanguagesTest(unittest.TestCase):
    def test_the_tools_of_gettext_take_the_texts_out_of_the_program(self):
        with tempfile.TemporaryDirectory() as scratch:
            template = f'{scratch}/notes.pot'
            run('xgettext', '--from-code=UTF-8', '--c++', *KEYWORDS, '-o', template,
                str(FOLDER / 'main.cc'))
            self.assertEqual(Path(template).read_text().count('\nmsgid "'), 5)
            for catalogue in CATALOGUES:
                run('msgcmp', str(catalogue), template)

    def test_the_page_shows_how_to_ask_them(self):
        page = Path(ROOT, 'docs/guides/pages/internationalization.md').read_text()
        self.assertIn('eider messages src pages --out languages/messages.pot', page)

    def test_catalogues_are_as_gettext_wants_them(self):
        self.assertGreater(len(CATALOGUES), 2)
        for catalogue in CATALOGUES:
            run('msgfmt', '--check', '-o', '/dev/null', str(catalogue))

    def test_every_number_has_the_form_that_gettext_takes(self):
        with tempfile.TemporaryDirectory() as scratch, serve() as program:
            for catalogue in CATALOGUES:
                compiled = f'{scratch}/{catalogue.stem}.mo'
                run('msgfmt', '-o', compiled, str(catalogue))
                with open(compiled, 'rb') as file:
                    oracle = gettext.GNUTranslations(file)
                status, fields, page = program.ask('GET', f'/{catalogue.stem}/')
                self.assertEqual((status, fields['Content-Language']), (200, catalogue.stem))
                shown = [html.unescape(item) for item in re.findall('<li>(.*?)<', page.decode())]
                self.assertEqual(shown, [oracle.ngettext('{count} note', '{count} notes', count)
                                         .replace('{count}', str(count)) for count in COUNTS])

    def test_a_problem_is_told_in_the_readers_language(self):
        with serve() as program:
            status, fields, body = program.ask('GET', '/nowhere',
                                               headers={'Accept-Language': 'de-AT'})
            self.assertEqual((status, fields['Vary']), (404, 'Cookie, Accept-Language'))
            self.assertIn('Hier ist nichts.', body.decode())


if __name__ == '__main__':
    unittest.main()

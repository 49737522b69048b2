"""The site of the pages: built whole, the same twice, refused where a link is dead, and looked at
in a browser as its readers do. What it takes from PyPI lives in build/site-venv.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.request
from pathlib import Path

import webdriver
from support import ROOT

BUILD_SECONDS_MAX = 150
LOOKED_AT = ('index.html', 'guides/application/middleware.html', 'tutorial/bookstore.html',
             'names.html',
             'headers/eider/eider.html', 'arena/index.html', 'arena/2026-11-21-two-cores.html',
             'get-started/comparison.html', 'source/examples/12_guards/main.cc.html')


def build(*words, root=ROOT, **environment):
    """Status, and what was said."""
    ended = subprocess.run([root / 'docs/build', *words], cwd='/', text=True, check=False,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=BUILD_SECONDS_MAX,
                           env={**os.environ, **environment})
    return ended.returncode, ended.stdout


def files_of(folder):
    """{name: bytes} of all that stands there."""
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob('*')) if path.is_file()}


SITE = None  # one for all tests


def setUpModule():
    global SITE
    held = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(held.cleanup)
    SITE = Path(held.name, 'site')
    status, said = build('--output', SITE, PYTHONHASHSEED='1')
    assert status == 0, said


def found(*words):
    """The addresses of pages with a section that has all these words, the best first."""
    index = json.loads((SITE / 'search.json').read_text())
    scores = {}
    for word in words:
        told = index['terms'].get(word, [])
        for entry, score in zip(told[::2], told[1::2]):
            scores.setdefault(entry, []).append(score)
    whole = sorted((-sum(each), entry) for entry, each in scores.items() if len(each) == len(words))
    return [index['pages'][index['entries'][entry][0]][0] for _, entry in whole]


@contextlib.contextmanager
def served(folder, *words):
    """Builds a site there, which is shown; gives the address."""
    with subprocess.Popen([ROOT / 'docs/build', '--output', folder, '--serve', '0', *words],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, 'PYTHONHASHSEED': '2', 'TZ': 'Asia/Tokyo'}) as process:
        try:
            said = ''
            for line in process.stdout:
                said += line
                if address := re.search(r'http://127\.0\.0\.1:\d+/', line):
                    yield address[0]
                    return
            raise AssertionError(said)
        finally:
            process.terminate()


class Built(unittest.TestCase):
    def test_built_again_and_shown_it_is_the_same(self):
        before = files_of(SITE)
        with served(SITE) as address, urllib.request.urlopen(address, timeout=20) as answer:
            self.assertEqual(answer.read(), before['index.html'])
        self.assertTrue(files_of(SITE) == before)

    def test_it_has_a_page_of_each_kind(self):
        for name in (*LOOKED_AT, 'security.html', 'changelog.html', 'operations/deployment.html',
                     'reference/handler-parameters.html', 'reference/handler-results.html',
                     'design/handlers.html',
                     'arena/rules.html', 'arena/2026-11-21-two-cores/report.html'):
            with self.subTest(name):
                self.assertTrue((SITE / name).is_file())

    def test_every_page_of_docs_is_there(self):
        for page in ROOT.glob('docs/*/**/*.md'):
            address = page.relative_to(ROOT / 'docs').with_suffix('.html')
            with self.subTest(str(address)):
                self.assertTrue((SITE / address).is_file())

    def test_nothing_is_taken_from_elsewhere(self):
        for name, content in files_of(SITE).items():
            if name.endswith('.html'):
                taken = re.findall(rb'<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?//',
                                   content)
                self.assertEqual(taken, [], name)

    def test_a_header_tells_its_docstrings_and_hides_what_is_private(self):
        page = (SITE / 'headers/eider/middleware.html').read_text()
        self.assertIn('A request too many is a 429 with Retry-After', page)
        self.assertIn('id="RateLimit.keys_max"', page)
        self.assertNotIn('make_rate_limiter', page)
        self.assertNotIn('limiter_', page)

    def test_names_in_a_text_lead_to_their_header(self):
        page = (SITE / 'guides/application/middleware.html').read_text()
        self.assertRegex(page, r'href="(\.\./)+headers/eider/[\w/]+\.html#Hook"><code>Hook</code>')

    def test_results_are_drawn_of_the_published_figures(self):
        page = (SITE / 'arena/2026-11-23-orders-two-cores.html').read_text()
        self.assertGreater(page.count('<svg class="chart"'), 2)
        self.assertIn('11.5 µs', page)

    def test_the_index_finds_words_and_names(self):
        self.assertEqual(found('sessions')[0], 'guides/users/sessions.html')
        self.assertIn('headers/eider/middleware.html', found('rate', 'limit'))
        self.assertIn('operations/zero-downtime-upgrades.html', found('upgrade')[:3])
        self.assertEqual(found('nobodyhaseverwrittenthis'), [])


class Refused(unittest.TestCase):
    """What is wrong is said with the file and the line, and nothing is written."""

    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.root = Path(held.name, 'tree')
        self.root.mkdir()
        for path in ROOT.iterdir():
            if path.name == 'docs':
                shutil.copytree(path, self.root / path.name)
            elif path.suffix == '.md':
                shutil.copy(path, self.root)
            elif path.name != '.git':
                (self.root / path.name).symlink_to(path)
        self.output = Path(held.name, 'site')

    def refuses(self, *wanted):
        status, said = build('--output', self.output, root=self.root)
        self.assertEqual((status, said.count('Traceback')), (1, 0), said)
        for each in wanted:
            self.assertIn(each, said)
        self.assertFalse(self.output.exists())

    def test_dead_links_are_told_with_their_lines(self):
        page = self.root / 'ARCHITECTURE.md'
        page.write_text('# All\n\nOne,\nand [more](docs/guides/no.md), [here](SECURITY.md#no).\n')
        self.refuses('ARCHITECTURE.md:4: the link to docs/guides/no.md leads nowhere',
                     'ARCHITECTURE.md:4: the link to SECURITY.md#no leads to no heading of SEC')

    def test_a_menu_that_names_no_page_is_told(self):
        (self.root / 'docs/site/site.toml').write_text('[[group]]\nname = "A"\npages = ["no.md"]\n')
        self.refuses('docs/site/site.toml: group "A" names no.md, which is no page')

    def test_a_folder_with_something_else_in_it_is_left_alone(self):
        self.output.mkdir()
        (self.output / 'mine.txt').write_text('kept')
        status, said = build('--output', self.output)
        self.assertEqual(status, 1)
        self.assertIn('is not empty and no site that this made: name another folder', said)
        self.assertEqual((self.output / 'mine.txt').read_text(), 'kept')

    def test_help_has_examples_and_wrong_words_are_told(self):
        status, said = build('--help')
        self.assertEqual(status, 0)
        self.assertIn('./docs/build --serve 8000', said)
        status, said = build('--serve', 'door')
        self.assertEqual(status, 2)
        self.assertIn("--serve: invalid int value: 'door'", said)


@unittest.skipUnless(webdriver.is_installed(), 'chromium and chromedriver are not installed')
class Looked(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen(
            [ROOT / 'build/site-venv/bin/python3', '-m', 'http.server', '0', '--bind', '127.0.0.1',
             '--directory', SITE], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env={**os.environ, 'PYTHONUNBUFFERED': '1'})
        cls.addClassCleanup(cls._stop)
        cls.base = re.search(r'http://127\.0\.0\.1:\d+/', cls.server.stdout.readline())[0]
        cls.browser = cls.enterClassContext(webdriver.Browser())

    @classmethod
    def _stop(cls):
        cls.server.terminate()
        cls.server.wait(20)
        cls.server.stdout.close()

    def show(self, name, width=1200, scheme='light'):
        """Opens a page of the site in a window of that width."""
        self.browser.tools('Emulation.setDeviceMetricsOverride', width=width, height=800,
                           deviceScaleFactor=1, mobile=width < 600)
        self.browser.tools('Emulation.setEmulatedMedia',
                           features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        self.browser.open(self.base + name)

    def ground(self):
        return self.browser.run('return getComputedStyle(document.body).backgroundColor')

    def test_no_page_is_wider_than_its_window(self):
        for name in LOOKED_AT:
            for width in (360, 1600):
                with self.subTest(name, width=width):
                    self.show(name, width)
                    over = self.browser.run(
                        'return document.documentElement.scrollWidth - innerWidth')
                    self.assertLessEqual(over, 0)

    def test_colours_follow_the_system_and_the_switch(self):
        self.show('guides/application/middleware.html', scheme='light')
        light = self.ground()
        self.show('guides/application/middleware.html', scheme='dark')
        dark = self.ground()
        self.assertNotEqual(light, dark)
        self.browser.find('.theme').click()
        self.assertEqual(self.ground(), light)
        self.show('guides/responses/error-handling.html', scheme='dark')  # the choice goes along
        self.assertEqual(self.ground(), light)
        self.browser.find('.theme').click()
        self.browser.find('.theme').click()
        self.assertEqual(self.ground(), dark)

    def test_the_search_finds_a_page_and_leads_there_by_the_keyboard(self):
        self.show('guides/application/middleware.html')
        self.browser.find('body').type('/')
        self.browser.find('dialog.search[open] input').type('rate_limit')
        self.browser.find('#site-found a')
        first = self.browser.run("return document.querySelector('#site-found a').href")
        self.browser.find('dialog.search input').type('\ue007')  # Enter
        self.browser.until(lambda: self.browser.address() == first, 'the page that was found')
        self.assertIn('middleware', self.browser.find('h1').text())

    def test_the_search_says_when_nothing_is_found(self):
        self.show('index.html', 360)
        self.browser.find('.search-open').click()
        self.browser.find('dialog.search[open] input').type('nobodyhaseverwrittenthis')
        self.browser.until(lambda: 'Nothing has' in self.browser.find('.said').text(), 'the answer')

    def test_the_menu_opens_on_a_narrow_screen(self):
        self.show('guides/application/middleware.html', 360)
        shown = "return getComputedStyle(document.querySelector('.side')).display"
        self.assertEqual(self.browser.run(shown), 'none')
        self.browser.find('.menu-button').click()
        self.assertEqual(self.browser.run(shown), 'block')
        self.assertTrue(self.browser.find('.side [aria-current=page]').text())

    def test_pages_stand_without_scripts(self):
        self.browser.tools('Emulation.setScriptExecutionDisabled', value=True)
        self.addCleanup(self.browser.tools, 'Emulation.setScriptExecutionDisabled', value=False)
        self.show('guides/application/middleware.html')
        self.assertIn('hooks', self.browser.find('h1').text())
        hidden = self.browser.find('.theme')
        self.assertEqual(hidden.text(), '')


if __name__ == '__main__':
    unittest.main()

"""The documentation site: it is built, it rejects dead links, and a browser shows and searches it.

Python packages are in build/site-venv, axe-core (npm) in build/site-axe.
"""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.request
from pathlib import Path

import webdriver
from support import ROOT, make_packages

BUILD_SECONDS_MAX = 150
WIDTHS = (390, 768, 1280)
AXE_PAGES = ('index.html', 'guides/application/middleware.html', 'headers/eider/middleware.html',
             'pages.html')
PAGES = ('index.html', 'guides/application/middleware.html', 'tutorial/bookstore.html',
             'names.html',
             'headers/eider/eider.html', 'arena/index.html', 'arena/2026-11-21-two-cores.html',
             'get-started/comparison.html', 'source/examples/12_guards/main.cc.html')


# Searches of new users, each with the page or folder of one of the first three results. The first
# 15 found nothing in an earlier version of the site.
SEARCHES = {
    'pagination': 'guides/apis/pagination.html',
    'dependency injection': 'guides/application/dependency-injection.html',
    'graceful shutdown': 'operations/',
    'i18n': 'guides/pages/internationalization.html',
    'orm': 'guides/data/records.html',
    'cron': 'guides/application/scheduled-jobs.html',
    'mock': 'guides/testing/fakes.html',
    'kubernetes': 'operations/containers.html',
    'quickstart': 'get-started/first-steps.html',
    'faq': 'get-started/faq.html',
    'troubleshooting': 'get-started/troubleshooting.html',
    'segfault': 'operations/compiler-hardening.html',
    'global state': 'guides/application/shared-state.html',
    'graphql': 'guides/apis/',
    'http3': 'operations/http3.html',
    'logging': 'operations/logging.html',
    'rotate logs': 'operations/logging.html',
    'middleware': 'guides/application/middleware.html',
    'paginate a list': 'guides/apis/pagination.html',
    'serve https': 'operations/tls.html',
    'environment variables': 'operations/configuration.html',
    'connect to postgres': 'guides/data/postgresql.html',
    'password hashing': 'guides/users/passwords.html',
    'run in docker': 'operations/containers.html',
    'websockets': 'guides/realtime/websocket.html',
    'send an email': 'guides/users/email.html',
}


def build(*words, root=ROOT, **environment):
    """The status and the output of docs/build."""
    ended = subprocess.run([root / 'docs/build', *words], cwd='/', text=True, check=False,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=BUILD_SECONDS_MAX,
                           env={**os.environ, **environment})
    return ended.returncode, ended.stdout


def files_of(folder):
    """{name: bytes} of all files in a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob('*')) if path.is_file()}


SITE = None  # one for all tests


def setUpModule():
    global SITE
    held = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(held.cleanup)
    SITE = Path(held.name, 'site')
    status, output = build('--output', SITE, PYTHONHASHSEED='1')
    assert status == 0, output


@contextlib.contextmanager
def served(folder, *words):
    """Builds a site and serves it; yields its address."""
    with subprocess.Popen([ROOT / 'docs/build', '--output', folder, '--serve', '0', *words],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, 'PYTHONHASHSEED': '2', 'TZ': 'Asia/Tokyo'}) as process:
        try:
            output = ''
            for line in process.stdout:
                output += line
                if address := re.search(r'http://127\.0\.0\.1:\d+/', line):
                    yield address[0]
                    return
            raise AssertionError(output)
        finally:
            process.terminate()


class Built(unittest.TestCase):
    def test_building_and_serving_it_again_changes_nothing(self):
        before = files_of(SITE)
        with served(SITE) as address, urllib.request.urlopen(address, timeout=20) as response:
            self.assertEqual(response.read(), before['index.html'])
        self.assertTrue(files_of(SITE) == before)

    def test_it_has_a_page_of_each_kind(self):
        for name in (*PAGES, 'security.html', 'changelog.html', 'operations/deployment.html',
                     'reference/handler-parameters.html', 'reference/handler-results.html',
                     'design/handlers.html',
                     'arena/rules.html', 'arena/2026-11-21-two-cores/report.html'):
            with self.subTest(name):
                self.assertTrue((SITE / name).is_file())

    def test_it_has_every_page_of_docs(self):
        for page in ROOT.glob('docs/*/**/*.md'):
            address = page.relative_to(ROOT / 'docs').with_suffix('.html')
            with self.subTest(str(address)):
                self.assertTrue((SITE / address).is_file())

    def test_it_loads_nothing_from_other_sites(self):
        for name, content in files_of(SITE).items():
            if name.endswith('.html'):
                loaded = re.findall(
                    rb'<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?//', content)
                self.assertEqual(loaded, [], name)

    def test_a_header_page_has_docstrings_and_no_private_names(self):
        page = (SITE / 'headers/eider/middleware.html').read_text()
        self.assertIn('id="RateLimit.keys_max"', page)
        self.assertNotIn('make_rate_limiter', page)
        self.assertNotIn('limiter_', page)

    def test_header_pages_have_no_rules_for_authors(self):
        for path in SITE.glob('headers/**/*.html'):
            first = path.read_text().partition('<section')[0]
            with self.subTest(path.name):
                self.assertNotRegex(first, 'Must not|Layering:')

    def test_names_in_text_link_to_their_header(self):
        page = (SITE / 'guides/application/middleware.html').read_text()
        self.assertRegex(
            page, r'href="(?:\.\./)+headers/eider/[\w/]+\.html#Hook"><code>Hook</code>')

    def test_results_are_charts_of_the_published_figures(self):
        page = (SITE / 'arena/2026-11-23-orders-two-cores.html').read_text()
        self.assertGreater(page.count('<svg class="chart"'), 2)
        self.assertIn('11.5 µs', page)

    def test_drawings_have_the_colors_of_the_text(self):
        page = (SITE / 'concepts/request-life-cycle.html').read_text()
        drawing = re.search(r'<svg class="drawing" role="img" aria-label="[^"]+".*?</svg>', page,
                            re.DOTALL)
        self.assertIn('currentColor', drawing[0])
        self.assertNotIn('#', drawing[0])

    def test_old_addresses_redirect(self):
        page = (SITE / 'howto/rules.html').read_text()
        self.assertIn('content="0; url=../guides/requests/validation.html"', page)
        self.assertIn('rel="canonical" href="../guides/requests/validation.html"', page)

    def test_programs_find_markdown_and_llms_txt(self):
        self.assertIn('# ', (SITE / 'guides/application/middleware.md').read_text())
        self.assertIn('type="text/markdown" href="middleware.md"',
                      (SITE / 'guides/application/middleware.html').read_text())
        self.assertIn('](guides/application/middleware.md)', (SITE / 'llms.txt').read_text())
        whole = (SITE / 'llms-full.txt').read_text()
        self.assertIn('Page: guides/application/middleware.html', whole)
        self.assertNotIn('Page: design/', whole)

    def test_pages_have_descriptions(self):
        page = (SITE / 'get-started/install.html').read_text()
        self.assertRegex(page, '<meta name="description" content="[^"]{20,}">')

    def test_without_addresses_nothing_needs_them(self):
        self.assertFalse((SITE / 'sitemap.xml').exists())
        page = (SITE / 'get-started/install.html').read_text()
        self.assertNotIn('rel="canonical"', page)
        self.assertNotIn('Edit this page', page)

    def test_the_addresses_of_site_and_repository_make_links(self):
        with tempfile.TemporaryDirectory() as held:
            status, output = build('--output', held, '--address', 'https://eider.example/docs',
                                   '--repository', 'https://code.example/eider')
            self.assertEqual(status, 0, output)
            page = Path(held, 'get-started/install.html').read_text()
            address = 'https://eider.example/docs/get-started/install.html'
            self.assertIn(f'rel="canonical" href="{address}"', page)
            self.assertIn('href="https://code.example/eider/edit/main/docs/get-started/install.md"',
                          page)
            self.assertIn(f'<loc>{address}</loc>', Path(held, 'sitemap.xml').read_text())
            self.assertIn('https://eider.example/docs/get-started/install.md',
                          Path(held, 'llms.txt').read_text())


class Rejected(unittest.TestCase):
    """Errors name the file and the line, and no site is written."""

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

    def rejects(self, *wanted):
        status, output = build('--output', self.output, root=self.root)
        self.assertEqual((status, output.count('Traceback')), (1, 0), output)
        for each in wanted:
            self.assertIn(each, output)
        self.assertFalse(self.output.exists())

    def test_dead_links_are_reported_with_their_lines(self):
        page = self.root / 'ARCHITECTURE.md'
        page.write_text('# All\n\nOne,\nand [more](docs/guides/no.md), [here](SECURITY.md#no).\n')
        self.rejects('ARCHITECTURE.md:4: the link to docs/guides/no.md leads nowhere',
                     'ARCHITECTURE.md:4: the link to SECURITY.md#no leads to no heading of SEC')

    def test_images_must_be_svg_files_that_exist(self):
        page = self.root / 'ARCHITECTURE.md'
        page.write_text('# All\n\n![A drawing](docs/no.svg)\n')
        self.rejects('ARCHITECTURE.md:3: the image docs/no.svg does not exist')
        page.write_text('# All\n\n![A photo](docs/photo.png)\n')
        self.rejects('ARCHITECTURE.md:3: the image docs/photo.png must be an SVG file')

    def test_a_menu_with_a_missing_page_is_reported(self):
        (self.root / 'docs/site/site.toml').write_text('[[group]]\nname = "A"\npages = ["no.md"]\n')
        self.rejects('docs/site/site.toml: group "A" lists no.md, but there is no such page.')

    def test_a_redirect_to_a_missing_page_is_reported(self):
        with open(self.root / 'docs/site/site.toml', 'a', encoding='utf-8') as settings:
            settings.write('"old.html" = "no.html"\n')
        self.rejects('docs/site/site.toml: old.html redirects to no.html, but there is no such')

    def test_a_folder_with_other_files_is_not_replaced(self):
        self.output.mkdir()
        (self.output / 'mine.txt').write_text('kept')
        status, output = build('--output', self.output)
        self.assertEqual(status, 1)
        self.assertIn('is not empty and has no site of docs/build. Choose another folder.', output)
        self.assertEqual((self.output / 'mine.txt').read_text(), 'kept')

    def test_help_has_examples_and_invalid_options_are_reported(self):
        status, output = build('--help')
        self.assertEqual(status, 0)
        self.assertIn('./docs/build --serve 8000', output)
        status, output = build('--serve', 'door')
        self.assertEqual(status, 2)
        self.assertIn("--serve: invalid int value: 'door'", output)
        status, output = build('--address', 'eider.example')
        self.assertEqual(status, 2)
        self.assertIn('--address must begin with https:// or http://, but is eider.example', output)


@unittest.skipUnless(webdriver.is_installed(), 'chromium and chromedriver are not installed')
class Shown(unittest.TestCase):
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

    def search(self, text):
        """{entries, corrected, isPartial, pages} of a search on the page that is open."""
        return self.browser.command('POST', '/execute/async', {'args': [text], 'script': """
            const [text, done] = arguments;
            (window.testIndex ??= fetch(document.body.dataset.top + 'search.json')
              .then((response) => response.json())).then((index) => {
                const found = (window.testFind ??= makeSearch(index))(text);
                done({...found, pages: [...new Set(found.entries.map(
                  (entry) => index.pages[index.entries[entry][0]][0]))]});
              }).catch((error) => done({entries: [], pages: [`${error}`]}));"""})

    def test_no_page_is_wider_than_its_window(self):
        for name in PAGES:
            for width in (360, 768, 1600):
                with self.subTest(name, width=width):
                    self.show(name, width)
                    over = self.browser.run(
                        'return document.documentElement.scrollWidth - innerWidth')
                    self.assertLessEqual(over, 0)

    def axe_faults(self):
        """The faults that axe-core finds on the page as it is shown."""
        if shutil.which('npm') is None:
            self.skipTest('npm is not installed')
        try:
            packages = make_packages(Path(__file__).with_name('axe'), 'site-axe')
        except (AssertionError, subprocess.TimeoutExpired):
            self.skipTest('npm cannot install axe-core')
        axe = (packages / 'node_modules/axe-core/axe.min.js').read_text()
        self.browser.run(f'{axe};window.axe = axe;')
        return self.browser.command('POST', '/execute/async', {'args': [], 'script': """
            axe.run(document, {resultTypes: ['violations']}).then((result) =>
              arguments[0](result.violations.map((each) => `${each.help}: ${each.nodes[0].html}`)));
            """})

    def test_axe_core_finds_no_fault(self):
        for name, width, scheme in [(name, width, scheme) for name in AXE_PAGES
                                    for width, scheme in ((390, 'dark'), (1280, 'light'))]:
            with self.subTest(name, width=width, scheme=scheme):
                self.show(name, width, scheme)
                self.assertEqual(self.axe_faults(), [])

    def test_axe_core_finds_no_fault_in_search_results(self):
        for width, scheme in ((390, 'dark'), (1280, 'light')):
            with self.subTest(width=width, scheme=scheme):
                self.show('guides/requests/cookies.html', width, scheme)
                self.browser.find('.search-open').click()
                self.browser.find('dialog.search[open] input').type('middelware')
                self.browser.find('#site-found mark')
                self.assertEqual(self.axe_faults(), [])

    def test_searches_find_their_page(self):
        self.show('index.html')
        for text, address in SEARCHES.items():
            with self.subTest(text):
                found = self.search(text)
                self.assertTrue(found['entries'])
                self.assertTrue([page for page in found['pages'][:3] if page.startswith(address)],
                                found['pages'][:3])

    def test_the_search_corrects_misspelled_words(self):
        self.show('index.html')
        for text, corrected in {'middelware': 'middleware', 'websokcet': 'websocket',
                                'dependancy injection': 'dependency injection'}.items():
            with self.subTest(text):
                self.assertEqual(self.search(text)['corrected'], corrected)

    def test_the_search_falls_back_to_some_of_the_words(self):
        self.show('index.html')
        found = self.search('websocket qqqqqq')
        self.assertTrue(found['isPartial'])
        self.assertIn('guides/realtime/websocket.html', found['pages'][:3])

    def test_colors_follow_the_system_and_the_button(self):
        self.show('guides/application/middleware.html', scheme='light')
        light = self.ground()
        self.show('guides/application/middleware.html', scheme='dark')
        dark = self.ground()
        self.assertNotEqual(light, dark)
        self.browser.find('.theme').click()
        self.assertEqual(self.ground(), light)
        self.show('guides/responses/error-handling.html', scheme='dark')  # the choice is kept
        self.assertEqual(self.ground(), light)
        self.browser.find('.theme').click()
        self.browser.find('.theme').click()
        self.assertEqual(self.ground(), dark)

    def test_the_keyboard_opens_the_search_and_its_first_result(self):
        self.show('guides/application/middleware.html')
        self.browser.find('body').type('/')
        self.browser.find('dialog.search[open] input').type('rate_limit')
        self.browser.find('#site-found a')
        self.browser.until(lambda: 'rate_limit' in self.browser.find('#site-found mark').text(),
                           'the name that was typed')
        first = self.browser.run("return document.querySelector('#site-found a').href")
        self.browser.find('dialog.search input').type('\ue007')  # Enter
        self.browser.until(lambda: self.browser.address() == first, 'the page that was found')
        self.assertTrue(self.browser.find('h1').text())

    def test_the_search_reports_no_results(self):
        self.show('index.html', 360)
        self.browser.find('.search-open').click()
        self.browser.find('dialog.search[open] input').type('nobodyhaseverwrittenthis')
        self.browser.until(lambda: 'No results for' in self.browser.find('.status').text(),
                           'the status')

    def test_the_menu_covers_a_narrow_page(self):
        self.show('guides/application/middleware.html', 390)
        shown = "return getComputedStyle(document.querySelector('.side')).display"
        top = "return document.querySelector('h1').getBoundingClientRect().top"
        before = self.browser.run(top)
        self.assertEqual(self.browser.run(shown), 'none')
        self.browser.find('.menu-button').click()
        self.assertEqual(self.browser.run(shown), 'block')
        self.assertEqual(self.browser.run(top), before)
        self.assertTrue(self.browser.find('.side [aria-current=page]').text())

    def test_the_keyboard_opens_and_closes_the_menu(self):
        self.show('guides/application/middleware.html', 768)
        shown = "return getComputedStyle(document.querySelector('.side')).display"
        self.browser.run("document.querySelector('.menu-state').focus()")
        for key, display in ((' ', 'block'), ('\ue00c', 'none'), ('\ue007', 'block')):
            self.browser.find('.menu-state').type(key)
            self.assertEqual(self.browser.run(shown), display)

    def test_get_started_is_on_the_first_screen(self):
        for width in WIDTHS:
            with self.subTest(width=width):
                self.show('index.html', width)
                bottom = self.browser.run(
                    "return document.querySelector('.ways .main').getBoundingClientRect().bottom")
                self.assertLess(bottom, 800)
                self.assertEqual(self.browser.find('.ways .main').text(), 'Get started')

    def test_pages_work_without_scripts(self):
        self.browser.tools('Emulation.setScriptExecutionDisabled', value=True)
        self.addCleanup(self.browser.tools, 'Emulation.setScriptExecutionDisabled', value=False)
        self.show('guides/application/middleware.html')
        self.assertTrue(self.browser.find('h1').text())
        hidden = self.browser.find('.theme')
        self.assertEqual(hidden.text(), '')


if __name__ == '__main__':
    unittest.main()

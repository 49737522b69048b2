"""The documentation site: it is built, it has all pages and files, and it rejects dead links."""

import json
import re
import shutil
import tempfile
import unittest
import urllib.request
from pathlib import Path

from site_support import PAGES, build, files_of, make_site, served
from support import ROOT

CODE = re.compile(r'^ *```.*?^ *```|`[^`\n]+`', re.DOTALL | re.MULTILINE)
SITE = None  # shared by all tests


def setUpModule():
    global SITE
    SITE = make_site()


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

    def test_the_home_page_links_the_rest_of_each_group(self):
        page = (SITE / 'index.html').read_text()
        self.assertRegex(page, r'<a href="pages.html#get-started">\d+ more<')

    def test_the_bar_marks_the_part_of_the_page(self):
        for name, part in (('get-started/install.html', 'Get started'),
                           ('guides/users/jwt.html', 'Guides')):
            found = re.findall('aria-current="true">([^<]*)<', (SITE / name).read_text())
            self.assertEqual(found, [part])

    def test_short_code_is_not_broken(self):
        page = (SITE / 'reference/options.html').read_text()
        self.assertIn('<code class="short">--port=9000</code>', page)

    def test_search_results_of_pages_show_their_description(self):
        index = json.loads((SITE / 'search.json').read_text())
        page = [each[0] for each in index['pages']].index('guides/users/jwt.html')
        shown = next(each[3] for each in index['entries'] if each[0] == page)
        self.assertIn(f'name="description" content="{shown}"',
                      (SITE / 'guides/users/jwt.html').read_text())

    def test_links_of_exported_markdown_have_targets(self):
        links = [(path, target) for path in [*SITE.rglob('*.md'), *SITE.glob('llms*.txt')]
                 for target in re.findall(r'\]\(([^)\s]+)\)', CODE.sub('', path.read_text()))
                 if not re.match('[a-z]+:', target)]
        self.assertGreater(len(links), 2000)
        self.assertIn((SITE / 'concepts/request-life-cycle.md', 'request-life-cycle.svg'), links)
        for path, target in links:
            name, _, anchor = target.partition('#')
            file = path.parent / name if name else path
            with self.subTest(path.relative_to(SITE).as_posix(), target=target):
                self.assertTrue(file.is_file())
                if anchor and file.suffix == '.md':
                    self.assertIn(f'id="{anchor}"', file.with_suffix('.html').read_text())

    def test_exported_drawings_are_those_of_the_pages(self):
        drawing = 'concepts/request-life-cycle.svg'
        self.assertEqual((SITE / drawing).read_bytes(), (ROOT / 'docs' / drawing).read_bytes())

    def test_tabs_are_sections_of_the_page_and_of_its_markdown(self):
        page = (SITE / 'get-started/install.html').read_text()
        self.assertRegex(page, '<div class="tabs" data-tabs="install">\n<section class="tab">\n<h2')
        self.assertIn('src="../tabs.js"', page)
        tabs = page.partition('<div class="tabs"')[2].partition('</section>\n</div>')[0]
        self.assertEqual(tabs.count('<section class="tab">'), tabs.count('<h2 '))
        self.assertNotIn('id="platforms"', tabs)
        exported = (SITE / 'get-started/install.md').read_text()
        self.assertIn('\n## Conan\n', exported)
        self.assertNotIn('[//]', exported)

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

    def test_incomplete_tabs_are_reported(self):
        begin, end = '[//]: # (tabs: way)\n\n', '[//]: # (end of tabs)\n\n'
        two = '## One\n\n## Two\n\n'
        for text, error in {
                begin + two: ':3: the tabs "way" do not end. Add "[//]: # (end of tabs)"',
                end + two: ':3: tabs end, but none began. Add "[//]: # (tabs: NAME)"',
                begin + begin + two + end: ':5: tabs begin inside other tabs. Add',
                begin + '## One\n\n' + end + two: ':3: the tabs "way" must begin with a heading',
                begin + 'Text.\n\n' + two + end: ':3: the tabs "way" must begin with a heading',
                begin + '## A\n\n## B\n\n# C\n\n' + end: ':9: this heading is above the headings',
        }.items():
            with self.subTest(text):
                (self.root / 'ARCHITECTURE.md').write_text('# All\n\n' + text)
                self.rejects('ARCHITECTURE.md' + error)

    def test_a_menu_with_a_missing_page_is_reported(self):
        (self.root / 'docs/site/site.toml').write_text('[[group]]\nname = "A"\npages = ["no.md"]\n')
        self.rejects('docs/site/site.toml: group "A" lists no.md, but there is no such page.')

    def test_keywords_of_a_missing_page_are_reported(self):
        with open(self.root / 'docs/site/synonyms.toml', 'a', encoding='utf-8') as synonyms:
            synonyms.write('"docs/no.md" = ["nothing"]\n')
        self.rejects('docs/site/synonyms.toml: [keywords] lists docs/no.md, but there is no such')

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
        status, output = build('--version', '../0.1')
        self.assertEqual(status, 2)
        self.assertIn('--version must have letters, digits and', output)


if __name__ == '__main__':
    unittest.main()

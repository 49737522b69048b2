"""The pages: no dead links, an up-to-date list of pages, and only public headers."""

import re
import sys
import unittest
from pathlib import Path

import layers

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / 'docs/site'))
import contents  # noqa: E402
PAGES = sorted([*ROOT.glob('*.md'), *ROOT.glob('docs/**/*.md')])
PUBLIC = layers.public_headers(layers.read_wings(ROOT / 'src/eider'))


def text_of(page):
    """Returns the page without its code."""
    return re.sub(r'^ *```.*?^ *```', '', page.read_text(), flags=re.DOTALL | re.MULTILINE)


def links_of(page):
    """Yields (file, anchor) of each link to a file."""
    for target in re.findall(r'\]\(([^)\s]+)\)', text_of(page)):
        if '://' not in target:
            name, _, anchor = target.partition('#')
            yield (page.parent / name).resolve() if name else page, anchor


def anchors_of(page):
    """Returns the anchors that GitHub creates for headings."""
    return {re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-')
            for heading in re.findall(r'^#+ (.*)$', text_of(page), re.MULTILINE)}


def snippets_of(text):
    """Returns (path, code) of each block whose fence names a file: ```cpp examples/notes/store.h"""
    return re.findall(r'^```\w+ (\S+)\n(.*?)^```$', text, re.DOTALL | re.MULTILINE)


def unmarked_of(text):
    """Returns (line, code) of each block whose fence names no language."""
    fences = re.finditer(r'^ *```(\w*)[^\n]*\n(.*?)^ *```$', text, re.DOTALL | re.MULTILINE)
    return [(text.count('\n', 0, found.start()) + 1, found[2])
            for found in fences if not found[1]]


def lacks(code, source):
    """Returns the first part of the code that does not occur in the source after the previous
    parts; lines with `…` separate parts."""
    at = 0
    for part in re.split(r'^ *(?:// )?…\n', code, flags=re.MULTILINE):
        found = source.find(part.strip('\n'), at)
        if found < 0:
            return part
        at = found + len(part.strip('\n'))
    return None


class Snippets(unittest.TestCase):
    def test_parts_are_compared_in_their_order(self):
        source = 'int a();\n\nint b();\nint c();\n'
        self.assertIsNone(lacks('int a();\n…\nint c();\n', source))
        self.assertIsNone(lacks('int b();\nint c();\n', source))
        self.assertEqual('int a();\n', lacks('int c();\n…\nint a();\n', source))
        self.assertEqual('int b;\n', lacks('int b;\n', source))

    def test_those_that_name_a_file_are_parts_of_it(self):
        for page in PAGES:
            for name, code in snippets_of(page.read_text()):
                with self.subTest(page=page.name, file=name):
                    self.assertIsNone(lacks(code, (ROOT / name).read_text()))


class Docs(unittest.TestCase):
    def test_every_link_leads_to_a_file_and_a_heading(self):
        for page in PAGES:
            for target, anchor in links_of(page):
                with self.subTest(page=page.name, target=target.name, anchor=anchor):
                    self.assertTrue(target.exists())
                    self.assertTrue(not anchor or anchor in anchors_of(target))

    def test_the_codes_of_startup_errors_are_those_of_the_program(self):
        header = (ROOT / 'src/eider/core/base/startup_code.h').read_text()
        rows = re.findall(r'\{"([a-z-]+)", "([^"]*)",\s+"([^"]*)"\}', header)
        self.assertEqual(header.count('\n    {"'), len(rows))
        page = (ROOT / 'docs/reference/error-codes.md').read_text()
        listed = re.findall(r'^\| `([^`]+)` \| (.*) \| (.*) \|$',
                            page.partition('## Startup errors')[2], re.MULTILINE)
        self.assertEqual(rows, listed)

    def test_the_list_of_pages_is_up_to_date(self):
        self.assertEqual(contents.index(), (ROOT / contents.INDEX).read_text(),
                         'run ./docs/build --write-contents')

    def test_every_page_is_in_one_group(self):
        groups = contents.groups_of(contents.settings(), {
            page.relative_to(ROOT).as_posix(): page.name for page in PAGES})
        listed = [source for group in groups for source in group.sources]
        self.assertEqual(sorted({*listed}), sorted(listed))
        self.assertEqual([], [page.name for page in PAGES if page.parent != ROOT
                              and page.relative_to(ROOT).as_posix() not in listed])

    def test_descriptions_are_the_first_sentence(self):
        page = '# A title\n\nReads [rows](x.md), e.g. `SELECT 1`. Then more.\n'
        self.assertEqual('Reads rows, e.g. `SELECT 1`.', contents.description_of(page))
        self.assertEqual('', contents.description_of('# A title\n\n- A list.\n'))

    def test_pages_include_public_headers_alone(self):
        for page in PAGES:
            for header in re.findall(r'^#include [<"]eider/([^>"]+)', page.read_text(), re.M):
                with self.subTest(page=page.name, header=header):
                    self.assertIn(header, PUBLIC)

    def test_one_page_lists_the_components(self):
        page = (ROOT / 'docs/reference/cmake-functions.md').read_text()
        listed = re.search(r'^(?:`\w+`(?:, |$))+', page, re.M)[0]
        components = {name for path in ROOT.glob('src/eider/*/wing.cmake')
                      for name in re.findall(r'^eider_component\((\w+)', path.read_text(), re.M)}
        self.assertEqual(sorted(components), re.findall(r'\w+', listed))

    def test_one_page_lists_the_public_headers(self):
        listed = set()
        for cell in (ROOT / 'docs/reference/api-stability.md').read_text().split('|'):
            folder = ''
            for name in re.findall(r'`([\w/]+(?:\.h|/))`', cell):
                if name.endswith('/') or '/' in name:
                    folder = name.rpartition('/')[0]
                if not name.endswith('/'):
                    listed.add(f'{folder}/{name.rpartition("/")[2]}')
        self.assertEqual({f'eider/{name}' for name in PUBLIC}, listed)

    def test_each_public_header_names_the_guide_that_describes_it(self):
        rows = dict(re.findall(
            r'^\|(?: `\w+` \|)? `(eider/\w+\.h)` \|.*\]\(\.\./([\w/-]+\.md)\) \|$',
            (ROOT / 'docs/reference/api-stability.md').read_text(), re.M))
        for name in PUBLIC:
            with self.subTest(header=name):
                guide = re.search(r'^// Component: \w+\. Guide: (docs/\S+\.md)\.$',
                                  (ROOT / 'include/eider' / name).read_text(), re.M)[1]
                self.assertTrue(f'<eider/{name}>' in (ROOT / guide).read_text(), guide)
                self.assertEqual(guide, f'docs/{rows[f"eider/{name}"]}')


if __name__ == '__main__':
    unittest.main()

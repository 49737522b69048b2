"""The pages: links lead somewhere, the index has every page, and headers are public."""

import re
import unittest
from pathlib import Path

import layers

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob('*.md'), *ROOT.glob('docs/**/*.md')])
RULES = layers.read_rules((ROOT / 'layers.txt').read_text())


def text_of(page):
    """The page without its code."""
    return re.sub(r'^ *```.*?^ *```', '', page.read_text(), flags=re.DOTALL | re.MULTILINE)


def links_of(page):
    """(file, anchor) of each link to a file."""
    for target in re.findall(r'\]\(([^)\s]+)\)', text_of(page)):
        if '://' not in target:
            name, _, anchor = target.partition('#')
            yield (page.parent / name).resolve() if name else page, anchor


def anchors_of(page):
    """As GitHub makes them of headings."""
    return {re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-')
            for heading in re.findall(r'^#+ (.*)$', text_of(page), re.MULTILINE)}


class Docs(unittest.TestCase):
    def test_every_link_leads_to_a_file_and_a_heading(self):
        for page in PAGES:
            for target, anchor in links_of(page):
                with self.subTest(page=page.name, target=target.name, anchor=anchor):
                    self.assertTrue(target.exists())
                    self.assertTrue(not anchor or anchor in anchors_of(target))

    def test_the_index_has_every_page(self):
        index = ROOT / 'docs/README.md'
        listed = {target for target, _ in links_of(index)}
        self.assertEqual([], [page.name for page in PAGES
                              if index.parent in page.parents and page not in listed | {index}])

    def test_pages_include_public_headers_alone(self):
        for page in PAGES:
            for header in re.findall(r'^#include [<"]eider/([^>"]+)', page.read_text(), re.M):
                with self.subTest(page=page.name, header=header):
                    self.assertEqual('public', layers.sight_of(header, RULES))

    def test_one_page_lists_the_public_headers(self):
        told = set()
        for cell in (ROOT / 'docs/reference/public.md').read_text().split('|'):
            folder = ''
            for name in re.findall(r'`([\w/]+(?:\.h|/))`', cell):
                if name.endswith('/') or '/' in name:
                    folder = name.rpartition('/')[0]
                if not name.endswith('/'):
                    told.add(f'{folder}/{name.rpartition("/")[2]}')
        public = {f'eider/{folder}/{header}.h' for folder, rule in RULES.items()
                  for header, sight in rule.headers.items() if sight == 'public'}
        self.assertEqual(public | {'eider/eider.h'}, told)


if __name__ == '__main__':
    unittest.main()

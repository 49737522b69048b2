"""The pages of the site with their addresses, and the error that ends a build.

Layering: prose.py, reference.py and results.py make the pages, main.py writes them.
"""

import posixpath
import re
from dataclasses import dataclass, field
from functools import cache

import contents
from contents import ROOT


class SiteFailed(Exception):
    """An error in a file of the tree. Its text has the file, the line and the cause."""

    def __init__(self, where, what, line=None):
        super().__init__(f'{where}:{line}: {what}' if line else f'{where}: {what}')

    @classmethod
    def of_many(cls, faults):
        """All dead links at once, each with its file and line."""
        return cls(f'{len(faults)} dead links', '\n'.join(['no site was written', *faults]))


@dataclass
class Heading:
    """The heading of a section: its level from 1, its anchor on the page, its text."""
    level: int
    anchor: str
    text: str


@dataclass
class Section:
    """A search result: the part of a page under one heading."""
    anchor: str
    title: str
    text: str


@dataclass
class Page:
    """One page of the site.

    source       the path of its file from the root; '' if it is made of several files
    address      relative to the site, such as guides/apis/json-api.html
    kind         "guide", "header", …: the search shows it and ranks by it
    template     renders it, with the values of `more`
    description  its first sentence
    """
    source: str
    address: str
    title: str
    kind: str
    template: str = 'page.html.j2'
    description: str = ''
    html: str = ''
    headings: list = field(default_factory=list)
    sections: list = field(default_factory=list)
    more: dict = field(default_factory=dict)

    @property
    def anchors(self):
        """The anchors that links can use."""
        return {heading.anchor for heading in self.headings}

    def way_to(self, address):
        """The relative link from this page to another, so that the site works below any path."""
        target, mark, anchor = address.partition('#')
        if target == self.address and mark:
            return mark + anchor
        return _way(posixpath.dirname(self.address) or '.', target) + mark + anchor


@cache
def _way(folder, target):
    return posixpath.relpath(target, folder)


_KINDS = {'tutorial': 'tutorial', 'design': 'design', 'project': 'design', 'reference': 'reference',
          'migrate': 'migration'}
_PLACES = {
    'README.md': ('index.html', 'start'),
    'docs/README.md': ('pages.html', 'guide'),
    'ARCHITECTURE.md': ('architecture.html', 'design'),
    'CONTRIBUTING.md': ('contributing.html', 'design'),
    'CHANGELOG.md': ('changelog.html', 'changes'),
    'SECURITY.md': ('security.html', 'guide'),
    'arena/RULES.md': ('arena/rules.html', 'measured'),
    'arena/EXPERIMENTS.md': ('arena/experiments.html', 'measured'),
    'arena/APPLICATIONS.md': ('arena/applications.html', 'measured'),
    'arena/OPERATIONS.md': ('arena/operations.html', 'measured'),
    'arena/PEERS.md': ('arena/peers.html', 'measured'),
}
_PUBLISHED = re.compile(r'arena/published/([^/]+)/report\.md')


def place_of(source):
    """(address, kind) of the page of a Markdown file, or None if it has no page."""
    if source in _PLACES:
        return _PLACES[source]
    if source == 'arena/published/README.md':
        return 'arena/index.html', 'measured'
    if found := _PUBLISHED.fullmatch(source):
        return f'arena/{found[1]}/report.html', 'measured'
    if not source.startswith('docs/'):
        return None
    below = source.removeprefix('docs/').removesuffix('.md')
    return f'{below}.html', _KINDS.get(below.split('/')[0], 'guide')


def sources():
    """The Markdown files that become pages, sorted."""
    found = [path.relative_to(ROOT).as_posix() for path in ROOT.glob('docs/**/*.md')]
    return sorted({*_PLACES, *(name for name in found if place_of(name))})


def groups_of(setting, pages):
    """[(section, name, [Page])] of the menu, as site.toml lists them.

    pages  all pages made of Markdown, by their source
    """
    groups = contents.groups_of(setting, {name: page.title for name, page in pages.items()})
    used = {'README.md'}
    for group in groups:
        for name in group.sources:
            if name not in pages:
                raise SiteFailed(contents.SETTINGS, f'group "{group.name}" lists {name}, but there '
                                 'is no such page. Fix the path, or remove it.')
            if name in used:
                raise SiteFailed(contents.SETTINGS, f'{name} is in two groups. Remove one.')
            used.add(name)
    if left := sorted(set(pages) - used):
        raise SiteFailed(contents.SETTINGS, f'no group lists {", ".join(left)}. Add it to one.')
    return [(group.section, group.name, [pages[name] for name in group.sources])
            for group in groups]

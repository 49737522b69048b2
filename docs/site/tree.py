"""The pages of the site and where each of them stands, and how a build ends that cannot go on.

Must not read or write a page: prose.py, reference.py and results.py make them, main.py writes them.
"""

import posixpath
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class SiteFailed(Exception):
    """Nothing is written: the text says which file, which line, and what is wrong there."""

    def __init__(self, where, what, line=None):
        super().__init__(f'{where}:{line}: {what}' if line else f'{where}: {what}')

    @classmethod
    def of_many(cls, faults):
        """Of lines that each say where."""
        return cls(f'{len(faults)} dead links', '\n'.join(['nothing is written', *faults]))


@dataclass
class Heading:
    """Of a section: its level from 1, its anchor on the page, its text."""
    level: int
    anchor: str
    text: str


@dataclass
class Section:
    """What the search finds: a part of a page under one heading. `weight` is 1 in prose."""
    anchor: str
    title: str
    text: str
    weight: float = 1.0


@dataclass
class Page:
    """One page of the site.

    source    the file it is made of, below the root; '' where it is made of several
    address   of the page below the site's own, such as guides/apis/json-api.html
    kind      what the search calls it: "guide", "header", …
    template  that draws it; `more` is given to it
    """
    source: str
    address: str
    title: str
    kind: str
    template: str = 'page.html.j2'
    html: str = ''
    headings: list = field(default_factory=list)
    sections: list = field(default_factory=list)
    more: dict = field(default_factory=dict)

    @property
    def anchors(self):
        """All that a link may lead to."""
        return {heading.anchor for heading in self.headings}

    def way_to(self, address):
        """The relative link from this page to another, so that the site may stand anywhere."""
        target, mark, anchor = address.partition('#')
        if target == self.address and mark:
            return mark + anchor
        return _way(posixpath.dirname(self.address) or '.', target) + mark + anchor


@cache
def _way(folder, target):
    return posixpath.relpath(target, folder)


_KINDS = {'tutorial': 'tutorial', 'design': 'design', 'project': 'design', 'reference': 'reference'}
_PLACES = {
    'README.md': ('index.html', 'start'),
    'docs/README.md': ('pages.html', 'guide'),
    'ARCHITECTURE.md': ('architecture.html', 'design'),
    'CONTRIBUTING.md': ('contributing.html', 'design'),
    'CHANGELOG.md': ('changelog.html', 'changes'),
    'SECURITY.md': ('security.html', 'guide'),
    'arena/RULES.md': ('arena/rules.html', 'measured'),
}
_PUBLISHED = re.compile(r'arena/published/([^/]+)/report\.md')


def place_of(source):
    """(address, kind) of the page that a Markdown file becomes, or None where it becomes none."""
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
    """The Markdown files that become pages, in a steady order."""
    found = [path.relative_to(ROOT).as_posix() for path in ROOT.glob('docs/**/*.md')]
    return sorted({*_PLACES, *(name for name in found if place_of(name))})


def groups_of(setting, pages):
    """[(name, [Page])] of the menu, as site.toml has it.

    pages  all that are made of Markdown, by their source
    """
    used = {'README.md'}
    told = {name for group in setting['group'] for name in group['pages']}
    groups = []
    for group in setting['group']:
        names = []
        for name in group['pages']:
            if name.endswith('/*'):
                names += sorted((other for other in pages
                                 if other.startswith(name[:-1]) and other not in told),
                                key=lambda other: pages[other].title.lower())
            elif name in pages:
                names.append(name)
            else:
                raise SiteFailed('docs/site/site.toml', f'group "{group["name"]}" names {name}, '
                                 'which is no page: is it spelled as the file is?')
        used.update(names)
        groups.append((group['name'], [pages[name] for name in names]))
    left = sorted(set(pages) - used)
    if left:
        raise SiteFailed('docs/site/site.toml', f'no group has {", ".join(left)}: name it in one, '
                         'or its folder with a "*"')
    return [group for group in groups if group[1]]

"""The table of contents: site.toml with the title and the first sentence of each page.

Layering: needs the standard library alone, so that tests can compare docs/README.md with it.
"""

import posixpath
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SETTINGS = 'docs/site/site.toml'
INDEX = 'docs/README.md'
_DESCRIPTION_LETTERS_MAX = 200
_INTRODUCTION = """# Documentation: all pages

This list has all pages by subject.
If you are new to Eider, start with [installation](get-started/install.md).
To find a page by a word, use the search of the site: `./docs/build --serve 8000`.

[//]: # (./docs/build --write-contents writes this file from docs/site/site.toml.)
"""


@dataclass(frozen=True)
class Entry:
    """A page: the path of its source, its title, and its first sentence, both as Markdown."""
    source: str
    title: str
    description: str


@dataclass(frozen=True)
class Group:
    """Pages under one name. Groups of one section follow each other."""
    section: str
    name: str
    sources: list


def settings(root=ROOT):
    """site.toml as it was read."""
    return tomllib.loads((root / SETTINGS).read_text(encoding='utf-8'))


def groups_of(setting, titles):
    """The groups of the settings. "*" becomes the pages of a folder that no group names.

    titles  {source: title} of all pages
    """
    named = {name for group in setting['group'] for name in group['pages']}
    groups = []
    for group in setting['group']:
        sources = []
        for name in group['pages']:
            if name.endswith('/*'):
                sources += sorted((other for other in titles
                                   if other.startswith(name[:-1]) and other not in named),
                                  key=lambda other: titles[other].lower())
            else:
                sources.append(name)
        if sources:
            groups.append(Group(group.get('section', ''), group['name'], sources))
    return groups


def entry_of(source, text):
    """The entry of a page."""
    found = re.search(r'^# (.*)$', text, re.M)
    return Entry(source, found[1] if found else source, description_of(text))


def description_of(text):
    """The first sentence of a page, without links, or '' for a page that begins otherwise."""
    text = re.sub(r'<!--.*?-->', '', text, flags=re.S)
    for part in re.split(r'\n\s*\n', text):
        lines = part.strip()
        if lines and not lines.startswith(('#', '```', '|', '- ', '* ', '>', '[//]')) \
                and not part.startswith('    '):
            lines = re.sub(r'!?\[([^\]]*)\]\([^)]*\)', r'\1', ' '.join(lines.split()))
            sentence = re.split(r'(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+(?=["“(`*]*[A-Z])', lines)[0]
            return _shortened(sentence.rstrip(':') if not sentence.endswith('.') else sentence)
        if lines and not lines.startswith('#'):
            return ''
    return ''


def _shortened(sentence):
    if len(sentence) <= _DESCRIPTION_LETTERS_MAX:
        return sentence
    cut = sentence[:_DESCRIPTION_LETTERS_MAX].rsplit(' ', 1)[0].rstrip(',;:')
    return cut + ('`' if cut.count('`') % 2 else '') + ' …'


def index(root=ROOT):
    """The text of docs/README.md."""
    setting = settings(root)
    patterns = ('*.md', 'docs/**/*.md', 'arena/*.md')
    sources = [path.relative_to(root).as_posix() for pattern in patterns
               for path in root.glob(pattern)]
    entries = {source: entry_of(source, (root / source).read_text(encoding='utf-8'))
               for source in sources}
    lines, section = [_INTRODUCTION], ''
    for group in groups_of(setting, {name: entry.title for name, entry in entries.items()}):
        if group.section and group.section != section:
            lines.append(f'\n## {group.section}\n')
        section = group.section
        lines.append(f'\n{"###" if section else "##"} {group.name}\n\n')
        for source in group.sources:
            if source in entries and source != INDEX:
                entry = entries[source]
                to = posixpath.relpath(source, posixpath.dirname(INDEX))
                said = f': {entry.description}' if entry.description else ''
                lines.append(f'- [{entry.title}]({to}){said}\n')
    return ''.join(lines)

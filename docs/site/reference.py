"""The reference: a page for each header that users include, and an index of all names.

Layering: tools/layers.py decides which headers are public.
"""

import html
import re
from dataclasses import dataclass

import layers
from blocks import highlighted, drawn
from headers import read
from tree import ROOT, Heading, Page, Section, SiteFailed

_INCLUDE = re.compile(r'^#include "(eider/[^"]+)"', re.MULTILINE)
# "name   description", as in docstrings.
_FACT = re.compile(r'^(\S[^`]{0,38}?\S|\S) {2,}(\S.*)$')
_WIDE = ('eider/eider.h', 'eider/pages.h')
_PAGE_NAME = re.compile(r'docs/[\w/-]+\.md')


@dataclass
class Symbol:
    """A name that inline code can link to."""
    name: str
    kind: str
    address: str
    header: str
    summary: str
    space: str = 'eider'


class Reference:
    """All pages of headers."""

    def __init__(self, words):
        """`words` are those that the code of the pages has: they make names public, too."""
        wings = layers.read_wings(ROOT / 'src/eider')
        self.public = [f'eider/{name}' for name in layers.public_headers(wings)]
        # The narrow ones first: a declaration is documented once, and the others include all.
        self.public.sort(key=lambda path: path in _WIDE)
        self.reached_by = _reached(self.public)
        self.headers = {}
        documented = set(self.public)
        for path in self.public:
            self.headers[path] = _gathered(path, documented)
        for path in sorted(set(self.reached_by) - documented):
            header = read(path, _source_of(path).read_bytes())
            header.declarations = [each for each in header.declarations
                                   if each.name in words and _is_of_users(each)]
            if header.declarations:
                self.headers[path] = header
        self.symbols, self.pages = {}, {}
        for path, header in self.headers.items():
            self._take(path, header)

    def address_of(self, path):
        """Of a header's page, or None."""
        return f'headers/{path.removesuffix(".h")}.html' if path in self.headers else None

    def _take(self, path, header):
        """The page of a header, not yet drawn, and its names."""
        page = Page(_source_of(path).relative_to(ROOT).as_posix(), self.address_of(path), path,
                    'header', 'header.html.j2')
        page.more = {'header': header, 'is_public': path in self.public,
                     'comes_with': '' if path in self.public else self.reached_by[path]}
        page.description = header.about
        page.sections.append(Section('', path, header.about))
        seen = {}
        for each in header.declarations:
            anchor = re.sub(r'[^\w.]+', '-', each.name).strip('-') or 'operator'
            seen[anchor] = seen.get(anchor, 0) + 1
            each.anchor = anchor if seen[anchor] == 1 else f'{anchor}-{seen[anchor]}'
            page.headings.append(Heading(2, each.anchor, each.name))
            output = ' '.join(line.strip() for line in each.doc)
            names = ' '.join(member.name for member in each.members)
            page.sections.append(Section(each.anchor, each.name, f'{output} {names}'.strip()))
            if seen[anchor] == 1 and not re.search(r'\W', each.name):
                symbol = Symbol(each.name, each.kind, f'{page.address}#{anchor}', path,
                                _first_sentence(output), each.space)
                self.symbols.setdefault(each.name, []).append(symbol)
            self._take_members(page, each)
        self.pages[path] = page

    def _take_members(self, page, owner):
        seen = set()
        for member in owner.members:
            name = f'{owner.anchor}.{re.sub(r"[^A-Za-z0-9_]+", "-", member.name).strip("-")}'
            member.anchor = '' if name in seen else name
            seen.add(name)
            if member.anchor:
                page.headings.append(Heading(3, name, member.name))
                self.symbols.setdefault(f'{owner.name}::{member.name}', []).append(
                    Symbol(member.name, member.kind, f'{page.address}#{name}', page.title, ''))

    def meant(self, text):
        """The address of the declaration that code names, or None if there are several."""
        found = re.fullmatch(r'([A-Za-z_]\w*(?:::\w+)*)(?:<.*>|\([^()]*\))?(?:::(\w+)(?:\(.*\))?)?',
                             text)
        if not found:
            return None
        name = found[1] + (f'::{found[2]}' if found[2] else '')
        known = self.symbols.get(name.removeprefix('eider::'), [])
        known = [each for each in known if each.space == 'eider'] or known
        if len({each.header for each in known}) != 1:
            return None
        # `put` alone may be a word; `put(…)`, `PutOptions` and `put_all` are names.
        is_word = known[0].kind == 'function' and found[0] == name and not re.search(r'[_:]', name)
        return None if is_word else known[0].address

    def draw(self, site):
        """Makes the HTML of all of its pages."""
        for path, page in self.pages.items():
            writer = _Writer(site, page)
            page.more['declarations'] = [writer.declaration(each)
                                         for each in self.headers[path].declarations]
            page.more['about'] = writer.inline(page.more['header'].about)
            page.more['belongs_to'] = writer.inline(page.more['header'].belongs_to)

    def names(self):
        """The page of all names, by their first letter."""
        output = [symbol for known in self.symbols.values() for symbol in known
                if '::' not in symbol.name and symbol.address.count('.') == 1]
        output.sort(key=lambda each: (each.name.lower(), each.name, each.header))
        letters = {}
        for symbol in output:
            letters.setdefault(symbol.name[0].upper(), []).append(symbol)
        page = Page('', 'names.html', 'API index', 'reference', 'names.html.j2')
        page.headings = [Heading(1, '', 'API index'),
                         *(Heading(2, f'letter-{letter}', letter) for letter in letters)]
        page.more = {'letters': letters, 'count': len(output)}
        return page


def _source_of(path):
    public = ROOT / 'include' / path
    return public if public.is_file() else ROOT / 'src' / path


def _gathered(path, documented):
    """A public header with the declarations of those that it includes, each in one header only."""
    text = _source_of(path).read_text()
    header = read(path, text.encode())
    for included in _INCLUDE.findall(text):
        if included not in documented:
            documented.add(included)
            header.declarations += read(included, _source_of(included).read_bytes()).declarations
    return header


def _is_of_users(declared):
    """Types, and functions right in `eider`: others of inner namespaces serve the library."""
    return declared.kind in ('class', 'struct', 'enum', 'alias') or \
        (declared.kind == 'function' and declared.space == 'eider')


def _reached(public):
    """{header: the public one by which it comes}, for all that public ones include."""
    by, todo = {path: path for path in public}, list(public)
    while todo:
        path = todo.pop(0)
        source = _source_of(path)
        if not source.is_file():
            raise SiteFailed('wing.cmake', f'{path} is public there, and does not exist')
        for included in _INCLUDE.findall(source.read_text()):
            if included not in by and '/testkit/' not in included:
                by[included] = by[path]
                todo.append(included)
    return by


def _first_sentence(text):
    found = re.match(r'.*?[.:](?= |$)', text)
    output = found[0].rstrip(':') if found else text
    return output if len(output) < 160 else output[:157].rsplit(' ', 1)[0] + ' …'


class _Writer:
    """Docstrings and signatures of one page as HTML."""

    def __init__(self, site, page):
        self.site = site
        self.page = page

    def declaration(self, each):
        """What the template needs of it."""
        is_special = '<' in each.name and each.kind in ('class', 'struct')
        kind = 'specialisation' if is_special else each.kind
        return {'anchor': each.anchor, 'name': each.name, 'kind': kind, 'line': each.line,
                'space': each.space, 'code': highlighted(each.signature, 'cpp'),
                'doc': self.doc(each.doc), 'members': self.members(each.members)}

    def members(self, members):
        """Members; neighbors without docstrings share one block."""
        output = []
        for member in members:
            entry = {'anchors': [member.anchor] if member.anchor else [],
                     'doc': self.doc(member.doc),
                     'code': [member.signature.removesuffix(',')],
                     'members': self.members(_inner(member))}
            last = output[-1] if output else None
            if last and not entry['doc'] and not last['doc'] and not entry['members'] \
                    and not last['members']:
                last['anchors'] += entry['anchors']
                last['code'] += entry['code']
            else:
                output.append(entry)
        for entry in output:
            if isinstance(entry['code'], list):
                entry['code'] = highlighted('\n'.join(entry['code']), 'cpp')
        return output

    def doc(self, lines):
        """Paragraphs, indented code, and lists of "name  description"."""
        output, block = [], []
        for line in [*(line[1:] if line.startswith(' ') else line for line in lines), '']:
            if line.strip():
                block.append(line)
            elif block:
                output.append(self._block(block))
                block = []
        return ''.join(output)

    def _block(self, block):
        if all(line.startswith('    ') for line in block):
            return drawn('\n'.join(line[4:] for line in block) + '\n', 'cpp')
        if _FACT.match(block[0]) and all(_FACT.match(line) or line.startswith('  ')
                                         for line in block):
            return self._facts(block)
        return f'<p>{self.inline(" ".join(line.strip() for line in block))}</p>'

    def _facts(self, block):
        rows = []
        for line in block:
            found = _FACT.match(line)
            if found and not line.startswith(' '):
                rows.append([found[1], [found[2]]])
            else:
                rows[-1][1].append(line.strip())
        output = (f'<dt>{self.inline(name)}</dt><dd>{self._fact(said)}</dd>' for name, said in rows)
        return f'<dl class="facts">{"".join(output)}</dl>'

    def _fact(self, lines):
        """A line that names a case again begins a new one."""
        output = self.inline(lines[0])
        for line in lines[1:]:
            is_case = re.match(r'\w+ {2,}\S', line)
            output += ('<br>' if is_case else ' ') + self.inline(line)
        return output

    def inline(self, text):
        """Text with `code` in it, and with links to the pages that it names."""
        output = []
        for index, part in enumerate(text.split('`')):
            if index % 2:
                shown = f'<code>{html.escape(part, quote=False)}</code>'
                to = self.site.meant(part, [''], self.page)
                output.append(f'<a class="name" href="{to}">{shown}</a>' if to else shown)
            else:
                output.append(_PAGE_NAME.sub(self._named_page, html.escape(part, quote=False)))
        return ''.join(output)

    def _named_page(self, found):
        page = self.site.pages.get(found[0])
        if page is None:
            raise SiteFailed(self.page.source, f'{found[0]} is named, but there is no such page')
        return f'<a href="{self.page.way_to(page.address)}">{html.escape(page.title)}</a>'


def _inner(member):
    for each in member.members:
        each.anchor = ''
    return member.members

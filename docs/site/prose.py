"""Renders Markdown: headings with anchors, code with colors, links to pages and files.

A link to a missing file or heading is reported with its file and line.
"""

import html
import posixpath
import re

from markdown_it import MarkdownIt

import tabs
from blocks import drawn
from contents import description_of
from tree import ROOT, Heading, Page, Section, SiteFailed, place_of


_SHORT = 20  # letters


def make_parser():
    """Markdown with tables, and without HTML: a "<" in a text is a "<"."""
    parser = MarkdownIt('commonmark', {'html': False, 'typographer': False})
    return parser.enable(['table', 'strikethrough'])


def anchor_of(text):
    """As GitHub makes them of headings."""
    return re.sub(r'[^\w\- ]', '', text.lower()).replace(' ', '-')


def plain(inline):
    """The text of an inline token, without its marks."""
    return ''.join(child.content if child.type in ('text', 'code_inline') else
                   ' ' if child.type in ('softbreak', 'hardbreak') else ''
                   for child in inline.children or [])


class Prose:
    """One Markdown file, parsed; it is drawn when the anchors of all pages are known."""

    def __init__(self, source):
        self.source = source
        text = (ROOT / source).read_text(encoding='utf-8')
        self.tokens = tabs.marked(text, make_parser().parse(text), source)
        address, kind = place_of(source)
        self.page = Page(source, address, '', kind)
        self._read()

    def _read(self):
        """Headings with their anchors, and the sections for the search."""
        page, seen, text = self.page, {}, []
        for index, token in enumerate(self.tokens):
            if token.type == 'heading_open':
                inline = self.tokens[index + 1]
                anchor = anchor_of(inline.content)
                seen[anchor] = seen.get(anchor, -1) + 1
                anchor += f'-{seen[anchor]}' if seen[anchor] else ''
                token.attrSet('id', anchor)
                heading = Heading(int(token.tag[1]), anchor, plain(inline))
                page.headings.append(heading)
                text = []
                page.sections.append([heading, text])
            elif token.type == 'inline' and self.tokens[index - 1].type != 'heading_open':
                text.append(plain(token))
            elif token.type in ('fence', 'code_block'):
                text.append(token.content)
        if not page.headings or page.headings[0].level != 1:
            raise SiteFailed(self.source, 'a page must begin with its title: # Title', 1)
        page.title = page.headings[0].text
        page.description = description_of((ROOT / self.source).read_text(encoding='utf-8'))
        page.sections = [Section('' if heading.level == 1 else heading.anchor, heading.text,
                                 ' '.join(' '.join(words).split()))
                         for heading, words in page.sections]

    def draw(self, site):
        """Makes the page's HTML. `site` knows all pages, symbols and files (main.Site)."""
        self.page.html = self.draw_tokens(self.tokens, site)

    def draw_tokens(self, tokens, site):
        """The HTML of some of its tokens."""
        parts = []
        folder = ['']
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == 'inline':
                parts.append(self._inline(token, site, folder))
            elif token.type == 'fence':
                parts.append(self._fence(token))
            elif token.type == 'code_block':
                parts.append(drawn(token.content, 'console'))
            elif token.type == 'table_open':
                parts.append('<div class="table" tabindex="0"><table>')
            elif token.type == 'th_open' and not tokens[index + 1].content:
                parts.append('<td></td>')  # a header cell without text has nothing to announce
                index += 2
            elif token.type == 'table_close':
                parts.append('</table></div>')
            elif token.type.split('_')[0] in ('tab', 'tabs'):
                parts.append(tabs.drawn(token))
            elif token.type == 'heading_open':
                parts.append(f'<{token.tag} id="{token.attrs["id"]}">')
            elif token.type == 'heading_close' and token.tag != 'h1':
                anchor = tokens[index - 2].attrs['id']
                parts.append(f' <a class="anchor" href="#{anchor}" aria-label="Link to this '
                            f'section">#</a></{token.tag}>\n')
            elif not (token.type == 'paragraph_open' and token.hidden or
                      token.type == 'paragraph_close' and token.hidden):
                folder = [''] if token.type == 'td_open' else folder
                parts.append(_markup(token))
            index += 1
        return ''.join(parts)

    def _fence(self, token):
        language, _, name = token.info.partition(' ')
        if name and not (ROOT / name).is_file():
            raise SiteFailed(self.source, f'the code block names {name}, which does not exist',
                             token.map[0] + 1)
        return drawn(token.content, language or 'text', name)

    def _inline(self, inline, site, folder):
        """The HTML of inline text; `folder` is that of the headers in this table cell."""
        parts, is_in_link = [], False
        for child in inline.children:
            if child.type == 'link_open':
                is_in_link = True
                parts.append(f'<a href="{html.escape(self._target(child, inline, site))}">')
            elif child.type == 'link_close':
                is_in_link = False
                parts.append('</a>')
            elif child.type == 'code_inline':
                shown = _code(child.content)
                to = None if is_in_link else site.meant(child.content, folder, self.page)
                parts.append(f'<a class="name" href="{to}">{shown}</a>' if to else shown)
            elif child.type == 'text':
                parts.append(html.escape(child.content, quote=False))
            elif child.type == 'image':
                parts.append(self._drawing(child, inline, site))
            elif child.type == 'softbreak':
                parts.append('\n')
            else:
                parts.append(_markup(child))
        return ''.join(parts)

    def _drawing(self, image, inline, site):
        """The SVG file of an image, as a part of the page: so it has the colors of the page."""
        path = posixpath.normpath(
            posixpath.join(posixpath.dirname(self.source), image.attrs['src']))
        line = inline.map[0] + 1
        if not path.endswith('.svg'):
            raise SiteFailed(self.source, f'the image {path} must be an SVG file', line)
        if not (ROOT / path).is_file():
            raise SiteFailed(self.source, f'the image {path} does not exist', line)
        site.images[path] = path.removeprefix('docs/')
        label = html.escape(image.content)
        return (ROOT / path).read_text(encoding='utf-8').strip().replace(
            '<svg ', f'<svg class="drawing" role="img" aria-label="{label}" ', 1)

    def _target(self, link, inline, site):
        """Where a link of the file leads to on the site."""
        given = link.attrs['href']
        if re.match(r'[a-z]+:', given):
            return given
        name, _, anchor = given.partition('#')
        beside = posixpath.dirname(self.source)
        path = posixpath.normpath(posixpath.join(beside, name)) if name else self.source
        line = _line_of(inline, given, self.source)
        page = site.page_of(path)
        if page is None:
            site.faults.append(f'{self.source}:{line}: the link to {given} leads nowhere')
            return '#'
        if anchor and anchor not in page.anchors:
            site.faults.append(f'{self.source}:{line}: the link to {given} leads to no heading of '
                               f'{path}')
        return self.page.way_to(page.address + (f'#{anchor}' if anchor else ''))


def _code(text):
    """Inline code. Short code such as --port=80 stays on one line."""
    is_short = len(text) <= _SHORT and re.search('[- /]', text)
    shown = html.escape(text, quote=False)
    return f'<code class="short">{shown}</code>' if is_short else f'<code>{shown}</code>'


def _line_of(inline, given, source):
    """The line of the file that has the link; a paragraph is several."""
    first, after = inline.map
    lines = (ROOT / source).read_text().splitlines()[first:after]
    return first + 1 + next((at for at, line in enumerate(lines) if given in line), 0)


def _markup(token):
    """The tag of a token."""
    if token.nesting == -1:
        return f'</{token.tag}>' + ('\n' if token.block else '')
    align = re.search(r'text-align:(\w+)', str(token.attrs.get('style', '')))
    attributes = f' class="{align[1]}"' if align else ''
    if token.tag == 'ol' and 'start' in token.attrs:
        attributes += f' start="{token.attrs["start"]}"'
    end = '\n' if token.block and token.tag in ('ul', 'ol') else ''
    return f'<{token.tag}{attributes}>{end}'

"""The files of the site for programs: Markdown of each page with its drawings, llms.txt,
llms-full.txt, the sitemap and the pages that redirect from old addresses.

Layering: reads pages that are already rendered.
"""

import html
import posixpath
import re

import tabs
from tree import ROOT, SiteFailed

_SUMMARY = ('Eider is a C++23 web framework for Linux: handlers are plain functions over plain '
            'structs.')
_NOT_FOR_USERS = ('design', 'changes', 'measured')
_LINK = re.compile(r'\]\(([^)\s]+)\)')
_FENCE = re.compile(r'(^ *```.*?^ *```|`[^`\n]+`)', re.S | re.M)
_REDIRECT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title} · Eider</title>
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="0; url={to}">
<link rel="canonical" href="{canonical}">
</head>
<body><p>This page has moved: <a href="{to}">{title}</a></p></body>
</html>
"""


def markdown_address(page):
    """The address of the Markdown of a page."""
    return page.address.removesuffix('.html') + '.md'


def _markdown(site, page, base, folder):
    """The source of a page, with links that work on the site.

    base    the address of the site; '' for relative links
    folder  of the file that the text becomes a part of; relative links start there
    """
    def target(found):
        given = found[1]
        name, mark, anchor = given.partition('#')
        if re.match(r'[a-z]+:', given) or not name:
            return found[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.source), name))
        other = None if path in site.images else site.page_of(path)
        if path in site.images:
            to = site.images[path]
        elif other is None:
            return found[0]
        else:
            to = markdown_address(other) if other in site.menu_pages() else other.address
        return f'](' + (base + to if base else posixpath.relpath(to, folder)) + f'{mark}{anchor})'

    text = (ROOT / page.source).read_text(encoding='utf-8')
    return ''.join(part if index % 2 else _LINK.sub(target, tabs.without_marks(part))
                   for index, part in enumerate(_FENCE.split(text)))


def _llms(site, base):
    """llms.txt: every page with its description, by group (llmstxt.org)."""
    lines = [f'# Eider\n\n> {_SUMMARY}\n\n'
             f'All pages for users in one file: [llms-full.txt]({base}llms-full.txt).\n']
    for section, name, pages in site.groups:
        lines.append(f'\n## {f"{section}: " if section else ""}{name}\n\n')
        lines += [f'- [{page.title}]({base}{markdown_address(page)})'
                  + (f': {page.description}\n' if page.description else '\n') for page in pages]
    return ''.join(lines)


def _llms_full(site, base):
    """llms-full.txt: the pages for users, one after the other."""
    pages = [page for page in site.menu_pages()
             if page.kind not in _NOT_FOR_USERS and page.source != 'docs/README.md']
    parts = [f'# Eider: the documentation for users in one file\n\n> {_SUMMARY}\n']
    parts += [f'\n---\n\nPage: {base}{page.address}\n\n{_markdown(site, page, base, ".").strip()}\n'
              for page in pages]
    return ''.join(parts)


def _sitemap(pages, base):
    urls = ''.join(f'<url><loc>{html.escape(base + page.address)}</loc></url>\n'
                   for page in pages if page.kind != 'source')
    return ('<?xml version="1.0" encoding="UTF-8"?>\n'
            '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
            f'{urls}</urlset>\n')


def _redirects(site, pages, base):
    known = {page.address: page for page in pages}
    made = {}
    for old, new in site.setting.get('redirects', {}).items():
        if new not in known:
            raise SiteFailed('docs/site/site.toml', f'{old} redirects to {new}, but there is no '
                             'such page. Fix the address.')
        if old in known:
            raise SiteFailed('docs/site/site.toml', f'{old} redirects to {new}, but is a page '
                             'itself. Remove the redirect.')
        to = posixpath.relpath(new, posixpath.dirname(old) or '.')
        made[old] = _REDIRECT.format(title=html.escape(known[new].title), to=html.escape(to),
                                     canonical=html.escape(base + new if base else to))
    return made


def files(site, pages, base, canonical):
    """{address: text or bytes} of all of them.

    base       the address of the site with a final slash, or '': then links are relative, and there
               is no sitemap, since it must have whole addresses
    canonical  the address of the latest version; only this version has a sitemap
    """
    made = {markdown_address(page): _markdown(site, page, base, posixpath.dirname(page.address)
                                              or '.') for page in site.menu_pages()}
    made.update({to: (ROOT / path).read_bytes() for path, to in site.images.items()})
    made['llms.txt'] = _llms(site, base)
    made['llms-full.txt'] = _llms_full(site, base)
    made.update(_redirects(site, pages, canonical))
    if base and base == canonical:
        made['sitemap.xml'] = _sitemap(pages, base)
    return made

"""Builds a static, searchable site of the pages, the public headers and the arena's results.

A site with a dead link is not written, and only a folder that is empty or has a site is replaced.
"""

import argparse
import html
import http.server
import re
import shutil
import sys
import tomllib
from functools import partial
from pathlib import Path

import jinja2

import contents
import exports
import links
import words
from prose import Prose
from reference import Reference
from results import Results
from source import Sources
from tree import ROOT, SiteFailed, groups_of, sources

HERE = Path(__file__).resolve().parent
_MARK = '.eider-site'
_EXAMPLES = """examples:
  ./docs/build                 write the site to build/site
  ./docs/build --serve 8000    write it, then serve it on http://127.0.0.1:8000/
  ./docs/build --output /srv/www/eider --address https://eider.example/
  ./docs/build --version 0.2 --output /srv/www/eider/0.2 --address https://eider.example/0.2/
  ./docs/build --write-contents
"""


class Site:
    """All pages, and the targets of their links and names."""

    def __init__(self):
        self.setting = contents.settings()
        self.faults = []  # dead links, to report all at once
        self.images = {}  # the addresses of drawings next to the Markdown pages, by their paths
        self.proses = {name: Prose(name) for name in sources()}
        self.pages = {name: prose.page for name, prose in self.proses.items()}
        self.groups = groups_of(self.setting, self.pages)
        self.home = [(name, self.pages[source]) for name, source in self.setting['home']['buttons']]
        self.synonyms = tomllib.loads((ROOT / words.SYNONYMS).read_text(encoding='utf-8'))
        self.results = Results()
        self.reference = Reference(self._words())
        self.sources = Sources()
        self.pages.update({prose.source: prose.page for prose in self.results.proses()})
        self.pages.update({page.source: page for page in self.reference.pages.values()})
        self.names = self.reference.names()

    def menu_pages(self):
        """The pages of the menu, in its order."""
        return [page for _, _, pages in self.groups for page in pages]

    def _words(self):
        """The names in the code of the pages."""
        found = set()
        for prose in self.proses.values():
            for token in prose.tokens:
                inline = [child.content for child in token.children or []
                          if child.type == 'code_inline']
                code = [token.content] if token.type in ('fence', 'code_block') else inline
                found.update(name for text in code for name in re.findall(r'\w+', text))
        return found

    def page_of(self, path):
        """The page of a file or folder of the tree, or None. Other files are shown as source."""
        return self.pages.get(path) or self.sources.page_of(path)

    def meant(self, text, folder, page):
        """The link target of inline code, or None.

        folder  [folder of the headers in this table cell], updated when the code names one
        """
        found = re.fullmatch(r'(?:#include )?[<"]?((?:[\w-]+/)*)([\w-]+\.h)?[>"]?', text)
        if found and (found[1] or found[2]):
            if found[1].startswith('eider/'):
                folder[0] = found[1]
            address = self.reference.address_of((found[1] or folder[0]) + (found[2] or ''))
            if address:
                return page.way_to(address)
        if text in self.pages:
            return page.way_to(self.pages[text].address)
        address = self.reference.meant(text)
        return html.escape(page.way_to(address)) if address else None

    def draw(self):
        """Renders all pages, and returns them sorted by address."""
        for prose in self.proses.values():
            prose.draw(self)
        for prose in self.results.proses():
            prose.draw(self)
        if self.faults:
            raise SiteFailed.of_many(self.faults)
        self.results.draw(self)
        self.reference.draw(self)
        self.pages['README.md'].template = 'home.html.j2'
        self.pages['README.md'].more = {'first': self._first()}
        drawn = {id(page): page for page in
                 [*self.pages.values(), *self.results.pages(), self.names, *self.sources.pages()]}
        return sorted(drawn.values(), key=lambda page: page.address)

    def _first(self):
        """The part of the README before its first section, for the home page."""
        prose = self.proses['README.md']
        tokens = prose.tokens
        ends = next((at for at, token in enumerate(tokens)
                     if token.type == 'heading_open' and token.tag == 'h2'), len(tokens))
        code = next((token for token in tokens[:ends] if token.type == 'fence'), None)
        if code is None:
            raise SiteFailed('README.md', 'there is no code block before the first section', 1)
        at = tokens.index(code)
        return {'lead': prose.draw_tokens(tokens[3:at], self),
                'code': prose.draw_tokens([code], self),
                'below': prose.draw_tokens(tokens[at + 1:ends], self),
                'rest': prose.draw_tokens(tokens[ends:], self),
                'headline': self.results.headline()}


def version():
    """The version of the tree."""
    found = re.search(r'project\(eider VERSION (\S+)', (ROOT / 'CMakeLists.txt').read_text())
    return found[1]


def render(site, options):
    """{address: text or bytes} of the whole site."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE / 'templates'),
                                     autoescape=True, undefined=jinja2.StrictUndefined,
                                     trim_blocks=True, lstrip_blocks=True)
    pages = site.draw()
    order = site.menu_pages()
    files = {}
    for page in pages:
        at = order.index(page) if page in order else -1
        around = (order[at - 1] if at > 0 else None,
                  order[at + 1] if 0 <= at < len(order) - 1 else None)
        files[page.address] = environment.get_template(page.template).render(
            page=page, site=site, around=around, version=options.version, way=page.way_to,
            canonical=options.canonical, repository=options.repository,
            markdown=exports.markdown_address(page) if at >= 0 else None, **page.more)
    files.update(exports.files(site, pages, options.address, options.canonical))
    for path in sorted((HERE / 'static').iterdir()):
        files[path.name] = path.read_bytes()
    files['search.json'] = words.make(pages, site.synonyms)
    return files


def check_output(output):
    """Rejects a folder that has something else than a site in it."""
    if output.exists() and not output.is_dir():
        raise SiteFailed(output, 'is a file. Choose a folder.')
    if output.is_dir() and any(output.iterdir()):
        if not (output / _MARK).is_file():
            raise SiteFailed(output, 'is not empty and has no site of docs/build. '
                             'Choose another folder.')


def write(files, output):
    """Writes the site, and replaces an earlier one."""
    shutil.rmtree(output, ignore_errors=True)
    for address, content in {**files, _MARK: 'Written by docs/build.\n'}.items():
        path = output / address
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def serve(folder, port):
    """Serves the site on the loopback address until Ctrl-C."""
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    with http.server.ThreadingHTTPServer(('127.0.0.1', port), handler) as server:
        print(f'docs/build: http://127.0.0.1:{server.server_port}/', flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


def canonical_of(address, shown):
    """The address of the latest version, if the address is the one of the version that is shown."""
    above = address.removesuffix(f'/{shown}/')
    return address if above == address else f'{above}/latest/'


def read_options():
    """The command line."""
    parser = argparse.ArgumentParser(prog='./docs/build', description=__doc__.splitlines()[0],
                                     epilog=_EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--output', metavar='DIR', type=Path, default=ROOT / 'build/site',
                        help='folder for the site; an earlier site is replaced '
                             '(default: build/site)')
    parser.add_argument('--serve', metavar='PORT', type=int,
                        help='serve the site on 127.0.0.1; 0 selects a free port')
    parser.add_argument('--address', metavar='URL', default='',
                        help='address at which the site is published, for canonical links, '
                             'llms.txt and sitemap.xml (default: relative links, no sitemap)')
    parser.add_argument('--version', metavar='X', default=version(),
                        help='version in the header of each page (default: the version of the '
                             'project). If URL ends with /X/, canonical links point to /latest/')
    parser.add_argument('--repository', metavar='URL', default='',
                        help='address of the repository, for its link and "Edit this page" '
                             '(default: no such links)')
    parser.add_argument('--write-contents', action='store_true',
                        help='only write docs/README.md from docs/site/site.toml')
    options = parser.parse_args()
    if options.serve is not None and options.serve not in range(65536):
        parser.error(f'--serve must be a port from 0 to 65535, but is {options.serve}')
    for name in ('address', 'repository'):
        url = getattr(options, name)
        if url and not re.match(r'https?://[^/]', url):
            parser.error(f'--{name} must begin with https:// or http://, but is {url}')
        setattr(options, name, url.rstrip('/') + '/' if url else '')
    if not re.fullmatch(r'[0-9A-Za-z][\w.+-]*', options.version):
        parser.error('--version must have letters, digits and ".", "_", "+" or "-", but is '
                     f'{options.version}')
    options.canonical = canonical_of(options.address, options.version)
    return options


def main():
    """Status 0, or 1 with the error on standard error."""
    options = read_options()
    try:
        if options.write_contents:
            (ROOT / contents.INDEX).write_text(contents.index(), encoding='utf-8')
            return 0
        check_output(options.output)
        files = render(Site(), options)
        dead = links.faults(files)
        if dead:
            raise SiteFailed.of_many(dead)
        write(files, options.output)
        pages = sum(address.endswith('.html') for address in files)
        print(f'docs/build: {pages} pages in {options.output}', flush=True)
        if options.serve is not None:
            serve(options.output, options.serve)
    except (SiteFailed, OSError) as failure:
        print(f'docs/build: {failure}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())

"""Makes one static, searchable site of the pages, the headers and the arena's results.

Must not write a site with a dead link in it, and must not write over what is no site.
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
  ./docs/build                        build/site/index.html is its first page
  ./docs/build --serve 8000           the same, and http://127.0.0.1:8000/ shows it
  ./docs/build --output /srv/www/eider
"""


class Site:
    """All pages, and what a link or a name on one of them means."""

    def __init__(self):
        self.setting = tomllib.loads((HERE / 'site.toml').read_text())
        self.faults = []  # dead links: all are told at once
        self.proses = {name: Prose(name) for name in sources()}
        self.pages = {name: prose.page for name, prose in self.proses.items()}
        self.groups = groups_of(self.setting, self.pages)
        self.results = Results()
        self.reference = Reference(self._words())
        self.sources = Sources()
        self.pages.update({prose.source: prose.page for prose in self.results.proses()})
        self.pages.update({page.source: page for page in self.reference.pages.values()})
        self.names = self.reference.names()

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
        """The page of a file or folder of the tree, or None: those that are no page of their own
        are shown as they are."""
        return self.pages.get(path) or self.sources.page_of(path)

    def meant(self, text, folder, page):
        """Where code in a text leads to, or None. `folder` is [the one that headers named in this
        cell are below], and is changed by what the text says."""
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
        """Makes the HTML of all pages, and returns them in a steady order."""
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
        """What the first page shows ahead of the README's sections."""
        prose = self.proses['README.md']
        tokens = prose.tokens
        ends = next((at for at, token in enumerate(tokens)
                     if token.type == 'heading_open' and token.tag == 'h2'), len(tokens))
        code = next((token for token in tokens[:ends] if token.type == 'fence'), None)
        if code is None:
            raise SiteFailed('README.md', 'its first part has no code for the first page', 1)
        at = tokens.index(code)
        return {'lead': prose.draw_tokens(tokens[3:at], self),
                'code': prose.draw_tokens([code], self),
                'below': prose.draw_tokens(tokens[at + 1:ends], self),
                'rest': prose.draw_tokens(tokens[ends:], self),
                'headline': self.results.headline()}


def version():
    """That of the tree."""
    found = re.search(r'project\(eider VERSION (\S+)', (ROOT / 'CMakeLists.txt').read_text())
    return found[1]


def render(site):
    """{address: text or bytes} of the whole site."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE / 'templates'),
                                     autoescape=True, undefined=jinja2.StrictUndefined,
                                     trim_blocks=True, lstrip_blocks=True)
    pages = site.draw()
    order = [page for _, group in site.groups for page in group]
    files = {}
    for page in pages:
        at = order.index(page) if page in order else -1
        around = (order[at - 1] if at > 0 else None,
                  order[at + 1] if 0 <= at < len(order) - 1 else None)
        files[page.address] = environment.get_template(page.template).render(
            page=page, site=site, around=around, version=version(), way=page.way_to, **page.more)
    for path in sorted((HERE / 'static').iterdir()):
        files[path.name] = path.read_bytes()
    files['search.json'] = words.make(pages)
    return files


def check_output(output):
    """What stands there is a site that this made, or nothing."""
    if output.exists() and not output.is_dir():
        raise SiteFailed(output, 'is a file: name a folder')
    if output.is_dir() and any(output.iterdir()):
        if not (output / _MARK).is_file():
            raise SiteFailed(output, 'is not empty and no site that this made: name another folder')


def write(files, output):
    """Puts the site there, in place of the one before."""
    shutil.rmtree(output, ignore_errors=True)
    for address, content in {**files, _MARK: 'Made by docs/build, which writes it anew.\n'}.items():
        path = output / address
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def serve(folder, port):
    """Shows the site on this machine alone until Ctrl-C."""
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    with http.server.ThreadingHTTPServer(('127.0.0.1', port), handler) as server:
        print(f'docs/build: http://127.0.0.1:{server.server_port}/', flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


def read_options():
    """The command line."""
    parser = argparse.ArgumentParser(prog='./docs/build', description=__doc__.splitlines()[0],
                                     epilog=_EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--output', metavar='DIR', type=Path, default=ROOT / 'build/site',
                        help='where it is written (build/site); a site that is there is replaced')
    parser.add_argument('--serve', metavar='PORT', type=int,
                        help='show it on 127.0.0.1 then; 0 takes a port that is free')
    options = parser.parse_args()
    if options.serve is not None and options.serve not in range(65536):
        parser.error(f'--serve is a port, 0 to 65535, not {options.serve}')
    return options


def main():
    """Status 0, or 1 with what is wrong on standard error."""
    options = read_options()
    try:
        check_output(options.output)
        files = render(Site())
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

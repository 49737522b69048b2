"""Files and folders of the tree that pages link to, shown as they are.

Must not show more than is asked for: a page links to it, or a folder that is linked has it.
"""

import html
import subprocess

from blocks import drawn
from tree import ROOT, Heading, Page

_LANGUAGES = {'.cc': 'cpp', '.h': 'cpp', '.py': 'python', '.js': 'js', '.css': 'css',
              '.html': 'html', '.sql': 'sql', '.toml': 'toml', '.json': 'json', '.sh': 'bash',
              '.cmake': 'cmake', '.rs': 'rust', '.go': 'go'}
_BYTES_MAX = 200_000


def _listed():
    """The tree's files: those that git knows or would add; without git, as in a tarball, all but
    what is built."""
    if (ROOT / '.git').exists():
        told = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT,
                              check=True, capture_output=True, text=True).stdout
        return sorted(set(told.splitlines()))
    tops = [ROOT / name for name in ('arena', 'docs', 'examples', 'tests')]
    return sorted(path.relative_to(ROOT).as_posix() for top in tops for path in top.rglob('*')
                  if path.is_file())


class Sources:
    """Pages of files that somebody has asked for."""

    def __init__(self):
        self.files = _listed()
        self.made = {}

    def pages(self):
        """All that were asked for."""
        return list(self.made.values())

    def page_of(self, path):
        """The page of a tracked file or folder, made when it is first asked for; or None."""
        if path in self.made:
            return self.made[path]
        below = [name for name in self.files if name.startswith(path.rstrip('/') + '/')]
        if path in self.files and (ROOT / path).is_file():
            return self._of_file(path)
        return self._of_folder(path, below) if below else None

    def _page(self, path, address):
        page = Page(path, address, path, 'source', 'source.html.j2')
        page.headings = [Heading(1, '', path)]
        self.made[path] = page
        return page

    def _of_file(self, path):
        page = self._page(path, f'source/{path}.html')
        content = (ROOT / path).read_bytes()
        language = _LANGUAGES.get('.' + path.rpartition('.')[2], 'text')
        try:
            text = content.decode() if len(content) <= _BYTES_MAX else None
        except UnicodeDecodeError:
            text = None
        page.html = drawn(text, language) if text is not None else \
            f'<p>{len(content):,} bytes that are not shown here.</p>'
        return page

    def _of_folder(self, path, below):
        page = self._page(path, f'source/{path}/index.html')
        told = []
        for name in below:
            shown = html.escape(name[len(path.rstrip("/")) + 1:])
            way = html.escape(page.way_to(self.page_of(name).address))
            told.append(f'<li><a href="{way}"><code>{shown}</code></a></li>')
        page.html = f'<ul class="files">{"".join(told)}</ul>'
        return page

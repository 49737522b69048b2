"""Pages of source files and folders: those that pages link to, and the files of these folders."""

import html
import subprocess

from blocks import drawn
from tree import ROOT, Heading, Page

_LANGUAGES = {'.cc': 'cpp', '.h': 'cpp', '.py': 'python', '.js': 'js', '.css': 'css',
              '.html': 'html', '.sql': 'sql', '.toml': 'toml', '.json': 'json', '.sh': 'bash',
              '.cmake': 'cmake', '.rs': 'rust', '.go': 'go'}
_BYTES_MAX = 200_000


def _listed():
    """The files of the tree: those that git tracks or would add; without git, all of the folders
    that pages link to."""
    if (ROOT / '.git').exists():
        listed = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT,
                              check=True, capture_output=True, text=True).stdout
        return sorted(set(listed.splitlines()))
    tops = [ROOT / name for name in ('arena', 'docs', 'examples', 'tests')]
    return sorted(path.relative_to(ROOT).as_posix() for top in tops for path in top.rglob('*')
                  if path.is_file())


class Sources:
    """The pages of source files, made on first use."""

    def __init__(self):
        self.files = _listed()
        self.made = {}

    def pages(self):
        """The pages made so far."""
        return list(self.made.values())

    def page_of(self, path):
        """The page of a tracked file or folder, or None."""
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
            f'<p>{len(content):,} bytes (not shown).</p>'
        return page

    def _of_folder(self, path, below):
        page = self._page(path, f'source/{path}/index.html')
        items = []
        for name in below:
            shown = html.escape(name[len(path.rstrip("/")) + 1:])
            way = html.escape(page.way_to(self.page_of(name).address))
            items.append(f'<li><a href="{way}"><code>{shown}</code></a></li>')
        page.html = f'<ul class="files">{"".join(items)}</ul>'
        return page

"""Code blocks with syntax highlighting."""

import html

from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

_ALIASES = {'sh': 'console-lines', 'console': 'console-lines', 'jsonc': 'json'}
_SHOWN = {'cpp': 'C++', 'cmake': 'CMake', 'js': 'JavaScript', 'ts': 'TypeScript', 'html': 'HTML',
          'json': 'JSON', 'toml': 'TOML', 'sql': 'SQL', 'nginx': 'nginx', 'ini': 'INI'}
_FORMATTER = HtmlFormatter(nowrap=True)


def highlighted(text, language):
    """The markup of the code, without a frame."""
    if language in ('text', ''):
        return html.escape(text, quote=False)
    if _ALIASES.get(language, language) == 'console-lines':
        return _console(text)
    try:
        lexer = get_lexer_by_name(_ALIASES.get(language, language), stripnl=False)
    except ClassNotFound:
        return html.escape(text, quote=False)
    return highlight(text, lexer, _FORMATTER)


def _console(text):
    """Commands, with their comments in a lighter color."""
    lines = []
    for line in text.splitlines():
        said = line.find(' # ')
        said = 0 if line.startswith('#') else said
        if said < 0:
            lines.append(html.escape(line, quote=False))
        else:
            lines.append(html.escape(line[:said], quote=False)
                         + f'<span class="c">{html.escape(line[said:], quote=False)}</span>')
    return '\n'.join(lines) + '\n'


def drawn(text, language, name=''):
    """A code block; `name` is the file that the code is from."""
    label = name or _SHOWN.get(language, '')
    caption = f'<figcaption>{html.escape(label)}</figcaption>' if label else ''
    return (f'<figure class="code">{caption}<pre tabindex="0"><code>'
            f'{highlighted(text, language)}</code></pre></figure>\n')

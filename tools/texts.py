#!/usr/bin/env python3
"""Prints the texts of the sources that users see: messages, help texts and documentation comments.

Layering: finds texts; wording.py has the rules that they follow.
"""

import argparse
import ast
import html.parser
import itertools
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cpp
import layers
import wording

KINDS = ('message', 'name', 'summary', 'comment', 'page', 'markup')
FOLDERS = ('src', 'include', 'cli', 'examples', 'docs/site')
# Folders with programs in Python.
PROGRAMS = ('arena', 'docs', 'packaging', 'tools')
_SOURCE = re.compile(r'\.(?:cc|h)(?:\.in)?$')
_MARKUP = re.compile(r'\.html(?:\.in)?$')
_SCRIPT = re.compile(r'(?<!\.min)\.js(?:\.in)?$')
_COMMENTED = re.compile(r'(?:/CMakeLists\.txt|/Dockerfile|\.yml|\.sh)\.in$')
# Programs that only developers of Eider start, tests, and applications that are measured.
_NO_PROGRAM = re.compile(r'(?:^|/)(?:tests|tracker|apps|\.venv)/|_test\.py$')
_INTERNAL = re.compile(r'_(?:test|fuzz|bench)\.cc$|/test_[^/]*\.h$')
_TWO_WORDS = re.compile(r'(?<![\w$=])[A-Za-z][a-z’\']+,? (?:[a-z]{2,}|an? [a-z])')
_SQL = re.compile(
    r'\s*(?:select|insert|delete from|create (?:\w+ )?(?:table|index|database|schema|user|role)'
    r'|drop \w+|alter \w+|update \w+ (?:set|as)|set [\w.]+ ?= \W|set \w+ isolation|returning'
    r'|start transaction|begin \w+|rollback|with \w+|on conflict|order by|where|from|values|and'
    r'|copy \w+\(|pragma|deallocate|\(?\w+ (?:bigint|integer) |do \w+\(|kill query|grant|limit'
    r'|lock table|listen|savepoint|show|join|union|.*primary key|, title varchar)(?:\b|(?<=\W))'
    r'(?!.*[.:]$)', re.S)
_CODE = re.compile(
    r'</|<\w+ \w+=|/>|[;{]\s*(?:\n|$)|^\s*#(?:!|include)|^\s*[{}\[]|\w+\([^)]*\);|=> |::\w+\(|\$\{'
    r'|^(?:HTTP|GET|POST|Content-Type|Cache-Control)\b.*\r|\bconst(?:expr)? \w|\[\[|^namespace '
    r'|^\w+=\S+;|^:root|^set -e\b|\blocal \w+ =|redis\.call|^function |^\w+\.\w+ = ')
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x[0-9a-fA-F]+|([0-7]{1,3})|(.))',
                     re.S)
_ESCAPED = {'n': '\n', 't': '\t', 'r': '\r'}
_TAG = re.compile(r'</[a-z]\w*>|<[a-z]\w* [\w-]+="')
_ATTRIBUTE = re.compile(r'\w="|[<>{}]|::')
_TEMPLATE = re.compile(r'\{%.*?%\}|\{#.*?#\}|\{\{.*?\}\}', re.S)
_SHOWN_ATTRIBUTES = ('alt', 'aria-label', 'placeholder', 'title')
_ERROR_NAME = re.compile(r'\b[a-z]+(?:__?[a-z0-9]+){4,}(?=\()')
_TERM_AND_TEXT = re.compile(r'( *)\S(?:[^`]{0,60}?\S)?(?: {2,}|\t)(\S.*)')
_BAD_START = re.compile(
    r'(?:Of|By|It|Its|This|That|These|Those|How|What|Where|Who|When|In|Must|As though|As if)\b')
_PRIVATE = re.compile(r'^namespace [\w:]*\bdetail\b[\w:]* \{$.*?^\}  // namespace'
                      r'|^(?P<indent> *) (?:private|protected):$.*?(?=^(?P=indent)(?:\}| public:))',
                      re.M | re.S)


@dataclass(frozen=True)
class Text:
    """A text, the line on which it starts, and its kind.

    A summary is the first paragraph of a documentation comment.
    """
    file: str
    line: int
    kind: str
    text: str


def unescaped(literal):
    """Returns the characters for the escapes of a literal."""
    def character(found):
        if found[1] or found[2]:
            return chr(int(found[1] or found[2], 16))
        return _ESCAPED.get(found[4], found[4]) if found[4] else ' '
    return _ESCAPE.sub(character, literal)


def literals_of(source):
    """Returns [(line, text)] of the string literals of C++; adjacent ones are joined."""
    found, last = [], None
    for token in cpp.tokens(source):
        text = token[0]
        if text.lstrip().startswith('#') and not re.match(r'\s*#\s*include', text):
            first = source.count('\n', 0, token.start())
            found += [(first + line, inner) for line, inner
                      in literals_of(text.replace('#', ' ', 1).replace('\\\n', ' \n'))]
        elif text[0] == '"' or text.startswith('R"'):
            value = (text[text.index('(') + 1:text.rindex(')')] if text[0] == 'R'
                     else unescaped(text[1:-1]))
            if last is not None and not source[last:token.start()].strip():
                found[-1] = (found[-1][0], found[-1][1] + value)
            else:
                found.append((source.count('\n', 0, token.start()) + 1, value))
            last = token.end()
    return found


def is_for_users(literal):
    """Returns whether a literal is a text: not a key, path, SQL, HTML, or code."""
    return bool(_TWO_WORDS.search(literal)) and not _SQL.match(literal) and \
        not _CODE.search(literal)


class _Markup(html.parser.HTMLParser):
    """Collects the texts that readers of HTML see, with their lines."""

    def __init__(self):
        super().__init__()
        self.found, self._hidden = [], None

    def handle_starttag(self, tag, attrs):
        self._hidden = tag if tag in ('script', 'style', 'code', 'pre') else self._hidden
        self.found += [(self.getpos()[0], value) for name, value in attrs
                       if name in _SHOWN_ATTRIBUTES and value]

    def handle_endtag(self, tag):
        self._hidden = None if tag == self._hidden else self._hidden

    def handle_data(self, data):
        if not self._hidden:
            self.found.append((self.getpos()[0] + len(data) - len(data.lstrip('\n')), data))


def markup_of(source):
    """Returns [(line, text)] of HTML or a template, and of the literals in expressions of a
    template."""
    literals = []

    def without(found):
        lines = found[0].count('\n')
        if found[0].startswith('{{'):
            line = source.count('\n', 0, found.start()) + 1
            literals.extend((line, re.sub(r'\{\w+\}', 'X', text))
                            for text in re.findall(r'"([^"]*)"', found[0]))
            return 'X' + '\n' * lines
        return '\n' * lines

    markup = _Markup()
    markup.feed(_TEMPLATE.sub(without, source))
    markup.close()
    return sorted((line, ' '.join(text.split())) for line, text in markup.found + literals
                  if _TWO_WORDS.search(text) and not _ATTRIBUTE.search(text))


def script_literals_of(source):
    """Returns [(line, text)] of the string literals of JavaScript that may be texts for users."""
    literal = re.compile(r'//[^\n]*|/\*.*?\*/|(["\'`])((?:\\.|(?!\1)[^\\])*)\1', re.S)
    return [(source.count('\n', 0, found.start()) + 1, re.sub(r'\$\{[^}]*\}', 'X', found[2]))
            for found in literal.finditer(source) if found[1]]


def python_literals_of(source):
    """Returns [(line, text)] of the strings of Python, and the documentation of the program; X
    stands for a value in an f-string."""
    tree, found, skipped = ast.parse(source), [], set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            skipped.add(node.body[0].value)
        elif isinstance(node, ast.JoinedStr):
            skipped.update(node.values)
            found.append((node.lineno, ''.join(
                part.value if isinstance(part, ast.Constant) else 'X' for part in node.values)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) \
                and node not in skipped:
            found.append((node.lineno, node.value))
    return found


def paragraphs_of(lines):
    """Returns [(offset of its first line, text)]; each row "term   description" is separate."""
    found, is_open = [], False
    for at, line in enumerate(lines):
        row = _TERM_AND_TEXT.fullmatch(line)
        if row:
            found.append([at, row[2]])
            is_open = True
        elif not line.strip():
            is_open = False
        elif is_open and not re.match(r' *- ', line) and not (found[-1][2:] and line[0] != ' '):
            found[-1][1] += ' ' + line.strip()
        else:
            found.append([at, line.strip().removeprefix('- ')])
            is_open = True
        if row:
            found[-1].append('row')
    return [(entry[0], entry[1]) for entry in found]


def comments_of(source, mark):
    """Returns [(line, lines)] of the blocks of lines with only comments."""
    found, last = [], -2
    for at, line in enumerate(source.splitlines(), 1):
        comment = re.match(rf'\s*{mark}(?![/!#]) ?(.*)', line)
        if not comment:
            continue
        if at == last + 1:
            found[-1][1].append(comment[1])
        else:
            found.append((at, [comment[1]]))
        last = at
    return found


def _is_shown(line):
    return not re.match(r' {3,}|NOLINT|clang-format|\}  // namespace|tr$', line)


def _comment_texts(name, source, mark):
    for first, lines in comments_of(source, mark):
        shown = [line if _is_shown(line) else '' for line in lines]
        for offset, text in paragraphs_of(shown):
            is_summary = mark == '///' and offset == 0 and lines[0].strip().startswith(text[:20])
            yield Text(name, first + offset, 'summary' if is_summary else 'comment', text)


def without_private(source):
    """Replaces namespaces and members that are not for users by empty lines."""
    return _PRIVATE.sub(lambda found: '\n' * found[0].count('\n'), source)


def _source_texts(name, source, documented):
    for line, literal in literals_of(source):
        if is_for_users(literal):
            # A text may be a comment in a file that is generated for users.
            lines = [re.sub(r'^// ?', '', line) for line in literal.splitlines()]
            for offset, text in paragraphs_of(lines):
                yield Text(name, line + offset * (literal.count('\n') > 1), 'message', text)
        elif _TAG.search(literal):
            yield from (Text(name, line, 'markup', text) for _, text in markup_of(literal)
                        if not _CODE.search(text))
    named = set()
    for found in _ERROR_NAME.finditer(cpp.blanked(source)):
        if found[0] not in named and '/testkit/' not in name and name.endswith('.h'):
            named.add(found[0])
            text = found[0].replace('__', ': ').replace('_', ' ')
            yield Text(name, source.count('\n', 0, found.start()) + 1, 'name', text)
    if name.endswith('.in'):
        yield from _comment_texts(name, source, '//')
    else:
        yield from _comment_texts(name, documented, '///')
    if name.endswith('.h'):
        first = itertools.takewhile(lambda line: re.match(r'// (?!Component:)', line),
                                    source.splitlines())
        for line, text in enumerate(first, 1):
            yield Text(name, line, 'comment', re.sub(r'^// (?:Layering: )?', '', text))


def _includes_of(root, name):
    path = next((base / name for base in (root / 'include', root / 'src')
                 if (base / name).is_file()), None)
    included = cpp.includes(path.read_text(encoding='utf-8')) if path else []
    return {each for each in included if each.startswith('eider/')}


@cache
def documented_headers(root):
    """Returns {header: whether the reference has all of its names}; for the other headers, the
    reference has only types that pages mention.

    The reference has all names of public headers, and of headers that these include directly.
    """
    wings = layers.read_wings(root / 'src/eider')
    public = {f'eider/{name}' for name in layers.public_headers(wings)}
    whole = public.union(*(_includes_of(root, name) for name in public))
    known, todo = set(whole), [*whole]
    while todo:
        new = {name for name in _includes_of(root, todo.pop()) if '/testkit/' not in name} - known
        known |= new
        todo += new
    return {name: name in whole for name in known}


@cache
def names_in_pages(root):
    """Returns the words in code blocks and inline code of all pages."""
    pages = [(root / name).read_text(encoding='utf-8') for name in wording.pages_of(root)]
    return {word for page in pages for code in re.findall(r'```.*?```|`[^`\n]+`', page, re.S)
            for word in re.findall(r'[A-Za-z_]\w*', code)}


def types_named(source, names):
    """Replaces all except types with these names by empty lines."""
    lines, shown = source.split('\n'), set()
    for each in cpp.classes(source):
        if each.owner == each.name and each.name in names:
            first = each.first_line - 1
            while first and lines[first - 1].startswith('///'):
                first -= 1
            shown.update(range(first, each.last_line))
    return '\n'.join(line if at in shown else '' for at, line in enumerate(lines))


def texts_of_file(root, name):
    """Returns the texts of one file, by its path relative to the repository."""
    source = (root / name).read_text(encoding='utf-8')
    if name.endswith('.md.in'):
        found = [Text(name, block.line, 'page', block.text) for block in wording.blocks_of(source)]
    elif _MARKUP.search(name):
        found = [Text(name, line, 'markup', text) for line, text in markup_of(source)]
    elif _SCRIPT.search(name):
        found = [Text(name, line, 'message', text) for line, text in script_literals_of(source)
                 if is_for_users(text)]
    elif _COMMENTED.search(name):
        found = _comment_texts(name, source, '#')
    elif _is_python(name, source):
        found = [Text(name, line + offset, 'message', text)
                 for line, literal in python_literals_of(source) if is_for_users(literal)
                 for offset, text in paragraphs_of(literal.splitlines())]
    else:
        is_whole = documented_headers(root).get(re.sub(r'^(?:src|include)/', '', name))
        documented = '' if is_whole is None else without_private(source)
        if is_whole is False:
            documented = types_named(documented, names_in_pages(root))
        found = _source_texts(name, source, documented)
    return sorted(found, key=lambda text: text.line)


def _is_python(name, start):
    return name.endswith('.py') or '.' not in name.rpartition('/')[2] and \
        start.startswith('#!/usr/bin/env python3')


def _programs_of(root):
    """Yields the programs in Python and their modules."""
    for path in (path for folder in PROGRAMS for path in (root / folder).rglob('*')):
        name = path.relative_to(root).as_posix()
        if '.' in path.name.removesuffix('.py') or _NO_PROGRAM.search(name) or not path.is_file():
            continue
        with open(path, 'rb') as file:
            if _is_python(name, file.read(40).decode(errors='replace')):
                yield name


def files_of(root):
    """Returns the files that have texts, as paths relative to the repository."""
    names = (path.relative_to(root).as_posix()
             for folder in FOLDERS for path in (root / folder).rglob('*') if path.is_file())
    named = (name for name in names
             if (any(kind.search(name) for kind in (_SOURCE, _MARKUP, _SCRIPT, _COMMENTED))
                 or name.endswith('.md.in'))
             and not _INTERNAL.search(name))
    return sorted({*named, *_programs_of(root)})


def page_of(name, found):
    """Returns texts as a page, for the rules."""
    return wording.Page(name, '', [
        wording.Block(text.line, 'text', wording.plain(text.text)) for text in found])


def faults_of(page, found):
    """Returns [(line, rule, text)] of violations of the rules in the texts of a file."""
    starts = ((text, _BAD_START.match(text.text)) for text in found if text.kind == 'summary')
    return sorted([*wording.language_faults(page),
                   *((line, 'markers', f'"{word}": an unusual word; use the ordinary one')
                     for line, word in page.markers),
                   *((text.line, 'start', f'a documentation comment begins with "{start[0]}": '
                      'begin with a verb or a noun') for text, start in starts if start)])


def check(root, names=None):
    """Returns {file: [error]} of the files that violate rules without an exception in
    docs/lint.toml."""
    settings = wording.Settings.read(root)
    faults = {}
    for name in files_of(root) if names is None else names:
        texts = texts_of_file(root, name)
        page = page_of(name, texts)
        faults[page] = faults_of(page, texts)
    found = wording.allowed_faults(faults, settings, root)
    return {name: [f'{name}:{line}: {text}' for line, text in faults]
            for name, faults in found.items() if faults}


def figures_of(root):
    """Returns {kind: (texts, words, words per sentence, unusual words per 1,000)}, and the sum as
    'total'."""
    found = [text for name in files_of(root) for text in texts_of_file(root, name)]
    kinds = {kind: [text for text in found if text.kind == kind] for kind in KINDS}
    figures = {}
    for kind, texts in [*kinds.items(), ('total', found)]:
        page = page_of(kind, texts)
        words, _, average, markers = wording.figures_of(page)
        figures[kind] = len(texts), words, average, markers
    return figures


def main():
    """Prints `file:line: text`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('file', nargs='*', help='print only the texts of these files')
    parser.add_argument('--kind', choices=KINDS,
                        help='print only texts of this kind')
    parser.add_argument('--figures', action='store_true',
                        help='print how many texts there are, and how well they can be read')
    options = parser.parse_args()
    if options.figures:
        print(f'{"texts":>7} {"words":>7} {"per sentence":>13} {"unusual/1,000":>14}  kind')
        for kind, (texts, words, average, markers) in figures_of(wording.ROOT).items():
            print(f'{texts:7} {words:7} {average:13.1f} {markers:14.2f}  {kind}')
        return
    for name in options.file or files_of(wording.ROOT):
        for text in texts_of_file(wording.ROOT, name):
            if options.kind in (None, text.kind):
                print(f'{text.file}:{text.line}: {text.text}')


if __name__ == '__main__':
    sys.exit(main())

"""Reads C++ far enough to find functions and includes.

Must not replace a compiler: it relies on the layout of clang-format.
"""

import functools
import re
from dataclasses import dataclass

_TOKENS = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.DOTALL | re.MULTILINE)
_PREFIX = re.compile(r'\s*(?:(?:public|private|protected)\s*:(?!:)|\[\[[^\]]*\]\]|alignas\([^)]*\)'
                     r'|(?:inline|static|constexpr|consteval|friend|export|typedef)\b)')
_CLASS = re.compile(r'\s*(?:class|struct|union)\s+(?:alignas\([^)]*\)\s*)?([\w:]+)')
_SCOPE = re.compile(r'\s*(?:namespace|class|struct|union|enum|extern)\b')
_INITIALISERS = re.compile(r'\)\s*(?:noexcept\s*(?:\(\))?\s*)?:(?!:)')
_REQUIRES = re.compile(r'\brequires\s*(?:\(\s*\))?\s*$')
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)


@dataclass(frozen=True)
class Function:
    """The definition of a function, from its first line to the line of its last brace.

    `owner` is the name of its class, or '' without one; a class has its own name as owner.
    """
    name: str
    first_line: int
    last_line: int
    owner: str = ''

    @property
    def lines(self):
        """The number of its lines."""
        return self.last_line - self.first_line + 1


def includes(text):
    """Returns the names between the quotes or brackets of every #include."""
    return _INCLUDE.findall(text)


def tokens(text):
    """Yields the matches of comments, literals and directives, in order."""
    return _TOKENS.finditer(text)


@functools.cache
def blanked(text):
    """Replaces comments, literals and directives by spaces: every offset and line stays."""
    return _TOKENS.sub(lambda found: re.sub(r'[^\n]', ' ', found[0]), text)


@functools.cache
def functions(text):
    """Returns every function at namespace or class scope; lambdas belong to the enclosing
    function."""
    return _Finder(blanked(text)).find()


@functools.cache
def classes(text):
    """Returns every class at namespace or class scope, as a Function with itself as the owner."""
    finder = _Finder(blanked(text))
    finder.find()
    return finder.classes


def _without_nested(text):
    """Removes everything in parentheses, and a leading template<…>."""
    kept, depth = [], 0
    for char in text:
        if char == ')':
            depth -= 1
        if depth == 0:
            kept.append(char)
        if char == '(':
            depth += 1
    flat = ''.join(kept)
    while True:
        flat, changed = _without_prefix(flat)
        if not changed:
            return flat


def _without_prefix(flat):
    prefix = _PREFIX.match(flat)
    if prefix:
        return flat[prefix.end():], True
    template = re.match(r'\s*template\s*<', flat)
    if not template:
        return flat, False
    depth, at = 1, template.end()
    while at < len(flat) and depth:
        if flat[at] == '<':
            depth += 1
        elif flat[at] == '>' and flat[at - 1] != '-':
            depth -= 1
        at += 1
    return flat[at:], True


def kind_of(head):
    """Returns the kind of the brace after `head`: 'scope', 'function' or 'other' (an
    initializer)."""
    flat = _without_nested(head)
    inner = None
    while inner != flat:  # members that a constructor initializes with braces
        inner, flat = flat, re.sub(r'\{[^{}]*\}', '"', flat)
    if _SCOPE.match(flat):
        return 'other' if '=' in flat else 'scope'
    if _REQUIRES.search(flat):
        return 'other'
    plain = re.sub(r'operator\s*[^\s\w(]+', 'operator', flat)
    if '=' in plain or ')' not in plain:
        return 'other'
    if _INITIALISERS.search(plain) and re.search(r'[\w>]\s*$', plain):
        return 'other'
    return 'function'


def name_of(head):
    """Returns the name in the head of a function."""
    flat = _without_nested(head)
    found = re.search(r'(operator\s*[^\s(]*|~?[\w:~]+(?:<[^()]*>)?)\s*\(', flat)
    return found[1] if found else flat.strip()[:40]


class _Finder:
    """Visits all braces once."""

    def __init__(self, text):
        self.text = text
        self.found = []
        self.classes = []
        self.open = []  # (kind, start of the head, class)
        self.start = 0
        self.parentheses = 0
        self.nested = 0  # braces within the innermost function or initializer

    def find(self):
        """Returns all functions, in order."""
        for mark in re.finditer(r'[{}();]', self.text):
            self._step(mark[0], mark.start())
        return self.found

    def _in_scope(self):
        return not self.open or self.open[-1][0] == 'scope'

    def _step(self, char, at):
        if not self._in_scope():
            self._inside(char, at)
        elif char in '()':
            self.parentheses += 1 if char == '(' else -1
        elif char == '{':
            self._opens(at)
        elif char == '}':
            if self.open:
                self._close(at)
            self.start = at + 1
        elif self.parentheses == 0:
            self.start = at + 1

    def _opens(self, at):
        head = self.text[self.start:at]
        kind = 'other' if self.parentheses else kind_of(head)
        named = _CLASS.match(_without_nested(head)) if kind == 'scope' else None
        self.open.append((kind, self.start, named[1] if named else ''))
        self.nested = 0
        if kind == 'scope':
            self.start = at + 1

    def _inside(self, char, at):
        if char == '{':
            self.nested += 1
        elif char == '}' and self.nested:
            self.nested -= 1
        elif char == '}':
            kind, start, _ = self.open.pop()
            if kind == 'function':
                self._add(start, at)
                self.start = at + 1

    def _owner(self):
        return '::'.join(name for _, _, name in self.open if name)

    def _close(self, end):
        owner = self._owner()
        _, start, name = self.open.pop()
        if name:
            head = self.text[start:end]
            first = start + len(head) - len(head.lstrip())
            self.classes.append(Function(name, self._line(first), self._line(end), owner))

    def _add(self, start, end):
        head = self.text[start:end]
        prefix = re.match(r'\s*(?:(?:public|private|protected)\s*:(?!:)\s*)*', head)
        first = start + prefix.end()
        body = self.text.find('{', first)
        name = name_of(self.text[first:body])
        owner = '::'.join(part for part in (self._owner(), *name.split('::')[:-1]) if part)
        self.found.append(Function(name, self._line(first), self._line(end), owner))

    def _line(self, at):
        return self.text.count('\n', 0, at) + 1

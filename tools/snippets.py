"""Creates one C++ source from the snippets of a page, so that a compiler can check them.

Must not run a compiler. Blocks that name a file are skipped: docs_test.py compares them.

Each block becomes a namespace within that of the previous block, so that later blocks can use and
replace declarations of earlier ones. Statements outside of functions become the body of a function.
Names that a page uses without a declaration (`app`, `own.page_size`, `struct Note`) are declared by
tests/docs/*.h, in the namespace of the page: `docs::html_forms_page`.
"""

import re
from dataclasses import dataclass

import cpp

_BLOCK = re.compile(r'^( *)```cpp *\n(.*?)^ *```$', re.DOTALL | re.MULTILINE)
_DECLARES = re.compile(r'\s*(?:struct|class|enum|using|template|inline|constexpr|static|namespace'
                       r'|union|extern|const [\w:]+ k[A-Z])')
_PARAMETER = r'[\w:<>,\s]*[\w>]\s*[&*]*\s+[&*]*\w+'
_PROTOTYPE = re.compile(r'\s*[\w:<>,&*\s]+\s[&*]*\w+\((?:' + _PARAMETER + r')?\)(?: const)?;\s*$')
_CONTROL = re.compile(r'\s*(?:if|for|while|switch|do|try|else|catch|return|co_return|co_await)\b')
_MAKES = r'(?:[>&*\]]|(?<!\w)(?!return\b)\w+)\s+[&*]*'  # before the name of a variable
_CAPTURES = re.compile(r'(?<![\w\])])\[([^\[\]]*)\](?=\s*[({])')

# Page and first line of the blocks that are not compiled; this list may only get shorter.
NOT_COMPILED = {
    # Code that `eider openapi client` generates from a document.
    ('docs/guides/apis/generated-cpp-client.md', '#include "notes_client.h"'),
    ('docs/guides/apis/generated-cpp-client.md', 'auto ticks = co_await client.ticks();'),
}


@dataclass(frozen=True)
class Block:
    """A snippet: the line of its page on which its code begins, and the code."""
    line: int
    code: str

    @property
    def first_line(self):
        """Identifies the block on its page: its first line, without the comment."""
        return re.split(r' *(?://|\n)', self.code, maxsplit=1)[0]


@dataclass(frozen=True)
class Item:
    """A declaration or a statement of a block: its first line within the block, and its text."""
    line: int
    text: str


def blocks_of(text):
    """Returns the page's C++ blocks that name no file."""
    return [Block(text.count('\n', 0, found.start(2)) + 1, found[2])
            for found in _BLOCK.finditer(text)]


def namespace_of(page):
    """docs/migrate/from-crow.md: from_crow_page; docs/tutorial/01-hello.md: step_01_hello_page"""
    name = re.sub(r'\W', '_', page.stem.lower())
    return f'step_{name}_page' if name[0].isdigit() else f'{name}_page'


def without_dots(code):
    """Replaces placeholders for the reader by code that compiles: a line with `…` by nothing, a
    body `{ … }` by an empty one, and others by an expression that converts to all types. Strings
    and comments stay."""
    code = re.sub(r'^ *(?://)? *…\n', '\n', code, flags=re.MULTILINE)
    plain = cpp.blanked(code)
    parts, at = [], 0
    for dots in re.finditer(r'(?<=\{) … (?=\})|…', plain):
        parts += [code[at:dots.start()], '' if len(dots[0]) > 1 else 'LeftOut()']
        at = dots.end()
    return ''.join(parts) + code[at:]


def items_of(code):
    """Returns the declarations and statements of a block, in order, without its #include lines."""
    code = re.sub(r'^#[^\n]*', '', code, flags=re.MULTILINE)
    plain = cpp.blanked(code)
    start = depth = 0
    for mark in re.finditer(r'[{}();]', plain):
        depth += {'{': 1, '(': 1, '}': -1, ')': -1, ';': 0}[mark[0]]
        if depth == 0 and (mark[0] == ';' or mark[0] == '}' and _ends_at(plain, mark.end())):
            yield from _item(code, plain, start, mark.end())
            start = mark.end()
    yield from _item(code, plain, start, len(code))


def _ends_at(plain, at):
    """Returns whether an item ends at this brace."""
    return not re.match(r'\s*(?:[;,.)(?:\]]|->|else\b|catch\b)', plain[at:])


def _item(code, plain, start, end):
    text = plain[start:end]
    if text.strip():
        start += len(text) - len(text.lstrip())
        yield Item(code.count('\n', 0, start), code[start:end])


def is_declared(item):
    """Returns whether it belongs outside of functions."""
    plain = cpp.blanked(item.text)
    if _CONTROL.match(plain):
        return False
    head = plain.partition('{')[0]
    return bool(_DECLARES.match(plain) or _PROTOTYPE.match(plain)
                or '{' in plain and head.count('(') == head.count(')')
                and cpp.kind_of(head) == 'function')


def without_lambdas(plain):
    """Replaces the bodies of lambdas in the text by spaces."""
    at = 0
    while found := _CAPTURES.search(plain, at):
        body = plain.find('{', found.end())
        end = _closing(plain, body)
        if body < 0 or end < 0:
            return plain
        plain = plain[:body] + re.sub(r'[^\n]', ' ', plain[body:end]) + plain[end:]
        at = end
    return plain


def _closing(plain, at):
    """Returns the position after the brace that closes the one at `at`; -1 if there is none."""
    depth = 0
    for i in range(at, len(plain)):
        depth += (plain[i] == '{') - (plain[i] == '}')
        if depth == 0:
            return i + 1
    return -1


def _result_of(plain):
    """Returns the type of a function with these statements."""
    own = without_lambdas(plain)
    result = 'Anything' if re.search(r'\b(?:co_)?return\s+[^;\s]', own) else 'void'
    if not re.search(r'\bco_(?:await|return)\b', own):
        return result
    return 'eider::Task<>' if result == 'void' else f'eider::Task<{result}>'


def _captured(plain):
    """Returns the names that lambdas capture and no statement declares."""
    names = {part.strip().lstrip('&') for found in _CAPTURES.finditer(plain)
             for part in found[1].split(',')}
    return sorted(name for name in names if re.fullmatch(r'[a-z]\w*', name) and name != 'this'
                  and not re.search(_MAKES + name + r'\s*[=({;,):]', plain))


def _function(statements, page, name):
    plain = cpp.blanked('\n'.join(item.text for item in statements))
    result = _result_of(plain)
    lines = [f'[[maybe_unused]] {result} statements() {{']
    # A lambda cannot capture a variable of a namespace.
    lines += [f'#line {statements[0].line} "{name}"']
    lines += [f'auto& {captured} = docs::{namespace_of(page)}::{captured};'
              for captured in _captured(plain)]
    for item in statements:
        lines += [f'#line {item.line} "{name}"', item.text]
    if 'Anything' in result:
        lines += ['co_return LeftOut();' if 'Task' in result else 'return LeftOut();']
    return [*lines, '}']


def _lines_of(page, name):
    """Returns the lines of a source with the snippets of the page."""
    around = ['docs', namespace_of(page)]
    opened = ' '.join(f'namespace {part} {{' for part in around)
    lines = [f'{opened} using namespace common; }}}}']
    for block in compiled_blocks_of(page, name):
        around.append(f'line_{block.line}')
        opened = ' '.join(f'namespace {part} {{' for part in around)
        closed = '}' * len(around)
        lines += [opened, closed]
        items = [Item(block.line + item.line, item.text)
                 for item in items_of(without_dots(block.code))]
        for item in items:
            if is_declared(item):
                # Specializations of Eider's templates must be at global scope.
                is_global = item.text.lstrip().startswith('template <>')
                lines += [*_used(around)] if is_global else [opened]
                lines += [f'#line {item.line} "{name}"', item.text, '' if is_global else closed]
        statements = [item for item in items if not is_declared(item)]
        if statements:
            lines += [opened, *_function(statements, page, name), closed]
    return lines


def _used(around):
    return [f'using namespace {"::".join(around[:depth])};'
            for depth in range(2, len(around) + 1)]


def sources_of(root, shares):
    """Returns the texts of sources with all snippets, whose errors name the lines of the pages.

    root    the repository
    shares  the number of sources
    """
    shared = [[] for _ in range(shares)]
    alone = []
    for page in pages_of(root):
        lines = _lines_of(page, page.relative_to(root).as_posix())
        # Specializations are visible to all later code, so these pages get their own source.
        if any(line.startswith('using namespace docs') for line in lines):
            alone.append(lines)
        elif len(lines) > 1:
            min(shared, key=len).extend(lines)
    preludes = [f'#include "{prelude.relative_to(root)}"'
                for prelude in sorted((root / 'tests/docs').glob('*.h'))]
    return ['\n'.join([*preludes, *lines]) + '\n' for lines in [*shared, *alone]]


def pages_of(root):
    """Returns all pages that may have snippets."""
    return [root / 'README.md', *sorted(root.glob('docs/**/*.md'))]


def compiled_blocks(root):
    """Returns the compiled blocks, by the name of their page."""
    of_page = {name: compiled_blocks_of(page, name) for page in pages_of(root)
               for name in [page.relative_to(root).as_posix()]}
    return {name: blocks for name, blocks in of_page.items() if blocks}


def compiled_blocks_of(page, name):
    """Returns the compiled blocks of one page."""
    return [block for block in blocks_of(page.read_text())
            if (name, block.first_line) not in NOT_COMPILED]


def faults_of(output):
    """Returns the compiler's errors for each page. For an error within a header, the page is the
    first one in the notes after it."""
    faults = {}
    for said in re.split(r'^(?=\S+:\d+:\d+: (?:fatal )?error: )', output, flags=re.MULTILINE):
        page = re.search(r'^(\S+\.md):(\d+):', said, re.MULTILINE)
        error = said.partition('\n')[0]
        if page:
            at = '' if error.startswith(page[1]) else f'{page[1]}:{page[2]}: '
            faults.setdefault(page[1], []).append(at + error)
    return faults


def unknown_exceptions(root):
    """Returns the entries of NOT_COMPILED that no page contains."""
    found = {(page.relative_to(root).as_posix(), block.first_line)
             for page in pages_of(root) for block in blocks_of(page.read_text())}
    return sorted(NOT_COMPILED - found)

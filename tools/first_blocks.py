"""Makes C++ sources of the first programs of the pages, to compile each as a reader would paste it.

Layering: starts no compiler; tools/parts/pages.py does.
"""

import re
from dataclasses import dataclass
from pathlib import Path

COMMON = '#include <eider/eider.h>'  # parsed once for all programs that include it
_BLOCK = re.compile(r'^( *)```cpp *(\S*)\n(.*?)^ *```', re.S | re.M)
_PROGRAM = re.compile(r'\bint main\(|^TEST(?:_F)?\(', re.M)
_INCLUDE = re.compile(r'^(#include [<"][^>"]+[>"]).*$', re.M)


@dataclass(frozen=True)
class Program:
    """The first C++ block of a page: its code, and the line of the page on which it begins."""
    page: str
    line: int
    code: str

    @property
    def is_complete(self):
        """Whether it has a main function, or tests."""
        return bool(_PROGRAM.search(self.code))

    @property
    def includes(self):
        """Its include lines, without comments."""
        return sorted(set(_INCLUDE.findall(self.code)))

    @property
    def is_separate(self):
        """Whether it needs its own source, because parts of it must be at global scope."""
        return bool(re.search(r'template <>|^#(?!include|pragma)|^namespace eider', self.code,
                              re.M))

    @property
    def text(self):
        """The code, with a directive so that errors name the line of the page."""
        return f'#line {self.line} "{self.page}"\n{_INCLUDE.sub("", self.code)}\n'


def first_program(text, page=''):
    """The first C++ block of a page, or None."""
    found = _BLOCK.search(text)
    return found and Program(page, text.count('\n', 0, found.start(3)) + 1, found[3])


def programs_of(root, names):
    """The complete first programs of these pages."""
    programs = [first_program(Path(root, name).read_text(encoding='utf-8'), name) for name in names]
    return [program for program in programs if program and program.is_complete]


def sources_of(programs, known=()):
    """Returns [(pages, text)] to compile. Programs with the same includes share a source, in which
    each has its own namespace.

    known  include lines without effect, because COMMON includes these headers
    """
    groups = {}
    for program in programs:
        key = tuple(line for line in program.includes
                    if line not in known or COMMON not in program.includes)
        groups.setdefault((key, program.page if program.is_separate else ''), []).append(program)
    return [([program.page for program in group], _joined(group)) for group in groups.values()]


def _joined(group):
    lines = [*sorted({line for program in group for line in program.includes}), '']
    if len(group) == 1:
        return '\n'.join(lines) + group[0].text
    return '\n'.join(lines) + ''.join(
        f'namespace page_{number} {{\n{program.text}}}\n' for number, program in enumerate(group))

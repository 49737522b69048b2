"""Makes C++ sources of the first programs of the pages, to compile each as a reader would paste it.

Layering: starts no compiler; tools/parts/pages.py does.
"""

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r'^( *)```cpp *(\S*)\n(.*?)^ *```', re.S | re.M)
_PROGRAM = re.compile(r'\bint main\(|^TEST(?:_F)?\(', re.M)
_INCLUDE = re.compile(r'^#include [<"][^>"]+[>"].*$', re.M)


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
        """Its include lines, which programs of one source share."""
        return tuple(sorted(set(_INCLUDE.findall(self.code))))

    @property
    def is_separate(self):
        """Whether it needs a source of its own, since parts of it belong to the global scope."""
        return bool(re.search(r'template <>|^#(?!include|pragma)|^namespace eider', self.code,
                              re.M))

    @property
    def text(self):
        """The code, so that errors name the line of the page."""
        return f'#line {self.line} "{self.page}"\n{_INCLUDE.sub("", self.code)}\n'


def first_program(text, page=''):
    """The first C++ block of a page, or None."""
    found = _BLOCK.search(text)
    return found and Program(page, text.count('\n', 0, found.start(3)) + 1, found[3])


def programs_of(root, names):
    """The complete first programs of these pages."""
    programs = [first_program(Path(root, name).read_text(encoding='utf-8'), name) for name in names]
    return [program for program in programs if program and program.is_complete]


def sources_of(programs):
    """Sources to compile: programs with the same includes share one, each in its own namespace."""
    shared, alone = {}, []
    for program in programs:
        if program.is_separate:
            alone.append([program])
        else:
            shared.setdefault(program.includes, []).append(program)
    return [_joined(group) for group in [*shared.values(), *alone]]


def _joined(group):
    lines = [*group[0].includes, '']
    if len(group) == 1:
        return '\n'.join(lines) + group[0].text
    return '\n'.join(lines) + ''.join(
        f'namespace page_{number} {{\n{program.text}}}\n' for number, program in enumerate(group))

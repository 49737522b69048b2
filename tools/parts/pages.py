"""The checks of the documentation: its language, and the first program of each page.

Layering: changes no file.
"""

import re
import tempfile
from pathlib import Path

import first_blocks
import wording
from parts import commands
from parts.outcome import tail

COMPILER = 'clang++-19'
COMPILE_SECONDS_MAX = 120
_ERROR = re.compile(r'^(?=\S+:\d+:\d+: (?:fatal )?error: )', re.MULTILINE)


def check(outcome, root):
    """Every page follows the rules, or is listed as pending in docs/lint.toml."""
    names = wording.pages_of(root)
    faults = compile_faults(first_blocks.programs_of(root, names), root)
    if lost := faults.pop('', None):
        outcome.fail('the first programs', '\n'.join(lost))
    failed = wording.check(root, faults)
    for name in sorted({*names, *failed}):
        outcome.check(name, failed.get(name))


def compile_faults(programs, root):
    """{page: [error]} of programs that do not compile as pasted; '' for errors of no page."""
    flags = [COMPILER, '-std=c++23', '-DEIDER_VERSION=""', f'-I{root}/include', f'-I{root}/src',
             '-fno-caret-diagnostics', '-ferror-limit=0']
    with tempfile.TemporaryDirectory() as directory:
        header, compiled = Path(directory, 'first.h'), Path(directory, 'first.pch')
        header.write_text('#include <eider/eider.h>\n')
        made = commands.run([*flags, '-fpch-instantiate-templates', '-x', 'c++-header', header,
                             '-o', compiled], COMPILE_SECONDS_MAX, root)
        if not made.is_good:
            return {'': [tail(made.output)]}

        def compile_source(source):
            # A page that includes no header of Eider's must not get it from the compiled one.
            once = ['-include-pch', compiled] if '#include <eider/eider.h>' in source else []
            return commands.run([*flags, *once, '-fsyntax-only', '-x', 'c++', '-'],
                                COMPILE_SECONDS_MAX, root, text=source)
        ended = commands.each(compile_source, first_blocks.sources_of(programs))
    faults = {}
    for one in ended:
        for said in _ERROR.split(one.output):
            if _ERROR.match(said):
                page = re.search(r'^(\S+\.md):\d+:', said, re.MULTILINE)
                faults.setdefault(page[1] if page else '', []).append(said.partition('\n')[0])
    return faults

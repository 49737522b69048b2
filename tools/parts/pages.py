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
_COMMON = '#include <eider/eider.h>'  # read once for all programs that have it
_ERROR = re.compile(r'^(?=\S+:\d+:\d+: (?:fatal )?error: )', re.MULTILINE)


def check(outcome, root):
    """Every page follows the rules, or is listed as pending in docs/lint.toml."""
    names, settings = wording.pages_of(root), wording.Settings.read(root)
    compiled = [name for name in names if not settings.allows(name, 'main')]
    faults = compile_faults(first_blocks.programs_of(root, compiled), root)
    if lost := faults.pop('', None):
        outcome.fail('the first programs', '\n'.join(lost))
    failed = wording.check(root, faults)
    for name in sorted({*names, *failed}):
        outcome.check(name, failed.get(name))


def compile_faults(programs, root):
    """{page: [error]} of programs that do not compile as pasted; '' for errors of no page."""
    flags = [COMPILER, '-std=c++23', '-DEIDER_VERSION=""', f'-I{root}/include', f'-I{root}/src',
             '-fno-caret-diagnostics', '-ferror-limit=0']
    sources = first_blocks.sources_of(programs)
    with tempfile.TemporaryDirectory() as directory:
        header, compiled = Path(directory, 'first.h'), Path(directory, 'first.pch')
        header.write_text(f'{_COMMON}\n')
        if any(_COMMON in source for source in sources):
            made = commands.run([*flags, '-fpch-instantiate-templates', '-x', 'c++-header', header,
                                 '-o', compiled], COMPILE_SECONDS_MAX, root)
            if not made.is_good:
                return {'': [tail(made.output)]}

        def compile_source(source):
            # A program without this include must not get it from the precompiled header.
            once = ['-include-pch', compiled] if _COMMON in source else []
            return commands.run([*flags, *once, '-fsyntax-only', '-x', 'c++', '-'],
                                COMPILE_SECONDS_MAX, root, text=source)
        ended = commands.each(compile_source, sources)
    faults = {}
    for error in (each for one in ended for each in _ERROR.split(one.output)):
        if _ERROR.match(error):
            page = re.search(r'^(\S+\.md):\d+:', error, re.MULTILINE)
            faults.setdefault(page[1] if page else '', []).append(error.partition('\n')[0])
    return faults

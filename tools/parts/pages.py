"""Checks the language of the documentation and of texts in sources, and compiles first programs.

Layering: changes no file.
"""

import hashlib
import re
import shutil
import tempfile
from pathlib import Path

import first_blocks
import texts
import wording
from parts import commands

COMPILER = 'clang++-19'
COMPILE_SECONDS_MAX = 120
_ERROR = re.compile(r'^(?=\S+:\d+:\d+: (?:fatal )?error: |(?:fatal )?error: |the compiler )',
                    re.MULTILINE)


def check(outcome, root):
    """Checks that every page follows the rules; docs/lint.toml lists exceptions."""
    names = wording.pages_of(root)
    faults = compile_faults(first_blocks.programs_of(root, names), root)
    failed = wording.check(root, faults)
    if not shutil.which('hunspell'):
        outcome.skip('spelling', 'hunspell is not installed')
    for name in sorted({*names, *failed}):
        outcome.check(name, failed.get(name))
    outcome.check('the texts of sources',
                  [fault for faults in texts.check(root).values() for fault in faults])


def compile_faults(programs, root, memory=None):
    """Returns {page: [error]} for programs that do not compile as pasted.

    memory  a folder with a marker file per source without errors (default: build/first-programs)
    """
    flags = [COMPILER, '-std=c++23', '-DEIDER_VERSION=""', f'-I{root}/include', f'-I{root}/src',
             '-fno-caret-diagnostics', '-ferror-limit=0']
    compiler = _Compiler(flags, root, memory or root / 'build/first-programs')
    sources = first_blocks.sources_of(programs, compiler.known())
    faults = {}
    for pages, output in zip([pages for pages, _ in sources], compiler.outputs(sources)):
        for error in _ERROR.split(output):
            if _ERROR.match(error):
                found = re.search(r'^(\S+\.md):\d+:', error, re.MULTILINE)
                for page in [found[1]] if found else pages:
                    faults.setdefault(page, []).append(error.partition('\n')[0])
    return faults


class _Compiler:
    """Compiles sources, and remembers those without errors until a header changes."""

    def __init__(self, flags, root, memory):
        self.flags = flags
        self.root = root
        self.memory = memory
        digest = hashlib.sha256(repr(flags).encode())
        for path in sorted([*root.glob('include/**/*.h'), *root.glob('src/**/*.h')]):
            digest.update(path.read_bytes())
        self.digest = digest

    def known(self):
        """Returns the include lines of the standard headers that the common header includes."""
        listed = commands.run([*self.flags, '-M', '-x', 'c++', '-'], COMPILE_SECONDS_MAX, self.root,
                              text=f'{first_blocks.COMMON}\n').output
        return {f'#include <{name}>' for name in re.findall(r'/([a-z_]+)(?=[ \n])', listed)}

    def outputs(self, sources):
        """Returns the output of the compiler for each source, '' without errors."""
        marks = [self.memory / self._key(text) for _, text in sources]
        left = [text for mark, (_, text) in zip(marks, sources) if not mark.exists()]
        outputs = dict(zip(left, self._compiled(left)))
        self.memory.mkdir(parents=True, exist_ok=True)
        for mark, (_, text) in zip(marks, sources):
            if not outputs.get(text):
                mark.touch()
        for old in {*self.memory.iterdir()} - {*marks}:
            old.unlink()
        return [outputs.get(text, '') for _, text in sources]

    def _key(self, text):
        digest = self.digest.copy()
        digest.update(text.encode())
        return digest.hexdigest()

    def _compiled(self, texts):
        with tempfile.TemporaryDirectory() as directory:
            header, compiled = Path(directory, 'first.h'), Path(directory, 'first.pch')
            header.write_text(f'{first_blocks.COMMON}\n')
            if any(first_blocks.COMMON in text for text in texts):
                commands.run([*self.flags, '-fpch-instantiate-templates', '-x', 'c++-header',
                              header, '-o', compiled], COMPILE_SECONDS_MAX, self.root)

            def compile_source(text):
                # A program without this include must not get it from the precompiled header.
                once = ['-include-pch', compiled] if first_blocks.COMMON in text else []
                ended = commands.run([*self.flags, *once, '-fsyntax-only', '-x', 'c++', '-'],
                                     COMPILE_SECONDS_MAX, self.root, text=text)
                return '' if ended.is_good else ended.output or 'the compiler ended with an error'
            return commands.each(compile_source, texts)

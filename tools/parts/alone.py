"""Checks that every public header compiles alone: no other has to be included before it.

Must not let a header see code that it does not include: `bases_of` selects precompiled headers
for which this holds.
"""

import re
import tempfile
from pathlib import Path

from parts import commands
from parts.outcome import tail

COMPILER = 'clang++-19'
COMPILE_SECONDS_MAX = 120
# More precompiled headers cost more time than they save.
BASES_MAX = 8
# The time to start the compiler and read the standard library, as a number of Eider headers.
START = 12


class Headers:
    """The includes of the headers below a folder."""

    def __init__(self, folder, public):
        self.folder, self.public = folder, set(public)
        self._read, self._bases = {}, {}

    def read(self, name):
        """Returns the headers that a compiler reads for `name`, in order; `name` is the last."""
        if name not in self._read:
            self._read[name] = []  # for headers that include each other
            path = self.folder / name
            included = re.findall(r'^#include [<"](eider/[^>"]+)[>"]', path.read_text('utf-8'),
                                  re.MULTILINE) if path.exists() else []
            order = dict.fromkeys(each for one in included for each in self.read(one))
            self._read[name] = [*order, name]
        return self._read[name]

    def bases_of(self, name):
        """Returns the headers after which `name` compiles only if it compiles alone, the largest
        first.

        `name` includes each of them itself. Every header that it reads before such a base is read
        for the base too, or is public and therefore checked alone.
        """
        if name not in self._bases:
            order = self.read(name)[:-1]
            self._bases[name] = sorted(
                (base for at, base in enumerate(order) if base in self.public
                 and self.public.union(self.read(base)).issuperset(order[:at])),
                key=lambda base: len(self.read(base)), reverse=True)
        return self._bases[name]

    def base_of(self, name, bases):
        """Returns the base after which the fewest headers are left to read, or None."""
        return next((base for base in self.bases_of(name) if base in bases), None)

    def bases(self):
        """Returns the headers whose precompilation saves time."""
        chosen, saved_by_all = [], 0
        while len(chosen) < BASES_MAX:
            saved = {base: self._saved([*chosen, base]) for base in self.public.difference(chosen)}
            best = max(sorted(saved), key=saved.get, default=None)
            if best is None or saved[best] <= saved_by_all:
                break
            chosen.append(best)
            saved_by_all = saved[best]
        return chosen

    def _saved(self, bases):
        found = [self.base_of(name, bases) for name in self.public]
        return sum(START + len(self.read(base)) for base in found if base) - START * len(bases)


def check(outcome, root, public, flags):
    """Compiles each public header alone, included twice."""
    headers = Headers(root / 'src', public)
    bases = headers.bases()
    with tempfile.TemporaryDirectory() as directory:
        def compile_alone(name):
            base = headers.base_of(name, made)
            if name in bases:
                how = ['-fpch-instantiate-templates', '-x', 'c++-header', '-o', pch_of(name)]
            else:
                how = ['-fsyntax-only', *(['-include-pch', pch_of(base)] if base else [])]
            source = Path(directory) / (name.replace('/', '_') + '.cc')
            source.write_text(f'#include "{name}"\n#include "{name}"\n')
            return name, commands.run([COMPILER, *flags, *how, source], COMPILE_SECONDS_MAX, root)

        def pch_of(name):
            return Path(directory) / (name.replace('/', '_') + '.pch')
        made = []
        first = commands.each(compile_alone, bases)
        made += [name for name, ended in first if ended.is_good]
        rest = commands.each(compile_alone, [name for name in public if name not in bases])
        for name, ended in [*first, *rest]:
            outcome.check(f'{name} alone', [] if ended.is_good else [tail(ended.output, 20)])

"""Runs clang-tidy on the sources of the library, the command and the examples.

Must not change a file. Tests, benches and fuzzers are left out: they have their own checks.

For a small source, clang-tidy spends nine tenths of the time on the precompiled headers, which it
traverses for each source. So several sources with the same flags are checked as one. Examples
declare the same names, so each is in a namespace of its own there.
"""

import json
import re
from pathlib import Path

from parts import commands
from parts.outcome import tail

TIDY = 'clang-tidy-19'
FILE_SECONDS_MAX = 300
# Larger batches would leave one core working at the end.
TOGETHER_MAX = 8
# The name of a type, alias, constant or function that a line outside of all braces declares.
DECLARED = re.compile(r"""^(?!namespace\b|using\ namespace\b|return\b)(?=[A-Za-z])
    (?:template\ <[^;{]*?>\s*)?(?:
    (?:struct|class|enum\ class|enum|concept)\ (\w+)
    |using\ [^;=]*?(\w+)(?:\ =|;)
    |[\w:<>,*&\[\] ]+?[ *&](\w+)\s*[(=\[{;])""", re.MULTILINE | re.VERBOSE)
# What cannot be within a namespace: a header of the example, or a specialization of a template.
OUTSIDE_ONLY = re.compile(r'^(#include ".*\.h"|template <>)', re.MULTILINE)


def check_tidy(outcome, tree):
    """Checks that clang-tidy finds nothing. `tree` must be built with clang."""
    entries = [entry for entry in json.loads((tree.directory / 'compile_commands.json').read_text())
               if is_checked(Path(entry['file']), tree.root)]
    joined = tree.directory / 'tidy'
    joined.mkdir(exist_ok=True)
    names = Names(tree.root)
    batches = together(entries, names)
    (joined / 'compile_commands.json').write_text(json.dumps(
        [joint(joined / f'{number}.cc', batch, names)
         for number, batch in enumerate(batches)]))

    def tidy(directory, source):
        # clang-tidy treats included sources as headers.
        ours = f'--header-filter=^{re.escape(str(tree.root))}/(src/eider|cli|examples)/'
        return commands.run([TIDY, '--quiet', ours, '-p', directory, source], FILE_SECONDS_MAX,
                            tree.root)

    def faults_in(number):
        ended = tidy(joined, joined / f'{number}.cc')
        if 'clang-diagnostic-error' not in ended.output:
            return faults_of(ended)
        # They do not compile as one source: names conflict that DECLARED does not find.
        return [fault for entry in batches[number]
                for fault in faults_of(tidy(tree.directory, entry['file']))]
    for batch, faults in zip(batches, commands.each(faults_in, range(len(batches)))):
        outcome.check('tidy ' + ', '.join(Path(entry['file']).name for entry in batch), faults)


def together(entries, names):
    """Returns the sources in batches, each with the same flags and without conflicting names."""
    batches = []
    for entry in sorted(entries, key=lambda entry: entry['file']):
        flags = entry['command'].partition(' -o ')[0]
        own = set() if names.outer_includes(entry['file']) else names.own(entry['file'])
        seen = names.seen(entry['file'])
        for of_batch, taken, seen_there, batch in batches:
            if of_batch == flags and len(batch) < TOGETHER_MAX and not (
                    own & taken or own & (seen_there - seen) or taken & (seen - seen_there)):
                taken |= own
                seen_there |= seen
                batch.append(entry)
                break
        else:
            batches.append((flags, set(own), set(seen), [entry]))
    return [batch for *_, batch in batches]


class Names:
    """The names that sources below a folder declare outside of all braces."""

    def __init__(self, root):
        self.root = root
        self._files = {}

    def own(self, source):
        """Returns the names that a source declares, or the sources that it includes, without
        `main`."""
        return self._read(source)[0].union(
            *(self._read(path)[0] for path in self._read(source)[1] if path.suffix == '.cc')) - {
                'main', 'operator'}

    def outer_includes(self, source):
        """Returns the includes of an example that can be in a namespace, which must precede it;
        '' of any other source."""
        sources = [Path(source), *(path for path in self._read(source)[1] if path.suffix == '.cc')]
        texts = [path.read_text('utf-8') for path in sources]
        if f'{self.root}/examples/' not in str(sources[-1]) or any(map(OUTSIDE_ONLY.search, texts)):
            return ''
        return ''.join(re.findall(r'^#include <.*\n', ''.join(texts), re.MULTILINE))

    def seen(self, source):
        """Returns the names declared in all headers that the source includes."""
        found, left = {}, [Path(source)]
        while left:
            path = left.pop()
            if path not in found:
                found[path], included = self._read(path)
                left += included
        return set().union(*(names for path, names in found.items() if path.suffix == '.h'))

    def _read(self, path):
        """Returns the names that a file declares, and the files that it includes."""
        path = Path(path)
        if path not in self._files:
            text = path.read_text('utf-8')
            places = (path.parent, self.root / 'src', self.root / 'include', self.root)
            found = ([place / name for place in places if (place / name).is_file()][:1]
                     for name in re.findall(r'^#include [<"](\S+)[>"]', text, re.MULTILINE))
            self._files[path] = (
                {name for one in DECLARED.finditer(text) for name in one.groups() if name},
                [path for one in found for path in one])
        return self._files[path]


def joint(path, batch, names):
    """Writes a source to `path` that includes the sources of the batch; returns its compile
    command."""
    text = ''
    for number, entry in enumerate(batch):
        one = f'#define main main_{number}\n#include "{entry["file"]}"\n#undef main\n'
        includes = names.outer_includes(entry['file'])
        text += f'{includes}namespace batch_{number} {{\n{one}}}\n' if includes else one
    if not path.exists() or path.read_text('utf-8') != text:
        path.write_text(text, 'utf-8')
    command = batch[0]['command'].partition(' -o ')[0]
    return {'directory': batch[0]['directory'], 'command': f'{command} -c {path}',
            'file': str(path)}


def is_checked(path, root):
    """Returns whether the source is part of the library (mostly as a unity source), the command or
    an example."""
    where = path.relative_to(root).as_posix()
    united = re.search(r'(CMakeFiles/eider_|examples/.*CMakeFiles/)\w+\.dir/Unity/(\w+)', where)
    return (united is not None and '_generated_' not in united[2]
            or where.startswith(('src/', 'cli/', 'examples/'))
            and not where.endswith(('_test.cc', '_bench.cc', '_fuzz.cc')))


def faults_of(ended):
    """Returns the findings of clang-tidy, one line each."""
    if ended.is_good:
        return []
    found = re.findall(r'^\S+?([^/\s]+:\d+:\d+: (?:error|warning): .*)$', ended.output,
                       re.MULTILINE)
    return sorted(set(found)) or [tail(ended.output)]

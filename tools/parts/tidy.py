"""The library's and the examples' sources, held to .clang-tidy.

Must not change a file. Tests, benches and fuzzers are left out: they have their own checks.

Nine tenths of the time of a small source are spent on the precompiled headers, which clang-tidy
looks through for each source anew. So several sources with the same flags are checked as one.
"""

import json
import re
from pathlib import Path

from parts import commands
from parts.outcome import tail

TIDY = 'clang-tidy-19'
FILE_SECONDS_MAX = 300
# More would be left to one core at the end.
TOGETHER_MAX = 8
# The name that a line declares outside of all braces: of a type, an alias, a constant, a function.
DECLARED = re.compile(r"""^(?!namespace\b|using\ namespace\b|return\b)(?=[A-Za-z])
    (?:template\ <[^;{]*?>\s*)?(?:
    (?:struct|class|enum\ class|enum|concept)\ (\w+)
    |using\ [^;=]*?(\w+)(?:\ =|;)
    |[\w:<>,*&\[\] ]+?[ *&](\w+)\s*[(=\[{;])""", re.MULTILINE | re.VERBOSE)


def check_tidy(outcome, tree):
    """Nothing on the list of .clang-tidy is found. `tree`: built, by clang."""
    entries = [entry for entry in json.loads((tree.directory / 'compile_commands.json').read_text())
               if is_checked(Path(entry['file']), tree.root)]
    joined = tree.directory / 'tidy'
    joined.mkdir(exist_ok=True)
    batches = together(entries, tree.root)
    (joined / 'compile_commands.json').write_text(json.dumps(
        [joint(joined / f'{number}.cc', batch) for number, batch in enumerate(batches)]))

    def tidy(directory, source):
        # Sources that another one includes are headers to clang-tidy.
        ours = f'--header-filter=^{re.escape(str(tree.root))}/(src/eider|cli|examples)/'
        return commands.run([TIDY, '--quiet', ours, '-p', directory, source], FILE_SECONDS_MAX,
                            tree.root)

    def faults_in(number):
        ended = tidy(joined, joined / f'{number}.cc')
        if 'clang-diagnostic-error' not in ended.output:
            return faults_of(ended)
        # They cannot be compiled as one: names clash that DECLARED does not find.
        return [fault for entry in batches[number]
                for fault in faults_of(tidy(tree.directory, entry['file']))]
    for batch, faults in zip(batches, commands.each(faults_in, range(len(batches)))):
        outcome.check('tidy ' + ', '.join(Path(entry['file']).name for entry in batch), faults)


def together(entries, root):
    """The sources in batches, of which each has the same flags, and no name with two meanings."""
    names, batches = Names(root), []
    for entry in sorted(entries, key=lambda entry: entry['file']):
        flags = entry['command'].partition(' -o ')[0]
        own, seen = names.own(entry['file']), names.seen(entry['file'])
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
    """What the sources below a folder declare outside of all braces."""

    def __init__(self, root):
        self.root = root
        self._files = {}

    def own(self, source):
        """The names that a source declares, or those that it joins; each has a `main`."""
        return self._read(source)[0].union(
            *(self._read(path)[0] for path in self._read(source)[1] if path.suffix == '.cc')) - {
                'main', 'operator'}

    def seen(self, source):
        """The names that the headers declare which it includes."""
        found, left = {}, [Path(source)]
        while left:
            path = left.pop()
            if path not in found:
                found[path], included = self._read(path)
                left += included
        return set().union(*(names for path, names in found.items() if path.suffix == '.h'))

    def _read(self, path):
        """The names that a file declares, and the files that it includes."""
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


def joint(path, batch):
    """The entry of a source that is written there and includes those of the batch."""
    text = ''.join(f'#define main main_{number}\n#include "{entry["file"]}"\n#undef main\n'
                   for number, entry in enumerate(batch))
    if not path.exists() or path.read_text('utf-8') != text:
        path.write_text(text, 'utf-8')
    command = batch[0]['command'].partition(' -o ')[0]
    return {'directory': batch[0]['directory'], 'command': f'{command} -c {path}',
            'file': str(path)}


def is_checked(path, root):
    """Whether it is of the library (several of its sources in one, mostly) or of an example."""
    where = path.relative_to(root).as_posix()
    united = re.search(r'(CMakeFiles/eider_|examples/.*CMakeFiles/)\w+\.dir/Unity/(\w+)', where)
    return (united is not None and '_generated_' not in united[2]
            or where.startswith(('src/', 'cli/', 'examples/'))
            and not where.endswith(('_test.cc', '_bench.cc', '_fuzz.cc')))


def faults_of(ended):
    """What clang-tidy found, a line each."""
    if ended.is_good:
        return []
    found = re.findall(r'^\S+?([^/\s]+:\d+:\d+: (?:error|warning): .*)$', ended.output,
                       re.MULTILINE)
    return sorted(set(found)) or [tail(ended.output)]

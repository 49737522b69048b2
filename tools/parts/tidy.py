"""The library's and the examples' sources, held to .clang-tidy.

Must not change a file. Tests, benches and fuzzers are left out: they have their own checks.
"""

import re

import sizes
from parts import commands
from parts.outcome import tail

TIDY = 'clang-tidy-19'
FILE_SECONDS_MAX = 300


def check_tidy(outcome, tree):
    """Nothing on the list of .clang-tidy is found. `tree`: configured, for clang."""
    sources = [path for path in sizes.tracked_files(tree.root) if is_checked(path, tree.root)]

    def look_at(source):
        return commands.run([TIDY, '--quiet', '-p', tree.directory, source], FILE_SECONDS_MAX,
                            tree.root)
    for source, ended in zip(sources, commands.each(look_at, sources)):
        outcome.check(f'tidy {source.relative_to(tree.root)}', faults_of(ended))


def is_checked(path, root):
    """Whether the file is one of the library or of an example that everybody builds."""
    where = path.relative_to(root).as_posix()
    return (path.suffix == '.cc' and where.startswith(('src/', 'examples/'))
            and not where.endswith(('_test.cc', '_bench.cc', '_fuzz.cc'))
            and '/without_' not in where)


def faults_of(ended):
    """What clang-tidy found, a line each."""
    if ended.is_good:
        return []
    found = re.findall(r'^\S+?([^/\s]+:\d+:\d+: (?:error|warning): .*)$', ended.output,
                       re.MULTILINE)
    return sorted(set(found)) or [tail(ended.output)]

"""The library's and the examples' sources, held to .clang-tidy.

Must not change a file. Tests, benches and fuzzers are left out: they have their own checks.
"""

import json
import re
from pathlib import Path

from parts import commands
from parts.outcome import tail

TIDY = 'clang-tidy-19'
FILE_SECONDS_MAX = 300


def check_tidy(outcome, tree):
    """Nothing on the list of .clang-tidy is found. `tree`: built, by clang."""
    commands_of = json.loads((tree.directory / 'compile_commands.json').read_text())
    sources = sorted({entry['file'] for entry in commands_of
                      if is_checked(Path(entry['file']), tree.root)})

    def look_at(source):
        return commands.run([TIDY, '--quiet', '-p', tree.directory, source], FILE_SECONDS_MAX,
                            tree.root)
    for source, ended in zip(sources, commands.each(look_at, sources)):
        outcome.check(f'tidy {Path(source).name}', faults_of(ended))


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

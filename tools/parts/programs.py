"""The parts that run what was built: fuzzers, scripts against the programs, the installed package.

Must not run without a bound: each program is ended when its time is over.
"""

import re
import shutil
import tempfile
from pathlib import Path

from parts import commands
from parts.outcome import tail
from parts.statics import count_unittest
from parts.units import SANITIZERS

SCRIPT_SECONDS_MAX = 240
ENVIRONMENT_SECONDS_MAX = 300
FUZZ_RUNS = 300_000
FUZZ_SECONDS_MAX = 20
# They hold a latency against a bound, and would hear the others.
ALONE = ('greedy_test.py',)


def run_fuzzers(outcome, tree, fuzzers, seconds=None):
    """Each of the fuzzers over its corpus and beyond.

    Without `seconds` every run makes the same inputs, so that what fails fails for everybody: the
    comparisons that libFuzzer learns from, and the places in memory, are not the same twice. With
    them it looks for new ones for so long.
    """
    bounds = ([f'-max_total_time={seconds}'] if seconds else
              [f'-runs={FUZZ_RUNS}', '-seed=1', '-use_cmp=0',
               f'-max_total_time={FUZZ_SECONDS_MAX}'])
    prefix = [] if seconds else fixed_places()

    def fuzz(name):
        with tempfile.TemporaryDirectory() as grown:
            corpus = tree.root / 'tests/corpus' / name
            command = [*prefix, tree.bin / name, *bounds, '-timeout=10',
                       '-rss_limit_mb=2048', '-print_final_stats=1', f'-artifact_prefix={grown}/',
                       grown] + ([corpus] if corpus.is_dir() else [])
            seconds_max = (seconds or FUZZ_SECONDS_MAX) + 120
            ended = commands.run(command, seconds_max, tree.root, SANITIZERS)
            faults = [] if ended.is_good else [*_artifacts(Path(grown)),
                                               tail(without_progress(ended.output))]
            if not corpus.is_dir():
                faults.append(f'it has no seeds in tests/corpus/{name}')
            return name, faults
    for name, faults in commands.each(fuzz, fuzzers):
        outcome.check(name, faults)


def fixed_places():
    """What to put in front of a program so that its memory has the same places in each run."""
    fixed = ['setarch', '-R']
    return fixed if shutil.which('setarch') and commands.run([*fixed, 'true'], 10).is_good else []


def without_progress(output):
    """What a fuzzer said, without its lines on each new input and the words it learnt."""
    return '\n'.join(line for line in output.splitlines()
                     if not re.match(r'#\d+\t|\tNEW_FUNC|"\\', line))


def _artifacts(directory):
    """The inputs that made a fuzzer fail, as text that can be pasted."""
    return [f'{path.name}: {path.read_bytes()[:400]!r}'
            for path in sorted(directory.iterdir())
            if path.name.startswith(('crash-', 'timeout-', 'oom-', 'leak-'))]


def run_scripts(outcome, tree, only=''):
    """Every tests/integration/*_test.py against the programs of the tree, several at once."""
    def call(script):
        return script.name, commands.run(
            ['python3', script], SCRIPT_SECONDS_MAX, tree.root,
            {'EIDER_BIN': str(tree.bin), 'PYTHONDONTWRITEBYTECODE': '1'})
    scripts = [script for script in sorted((tree.root / 'tests/integration').glob('*_test.py'))
               if only in script.name]
    together = [script for script in scripts if script.name not in ALONE]
    for name, ended in commands.each(call, together):
        count_unittest(outcome, name, ended)
    for name, ended in map(call, [script for script in scripts if script.name in ALONE]):
        count_unittest(outcome, name, ended)


def headers_of_tests(prefix):
    """The installed headers that only tests can use: by their name, or by GoogleTest in them."""
    return [f'{path.relative_to(prefix)}: only tests use it; name it detail/test_*.h'
            for path in sorted(Path(prefix, 'include').rglob('*.h'))
            if path.parent.name == 'detail' and path.name.startswith('test_')
            or '<gtest/' in path.read_text(encoding='utf-8')]


def check_arena(outcome, root):
    """The arena's own tests, in the environment that it makes itself."""
    ended = commands.run([root / 'arena/run', 'list'], ENVIRONMENT_SECONDS_MAX, root)
    outcome.check('arena/run list', [] if ended.is_good else [tail(ended.output)])
    if ended.is_good:
        for script in sorted((root / 'arena/tests').glob('*_test.py')):
            ended = commands.run([root / 'arena/.venv/bin/python3', script], SCRIPT_SECONDS_MAX,
                                 root, {'PYTHONDONTWRITEBYTECODE': '1'})
            count_unittest(outcome, script.name, ended)


def check_installed(outcome, tree):
    """A project outside finds each component of the installed package, builds and runs."""
    with tempfile.TemporaryDirectory() as directory:
        prefix, outside = Path(directory) / 'prefix', Path(directory) / 'outside'
        shutil.copytree(tree.root / 'tests/install', outside)
        install = ['cmake', '--install', tree.directory, '--prefix', prefix]
        if not is_done(outcome, 'install', install, outside):
            return
        outcome.check('install without test headers', headers_of_tests(prefix))
        components = installed_components(prefix)
        outcome.check('every component has a program outside',
                      [f'tests/install/{name}.cc is missing' for name in components
                       if not (outside / f'{name}.cc').exists()])
        for name in components:
            check_component(outcome, name, outside, prefix)
        unknown = commands.run(configuring('nonsense', outside, prefix), 120, outside)
        outcome.check('an unknown component is named', [] if (
            not unknown.is_good and "no component 'nonsense'" in unknown.output)
            else [tail(unknown.output)])


def check_component(outcome, name, outside, prefix):
    """A program that asks for this component and nothing else, in a build of its own."""
    for what, command in (('configure', configuring(name, outside, prefix)),
                          ('build', ['cmake', '--build', outside / f'build-{name}']),
                          ('run', [outside / f'build-{name}/outside'])):
        if not is_done(outcome, f'{what} outside with {name}', command, outside):
            return


def configuring(component, outside, prefix):
    """How the project outside is configured for a component."""
    return ['cmake', '-S', outside, '-B', outside / f'build-{component}', '-G', 'Ninja',
            f'-DCMAKE_PREFIX_PATH={prefix}', '-DCMAKE_BUILD_TYPE=Release',
            f'-DCOMPONENT={component}']


def installed_components(prefix):
    """Their names, by the files of the package."""
    files = Path(prefix).glob('**/cmake/eider/eider-*.cmake')
    names = {path.stem.removeprefix('eider-').partition('-')[0] for path in files}
    return sorted(names - {'config'})


def is_done(outcome, name, command, directory):
    """Whether the command went well; tells the outcome when it did not."""
    ended = commands.run(command, 300, directory)
    outcome.check(name, [] if ended.is_good else [tail(ended.output)])
    return ended.is_good

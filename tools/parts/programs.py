"""The parts that run built programs: fuzzers, integration tests, users of the installed package.

Must not run without a time limit: each program is killed when its time is over.
"""

import contextlib
import itertools
import json
import re
import shutil
import tempfile
import time
from pathlib import Path

from parts import commands
from parts.build import AHEAD
from parts.outcome import Outcome, tail
from parts.statics import count_unittest
from parts.units import SANITIZERS

SCRIPT_SECONDS_MAX = 480
# Scripts that fail in parallel with others run once more, alone, unless more than this number
# fail. About this number run at once, so a machine that stalls does not fail more.
SCRIPTS_AGAIN_MAX = 8
# Scripts mostly wait: for deadlines and for other processes.
SCRIPTS_PER_CORE = 2
ENVIRONMENT_SECONDS_MAX = 300
# All fuzzers together take less than a minute on two cores; --fuzz-seconds runs them longer.
FUZZ_RUNS = 10_000
# CMake packages that only components other than the core need.
NOT_OF_CORE = ('CURL', 'OpenSSL', 'PkgConfig', 'SQLite3', 'ZLIB', 'fmt')
# Libraries of older distributions: the component, files that imitate the library, the environment
# variable with their directory, and the expected error message.
TOO_OLD = (
    ('http2', {'libnghttp2.pc': 'Name: libnghttp2\nDescription: old\nVersion: 1.43.0\n'},
     'PKG_CONFIG_PATH',
     'eider::http2 needs libnghttp2>=1.52. On Debian: apt install libnghttp2-dev'),
    ('client', {'libcares.pc': 'Name: c-ares\nDescription: old\nVersion: 1.17.1\n'},
     'PKG_CONFIG_PATH', 'eider::net needs libcares>=1.18. On Debian: apt install libc-ares-dev'),
    ('tls', {'include/openssl/opensslv.h': '#define OPENSSL_VERSION_NUMBER 0x1010111fL\n',
             'include/openssl/ssl.h': ''},
     'OPENSSL_ROOT_DIR', 'eider::tls needs OpenSSL 3.0. On Debian: apt install libssl-dev'),
)
# Compiles a program for each component of the installed package. Debian 13 adds g++ 14.
COMPILER = 'clang++-19'
FUZZ_SECONDS_MAX = 5
# These compare a latency with a limit, or count thousands of connections. Programs that run at the
# same time would change the results.
ALONE = ('greedy_test.py', 'drain_test.py')
# These produce load for seconds, so they run in sequence: two at once would starve other tests.
LOADS = ('overload_test.py', 'restarts_test.py', 'upgrade_test.py', 'workers_test.py')


def run_fuzzers(outcome, tree, fuzzers, seconds=None):
    """Runs each fuzzer with its corpus and with generated inputs.

    Without `seconds`, every run generates the same inputs, so failures are reproducible. For this,
    the use of comparisons (-use_cmp) and random addresses are off: they differ between runs. With
    `seconds`, each fuzzer looks for new inputs for this time.
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
    """Returns a command prefix with which a program has the same addresses in each run."""
    fixed = ['setarch', '-R']
    return fixed if shutil.which('setarch') and commands.run([*fixed, 'true'], 10).is_good else []


def without_progress(output):
    """Returns the output of a fuzzer without the lines about new inputs and dictionary words."""
    return '\n'.join(line for line in output.splitlines()
                     if not re.match(r'#\d+\t|\tNEW_FUNC|"\\', line))


def _artifacts(directory):
    """Returns the inputs that made a fuzzer fail, as text to paste."""
    return [f'{path.name}: {path.read_bytes()[:400]!r}'
            for path in sorted(directory.iterdir())
            if path.name.startswith(('crash-', 'timeout-', 'oom-', 'leak-'))]


def run_scripts(outcome, tree, only=()):
    """Runs tests/integration/*_test.py with the programs of the tree.

    only  names of scripts (default: all)
    """
    took = {}  # script: seconds of its first run

    def call(script):
        begin = time.monotonic()
        ended = commands.run(
            ['python3', *telling(script)], SCRIPT_SECONDS_MAX, tree.root,
            {'EIDER_BIN': str(tree.bin), 'PYTHONDONTWRITEBYTECODE': '1'})
        took.setdefault(script, time.monotonic() - begin)
        return ended

    def call_in_time(script):
        try:
            return call(script)
        except commands.OutOfTime:
            return None  # the results of the other scripts count
    scripts = [script for script in sorted((tree.root / 'tests/integration').glob('*_test.py'))
               if not only or script.name in only]
    groups = [[script for script in scripts if script.name in LOADS],
              *([script] for script in scripts if script.name not in LOADS + ALONE)]
    together = commands.each(lambda group: [(script, call_in_time(script)) for script in group],
                             groups, SCRIPTS_PER_CORE)
    called = [*itertools.chain(*together),
              *((script, call_in_time(script)) for script in scripts if script.name in ALONE)]
    first = [(script, ended) for script, ended in called if ended is not None]
    slowest = sorted(took, key=took.get, reverse=True)[:8]
    if slowest:
        outcome.notes.append('slowest: ' + ', '.join(f'{one.name} {took[one]:.0f} s'
                                                     for one in slowest))
    failed = sum(not ended.is_good for _, ended in first)
    if failed:
        AHEAD.stop()
    is_time_over = len(first) < len(called)
    for script, ended in first:
        again = None
        if not ended.is_good and failed <= SCRIPTS_AGAIN_MAX and not is_time_over:
            try:
                again = call(script)
            except commands.OutOfTime:
                is_time_over = True
        count_script(outcome, script.name, ended, again)
    if is_time_over:
        raise commands.OutOfTime


def count_script(outcome, name, ended, again=None):
    """Adds the results of a script; `again` is the result of its second run, alone, or None."""
    first, second = Outcome(), Outcome()
    count_unittest(first, name, ended)
    if again is not None:
        count_unittest(second, name, again)
    # If the second run skipped the failed tests, they have not passed.
    if again is not None and again.is_good and len(second.skipped) <= len(first.skipped):
        outcome.add(second)
        outcome.unsteady += first.failures
    else:
        outcome.add(first)


def telling(script):
    """Returns the script, with -v if it uses unittest, so that it prints the reasons of skips."""
    return [script, '-v'] if 'unittest.main()' in script.read_text() else [script]


def headers_of_tests(prefix):
    """Returns an error for each installed header that includes GoogleTest: only Eider's own tests
    can use it."""
    return [f'{path.relative_to(prefix)}: only tests use it; no public header may reach it'
            for path in sorted(Path(prefix, 'include').rglob('*.h'))
            if '<gtest/' in path.read_text(encoding='utf-8')]


def check_arena(outcome, root):
    """Runs the arena's own tests, in the Python environment that `arena/run` creates."""
    ended = commands.run([root / 'arena/run', 'list'], ENVIRONMENT_SECONDS_MAX, root)
    outcome.check('arena/run list', [] if ended.is_good else [tail(ended.output)])
    if ended.is_good:
        for script in sorted((root / 'arena/tests').glob('*_test.py')):
            ended = commands.run([root / 'arena/.venv/bin/python3', *telling(script)],
                                 SCRIPT_SECONDS_MAX, root, {'PYTHONDONTWRITEBYTECODE': '1'})
            count_unittest(outcome, script.name, ended)


@contextlib.contextmanager
def installed(outcome, tree):
    """Installs the tree and yields (a project outside, the prefix), or None if that fails."""
    with tempfile.TemporaryDirectory() as directory:
        prefix, outside = Path(directory) / 'prefix', Path(directory) / 'outside'
        shutil.copytree(tree.root / 'tests/install', outside)
        install = ['cmake', '--install', tree.directory, '--prefix', prefix]
        yield (outside, prefix) if is_done(outcome, 'install', install, outside) else None


def check_builds(outcome, outside, prefix, builds, flags=''):
    """Builds and runs the project outside for each (component, compiler, build type)."""
    for made in commands.each(lambda build: check_build(outside, prefix, *build, flags), builds):
        outcome.add(made)


def check_installed(outcome, tree):
    """Checks that a project outside finds each component of the installed package, builds and
    runs."""
    with installed(outcome, tree) as places:
        if not places:
            return
        outside, prefix = places
        outcome.check('install without test headers', headers_of_tests(prefix))
        components = installed_components(prefix)
        outcome.check('every component has a program outside',
                      [f'tests/install/{name}.cc is missing' for name in components
                       if not (outside / f'{name}.cc').exists()])
        first = [('core', COMPILER, 'Release'), *(('testing', COMPILER, kind)
                                                  for kind in ('Release', 'Debug'))]
        check_builds(outcome, outside, prefix, first)
        builds = [(name, COMPILER, 'Release') for name in components]
        check_builds(outcome, outside, prefix, [build for build in builds if build not in first],
                     including_precompiled(outside, prefix))
        outcome.check('the license is installed', [] if list(prefix.glob('share/doc/*/LICENSE'))
                      else ['share/doc/eider/LICENSE is missing'])
        check_added(outcome, outside, tree.root)
        without = configuring(outside, prefix, 'core', kind='MinSizeRel')
        if is_done(outcome, 'configure without hardening', [*without, '-DEIDER_HARDENING=OFF'],
                   outside):
            outcome.check('hardening can be left out', hardening_faults(
                directory_of(outside, 'core', COMPILER, 'MinSizeRel'), False))
        for compiler in ('g++', COMPILER):
            outcome.check(f'what is said of {compiler}',
                          old_compiler_faults(outside, prefix, compiler))
        for faults in commands.each(lambda old: refusal_of(outside, prefix, *old), TOO_OLD):
            outcome.check('a library that is too old is named', faults)
        unknown = commands.run(configuring(outside, prefix, 'nonsense'), 120, outside)
        outcome.check('an unknown component is named', [] if (
            not unknown.is_good and "Unknown component 'nonsense'" in unknown.output)
            else [tail(unknown.output)])


def including_precompiled(outside, prefix):
    """Returns the flags that make other programs use a precompiled eider.h, built with the flags
    of the core's program; '' if that program is not built. Parsing eider.h as text takes most of
    the time of each program."""
    commands_file = directory_of(outside, 'core', COMPILER, 'Release') / 'compile_commands.json'
    if not commands_file.exists():
        return ''
    command, = [step['command'] for step in json.loads(commands_file.read_text(encoding='utf-8'))]
    flags = command.partition(' -o ')[0].split()
    made = outside / 'eider.pch'
    ended = commands.run([*flags, '-x', 'c++-header', prefix / 'include/eider/eider.h', '-o', made],
                         120, outside)
    return f'-O3 -DNDEBUG -include-pch {made}' if ended.is_good else ''


def check_build(outside, prefix, component, compiler, kind, flags=''):
    """Returns the outcome of building and running a program that uses only this component."""
    outcome = Outcome()
    built = directory_of(outside, component, compiler, kind)
    for what, command in (
            ('configure', [*configuring(outside, prefix, component, compiler, kind),
                           *([f'-DCMAKE_CXX_FLAGS_RELEASE={flags}'] if flags else ())]),
            ('build', ['cmake', '--build', built]),
            ('run', [built / 'outside'])):
        if not is_done(outcome, f'{what} outside with {component}, {compiler}, {kind}', command,
                       outside):
            return outcome
    outcome.check(f'hardening outside with {component}, {compiler}, {kind}',
                  hardening_faults(built, kind == 'Release'))
    return outcome


def hardening_faults(built, is_hardened):
    """Returns the errors in the compile commands of the project's own files in that build."""
    own = ' '.join(step['command'] for step in steps_of_project(built))
    return [f'{flag} is {"missing" if is_hardened else "there"}: {own}'
            for flag in ('-D_FORTIFY_SOURCE=3', '-fstack-protector-strong', '-D_GLIBCXX_ASSERTIONS')
            if (flag in own) != is_hardened]


def steps_of_project(built):
    """Returns the compile commands of the project's own files, without Eider's (unity builds
    place these in the build directory)."""
    steps = json.loads((built / 'compile_commands.json').read_text(encoding='utf-8'))
    return [step for step in steps if '/src/eider/' not in step['file']
            and not Path(step['file']).is_relative_to(built)]


def directory_of(outside, component, compiler, kind):
    """Returns the build directory of the project outside."""
    return outside / f'build-{component}-{compiler}-{kind}'


def configuring(outside, prefix, component, compiler=COMPILER, kind='Release'):
    """Returns the command that configures the project outside for a component."""
    return ['cmake', '-S', outside, '-B', directory_of(outside, component, compiler, kind),
            '-G', 'Ninja', f'-DCMAKE_PREFIX_PATH={prefix}', f'-DCMAKE_CXX_COMPILER={compiler}',
            f'-DCMAKE_BUILD_TYPE={kind}', f'-DCOMPONENT={component}']


def check_added(outcome, outside, root):
    """Checks a project that adds Eider with add_subdirectory and uses only the core.

    It needs only the libraries of the core, and Eider's warning options do not apply to it.
    """
    built = outside / 'build-added'
    if not is_done(outcome, 'configure with add_subdirectory', [
            'cmake', '-S', outside / 'added', '-B', built, '-G', 'Ninja', f'-DEIDER={root}',
            f'-DCMAKE_CXX_COMPILER={COMPILER}', '-DCMAKE_BUILD_TYPE=Release',
            *(f'-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON' for name in NOT_OF_CORE)], outside):
        return
    steps = json.loads((built / 'compile_commands.json').read_text(encoding='utf-8'))
    own = steps_of_project(built)
    outcome.check('the project is hardened, too', hardening_faults(built, True))
    outcome.check('what is added compiles with a compiler that warns of more',
                  [step['command'] for step in steps if '-Werror' in step['command']])
    outcome.check('no warning option reaches the project',
                  [step['command'] for step in own if ' -W' in step['command']] if own
                  else ['no file of its own'])


def refusal_of(outside, prefix, component, files, variable, said):
    """Returns the errors if the package does not reject a library below the minimum version."""
    with tempfile.TemporaryDirectory() as old:
        for name, text in files.items():
            path = Path(old, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding='utf-8')
        ended = commands.run(configuring(outside, prefix, component, kind='Old'), 120, outside,
                             {variable: old})
    told = ' '.join(ended.output.split())
    return [] if not ended.is_good and said in told else [tail(ended.output)]


def old_compiler_faults(outside, prefix, compiler):
    """Returns the errors if the message about coroutines is not as expected: g++ before 13 is
    rejected with one, other compilers are accepted without it."""
    ended = commands.run(configuring(outside, prefix, 'core', compiler, 'Warned'), 120, outside)
    version = commands.run([compiler, '-dumpversion'], 10).output
    is_broken = compiler == 'g++' and int(version.split('.')[0]) < 13
    said = [line for line in ended.output.splitlines() if 'co_await' in line]
    is_right = [bool(re.search('miscompiles co_await expressions: install clang 19', line))
                for line in said] == [True] * is_broken
    return [] if ended.is_good != is_broken and is_right else [tail(ended.output)]


def installed_components(prefix):
    """Returns the names of the installed components, from the files of the package."""
    files = Path(prefix).glob('**/cmake/eider/eider-*.cmake')
    names = {path.stem.removeprefix('eider-').partition('-')[0] for path in files}
    return sorted(names - {'config'})


def is_done(outcome, name, command, directory):
    """Runs the command as a check of the outcome and returns whether it succeeded."""
    ended = commands.run(command, 300, directory)
    outcome.check(name, [] if ended.is_good else [tail(ended.output)])
    return ended.is_good

"""The checks that need no build: layers, sizes, layout, headers that compile alone, misuse.

Must not change a file: what is wrong is said.
"""

import re
import tempfile
from pathlib import Path

import layers
import sizes
import snippets
from parts import commands
from parts.outcome import tail

COMPILE_SECONDS_MAX = 120
FLAGS = ['-std=c++23', '-Wall', '-Wextra', '-Wconversion', '-Wshadow', '-Werror']
# What may be left to the reader: what he does with a value, and all that stands behind a `…`.
SNIPPETS_MAY = ['-Wno-unused', '-Wno-unused-parameter', '-Wno-unused-result', '-Wno-return-type',
                '-Wno-switch', '-Wno-shadow', '-Wno-undefined-internal']
SNIPPET_COMPILER = 'clang++-19'
FORMATTER = 'clang-format-19'
CLANG = 'clang++-19'


def check_layers(outcome, root):
    """Every include looks down."""
    outcome.check('includes', layers.check(root))


def check_sizes(outcome, root):
    """Files, functions and lines keep to the style."""
    outcome.check('sizes', sizes.check(root))


def check_format(outcome, root):
    """clang-format would change nothing."""
    files = [path for path in sizes.tracked_files(root)
             if path.suffix in ('.h', '.cc') and path.parent.name != 'must_not_compile']
    if not files:
        return
    ended = commands.run([FORMATTER, '--dry-run', '-Werror', *files], 300, root)
    names = sorted(set(re.findall(r'^(\S+?):\d+:\d+: error', ended.output, re.MULTILINE)))
    faults = [f'{Path(name).relative_to(root)}: run {FORMATTER} -i' for name in names]
    outcome.check('layout', faults or ([] if ended.is_good else [tail(ended.output)]))


def check_tools(outcome, root):
    """The checkers' own tests."""
    tests = sorted((root / 'tools').glob('*_test.py'))
    for test in tests:
        count_unittest(outcome, test.name, commands.run(['python3', test, '-v'], 60, root))


def count_unittest(outcome, name, ended):
    """Adds what a program said that is made with unittest, or that prints "ok: …" per fact."""
    facts = re.findall(r'^ok: ', ended.output, re.MULTILINE)
    if facts and ended.is_good:
        outcome.ok(len(facts))
        return
    ran = re.search(r'^Ran (\d+) tests?', ended.output, re.MULTILINE)
    # One case may fail in several ways: each is told.
    failed = re.findall(r'^((?:FAIL|ERROR): (\S+).*?)(?=^={20}|^Ran |\Z)', ended.output,
                        re.MULTILINE | re.DOTALL)
    failed = [(case, details) for details, case in failed]
    if not ran or (not ended.is_good and not failed):
        outcome.fail(name, tail(ended.output) or 'it prints neither "ok: …" nor what unittest says')
        return
    skipped = re.findall(r"^(\w+) \([\w.]+\)(?:\n.*)? \.\.\. skipped ['\"](.*)['\"]$", ended.output,
                         re.MULTILINE)
    outcome.ok(max(0, int(ran[1]) - len(failed) - len(skipped)))
    for case, why in skipped:
        outcome.skip(f'{name}: {case}', why)
    for case, details in failed:
        outcome.fail(f'{name}: {case}', tail(details))


def _public_headers(root):
    """What applications include, as they write it."""
    rules = layers.read_rules((root / 'layers.txt').read_text())
    names = [path.relative_to(root / 'src').as_posix()
             for path in sorted((root / 'src').rglob('*.h'))]
    return [name for name in names
            if layers.sight_of(name.removeprefix('eider/'), rules) == 'public']


def _for_public_headers(root):
    """Flags for sources that include any of them, and libraries that no compiler finds itself."""
    elsewhere = commands.run(['pkg-config', '--cflags-only-I', 'libpq', 'libmariadb'],
                             10).output.split()
    return ['-DEIDER_VERSION=""', f'-I{root}/src', *elsewhere]


def check_alone(outcome, root):
    """Every header that applications include compiles alone: none has to stand before it."""
    flags = [*FLAGS, *_for_public_headers(root)]
    with tempfile.TemporaryDirectory() as directory:
        def compile_alone(name):
            source = Path(directory) / (name.replace('/', '_') + '.cc')
            source.write_text(f'#include "{name}"\n#include "{name}"\n')
            return name, commands.run(['g++', *flags, '-fsyntax-only', source],
                                      COMPILE_SECONDS_MAX, root)
        for name, ended in commands.each(compile_alone, _public_headers(root)):
            outcome.check(f'{name} alone', [] if ended.is_good else [tail(ended.output, 20)])


def check_snippets(outcome, root):
    """Every block of C++ in a page compiles, against what its page takes for granted."""
    flags = [SNIPPET_COMPILER, *FLAGS, *SNIPPETS_MAY, *_for_public_headers(root), f'-I{root}',
             '-ferror-limit=0', '-fno-caret-diagnostics']
    with tempfile.TemporaryDirectory() as directory:
        headers = Path(directory) / 'public.h'
        headers.write_text(''.join(
            f'#include <{name}>\n'
            for name in [*_public_headers(root), 'gtest/gtest.h', 'iostream']))
        compiled = headers.with_suffix('.pch')
        made = commands.run([*flags, '-fpch-instantiate-templates', '-x', 'c++-header', headers,
                             '-o', compiled], COMPILE_SECONDS_MAX, root)
        if not made.is_good:
            outcome.fail('the headers of the snippets', tail(made.output))
            return

        def compile_source(source):
            path = Path(tempfile.mkstemp('.cc', dir=directory)[1])
            path.write_text(source)
            return commands.run([*flags, '-fsyntax-only', '-include-pch', compiled, path],
                                COMPILE_SECONDS_MAX, root)
        ended = commands.each(compile_source, snippets.sources_of(root, commands.JOBS))
    faults = snippets.faults_of(''.join(one.output for one in ended))
    if not faults and not all(one.is_good for one in ended):
        outcome.fail('snippets', tail(''.join(one.output for one in ended)))
    for name, blocks in snippets.compiled_blocks(root).items():
        outcome.check(f'{name}: {len(blocks)} snippets', faults.get(name))


def check_misuse(outcome, root):
    """Every case of misuse is refused as it expects, and compiles once it is fixed."""
    cases = sorted((root / 'tests/must_not_compile').glob('*.cc'))
    with tempfile.TemporaryDirectory() as directory:
        compiler = ['g++', *FLAGS, f'-I{directory}', f'-I{root}/src']
        # The compiler looks for the precompiled header in each folder before the header itself.
        compiled = Path(directory) / 'eider/eider.h.gch'
        compiled.parent.mkdir()
        commands.run([*compiler, '-w', '-x', 'c++-header', root / 'src/eider/eider.h',
                      '-o', compiled], COMPILE_SECONDS_MAX, root)
        for name, faults in commands.each(lambda case: _misuse_faults(case, compiler, root), cases):
            outcome.check(f'must_not_compile/{name}', faults)


def _misuse_faults(case, compiler, root):
    lines = case.read_text().splitlines()
    expected = lines[0].removeprefix('// expect: ')
    if expected == lines[0] or not expected.strip():
        return case.name, ['the first line must be "// expect: <what the compiler says>"']
    command = [*compiler, '-fsyntax-only', case]
    refused = commands.run(command, COMPILE_SECONDS_MAX, root)
    fixed = commands.run([*command, '-DFIXED'], COMPILE_SECONDS_MAX, root)
    faults = []
    if refused.status == 0:
        faults.append('it compiles')
    elif expected not in refused.output:
        faults.append(f'the compiler does not say "{expected}":\n' + tail(refused.output, 20))
    if not fixed.is_good:
        faults.append('with -DFIXED it must compile:\n' + tail(fixed.output, 20))
    of_clang = lines[1].removeprefix('// clang: ')
    if of_clang != lines[1]:
        told = commands.run([CLANG, *FLAGS, f'-I{root}/src', '-fsyntax-only', case],
                            COMPILE_SECONDS_MAX, root).output
        # The statement is the last line of such a case.
        place = f'{case.name}:{len(lines)}:'
        faults += [f'{compiler_name} does not say "{part}":\n' + tail(output, 20)
                   for compiler_name, part, output in [(CLANG, of_clang, told),
                                                       (CLANG, place, told),
                                                       ('g++', place, refused.output)]
                   if part not in output]
    return case.name, faults

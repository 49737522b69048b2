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
# Of a case of misuse that clang finds only with a newer library than that of g++ 12.
NOT_REPORTED = 'not reported'


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
    return [f'eider/{name}'
            for name in layers.public_headers(layers.read_wings(root / 'src/eider'))]


def _for_public_headers(root):
    """Flags for sources that include any of them, and libraries that no compiler finds itself."""
    elsewhere = commands.run(['pkg-config', '--cflags-only-I', 'libpq', 'libmariadb'],
                             10).output.split()
    return ['-DEIDER_VERSION=""', f'-I{root}/include', f'-I{root}/src',
            *elsewhere]


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


def check_misuse(outcome, root, compiler):
    """Every case of misuse is refused as it expects, in a function and in a lambda, and compiles
    once it is fixed."""
    cases = sorted((root / 'tests/must_not_compile').glob('*.cc'))
    with tempfile.TemporaryDirectory() as directory:
        flags = [compiler, *FLAGS, f'-I{root}/include', f'-I{root}/src']
        header = root / 'include/eider/eider.h'
        if compiler == CLANG:
            compiled = Path(directory) / 'eider.h.pch'
            use = ['-include-pch', compiled]
        else:
            # g++ looks for the precompiled header in each folder before the header itself.
            compiled = Path(directory) / 'eider/eider.h.gch'
            compiled.parent.mkdir()
            flags[1:1] = ['-fno-immediate-escalation', f'-I{directory}']
            use = []
        commands.run([*flags, '-w', '-x', 'c++-header', header, '-o', compiled],
                     COMPILE_SECONDS_MAX, root)
        told = commands.each(lambda case: _misuse_faults(case, [*flags, *use], root), cases)
        for name, faults in told:
            outcome.check(f'must_not_compile/{name}', faults)


def _misuse_faults(case, compiler, root):
    text = case.read_text()
    lines = text.splitlines()
    expected = lines[0].removeprefix('// expect: ')
    if expected == lines[0] or not expected.strip():
        return case.name, ['the first line must be "// expect: <what the compiler says>"']
    # The statement is the last line of a case that has a message of clang's.
    parts = [expected]
    if lines[1].startswith('// clang: '):
        of_clang = lines[1].removeprefix('// clang: ')
        parts = [of_clang if compiler[0] == CLANG else expected, f'{case.name}:{len(lines)}:']
    faults = []

    def expect(form, source):
        refused = commands.run([*compiler, '-fsyntax-only', f'-I{case.parent}', '-x', 'c++', '-'],
                               COMPILE_SECONDS_MAX, root, text=f'#line 1 "{case}"\n{source}')
        if refused.status == 0:
            faults.append(f'{form}: it compiles')
        faults.extend(f'{form}: {compiler[0]} does not say "{part}":\n' + tail(refused.output, 20)
                      for part in parts if refused.status != 0 and part not in refused.output)

    if NOT_REPORTED not in parts:
        expect('in a function', text)
        in_lambda = misuse_in_lambda(text)
        if in_lambda is not None:
            expect('in a lambda', in_lambda)
    fixed = commands.run([*compiler, '-fsyntax-only', case, '-DFIXED'], COMPILE_SECONDS_MAX, root)
    if not fixed.is_good:
        faults.append('with -DFIXED it must compile:\n' + tail(fixed.output, 20))
    return case.name, faults


def misuse_in_lambda(text):
    """The case with its last function as a lambda, which is taken the address of; None if it has no
    function. Lines stay where they are."""
    lines = text.splitlines()
    for index in range(len(lines) - 1, -1, -1):
        begin = re.match(r'((?:\w|::|<.*?>)+) (\w+)(\(.*\)) \{', lines[index])
        if begin:
            break
    else:
        return None
    end = next((at for at in range(index, len(lines))
                if lines[at] == '}' or (at == index and lines[at].endswith('}'))), None)
    if end is None:
        return None
    returned, name, parameters = begin.groups()
    result = '' if returned == 'auto' else f' -> {returned}'
    rest = lines[index][begin.end():]
    lines[index] = f'inline const auto {name} = []{parameters}{result} {{{rest}'
    lines[end] += f'; [[maybe_unused]] const auto call_of_{name} = &decltype({name})::operator();'
    return '\n'.join(lines) + '\n'

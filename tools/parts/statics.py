"""The checks that need no build: layers, sizes, layout, headers that compile alone, misuse.

Must not change a file: errors are only reported.
"""

import re
import tempfile
from pathlib import Path

import layers
import sizes
import snippets
from parts import alone, commands
from parts.outcome import tail

COMPILE_SECONDS_MAX = 120
FLAGS = ['-std=c++23', '-Wall', '-Wextra', '-Wconversion', '-Wshadow', '-Werror']
# A snippet may leave values unused and replace code by `…`.
SNIPPETS_MAY = ['-Wno-unused', '-Wno-unused-parameter', '-Wno-unused-result', '-Wno-return-type',
                '-Wno-switch', '-Wno-shadow', '-Wno-undefined-internal']
SNIPPET_COMPILER = 'clang++-19'
FORMATTER = 'clang-format-19'
CLANG = 'clang++-19'
# The `clang:` line of a case that clang reports only with a newer library than Debian 12's.
NOT_REPORTED = 'not reported'
# Cases per source: together they read the precompiled header once.
TOGETHER = 16
FORMS = ('in a function', 'in a lambda')
ALL_ERRORS = {CLANG: ['-ferror-limit=0']}  # g++ has no limit by default


def check_layers(outcome, root):
    """Checks that every include refers to the same or a lower layer."""
    outcome.check('includes', layers.check(root))


def check_sizes(outcome, root):
    """Checks the sizes of files, functions and lines."""
    outcome.check('sizes', sizes.check(root))
    outcome.notes += sizes.questions(root)


def check_format(outcome, root):
    """Checks that clang-format would change nothing."""
    files = [path for path in sizes.tracked_files(root)
             if path.suffix in ('.h', '.cc') and path.parent.name != 'must_not_compile']
    if not files:
        return
    ended = commands.run([FORMATTER, '--dry-run', '-Werror', *files], 300, root)
    names = sorted(set(re.findall(r'^(\S+?):\d+:\d+: error', ended.output, re.MULTILINE)))
    faults = [f'{Path(name).relative_to(root)}: run {FORMATTER} -i' for name in names]
    outcome.check('layout', faults or ([] if ended.is_good else [tail(ended.output)]))


def check_tools(outcome, root):
    """Runs the tests of the checkers in tools/."""
    tests = sorted((root / 'tools').glob('*_test.py'))
    for test in tests:
        count_unittest(outcome, test.name, commands.run(['python3', test, '-v'], 60, root))


def count_unittest(outcome, name, ended):
    """Adds the results of a program that uses unittest, or that prints "ok: …" per fact."""
    facts = re.findall(r'^ok: ', ended.output, re.MULTILINE)
    if facts and ended.is_good:
        outcome.ok(len(facts))
        return
    ran = re.search(r'^Ran (\d+) tests?', ended.output, re.MULTILINE)
    # One case can fail several times: report each failure.
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
    """Returns the public headers, as applications write them in an include."""
    return [f'eider/{name}'
            for name in layers.public_headers(layers.read_wings(root / 'src/eider'))]


def _for_public_headers(root):
    """Returns the flags for sources that include public headers, with the include directories of
    libraries outside the default paths."""
    elsewhere = commands.run(['pkg-config', '--cflags-only-I', 'libpq', 'libmariadb'],
                             10).output.split()
    return ['-DEIDER_VERSION=""', f'-I{root}/include', f'-I{root}/src',
            *elsewhere]


def check_alone(outcome, root):
    """Checks that every public header compiles alone: no other has to be included before it."""
    alone.check(outcome, root, _public_headers(root), [*FLAGS, *_for_public_headers(root)])


def check_snippets(outcome, root):
    """Checks that every block of C++ in a page compiles with the declarations that the page
    assumes."""
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
    """Checks that the compiler rejects every case of misuse with the expected message, in a
    function and in a lambda, and accepts it once it is fixed. The sources of tests/must_compile
    must compile."""
    cases = sorted((root / 'tests/must_not_compile').glob('*.cc'))
    flags = [compiler, *FLAGS, f'-I{root}/include', f'-I{root}/src']
    for case in sorted((root / 'tests/must_compile').glob('*.cc')):
        ended = commands.run([*flags, '-fsyntax-only', case], COMPILE_SECONDS_MAX, root)
        outcome.check(f'must_compile/{case.name}',
                      [] if ended.is_good else [tail(ended.output, 20)])
    if compiler != CLANG:
        flags.insert(1, '-fno-immediate-escalation')
    with tempfile.TemporaryDirectory() as directory:
        groups = _by_defines(cases)
        texts = [_header_of(group, compiler) for group in groups]
        made = dict(commands.each(lambda text: _precompiled(text, flags, Path(directory), root),
                                  sorted(set(texts))))
        headers = [(made[text], group) for text, group in zip(texts, groups)]
        checks = [(case, [*flags, '-include', header]) for header, group in headers
                  for case in group]
        is_fixed = _fixed_together(headers, flags, root)
        reported = _reported_together(headers, flags, root)
        told = commands.each(lambda check: _misuse_faults(*check, is_fixed, reported, root), checks)
        for name, faults in told:
            outcome.check(f'must_not_compile/{name}', faults)


def _by_defines(cases):
    """Returns the cases in groups that can share a precompiled header: those of a group define the
    same macros before they include a header."""
    groups = {}
    for case in cases:
        groups.setdefault('\n'.join(_lines_of(r'#define EIDER_', case)), []).append(case)
    return list(groups.values())


def _lines_of(pattern, case):
    return [line for line in case.read_text().splitlines() if re.match(pattern, line)]


def _header_of(group, compiler):
    """Returns the source of the precompiled header for a group of cases. g++ reads the whole
    precompiled header for each case, so a larger one would cost more time than it saves."""
    if compiler != CLANG:
        return '#include <eider/eider.h>\n'
    includes = {line for case in group for line in _lines_of('#include <eider/', case)}
    return '\n'.join([*_lines_of(r'#define EIDER_', group[0]), *sorted(includes), ''])


def _precompiled(text, flags, directory, root):
    """Returns (text, the precompiled header with this text)."""
    header = Path(tempfile.mkstemp('.h', dir=directory)[1])
    header.write_text(text)
    # Templates that all cases use take half of the time of each: instantiate them in the header.
    ending, once = (('.pch', ['-fpch-instantiate-templates']) if flags[0] == CLANG
                    else ('.gch', []))
    commands.run([*flags, '-w', *once, '-x', 'c++-header', header, '-o', f'{header}{ending}'],
                 COMPILE_SECONDS_MAX, root)
    return text, header


def _in_namespace(name, case, text):
    """Returns the case as a part of a larger source, or None if it specializes a template of
    Eider."""
    if 'template <>' in text:
        return None
    own = re.sub(r'^#(?:include|define EIDER_)', '//', text, flags=re.MULTILINE)
    return f'namespace {name} {{\n#line 1 "{case}"\n{own}\n}}\n'


def _joined(case_texts):
    """Returns one source with the parts, each (case, text), after all their includes."""
    above = {line for case, _ in case_texts
             for line in _lines_of('#include |#define EIDER_', case)}
    return '\n'.join([*sorted(above), *(text for _, text in case_texts)])  # defines come first


def _fixed_together(headers, flags, root):
    """Returns the cases that compile once they are fixed. Several are compiled together; if one of
    a group fails, the caller checks each of its cases alone."""
    def compile_group(group_of):
        header, group = group_of
        ended = commands.run([*flags, '-include', header, '-fsyntax-only', '-DFIXED', '-x', 'c++',
                              '-'], COMPILE_SECONDS_MAX, root, text=_joined(group))
        return [case for case, _ in group] if ended.is_good else []
    groups = []
    for header, cases in headers:
        parts = [(case, _in_namespace(f'case_{number}', case, case.read_text()))
                 for number, case in enumerate(cases)]
        parts = [part for part in parts if part[1] is not None]
        groups += [(header, parts[at:at + TOGETHER]) for at in range(0, len(parts), TOGETHER)]
    return {case for done in commands.each(compile_group, groups) for case in done}


def _reported_together(headers, flags, root):
    """Returns the forms, each (case, form), that the compiler rejects as expected when it compiles
    several as one source. It reports some errors only once: the caller checks the others alone."""
    def compile_group(group_of):
        header, group = group_of
        output = commands.run([*flags, *ALL_ERRORS.get(flags[0], ()), '-include', header,
                               '-fsyntax-only', '-x', 'c++', '-'], COMPILE_SECONDS_MAX, root,
                              text=_joined([(case, text) for case, _, text in group])).output
        # clang prints the context of an error after it, g++ before it.
        errors = re.split(r'^(?=\S.*: (?:fatal )?error: )' if flags[0] == CLANG else
                          r'^(?=In file included from|\S.*: (?:In|At) )', output,
                          flags=re.MULTILINE)
        said = {(case, form): ''.join(error for error in errors if f'{form}/{case.name}' in error)
                for case, form, _ in group}
        return [(case, form) for (case, form), text in said.items()
                if all(part in text for part in _expected(case, flags[0]))]
    groups = []
    for header, cases in headers:
        for form in FORMS:  # both forms of a case may cause the same error
            parts = [(case, form, _in_namespace(f'case_{number}', f'{form}/{case.name}', source))
                     for number, case in enumerate(cases)
                     for name, source in _forms(case).items() if name == form]
            parts = [part for part in parts if part[2] is not None]
            groups += [(header, parts[at:at + TOGETHER]) for at in range(0, len(parts), TOGETHER)]
    return {one for done in commands.each(compile_group, groups) for one in done}


def _forms(case):
    """Returns the sources of a case by their names: its function, and the same as a lambda."""
    text = case.read_text()
    forms = dict(zip(FORMS, (text, misuse_in_lambda(text))))
    return {form: source for form, source in forms.items() if source is not None}


def _expected(case, compiler):
    """Returns the texts that the compiler must report, or none if the first line has no text."""
    lines = case.read_text().splitlines()
    expected = lines[0].removeprefix('// expect: ')
    if expected == lines[0] or not expected.strip():
        return []
    # In a case with its own message for clang, the error is in the last line.
    if lines[1].startswith('// clang: '):
        of_clang = lines[1].removeprefix('// clang: ')
        return [of_clang if compiler == CLANG else expected, f'{case.name}:{len(lines)}:']
    return [expected]


def _misuse_faults(case, compiler, is_fixed, reported, root):
    parts = _expected(case, compiler[0])
    if not parts:
        return case.name, ['the first line must be "// expect: <what the compiler says>"']
    faults = []
    for form, source in _forms(case).items():
        if (case, form) in reported or NOT_REPORTED in parts:
            continue
        refused = commands.run([*compiler, '-fsyntax-only', f'-I{case.parent}', '-x', 'c++', '-'],
                               COMPILE_SECONDS_MAX, root, text=f'#line 1 "{case}"\n{source}')
        if refused.status == 0:
            faults.append(f'{form}: it compiles')
        faults.extend(f'{form}: {compiler[0]} does not say "{part}":\n' + tail(refused.output, 20)
                      for part in parts if refused.status != 0 and part not in refused.output)
    if case not in is_fixed:
        fixed = commands.run([*compiler, '-fsyntax-only', case, '-DFIXED'], COMPILE_SECONDS_MAX,
                             root)
        if not fixed.is_good:
            faults.append('with -DFIXED it must compile:\n' + tail(fixed.output, 20))
    return case.name, faults


def misuse_in_lambda(text):
    """Returns the case with its last function changed to a lambda whose address is taken, or None
    if it has no function. Line numbers do not change."""
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

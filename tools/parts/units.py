"""Runs the unit tests of a build tree through ctest and counts every one of them.

Must not count a missing report as success: a program that crashed is a failure.
"""

import json
import re
import tempfile
from collections import defaultdict
from pathlib import Path

from parts import commands
from parts.build import AHEAD
from parts.outcome import tail

CTEST_SECONDS_MAX = 1500
# Tests that fail in parallel with others run once more, alone. If more than this number fail, a
# busy machine is not the cause.
AGAIN_MAX = 3
AGAIN_SECONDS_MAX = 120
SANITIZER_FOUND = re.compile(r'(ERROR|WARNING): \w+Sanitizer|: runtime error: ')
SANITIZERS = {
    'ASAN_OPTIONS': 'detect_stack_use_after_return=1:strict_string_checks=1',
    'UBSAN_OPTIONS': 'print_stacktrace=1',
    'TSAN_OPTIONS': 'halt_on_error=1:second_deadlock_stack=1',
}


def run(outcome, tree, layers=None):
    """Runs all tests of the tree, or those of `layers`, and adds each test to the outcome."""
    with tempfile.TemporaryDirectory() as reports:
        command = ['ctest', '--test-dir', tree.directory, '-j', commands.JOBS,
                   '--verbose', '--no-tests=ignore']
        if layers:
            command += ['-R', '^(' + '|'.join(re.escape(layer) for layer in layers) + ')$']
        ended = commands.run(command, CTEST_SECONDS_MAX, tree.root,
                             {**SANITIZERS, 'GTEST_OUTPUT': f'json:{reports}/',
                              'GTEST_COLOR': 'no'})
        reasons = skip_reasons(ended.output)
        failed = [case for path in sorted(Path(reports).glob('*.json'))
                  for case in _count(outcome, path, reasons)]
    may_pass_alone = len(failed) <= AGAIN_MAX and not SANITIZER_FOUND.search(ended.output)
    for program, case, details in failed:
        if may_pass_alone and passes_alone(tree, program, case):
            outcome.passed_alone(f'{program}: {case}', details)
        else:
            outcome.fail(f'{program}: {case}', details)
    broken = broken_programs(ended.output) - {program for program, _, _ in failed}
    if broken or not (ended.is_good or failed):
        outcome.fail(f'{", ".join(sorted(broken)) or "tests"} of {tree.preset}', tail(ended.output))


def broken_programs(output):
    """Returns the programs that ctest reports as failed: a case failed, or the program crashed or
    took too long."""
    failed = output.partition('The following tests FAILED:\n')[2]
    return {layer.replace('/', '_') + '_test'
            for layer in re.findall(r'^\s+\d+ - (\S+) \(', failed, re.MULTILINE)}


def passes_alone(tree, program, case):
    """Runs the case alone and returns whether it passes."""
    AHEAD.stop()
    try:
        ended = commands.run([*tree.command(program), f'--gtest_filter={case}'],
                             AGAIN_SECONDS_MAX, tree.root, SANITIZERS)
    except commands.OutOfTime:
        return False
    return ended.is_good and '[  SKIPPED ]' not in ended.output


def skip_reasons(output):
    """Returns the reason of each skipped case, by its name: the text before its last line.

    ctest prefixes each line with a number, which separates programs that run in parallel.
    """
    programs = defaultdict(list)
    for number, line in re.findall(r'^(\d+): (.*)$', output, re.MULTILINE):
        programs[number].append(line)
    return {name: why for lines in programs.values() for why, name in
            re.findall(r'Skipped\n(.*)\n+\[  SKIPPED \] (\S+?)(?:,| \()', '\n'.join(lines))}


def _count(outcome, path, reasons):
    """Adds the cases of one program's report; returns (program, case, details) of failures."""
    report = json.loads(path.read_text())
    failed = []
    for suite in report.get('testsuites', []):
        for case in suite.get('testsuite', []):
            messages = [failure['failure'] for failure in case.get('failures', [])]
            name = f'{suite["name"]}.{case["name"]}'
            if messages:
                failed.append((path.stem, name, '\n'.join(messages)))
            elif case.get('result') == 'COMPLETED':
                outcome.ok()
            elif case.get('result') == 'SKIPPED':
                outcome.skip(f'{path.stem}: {name}', reasons.get(name, 'it does not say why'))
    return failed

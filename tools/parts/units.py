"""Runs the unit tests of a build tree through ctest and counts every one of them.

Must not read a missing report as success: a program that crashed is a failure.
"""

import json
import re
import tempfile
from collections import defaultdict
from pathlib import Path

from parts import commands
from parts.outcome import tail

CTEST_SECONDS_MAX = 1500
SANITIZERS = {
    'ASAN_OPTIONS': 'detect_stack_use_after_return=1:strict_string_checks=1',
    'UBSAN_OPTIONS': 'print_stacktrace=1',
    'TSAN_OPTIONS': 'halt_on_error=1:second_deadlock_stack=1',
}


def run(outcome, tree, layers=None):
    """All tests of the tree, or of the layers named; adds each test to the outcome."""
    with tempfile.TemporaryDirectory() as reports:
        command = ['ctest', '--test-dir', tree.directory, '-j', commands.JOBS,
                   '--verbose', '--no-tests=ignore']
        if layers:
            command += ['-R', '^(' + '|'.join(re.escape(layer) for layer in layers) + ')$']
        ended = commands.run(command, CTEST_SECONDS_MAX, tree.root,
                             {**SANITIZERS, 'GTEST_OUTPUT': f'json:{reports}/',
                              'GTEST_COLOR': 'no'})
        reasons = skip_reasons(ended.output)
        failed_cases = sum(_count(outcome, path, reasons)
                           for path in sorted(Path(reports).glob('*.json')))
    if not ended.is_good and not failed_cases:
        outcome.fail(f'tests of {tree.preset}', tail(ended.output))


def skip_reasons(output):
    """Why each skipped case was, by its name: what it said ahead of its last line.

    Programs that run side by side are told apart by the number that ctest puts before each line.
    """
    programs = defaultdict(list)
    for number, line in re.findall(r'^(\d+): (.*)$', output, re.MULTILINE):
        programs[number].append(line)
    return {name: why for lines in programs.values() for why, name in
            re.findall(r'Skipped\n(.*)\n+\[  SKIPPED \] (\S+?)(?:,| \()', '\n'.join(lines))}


def _count(outcome, path, reasons):
    """Adds the cases of one program's report; returns how many failed."""
    report = json.loads(path.read_text())
    failed = 0
    for suite in report.get('testsuites', []):
        for case in suite.get('testsuite', []):
            messages = [failure['failure'] for failure in case.get('failures', [])]
            if messages:
                failed += 1
                outcome.fail(f'{path.stem}: {suite["name"]}.{case["name"]}', '\n'.join(messages))
            elif case.get('result') == 'COMPLETED':
                outcome.ok()
            elif case.get('result') == 'SKIPPED':
                name = f'{suite["name"]}.{case["name"]}'
                outcome.skip(f'{path.stem}: {name}', reasons.get(name, 'it does not say why'))
    return failed

#!/usr/bin/env python3
"""Holds files, functions and lines to the sizes of the style, and headers to their first two lines.

Must not judge what a size cannot show: that is for readers.
"""

import ast
import re
import statistics
import subprocess
import sys
from pathlib import Path

import cpp

FUNCTION_LINES_MAX = 70
FUNCTION_LINES_MEDIAN_MAX = 6
FUNCTION_LINES_95TH_MAX = 30
FILE_LINES_MAX = 800
LINE_COLUMNS_MAX = 100
_CPP = ('.h', '.cc')


def tracked_files(root):
    """Every file that git knows or would add."""
    listed = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=root, check=True,
                            capture_output=True, text=True).stdout
    return [root / name for name in listed.splitlines() if (root / name).is_file()]


def is_script(path):
    """A program without a suffix whose first line names its interpreter."""
    if path.suffix:
        return path.suffix in ('.py', '.sh')
    with open(path, 'rb') as file:
        return file.read(2) == b'#!'


def python_functions(text):
    """The functions of a Python file, as cpp.Function."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(cpp.Function(node.name, node.lineno, node.end_lineno))
    return found


def functions_in(path, text):
    """The functions of a file in either language."""
    if path.suffix in _CPP:
        return cpp.functions(text)
    if path.suffix == '.py' or text.startswith('#!/usr/bin/env python3'):
        return python_functions(text)
    return []


def header_faults(name, text):
    """What the beginning of a header lacks."""
    lines = text.splitlines()[:3]
    if len(lines) < 3 or not all(line.startswith('// ') for line in lines[:2]):
        return [f'{name}:1: a header begins with two lines: what it is for, what it must not do']
    if lines[2] != '#pragma once':
        return [f'{name}:3: #pragma once follows the two lines']
    return []


def file_faults(name, path, text):
    """What is too large in one file."""
    faults = []
    lines = text.splitlines()
    if len(lines) > FILE_LINES_MAX:
        faults.append(f'{name}: {len(lines)} lines, over {FILE_LINES_MAX}')
    for number, line in enumerate(lines, 1):
        if len(line) > LINE_COLUMNS_MAX and not re.search(r'https?://', line):
            faults.append(f'{name}:{number}: {len(line)} columns, over {LINE_COLUMNS_MAX}')
    for function in functions_in(path, text):
        if function.lines > FUNCTION_LINES_MAX:
            faults.append(f'{name}:{function.first_line}: {function.name} takes {function.lines} '
                          f'lines, over {FUNCTION_LINES_MAX}')
    if path.suffix == '.h':
        faults += header_faults(name, text)
    return faults


def percentile(values, share):
    """The value below which that share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def overall_faults(sizes):
    """Whether the library's functions are short as a whole."""
    faults = []
    if sizes and statistics.median(sizes) > FUNCTION_LINES_MEDIAN_MAX:
        faults.append(f'the median function takes {statistics.median(sizes):g} lines, over '
                      f'{FUNCTION_LINES_MEDIAN_MAX}')
    if sizes and percentile(sizes, 0.95) > FUNCTION_LINES_95TH_MAX:
        faults.append(f'the 95th percentile of functions takes {percentile(sizes, 0.95)} lines, '
                      f'over {FUNCTION_LINES_95TH_MAX}')
    return faults


def library_sizes(root, files):
    """The lines of every function of the library itself."""
    sizes = []
    for path in files:
        name = path.relative_to(root).as_posix()
        if name.startswith('src/') and not re.search(r'_(test|bench|fuzz)\.cc$', name):
            sizes += [function.lines for function in functions_in(path, path.read_text())]
    return sizes


def check(root):
    """All faults, as lines for a reader."""
    files = [path for path in tracked_files(root) if path.suffix in _CPP or is_script(path)]
    faults = []
    for path in files:
        faults += file_faults(path.relative_to(root).as_posix(), path, path.read_text())
    return faults + overall_faults(library_sizes(root, files))


def main():
    """Prints the faults, or the figures when there is none."""
    root = Path(__file__).resolve().parent.parent
    faults = check(root)
    print('\n'.join(faults))
    sizes = library_sizes(root, [p for p in tracked_files(root) if p.suffix in _CPP])
    if sizes:
        print(f'{len(sizes)} functions in the library: median {statistics.median(sizes):g}, 95th '
              f'percentile {percentile(sizes, 0.95)}, largest {max(sizes)} lines')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

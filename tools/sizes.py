#!/usr/bin/env python3
"""Holds files, functions and lines to the sizes of the style, and headers to their first two lines.

Must not judge what a size cannot show: that is for readers.
"""

import ast
import collections
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
CLASS_LINES_MAX = 600
CLASS_FUNCTIONS_MAX = 40
_CPP = ('.h', '.cc')


def tracked_files(root):
    """Every file that git knows or would add."""
    listed = subprocess.run(['git', 'ls-files', '-co', '--deduplicate', '--exclude-standard'],
                            cwd=root, check=True, capture_output=True, text=True).stdout
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


def library_sizes(texts):
    """The lines of every function of the library itself, of pairs (name, text)."""
    return [found.lines for name, text in texts if is_of_library(name)
            for found in cpp.functions(text)]


def is_of_library(name):
    """Whether a file is the library's own, not one that tests it."""
    return (name.startswith(('src/', 'cli/')) and name.endswith(_CPP)
            and not re.search(r'_(test|bench|fuzz)\.cc$|/test_', name))


def class_sizes(texts):
    """(lines, functions) of each class over all its files: 'folder/Class' of pairs (name, text)."""
    lines, functions = collections.Counter(), collections.Counter()
    for name, text in texts:
        folder = re.sub('^src/eider/', '', Path(name).parent.as_posix())
        for found in cpp.classes(text):
            lines[f'{folder}/{found.owner}'] += found.lines
        for found in cpp.functions(text):
            if found.owner:
                functions[f'{folder}/{found.owner}'] += 1
            if '::' in found.name:  # outside of the class itself, whose lines are counted
                lines[f'{folder}/{found.owner}'] += found.lines
    return {name: (lines[name], functions[name]) for name in lines}


def class_faults(sizes):
    """Which classes are to be parted."""
    return [f'{name}: {lines} lines and {functions} functions over all its files, over '
            f'{CLASS_LINES_MAX} or {CLASS_FUNCTIONS_MAX}'
            for name, (lines, functions) in sizes.items()
            if lines > CLASS_LINES_MAX or functions > CLASS_FUNCTIONS_MAX]


def check(root):
    """All faults, as lines for a reader."""
    files = [path for path in tracked_files(root) if path.suffix in _CPP or is_script(path)]
    texts = [(path.relative_to(root).as_posix(), path.read_text()) for path in files]
    faults = []
    for path, (name, text) in zip(files, texts):
        faults += file_faults(name, path, text)
    faults += class_faults(class_sizes(pair for pair in texts if is_of_library(pair[0])))
    return faults + overall_faults(library_sizes(texts))


def main():
    """Prints the faults, or the figures when there is none."""
    root = Path(__file__).resolve().parent.parent
    faults = check(root)
    print('\n'.join(faults))
    sizes = library_sizes((path.relative_to(root).as_posix(), path.read_text())
                          for path in tracked_files(root) if path.suffix in _CPP)
    if sizes:
        print(f'{len(sizes)} functions in the library: median {statistics.median(sizes):g}, 95th '
              f'percentile {percentile(sizes, 0.95)}, largest {max(sizes)} lines')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

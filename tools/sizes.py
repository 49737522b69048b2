#!/usr/bin/env python3
"""Checks the sizes of files, functions and lines, the first lines of headers, and that no class is
a part of another one; lists large classes.

Must not judge anything that sizes do not show: that is for reviewers.
"""

import ast
import collections
import itertools
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass
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
_CLASS_HEAD = re.compile(r'\b(?:class|struct)\s+(?:(?:alignas\([^)]*\)|\[\[[^\]]*\]\])\s*)?'
                         r'(?P<name>\w+)(?:\s+final)?\s*(?::(?!:)(?P<bases>[^{;]*))?\{')
_BASE = re.compile(r'(\w+)(?:<[^{]*>)?\s*(?:,|$)')
_PURE = re.compile(r'\)[\w\s]*= 0;')
_MEMBER = re.compile(r'  [^\s(){}][^(){}]*\b\w+_(?:\s*[:={][^()]*)?;')
_REFERENCE = re.compile(r'  (?:const )?(?:\w+::)*(?P<name>\w+)(?: const)?\s*[&*]\s*'
                        r'(?:const )?\w+_\b')


def tracked_files(root):
    """Returns every file that git tracks or would add."""
    listed = subprocess.run(['git', 'ls-files', '-co', '--deduplicate', '--exclude-standard'],
                            cwd=root, check=True, capture_output=True, text=True).stdout
    return [root / name for name in listed.splitlines() if (root / name).is_file()]


def is_script(path):
    """Returns whether it is a program: a script by its suffix, or by the interpreter in its first
    line."""
    if path.suffix:
        return path.suffix in ('.py', '.sh')
    with open(path, 'rb') as file:
        return file.read(2) == b'#!'


def python_functions(text):
    """Returns the functions of a Python file, as cpp.Function."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(cpp.Function(node.name, node.lineno, node.end_lineno))
    return found


def functions_in(path, text):
    """Returns the functions of a file in either language."""
    if path.suffix in _CPP:
        return cpp.functions(text)
    if path.suffix == '.py' or text.startswith('#!/usr/bin/env python3'):
        return python_functions(text)
    return []


def header_faults(name, text):
    """Returns the errors in the first lines of a header."""
    lines = text.splitlines()
    first = list(itertools.takewhile(lambda line: line.startswith('// '), lines))
    if len(first) < 2:
        return [f'{name}:1: a header begins with its purpose and a line "// Layering: must not …"']
    if lines[len(first):len(first) + 1] != ['#pragma once']:
        return [f'{name}:{len(first) + 1}: #pragma once follows the first comment']
    return []


def file_faults(name, path, text):
    """Returns the errors for too large parts of one file."""
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
    """Returns the value below which this share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def overall_faults(sizes):
    """Returns errors if the functions of the library are too long in general."""
    faults = []
    if sizes and statistics.median(sizes) > FUNCTION_LINES_MEDIAN_MAX:
        faults.append(f'the median function takes {statistics.median(sizes):g} lines, over '
                      f'{FUNCTION_LINES_MEDIAN_MAX}')
    if sizes and percentile(sizes, 0.95) > FUNCTION_LINES_95TH_MAX:
        faults.append(f'the 95th percentile of functions takes {percentile(sizes, 0.95)} lines, '
                      f'over {FUNCTION_LINES_95TH_MAX}')
    return faults


def library_sizes(texts):
    """Returns the line counts of all functions of the library itself, from pairs (name, text)."""
    return [found.lines for name, text in texts if is_of_library(name)
            for found in cpp.functions(text)]


def is_of_library(name):
    """Returns whether a file belongs to the library itself, not to its tests."""
    return (name.startswith(('src/', 'cli/')) and name.endswith(_CPP)
            and not re.search(r'_(test|bench|fuzz)\.cc$|/test_', name))


def class_sizes(texts):
    """Returns (lines, functions) of each class over all its files: 'folder/Class', from pairs
    (name, text)."""
    lines, functions = collections.Counter(), collections.Counter()
    for name, text in texts:
        folder = re.sub('^src/eider/', '', Path(name).parent.as_posix())
        for found in cpp.classes(text):
            lines[f'{folder}/{found.owner}'] += found.lines
        for found in cpp.functions(text):
            if found.owner:
                functions[f'{folder}/{found.owner}'] += 1
            if '::' in found.name:  # outside of the class, which is counted separately
                lines[f'{folder}/{found.owner}'] += found.lines
    return {name: (lines[name], functions[name]) for name in lines}


def class_questions(sizes):
    """Returns a line for each large class: a reviewer decides whether it has more than one
    subject."""
    return [f'{name}: {lines} lines and {functions} functions in all its files; is it one subject?'
            for name, (lines, functions) in sorted(sizes.items())
            if lines > CLASS_LINES_MAX or functions > CLASS_FUNCTIONS_MAX]


@dataclass
class Parts:
    """The classes of the library, and the files that use them."""
    classes: dict  # name → [(file, body)]
    heirs: dict  # name of a base → names of the classes that derive from it
    files: dict  # name of a class → files that define its functions
    words: dict  # file of the library → the names in it

    def users(self, name):
        """Returns the files that use a class, except those of the class itself."""
        own = {unit_of(self.classes[name][0][0])} | {unit_of(file) for file in self.files[name]}
        return {file for file, words in self.words.items()
                if name in words and unit_of(file) not in own}

    def is_used_beside(self, name):
        """Returns whether another class in the files of a class uses it."""
        unit = unit_of(self.classes[name][0][0])
        return any(re.search(rf'\b{name}\b', body) for other, found in self.classes.items()
                   for file, body in found if other != name and unit_of(file) == unit)

    def is_used_by_only(self, name, user):
        """Returns whether only the files of `user` use the class `name`."""
        if user == name or len(self.classes.get(name, ())) != 1:
            return False
        theirs = {unit_of(file) for file, _ in self.classes.get(user, ())}
        theirs |= {unit_of(file) for file in self.files.get(user, ())}
        used = {unit_of(file) for file in self.users(name)}
        return bool(used) and used <= theirs


def unit_of(name):
    """Returns the unit of a file: a header and its source are one unit."""
    return re.sub(r'[.](h|cc)$', '', name)


def read_parts(texts):
    """Returns the Parts of pairs (name, text); classes in other files than those of the library
    count only as derived classes."""
    parts = Parts({}, collections.defaultdict(set), collections.defaultdict(set), {})
    for name, text in texts:
        plain = cpp.blanked(text)
        for found in _CLASS_HEAD.finditer(plain):
            for base in _BASE.findall(found['bases'] or ''):
                parts.heirs[base].add(found['name'])
            if is_of_library(name):
                body = _body_at(plain, found.end())
                parts.classes.setdefault(found['name'], []).append((name, body))
        if is_of_library(name):
            parts.words[name] = set(re.findall(r'\w+', plain))
            for found in cpp.functions(text):
                if '::' in found.name:
                    parts.files[found.owner.split('::')[0]].add(name)
    return parts


def _body_at(text, begin):
    depth = 1
    for brace in re.compile('[{}]').finditer(text, begin):
        depth += 1 if brace[0] == '{' else -1
        if depth == 0:
            return text[begin:brace.start()]
    return text[begin:]


def _referred(body):
    """Returns the classes that the members of a class refer to; empty if it has its own state."""
    members = [line for line in body.splitlines() if _MEMBER.match(line)]
    referring = [_REFERENCE.match(line) for line in members]
    return {found['name'] for found in referring} if all(referring) else set()


def part_faults(texts):
    """Returns errors for classes that are parts of the single class that uses them: their functions
    belong there."""
    parts = read_parts(texts)
    faults = []
    for name, found in parts.classes.items():
        file, body = found[0]
        friends = re.findall(r'friend (?:class|struct) (?:\w+::)*(\w+);', body)
        faults += [f'{file}: {name} has the friend {friend}, which only {name} uses: make it a '
                   f'part of {name}'
                   for friend in friends
                   if parts.is_used_by_only(friend, name) and not parts.is_used_beside(friend)]
        heirs = parts.heirs[name]
        if len(heirs) == 1 and _PURE.search(body):
            faults += [f'{file}: {name} is a base that only {heir} derives from and uses: make '
                       'them one class' for heir in heirs
                       if parts.is_used_by_only(name, heir) and not parts.is_used_beside(name)]
        faults += [f'{file}: {name} has no state but references, and only {user}, which it '
                   f'refers to, uses it: make it a part of {user}'
                   for user in sorted(_referred(body))
                   if not parts.heirs[name] and parts.is_used_by_only(name, user)]
    return sorted(set(faults))


def check(root):
    """Returns all errors as lines."""
    files = [path for path in tracked_files(root) if path.suffix in _CPP or is_script(path)]
    texts = [(path.relative_to(root).as_posix(), path.read_text()) for path in files]
    faults = []
    for path, (name, text) in zip(files, texts):
        faults += file_faults(name, path, text)
    faults += part_faults(pair for pair in texts if pair[0].endswith(_CPP))
    return faults + overall_faults(library_sizes(texts))


def questions(root):
    """Returns questions for reviewers of the library, as lines."""
    texts = [(path.relative_to(root).as_posix(), path.read_text()) for path in tracked_files(root)
             if path.suffix in _CPP]
    return class_questions(class_sizes(pair for pair in texts if is_of_library(pair[0])))


def main():
    """Prints the errors, the questions and the figures."""
    root = Path(__file__).resolve().parent.parent
    faults = check(root)
    print('\n'.join(faults + questions(root)))
    sizes = library_sizes((path.relative_to(root).as_posix(), path.read_text())
                          for path in tracked_files(root) if path.suffix in _CPP)
    if sizes:
        print(f'{len(sizes)} functions in the library: median {statistics.median(sizes):g}, 95th '
              f'percentile {percentile(sizes, 0.95)}, largest {max(sizes)} lines')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

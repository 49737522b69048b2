#!/usr/bin/env python3
"""Holds the library to layers.txt: what may include what, and whose a header and a namespace are.

Must not have exceptions of its own: an edge that is right belongs into layers.txt.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import cpp

_TESTS = re.compile(r'_(test|bench|fuzz)\.cc$|/test_[^/]*\.h$')
_TEST_HEADER = re.compile(r'/test_[^/]*\.h$')
_FOR_TESTS = 'testkit'
_APPLICATIONS = ('examples', 'arena', 'tests/install', 'tests/must_not_compile')
_SIGHTS = ('public', 'shared', 'private')
_BRACE = re.compile(r'\bnamespace ([\w:]+) \{|[{}]')
# Others have the name of the folder.
_NAMED = {'cli': 'bench', 'data/db/sqlite': 'db', 'protocols/http/ws/deflate': 'ws'}


@dataclass
class Rule:
    """What a folder may include, and who may include each of its headers."""
    allowed: set = field(default_factory=set)
    headers: dict = field(default_factory=dict)  # name → one of _SIGHTS
    rest: str = 'private'

    def sight_of(self, header):
        """Who may include it: public, shared or private."""
        return self.headers.get(header, self.rest)


def read_rules(text):
    """{folder: Rule}; ValueError names the line that is wrong."""
    rules = {}
    for line in text.splitlines():
        line = line.partition('#')[0].rstrip()
        if not line:
            continue
        name, colon, words = line.partition(':')
        if line[0] == ' ':
            _add_headers(rules, line, words.split())
        elif not colon or name in rules:
            raise ValueError(f'layers.txt: "{line}" is no rule, or a second one for its folder')
        else:
            rules[name] = Rule(set(words.split()))
    for folder, rule in rules.items():
        for other in rule.allowed - rules.keys():
            raise ValueError(f'layers.txt: {folder} may include {other}, which has no rule')
    return rules


def _add_headers(rules, line, headers):
    sight = line.strip().partition(':')[0]
    if not rules or sight not in _SIGHTS:
        raise ValueError(f'layers.txt: "{line.strip()}" says nothing about headers')
    rule = list(rules.values())[-1]
    for header in headers:
        if header in rule.headers:
            raise ValueError(f'layers.txt: {header} is named twice: "{line.strip()}"')
        rule.headers[header] = sight
    if sight == 'private':
        rule.rest = 'shared'


def cycle_in(rules):
    """Folders that include each other in a ring, or []."""
    done = set()

    def walk(folder, above):
        if folder in above:
            return [*above[above.index(folder):], folder]
        if folder in done:
            return []
        for other in sorted(rules[folder].allowed):
            ring = walk(other, [*above, folder])
            if ring:
                return ring
        done.add(folder)
        return []

    for folder in sorted(rules):
        ring = walk(folder, [])
        if ring:
            return ring
    return []


def layer_of(path, rules):
    """The longest folder of the rules that holds `path` (relative to src/eider), or None."""
    parts = path.split('/')[:-1]
    for count in range(len(parts), 0, -1):
        folder = '/'.join(parts[:count])
        if folder in rules:
            return folder
    return None


def sight_of(included, rules):
    """Who may include that header (relative to src/eider): public, shared or private."""
    folder = layer_of(included, rules)
    if folder is None:
        return 'public'  # eider.h
    return rules[folder].sight_of(included[len(folder) + 1:].removesuffix('.h'))


def fault_of(name, included, rules):
    """Why `name` may not include `included` (both relative to src/eider), or None."""
    own, other = layer_of(name, rules), layer_of(included, rules)
    is_test = bool(_TESTS.search(name))
    if own is None:
        return 'stands in a folder that layers.txt does not name'
    if other is None:
        return None if is_test else 'includes a header that is made for applications'
    allowed = rules[own].allowed
    if is_test:  # what a test drives through the testkit it may name
        allowed = allowed | {_FOR_TESTS}
        if _FOR_TESTS in rules:
            allowed = allowed | rules[_FOR_TESTS].allowed
    sight = sight_of(included, rules)
    if _TEST_HEADER.search(included) and not is_test and sight != 'public':
        return 'is for tests alone'
    if other == own:
        return None
    if other not in allowed:
        return f'{own} may not include {other}'
    if sight == 'private' and not is_test:
        return f'is private to {other}'
    return None


def namespace_faults(name, text, rules):
    """The namespaces in `name` (relative to src/eider) that are not its folder's.

    A folder has eider, eider::<folder> and, for what is private, eider::detail::<folder>, or a
    detail within the second. Those of folders that it may include are there for what is looked up
    by an argument; and a block that only names classes may be of any folder.
    """
    folder = layer_of(name, rules)
    if folder is None:
        return []
    own = _space_of(folder)
    public = {own, 'testing', *map(_space_of, rules[folder].allowed)}
    return [f'namespace {"::".join(path)} is not that of {folder}'
            for path, body in _namespaces(cpp.blanked(text))
            if path[0] == 'eider' and re.search('[{(=]', body)
            and not _is_of(path, own, public)]


def _is_of(path, own, public):
    if path[1:2] == ['detail']:
        return path[2:3] == [own]
    return not path[1:] or path[1] == own or (path[1] in public and 'detail' not in path)


def _space_of(folder):
    return _NAMED.get(folder, folder.rsplit('/', 1)[-1])


def _namespaces(flat):
    """(path, body) of each namespace that has a name."""
    found, open_braces = [], []
    for mark in _BRACE.finditer(flat):
        if mark[0] != '}':
            open_braces.append((mark[1].split('::') if mark[1] else [], mark.end()))
        elif open_braces:
            above = [word for words, _ in open_braces for word in words]
            words, start = open_braces.pop()
            if words:
                found.append((above, flat[start:mark.start()]))
    return found


def _library_faults(root, rules):
    base = root / 'src/eider'
    for path in sorted([*base.rglob('*.h'), *base.rglob('*.cc')]):
        name, text = path.relative_to(base).as_posix(), path.read_text()
        if '/' not in name:
            yield from _application_faults(f'src/eider/{name}', text, rules)
            continue
        for fault in namespace_faults(name, text, rules):
            yield f'src/eider/{name}: {fault}'
        for included in cpp.includes(text):
            if included.startswith('eider/'):
                fault = fault_of(name, included.removeprefix('eider/'), rules)
                if fault:
                    yield f'src/eider/{name}: includes {included}: {fault}'


def _application_faults(name, text, rules):
    for included in cpp.includes(text):
        if (included.startswith('eider/')
                and sight_of(included.removeprefix('eider/'), rules) != 'public'):
            yield f'{name}: includes {included}: is not made for applications'


def _missing(root, rules):
    for folder, rule in rules.items():
        for header in rule.headers:
            if not (root / f'src/eider/{folder}/{header}.h').exists():
                yield f'layers.txt: {folder} has no {header}.h'


def check(root):
    """All faults, as lines for a reader."""
    try:
        rules = read_rules((root / 'layers.txt').read_text())
    except ValueError as fault:
        return [str(fault)]
    ring = cycle_in(rules)
    faults = [f'layers.txt: a ring: {" → ".join(ring)}'] if ring else []
    faults += [*_missing(root, rules), *_library_faults(root, rules)]
    for folder in _APPLICATIONS:
        for path in sorted([*(root / folder).rglob('*.h'), *(root / folder).rglob('*.cc')]):
            name = path.relative_to(root).as_posix()
            faults += _application_faults(name, path.read_text(), rules)
    return faults


def main():
    """Prints the faults."""
    faults = check(Path(__file__).resolve().parent.parent)
    print('\n'.join(faults) if faults else 'every include looks down')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

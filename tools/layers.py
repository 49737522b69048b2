#!/usr/bin/env python3
"""Holds every #include of the library to layers.txt: down only, and only where the file allows.

Must not have exceptions of its own: an edge that is right belongs into layers.txt.
"""

import re
import sys
from pathlib import Path

import cpp

_TESTS = re.compile(r'_(test|bench|fuzz)\.cc$')
_FOR_TESTS = 'testkit'
_PRIVATE = '/detail'


def read_rules(text):
    """{folder: folders it may include}; ValueError names the line that is wrong."""
    rules = {}
    for line in text.splitlines():
        line = line.partition('#')[0].strip()
        if not line:
            continue
        folder, colon, allowed = line.partition(':')
        if not colon or folder in rules:
            raise ValueError(f'layers.txt: "{line}" is no rule, or a second one for its folder')
        rules[folder] = set(allowed.split())
    for folder, allowed in rules.items():
        for other in {name.removesuffix(_PRIVATE) for name in allowed} - rules.keys():
            raise ValueError(f'layers.txt: {folder} may include {other}, which has no rule')
    return rules


def cycle_in(rules):
    """Folders that include each other in a ring, or []."""
    done = set()

    def walk(folder, above):
        if folder in above:
            return [*above[above.index(folder):], folder]
        if folder in done:
            return []
        for other in sorted(rules[folder] & rules.keys()):
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


def fault_of(name, included, rules):
    """Why `name` may not include `included` (both relative to src/eider), or None."""
    own, other = layer_of(name, rules), layer_of(included, rules)
    is_test = bool(_TESTS.search(name))
    if own is None:
        return 'stands in a folder that layers.txt does not name'
    if other is None:
        return None if is_test else 'includes a header that is made for applications'
    allowed = rules[own]
    if is_test:  # what a test drives through the testkit it may name
        allowed = allowed | {_FOR_TESTS} | rules.get(_FOR_TESTS, set())
    if other == own:
        return None
    if other not in allowed:
        return f'{own} may not include {other}'
    if f'{_PRIVATE}/' in included and not is_test and other + _PRIVATE not in rules[own]:
        return f'{other}/detail is private to {other}'
    return None


def check(root):
    """All faults, as lines for a reader."""
    try:
        rules = read_rules((root / 'layers.txt').read_text())
    except ValueError as fault:
        return [str(fault)]
    ring = cycle_in(rules)
    faults = [f'layers.txt: a ring: {" → ".join(ring)}'] if ring else []
    base = root / 'src/eider'
    for path in sorted([*base.rglob('*.h'), *base.rglob('*.cc')]):
        name = path.relative_to(base).as_posix()
        if '/' not in name:
            continue  # eider.h is the sum of what stands below
        for included in cpp.includes(path.read_text()):
            if included.startswith('eider/'):
                fault = fault_of(name, included.removeprefix('eider/'), rules)
                if fault:
                    faults.append(f'src/eider/{name}: includes {included}: {fault}')
    return faults


def main():
    """Prints the faults."""
    faults = check(Path(__file__).resolve().parent.parent)
    print('\n'.join(faults) if faults else 'every include looks down')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

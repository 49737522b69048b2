#!/usr/bin/env python3
"""Checks the library against src/eider/*/wing.cmake: which wing may include which, what
applications may include, and which namespace belongs to which folder. No header may declare a type
that a higher wing defines.

Must not contain exceptions except _DECLARED_ABOVE: declare allowed dependencies in a wing.cmake.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import cpp

_TESTS = re.compile(r'_(test|bench|fuzz)\.cc$|/test_[^/]*\.h$')
_TEST_HEADER = re.compile(r'(?<!/testing)(?<!testkit)/test_[^/]*\.h$')
_APPLICATIONS = ('examples', 'arena', 'tests/install', 'tests/must_compile',
                 'tests/must_not_compile')
_CALL = re.compile(r'^eider_(\w+)\(([^)]*)\)', re.MULTILINE)
_KEYWORDS = ('DEPENDS', 'FOLDERS', 'HEADERS', 'BASES', 'PACKAGES', 'MODULES', 'TARGETS', 'BUILDING',
             'DEBIAN', 'SMALL', 'HOT')
_BRACE = re.compile(r'\bnamespace ([\w:]+) \{|[{}]')
_NAMED = {'cli': 'bench', 'client/generated': 'client', 'client/ws': 'client',
          'data/db/sqlite': 'db', 'protocols/http/ws/deflate': 'ws', 'app/handlers': 'app',
          'app/life': 'app', 'app/settings': 'app', 'server/process': 'server'}
_TYPE = re.compile(r'\b(?:class|struct|union|enum) (?:(?:class|struct) )?(?:\[\[[^\]]*\]\] )?'
                   r'(?:alignas\([^)]*\) )?(\w+)(?: final)?(?:\s*:(?!:)[^;@()]*)?\s*([;@])')
# Types that a header may declare although a higher wing defines them: (header, type).
_DECLARED_ABOVE = {
    # Members of Routes that web/jobs defines. An app without jobs does not include their types.
    ('app/routes.h', 'eider::JobOptions'),
    ('app/routes.h', 'eider::ScheduleOptions'),
    # A Response owns its body, but only the server, which sends it, knows files and streams. The
    # server defines ContentDeleter for them, and nothing else in protocols uses the types.
    ('protocols/http/response.h', 'eider::FileContent'),
    ('protocols/http/response.h', 'eider::ProducedContent'),
    ('protocols/http/response.h', 'eider::Upgrade'),
}
_ROW = re.compile(r'^\| `(\w+)/` \|[^|]*\|([^|]*)\|$', re.MULTILINE)


@dataclass
class Wing:
    """The declarations of a wing.cmake."""
    name: str
    depends: list = field(default_factory=list)
    folders: dict = field(default_factory=dict)  # folder, as wing/folder → component
    public: set = field(default_factory=set)  # headers in include/eider


def read_wing(text):
    """Returns the Wing of a wing.cmake; raises ValueError with the error."""
    wing = None
    for call, words in _CALL.findall(text):
        name, *rest = re.findall(r'"[^"]*"|[^\s"]+', words) or ['']
        if call == 'wing' and wing is None:
            wing = Wing(name, [word for word in rest if word != 'DEPENDS'])
        elif wing is None:
            raise ValueError('begins with another call than eider_wing')
        elif call == 'component':
            _add_component(wing, name, rest)
        else:
            raise ValueError(f'eider_{call} is not a call for a wing')
    if wing is None:
        raise ValueError('has no eider_wing')
    return wing


def _add_component(wing, component, words):
    keyword = None
    for word in words:
        if word in _KEYWORDS:
            keyword = word
        elif keyword == 'FOLDERS':
            folder = wing.name if word == '.' else f'{wing.name}/{word}'
            if folder in wing.folders:
                raise ValueError(f'{folder} belongs to two components')
            wing.folders[folder] = component
        elif keyword == 'HEADERS':
            wing.public.add(f'{word}.h')


def read_wings(base):
    """Returns {name: Wing} of the wing.cmake files below `base`; raises ValueError with the invalid
    file."""
    wings = {}
    for path in sorted(base.glob('*/wing.cmake')):
        try:
            wing = read_wing(path.read_text(encoding='utf-8'))
        except ValueError as fault:
            raise ValueError(f'{path.parent.name}/wing.cmake: {fault}') from fault
        if wing.name != path.parent.name:
            raise ValueError(f'{path.parent.name}/wing.cmake: declares {wing.name}')
        wings[wing.name] = wing
    return wings


def below(name, wings, above=()):
    """Returns the wing and all its dependencies; raises ValueError for a cycle."""
    if name in above:
        raise ValueError(f'a ring: {" → ".join([*above, name])}')
    if name not in wings:
        raise ValueError(f'{above[-1]}/wing.cmake: there is no wing {name}')
    return {name}.union(*(below(other, wings, (*above, name)) for other in wings[name].depends))


def public_headers(wings):
    """Returns the headers that applications may include, relative to include/eider."""
    return sorted(name for wing in wings.values() for name in wing.public)


def fault_of(name, included, wings):
    """Returns why `name` may not include `included` (both relative to src/eider), or None."""
    own, other = name.split('/')[0], included.split('/')[0]
    is_test = bool(_TESTS.search(name))
    if own not in wings:
        return 'is in a folder without a wing.cmake'
    if '/' not in included:
        return None if is_test else 'includes a header that is made for applications'
    if _TEST_HEADER.search(included) and not is_test:
        return 'is for tests alone'
    if is_test or other in below(own, wings):
        return None
    return f'{own} may not include {other}'


def namespace_faults(name, text, wings):
    """Returns the namespaces in `name` (relative to src/eider) that do not belong to its folder,
    and classes of higher wings that it only declares.

    A folder has the namespaces eider, eider::<folder> and, for private names,
    eider::detail::<folder>, or a detail within the second. Namespaces of folders that it may
    include are allowed for argument-dependent lookup and for declarations.
    """
    folder = name.rpartition('/')[0].partition('/without_')[0]
    lower = below(name.split('/')[0], wings)
    spaces = {_space_of(each) for wing in lower for each in wings[wing].folders}
    own = _space_of(folder)
    faults = []
    for path, body in _namespaces(cpp.blanked(text)):
        if path[0] != 'eider' or len(path) == 1:
            continue
        space = path[2] if path[1] == 'detail' and len(path) > 2 else path[1]
        if space not in {own, 'testing', *spaces}:
            faults.append(f'namespace {"::".join(path)} is of a higher wing')
        elif re.search('[{(=]', body) and not _is_of(path, own, {own, 'testing', *spaces}):
            faults.append(f'namespace {"::".join(path)} is not that of {folder}')
    return faults


def _is_of(path, own, public):
    if path[1:2] == ['detail']:
        return path[2:3] == [own]
    return not path[1:] or path[1] == own or (path[1] in public and 'detail' not in path)


def _space_of(folder):
    return _NAMED.get(folder, folder.rsplit('/', 1)[-1])


def _namespaces(flat):
    """Returns (path, body) of each named namespace."""
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


def types_in(text):
    """Returns the types at namespace scope, as (defined, only declared), each a set of qualified
    names."""
    found = {'@': set(), ';': set()}
    for path, body in _namespaces(cpp.blanked(text)):
        outer = None
        while outer != body:
            outer, body = body, re.sub(r'\{[^{}]*\}', '@', body)
        for name, end in _TYPE.findall(body):
            found[end].add('::'.join([*path, name]))
    return found['@'], found[';'] - found['@']


def declaration_faults(texts, wings, allowed=frozenset(_DECLARED_ABOVE)):
    """Returns errors for headers that declare a type that only higher wings define, and for entries
    of `allowed` without such a declaration.

    texts  {name relative to src/eider: text} of the whole library, without tests
    """
    types = {name: types_in(text) for name, text in texts.items()}
    wings_of = {}
    for name, (defined, _) in types.items():
        for each in defined:
            wings_of.setdefault(each, set()).add(name.split('/')[0])
    above = {(name, each) for name, (_, declared) in types.items() if name.endswith('.h')
             for each in declared & wings_of.keys()
             if not wings_of[each] & below(name.split('/')[0], wings)}
    return [f'src/eider/{name}: declares {each}, which a higher wing '
            f'({", ".join(sorted(wings_of[each]))}) defines: declare it there'
            for name, each in sorted(above - allowed)] + [
                f'tools/layers.py: {name} does not declare {each}: remove it from _DECLARED_ABOVE'
                for name, each in sorted(allowed - above)]


def _library_faults(base, wings):
    used, own = set(), {}
    for path in sorted([*base.rglob('*.h'), *base.rglob('*.cc')]):
        name, text = path.relative_to(base).as_posix(), path.read_text(encoding='utf-8')
        if not _TESTS.search(name):
            own[name] = text
            for fault in namespace_faults(name, text, wings):
                yield f'src/eider/{name}: {fault}'
        for included in cpp.includes(text):
            if included.startswith('eider/'):
                included = included.removeprefix('eider/')
                used.add((name.split('/')[0], included.split('/')[0]))
                fault = fault_of(name, included, wings)
                if fault:
                    yield f'src/eider/{name}: includes {included}: {fault}'
    yield from declaration_faults(own, wings)
    for wing in wings.values():
        for other in wing.depends:
            if (wing.name, other) not in used:
                yield f'{wing.name}/wing.cmake: includes nothing of {other}: remove it from DEPENDS'


def _application_faults(name, text, wings):
    public = public_headers(wings)
    for included in cpp.includes(text):
        if included.startswith('eider/') and included.removeprefix('eider/') not in public:
            yield f'{name}: includes {included}: is not made for applications'


def _declaration_faults(base, wings):
    for wing in wings.values():
        for folder in wing.folders:
            if not list((base / folder).glob('*.cc')) and not list((base / folder).glob('*.h')):
                yield f'{wing.name}/wing.cmake: {folder} has no sources'
    there = {path.name for path in (base.parents[1] / 'include/eider').glob('*.h')}
    for name in sorted(there ^ set(public_headers(wings))):
        yield f'include/eider/{name}: the header and an entry in HEADERS of a component go together'
    declared = {folder for wing in wings.values() for folder in wing.folders}
    for folder in sorted({path.parent for path in base.rglob('*.cc')
                          if not _TESTS.search(path.name)}):
        name = folder.relative_to(base).as_posix()
        if name not in declared and not _is_built_otherwise(folder):
            yield f'src/eider/{name}: belongs to no component'


def _is_built_otherwise(folder):
    """Returns whether it has a CMakeLists.txt, or sources that replace others in some builds."""
    return (folder / 'CMakeLists.txt').exists() or folder.name.startswith('without_')


def table_faults(text, wings):
    """Returns the differences between the table of wings in ARCHITECTURE.md and the
    declarations."""
    rows = {name: set(re.findall(r'`(\w+)`', cell)) for name, cell in _ROW.findall(text)}
    for name, wing in wings.items():
        if rows.get(name) != set(wing.depends):
            yield (f'ARCHITECTURE.md: the row of {name} needs to say that it depends on '
                   f'{", ".join(wing.depends) or "nothing"}')
    for name in sorted(rows.keys() - wings.keys()):
        yield f'ARCHITECTURE.md: {name} is not a wing'


def check(root):
    """Returns all errors as lines."""
    base = root / 'src/eider'
    try:
        wings = read_wings(base)
        for name in wings:
            below(name, wings)
    except ValueError as fault:
        return [str(fault)]
    faults = [*_declaration_faults(base, wings), *_library_faults(base, wings),
              *table_faults((root / 'ARCHITECTURE.md').read_text(encoding='utf-8'), wings)]
    for folder in _APPLICATIONS:
        for path in sorted([*(root / folder).rglob('*.h'), *(root / folder).rglob('*.cc')]):
            name = path.relative_to(root).as_posix()
            faults += _application_faults(name, path.read_text(encoding='utf-8'), wings)
    return faults


def main():
    """Prints the errors."""
    faults = check(Path(__file__).resolve().parent.parent)
    print('\n'.join(faults) if faults else 'no wing includes a higher one')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

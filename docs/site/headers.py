"""Reads the declarations of a header and their docstrings.

Declarations that the parser does not understand are left out; the page links the header itself.
"""

import itertools
import re
import textwrap
from dataclasses import dataclass, field

import tree_sitter
import tree_sitter_cpp

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
_TYPES = ('class_specifier', 'struct_specifier', 'union_specifier', 'enum_specifier')
_SCOPES = ('preproc_ifdef', 'preproc_if', 'linkage_specification')
_NAMES = ('identifier', 'type_identifier', 'field_identifier', 'operator_name', 'destructor_name',
          'operator_cast')
# Members of a class that are left out if they have no docstring.
_QUIET = re.compile(r'^(?:~|operator=$|await_)|= delete;|unavailable\(')

# Rules for the authors of a header, which its users do not need.
_LAYERING = re.compile(r'(?:Layering: |Must (?:not|only) ).*')
# Comments for a checker.
_FOR_TIDY = re.compile(r' *// NOLINT.*')


@dataclass
class Declaration:
    """One thing that a header declares.

    kind       "class", "struct", "enum", "function", "value", "alias", "concept"
    signature  its source without a body
    doc        the lines of its docstring
    """
    name: str
    kind: str
    signature: str
    doc: list
    line: int
    members: list = field(default_factory=list)
    space: str = ''


@dataclass
class Header:
    """A header: its path below src/, its first comment, and the component and guide named there."""
    path: str
    about: str
    belongs_to: str
    declarations: list


def read(path, source):
    """The header's declarations for users. `source` is bytes."""
    lines = source.decode().splitlines()
    reader = _Reader(source)
    root = _PARSER.parse(source).root_node
    declarations = list(reader.scope(root, ''))
    comment = ' '.join(line.removeprefix('//').strip() for line in itertools.takewhile(
        lambda line: line.startswith('//') and not line.startswith('///'), lines))
    about, mark, belongs_to = _LAYERING.sub('', comment).partition('Component: ')
    return Header(path, about.strip(), mark + belongs_to, declarations)


class _Reader:
    def __init__(self, source):
        self.source = source

    def text(self, node):
        return self.source[node.start_byte:node.end_byte].decode()

    def documented(self, parent):
        """(node, lines of its docstring) of the declarations of a scope."""
        doc, last = [], -1
        for node in parent.named_children:
            if node.type == 'comment':
                text = self.text(node)
                if not text.startswith('///'):
                    doc = []
                elif node.start_point[0] == last + 1 and doc:
                    doc.append(text[3:])
                else:
                    doc = [text[3:]]
                last = node.start_point[0]
                continue
            yield node, doc if last == node.start_point[0] - 1 else []
            doc = []

    def scope(self, parent, space):
        """What a namespace declares, those within it too, `detail` apart."""
        for node, doc in self.documented(parent):
            if node.type == 'namespace_definition':
                name = node.child_by_field_name('name')
                name = self.text(name) if name else ''
                if name and 'detail' not in name.split('::'):
                    yield from self.scope(node.child_by_field_name('body'),
                                          f'{space}::{name}' if space else name)
            elif node.type in _SCOPES:
                yield from self.scope(node, space)
            else:
                found = self.declared(node, doc)
                # Members that are defined outside of their class are listed with the class.
                if found and '::' not in found.name:
                    found.space = space
                    yield found

    def declared(self, node, doc):
        """The Declaration of a node, or None where it is nothing for users."""
        inner = node
        while inner.type == 'template_declaration':
            inner = inner.named_children[-1]
        # `class X {…};` is a type; where a declarator follows it, it is that one's.
        specifier = inner.child_by_field_name('type')
        if inner.type in ('declaration', 'field_declaration') and specifier is not None and \
                specifier.type in _TYPES and inner.child_by_field_name('declarator') is None:
            inner = specifier
        if inner.type in _TYPES:
            return self.type_of(node, inner, doc)
        kind = {'alias_declaration': 'alias', 'concept_definition': 'concept',
                'function_definition': 'function', 'declaration': 'value',
                'field_declaration': 'value'}.get(inner.type)
        if kind is None:
            return None
        name = self.name_of(inner)
        signature = self.signature(node, inner)
        if _function_of(inner):
            kind = 'function'
        if not name or 'unavailable(' in self.text(node):
            return None
        return Declaration(name, kind, signature, doc, node.start_point[0] + 1)

    def type_of(self, node, inner, doc):
        body, name = inner.child_by_field_name('body'), inner.child_by_field_name('name')
        if body is None or name is None or name.type == 'template_type' and not doc or \
                name.type == 'qualified_identifier':
            return None
        kind = inner.type.removesuffix('_specifier')
        signature = self.text_between(node.start_byte, body.start_byte)
        found = Declaration(self.text(name), kind, signature, doc, node.start_point[0] + 1)
        if kind == 'enum':
            found.members = [Declaration(self.text(each.child_by_field_name('name')), 'value',
                                         self.text(each), text, each.start_point[0] + 1)
                             for each, text in self.documented(body) if each.type == 'enumerator']
        else:
            found.members = list(self.members(body, found.name, kind == 'class'))
        return found

    def members(self, body, owner, is_private):
        """The public members that say something."""
        for node, doc in self.documented(body):
            if node.type == 'access_specifier':
                is_private = self.text(node) != 'public'
            elif not is_private and node.type not in ('friend_declaration', 'using_declaration',
                                                      'static_assert_declaration'):
                found = self.declared(node, doc)
                is_quiet = found and not doc and (
                    _QUIET.search(found.name) or _QUIET.search(self.text(node))
                    or re.search(rf'\b{re.escape(owner)}\((?:const )?{re.escape(owner)}&',
                                 found.signature))
                if found and not is_quiet and not found.name.endswith('_'):
                    yield found

    def name_of(self, node):
        """The declared name: the innermost declarator's."""
        at = node.child_by_field_name('declarator') or node.child_by_field_name('name')
        while at is not None and at.type not in _NAMES:
            if at.type in ('qualified_identifier', 'template_function', 'template_type'):
                return self.text(at)
            inside = at.child_by_field_name('declarator') or at.child_by_field_name('name')
            if inside is None:
                inside = next((each for each in at.named_children
                               if each.type in _NAMES or each.type.endswith('declarator')), None)
            at = inside
        return ' '.join(self.text(at).split()) if at is not None else ''

    def signature(self, node, inner):
        """The source up to the body or the member initializers."""
        end = node.end_byte
        body = inner.child_by_field_name('body')
        if inner.type == 'function_definition':
            begins = [each.start_byte for each in inner.children
                      if each.type == 'field_initializer_list']
            end = min([*begins, body.start_byte] if body is not None else [*begins, end])
        text = self.text_between(node.start_byte, end)
        return text if text.endswith(';') or inner.type == 'concept_definition' else text + ';'

    def text_between(self, first, after):
        """Those bytes, with the indentation of their first line taken off the others."""
        text = self.source[first:after].decode().rstrip()
        begin = self.source.rfind(b'\n', 0, first) + 1
        indent = ' ' * (first - begin)
        lines = textwrap.dedent(indent + text) if text else ''
        return '\n'.join(line for line in _FOR_TIDY.sub('', lines).splitlines() if line.strip())


def _function_of(node):
    at = node.child_by_field_name('declarator')
    while at is not None:
        if at.type in ('function_declarator', 'operator_cast'):
            return True
        at = at.child_by_field_name('declarator') or next(
            (each for each in at.named_children if each.type.endswith('declarator')), None)
    return False

"""Tabs: the headings between two comments of a page. GitHub shows them as sections.

    [//]: # (tabs: install)
    ## Conan
    …
    ## vcpkg
    …
    [//]: # (end of tabs)
"""

import re

from markdown_it.token import Token

from tree import SiteFailed

_MARK = re.compile(r'\[//\]: # \((?:tabs: ([a-z][a-z-]*)|end of tabs)\)')


def without_marks(text):
    """The text without the comments. Text in code blocks is the caller's concern."""
    return re.sub(rf'(?m)^{_MARK.pattern}\n+', '', text)


def _marks(text, tokens):
    """[(line, name or None)] of the comments outside of code, with lines from 0."""
    code = {line for token in tokens if token.type in ('fence', 'code_block')
            for line in range(*token.map)}
    return [(at, found[1]) for at, line in enumerate(text.splitlines())
            if at not in code and (found := _MARK.fullmatch(line))]


def _groups(text, tokens, source):
    """[(name, first line, line after the last)] of the tabs."""
    groups, begun = [], None
    for line, name in _marks(text, tokens):
        if name and begun:
            raise SiteFailed(source, 'tabs begin inside other tabs. Add "[//]: # (end of tabs)" '
                             'before this line.', line + 1)
        if not name and not begun:
            raise SiteFailed(source, 'tabs end, but none began. Add "[//]: # (tabs: NAME)" before '
                             'the first heading.', line + 1)
        if not name:
            groups.append((*begun, line))
        begun = (name, line) if name else None
    if begun:
        raise SiteFailed(source, f'the tabs "{begun[0]}" do not end. Add "[//]: # (end of tabs)" '
                         'after the last tab.', begun[1] + 1)
    return groups


def _divided(tokens, name, source, line):
    """The tokens of one group, with those that begin and end its tabs."""
    starts = [at for at, token in enumerate(tokens)
              if token.type == 'heading_open' and token.tag == tokens[0].tag] if tokens else []
    if len(starts) < 2 or tokens[0].type != 'heading_open':
        raise SiteFailed(source, f'the tabs "{name}" must begin with a heading and have at least '
                         'two headings of its level', line + 1)
    if higher := next((token for token in tokens if token.type == 'heading_open'
                       and token.tag < tokens[0].tag), None):
        raise SiteFailed(source, f'this heading is above the headings of the tabs "{name}". End '
                         'the tabs before it.', higher.map[0] + 1)
    made = [Token('tabs_open', 'div', 1, {'name': name})]
    for start, end in zip(starts, [*starts[1:], len(tokens)]):
        made += [Token('tab_open', 'section', 1), *tokens[start:end],
                 Token('tab_close', 'section', -1)]
    return [*made, Token('tabs_close', 'div', -1)]


def marked(text, tokens, source):
    """The tokens of a page, with those that begin and end its tabs."""
    for name, first, last in _groups(text, tokens, source):
        inside = [at for at, token in enumerate(tokens)
                  if token.map and token.level == 0 and first < token.map[0] < last]
        # Tokens that end a block have no lines: a group goes on to the first block after it.
        after = next((at for at, token in enumerate(tokens)
                      if token.map and token.level == 0 and token.map[0] > last), len(tokens))
        start = inside[0] if inside else after
        tokens = [*tokens[:start], *_divided(tokens[start:after], name, source, first),
                  *tokens[after:]]
    return tokens


def drawn(token):
    """The tag of a token that this module made."""
    if token.nesting == -1:
        return f'</{token.tag}>\n'
    name = token.attrs.get('name')
    return f'<div class="tabs" data-tabs="{name}">\n' if name else '<section class="tab">\n'

"""Finds the dead links of a finished site. Links to other sites are not checked."""

import html
import posixpath
import re
from urllib.parse import unquote, urlsplit

# Every "<" and ">" of a text is escaped, so text between them is a tag.
_TAG = re.compile(r'<[a-z][^<>]*>', re.IGNORECASE)
_ATTRIBUTE = re.compile(r' (id|href|src)="([^"]*)"')


class _Page:
    """The links and the anchors of one page, with their lines."""

    def __init__(self, text):
        self.links, self.anchors, self.twice = [], set(), []
        for tag in _TAG.finditer(text):
            for name, value in _ATTRIBUTE.findall(tag[0]):
                value = html.unescape(value)
                if name != 'id':
                    self.links.append((tag.start(), value))
                elif value in self.anchors:
                    self.twice.append((tag.start(), value))
                else:
                    self.anchors.add(value)
        self.text = text

    def line(self, place):
        """The line of a position in the text, from 1."""
        return self.text.count('\n', 0, place) + 1


def faults(files):
    """The dead links, one line each. `files` is {address: text or bytes}."""
    read = {}
    for address, content in files.items():
        if address.endswith('.html'):
            read[address] = _Page(content)
    found = []
    for address, page in read.items():
        found += [f'{address}:{page.line(at)}: the anchor #{anchor} is used twice'
                 for at, anchor in page.twice]
        for at, link in page.links:
            fault = _fault(address, link, files, read)
            if fault:
                found.append(f'{address}:{page.line(at)}: {link} {fault}')
    return found


def _fault(address, link, files, read):
    """The fault of one link, or None."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    if link.startswith('/'):
        return 'begins with a slash, but the site may be served below a path'
    path = unquote(parts.path)
    target = address
    if path:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(address), path))
    if target not in files:
        return 'has no target'
    if parts.fragment and target in read and unquote(parts.fragment) not in read[target].anchors:
        return f'has no anchor on {target}'
    return None

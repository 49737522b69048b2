"""Follows every link of a finished site within it.

Must not go out to the network: what other sites have is not checked.
"""

import html
import posixpath
import re
from urllib.parse import unquote, urlsplit

# Every "<" and ">" of a text is escaped, so what stands between them is a tag.
_TAG = re.compile(r'<[a-z][^<>]*>', re.IGNORECASE)
_ATTRIBUTE = re.compile(r' (id|href|src)="([^"]*)"')


class _Page:
    """The links and the anchors of one page, with the lines on which they stand."""

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
        """Of a place in the text, from 1."""
        return self.text.count('\n', 0, place) + 1


def faults(files):
    """What is wrong, a line each. `files` is {address: text or bytes}."""
    read = {}
    for address, content in files.items():
        if address.endswith('.html'):
            read[address] = _Page(content)
    told = []
    for address, page in read.items():
        told += [f'{address}:{page.line(at)}: two things are called #{anchor}'
                 for at, anchor in page.twice]
        for at, link in page.links:
            fault = _fault(address, link, files, read)
            if fault:
                told.append(f'{address}:{page.line(at)}: {link} {fault}')
    return told


def _fault(address, link, files, read):
    """What is wrong with one link, or None."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    if link.startswith('/'):
        return 'begins at the host: the site may stand below a path'
    path = unquote(parts.path)
    target = address
    if path:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(address), path))
    if target not in files:
        return 'leads nowhere'
    if parts.fragment and target in read and unquote(parts.fragment) not in read[target].anchors:
        return f'leads to no part of {target}'
    return None

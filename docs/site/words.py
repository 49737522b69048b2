"""The index that the search in the browser reads: words, where they stand, how much they say there.

Must not know HTML: sections are text.
"""

import json
import math
import re

_WORD = re.compile(r'[^\W_]+(?:[_\-/.][^\W_]+)*', re.UNICODE)
_PART = re.compile(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+')
# They stand everywhere, and lead nowhere.
_COMMON = frozenset('a an and are as at be by do for from has have if in is it its not of on or '
                    'that the then there this to was what when where which who with you '
                    'your'.split())
_EXCERPT_LETTERS = 220
_TERM_LETTERS_MAX = 40
_HEADING, _TITLE = 12.0, 3.0


def terms_of(text):
    """The terms of a text, each as often as it stands there: words, and the parts of names."""
    for word in _WORD.findall(text):
        whole = word.lower()
        if len(whole) <= _TERM_LETTERS_MAX and whole not in _COMMON:
            yield whole
        parts = [part.lower() for piece in re.split(r'[_\-/.]', word)
                 for part in _PART.findall(piece)]
        if len(parts) > 1:
            for part in parts:
                if len(part) > 1 and part not in _COMMON:
                    yield part


def make(pages):
    """The index as JSON: pages, entries (the sections), and {term: [entry, score, …]}."""
    told, entries, terms = [], [], {}
    for number, page in enumerate(page for page in pages if page.sections):
        told.append([page.address, page.title, page.kind])
        for section in page.sections:
            for term, score in _scores(page, section).items():
                terms.setdefault(term, []).extend((len(entries), score))
            heading = '' if section.title == page.title else section.title
            entries.append([number, section.anchor, heading, _excerpt(section.text)])
    return json.dumps({'pages': told, 'entries': entries, 'terms': dict(sorted(terms.items()))},
                      ensure_ascii=False, separators=(',', ':'))


def _scores(page, section):
    """{term: score}, whole numbers: a word in a heading says more than one in the text, and the
    tenth in a text little more than the first."""
    counts = {}
    for term in terms_of(section.text):
        counts[term] = counts.get(term, 0) + 1
    length = 1 + math.log10(1 + len(section.text) / 400)
    scores = {term: (1 + math.log2(count)) / length for term, count in counts.items()}
    for text, weight in ((section.title, _HEADING), (page.title, _TITLE)):
        found = list(terms_of(text))
        for term in dict.fromkeys(found):
            scores[term] = scores.get(term, 0) + weight / math.sqrt(len(found))
    # The page itself goes ahead of its parts.
    weight = section.weight * (1.0 if section.anchor else 1.6)
    return {term: max(1, round(10 * score * weight)) for term, score in scores.items()}


def _excerpt(text):
    if len(text) <= _EXCERPT_LETTERS:
        return text
    return text[:_EXCERPT_LETTERS].rsplit(' ', 1)[0] + ' …'

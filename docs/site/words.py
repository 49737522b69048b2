"""The index of the search: for each term, the sections that have it, with scores.

Layering: sections are plain text; static/search.js reads the index.
"""

import json
import math
import re

from contents import INDEX
from tree import SiteFailed

SYNONYMS = 'docs/site/synonyms.toml'
_WORD = re.compile(r'[^\W_]+(?:[_\-/.][^\W_]+)*', re.UNICODE)
_PART = re.compile(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+')
# Words of every page, which the search ignores.
_COMMON = frozenset('a an and are as at be by do for from has have if in is it its not of on or '
                    'that the then there this to was what when where which who with you '
                    'your i my can does how use using get into out up make behind per too '
                    'already'.split())
_EXCERPT_LETTERS = 220
_TERM_LETTERS_MAX = 40
_HEADING, _TITLE, _DESCRIPTION, _KEYWORD = 12.0, 3.0, 4.0, 10.0
# Guides come before tutorials and headers, and pages for users before those about Eider itself.
_WEIGHTS = {'tutorial': 0.8, 'header': 0.35, 'migration': 0.4, 'design': 0.35, 'changes': 0.25,
            'measured': 0.25}


def terms_of(text):
    """The terms of a text, with repetitions: words, and the parts of names."""
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


def make(pages, synonyms):
    """The index as JSON: pages, entries (the sections), {term: [entry, score, …]}, and the words
    that the search ignores or also searches for."""
    listed, entries, terms = [], [], {}
    keywords = dict(synonyms['keywords'])
    for number, page in enumerate(
            page for page in pages if page.sections and page.source != INDEX):
        listed.append([page.address, page.title, page.kind])
        phrases = keywords.pop(page.source, [])
        for section in page.sections:
            for term, score in _scores(page, section, phrases).items():
                terms.setdefault(term, []).extend((len(entries), score))
            heading = '' if section.title == page.title else section.title
            text = section.text if section.anchor or not page.description else page.description
            entries.append([number, section.anchor, heading, _excerpt(text.replace('`', ''))])
    if keywords:
        raise SiteFailed(SYNONYMS, f'[keywords] lists {", ".join(keywords)}, but there is no such '
                         'page. Fix the path, or remove it.')
    return json.dumps({'pages': listed, 'entries': entries, 'terms': dict(sorted(terms.items())),
                       'common': sorted(_COMMON), 'synonyms': _by_phrase(synonyms)},
                      ensure_ascii=False, separators=(',', ':'))


def _by_phrase(synonyms):
    """{phrase: [phrase, …]} of synonyms.toml, whose groups work in all directions."""
    found = {}
    for group in synonyms['groups']:
        for phrase in group:
            found.setdefault(phrase, []).extend(other for other in group if other != phrase)
    for phrase, others in synonyms['see'].items():
        found.setdefault(phrase, []).extend(others)
    return found


def _scores(page, section, phrases):
    """{term: score} as whole numbers. A term counts most in a heading, and the tenth time it occurs
    in a text hardly more than the first.

    phrases  what readers type to find the page
    """
    counts = {}
    for term in terms_of(section.text):
        counts[term] = counts.get(term, 0) + 1
    length = 1 + math.log10(1 + len(section.text) / 400)
    scores = {term: (1 + math.log2(count)) / length for term, count in counts.items()}
    texts = [(section.title, _HEADING), (page.title, _TITLE)]
    if not section.anchor:
        texts.append((page.description, _DESCRIPTION))
    for text, weight in texts:
        # In "FAQ: frequently asked questions", the part before the colon counts as the title.
        for part in (text.partition(':')[0], text):
            found = list(terms_of(part))
            for term in dict.fromkeys(found):
                scores[term] = scores.get(term, 0) + weight / 2 / math.sqrt(len(found))
    if not section.anchor:
        found = {}
        for phrase in phrases:
            words = list(terms_of(phrase))
            found.update({term: max(found.get(term, 0), _KEYWORD / math.sqrt(len(words)))
                          for term in words})
        for term, score in found.items():
            scores[term] = scores.get(term, 0) + score
    # A page comes before its sections.
    weight = _WEIGHTS.get(page.kind, 1.0) * (1.0 if section.anchor else 1.6)
    return {term: max(1, round(10 * score * weight)) for term, score in scores.items()}


def _excerpt(text):
    if len(text) <= _EXCERPT_LETTERS:
        return text
    return text[:_EXCERPT_LETTERS].rsplit(' ', 1)[0] + ' …'

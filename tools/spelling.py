"""Finds misspelled words in pages, with hunspell and the words of docs/words.txt.

Without hunspell or its American dictionary, no word is checked.
"""

import re
import subprocess

_WORD = re.compile(
    r"(?<![\w./:@#<=\\-])[A-Za-z]?[a-z]+(?:['’][a-z]+)?(?![\w@/(=…>]|[.-][\w-]|:[\w/:])")
# A single word in quotes is a value.
_VALUE = re.compile(r"""(["'])\w+\1""")


def words_of(page):
    """Returns {word: line} of the plain words of a page: no names in code, paths or
    abbreviations."""
    found = {}
    for block in page.blocks:
        for word in _WORD.findall(_VALUE.sub(' ', block.text)):
            found.setdefault(word.replace('’', "'").removesuffix("'s"), block.line)
    return found


def known_words(root):
    """Returns the words of docs/words.txt."""
    lines = (root / 'docs/words.txt').read_text(encoding='utf-8').splitlines()
    return {line.strip().lower() for line in lines if line.strip() and line[0] != '#'}


def unknown(words):
    """Returns the words that hunspell does not know."""
    try:
        ended = subprocess.run(['hunspell', '-d', 'en_US', '-l'], input='\n'.join(sorted(words)),
                               text=True, capture_output=True, check=False, timeout=60)
    except FileNotFoundError:
        return set()
    return set(ended.stdout.split()) if ended.returncode == 0 else set()


def faults_of(pages, root):
    """Returns {page: [(line, word)]} of misspelled words."""
    words = {page.name: words_of(page) for page in pages}
    known = known_words(root)
    wrong = {word for word in unknown({word for found in words.values() for word in found})
             if word.lower() not in known}
    return {name: sorted((line, word) for word, line in found.items() if word in wrong)
            for name, found in words.items() if wrong & {*found}}

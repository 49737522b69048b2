"""Checks the language of the documentation: long sentences, unusual words, titles, first programs.

Layering: reads Markdown and the lists of docs/; starts no other program.
"""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import spelling
from first_blocks import first_program

ROOT = Path(__file__).resolve().parent.parent
SENTENCE_WORDS_MAX = 30
MARKERS_PER_1000_MAX = 5
PAGE_WORDS_MAX = 1200
SETTINGS = 'docs/lint.toml'

# Words that made older pages of this project hard to read; see the style guide.
MARKERS = re.compile(
    r'\b(?:told|tells|stands?|stood|asked|asks|whoever|nobody|somebody|everybody|strangers?'
    r'|behind(?! (?:\w+ ){0,3}(?:prox\w+|nginx|HAProxy|load balancers?|CDNs?|firewalls?|NATs?)\b)'
    r'|beside|ahead of|unless said|as ever|mends?|mended|save (?:for|where|that|what|by)|but for'
    r'|of late|many an?|one\'s own|as of(?= \w+s\b)'
    r'|(?:is|are) none|(?<!there )(?:is|are) no(?! (?:longer|more|need|different)\b) )\b', re.I)
MALE = re.compile(r'\b(?:he|him|his|himself)\b', re.I)
BRITISH = re.compile(
    r'\b(?:behaviour|colour|favour|honour|neighbour|licence|defence|catalogue|centre|artefact|grey'
    r'|modelled|labelled|travelled'
    r'|(?:author|initial|normal|organ|optim|recogn|serial|summar|synchron|real|minim|maxim|custom'
    r'|special|central|final|sanit|util|token|general|standard)is(?:e|es|ed|ing|ation))\w*\b', re.I)
_ABBREVIATION = re.compile(r'\b(?:e\.g|i\.e|etc|vs|cf|approx|no)\.$', re.I)
_SENTENCE_END = re.compile(r'(?<=[.!?…])["”’)\]*]*\s+(?=["“(\[*]*[A-Z0-9])')
_WORD = re.compile(r"[^\W_][\w'’/.+-]*")
_ITEM = re.compile(r'\s*(?:[-*+]|\d+\.|>)\s+')
_FENCE = re.compile(r'^\s*(```|~~~)')


@dataclass
class Block:
    """A paragraph, list item, heading or table row: its first line and its text without markup."""
    line: int
    kind: str  # 'text', 'heading', 'cells'
    text: str


@dataclass(eq=False)
class Page:
    """A page in the form that the checks need."""
    name: str
    text: str
    blocks: list = field(default_factory=list)

    @property
    def words(self):
        """The number of words of prose."""
        return sum(count_words(block.text) for block in self.blocks)

    @property
    def sentences(self):
        """[(line, sentence)] of its paragraphs and list items."""
        return [(block.line, sentence) for block in self.blocks if block.kind == 'text'
                for sentence in sentences_of(block.text)]

    @property
    def markers(self):
        """[(line, word)] of the unusual words."""
        return [(block.line, found[0].strip()) for block in self.blocks
                for found in MARKERS.finditer(block.text)]


def plain(markdown):
    """Returns a line of Markdown without markup: code is a single word, links are their text."""
    text = re.sub(r'(`+).*?\1', 'Code', markdown)
    text = re.sub(r'!\[[^\]]*\]\([^)]*\)', '', text)
    text = re.sub(r'\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])', r'\1', text)
    text = re.sub(r'<[^>\s][^>]*>', '', text)
    return re.sub(r'\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)', '', text)


def blocks_of(text):
    """Returns the blocks of prose of a page, without code blocks and comments."""
    text = re.sub(r'<!--.*?-->', lambda found: '\n' * found[0].count('\n'), text, flags=re.S)
    blocks, parts, start, in_code = [], [], 0, False

    def close():
        if parts:
            blocks.append(Block(start, 'text', plain(' '.join(parts))))
            parts.clear()

    for number, line in enumerate(text.splitlines(), 1):
        if _FENCE.match(line):
            in_code = not in_code
            close()
        elif in_code or line.startswith('    ') and not parts and not _ITEM.match(line):
            continue
        elif line.startswith('#'):
            close()
            blocks.append(Block(number, 'heading', plain(line.lstrip('# '))))
        elif line.lstrip().startswith('|'):
            close()
            if not re.fullmatch(r'[\s|:-]+', line):
                blocks.append(Block(number, 'cells', plain(line).replace('|', ' ')))
        elif not line.strip():
            close()
        else:
            item = _ITEM.match(line)
            if item:
                close()
                line = line[item.end():]
            if not parts:
                start = number
            parts.append(line.strip())
    close()
    return blocks


def sentences_of(text):
    """Returns the sentences of a block."""
    sentences = []
    for part in _SENTENCE_END.split(text):
        if sentences and _ABBREVIATION.search(sentences[-1]):
            sentences[-1] += ' ' + part
        else:
            sentences.append(part)
    return [sentence for sentence in sentences if sentence.strip()]


def count_words(text):
    """Returns the number of words in a text."""
    return len(_WORD.findall(text))


def read_page(path, name):
    """Returns the page of a file."""
    text = Path(path).read_text(encoding='utf-8')
    return Page(name, text, blocks_of(text))


def read_terms(root):
    """Returns a pattern that finds one of the terms of docs/terms.txt."""
    lines = (root / 'docs/terms.txt').read_text(encoding='utf-8').splitlines()
    terms = [re.escape(line.strip()) for line in lines if line.strip() and line[0] != '#']
    return re.compile(rf'(?<!\w)(?:{"|".join(terms)})(?:e?s)?(?!\w)', re.I)


def _sentence_faults(page):
    for line, sentence in page.sentences:
        count = count_words(sentence)
        start = ' '.join(sentence.split()[:8])
        if count > SENTENCE_WORDS_MAX:
            yield line, 'sentence', f'a sentence has {count} words (at most 30): "{start} …"'
        if re.match(r'["“(*]*(?:What|Who)\b', sentence) and '?' not in sentence:
            yield line, 'what', f'a statement begins with What or Who: "{start} …"'


def _word_faults(page):
    for block in page.blocks:
        for found in MALE.finditer(block.text):
            yield block.line, 'male', f'"{found[0]}": write "they" or name the person'
        for found in BRITISH.finditer(block.text):
            yield block.line, 'spelling', f'"{found[0]}" is British spelling: use American'


def language_faults(page):
    """Returns [(line, rule, text)] of violations of the rules for sentences and words."""
    return [*_sentence_faults(page), *_word_faults(page)]


def _marker_faults(page):
    markers = page.markers
    if len(markers) > max(1, MARKERS_PER_1000_MAX * page.words / 1000):
        shown = ', '.join(f'{word} (line {line})' for line, word in markers)
        yield 1, 'markers', (f'{len(markers)} unusual words in {page.words} words '
                             f'(at most {MARKERS_PER_1000_MAX} per 1,000): {shown}')


def faults_of(page, terms):
    """Returns [(line, rule, text)] of violations of the rules on a page, in the order of its
    lines."""
    faults = [*language_faults(page), *_marker_faults(page)]
    if page.words > PAGE_WORDS_MAX:
        faults.append((1, 'length', f'the page has {page.words} words without code (at most '
                       f'{PAGE_WORDS_MAX}): split it'))
    title = page.blocks[0] if page.blocks else None
    if title is None or title.kind != 'heading' or not terms.search(title.text):
        shown = title.text if title else ''
        faults.append((1, 'title', f'the title "{shown}" has no term of docs/terms.txt'))
    program = first_program(page.text)
    if program and not program.is_complete:
        faults.append((1, 'main', 'the first cpp block is not a complete program: no "int main"'))
    return sorted(faults)


def faults_of_all(pages, settings, root):
    """Returns {page: [(line, text)]} of several pages, with spelling and without exceptions."""
    terms = read_terms(root)
    return allowed_faults({page: faults_of(page, terms) for page in pages}, settings, root)


def allowed_faults(faults_by_page, settings, root):
    """Returns {page name: [(line, text)]} of the errors and misspellings, without exceptions."""
    misspelled, found = spelling.faults_of(faults_by_page, root), {}
    for page, faults in faults_by_page.items():
        wrong = [(line, 'spelling', f'"{word}" is misspelled, or missing in docs/words.txt')
                 for line, word in misspelled.get(page.name, [])]
        found[page.name] = [(line, text) for line, rule, text in sorted([*faults, *wrong])
                            if not settings.allows(page.name, rule)]
    return found


def root_of(path):
    """Returns the repository that contains a file."""
    return next((parent for parent in path.parents if (parent / '.git').exists()), ROOT)


def pages_of(root):
    """Returns all pages that the checks cover, as paths relative to the repository."""
    return sorted(path.relative_to(root).as_posix()
                  for pattern in ('*.md', 'arena/*.md', 'arena/*/README.md', 'docs/**/*.md')
                  for path in root.glob(pattern))


@dataclass
class Settings:
    """docs/lint.toml: exceptions with their reasons."""
    exceptions: dict

    @classmethod
    def read(cls, root):
        """Returns the settings of a repository."""
        read = tomllib.loads((root / SETTINGS).read_text(encoding='utf-8'))
        return cls(read.get('exceptions', {}))

    def allows(self, name, rule):
        """Returns whether a page may violate a rule."""
        return bool({rule, 'all'} & {*self.exceptions.get(name, {})})


def check(root, extra_faults=None):
    """Checks every page.

    extra_faults  {page: [text]} of errors that other checks found, such as a compiler
    returns       {page: [text]} of pages that fail, and of exceptions for missing pages
    """
    settings, failed = Settings.read(root), {}
    names = pages_of(root)
    by_page = faults_of_all([read_page(root / name, name) for name in names], settings, root)
    for name in names:
        faults = [f'{name}:{line}: {text}' for line, text in by_page[name]]
        if not settings.allows(name, 'compile'):
            faults += (extra_faults or {}).get(name, [])
        if faults:
            failed[name] = faults
    for name in sorted(name for name in {*settings.exceptions} - set(names)
                       if not (root / name).is_file()):
        failed[name] = [f'{SETTINGS} lists {name}, which does not exist: remove it']
    return failed


def figures_of(page):
    """Returns (words, sentences, words per sentence, unusual words per 1,000) of a page."""
    sentences = [count_words(sentence) for _, sentence in page.sentences]
    average = sum(sentences) / len(sentences) if sentences else 0
    return (page.words, len(sentences), average,
            1000 * len(page.markers) / page.words if page.words else 0)

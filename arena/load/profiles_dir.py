"""The directory of HttpArena's profiles: a list of items, and a page's files and their compressed
forms. Made once, with a seed, so that all get the same bytes.

Must not take anything from HttpArena except the names and sizes in its rules.
"""

import functools
import gzip
import json
import random
import zlib

from load import brotli
from peers.manifest import BUILD

SIZES = {
    "reset.css": 8192, "layout.css": 25600, "theme.css": 18432, "components.css": 204800,
    "utilities.css": 61440, "analytics.js": 12288, "helpers.js": 22528, "app.js": 204800,
    "vendor.js": 307200, "router.js": 35840, "header.html": 122880, "footer.html": 56320,
    "regular.woff2": 18432, "bold.woff2": 22528, "logo.svg": 15344, "icon-sprite.svg": 71680,
    "hero.webp": 46080, "thumb1.webp": 8192, "thumb2.webp": 6144, "manifest.json": 2883}
TYPES = {"css": "text/css", "js": "text/javascript", "html": "text/html", "svg": "image/svg+xml",
         "json": "application/json", "woff2": "font/woff2", "webp": "image/webp"}
ITEMS = 50
_GZIP_LEVEL, _BROTLI_QUALITY = 9, 11

_CATEGORIES = ("garden", "kitchen", "lighting", "stationery", "workshop")
_THINGS = ("Kettle", "Lantern", "Ledger", "Mallet", "Planter", "Spade", "Stool", "Tripod")
_MATERIALS = ("Ash", "Brass", "Copper", "Linen", "Maple", "Slate", "Steel", "Wicker")
_TAGS = ("classic", "gift", "handmade", "limited", "new", "outdoor", "sale", "sturdy")
# Signatures by which browsers, and servers that read the files, recognize their type.
_MAGIC = {"woff2": b"wOF2", "webp": b"RIFF\0\0\0\0WEBPVP8 "}
# Per text type: its beginning, its lines, its end. {w} is a word, {n} a number, {h} hexadecimal.
_SHAPES = {
    "css": ("@charset 'utf-8';\n", (".{w}-{w} > .{w} {{ {w}-{w}: {n}px; color: #{h}; }}\n",
            "@media (min-width: {n}px) {{ .{w}:hover {{ margin: {n}px {n}px; }} }}\n",
            "#{w} .{w}-{w} {{ transform: translate({n}%, {n}%); {w}: var(--{w}-{w}); }}\n"), ""),
    "js": ("'use strict';\n", ("function {w}{w}({w}, {w}) {{ return {w}.{w}({w}, {n}) || {w}; }}\n",
           "const {w}_{w} = {w}.map(({w}) => {w}['{w}'] * {n} + 0x{h});\n",
           "  if ({w}.{w} !== {n}) {{ {w}.{w}('{w} {w}: ' + {w}); }}\n",
           "// The {w} of {w} {w} {w} {w}, {n} {w}.\n"), ""),
    "html": ("<!doctype html>\n<title>Arena</title>\n", (
        '<li class="{w} {w}-{w}"><a href="/{w}/{w}/{n}">{w} {w} {w}</a></li>\n',
        '<p id="{w}-{n}">{w} {w} {w} <em>{w}</em> {w} {w} {w}.</p>\n',
        '<img src="/{w}/{h}.webp" alt="{w} {w}" width="{n}" height="{n}">\n'), ""),
    "svg": ('<svg xmlns="http://www.w3.org/2000/svg">\n', (
        '<path id="{w}-{w}" d="M{n} {n}l{n} -{n}c{n} {n} {n} {n} {n} {n}z" fill="#{h}"/>\n',
        '<g class="{w}" transform="rotate({n})"><circle cx="{n}" cy="{n}" r="{n}"/></g>\n',
        '<use href="#{w}-{w}" x="{n}" y="{n}"/>\n'), "</svg>\n"),
    "json": ('{"name": "arena", "parts": [\n', (
        '{{"src": "/{w}/{w}-{h}.webp", "sizes": "{n}x{n}", "purpose": "{w} {w}"}},\n',),
        '{"src": "/last.webp"}]}\n')}


@functools.cache
def items():
    """Returns the items of /json/{count}, in order."""
    chance = random.Random("items")
    return [{"id": number, "name": f"{chance.choice(_MATERIALS)} {chance.choice(_THINGS)}",
             "category": chance.choice(_CATEGORIES), "price": chance.randint(1, 500),
             "quantity": chance.randint(1, 99), "active": chance.random() < 0.7,
             "tags": chance.sample(_TAGS, chance.randint(1, 4)),
             "rating": {"score": chance.randint(1, 50), "count": chance.randint(1, 999)}}
            for number in range(1, ITEMS + 1)]


def kind_of(name):
    """Returns the extension."""
    return name.rpartition(".")[2]


def is_text(name):
    """Whether there are also compressed forms."""
    return kind_of(name) in _SHAPES


@functools.cache
def content(name):
    """Returns the bytes of /static/{name}."""
    chance, size = random.Random(name), SIZES[name]
    if not is_text(name):
        magic = _MAGIC[kind_of(name)]
        return magic + chance.randbytes(size - len(magic))
    start, lines, end = _SHAPES[kind_of(name)]
    words = _Words(chance)
    told, left = [start], size - len(start) - len(end)
    while len(line := words.line(chance.choice(lines))) <= left:
        told.append(line)
        left -= len(line)
    return "".join([*told, " " * left, end]).encode()


class _Words:
    """Fills lines with words: few are frequent and many are rare, as in natural text."""
    _SYLLABLES = ("ba", "co", "den", "fi", "gra", "hol", "ik", "lum", "mer", "no", "pra", "sti",
                  "tor", "un", "vel", "za")
    _COUNT, _OFTEN = 600, 1.6

    def __init__(self, chance):
        self._chance = chance
        self._words = ["".join(chance.choices(self._SYLLABLES, k=chance.randint(2, 4)))
                       for _ in range(self._COUNT)]

    def line(self, shape):
        """Returns the shape with random words and numbers."""
        return shape.format_map(self)

    def __getitem__(self, slot):
        if slot == "n":
            return str(self._chance.randint(0, 999))
        if slot == "h":
            return f"{self._chance.randrange(1 << 24):06x}"
        return self._words[int(self._COUNT * self._chance.random() ** self._OFTEN)]


def forms(name):
    """Returns {file name: bytes} of a file and, if it is text, its compressed forms."""
    plain = content(name)
    found = {name: plain}
    if is_text(name):
        found[f"{name}.gz"] = gzip.compress(plain, _GZIP_LEVEL, mtime=0)
        found[f"{name}.br"] = brotli.compress(plain, _BROTLI_QUALITY)
    return found


def ensure(folder=None):
    """Returns the directory: dataset.json and static/, with complete files."""
    folder = folder or BUILD / "profiles"
    static = folder / "static"
    static.mkdir(parents=True, exist_ok=True)
    _write(folder / "dataset.json", json.dumps(items(), indent=1).encode())
    for name in SIZES:
        if not _is_whole(static, name):
            for form, data in forms(name).items():
                _write(static / form, data)
    return folder


def _is_whole(static, name):
    """Whether the result of forms() exists already. Does not compress, which takes seconds."""
    plain = content(name)
    readers = {name: bytes} | ({f"{name}.gz": gzip.decompress, f"{name}.br": _unbrotli}
                               if is_text(name) else {})
    try:
        return all(read((static / form).read_bytes()) == plain for form, read in readers.items())
    except (OSError, EOFError, zlib.error, brotli.NotBrotli):
        return False


def _unbrotli(data):
    return brotli.decompress(data, max(SIZES.values()))


def _write(path, data):
    if not path.exists() or path.read_bytes() != data:
        draft = path.with_name(path.name + ".new")
        draft.write_bytes(data)
        draft.rename(path)

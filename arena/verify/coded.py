"""Content-Encoding: which one an answer has, and what its body is without it.

Must not take a coding that nobody asked for.
"""

import zlib

from load import brotli
from verify.framing import WrongAnswer

PLAIN = ("",)
COMPRESSED = ("gzip", "br")
EITHER = ("", "gzip", "br")
_BYTES_MAX = 4 << 20
_GZIP = 31  # zlib's window bits, and a header of gzip's


def plain(fields, body, codings):
    """The body decoded; WrongAnswer where its coding is none of those, "" being none at all."""
    told = ", ".join(fields.get("content-encoding", ())).strip().lower()
    if told not in codings:
        owed = " or ".join(repr(coding) if coding else "none" for coding in codings)
        raise WrongAnswer(f"Content-Encoding is {told!r}, not {owed}")
    if not told:
        return body
    try:
        return _gunzip(body) if told == "gzip" else brotli.decompress(body, _BYTES_MAX)
    except (zlib.error, brotli.NotBrotli) as failure:
        raise WrongAnswer(f"the body is no {told}: {failure}") from None


def _gunzip(body):
    """One whole stream and nothing behind it."""
    reader = zlib.decompressobj(_GZIP)
    found = reader.decompress(body, _BYTES_MAX)
    if not reader.eof or reader.unused_data:
        raise zlib.error("it has no end, or something behind it")
    return found

"""Content-Encoding: the coding of a response, and its decoded body.

Must not accept a coding that the request does not allow.
"""

import zlib

from load import brotli
from verify.framing import WrongAnswer

PLAIN = ("",)
COMPRESSED = ("gzip", "br")
EITHER = ("", "gzip", "br")
_BYTES_MAX = 4 << 20
_GZIP = 31  # zlib's window bits, with a header of gzip


def plain(fields, body, codings):
    """Returns the decoded body; raises WrongAnswer if its coding is not allowed, "" means none."""
    told = ", ".join(fields.get("content-encoding", ())).strip().lower()
    if told not in codings:
        owed = " or ".join(repr(coding) if coding else "none" for coding in codings)
        raise WrongAnswer(f"Content-Encoding is {told!r}, not {owed}")
    if not told:
        return body
    try:
        return _gunzip(body) if told == "gzip" else brotli.decompress(body, _BYTES_MAX)
    except (zlib.error, brotli.NotBrotli) as failure:
        raise WrongAnswer(f"the body is not {told}: {failure}") from None


def _gunzip(body):
    """Decodes exactly one complete stream."""
    reader = zlib.decompressobj(_GZIP)
    found = reader.decompress(body, _BYTES_MAX)
    if not reader.eof or reader.unused_data:
        raise zlib.error("it has no end, or something after its end")
    return found

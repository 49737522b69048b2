"""The responses of HttpArena's profiles: items with prices, counted uploads, files from the disk.

Must not require one spelling of JSON, nor compression if it is optional.
"""

import json
import os
from dataclasses import dataclass
from functools import partial

from load import profiles_dir
from load.wrk import HOST
from verify import answers
from verify.answers import Expected, request_bytes
from verify.coded import COMPRESSED, EITHER, PLAIN
from verify.framing import Reader, WrongAnswer, read_answer
from verify.refusals import Refusal, Taken

JSON = "application/json"
OCTETS = "Content-Type: application/octet-stream"
BOTH_CODINGS = "Accept-Encoding: gzip, br"
OF_BROWSERS = "Accept-Encoding: br;q=1, gzip;q=0.8"
UPLOADS = (500 * 1024, 2 << 20, 10 << 20, 20 << 20)
_SHOWN_BYTES = 200
_CHUNK_BYTES = 16_000
# Values that HttpArena's load does not use, to detect responses prepared for that load.
_COUNTS = ((12, 1), (22, 5), (31, 9), (50, 2), (1, 11), (10, 2))
_COMPRESSED_COUNTS = ((25, 3), (40, 7), (50, 2))


def priced(count, multiplier):
    """Returns a function that checks a response of /json/{count}?m=."""
    return partial(_judge_priced, count, multiplier)


def _judge_priced(count, multiplier, body):
    try:
        found = json.loads(body)
    except ValueError:
        raise WrongAnswer(f"no JSON: {body[:_SHOWN_BYTES]!r}") from None
    if not isinstance(found, dict) or set(found) != {"items", "count"} \
            or not isinstance(found["items"], list):
        raise WrongAnswer(f"no items and count: {body[:_SHOWN_BYTES]!r}")
    if found["count"] != count or len(found["items"]) != count:
        raise WrongAnswer(f"{len(found['items'])} items and the count {found['count']}, not "
                          f"{count}")
    for told, item in zip(found["items"], profiles_dir.items()):
        owed = item | {"total": item["price"] * item["quantity"] * multiplier}
        # 1, 1.0 and true are equal in Python, but not in JSON.
        if json.dumps(told, sort_keys=True) != json.dumps(owed, sort_keys=True):
            raise WrongAnswer(f"the item is {told!r}, not {owed!r}")


def items(count, multiplier, codings=PLAIN):
    """Returns the required response of /json/{count}?m=."""
    return Expected(b"", JSON, judge=priced(count, multiplier), codings=codings)


def _asked(words, headers, count, multiplier, codings=PLAIN):
    path = f"/json/{words}"
    told = f"{path} {' '.join(headers)}".strip()
    return Taken(told, request_bytes(path, HOST, headers), items(count, multiplier, codings))


# A too large count or an invalid multiplier must not cause an error.
FIRST_OF_JSON = (
    *(_asked(f"{count}?m={multiplier}", (), count, multiplier) for count, multiplier in _COUNTS),
    _asked("7", (), 7, 1), _asked("7?m=many", (), 7, 1), _asked("60?m=2", (), 50, 2),
    Refusal("no number as a count", request_bytes("/json/many?m=2", HOST), ("4",)))
FIRST_OF_COMPRESSED = (
    *(_asked(f"{count}?m={multiplier}", (BOTH_CODINGS,), count, multiplier, COMPRESSED)
      for count, multiplier in _COMPRESSED_COUNTS),
    _asked("50?m=1", (), 50, 1),
    _asked("50?m=1", ("Accept-Encoding: gzip",), 50, 1, ("", "gzip")),
    _asked("50?m=1", ("Accept-Encoding: identity",), 50, 1))


@dataclass(frozen=True)
class Upload:
    """A body of `size` random bytes, which must be counted.

    is_chunked  the length is not sent in advance
    """
    size: int
    is_chunked: bool = False

    def check(self, port, address="127.0.0.1", via=answers.dial):
        """Raises WrongAnswer or OSError."""
        how = "in chunks" if self.is_chunked else "at once"
        try:
            with via(port, address=address) as connection:
                connection.sendall(self._request())
                status, fields, told = read_answer(Reader(connection))
            if not status.startswith("HTTP/1.1 200"):
                raise WrongAnswer(f"the status line is {status!r}")
            answers.check_content(fields, told, counted(self.size), True, ())
        except WrongAnswer as wrong:
            raise WrongAnswer(f"{self.size} bytes {how}: {wrong}") from None

    def _request(self):
        body = os.urandom(self.size)
        framed = "Transfer-Encoding: chunked" if self.is_chunked else f"Content-Length: {self.size}"
        if self.is_chunked:
            pieces = (body[at:at + _CHUNK_BYTES] for at in range(0, self.size, _CHUNK_BYTES))
            body = b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in pieces) + b"0\r\n\r\n"
        head = f"POST /upload HTTP/1.1\r\nHost: {HOST}\r\n{OCTETS}\r\n{framed}\r\n\r\n"
        return head.encode() + body


def counted(size):
    """Returns the required response of /upload for this size."""
    return Expected(b"%d" % size, "text/plain")


FIRST_OF_UPLOAD = (Upload(17), Upload(48), Upload(1), *map(Upload, UPLOADS),
                   Upload(17, True), Upload(300_001, True))


def file(name, codings=PLAIN):
    """Returns the required response of /static/{name}; only text may be compressed."""
    allowed = codings if profiles_dir.is_text(name) else PLAIN
    return Expected(profiles_dir.content(name), profiles_dir.TYPES[profiles_dir.kind_of(name)],
                    codings=allowed)


def _file_asked(name, headers, codings):
    path = f"/static/{name}"
    return Taken(f"{path} {' '.join(headers)}".strip(), request_bytes(path, HOST, headers),
                 file(name, codings))


def first_of_static():
    """All files with and without compression, and a missing one."""
    return (*(_file_asked(name, (), PLAIN) for name in profiles_dir.SIZES),
            *(_file_asked(name, (OF_BROWSERS,), EITHER) for name in profiles_dir.SIZES),
            Refusal("a file that is not there",
                    request_bytes("/static/nonexistent.txt", HOST), ("404",)))

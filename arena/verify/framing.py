"""Reads one HTTP/1.1 response from a connection: its headers, and its body by length or in chunks.

Must not check anything except its framing: verify/answers.py does.
"""

TIMEOUT_SECONDS = 10
HEAD_BYTES_MAX = 64 * 1024
_HEXADECIMAL = b"0123456789abcdefABCDEF"


class WrongAnswer(Exception):
    """Describes the error in a sentence."""


class Reader:
    """The bytes of one connection, in order of arrival."""

    def __init__(self, connection):
        self.connection, self.unread = connection, b""

    def _receive(self):
        try:
            data = self.connection.recv(1 << 18)
        except TimeoutError:
            raise WrongAnswer(f"no complete response within {TIMEOUT_SECONDS} s") from None
        if not data:
            raise WrongAnswer("the connection ended before the response was complete")
        self.unread += data

    def until(self, mark, bytes_max):
        """Returns the bytes before the mark; removes both."""
        while mark not in self.unread:
            if len(self.unread) > bytes_max:
                raise WrongAnswer(f"no {mark!r} within {bytes_max} bytes: {self.unread[:60]!r}")
            self._receive()
        found, _, self.unread = self.unread.partition(mark)
        return found

    def exactly(self, size):
        """Returns exactly this many bytes."""
        while len(self.unread) < size:
            self._receive()
        found, self.unread = self.unread[:size], self.unread[size:]
        return found


def _chunked(reader):
    pieces = []
    while True:
        size_text = reader.until(b"\r\n", 64).partition(b";")[0].strip()
        if not size_text or size_text.strip(_HEXADECIMAL):
            raise WrongAnswer(f"the size of a chunk is {size_text!r}")
        size = int(size_text, 16)
        if size == 0:
            while reader.until(b"\r\n", HEAD_BYTES_MAX):
                pass  # trailer fields
            return b"".join(pieces)
        pieces.append(reader.exactly(size))
        if reader.exactly(2) != b"\r\n":
            raise WrongAnswer("a chunk is longer than its size says")


def fields_of(head):
    """Returns (status line, {lowercase name: [values]}) of the headers."""
    status, *lines = head.decode("latin-1").split("\r\n")
    fields = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise WrongAnswer(f"the header line {line!r} is not valid")
        fields.setdefault(name.lower(), []).append(value.strip())
    return status, fields


def read_answer(reader):
    """Returns (status line, headers, body); raises WrongAnswer if the framing is wrong."""
    status, fields = fields_of(reader.until(b"\r\n\r\n", HEAD_BYTES_MAX))
    lengths = fields.get("content-length", [])
    codings = fields.get("transfer-encoding", [])
    if codings and not lengths:
        if [coding.lower() for coding in codings] != ["chunked"]:
            raise WrongAnswer(f"Transfer-Encoding is {', '.join(codings)!r}")
        return status, fields, _chunked(reader)
    if codings or len(lengths) != 1:
        raise WrongAnswer(f"{len(lengths)} Content-Length and {len(codings)} Transfer-Encoding "
                          "fields: exactly one of both must be there")
    if not lengths[0].isdecimal():
        raise WrongAnswer(f"Content-Length is {lengths[0]!r}")
    return status, fields, reader.exactly(int(lengths[0]))

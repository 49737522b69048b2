"""Requirements in addition to the measured response: rejected and accepted requests, and response
headers.

Must not require one format of errors: each project has its own, but must name the wrong members.
"""

import re
import select
from dataclasses import dataclass

from verify import answers
from verify.framing import HEAD_BYTES_MAX, Reader, WrongAnswer, fields_of, read_answer

_WORD, _POINTED_AT = re.compile(r"\w+"), re.compile(r"""(?<=["'/.\]])\w+(?=["'/.\[])""")
_SHOWN_BYTES = 300
_DECIDES_SECONDS = 0.2  # a server that rejects because of the headers has responded by then


@dataclass(frozen=True)
class Refusal:
    """A request that must be rejected.

    title     what is wrong with it
    request   its bytes; the body is sent if the headers alone were not rejected
    statuses  allowed status codes as texts: ("422",) or a class, ("4",)
    named     words in the body of the response: each wrong member
    unnamed   correct members that it must not report as "name", /name or lines.name
    """
    title: str
    request: bytes
    statuses: tuple
    named: tuple = ()
    unnamed: tuple = ()

    def check(self, port, address="127.0.0.1", via=answers.dial):
        """Raises WrongAnswer or OSError."""
        try:
            with via(port, address=address) as connection:
                _send_unless_answered(connection, self.request)
                self._judge(Reader(connection))
        except WrongAnswer as wrong:
            raise WrongAnswer(f"{self.title}: {wrong}") from None

    def _judge(self, reader):
        if self.named or self.unnamed:
            status, _, content = read_answer(reader)
        else:  # the end of the connection may delimit the response
            status, content = fields_of(reader.until(b"\r\n\r\n", HEAD_BYTES_MAX))[0], b""
        code = status.partition(" ")[2]
        if not code.startswith(self.statuses):
            raise WrongAnswer(f"the status line is {status!r}, not {' or '.join(self.statuses)}")
        text = content.decode("utf-8", "replace")
        told, pointed_at = set(_WORD.findall(text)), set(_POINTED_AT.findall(text))
        for word in self.named:
            if word not in told:
                raise WrongAnswer(f"{word!r} is not named in {content[:_SHOWN_BYTES]!r}")
        for word in self.unnamed:
            if word in pointed_at:
                raise WrongAnswer(f"{word!r}, which is right, is named in "
                                  f"{content[:_SHOWN_BYTES]!r}")


def _send_unless_answered(connection, request):
    """Sends headers first: unread data would end the connection before the response is read."""
    head, end, content = request.partition(b"\r\n\r\n")
    connection.sendall(head + end)
    if content and not select.select([connection], [], [], _DECIDES_SECONDS)[0]:
        connection.sendall(content)


@dataclass(frozen=True)
class Taken:
    """A request that must be accepted like the measured one, although it looks invalid."""
    title: str
    request: bytes
    expected: answers.Expected

    def check(self, port, address="127.0.0.1", via=answers.dial):
        """Raises WrongAnswer or OSError."""
        try:
            answers.check(port, self.request, 1, self.expected, True, (), address, via)
        except WrongAnswer as wrong:
            raise WrongAnswer(f"{self.title}: {wrong}") from None


@dataclass(frozen=True)
class Fields:
    """Response headers that middleware adds.

    request  the request to send
    present  regular expressions, each of which must match "name: value" of a header
    unique   name of a header that differs in each response
    """
    request: bytes
    present: tuple
    unique: str

    def check(self, port, address="127.0.0.1", via=answers.dial):
        """Raises WrongAnswer or OSError."""
        with via(port, address=address) as connection:
            reader, seen = Reader(connection), set()
            for _ in range(2):
                connection.sendall(self.request)
                _, fields, _ = read_answer(reader)
                self._judge(fields)
                seen.add(fields[self.unique][0])
        if len(seen) < 2:
            raise WrongAnswer(f"two responses have the same {self.unique}")

    def _judge(self, fields):
        lines = [f"{name}: {value}" for name, values in fields.items() for value in values]
        for pattern in (*self.present, f"{self.unique}: .+"):
            if not any(re.fullmatch(pattern, line, re.IGNORECASE) for line in lines):
                raise WrongAnswer(f"no field {pattern!r} in the response")

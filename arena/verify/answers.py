"""Checks byte for byte that a contestant's responses are correct, before and during a measurement.

Must not be lenient: one wrong or missing response disqualifies the run.
"""

import email.utils
import json
import socket
import time
from dataclasses import dataclass

from verify import coded
from verify.framing import TIMEOUT_SECONDS, Reader, WrongAnswer, read_answer

CLOCK_SECONDS_MAX = 5
_STRAY_SECONDS = 0.02
OURS = ("date", "server")
JSON_TYPE = "Content-Type: application/json"
_SAME_TYPES = {"application/javascript": "text/javascript"}  # RFC 9239, section 6


@dataclass(frozen=True)
class Expected:
    """The response that every contestant must send. A constant server does not know time or path.

    closes        the connection ends after it
    is_announced  and the header Connection says so, as RFC 9112, section 9.6 requires
    is_object     the body is compared as a JSON object, because members have no order
    codings       allowed values of Content-Encoding, "" for none; the decoded body is compared
    judge         checks the body instead, and raises WrongAnswer: for random rows

    An empty content_type is not checked.
    """
    body: bytes
    content_type: str
    closes: bool = False
    is_object: bool = False
    is_announced: bool = True
    judge: object = None
    codings: tuple = coded.PLAIN


def request_bytes(path, host, headers=(), method="GET", body=b""):
    """Returns the bytes that the generator sends for it."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *headers]
    if body:
        lines += [*type_of_body(headers), f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def type_of_body(headers):
    """Returns (JSON_TYPE,), or () if the headers contain a Content-Type."""
    is_said = any(header.lower().startswith("content-type:") for header in headers)
    return () if is_said else (JSON_TYPE,)


def dial(port, address="127.0.0.1"):
    """Opens a connection. It disables Nagle's algorithm: after a TLS handshake, data would wait for
    an acknowledgement that a server may delay by 40 ms.
    """
    connection = socket.create_connection((address, port), timeout=TIMEOUT_SECONDS)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def check(port, request, count, expected, has_clock, required=OURS, address="127.0.0.1", via=dial):
    """Sends `request` `count` times in one write and checks every response, like check_all."""
    return check_all(port, [(request, expected)] * count, has_clock, required, address, via)


def check_all(port, asked, has_clock, required=OURS, address="127.0.0.1", via=dial):
    """Sends all requests in one write and checks that all responses arrive in this order.

    asked     (request bytes, Expected) of each
    required  names of headers that each response must have in addition to Content-Type
    via       opens the connection, like dial()
    returns   the names of the headers that all responses had
    """
    told = None
    with via(port, address=address) as connection:
        connection.sendall(b"".join(request for request, _ in asked))
        reader = Reader(connection)
        for _, expected in asked:
            status, fields, body = read_answer(reader)
            _check_head(status, fields, expected)
            check_content(fields, body, expected, has_clock, required)
            told = set(fields) if told is None else told & set(fields)
        _check_end(connection, reader, asked[-1][1])
    return told


def _check_head(status, fields, expected):
    if not status.startswith("HTTP/1.1 200"):
        raise WrongAnswer(f"the status line is {status!r}")
    told = [value.lower() for value in fields.get("connection", ())]
    if expected.closes and expected.is_announced and "close" not in told:
        raise WrongAnswer("Connection: close is not answered")


def check_content(fields, body, expected, has_clock, required):
    """Checks headers and body of one response, for every version of HTTP, like check_all."""
    for name in required:
        if not any(fields.get(name, ())):
            raise WrongAnswer(f"no {name} field")
    if expected.content_type:
        _check_type(fields, expected)
    if has_clock and "date" in fields:
        _check_date(fields["date"][0])
    _check_body(coded.plain(fields, body, expected.codings), expected)


def _check_type(fields, expected):
    told = (fields.get("content-type") or [""])[0]
    if not told:
        raise WrongAnswer("no content-type field")
    name = told.partition(";")[0].strip().lower()
    if _SAME_TYPES.get(name, name) != expected.content_type:
        raise WrongAnswer(f"Content-Type is {told!r}, not {expected.content_type!r}")


def _check_body(body, expected):
    if expected.judge is not None:
        expected.judge(body)
        return
    if body == expected.body:
        return
    if expected.is_object:
        try:
            if json.loads(body) == json.loads(expected.body):
                return
        except ValueError:
            pass
    where = next((i for i, (a, b) in enumerate(zip(body, expected.body)) if a != b),
                 min(len(body), len(expected.body)))
    raise WrongAnswer(f"the body is {body[:60]!r} ({len(body)} bytes), not {expected.body[:60]!r} "
                      f"({len(expected.body)} bytes): byte {where} differs")


def _check_end(connection, reader, expected):
    """Checks that nothing follows the last response, except the end if it was requested."""
    if not expected.closes:
        connection.settimeout(_STRAY_SECONDS)
    try:
        reader.unread += connection.recv(60)
        is_ended = not reader.unread
    except TimeoutError:
        is_ended = False
    except ConnectionResetError:
        is_ended = True
    if reader.unread:
        raise WrongAnswer(f"stray bytes after the response: {reader.unread[:60]!r}")
    if expected.closes and not is_ended:
        raise WrongAnswer("the connection does not close after the response")
    if is_ended and not expected.closes:
        raise WrongAnswer("the connection closes after the response without a reason")


def _check_date(date):
    try:
        told = email.utils.parsedate_to_datetime(date).timestamp()
    except ValueError:
        raise WrongAnswer(f"Date is {date!r}") from None
    if abs(time.time() - told) > CLOCK_SECONDS_MAX:
        raise WrongAnswer(f"Date is {date!r}, which is not now")

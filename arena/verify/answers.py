"""Checks byte for byte that a contestant answers what it must, before and while it is timed.

Must not be lenient: one wrong or missing answer disqualifies the run.
"""

import email.utils
import socket
import time
from dataclasses import dataclass

TIMEOUT_SECONDS = 10
CLOCK_SECONDS_MAX = 5


class WrongAnswer(Exception):
    """What was wrong with it, in a sentence."""


@dataclass
class Expected:
    """What every contestant must answer. A constant server cannot know the time or the path."""
    body: bytes
    content_type: str
    closes: bool = False


def request_bytes(path, host, headers=()):
    """The bytes that wrk sends for it."""
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def check(port, request, count, expected, has_clock):
    """Sends `request` `count` times in one write and checks every answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_SECONDS) as connection:
        connection.sendall(request * count)
        unread = b""
        for _ in range(count):
            head, body, unread = _read_answer(connection, unread)
            _check_head(head, expected, has_clock)
            if body != expected.body:
                raise WrongAnswer(f"the body is {body[:60]!r}, not {expected.body[:60]!r}")
        if unread:
            raise WrongAnswer(f"stray bytes after the answer: {unread[:60]!r}")
        if expected.closes and connection.recv(1):
            raise WrongAnswer("the connection does not close after the answer")


def _read_answer(connection, unread):
    while b"\r\n\r\n" not in unread:
        unread += _receive(connection)
    head, _, unread = unread.partition(b"\r\n\r\n")
    lengths = [line.partition(b":")[2] for line in head.split(b"\r\n")
               if line.lower().startswith(b"content-length:")]
    if len(lengths) != 1:
        raise WrongAnswer(f"{len(lengths)} Content-Length fields")
    length = int(lengths[0])
    while len(unread) < length:
        unread += _receive(connection)
    return head, unread[:length], unread[length:]


def _receive(connection):
    try:
        data = connection.recv(65536)
    except TimeoutError:
        raise WrongAnswer(f"no whole answer within {TIMEOUT_SECONDS} s") from None
    if not data:
        raise WrongAnswer("the connection ended before the answer was whole")
    return data


def _check_head(head, expected, has_clock):
    status, *lines = head.decode("latin-1").split("\r\n")
    if status != "HTTP/1.1 200 OK":
        raise WrongAnswer(f"the status line is {status!r}")
    fields = {}
    for line in lines:
        name, _, value = line.partition(":")
        fields[name.lower()] = value.strip()
    for name in ("date", "server", "content-type"):
        if not fields.get(name):
            raise WrongAnswer(f"no {name} field")
    if fields["content-type"].partition(";")[0] != expected.content_type:
        raise WrongAnswer(f"Content-Type is {fields['content-type']!r}")
    if expected.closes and fields.get("connection", "").lower() != "close":
        raise WrongAnswer("Connection: close is not answered")
    if has_clock:
        _check_date(fields["date"])


def _check_date(date):
    try:
        told = email.utils.parsedate_to_datetime(date).timestamp()
    except ValueError:
        raise WrongAnswer(f"Date is {date!r}") from None
    if abs(time.time() - told) > CLOCK_SECONDS_MAX:
        raise WrongAnswer(f"Date is {date!r}, which is not now")

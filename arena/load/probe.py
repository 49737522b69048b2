"""Sends the cell's request to a contestant outside of the generator and checks the response.

Must not be lenient: every later response must have all headers of the first one.
"""

import dataclasses
import functools

from experiments import model
from load import certificates
from load.wrk import HOST
from verify import answers, sealed, websockets
from verify.answers import Expected, request_bytes

_VARIES = {"connection", "keep-alive"}


def of(cell, contestant):
    """Returns the probe of the cell."""
    if cell.kind == model.HTTP2:
        return StreamsProbe(cell, contestant)
    return SocketProbe(cell) if cell.kind in model.SOCKETS else Probe(cell, contestant)


def via(cell, protocol=sealed.H1):
    """Returns a function that opens the cell's connections."""
    if not cell.is_secure:
        return answers.dial
    client = sealed.context(certificates.trusted_for(cell), protocol)
    return functools.partial(sealed.dial, client=client, host=HOST)


class SocketProbe:
    """Checks a WebSocket cell; an upgrade has no response whose headers must stay the same."""

    depth = 1
    sent = None

    def __init__(self, cell):
        self._cell = cell

    def check(self, port, address="127.0.0.1"):
        """Raises WrongAnswer or OSError."""
        if self._cell.kind == model.BROADCAST:
            websockets.check_room(port, address=address)
        else:
            websockets.check_echo(port, self._cell.ask.path, self._cell.message_bytes, address)


def _owed(cell, contestant):
    """Returns the required response; the manifest names its intended differences."""
    serves, expected = contestant.peer.data["serves"], cell.expected(contestant.is_floor)
    return dataclasses.replace(
        expected, is_announced=serves.get("is_close_announced", True),
        content_type=expected.content_type if serves.get("is_typed", True) else "")


class Probe:
    """Checks the responses of one contestant in one cell."""

    def __init__(self, cell, contestant):
        self.request, self._first = cell.ask.request(), cell.ask.first
        self.depth = cell.depth
        self.expected = _owed(cell, contestant)
        self.via = via(cell)
        self.has_clock = not contestant.is_floor and not cell.is_proxied  # its Date is forwarded
        self.required = set(contestant.peer.headers)
        self.can_label = "labels" in contestant.peer.cases
        self.sent = None  # header names of the first response

    def check(self, port, address="127.0.0.1"):
        """Raises WrongAnswer or OSError."""
        told = answers.check(port, self.request, self.depth, self.expected, self.has_clock,
                             sorted(self.required), address, self.via)
        if self.sent is None:
            self.sent = told
            self.required |= told - _VARIES - {"content-type"}
            self._check_order(port, address)
            for owed in self._first:
                owed.check(port, address, self.via)

    def _check_order(self, port, address):
        """Checks the order of pipelined responses; this needs responses that differ."""
        if self.depth > 1 and self.can_label:
            labels = [f"label{number}" for number in range(self.depth)]
            asked = [(request_bytes(f"/test/labels/{label}", HOST),
                      Expected(label.encode(), "text/plain")) for label in labels]
            answers.check_all(port, asked, self.has_clock, (), address, self.via)


class StreamsProbe(Probe):
    """Checks an HTTP/2 cell: as many concurrent streams as the load has, on one connection.

    Uses labels if the contestant has them: equal responses do not show which stream they belong to.
    """

    def __init__(self, cell, contestant):
        super().__init__(cell, contestant)
        self._path, self.depth = cell.ask.path, cell.streams
        self.via = via(cell, sealed.H2)
        self._scheme = "https" if cell.is_secure else "http"

    def check(self, port, address="127.0.0.1"):
        """Raises WrongAnswer or OSError."""
        told = self._ask(port, address, [(self._path, self.expected)] * self.depth,
                         sorted(self.required))
        if self.sent is None:
            self.sent = told
            self.required |= told - _VARIES - {"content-type"}
            if self.can_label:
                self._ask(port, address, [(f"/test/labels/{number}", Expected(
                    str(number).encode(), "text/plain")) for number in range(self.depth)], ())

    def _ask(self, port, address, asked, required):
        from verify import http2  # pylint: disable=import-outside-toplevel
        # Only these cells need the package h2, so the others can run without it.
        with self.via(port, address=address) as connection:
            return http2.check(connection, self._scheme, HOST, asked, self.has_clock, required)

"""Asks one contestant the cell's question outside the generator and judges the answer.

Must not forgive: a field that the first answer had must be in every later one.
"""

import dataclasses

from experiments import model
from load.wrk import HOST
from verify import answers, websockets
from verify.answers import Expected, request_bytes

_VARIES = {"connection", "keep-alive"}


def of(cell, contestant):
    """What asks the cell's question."""
    return SocketProbe(cell) if cell.kind in model.SOCKETS else Probe(cell, contestant)


class SocketProbe:
    """The questions of a WebSocket cell: an upgrade has no answer with fields to be kept to."""

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


class Probe:
    """The questions of one cell to one contestant."""

    def __init__(self, cell, contestant):
        self.request = cell.ask.request()
        self.depth = cell.depth
        self.expected = dataclasses.replace(
            cell.expected(contestant.is_floor),
            is_announced=contestant.peer.data["serves"].get("is_close_announced", True))
        self.has_clock = not contestant.is_floor
        self.required = set(contestant.peer.headers)
        self.can_label = "labels" in contestant.peer.cases
        self.sent = None  # the names of the fields of the first answer

    def check(self, port, address="127.0.0.1"):
        """Raises WrongAnswer or OSError."""
        told = answers.check(port, self.request, self.depth, self.expected, self.has_clock,
                             sorted(self.required), address)
        if self.sent is None:
            self.sent = told
            self.required |= told - _VARIES - {"content-type"}
            self._check_order(port, address)

    def _check_order(self, port, address):
        """Pipelined requests that are all alike cannot show in which order they are answered."""
        if self.depth > 1 and self.can_label:
            labels = [f"label{number}" for number in range(self.depth)]
            asked = [(request_bytes(f"/test/labels/{label}", HOST),
                      Expected(label.encode(), "text/plain")) for label in labels]
            answers.check_all(port, asked, self.has_clock, (), address)

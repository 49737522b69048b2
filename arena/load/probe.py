"""Asks one contestant the cell's question outside the generator and judges the answer.

Must not forgive: a field that the first answer had must be in every later one.
"""

from verify import answers

_VARIES = {"connection", "keep-alive"}


class Probe:
    """The questions of one cell to one contestant."""

    def __init__(self, cell, contestant):
        self.request = cell.ask.request()
        self.depth = cell.depth
        self.expected = cell.expected(contestant.is_floor)
        self.has_clock = not contestant.is_floor
        self.required = set(contestant.peer.headers)
        self.sent = None  # the names of the fields of the first answer

    def check(self, port, address="127.0.0.1"):
        """Raises WrongAnswer or OSError."""
        told = answers.check(port, self.request, self.depth, self.expected, self.has_clock,
                             sorted(self.required), address)
        if self.sent is None:
            self.sent = told
            self.required |= told - _VARIES - {"content-type"}

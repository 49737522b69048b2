"""Measures a cell by Eider's own closed loops: messages, broadcasts, event streams, uploads.

Must not judge: errors are handed on as they were counted.
"""

from experiments import model
from load import eider_load, ours
from load.outcome import GeneratorFailed
from load.wrk import HOST

NAME = "eider_load"
_MODES = {model.UPLOAD: "closed"}
_WORDS = {
    model.UPLOAD: ("--body-bytes", "{message_bytes}"),
    model.WEBSOCKET: ("--bytes", "{message_bytes}"),
    model.BROADCAST: ("--bytes", "{message_bytes}"),
    model.EVENTS: ("--events", "{events}"),
}


def words_of(cell):
    """What eider_load is asked for, without where and for how long."""
    more = [word.format(**vars(cell)) for word in _WORDS[cell.kind]]
    return [_MODES.get(cell.kind, cell.kind), "--path", cell.ask.path,
            "--connections", str(cell.connections), *more]


def parse(text):
    """The Report in its output; GeneratorFailed with what it said instead."""
    if not text.lstrip().startswith("{"):
        raise GeneratorFailed(text.strip()[:200] or "eider_load said nothing")
    report, _ = ours.adapted(lambda: eider_load.parse(text))
    return report


class Generator:
    """eider_load for one cell, as load/generators.py knows generators."""

    NAME = NAME
    parse = staticmethod(parse)

    def __init__(self, cell):
        self._cell = cell

    def command(self, load, port, threads):
        """The whole command line."""
        threads = 1 if self._cell.kind == model.BROADCAST else min(threads, load.connections)
        return [str(eider_load.program()), *words_of(self._cell), "--port", str(port), "--json",
                "--host", HOST, "--seconds", str(max(1, round(load.seconds))),
                "--threads", str(threads)]

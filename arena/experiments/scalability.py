"""Experiment 1: throughput of a small response with a growing number of connections.

Must not name a contestant: all get the same requests.
"""

from experiments.model import HELLO, Ask, Cell, Experiment, Published

_WHO = ("Crow", "lithium", "Bun")
_NOTES = ("two 32-core Xeon 6338", "two 32-core Xeon 6338, 64 threads",
          "two 32-core Xeon 6338, one process")
_PUBLISHED = {
    10: ("260k, 0 % errors", "90k, 0 %", "48k, 0 %"),
    100: ("315k, 0 % errors", "245k, 0 %", "53k, 0 %"),
    1000: ("380k, 0 % errors", "275k, 0 %", "54k, 0 %"),
    10000: ("350k, 0.002 % errors", "240k, 0 %", "47k, 0 %"),
}


def experiment(machine):
    """Four cells: 10, 100, 1,000 and 10,000 connections."""
    cells = tuple(_cell(count, values) for count, values in _PUBLISHED.items())
    return Experiment(
        "scalability", "1. Scalability of a small response",
        machine.scale("with bombardier, GET /simple, the server on all 64 cores' threads"),
        cells, generator="bombardier")


def _cell(count, values):
    published = tuple(Published(*row) for row in zip(_WHO, values, _NOTES))
    return Cell(f"c{count}", f"{count:,} connections", Ask("/simple", HELLO), ("plaintext",),
                connections=count, metric="per_second", published=published, is_quick=count == 100)

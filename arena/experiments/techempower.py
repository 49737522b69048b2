"""Experiment 4: TechEmpower's plaintext, pipelined 16 deep, and its JSON.

Must not claim to be complete: experiments/database.py has the tests with a database.
"""

from experiments.model import HELLO, JSON, Ask, Cell, Experiment, Published, both

_DEPTH = 16


def experiment(machine):
    """Two cells."""
    published = (Published("Cutelyst", "2.8 million/s",
                           "1 million/s before deep pipelining stopped overflowing its stack"),)
    return Experiment(
        "techempower", "4. TechEmpower: plaintext and JSON",
        machine.scale("on TechEmpower's machines"),
        (Cell("plaintext", f"plaintext, pipelined {_DEPTH} deep, 64 connections",
              Ask("/plaintext", HELLO), ("plaintext", "pipelined"), depth=_DEPTH,
              metric="per_second", bound=both(1.12), published=published, is_quick=True),
         Cell("json", "JSON, 64 connections", Ask("/json", JSON), ("json",), metric="per_second",
              bound=both(1.05), is_quick=True)))

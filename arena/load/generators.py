"""Chooses the closed-loop generator of a cell.

Must not change a cell: a generator that does not support it is replaced by wrk, with a note.
"""

import shutil

from load import bombardier, eider_bench, h2load, httpress, oha, outcome, secured, wrk
from peers import oha as peers_oha

KNOWN = {module.NAME: module
         for module in (wrk, h2load, oha, bombardier, httpress, eider_bench)}


def is_there(name):
    """Whether the program is in PATH, or built."""
    if name == eider_bench.NAME:
        return eider_bench.is_there()
    return peers_oha.program() is not None if name == oha.NAME else shutil.which(name) is not None


def choose(load, published_with, asked=None):
    """Returns (generator, why it is not the one requested or "")."""
    if load.is_secure:
        return secured, ""  # the only one with a choice of the suite
    if not asked and load.depth > 1 and is_there(eider_bench.NAME):
        return eider_bench, ""  # wrk has no latency for pipelined requests
    wanted = asked or published_with
    if not is_there(wanted):
        return wrk, f"{wanted} is not installed"
    if not KNOWN[wanted].can(load) or ((load.mix or load.allowed) and wanted != wrk.NAME):
        return wrk, f"{wanted} cannot do it"
    return KNOWN[wanted], ""


def start(generator, load, port, cores):
    """Starts it with the same cores and threads for every contestant."""
    return outcome.start(generator.command(load, port, len(cores)), cores)


def finish(generator, process, seconds_max):
    """Returns its Report."""
    return outcome.finish(process, seconds_max, generator.parse)

"""Eider's own generator in a closed loop: what wrk cannot tell, the latency of pipelined requests.

Must not judge: errors are handed on as they were counted.
"""

from load import eider_load, ours
from load.wrk import HOST

NAME = "eider_load"


def is_there():
    """True when the program is built."""
    try:
        eider_load.program()
    except eider_load.NotBuilt:
        return False
    return True


def can(load):
    """It keeps its connections and sends no header of the caller's."""
    return not load.headers


def command(load, port, threads):
    """The whole command line."""
    return [str(eider_load.program()), "closed", "--port", str(port), "--json", "--host", HOST,
            "--path", load.path, "--connections", str(load.connections),
            "--seconds", str(max(1, round(load.seconds))), "--depth", str(load.depth),
            "--threads", str(min(threads, load.connections))]


def parse(text):
    """The Report in its output."""
    report, _ = ours.adapted(lambda: eider_load.parse(text))
    return report

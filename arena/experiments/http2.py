"""HTTP/2: few and many streams on few and many connections, with h2load; one cell over TLS.

Must not name a contestant's private flag: all get the same requests. There are no published
figures.
"""

from experiments import model
from experiments.model import HELLO, Ask, Cell, Experiment, both

COUNTS = (1, 100)
_SEALED_STREAMS, _SEALED_CONNECTIONS = 10, 100
# The bound: the best of those that take part.
_RIVALS = ("nginx", "h2o", "nghttpd")


def experiment(machine):
    """Five cells: 1 and 100 streams on each of 1 and 100 connections, and one over TLS."""
    matrix = [_cell(streams, connections, ("http2",)) for streams in COUNTS
              for connections in COUNTS]
    return Experiment(
        "http2", "HTTP/2", machine.scale() + " Without TLS, clients use "
        "prior knowledge; with TLS, ALPN. Responses are verified on as many streams at once as the "
        "load has. The number of requests depends on the speed of each contestant.",
        (*matrix, _cell(_SEALED_STREAMS, _SEALED_CONNECTIONS, ("http2-tls",), is_secure=True)),
        generator="h2load")


def _cell(streams, connections, needs, is_secure=False):
    return Cell(f"{'tls-' if is_secure else ''}s{streams}c{connections}",
                f"{_counted(streams, 'stream')} on each of {_counted(connections, 'connection')}"
                + (", TLS" if is_secure else ""), Ask("/plaintext", HELLO), needs,
                kind=model.HTTP2, streams=streams, connections=connections, is_secure=is_secure,
                bound=both(1.0), bound_over=_RIVALS)


def _counted(count, word):
    return f"{count} {word}{'' if count == 1 else 's'}"

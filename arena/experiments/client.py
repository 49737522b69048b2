"""Contestants as clients: all send requests to the same epoll floor.

Must not name a contestant's private flag: all get the same task. There are no published figures.
"""

from experiments import model
from experiments.model import HELLO, Ask, Cell, Experiment, both

CONNECTIONS = 64
BODY_BYTES = 1024
# The bound: the best of those that take part.
_RIVALS = ("aeronet", "libcurl", "cpp-httplib", "beast", "hyper", "fasthttp")


def experiment(_machine):
    """Three cells: one connection, many, and many with a body."""
    return Experiment(
        "client", "HTTP client", "No published figures. The client has the server's core. A "
        "bare epoll loop that always sends the same response has the core of the load, and is not "
        "counted. The CPU time is that of the client's process without its start and end.", (
            _cell("c1", "GET, 1 connection", 1),
            _cell("c64", f"GET, {CONNECTIONS} connections", CONNECTIONS),
            _cell("post", f"POST of {BODY_BYTES // 1024} KiB of JSON, {CONNECTIONS} connections",
                  CONNECTIONS, "POST", BODY_BYTES)))


def _cell(cell_id, title, connections, method="GET", body_bytes=0):
    return Cell(cell_id, title, Ask("/plaintext", HELLO, method), ("client",), kind=model.CLIENT,
                connections=connections, message_bytes=body_bytes, bound=both(1.0),
                bound_over=_RIVALS)

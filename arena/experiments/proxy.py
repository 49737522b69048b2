"""A reverse proxy: what passing a request on costs, beside nginx in front of the same server.

Must not name a contestant's private flag: all are asked alike. Nobody published these.
"""

from experiments.model import HELLO, Ask, Cell, Experiment, both

CONNECTIONS = 64
_ORIGIN = ("nginx",)


def experiment(machine):
    """One cell."""
    return Experiment(
        "proxy", "Reverse proxy", machine.scale("nowhere with figures") + " All pass requests on "
        "to the same bare epoll loop over connections that they keep. It runs on the load's cores "
        "and is not counted.",
        (Cell("keep", f"keep-alive, {CONNECTIONS} connections", Ask("/proxy/plaintext", HELLO),
              ("proxy",), connections=CONNECTIONS, is_proxied=True, bound=both(1.0),
              bound_over=_ORIGIN),))

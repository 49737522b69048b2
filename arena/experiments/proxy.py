"""A reverse proxy: the cost of forwarding a request, compared with nginx and the same upstream.

Must not name a contestant's private flag: all get the same requests. There are no published
figures.
"""

from experiments import model
from experiments.model import CLOSE, HELLO, Ask, Cell, Experiment, both, closing
from verify.answers import Expected

CONNECTIONS = 64
LARGE_BYTES, LARGE_CONNECTIONS = 2**20, 8
MESSAGE_BYTES = 16
_ORIGIN = ("nginx",)


def experiment(machine):
    """Four cells: kept connections, new ones, large responses, WebSockets."""
    large = Expected(b"x" * LARGE_BYTES, "application/octet-stream")
    return Experiment(
        "proxy", "Reverse proxy", machine.scale() + " All proxies forward "
        "requests to the same bare epoll loop over keep-alive connections, and WebSockets to "
        "Eider. The upstreams run on the load's cores and are not counted.", (
            _cell("keep", f"keep-alive, {CONNECTIONS} connections", Ask("/proxy/plaintext", HELLO)),
            _cell("new", f"a new connection for each request, {CONNECTIONS} at a time",
                  Ask("/proxy/plaintext", closing(HELLO), headers=CLOSE), ("proxy", "close")),
            _cell("b1m", f"responses of 1 MiB, {LARGE_CONNECTIONS} connections",
                  Ask(f"/proxy/bytes/{LARGE_BYTES}", large), connections=LARGE_CONNECTIONS,
                  proxied_bytes=LARGE_BYTES),
            _cell("websocket", f"WebSocket, echo of {MESSAGE_BYTES} bytes, {CONNECTIONS} "
                  "connections", Ask("/proxy/ws", Expected(b"", "")), ("proxy", "tunnel"),
                  kind=model.WEBSOCKET, message_bytes=MESSAGE_BYTES)))


def _cell(cell_id, title, ask, needs=("proxy",), **more):
    return Cell(cell_id, title, ask, needs, is_proxied=True, bound=both(1.0), bound_over=_ORIGIN,
                **{"connections": CONNECTIONS, **more})

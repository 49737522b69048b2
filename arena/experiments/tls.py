"""TLS: the cost of encryption per request, handshake, large response and idle connection.

Must not name a contestant's private flag: all get the same requests. There are no published
figures.
"""

import random

from experiments import model
from experiments.model import CLOSE, HELLO, Ask, Cell, Experiment, both, closing
from verify.answers import Expected

CONNECTIONS = 64
CLIENTS = 8
IDLE_CONNECTIONS = 8000
LARGE_BYTES = 2**20
ECHO_BYTES = 10 * 2**10
_ORIGIN = ("nginx",)
_ECHOING = ("go-net-http", "h2o", "node")  # nginx cannot
_OCTETS = "application/octet-stream"


def experiment(machine):
    """Six cells."""
    return Experiment(
        "tls", "TLS 1.3", machine.scale() + " All clients offer "
        "only TLS_AES_128_GCM_SHA256 with X25519; the certificate is EC P-256. Idle is the growth "
        "of the RSS with that many connections, each after one response.", (
            _cell("keep", f"keep-alive, {CONNECTIONS} connections", Ask("/plaintext", HELLO)),
            _handshakes("new", "a new session for each request"),
            _handshakes("resumed", "a resumed session for each request", is_resumed=True),
            _cell("b1m", f"responses of 1 MiB, {CONNECTIONS} connections",
                  Ask(f"/bytes/{LARGE_BYTES}", Expected(b"x" * LARGE_BYTES,
                                                        _OCTETS)),
                  needs=("tls", "bodies")),
            _echo(),
            _cell("idle", f"{IDLE_CONNECTIONS:,} idle connections", Ask("/plaintext", HELLO),
                  kind=model.IDLE, connections=IDLE_CONNECTIONS, metric="bytes")))


def _cell(cell_id, title, ask, needs=("plaintext", "tls"), **more):
    return Cell(cell_id, title, ask, needs, is_secure=True, bound=both(1.0),
                **{"connections": CONNECTIONS, "bound_over": _ORIGIN, **more})


def _echo():
    body = random.Random("echo").randbytes(ECHO_BYTES)
    return _cell("echo", f"echo of {ECHO_BYTES // 1024} KiB, {CONNECTIONS} connections",
                 Ask("/echo", Expected(body, _OCTETS), "POST", body,
                     (f"Content-Type: {_OCTETS}",), allowed=(body,)),
                 needs=("tls", "echo"), bound_over=_ECHOING)


def _handshakes(cell_id, title, is_resumed=False):
    return _cell(cell_id, f"{title}, {CLIENTS} at a time",
                 Ask("/plaintext", closing(HELLO), headers=CLOSE), ("plaintext", "tls", "close"),
                 kind=model.HANDSHAKES, connections=CLIENTS, is_resumed=is_resumed)

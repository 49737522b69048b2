"""WebSocket and server-sent events: echo, broadcast, memory of idle sockets, open streams.

Must not name a contestant's private flag: all get the same requests. There are no published
figures.
"""

from experiments import model
from experiments.model import Ask, Cell, Experiment, both
from verify.answers import Expected

CONNECTIONS = 64
SUBSCRIBERS = 1000
IDLE_SOCKETS = 8000
IDLE_SOCKET_BYTES_MAX = 360
STREAMS = 1000
EVENTS = 100
_MESSAGE_BYTES = (16, 16384)
_BROADCAST_BYTES = 100
# The bound if it takes part.
_RIVAL = ("uwebsockets",)


def _upgrade(path):
    """A WebSocket has no response body: verify/websockets.py checks it."""
    return Ask(path, Expected(b"", ""))


def websocket(machine):
    """Four cells: echo of small and large messages, a broadcast, idle sockets."""
    return Experiment(
        "websocket", "WebSocket", machine.scale() + " A request is a "
        "message: echoed, or delivered in the broadcast. The next broadcast is sent when all "
        "sockets have the previous one.", (
            *(_echo(size) for size in _MESSAGE_BYTES),
            Cell("broadcast", f"broadcast of {_BROADCAST_BYTES} bytes to {SUBSCRIBERS:,}",
                 _upgrade("/ws/room/arena"), ("room",), kind=model.BROADCAST,
                 connections=SUBSCRIBERS, message_bytes=_BROADCAST_BYTES, bound=both(1.0),
                 bound_over=_RIVAL),
            Cell("idle", f"{IDLE_SOCKETS:,} idle sockets", _upgrade("/ws"), ("websocket",),
                 kind=model.IDLE_SOCKETS, connections=IDLE_SOCKETS, metric="bytes",
                 bound=both(IDLE_SOCKET_BYTES_MAX))))


def _echo(size):
    told = f"{size} bytes" if size < 1024 else f"{size // 1024} KiB"
    return Cell(f"echo{size}", f"echo of {told}, {CONNECTIONS} connections", _upgrade("/ws"),
                ("websocket",), kind=model.WEBSOCKET, connections=CONNECTIONS,
                message_bytes=size, bound=both(1.0), bound_over=_RIVAL, is_quick=size == 16)


def stream_text(events):
    """Returns the bytes of the response to GET /events?n=."""
    return "".join(f"data: {number}\n\n" for number in range(events)).encode()


def events(machine):
    """One cell: many concurrent event streams."""
    ask = Ask(f"/events?n={EVENTS}", Expected(stream_text(EVENTS), "text/event-stream"))
    return Experiment(
        "events", "Server-sent events", machine.scale() + " A request is an "
        "event. Each connection requests the next stream when one has ended.",
        (Cell("fan-out", f"{STREAMS:,} open streams of {EVENTS} events", ask, ("events",),
              kind=model.EVENTS, connections=STREAMS, events=EVENTS),))

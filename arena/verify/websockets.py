"""Checks a contestant's WebSocket: the upgrade, echo, fragments, pings, rooms, the close.

Must not be lenient: one wrong or missing frame disqualifies the run.
"""

import base64
import hashlib
import os
import socket
import struct
from contextlib import ExitStack

from verify import answers
from verify.framing import HEAD_BYTES_MAX, TIMEOUT_SECONDS, Reader, WrongAnswer, fields_of
from verify.refusals import Refusal

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
NORMAL = 1000
_FINAL, _MASKED, _RESERVED = 0x80, 0x80, 0x70
_ROOM = "/ws/room/probe"
_HOST = "arena.example"
_REASON, _BURST = b"that was all", 5


def request_bytes(path, key, host=_HOST):
    """Returns the request for the upgrade."""
    return (f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode()


def accept_of(key):
    """Returns the required Sec-WebSocket-Accept for this key (RFC 6455, section 4.2.2)."""
    return base64.b64encode(hashlib.sha1(key.encode() + _GUID).digest()).decode()


def frame(payload, opcode=TEXT, is_final=True, key=None):
    """Returns a client's frame."""
    key = key or os.urandom(4)
    size = len(payload)
    head = bytes([(_FINAL if is_final else 0) | opcode])
    if size < 126:
        head += bytes([_MASKED | size])
    elif size < 65536:
        head += bytes([_MASKED | 126]) + struct.pack(">H", size)
    else:
        head += bytes([_MASKED | 127]) + struct.pack(">Q", size)
    repeated = (key * (size // 4 + 1))[:size]
    masked = int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")
    return head + key + masked.to_bytes(size, "big")


class Socket:
    """One WebSocket. Use as a context manager."""

    def __init__(self, port, path, address="127.0.0.1"):
        self._connection = socket.create_connection((address, port), timeout=TIMEOUT_SECONDS)
        self._reader = Reader(self._connection)
        try:
            self._upgrade(path)
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._connection.close()

    def _upgrade(self, path):
        key = base64.b64encode(os.urandom(16)).decode()
        self._connection.sendall(request_bytes(path, key))
        status, fields = fields_of(self._reader.until(b"\r\n\r\n", HEAD_BYTES_MAX))
        check_upgrade(status, fields, key)

    def send(self, payload, opcode=TEXT, is_final=True):
        """Sends one frame."""
        self._connection.sendall(frame(payload, opcode, is_final))

    def read_frame(self):
        """Returns (opcode, whether it is final, payload)."""
        first, second = self._reader.exactly(2)
        if first & _RESERVED:
            raise WrongAnswer(f"reserved bits are set in a frame: {first:#x}")
        if second & _MASKED:
            raise WrongAnswer("a server's frame is masked")
        size = second
        if size == 126:
            size = struct.unpack(">H", self._reader.exactly(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self._reader.exactly(8))[0]
        return first & 0x0F, bool(first & _FINAL), self._reader.exactly(size)

    def read_message(self):
        """Returns (opcode, payload) of the next message, pong or close."""
        pieces, opcode = [], None
        while True:
            found, is_final, payload = self.read_frame()
            if found == PING:
                self.send(payload, PONG)
                continue
            if found in (PONG, CLOSE):
                return found, payload
            if (found == CONTINUATION) != (opcode is not None):
                raise WrongAnswer(f"a frame with opcode {found} is out of place")
            opcode = found if opcode is None else opcode
            pieces.append(payload)
            if is_final:
                return opcode, b"".join(pieces)

    def expect(self, opcode, payload):
        """Raises WrongAnswer unless this is the next message."""
        told = self.read_message()
        if told != (opcode, payload):
            raise WrongAnswer(f"opcode {told[0]} with {told[1][:40]!r} ({len(told[1])} bytes) "
                              f"came, not opcode {opcode} with {payload[:40]!r} "
                              f"({len(payload)} bytes)")

    def send_together(self, payloads):
        """Sends these texts in one write."""
        self._connection.sendall(b"".join(frame(payload) for payload in payloads))

    def close(self):
        """Performs the close handshake, with the same code in both directions."""
        self.send(struct.pack(">H", NORMAL) + _REASON, CLOSE)
        opcode, payload = self.read_message()
        if opcode != CLOSE or payload[:2] != struct.pack(">H", NORMAL):
            raise WrongAnswer(f"the close is answered by opcode {opcode} with {payload[:40]!r}")


def check_upgrade(status, fields, key):
    """Raises WrongAnswer unless the response accepts the upgrade."""
    if not status.startswith("HTTP/1.1 101"):
        raise WrongAnswer(f"the status line is {status!r}, not HTTP/1.1 101")
    told = {name: fields.get(name, [""])[0] for name in ("upgrade", "connection")}
    if told["upgrade"].lower() != "websocket" or "upgrade" not in told["connection"].lower():
        raise WrongAnswer(f"Upgrade is {told['upgrade']!r}, Connection {told['connection']!r}")
    if fields.get("sec-websocket-accept") != [accept_of(key)]:
        raise WrongAnswer(f"Sec-WebSocket-Accept is {fields.get('sec-websocket-accept')}")
    for name in ("sec-websocket-extensions", "sec-websocket-protocol"):
        if name in fields:
            raise WrongAnswer(f"{name} is {fields[name]}, but none was requested")


def check_echo(port, path="/ws", message_bytes=16, address="127.0.0.1"):
    """Checks a socket's life: all kinds of messages are echoed, pings and the close get responses.
    A request without an upgrade is rejected, and the next socket works as before.
    """
    _check_life(port, path, message_bytes, address)
    Refusal("no upgrade is requested", answers.request_bytes(path, _HOST), ("4",)).check(
        port, address)
    with Socket(port, path, address) as one:
        one.send(b"still there?")
        one.expect(TEXT, b"still there?")
        one.close()


def _check_life(port, path, message_bytes, address):
    with Socket(port, path, address) as one:
        for payload in (b"", "größer als ASCII €".encode(), b"x" * max(1, message_bytes)):
            one.send(payload)
            one.expect(TEXT, payload)
        noise = os.urandom(256)
        one.send(noise, BINARY)
        one.expect(BINARY, noise)
        texts = [os.urandom(8).hex().encode() for _ in range(_BURST)]
        one.send_together(texts)
        for text in texts:
            one.expect(TEXT, text)
        one.send("zwei Stü".encode(), TEXT, is_final=False)
        one.send(b"still there?", PING)
        one.expect(PONG, b"still there?")
        one.send("cke €".encode(), CONTINUATION)
        one.expect(TEXT, "zwei Stücke €".encode())
        one.close()


def check_room(port, path=_ROOM, address="127.0.0.1"):
    """Three sockets in a room receive each message, in order; one in another room does not."""
    with ExitStack() as stack:
        inside = [stack.enter_context(Socket(port, path, address)) for _ in range(3)]
        outside = stack.enter_context(Socket(port, path + "-next-door", address))
        for one in [*inside, outside]:
            _await_membership(one)
        for sender in inside:
            for payload in (b"first", b"second"):
                sender.send(payload)
                for one in inside:
                    one.expect(TEXT, payload)
        outside.send(b"only here")
        outside.expect(TEXT, b"only here")
        for one in [*inside, outside]:
            one.close()


def _await_membership(one):
    """A pong proves that the earlier data was read, so the socket is in the room."""
    one.send(b"in?", PING)
    one.expect(PONG, b"in?")

"""A WebSocket server for the arena's tests: correct, or wrong in the way of its mode.

    tiny_websocket.py PORT MODE

Must not be fast. Runs in a thread of a test, or as a contestant.
"""

import socket
import struct
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from verify.framing import HEAD_BYTES_MAX, Reader, WrongAnswer, fields_of
from verify.websockets import (BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, accept_of)

MODES = {
    "right": "", "status": "the status line is", "accept": "Sec-WebSocket-Accept is",
    "no-upgrade": "Upgrade is ''", "extension": "none was requested", "byte": "came, not opcode 1",
    "masked": "a server's frame is masked", "reserved": "reserved bits are set",
    "binary": "opcode 2 with", "silent-ping": "no complete response", "fragments": "out of place",
    "close-code": "the close is answered by", "ends": "the connection ended before",
    "alone": "", "twice": "", "reordered": "came, not opcode 1",
    "plain": "no upgrade is requested: the status line is", "tired": "the status line is",
    "silent-close": "the close is answered by",
}


def server_frame(payload, opcode=TEXT, first=0x80):
    """Returns a frame without a mask."""
    size = len(payload)
    head = bytes([first | opcode])
    if size < 126:
        return head + bytes([size]) + payload
    form, mark = (">H", 126) if size < 65536 else (">Q", 127)
    return head + bytes([mark]) + struct.pack(form, size) + payload


def read_frame(reader):
    """Returns (opcode, whether it is final, payload) of a client's frame."""
    first, second = reader.exactly(2)
    size = second & 0x7F
    if size > 125:
        size = struct.unpack(*((">H", reader.exactly(2)) if size == 126
                               else (">Q", reader.exactly(8))))[0]
    key, masked = reader.exactly(4), reader.exactly(size)
    return first & 0x0F, bool(first & 0x80), bytes(b ^ key[i % 4] for i, b in enumerate(masked))


class TinyWebSocket:
    """Use as a context manager."""

    def __init__(self, mode="right", port=0):
        self.mode, self._lock = mode, threading.Lock()
        self._rooms, self._pieces = {}, {}  # by name; by connection
        self._listening = socket.create_server(("127.0.0.1", port), backlog=1024)
        self.port = self._listening.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listening.shutdown(socket.SHUT_RDWR)  # close alone would let accept() wait on
        self._listening.close()

    def accept(self):
        """Accepts until the listening socket is closed."""
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        reader = Reader(connection)
        with connection:
            try:
                path = self._upgrade(connection, reader)
                members = self._join(path, connection)
                for found in self._frames(reader):
                    if not self._answer(connection, members, *found):
                        break
            except (OSError, WrongAnswer):
                pass
            finally:
                with self._lock:
                    for members in self._rooms.values():
                        members.discard(connection)

    def _frames(self, reader):
        while True:
            found = read_frame(reader)
            if self.mode == "reordered" and reader.unread:
                yield read_frame(reader)
            yield found

    def _join(self, path, connection):
        if "/room/" not in path:
            return None
        with self._lock:
            members = self._rooms.setdefault("all" if self.mode == "next-door" else path, set())
            members.add(connection)
        return members

    def _upgrade(self, connection, reader):
        request, fields = fields_of(reader.until(b"\r\n\r\n", HEAD_BYTES_MAX))
        if "sec-websocket-key" not in fields:
            self._refuse(connection)
        accept = accept_of("wrong" if self.mode == "accept" else fields["sec-websocket-key"][0])
        lines = ["HTTP/1.1 " + ("200 OK" if self.mode == "status" else "101 Switching Protocols"),
                 "Connection: Upgrade", f"Sec-WebSocket-Accept: {accept}"]
        lines += [] if self.mode == "no-upgrade" else ["Upgrade: websocket"]
        if self.mode == "extension":
            lines.append("Sec-WebSocket-Extensions: permessage-deflate")
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return request.split()[1]

    def _refuse(self, connection):
        """Responds to a request without an upgrade; "tired" also rejects all later ones."""
        status = "200 OK" if self.mode == "plain" else "426 Upgrade Required"
        if self.mode == "tired":
            self.mode = "status"  # set before the response, after which the next client connects
        connection.sendall(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
        raise WrongAnswer("no upgrade is requested")

    def _answer(self, connection, members, opcode, is_final, payload):
        if opcode == CLOSE:
            code = 1001 if self.mode == "close-code" else 1000
            told = b"" if self.mode == "silent-close" else struct.pack(">H", code)
            connection.sendall(server_frame(told, CLOSE))
            return False
        if opcode == PING:
            if self.mode != "silent-ping":
                connection.sendall(server_frame(payload, PONG))
            return True
        if opcode != CONTINUATION:
            self._pieces[connection] = (opcode, b"")
        kind, before = self._pieces[connection]
        self._pieces[connection] = (kind, before + payload)
        if not is_final:
            return True
        return self._send(connection, members, *self._pieces[connection])

    def _send(self, connection, members, opcode, payload):
        if self.mode == "ends":
            return False
        told = self._framed(opcode, payload)
        with self._lock:
            everybody = {connection} if members is None or self.mode == "alone" else set(members)
        for one in everybody:
            one.sendall(told * (2 if self.mode == "twice" else 1))
        return True

    def _framed(self, opcode, payload):
        if self.mode == "byte" and payload:
            payload = payload[:-1] + b"?"
        if self.mode == "binary":
            return server_frame(payload, BINARY)
        if self.mode == "reserved":
            return server_frame(payload, opcode, 0xC0)
        if self.mode == "masked":
            return bytes([0x80 | opcode, 0x80]) + bytes(4)
        if self.mode == "fragments":
            return server_frame(b"", opcode, 0) + server_frame(payload, opcode)
        return server_frame(payload, opcode)


def main():
    """Runs until a signal ends it."""
    TinyWebSocket(sys.argv[2], int(sys.argv[1])).accept()


if __name__ == "__main__":
    main()

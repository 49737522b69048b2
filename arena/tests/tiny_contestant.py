"""A contestant for the arena's tests: responds correctly, or wrongly in the way of its mode.

    tiny_contestant.py PORT MODE [COUNT]

Must not be fast. A MODE other than "right" begins after COUNT correct responses (0).
"""

import os
import re
import socket
import sys
import threading
import time
from email.utils import formatdate

HEAD = re.compile(rb"(\w+) (\S+) HTTP/1.1\r\n(.*?)\r\n\r\n", re.DOTALL)
MODES = ("right", "byte", "header", "close", "length", "short", "order", "dies", "chunked",
         "stale", "silent-close", "type", "byte-once")


class Answerer:
    """Makes the responses of all connections and counts them."""

    def __init__(self, mode, after):
        self.mode, self.after, self.count = mode, after, 0
        self.lock = threading.Lock()

    def next_mode(self):
        """Returns the mode of the next response."""
        with self.lock:
            self.count += 1
            if self.mode == "byte-once":
                return "byte" if self.count == self.after + 1 else "right"
            return self.mode if self.count > self.after else "right"

    def answer(self, path, is_closing):
        """Returns (bytes, whether the connection ends after them)."""
        mode = self.next_mode()
        if mode == "dies":
            os._exit(7)
        body = path.rsplit(b"/", 1)[1] if path.startswith(b"/test/labels/") else b"Hello, World!"
        if mode == "byte":
            body = body[:-1] + b"?"
        date = formatdate(0 if mode == "stale" else time.time(), usegmt=True)
        fields = ["Server: tiny", f"Date: {date}"][: 1 if mode == "header" else 2]
        fields.append("Content-Type: text/" + ("html" if mode == "type" else "plain"))
        fields += ["Connection: close"] if is_closing and mode != "silent-close" else []
        size = len(body) + {"length": -1, "short": 1}.get(mode, 0)
        is_chunked = mode == "chunked"
        fields.append("Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {size}")
        if is_chunked:
            body = b"5;x=1\r\n" + body[:5] + b"\r\n%x\r\n" % (len(body) - 5) + body[5:] + \
                b"\r\n0\r\n\r\n"
        head = "HTTP/1.1 200 OK\r\n" + "\r\n".join(fields) + "\r\n\r\n"
        return head.encode() + body, is_closing or mode in ("close", "short")


def serve(connection, answerer):
    """Handles all requests of one connection."""
    unread = b""
    with connection:
        while data := connection.recv(65536):
            unread += data
            told, is_ending = [], False
            while (found := HEAD.match(unread)) and not is_ending:
                unread = unread[found.end():]
                text, is_ending = answerer.answer(found[2], b"close" in found[3])
                told.append(text)
            connection.sendall(b"".join(told[::-1] if answerer.mode == "order" else told))
            if is_ending:
                return


def main():
    """Runs until SIGTERM."""
    port, mode = int(sys.argv[1]), sys.argv[2]
    answerer = Answerer(mode, int(sys.argv[3]) if len(sys.argv) > 3 else 0)
    with socket.create_server(("127.0.0.1", port), backlog=128, reuse_port=True) as listener:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection, answerer), daemon=True).start()


if __name__ == "__main__":
    main()

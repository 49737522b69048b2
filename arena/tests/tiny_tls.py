"""An HTTP/1.1 server over TLS for the arena's tests: correct, or wrong in the way of its mode.

Must not be fast. Runs in a thread of a test.
"""

import re
import socket
import ssl
import threading
import time
from email.utils import formatdate

BODY = b"Hello, World!"
MODES = ("right", "byte", "status", "no-tickets", "endless", "cut", "echo")
_ENDLESS_BYTES = 2 << 20
_LENGTH = re.compile(rb"Content-Length: (\d+)")


class TinyTls:
    """Use as a context manager. handshakes: [whether each was resumed]."""

    def __init__(self, certificate, mode="right"):
        self.mode, self.handshakes, self._lock = mode, [], threading.Lock()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate.cert, certificate.key)
        if mode == "no-tickets":
            self._context.num_tickets = 0
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listening.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listening.shutdown(socket.SHUT_RDWR)  # close() alone would not interrupt accept()
        self._listening.close()

    def memory_bytes(self):
        """Returns simulated memory: 1 KiB per connection."""
        return {"rss": 1024 * len(self.handshakes)}

    def _accept(self):
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            with self._context.wrap_socket(connection, server_side=True) as sealed:
                with self._lock:
                    self.handshakes.append(sealed.session_reused)
                held = b""
                while data := sealed.recv(4096):
                    held += data
                    while b"\r\n\r\n" in held:
                        head, _, held = held.partition(b"\r\n\r\n")
                        size = int((_LENGTH.search(head) or (0, 0))[1])
                        while len(held) < size:
                            held += sealed.recv(4096)
                        sent, held = held[:size], held[size:]
                        sealed.sendall(self._answer(b"close" in head, sent))
                        if b"close" in head:
                            return
        except OSError:
            pass

    def _answer(self, is_closing, sent):
        body = {"byte": BODY[:-1] + b"?", "cut": BODY[:-1],
                "endless": b"x" * _ENDLESS_BYTES, "echo": sent}.get(self.mode, BODY)
        status = "503 Busy" if self.mode == "status" else "200 OK"
        date = formatdate(time.time(), usegmt=True)
        lines = [f"HTTP/1.1 {status}", "Server: tiny", f"Date: {date}",
                 "Content-Type: text/plain", f"Content-Length: {len(body)}"]
        lines += ["Connection: close"] if is_closing else []
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + body

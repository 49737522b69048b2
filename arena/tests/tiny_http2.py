"""An HTTP/2 server for the arena's tests, also over TLS: correct, or wrong in the way of its mode.

Must not be fast. Runs in a thread of a test.
"""

import socket
import ssl
import threading
import time
from email.utils import formatdate

import h2.config
import h2.connection
import h2.events
import h2.exceptions

BODY = b"Hello, World!"
# Its mode, and the error that the check reports.
MODES = {
    "right": "", "byte": "byte 12 differs", "short": "byte 12 differs", "long": "byte 13 differs",
    "header": "no date field", "stale": "which is not now", "type": "Content-Type is 'text/html'",
    "no-type": "no content-type field", "status": ":status is ['404']", "reset": "StreamReset",
    "goaway": "ConnectionTerminated", "ends": "ended before the response was complete",
    "swapped": "differs", "h1": "ended before the response was complete",
}


class TinyHttp2:
    """Use as a context manager. certificate: (cert, key) paths; enables TLS up to `newest`."""

    def __init__(self, mode="right", certificate=None, newest=ssl.TLSVersion.TLSv1_3):
        self.mode, self._context = mode, None
        if certificate:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.maximum_version = newest
            self._context.load_cert_chain(*certificate)
            self._context.set_alpn_protocols(["h2"])
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listening.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listening.shutdown(socket.SHUT_RDWR)  # close() alone would not interrupt accept()
        self._listening.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            if self._context:
                connection = self._context.wrap_socket(connection, server_side=True)
            with connection:
                self._talk(connection)
        except (OSError, h2.exceptions.ProtocolError):
            pass

    def _talk(self, connection):
        talk = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False,
                                                                    header_encoding="utf-8"))
        talk.initiate_connection()
        held = []
        while data := connection.recv(65536):
            if self.mode == "h1":
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                return
            for event in talk.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    held.append((event.stream_id, dict(event.headers)[":path"]))
            if held and self.mode == "ends":
                return
            self._answer_all(talk, held)
            held = []
            connection.sendall(talk.data_to_send())

    def _answer_all(self, talk, asked):
        """Responds in reverse order, because streams have none."""
        paths = [path for _, path in asked]
        if self.mode == "swapped":
            paths = paths[::-1]
        for (number, _), path in list(zip(asked, paths))[::-1]:
            if self.mode == "reset":
                talk.reset_stream(number, 7)
            elif self.mode == "goaway":
                talk.close_connection(2)
                return
            else:
                self._answer(talk, number, path)

    def _answer(self, talk, number, path):
        body = path.rsplit("/", 1)[1].encode() if path.startswith("/test/labels/") else BODY
        body = {"byte": body[:-1] + b"?", "short": body[:-1], "long": body + b"!"}.get(self.mode,
                                                                                       body)
        kind = {"type": "text/html", "no-type": None}.get(self.mode, "text/plain")
        fields = [(":status", "404" if self.mode == "status" else "200"), ("server", "tiny")]
        fields += [("content-type", kind)] if kind else []
        if self.mode != "header":
            when = 0 if self.mode == "stale" else time.time()
            fields.append(("date", formatdate(when, usegmt=True)))
        talk.send_headers(number, fields)
        talk.send_data(number, body, end_stream=True)

"""A server that counts requests and responses, to check the figures of a client.

Must not be used in a measurement, because it is slow: it runs before one.
"""

import selectors
import socket
import threading

from verify.framing import WrongAnswer, fields_of

_BACKLOG = 1024
_LOOK_SECONDS = 0.02
_FRAME = b'{"text":""}'


def body_of(cell):
    """Returns the body of each request of the cell: JSON of the given size, or empty."""
    rest = cell.message_bytes - len(_FRAME)
    return _FRAME[:-2] + b"x" * rest + _FRAME[-2:] if rest >= 0 else b""


def _answer(status, body):
    return (f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def _wrong_answers(body):
    """Returns responses with a different byte, without the last byte, and with an error status."""
    return _answer("200 OK", body[:-1] + b"?"), _answer("200 OK", body[:-1]), \
        _answer("404 Not Found", body)


class KnownServer:
    """Use as a context manager; its counts are final after the exit.

    lies_every   every lies_every-th response is wrong, in alternating ways; 0: none
    answered     number of responses, `lies` of them wrong
    connections  number of accepted connections
    fault        what was wrong with a request, or ""
    """

    def __init__(self, cell, lies_every=0):
        self._ask, self._body, self._lies_every = cell.ask, body_of(cell), lies_every
        self.answered = self.lies = self.connections = 0
        self.fault = ""
        self._right = _answer("200 OK", cell.ask.expected.body)
        self._wrong = _wrong_answers(cell.ask.expected.body)
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG)
        self.port = self._listening.getsockname()[1]
        self._watched, self._unread = selectors.DefaultSelector(), {}
        self._watched.register(self._listening, selectors.EVENT_READ)
        self._is_ending = False
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def has_lied_in_all_ways(self):
        """Whether each kind of wrong response was sent."""
        return self.lies >= len(self._wrong)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._is_ending = True
        self._thread.join()
        for connection in (*self._unread, self._listening):
            connection.close()
        self._watched.close()

    def _serve(self):
        while not self._is_ending:
            for key, _ in self._watched.select(_LOOK_SECONDS):
                if key.fileobj is self._listening:
                    self._accept()
                else:
                    self._read(key.fileobj)

    def _accept(self):
        connection, _ = self._listening.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._unread[connection] = b""
        self.connections += 1
        self._watched.register(connection, selectors.EVENT_READ)

    def _read(self, connection):
        try:
            data = connection.recv(65536)
            if data:
                self._unread[connection] += data
                self._answer_whole(connection)
                return
        except (OSError, WrongAnswer) as failure:
            self.fault = self.fault or str(failure)
        self._watched.unregister(connection)
        del self._unread[connection]
        connection.close()

    def _answer_whole(self, connection):
        """Responds if the request is complete; raises WrongAnswer if it is not the expected one."""
        head, end, rest = self._unread[connection].partition(b"\r\n\r\n")
        if not end or len(rest) < len(self._body):
            return
        line, fields = fields_of(head)
        if line != f"{self._ask.method} {self._ask.path} HTTP/1.1":
            raise WrongAnswer(f"it requests {line!r}")
        if rest != self._body:
            raise WrongAnswer("it sends another body, or the next request before the response")
        if self._body and fields.get("content-length") != [str(len(self._body))]:
            raise WrongAnswer("it does not tell the length of its body")
        self._unread[connection] = b""
        connection.sendall(self._next_answer())

    def _next_answer(self):
        self.answered += 1
        if not self._lies_every or self.answered % self._lies_every:
            return self._right
        self.lies += 1
        return self._wrong[self.lies % len(self._wrong)]

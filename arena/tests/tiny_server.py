"""A small server for tests that fails in a given way.

Must not be fast, nor more correct than the tests need.
"""

import socket
import threading
import time

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHello"


def answer(connection, _):
    """Sends the correct response."""
    connection.sendall(HELLO)


def close(connection, _):
    """Ends the connection without a byte."""
    connection.shutdown(socket.SHUT_RDWR)


def cut(connection, _):
    """Sends half of a response and ends the connection."""
    connection.sendall(HELLO[:-2])
    connection.shutdown(socket.SHUT_RDWR)


def stay_silent(_, __):
    """Never responds."""


def send(text):
    """Sends these bytes instead of the response."""
    return lambda connection, _: connection.sendall(text)


def close_every(count):
    """Responds each time, but ends the connection after every `count`th response."""
    def act(connection, number):
        connection.sendall(HELLO)
        if number % count == 0:
            connection.shutdown(socket.SHUT_RDWR)
    return act


def stall_once(at_request, seconds):
    """Responds each time, but delays one response."""
    def act(connection, number):
        if number == at_request:
            time.sleep(seconds)
        connection.sendall(HELLO)
    return act


class TinyServer:
    """Use as a context manager. `requests` are those whose headers have arrived."""

    def __init__(self, act):
        self.act, self.requests = act, 0
        self._lock = threading.Lock()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._connections = []
        self.port = self._listening.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listening.close()
        with self._lock:
            for connection in self._connections:
                connection.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with self._lock:
                self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        held = b""
        try:
            while received := connection.recv(65536):
                held += received
                while b"\r\n\r\n" in held:
                    held = held.partition(b"\r\n\r\n")[2]
                    with self._lock:
                        self.requests += 1
                        number = self.requests
                    self.act(connection, number)
        except OSError:
            pass
        finally:
            connection.close()

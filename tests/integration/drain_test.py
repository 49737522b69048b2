"""Servers that stop while clients keep connecting: each accepted request gets a response.

Must not count a refused connection as lost if no other server listens.
"""

import contextlib
import os
import signal
import socket
import ssl
import threading
import time
import unittest

import http2_frames as h2
from support import Program, free_port

DRAINS = 10
CLIENTS = 32
SECONDS_MAX = 20
LOAD_SECONDS = 0.15
BACKENDS = ('epoll', 'io_uring')
ASK = b'GET /slow/2 HTTP/1.1\r\nHost: a\r\n\r\n'
# The time that the server gives a client that is connected but silent when it stops.
TIME_TO_ASK = 1.0


class Lost(Exception):
    """A client was accepted and sent a request, but got no response."""


def tls():
    """Returns a context that accepts the certificate created at startup."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def answer(connection):
    """Reads a whole HTTP/1.1 response."""
    got = b''
    while not got.endswith(b'slept'):
        data = connection.recv(65536)
        if not data:
            raise Lost(f'an end after {got!r}')
        got += data
    if not got.startswith(b'HTTP/1.1 200 '):
        raise Lost(got)


def ask_h1(connection):
    """Sends one HTTP/1.1 request."""
    connection.sendall(ASK)
    answer(connection)


def ask_tls(connection):
    """The same after a TLS handshake."""
    with tls().wrap_socket(connection) as secured:
        ask_h1(secured)


def frames(connection):
    """Yields frames: type, flags, stream, payload."""
    got = b''
    while True:
        while len(got) < 9 or len(got) < 9 + int.from_bytes(got[:3], 'big'):
            data = connection.recv(65536)
            if not data:
                raise Lost('an end of HTTP/2')
            got += data
        end = 9 + int.from_bytes(got[:3], 'big')
        yield got[3], got[4], int.from_bytes(got[5:9], 'big'), got[9:end]
        got = got[end:]


def finish_h2(coming):
    """Reads until the end of stream 1."""
    for kind, flags, stream, payload in coming:
        if kind == h2.RST_STREAM or (kind == h2.GOAWAY and
                                     int.from_bytes(payload[:4], 'big') < 1):
            raise Lost('refused by HTTP/2')
        if stream == 1 and flags & h2.END_STREAM:
            return


def ask_h2(connection):
    """Sends one HTTP/2 request, with the first bytes of the connection."""
    connection.sendall(h2.PREFACE + h2.settings() + h2.request(1, '/slow/2'))
    finish_h2(frames(connection))


def ask_h2_late(connection):
    """The same after the server's SETTINGS; a GOAWAY before that would forbid the request."""
    connection.sendall(h2.PREFACE + h2.settings())
    coming = frames(connection)
    for kind, flags, _, __ in coming:
        if kind == h2.GOAWAY:
            raise Lost('GOAWAY ahead of the first request')
        if kind == h2.SETTINGS and not flags & h2.ACK:
            break
    connection.sendall(h2.settings(ack=True) + h2.request(1, '/slow/2'))
    finish_h2(coming)


class Clients:
    """Threads that connect, send one request and connect again, until they are refused."""

    def __init__(self, port, tls_port):
        self.ports = {ask_tls: tls_port}
        self.port = port
        self.is_over = threading.Event()
        self.answered = self.refused = self.late = 0
        self.lost = []
        self.lock = threading.Lock()
        kinds = (ask_h1, ask_h2, ask_h1, ask_h2_late, ask_h1, ask_h2, ask_h1, ask_tls)
        self.threads = [threading.Thread(target=self.run, args=(kinds[each % len(kinds)],))
                        for each in range(CLIENTS)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join(SECONDS_MAX)

    def await_load(self):
        """Waits until all are busy."""
        before = self.answered
        time.sleep(LOAD_SECONDS)
        deadline = time.monotonic() + SECONDS_MAX
        while self.answered <= before + CLIENTS:
            assert time.monotonic() < deadline, 'the server responds to few requests'
            time.sleep(0.005)

    def run(self, ask):
        """Opens two connections at a time, so that one of them sends its request late."""
        while not self.is_over.is_set():
            with contextlib.ExitStack() as stack:
                try:
                    pair = [(stack.enter_context(self.connect(ask)), time.monotonic())
                            for _ in range(2)]
                except ConnectionRefusedError:
                    with self.lock:
                        self.refused += 1
                    pair = []
                for connection, connected in pair:
                    self.try_one(ask, connection, time.monotonic() - connected)
                if not pair:
                    return

    def connect(self, ask):
        """Returns a new connection."""
        port = self.ports.get(ask, self.port)
        return socket.create_connection(('127.0.0.1', port), SECONDS_MAX)

    def try_one(self, ask, connection, silent):
        """Counts an end before the response as a loss, unless the client had enough time for its
        request.

        silent  seconds since the connection; on a busy machine, this client may be the late one
        """
        try:
            ask(connection)
            with self.lock:
                self.answered += 1
        except (OSError, Lost) as error:
            with self.lock:
                if silent < TIME_TO_ASK / 2:
                    self.lost.append(f'{ask.__name__}: {error!r}, silent for {silent:.2f} s')
                else:
                    self.late += 1


class Serving(Program):
    """A server on given ports, which it may share."""

    def __init__(self, ports, backend, *arguments):
        super().__init__('10_http2', '--host', '127.0.0.1', '--port', str(ports[0]), '--tls-port',
                         str(ports[1]), '--threads', '2', '--backend', backend, *arguments)

    def _await_listening(self):
        deadline = time.monotonic() + SECONDS_MAX
        while 'serves on' not in self.said():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f'{self.command}: {self.said()}')
            time.sleep(0.005)


def may_use(backend):
    """Many containers forbid io_uring."""
    with contextlib.suppress(AssertionError), \
            Serving((free_port(), free_port()), backend) as server:
        return server.stop() == 0
    return False


class Drain(unittest.TestCase):
    """Load from before the stop until after the end."""

    def check(self, clients):
        self.assertEqual(clients.lost, [])
        self.assertGreater(clients.answered, CLIENTS)
        self.assertLess(clients.late, clients.answered / 100, 'an excuse is not for many')

    def backends(self):
        """Yields the backends that this machine supports."""
        for backend in BACKENDS:
            if not may_use(backend):
                print(f'skipped {backend}: this machine does not allow it')
                continue
            with self.subTest(backend):
                yield backend

    def test_one_process_answers_whom_it_has_let_in(self):
        for backend in self.backends():
            for _ in range(DRAINS):
                ports = free_port(), free_port()
                with Serving(ports, backend) as server, Clients(*ports) as clients:
                    clients.await_load()
                    self.assertEqual(server.stop(), 0)
                    for thread in clients.threads:
                        thread.join(SECONDS_MAX)
                self.check(clients)

    def test_processes_that_share_a_port_follow_each_other_without_a_loss(self):
        for backend in self.backends():
            ports = free_port(), free_port()
            with contextlib.ExitStack() as stack:
                def another():
                    return stack.enter_context(Serving(ports, backend, '--share-port'))
                serving = [another(), another()]
                with Clients(*ports) as clients:
                    for _ in range(DRAINS):
                        clients.await_load()
                        serving.append(another())
                        self.assertEqual(serving.pop(0).stop(), 0)
                for server in serving:
                    self.assertEqual(server.stop(), 0)
            self.check(clients)
            self.assertEqual(clients.refused, 0)


class Patience(unittest.TestCase):
    """Connected clients that send nothing, and slow ones."""

    def test_a_silent_client_holds_the_end_up_for_a_bounded_time_only(self):
        ports = free_port(), free_port()
        with Serving(ports, 'epoll', '--drain-seconds', '90') as server:
            silent = [socket.create_connection(('127.0.0.1', port), SECONDS_MAX)
                      for port in ports for _ in range(3)]
            began = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - began, 45)
            for client in silent:
                client.close()

    def test_no_time_to_drain_means_none(self):
        ports = free_port(), free_port()
        with Serving(ports, 'epoll', '--drain-seconds', '0') as server, \
                socket.create_connection(('127.0.0.1', ports[0])):
            began = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - began, 4)

    def test_who_has_connected_may_ask_after_the_signal(self):
        for kind in (ask_h1, ask_h2, ask_h2_late, ask_tls):
            ports = free_port(), free_port()
            with self.subTest(kind.__name__), Serving(ports, 'epoll') as server:
                port = ports[1] if kind is ask_tls else ports[0]
                with socket.create_connection(('127.0.0.1', port), SECONDS_MAX) as late:
                    os.kill(server.process.pid, signal.SIGTERM)
                    self.await_closed_door(ports[0])
                    kind(late)
                self.assertEqual(server.process.wait(SECONDS_MAX), 0)

    def await_closed_door(self, port):
        """Waits until new connections are refused."""
        with contextlib.suppress(OSError):
            for _ in range(500):
                socket.create_connection(('127.0.0.1', port), 0.1).close()
                time.sleep(0.01)


if __name__ == '__main__':
    unittest.main()

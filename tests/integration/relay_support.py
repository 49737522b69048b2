"""A relay before the Unix socket of a server: a test closes its connections, or delays them.

Must not know a protocol.
"""

import contextlib
import selectors
import socket
import threading

BLOCKED_SECONDS_MAX = 60
BYTES = 1 << 16


class Relay:
    """Listens at `path`, and forwards connections to the socket `target`. A context manager."""

    def __init__(self, path, target):
        self.path = str(path)
        self.target = str(target)
        self.ready = selectors.DefaultSelector()
        self.others = {}  # the other end of each connection
        self.lock = threading.Lock()
        self.orders = []
        self.is_held = False
        self.wake, self.woken = socket.socketpair()
        self.listener = socket.socket(socket.AF_UNIX)
        self.thread = threading.Thread(target=self._run)

    def __enter__(self):
        self.listener.bind(self.path)
        self.listener.listen(64)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self._order('end')
        self.thread.join()
        for each in (self.listener, self.wake, self.woken):
            each.close()

    def cut(self):
        """Closes the connections at both ends. Bytes in transit may be lost."""
        self._order('cut')

    def hold(self):
        """Stops forwarding, without informing either end."""
        self._order('hold')

    def go_on(self):
        """Forwards the delayed bytes."""
        self._order('go on')

    def _order(self, what):
        with self.lock:
            self.orders.append(what)
        self.wake.send(b'.')

    def _run(self):
        self.ready.register(self.listener, selectors.EVENT_READ)
        self.ready.register(self.woken, selectors.EVENT_READ)
        while self._follow_orders():
            if self.is_held:
                self.woken.recv(BYTES)
                continue
            for key, _ in self.ready.select():
                if key.fileobj is self.woken:
                    self.woken.recv(BYTES)
                elif key.fileobj is self.listener:
                    self._accept()
                elif key.fileobj in self.others:  # it may have been closed in the meantime
                    self._pass_on(key.fileobj)
        self._cut()

    def _follow_orders(self):
        with self.lock:
            orders, self.orders = self.orders, []
        for what in orders:
            if what == 'cut':
                self._cut()
            self.is_held = what == 'hold' or (self.is_held and what == 'cut')
        return 'end' not in orders

    def _accept(self):
        client, _ = self.listener.accept()
        server = socket.socket(socket.AF_UNIX)
        for each in (client, server):
            each.settimeout(BLOCKED_SECONDS_MAX)
        try:
            server.connect(self.target)
        except OSError:  # the server is not running
            client.close()
            server.close()
            return
        self.others |= {client: server, server: client}
        self.ready.register(client, selectors.EVENT_READ)
        self.ready.register(server, selectors.EVENT_READ)

    def _pass_on(self, source):
        with contextlib.suppress(OSError):
            read = source.recv(BYTES)
            if read:
                self.others[source].sendall(read)
                return
        self._close(source)
        self._close(self.others[source])
        del self.others[self.others.pop(source)]

    def _close(self, connection):
        self.ready.unregister(connection)
        connection.close()

    def _cut(self):
        for each in self.others:
            self._close(each)
        self.others.clear()

"""Several copies of a contestant's program that listen on the same port (SO_REUSEPORT).

Must not decide which contestants are started so: peer.toml does.
"""

import time
from contextlib import ExitStack

from load import process
from load.server import START_SECONDS_MAX, ServerFailed


class Copies:
    """Several Servers in the place of one. Use as a context manager."""

    def __init__(self, servers):
        self.servers, self._stack = servers, ExitStack()
        self.name, self.port = servers[0].name, servers[0].port

    def __enter__(self):
        with ExitStack() as stack:
            for server in self.servers:
                stack.enter_context(server)
                _await_own_listener(server)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *failure):
        self._stack.__exit__(*failure)

    @property
    def process(self):
        """The last process; None before all are started."""
        return self.servers[-1].process

    def ensure_alive(self, seconds=0):
        """Like Server.ensure_alive(), for all."""
        for server in self.servers:
            server.ensure_alive(seconds)

    def stop(self):
        """Like Server.stop(), for all."""
        for server in self.servers:
            server.stop()

    def cpu_ns(self):
        """Like Server.cpu_ns(), as a sum."""
        return tuple(map(sum, zip(*(server.cpu_ns() for server in self.servers))))

    def memory_bytes(self):
        """Like Server.memory_bytes(), as a sum."""
        found = [server.memory_bytes() for server in self.servers]
        return {name: sum(each[name] for each in found) for name in found[0]}

    def sockets(self):
        """Like Server.sockets(), of all."""
        return [count for server in self.servers for count in server.sockets()]


def _await_own_listener(server):
    """The Server has waited until the port has a listening socket, which may be another copy's."""
    deadline = time.monotonic() + START_SECONDS_MAX
    while not process.owns_listener(server.process.pid, server.port):
        server.ensure_alive()
        if time.monotonic() > deadline:
            raise ServerFailed(f"a copy does not listen on port {server.port} after "
                               f"{START_SECONDS_MAX} s")
        time.sleep(0.01)

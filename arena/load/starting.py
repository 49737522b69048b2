"""How a contestant is started for a cell: its command, environment, port.

Must not know a contestant by name: peer.toml says what differs.
"""

import os

from load import files_dir, process
from load.server import Manners, Server, ServerFailed
from peers.manifest import filled

FIRST_PORT = 18500
_PORTS = 8000
_FILES_CASE = "files"
_ROUTES = ("--routes", "{routes}", "--middlewares", "{middlewares}")


class Ports:
    """Hands out ports on which nobody listens."""

    def __init__(self):
        self._next = os.getpid() * 61 % _PORTS  # two runs at once seldom meet

    def take(self):
        """A free port."""
        for _ in range(_PORTS):
            port = FIRST_PORT + self._next
            self._next = (self._next + 1) % _PORTS
            if not process.is_listening(os.getpid(), port):
                return port
        raise ServerFailed(f"no free port from {FIRST_PORT} to {FIRST_PORT + _PORTS}")


def _files(cell):
    """The directory that the cell's files are in; "" where it needs none."""
    return str(files_dir.ensure()) if _FILES_CASE in cell.needs else ""


def _case_arguments(peer, case):
    table = peer.case_table(case)
    if "arguments" in table:
        return table["arguments"]
    return _ROUTES if case == "routes" else ()


def command(contestant, cell, port, threads, prefix=""):
    """The words of its command line for that cell."""
    words = list(contestant.command)
    for case in cell.needs:
        words += _case_arguments(contestant.peer, case)
    return filled(words, contestant.peer, port=port, threads=cell.threads or threads,
                  processes=cell.processes, delay_ms=cell.delay_ms, routes=cell.routes,
                  middlewares=cell.middlewares, prefix=prefix, files=_files(cell))


def manners(contestant, cell):
    """Its Manners for that cell."""
    peer = contestant.peer
    environment = dict(peer.run.get("environment", {}))
    for case in cell.needs:
        environment.update(peer.case_table(case).get("environment", {}))
    if cell.routes:
        environment |= {"ROUTES": str(cell.routes), "MIDDLEWARES": str(cell.middlewares)}
    if _FILES_CASE in cell.needs:
        environment["FILES_DIR"] = _files(cell)
    values = filled([str(value) for value in environment.values()], peer)
    return Manners(dict(zip(environment, values)), peer.folder,
                   peer.run.get("ends_with", "SIGTERM"), peer.run.get("is_exit_clean", True))


def server(contestant, cell, port, machine, prefix="", wrap=None):
    """The Server, not yet started. wrap: puts its command into a namespace."""
    words = command(contestant, cell, port, machine.threads, prefix)
    return Server(contestant.name, wrap(words) if wrap else words, port,
                  set(machine.server_cores), manners(contestant, cell))

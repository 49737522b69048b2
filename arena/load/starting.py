"""How a contestant is started for a cell: its command, environment, port.

Must not know a contestant by name: peer.toml says what differs.
"""

import os

from experiments import model
from load import files_dir, postgres, process, profiles_dir, tls_terms
from load.server import Manners, Server, ServerFailed
from peers.manifest import filled, programs_folder

FIRST_PORT = 18500
_PORTS = 8000
_FILES_CASES = ("files",)
_PROFILES_CASES = ("items-json", "items-compressed", "static")
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


def _folders(cell):
    """The directories that the cell's files are in, each by its placeholder; "" that it does not
    need.
    """
    return {name: str(made.ensure()) if set(cases) & set(cell.needs) else ""
            for name, made, cases in (("files", files_dir, _FILES_CASES),
                                      ("profiles", profiles_dir, _PROFILES_CASES))}


def _database(cell):
    """Where the cell's PostgreSQL is, as libpq's keywords; "" where it needs none."""
    return postgres.shared().where if cell.has_database else ""


def _case_arguments(peer, case):
    table = peer.case_table(case)
    if "arguments" in table:
        return table["arguments"]
    return _ROUTES if case == "routes" else ()


def _tls(cell, port, beside):
    """The ports and the certificate: what the cell asks is at `port`."""
    if not cell.is_secure:
        return {"port": port, "tls_port": 0, "cert": "", "key": ""}
    return {"port": beside, "tls_port": port, **vars(tls_terms.certificate())}


def command(contestant, cell, port, threads, prefix="", beside=0, upstream=""):
    """The words of its command line for that cell.

    port      where the cell asks; with TLS or without
    beside    the port in the clear of a contestant that is asked over TLS
    upstream  HOST:PORT that requests are passed on to
    """
    words = list(contestant.command)
    for case in cell.needs:
        words += _case_arguments(contestant.peer, case)
    return filled(words, contestant.peer, threads=cell.threads or threads,
                  processes=cell.processes, delay_ms=cell.delay_ms, routes=cell.routes,
                  middlewares=cell.middlewares, prefix=prefix, **_folders(cell),
                  database=_database(cell),
                  database_connections=model.DATABASE_CONNECTIONS,
                  upstream=upstream, **_tls(cell, port, beside))


def manners(contestant, cell, port=0, upstream=""):
    """Its Manners for that cell, which asks at that port."""
    peer = contestant.peer
    environment = dict(peer.run.get("environment", {}))
    for case in cell.needs:
        environment.update(peer.case_table(case).get("environment", {}))
    if cell.routes:
        environment |= {"ROUTES": str(cell.routes), "MIDDLEWARES": str(cell.middlewares)}
    environment |= {f"{name.upper()}_DIR": folder
                    for name, folder in _folders(cell).items() if folder}
    if upstream:
        environment["UPSTREAM"] = upstream
    if cell.has_database:
        environment |= {"DATABASE": _database(cell),
                        "DATABASE_CONNECTIONS": str(model.DATABASE_CONNECTIONS)}
    if cell.is_secure:
        made = tls_terms.certificate()
        environment |= {"TLS_PORT": str(port), "TLS_CERT": made.cert, "TLS_KEY": made.key}
    values = filled([str(value) for value in environment.values()], peer)
    return Manners(dict(zip(environment, values)), peer.folder,
                   peer.run.get("ends_with", "SIGTERM"), peer.run.get("is_exit_clean", True))


def _upstream_words(cell, port):
    if cell.kind in model.SOCKETS:
        return [str(programs_folder() / "arena_eider"), str(port), "1", "--backend", "epoll"]
    size = ["--bytes", str(cell.proxied_bytes)] if cell.proxied_bytes else []
    return [str(programs_folder() / "floor_epoll"), str(port), "1", *size]


def upstream_server(cell, ports, machine):
    """What proxies and clients ask: the bare loop, or Eider where WebSockets are passed on; on the
    load's cores, so that nobody counts it.
    """
    port = ports.take()
    return Server("upstream", _upstream_words(cell, port), port, set(machine.load_cores))


def server(contestant, cell, ports, machine, prefix="", wrap=None, upstream=""):
    """The Server, not yet started, whose port is the one that the cell asks.

    ports     hands out free ones
    wrap      puts its command into a namespace
    upstream  HOST:PORT that requests are passed on to
    """
    port = ports.take()
    beside = ports.take() if cell.is_secure else 0
    words = command(contestant, cell, port, machine.threads, prefix, beside, upstream)
    return Server(contestant.name, wrap(words) if wrap else words, port,
                  set(machine.server_cores), manners(contestant, cell, port, upstream))

"""How a contestant is started for a cell: command, environment and port.

Must not know a contestant by name: peer.toml contains the differences.
"""

import os

from experiments import model
from load import certificates, files_dir, postgres, process, profiles_dir, versions
from load.copies import Copies
from load.server import Manners, Server, ServerFailed
from peers import schema
from peers.manifest import filled, programs_folder

FIRST_PORT = 18500
_PORTS = 8000
_FILES_CASES = ("files",)
_PROFILES_CASES = ("items-json", "items-compressed", "static")
_ROUTES = ("--routes", "{routes}", "--middlewares", "{middlewares}")


class Ports:
    """Assigns unused ports."""

    def __init__(self):
        self._next = os.getpid() * 61 % _PORTS  # two concurrent runs rarely collide

    def take(self):
        """Returns an unused port."""
        for _ in range(_PORTS):
            port = FIRST_PORT + self._next
            self._next = (self._next + 1) % _PORTS
            if not process.is_listening(os.getpid(), port):
                return port
        raise ServerFailed(f"no free port from {FIRST_PORT} to {FIRST_PORT + _PORTS}")


def _folders(cell):
    """Returns the directories of the cell's files by placeholder; "" if not needed."""
    files = versions.folder if cell.changes == "file" else files_dir.ensure
    return {name: str(made()) if set(cases) & set(cell.needs) else ""
            for name, made, cases in (("files", files, _FILES_CASES),
                                      ("profiles", profiles_dir.ensure, _PROFILES_CASES))}


def _database(cell):
    """Returns libpq keywords of the cell's PostgreSQL; "" if it needs none."""
    return postgres.shared().where if cell.has_database else ""


def _case_arguments(peer, case):
    table = peer.case_table(case)
    if "arguments" in table:
        return table["arguments"]
    return _ROUTES if case == "routes" else ()


def _tls(cell, port, beside):
    """Returns ports and certificate: the cell's requests go to `port`."""
    if not cell.is_secure:
        return {"port": port, "tls_port": 0, "cert": "", "key": ""}
    return {"port": beside, "tls_port": port, **vars(certificates.of(cell))}


def _threads(contestant, cell, threads):
    each = cell.threads or threads
    return each * cell.processes if _scaled_by(contestant) == schema.BY_THREADS else each


def _scaled_by(contestant):
    return contestant.peer.run.get("processes_by", schema.BY_ARGUMENTS)


def command(contestant, cell, port, threads, prefix="", beside=0, upstream=""):
    """Returns its command line for this cell.

    port      port of the cell's requests, with or without TLS
    beside    port without TLS of a contestant that is measured with TLS
    upstream  HOST:PORT to which requests are forwarded
    """
    words = list(contestant.command)
    for case in cell.needs:
        words += _case_arguments(contestant.peer, case)
    return filled(words, contestant.peer, threads=_threads(contestant, cell, threads),
                  processes=cell.processes, delay_ms=cell.delay_ms, routes=cell.routes,
                  middlewares=cell.middlewares, prefix=prefix, **_folders(cell),
                  database=_database(cell),
                  database_connections=model.DATABASE_CONNECTIONS,
                  upstream=upstream, **_tls(cell, port, beside))


def manners(contestant, cell, port=0, upstream=""):
    """Returns its Manners for this cell with this port."""
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
        made = certificates.of(cell)
        environment |= {"TLS_PORT": str(port), "TLS_CERT": made.cert, "TLS_KEY": made.key}
    values = filled([str(value) for value in environment.values()], peer)
    return Manners(dict(zip(environment, values)), peer.folder,
                   peer.run.get("ends_with", "SIGTERM"), peer.run.get("is_exit_clean", True),
                   peer.run.get("reloads_with", ""))


def _upstream_words(cell, port):
    if cell.kind in model.SOCKETS:
        return [str(programs_folder() / "arena_eider"), str(port), "1", "--backend", "epoll"]
    size = ["--bytes", str(cell.proxied_bytes)] if cell.proxied_bytes else []
    return [str(programs_folder() / "floor_epoll"), str(port), "1", *size]


def upstream_server(cell, ports, machine):
    """Returns the upstream: the epoll floor, or Eider for WebSockets; it runs on the load's
    cores.
    """
    port = ports.take()
    return Server("upstream", _upstream_words(cell, port), port, set(machine.load_cores))


def server(contestant, cell, ports, machine, prefix="", wrap=None, upstream=""):
    """Returns the Server or Copies, not yet started; its port is that of the cell's requests.

    ports     assigns unused ports
    wrap      puts its command into a namespace
    upstream  HOST:PORT to which requests are forwarded
    """
    port = ports.take()
    beside = ports.take() if cell.is_secure else 0
    words = command(contestant, cell, port, machine.threads, prefix, beside, upstream)
    copies = cell.processes if _scaled_by(contestant) == schema.BY_COPIES else 1
    made = [Server(contestant.name, wrap(words) if wrap else words, port,
                   set(machine.server_cores), manners(contestant, cell, port, upstream))
            for _ in range(copies)]
    return Copies(made) if copies > 1 else made[0]

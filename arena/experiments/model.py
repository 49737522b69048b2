"""The parts of an experiment: cells, each with one request that all contestants get.

Must not name a contestant's private flag and must not run anything.
"""

from dataclasses import dataclass, field

from load.wrk import HOST
from verify.answers import Expected, request_bytes

HELLO = Expected(b"Hello, World!", "text/plain")
JSON = Expected(b'{"message":"Hello, World!"}', "application/json")
HTML = Expected(b"<p>Hello, world!</p>", "text/html")
CLOSE = ("Connection: close",)
OURS = ("eider-epoll", "eider-uring")

# How a cell is measured: with a closed-loop generator, as experiment 2, with a growing number of
# idle connections, at a fixed rate, or by the memory of workers under a light load.
CLOSED, SLOW, IDLE, OPEN, WORKERS = "closed loop", "slow work", "idle", "open loop", "workers"
# With closed loops of Eider's generator, and with a growing number of idle WebSockets.
WEBSOCKET, BROADCAST, EVENTS = "websocket", "broadcast", "events"
IDLE_SOCKETS = "idle websockets"
# With a closed loop, while many other connections are open and idle.
HELD = "held connections"
# With h2load, and with a connection and a TLS handshake per request.
HTTP2, HANDSHAKES = "http2", "handshakes"
# The contestant is the client; and two generators that load the same servers are compared.
CLIENT, AGREEMENT = "client", "agreement"
REALTIME = (WEBSOCKET, BROADCAST, EVENTS)
SOCKETS = (WEBSOCKET, BROADCAST, IDLE_SOCKETS)
# Connections that each contestant may open per event loop or process: enough for PostgreSQL.
DATABASE_CONNECTIONS = 8
IDLES = (IDLE, IDLE_SOCKETS, HELD)
# HttpArena's latency-1m: a million requests per second for 64 cores.
RATE_PER_CORE = 15_625
_UNEVEN = 1.1  # the largest share of connections that the kernel passes to one process


@dataclass(frozen=True)
class Published:
    """A published figure for the same cell."""
    who: str
    value: str
    note: str = ""

    def as_row(self):
        """Returns a plain dict."""
        return {"who": self.who, "value": self.value, "note": self.note}


@dataclass(frozen=True)
class Ask:
    """The request, and the response that every contestant must send.

    mix    requests of the load instead, chosen at random (load/wrk.py); the probe uses the path
    first  further checks, once before the first measurement; each has check(port, address, via),
           like those of verify/refusals.py
    allowed  bodies with which wrk compares each response; empty: it compares none
    """
    path: str
    expected: Expected
    method: str = "GET"
    body: bytes = b""
    headers: tuple = ()
    mix: tuple = ()
    first: tuple = ()
    allowed: tuple = ()

    def request(self):
        """Returns its bytes."""
        return request_bytes(self.path, HOST, self.headers, self.method, self.body)


@dataclass(frozen=True)
class Cell:
    """One measurement.

    needs          cases of peer.toml that a contestant must serve
    connections    number of open connections (slow work: clients)
    held           number of additional connections that are open and idle during the load
    depth          requests per write
    threads        threads of the server; None: as many as it has cores
    processes      number of server processes, each with these threads
    requests       slow work: how many each client sends, one after the other
    is_remote      slow work: across the delaying bridge
    rate           open loop: requests per second
    limit_seconds  slow work: theoretical minimum
    seconds_max    slow work: timeout
    message_bytes  websocket, broadcast: of each message; client: of each body
    seconds_least  minimum length of a measurement: requests unfinished at its end are not counted
    events         events: of each stream
    streams        HTTP/2: concurrent requests on each connection
    is_secure      over TLS
    is_resumed     handshakes: each resumes the session of the previous one
    is_proxied     the contestant forwards requests to a floor on the load's cores, or WebSockets to
                   Eider there
    proxied_bytes  size of the floor's response body; 0: hello world
    has_database   PostgreSQL runs too, with new tables, and its CPU time is reported
    changes        what is replaced during the load (load/changing.py); empty: nothing
    generators     agreement: names of the generators, the well-known one first
    bound_over     contestants to whose best CPU per request (or bytes) the bound is a ratio; empty:
                   to the epoll floor's CPU per request, or bytes as an absolute value
    """
    id: str
    title: str
    ask: Ask
    needs: tuple
    kind: str = CLOSED
    connections: int = 64
    held: int = 0
    depth: int = 1
    metric: str = "cpu_us"
    threads: int | None = None
    processes: int = 1
    delay_ms: int = 0
    routes: int = 0
    middlewares: int = 0
    requests: int = 0
    is_remote: bool = False
    rate: int = 0
    limit_seconds: float | None = None
    seconds_max: float | None = None
    message_bytes: int = 0
    seconds_least: float = 0
    events: int = 0
    streams: int = 0
    is_secure: bool = False
    is_resumed: bool = False
    is_proxied: bool = False
    proxied_bytes: int = 0
    has_database: bool = False
    changes: str = ""
    generators: tuple = ()
    bound_over: tuple = ()
    bound: dict = field(default_factory=dict)
    published: tuple = ()
    is_quick: bool = False

    @property
    def sockets(self):
        """Number of sockets that one side needs at once."""
        return self.connections + self.held

    @property
    def files(self):
        """Number of sockets that one process needs at once; the kernel spreads them unevenly."""
        return self.sockets if self.processes == 1 else \
            int(self.sockets / self.processes * _UNEVEN)

    def expected(self, is_floor):
        """Returns the response that is required: the floors have only one response."""
        if not is_floor:
            return self.ask.expected
        known = JSON if "json" in self.needs else HELLO
        return Expected(known.body, known.content_type, closes=self.ask.expected.closes)


@dataclass(frozen=True)
class Experiment:
    """Related cells.

    about      how it was published and how it is scaled to this machine
    generator  the published generator; used if it is installed
    """
    id: str
    title: str
    about: str
    cells: tuple
    generator: str = "wrk"


@dataclass(frozen=True)
class Machine:
    """The cores of the server and of the load.

    rate_per_core  requests per second for each core of the server, in the cell with a paced load
    """
    server_cores: tuple
    load_cores: tuple
    rate_per_core: int = RATE_PER_CORE

    @property
    def threads(self):
        """Number of threads of a server."""
        return len(self.server_cores)

    def scale(self, published=""):
        """Returns the sentence that compares the published setup with this one.

        published  empty: there are no published figures
        """
        start = f"Published {published}" if published else "No published figures"
        return (f"{start}; here the server has {_count(self.threads, 'thread')} on its own "
                f"{_count(self.threads, 'core')}, the load {_count(len(self.load_cores), 'core')}.")


def _count(number, word):
    return f"{number} {word}{'' if number == 1 else 's'}"


def both(epoll, uring=None):
    """Returns Eider's bounds for both backends."""
    return dict(zip(OURS, (epoll, uring or epoll)))


def name_by(contestant, generator):
    """Returns the name of a contestant's samples with one of several generators."""
    return f"{contestant}@{generator}"


def closing(expected):
    """Returns the same response, after which the connection is closed."""
    return Expected(expected.body, expected.content_type, closes=True)

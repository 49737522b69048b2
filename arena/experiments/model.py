"""What an experiment is: cells, each one question put to all contestants in the same way.

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

# How a cell is measured: by a closed-loop generator, as experiment 2 does, by growing idle
# connections, by a fixed rate, or by holding workers under a light load.
CLOSED, SLOW, IDLE, OPEN, WORKERS = "closed loop", "slow work", "idle", "open loop", "workers"
# By closed loops of Eider's own generator, and by growing idle WebSockets.
WEBSOCKET, BROADCAST, EVENTS = "websocket", "broadcast", "events"
IDLE_SOCKETS = "idle websockets"
# By h2load, and by a connection with a TLS handshake for each request.
HTTP2, HANDSHAKES = "http2", "handshakes"
# The contestant asks; and two generators load the same servers, to be compared with each other.
CLIENT, AGREEMENT = "client", "agreement"
REALTIME = (WEBSOCKET, BROADCAST, EVENTS)
SOCKETS = (WEBSOCKET, BROADCAST, IDLE_SOCKETS)
# What each contestant may hold open of each loop or process: enough to keep PostgreSQL busy.
DATABASE_CONNECTIONS = 8
IDLES = (IDLE, IDLE_SOCKETS)


@dataclass(frozen=True)
class Published:
    """A figure that somebody else published for the same question."""
    who: str
    value: str
    note: str = ""

    def as_row(self):
        """A plain dict."""
        return {"who": self.who, "value": self.value, "note": self.note}


@dataclass(frozen=True)
class Ask:
    """The request, and the answer that every contestant owes to it.

    mix    what the load asks instead, by chance (load/wrk.py); the path is asked beside it
    first  what else it owes, asked once ahead of the first measurement; each has
           check(port, address, via), as those of verify/refusals.py
    """
    path: str
    expected: Expected
    method: str = "GET"
    body: bytes = b""
    headers: tuple = ()
    mix: tuple = ()
    first: tuple = ()

    def request(self):
        """Its bytes."""
        return request_bytes(self.path, HOST, self.headers, self.method, self.body)


@dataclass(frozen=True)
class Cell:
    """One question.

    needs          the words of peer.toml's cases that a contestant must serve
    connections    how many are open at once (in slow work: clients)
    depth          requests in one write
    threads        what the server is told; None: as many as it has cores
    processes      the same, for those that fork
    requests       slow work: how many each client sends, one after the other
    is_remote      slow work: across the delaying bridge
    rate           open loop: requests per second
    limit_seconds  slow work: what physics allows
    seconds_max    slow work: what is waited for
    message_bytes  websocket, broadcast: of each message; client: of each body
    seconds_least  a measurement is no shorter: what is under way at its end is not counted
    events         events: of each stream
    streams        HTTP/2: requests at once on each connection
    is_secure      over TLS
    is_resumed     handshakes: each resumes the session of the one before
    is_proxied     the contestant passes the request on to a bare loop on the load's cores, or a
                   WebSocket to Eider there
    proxied_bytes  of the body that the loop answers with; 0: hello world
    has_database   PostgreSQL runs beside, filled anew, and its time is told
    generators     agreement: the names of those that load, the one known to others first
    bound_over     whose CPU per request (or bytes) the bound is a ratio to, of several the best's;
                   none: the epoll floor's CPU per request, or bytes as they are
    """
    id: str
    title: str
    ask: Ask
    needs: tuple
    kind: str = CLOSED
    connections: int = 64
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
    generators: tuple = ()
    bound_over: tuple = ()
    bound: dict = field(default_factory=dict)
    published: tuple = ()
    is_quick: bool = False

    def expected(self, is_floor):
        """What this contestant must answer: the floors always answer the same."""
        if not is_floor:
            return self.ask.expected
        known = JSON if "json" in self.needs else HELLO
        return Expected(known.body, known.content_type, closes=self.ask.expected.closes)


@dataclass(frozen=True)
class Experiment:
    """Cells that belong together.

    about      how it was published and how it is scaled to this machine
    generator  what it was published with; used when it is there
    """
    id: str
    title: str
    about: str
    cells: tuple
    generator: str = "wrk"


@dataclass(frozen=True)
class Machine:
    """The cores that the server and the load have for themselves."""
    server_cores: tuple
    load_cores: tuple

    @property
    def threads(self):
        """What a server is told."""
        return len(self.server_cores)

    def scale(self, published):
        """The sentence that says what was published and what is done here."""
        return (f"Published {published}; here the server has {_count(self.threads, 'thread')} on "
                f"its own {_count(self.threads, 'core')}, the load "
                f"{_count(len(self.load_cores), 'core')}.")


def _count(number, word):
    return f"{number} {word}{'' if number == 1 else 's'}"


def both(epoll, uring=None):
    """A bound for Eider on both backends."""
    return dict(zip(OURS, (epoll, uring or epoll)))


def name_by(contestant, generator):
    """The name of a contestant's samples under one of several generators."""
    return f"{contestant}@{generator}"


def closing(expected):
    """The same answer, after which the connection ends."""
    return Expected(expected.body, expected.content_type, closes=True)

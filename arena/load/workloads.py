"""The quick workloads: request, required response and Eider's bound.

Must not name a contestant's private flag: every contestant serves the same routes.
"""

from dataclasses import dataclass, field

from load import wrk
from verify.answers import Expected

_HELLO = Expected(b"Hello, World!", "text/plain")
_JSON = Expected(b'{"message":"Hello, World!"}', "application/json")
_CLOSING = Expected(b"Hello, World!", "text/plain", closes=True)
_ROUTED = Expected(b"42 7", "text/plain")
_CLOSE = ("Connection: close",)
_DEEP = 16


@dataclass
class Workload:
    """One row of the table.

    floor_flags, eider_flags  options of the contestant
    bounds                    the largest ratio to the epoll floor: {"eider epoll": 1.03, ...}
    """
    name: str
    title: str
    load: wrk.Load
    expected: Expected
    floor_expected: Expected
    bounds: dict
    floor_flags: list = field(default_factory=list)
    eider_flags: list = field(default_factory=list)


def _both(epoll, uring=None):
    return {"eider epoll": epoll, "eider uring": uring or epoll}


def all_workloads(seconds):
    """Returns every timed workload; `seconds` is the length of one measurement."""
    def load(path, connections, **more):
        return wrk.Load(path, connections, seconds, **more)
    return [
        Workload("plaintext", "plaintext, keep-alive, 64 connections", load("/plaintext", 64),
                 _HELLO, _HELLO, _both(1.03, 0.98)),
        Workload("c800", "plaintext, 800 connections", load("/plaintext", 800),
                 _HELLO, _HELLO, _both(1.03, 0.94)),
        Workload("c10k", "plaintext, 10,000 connections", load("/plaintext", 10000),
                 _HELLO, _HELLO, _both(1.08)),
        Workload("pipelined", f"plaintext, pipelined {_DEEP} deep, 64 connections",
                 load("/plaintext", 64, depth=_DEEP), _HELLO, _HELLO, _both(1.12)),
        Workload("json", "JSON, keep-alive, 64 connections", load("/json", 64),
                 _JSON, _JSON, _both(1.05), floor_flags=["--json"]),
        Workload("new", "a new connection per request, 64 at a time",
                 load("/plaintext", 64, headers=_CLOSE), _CLOSING, _CLOSING, _both(1.03),
                 floor_flags=["--close"]),
        Workload("routes", "two typed parameters among 200 routes, five middlewares",
                 load("/users/42/posts/7", 64), _ROUTED, _HELLO, _both(1.12),
                 eider_flags=["--routes", "200", "--middlewares", "5"]),
    ]

"""The cost of a request compared with the floors, and Eider's bounds.

Must not reuse a figure: the floors run in the same rounds.
"""

from experiments.model import CLOSE, HELLO, JSON, Ask, Cell, Experiment, Published, both, closing
from verify.answers import Expected

_NOTE = "over the epoll floor, one quiet two-core machine"
_AT_64 = (("uWebSockets", "1.01"), ("lithium", "1.07"), ("may_minihttp", "1.12"),
          ("Boost.Beast", "1.18"), ("Drogon", "1.20"), ("nginx", "1.22"), ("restinio", "1.34"),
          ("Crow", "1.53"), ("Vix.cpp", "4.99"))
_AT_800 = (("uWebSockets", "1.02"), ("lithium", "1.11"), ("may_minihttp", "1.30"),
           ("Boost.Beast", "1.38"), ("Drogon", "1.33"), ("nginx", "1.35"), ("Crow", "2.05"))
_AT_10000 = (("uWebSockets", "1.14 (6 MiB)"), ("lithium", "1.54 (974 MiB)"),
             ("Drogon", "1.40 (97 MiB)"), ("nginx", "1.04 (23 MiB)"), ("Crow", "1.63 (66 MiB)"))
_DEEP = (("uWebSockets", "1.27"), ("lithium", "1.23"), ("may_minihttp", "1.13"),
         ("Boost.Beast", "15.1"), ("Drogon", "3.64"), ("nginx", "13.4"), ("Crow", "11.6"))
_JSON = (("uWebSockets", "1.11"), ("lithium", "1.22"), ("Drogon", "1.56"), ("Crow", "1.74"),
         ("actix-web", "1.17"), ("Bun", "1.30"), ("fasthttp", "1.58"))
_NEW = (("uWebSockets", "22.8 µs"), ("nginx", "24.1 µs"), ("Drogon", "30.9 µs"),
        ("Crow", "34.9 µs"))


def experiment(machine):
    """Six cells."""
    plain = Ask("/plaintext", HELLO)
    return Experiment(
        "floor", "CPU per request over the bare loop",
        machine.scale("as ratios to a bare epoll loop of the same run"), (
            Cell("plaintext", "plaintext, 64 connections", plain, ("plaintext",),
                 bound=both(1.03, 0.98), published=_ratios(_AT_64)),
            Cell("c800", "plaintext, 800 connections", plain, ("plaintext",), connections=800,
                 bound=both(1.03, 0.94), published=_ratios(_AT_800)),
            Cell("c10000", "plaintext, 10,000 connections", plain, ("plaintext",),
                 connections=10000, bound=both(1.08), published=_ratios(_AT_10000)),
            Cell("pipelined", "plaintext, pipelined 16 deep", plain, ("plaintext", "pipelined"),
                 depth=16, bound=both(1.12), published=_ratios(_DEEP)),
            Cell("json", "JSON, 64 connections", Ask("/json", JSON), ("json",), bound=both(1.05),
                 published=_ratios(_JSON)),
            Cell("routes", "two typed parameters among 200 routes, five middlewares",
                 Ask("/users/42/posts/7", Expected(b"42 7", "text/plain")), ("users", "routes"),
                 routes=200, middlewares=5, bound=both(1.12), is_quick=True)))


def churn(machine):
    """One cell: a connection for each request."""
    published = tuple(Published(who, value, "CPU per request, two-core machine")
                      for who, value in _NEW)
    return Experiment(
        "churn", "A new connection per request",
        machine.scale("as CPU time per request, against a floor that closes too"),
        (Cell("new", "64 at a time", Ask("/plaintext", closing(HELLO), headers=CLOSE),
              ("plaintext", "close"), bound=both(1.03), published=published),))


def _ratios(rows):
    return tuple(Published(who, value, _NOTE) for who, value in rows)

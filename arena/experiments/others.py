"""Further experiments: bodies, idle memory, held connections, workers, loads at a fixed rate.

Must not name a contestant: all get the same requests.
"""

import math

from experiments import model
from experiments.model import HELLO, Ask, Cell, Experiment, Published, both
from verify.answers import Expected

BODY_BYTES = (1024, 65536, 1048576)
IDLE_BYTES_MAX = 300
IDLE_CONNECTIONS = 8000
WORKERS = 100
RATES_PER_CORE = (2000, 10000)
_MEBIBYTE = 2**20
PACED_CONNECTIONS = 256
HELD, HELD_APART, APART = 16_000, 32_000, 2
_RIVALS = ("nginx", "h2o", "uwebsockets")


def bodies(machine):
    """Three cells: 1 KiB, 64 KiB, 1 MiB."""
    return Experiment("bodies", "Larger responses", machine.scale(), tuple(
        Cell(f"b{size}", f"{size // 1024:,} KiB, 64 connections",
             Ask(f"/bytes/{size}", Expected(b"x" * size, "application/octet-stream")), ("bodies",))
        for size in BODY_BYTES))


def idle(machine):
    """One cell: memory of an idle connection."""
    return Experiment(
        "idle", "Memory of an idle connection",
        machine.scale("for uWebSockets alone") + " Growth of the RSS with that many connections, "
        "each after one response.",
        (Cell("idle", f"{IDLE_CONNECTIONS:,} idle connections", Ask("/plaintext", HELLO),
              ("plaintext",), kind=model.IDLE, connections=IDLE_CONNECTIONS, metric="bytes",
              bound=both(IDLE_BYTES_MAX),
              published=(Published("uWebSockets", "about 250 bytes"),)),))


def held(machine):
    """Two cells: the cost of a request while many other connections are open.

    The larger one has two processes, because each has its own limit of open files.
    """
    half = math.ceil(machine.threads / APART)
    return Experiment(
        "held", "A load next to idle connections",
        machine.scale() + " The idle connections have had one response each before the load, and "
        "get another one after it. Their memory is the growth of the RSS. The larger cell has "
        "two processes on these cores.",
        (_held(HELD, ("plaintext", "held")),
         _held(HELD_APART, ("plaintext", "held", "held-apart"), f", {APART} processes",
               processes=APART, threads=half)))


def _held(count, needs, note="", **more):
    return Cell(f"h{count}", f"64 connections, and {count:,} idle ones{note}",
                Ask("/plaintext", HELLO), needs, kind=model.HELD, held=count, bound=both(1.0),
                bound_over=_RIVALS, **more)


def workers(machine):
    """Two cells: a hundred workers as threads, and as processes."""
    ask = Ask("/plaintext", HELLO)
    return Experiment(
        "workers", "Threads against processes",
        machine.scale("by Cutelyst with 100 workers") + " Memory under 100 connections.", (
            Cell("threads", f"{WORKERS} threads", ask, ("plaintext",), kind=model.WORKERS,
                 connections=WORKERS, metric="bytes", threads=WORKERS,
                 bound=both(35 * _MEBIBYTE), published=(Published("Cutelyst", "35 MiB"),)),
            Cell("processes", f"{WORKERS} processes", ask, ("plaintext", "processes"),
                 kind=model.WORKERS, connections=WORKERS, metric="bytes", threads=1,
                 processes=WORKERS, bound=both(130 * _MEBIBYTE),
                 published=(Published("Cutelyst", "130 MiB"),))))


def open_loop(machine):
    """Latency and cost at rates that do not decrease if the server is slow."""
    rates = [rate * machine.threads for rate in RATES_PER_CORE]
    return Experiment(
        "open-loop", "Latency and cost at a fixed rate",
        machine.scale() + " Latency counts from when a request was due.",
        (*(Cell(f"r{rate}", f"{rate:,} requests per second, 64 connections",
                Ask("/plaintext", HELLO), ("plaintext",), kind=model.OPEN, metric="p99_ms",
                rate=rate) for rate in rates), _paced(machine)))


def _paced(machine):
    """All contestants respond to the same number of requests, so only their cost differs."""
    rate = machine.rate_per_core * machine.threads
    return Cell("paced", f"{rate:,} requests per second, {PACED_CONNECTIONS} connections, by cost",
                Ask("/plaintext", HELLO), ("plaintext",), kind=model.OPEN, rate=rate,
                connections=PACED_CONNECTIONS, bound=both(1.0), bound_over=_RIVALS)

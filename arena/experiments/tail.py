"""Experiment 3: throughput and tail latency at 800 connections.

Must not name a contestant: all get the same requests.
"""

from experiments.model import HELLO, Ask, Cell, Experiment, Published, both

_PUBLISHED = (
    Published("Drogon", "115,151/s, avg 6.38, p50 5.49, p90 12.03, p99 21.16 ms",
              "8 threads, 8-thread laptop"),
    Published("Vix.cpp 2.7.0", "112,539/s, avg 7.31, p50 6.51, p90 8.73, p99 12.19, max 606 ms",
              "8 threads, 8-thread laptop"),
    Published("Crow", "93,340/s, avg 8.30, p50 7.21, p90 14.72, p99 26.76 ms",
              "8 threads, 8-thread laptop"),
)


def experiment(machine):
    """One cell."""
    return Experiment(
        "tail", "3. Throughput and tail at 800 connections",
        machine.scale("with wrk -t8 -c800 -d30s --latency, GET /bench, 8 server threads"),
        (Cell("c800", "800 connections", Ask("/bench", HELLO), ("plaintext",), connections=800,
              metric="per_second", bound=both(1.03, 0.94), published=_PUBLISHED, is_quick=True),))

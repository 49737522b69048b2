"""httpress, the published generator of experiment 5: its command line and output.

Must not judge, and must not invent the latencies that it does not print.
"""

from load import outcome
from load.outcome import GeneratorFailed, Report

NAME = "httpress"
_PER_SECOND_ASSUMED = 50_000  # its option is a number of requests, not a time


def can(load):
    """It has no pipelining, bodies or custom headers; keep-alive is an option."""
    return load.depth == 1 and not load.body


def command(load, port, threads):
    """Returns the command line."""
    closes = any("close" in header for header in load.headers)
    share = 4 if closes else 1  # new connections are slower by about this factor
    count = max(load.connections, round(load.seconds * _PER_SECOND_ASSUMED / share))
    line = ["httpress", "-n", str(count), "-c", str(load.connections),
            "-t", str(min(threads, load.connections))]
    return line + ([] if closes else ["-k"]) + [f"http://127.0.0.1:{port}{load.path}"]


def parse(text):
    """Returns the Report in its output."""
    rate = outcome.number(text, r"([\d.]+) rps")
    good = outcome.number(text, r"(\d+) success")
    if rate is None or good is None:
        raise GeneratorFailed("httpress said: " + text.strip()[:200])
    count = int(outcome.number(text, r"(\d+) fail") or 0)
    return Report(int(good), rate, errors=f"{count} requests failed" if count else "",
                  error_count=count)

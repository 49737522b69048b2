"""h2load with HTTP/1.1: its command line and output.

Must not judge, and must not invent the percentiles that it does not print.
"""

from load import outcome
from load.outcome import GeneratorFailed, Report
from load.wrk import HOST

NAME = "h2load"


def can(load):
    """It does not reconnect, so connections must be kept; it reads bodies only from files."""
    return not load.body and not any("close" in header for header in load.headers)


def command(load, port, threads):
    """Returns the command line."""
    line = ["h2load", "--h1", f"-t{min(threads, load.connections)}", f"-c{load.connections}",
            f"-m{load.depth}", f"-D{max(1, round(load.seconds))}", "-H", f"Host: {HOST}"]
    for header in load.headers:
        line += ["-H", header]
    return line + [f"http://127.0.0.1:{port}{load.path}"]


def parse(text):
    """Returns the Report in its output."""
    rate = outcome.number(text, r"finished in \S+ ([\d.]+) req/s")
    done = outcome.number(text, r"requests: .*?(\d+) succeeded")
    if rate is None or done is None:
        raise GeneratorFailed("h2load said: " + text.strip()[:200])
    count = int(sum(outcome.number(text, rf"requests: .*?(\d+) {what}") or 0
                    for what in ("failed", "errored", "timeout")))
    latency = r"time for request:\s+"
    return Report(int(done), rate, errors=f"{count} requests failed" if count else "",
                  avg_ms=outcome.duration_ms(text, latency + r"\S+\s+\S+\s+"),
                  max_ms=outcome.duration_ms(text, latency + r"\S+\s+"), error_count=count)

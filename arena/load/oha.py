"""oha: its command line, and what it printed.

Must not judge: errors are handed on as they were counted.
"""

import json

from load.outcome import GeneratorFailed, Report, scaled
from load.wrk import HOST
from peers import oha as installed

NAME = "oha"
_AT_THE_END = "aborted due to deadline"  # of requests that were under way when the time was over


def can(load):
    """It does not pipeline, and nothing with content is asked by it here."""
    return load.depth == 1 and not load.body


def command(load, port, _threads):
    """The whole command line."""
    line = [installed.program() or NAME, "--no-tui", "--output-format", "json",
            "-z", f"{max(1, round(load.seconds))}s", "-c", str(load.connections),
            "-H", f"Host: {HOST}"]
    for header in load.headers:
        line += ["-H", header]
    return line + [f"http://127.0.0.1:{port}{load.path}"]


def parse(text):
    """The Report in its output."""
    try:
        told = json.loads(text)
        summary, percentiles = told["summary"], told["latencyPercentiles"]
    except (ValueError, KeyError, TypeError):
        raise GeneratorFailed("oha said: " + text.strip()[:200]) from None
    errors = {what: count for what, count in told.get("errorDistribution", {}).items()
              if what != _AT_THE_END}
    statuses = told.get("statusCodeDistribution", {})
    errors |= {f"status {code}": count for code, count in statuses.items() if code != "200"}
    return Report(int(statuses.get("200", 0)), summary["requestsPerSec"],
                  scaled(percentiles["p50"], 1000), scaled(percentiles["p99"], 1000),
                  "; ".join(f"{count} x {what}" for what, count in errors.items()),
                  scaled(summary["average"], 1000), scaled(percentiles["p90"], 1000),
                  scaled(summary["slowest"], 1000), sum(errors.values()))

"""oha: its command line and output.

Must not judge: errors are counted, not interpreted.
"""

import json

from load.outcome import GeneratorFailed, Report, scaled
from load.wrk import HOST
from peers import oha as installed

NAME = "oha"
_AT_THE_END = "aborted due to deadline"  # of requests that were unfinished at the end


def can(load):
    """It has no pipelining, and the arena sends no bodies with it."""
    return load.depth == 1 and not load.body


def command(load, port, _threads):
    """Returns the command line."""
    line = [installed.program() or NAME, "--no-tui", "--output-format", "json",
            "-z", f"{max(1, round(load.seconds))}s", "-c", str(load.connections),
            "-H", f"Host: {HOST}"]
    for header in load.headers:
        line += ["-H", header]
    return line + [f"http://127.0.0.1:{port}{load.path}"]


def parse(text):
    """Returns the Report in its output."""
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

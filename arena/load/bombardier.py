"""bombardier, the published generator of experiment 1: its command line and output.

Must not judge: errors are counted, not interpreted.
"""

import json

from load.outcome import GeneratorFailed, Report, scaled
from load.wrk import HOST

NAME = "bombardier"
_STATUSES_BUT_200 = ("req1xx", "req3xx", "req4xx", "req5xx", "others")


def can(load):
    """It has no pipelining, and the arena sends no bodies with it."""
    return load.depth == 1 and not load.body


def command(load, port, _threads):
    """Returns the command line."""
    line = ["bombardier", "-l", "-p", "r", "-o", "json", "-c", str(load.connections),
            "-d", f"{max(1, round(load.seconds))}s", "-t", "10s", "-H", f"Host: {HOST}"]
    for header in load.headers:
        line += ["-H", header]
    return line + [f"http://127.0.0.1:{port}{load.path}"]


def parse(text):
    """Returns the Report in its output."""
    try:
        result = json.loads(text)["result"]
        latency, percentiles = result["latency"], result["latency"]["percentiles"]
        requests, seconds = int(result["req2xx"]), float(result["timeTakenSeconds"])
    except (ValueError, KeyError, TypeError):
        raise GeneratorFailed("bombardier said: " + text.strip()[:200]) from None
    count = sum(int(result.get(name, 0)) for name in _STATUSES_BUT_200)
    told = "; ".join(f"{error['count']} x {error['description']}"
                     for error in result.get("errors") or ())
    return Report(requests, requests / seconds, scaled(percentiles["50"], 1e-3),
                  scaled(percentiles["99"], 1e-3), told or (f"{count} errors" if count else ""),
                  scaled(latency["mean"], 1e-3), scaled(percentiles["90"], 1e-3),
                  scaled(latency["max"], 1e-3), count)

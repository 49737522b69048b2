"""eider bench: its command line, and what it printed.

Must not judge: errors are handed on as they were counted.
"""

import json
import os
from pathlib import Path

from load.outcome import GeneratorFailed, Report
from load.wrk import HOST

NAME = "eider_bench"
_ROOT = Path(__file__).resolve().parents[2]


def program():
    """Where the command is built."""
    return Path(os.environ.get("EIDER_BIN") or _ROOT / "build/release/bin") / "eider"


def is_there():
    """True when it is built."""
    return os.access(program(), os.X_OK)


def can(_load):
    """Every closed loop."""
    return True


def command(load, port, threads):
    """The whole command line."""
    line = [str(program()), "bench", "--no-progress", "--json", "-", "--timeout", "10s",
            "-c", str(load.connections), "-t", str(min(threads, load.connections)),
            "-d", f"{max(1, round(load.seconds))}s", "-p", str(load.depth),
            "-H", f"Host: {HOST}"]
    for header in load.headers:
        line += ["-H", header]
    return line + [f"http://127.0.0.1:{port}{load.path}"]


def parse(text):
    """The Report in its output."""
    try:
        told = json.loads(text)
        latency, statuses = told["latency"], told["statuses"]
        errors = {kind: count for kind, count in told["errors_by_kind"].items() if count}
        errors |= {f"status {kind}": count for kind, count in statuses.items()
                   if count and kind != "success"}
        return Report(statuses["success"], told["requests_per_second"], latency["p50_ms"],
                      latency["p99_ms"],
                      "; ".join(f"{count} x {what}" for what, count in errors.items()),
                      latency["mean_ms"], latency["p90_ms"], latency["max_ms"],
                      sum(errors.values()))
    except (ValueError, KeyError, TypeError):
        raise GeneratorFailed("eider bench said: " + text.strip()[:200]) from None

"""Runs wrk, the closed-loop generator, pinned to its own cores, and reads what it printed.

Must not judge: errors are handed on as they were counted.
"""

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass

HOST = "arena.example"  # one Host for all contestants, so that the request bytes are equal
_UNITS_MS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60000.0, "h": 3600000.0}
_scripts = {}

PIPELINE_SCRIPT = """-- Sends the request {depth} times in one write.
local batch
init = function(args)
  batch = string.rep(wrk.format(), {depth})
end
request = function() return batch end
"""


class GeneratorFailed(Exception):
    """wrk itself failed: no figure."""


@dataclass
class Load:
    """What wrk is told. depth: how many requests leave in one write."""
    path: str
    connections: int
    seconds: float
    headers: tuple = ()
    depth: int = 1


@dataclass
class Report:
    """What wrk said."""
    requests: int
    per_second: float
    p50_ms: float
    p99_ms: float
    errors: str


def _script_path(depth):
    """The pipelining script for that depth, written once and removed at exit."""
    if depth not in _scripts:
        file = tempfile.NamedTemporaryFile("w", prefix="eider_pipeline_", suffix=".lua")
        file.write(PIPELINE_SCRIPT.format(depth=depth))
        file.flush()
        _scripts[depth] = file
    return _scripts[depth].name


def command(load, port, threads):
    """The whole command line, the same for every contestant but for the port."""
    line = ["wrk", f"-t{min(threads, load.connections)}", f"-c{load.connections}",
            f"-d{max(1, round(load.seconds))}s", "--latency", "--timeout", "10s",
            "-H", f"Host: {HOST}"]
    for header in load.headers:
        line += ["-H", header]
    if load.depth > 1:
        line += ["-s", _script_path(load.depth)]
    return line + [f"http://127.0.0.1:{port}{load.path}"]


def start(load, port, cores):
    """Starts wrk on `cores`, one thread for each of them."""
    return subprocess.Popen(
        command(load, port, len(cores)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, start_new_session=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cores))


def finish(process, seconds_max):
    """Waits for the end and returns the Report."""
    try:
        text, _ = process.communicate(timeout=seconds_max)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise GeneratorFailed("wrk did not end in time") from None
    return parse(text)


def parse(text):
    """The Report in wrk's output; GeneratorFailed when there is none."""
    counted = re.search(r"(\d+) requests in", text)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", text)
    if not counted or not rate or "cannot open" in text:
        raise GeneratorFailed("wrk said: " + text.strip()[:200])
    errors = [line.strip() for line in text.splitlines()
              if "Socket errors" in line or "Non-2xx" in line]
    return Report(int(counted[1]), float(rate[1]), _latency_ms(text, 50), _latency_ms(text, 99),
                  "; ".join(errors))


def _latency_ms(text, percent):
    found = re.search(rf"^\s+{percent}%\s+([\d.]+)(us|ms|s|m|h)", text, re.MULTILINE)
    return float(found[1]) * _UNITS_MS[found[2]] if found else float("nan")

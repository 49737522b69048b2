"""wrk, the closed-loop generator: its command line, and what it printed.

Must not judge: errors are handed on as they were counted.
"""

import re
import tempfile
from dataclasses import dataclass

from load import outcome
from load.outcome import GeneratorFailed, Report

NAME = "wrk"
HOST = "arena.example"  # one Host for all contestants, so that the request bytes are equal
_TIMEOUT = "10s"
_scripts = {}

PIPELINE_SCRIPT = """-- Sends the request {depth} times in one write.
local batch
init = function(args)
  batch = string.rep(wrk.format(), {depth})
end
request = function() return batch end
"""


@dataclass
class Load:
    """What a generator is told. depth: how many requests leave in one write. is_secure: by TLS."""
    path: str
    connections: int
    seconds: float
    headers: tuple = ()
    depth: int = 1
    is_secure: bool = False


def can(_load):
    """wrk can do every closed loop."""
    return True


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
            f"-d{max(1, round(load.seconds))}s", "--latency", "--timeout", _TIMEOUT,
            "-H", f"Host: {HOST}"]
    for header in load.headers:
        line += ["-H", header]
    if load.depth > 1:
        line += ["-s", _script_path(load.depth)]
    scheme = "https" if load.is_secure else "http"
    return line + [f"{scheme}://127.0.0.1:{port}{load.path}"]


def start(load, port, cores):
    """Starts wrk on `cores`, one thread for each of them."""
    return outcome.start(command(load, port, len(cores)), cores)


def finish(process, seconds_max):
    """Waits for the end and returns the Report."""
    return outcome.finish(process, seconds_max, parse)


def parse(text):
    """The Report in wrk's output; GeneratorFailed when there is none."""
    counted = outcome.number(text, r"(\d+) requests in")
    rate = outcome.number(text, r"Requests/sec:\s+([\d.]+)")
    if counted is None or rate is None or "cannot open" in text:
        raise GeneratorFailed("wrk said: " + text.strip()[:200])
    errors = [line.strip() for line in text.splitlines()
              if "Socket errors" in line or "Non-2xx" in line]
    count = sum(int(number) for line in errors for number in re.findall(r"\b(\d+)\b", line))
    latency = r"^\s+Latency\s+"
    return Report(int(counted), rate, _percentile_ms(text, 50), _percentile_ms(text, 99),
                  "; ".join(errors), outcome.duration_ms(text, latency),
                  _percentile_ms(text, 90), outcome.duration_ms(text, latency + r"\S+\s+\S+\s+"),
                  count)


def _percentile_ms(text, percent):
    """nan also for the 0.00us that it prints of what it did not time."""
    return outcome.duration_ms(text, rf"^\s+{percent}%\s+") or outcome.NAN

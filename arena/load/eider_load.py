"""Runs eider_load, the arena's own generator, pinned to its cores, and reads its report.

Must not judge: errors are handed on as they were counted.
"""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from load.wrk import HOST, GeneratorFailed
from network.vpn import Vpn

_ROOT = Path(__file__).resolve().parents[2]
_PATIENCE_SECONDS = 15
_ERRORS_MAX = 100


class NotBuilt(GeneratorFailed):
    """The program is missing: says how it is built."""


@dataclass
class Latency:
    """Milliseconds."""
    mean_ms: float
    p50_ms: float
    p90_ms: float
    p99_ms: float
    p999_ms: float
    max_ms: float


@dataclass
class Report:
    """What eider_load said.

    seconds         from the first request to the last answer
    requests        answered as expected
    errors          how many were not; by_kind counts them, first_error tells the first in words
    p50_ms …        latency of those answered; at a fixed rate from when each was due
    uncorrected     at a fixed rate: latency from the actual sending; else None
    generator_late  at a fixed rate: by how much the generator itself was late; else None
    unsent          at a fixed rate: due, but never sent
    """
    seconds: float
    requests: int
    errors: int
    p50_ms: float
    p99_ms: float
    max_ms: float
    mean_ms: float
    p90_ms: float
    p999_ms: float
    per_second: float
    by_kind: dict
    first_error: str
    unsent: int = 0
    uncorrected: Latency | None = None
    generator_late: Latency | None = None


def program():
    """The generator that is built; NotBuilt says how when it is not."""
    directory = os.environ.get("EIDER_BIN") or _ROOT / "build/release/bin"
    path = Path(directory) / "eider_load"
    if not os.access(path, os.X_OK):
        raise NotBuilt(f"{path} is not built: cmake --preset release && "
                       "cmake --build build/release --target eider_load")
    return path


def sequential(address, port, clients, requests, path, body, timeout_seconds, cores,
               namespace=None, expect_body=None, limit_seconds=1200):
    """Each client opens a new connection for each of its requests and waits for the whole answer.

    body         JSON text to POST; None: GET
    cores        set of cores to run on; None: wherever it is put
    namespace    the network namespace to run in, e.g. Vpn.client_namespace
    expect_body  the exact text that every answer must have
    """
    options = ["--address", address, "--clients", clients, "--requests", requests,
               "--timeout", timeout_seconds, "--limit", limit_seconds, "--errors-max", _ERRORS_MAX]
    options += _message(path, body, expect_body)
    return _run("sequential", port, options, cores, limit_seconds + timeout_seconds, namespace)


def fixed_rate(port, path, connections, rate, seconds, cores, arrivals="poisson", body=None,
               expect_body=None, timeout_seconds=10, threads=1):
    """Requests at that rate a second, by a clock that does not wait for answers."""
    options = ["--connections", connections, "--rate", rate, "--seconds", seconds,
               "--arrivals", arrivals, "--timeout", timeout_seconds, "--threads", threads]
    options += _message(path, body, expect_body)
    return _run("rate", port, options, cores, seconds + 2 * timeout_seconds)


def closed(port, path, connections, seconds, cores, depth=1, body=None, expect_body=None,
           timeout_seconds=10, threads=1):
    """Each connection sends its next `depth` requests once all answers have come."""
    options = ["--connections", connections, "--seconds", seconds, "--depth", depth,
               "--timeout", timeout_seconds, "--threads", threads]
    options += _message(path, body, expect_body)
    return _run("closed", port, options, cores, seconds + 2 * timeout_seconds)


def _message(path, body, expect_body):
    options = ["--host", HOST, "--path", path]
    if body is not None:
        options += ["--body", body]
    if expect_body is not None:
        options += ["--expect-body", expect_body]
    return options


def _run(mode, port, options, cores, seconds_max, namespace=None):
    command = [str(part) for part in [program(), mode, "--port", port, "--json", *options]]
    if namespace:
        command = Vpn.command(namespace, command)
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cores) if cores else None)
    try:
        told, complaint = process.communicate(timeout=seconds_max + _PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        raise GeneratorFailed(f"eider_load {mode} did not end in time") from None
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    if process.returncode != 0:
        raise GeneratorFailed(f"eider_load {mode}: {complaint.strip()}")
    return parse(told)


def parse(text):
    """The Report in one line of JSON."""
    told = json.loads(text)
    return Report(
        seconds=told["seconds"], requests=told["requests"], errors=told["errors"],
        per_second=told["per_second"], by_kind=told["errors_by_kind"],
        first_error=told["first_error"], unsent=told["unsent"], **told["latency"],
        uncorrected=_latency(told.get("uncorrected")),
        generator_late=_latency(told.get("generator_late")))


def _latency(told):
    return Latency(**told) if told else None

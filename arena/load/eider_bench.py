"""Eider's own generator, `eider bench`: its command lines and output.

Must not judge: errors are counted, not interpreted.
"""

import json
import os
import subprocess
from pathlib import Path

from experiments import model
from load.outcome import GeneratorFailed, Report
from load.wrk import HOST
from network.vpn import Vpn

NAME = "eider_bench"
_ROOT = Path(__file__).resolve().parents[2]
_PATIENCE_SECONDS = 15
_ERRORS_MAX = 100
_RIGHT = ("-H", f"Host: {HOST}", "--expect-status", "200")
_JSON_BODY = ("-H", "Content-Type: application/json")
_REALTIME = {
    model.WEBSOCKET: ("--check-echo", "--body-bytes", "{message_bytes}"),
    model.BROADCAST: ("--broadcast", "--body-bytes", "{message_bytes}"),
    model.EVENTS: ("-H", f"Host: {HOST}", "--events", "{events}"),
}


class NotBuilt(GeneratorFailed):
    """The program is missing; the message says how to build it."""


def program():
    """Returns the path of the command."""
    return Path(os.environ.get("EIDER_BIN") or _ROOT / "build/release/bin") / "eider"


def why_not():
    """Returns why it cannot run and how to build it; empty if it is built."""
    return "" if is_there() else (f"{program()} is not built: cmake --preset release && "
                                  "cmake --build build/release --target eider")


def ensure_built():
    """Raises NotBuilt if it cannot run."""
    if not is_there():
        raise NotBuilt(why_not())


def is_there():
    """Whether it is built."""
    return os.access(program(), os.X_OK)


def can(_load):
    """It supports every closed loop."""
    return True


def command(load, port, threads):
    """Returns the command line of a closed loop."""
    words = ["-t", min(threads, load.connections), "-d", f"{max(1, round(load.seconds))}s",
             "-p", load.depth, *_message(load.body.decode() or None, None)]
    for header in load.headers:
        words += ["-H", header]
    return line(load.connections, *words, url(port, load.path))


def line(connections, *words):
    """Returns a command line whose report parse() reads."""
    return [str(word) for word in (program(), "bench", "--no-progress", "--json", "-",
                                   "-c", connections, *words)]


def url(port, path, scheme="http", address="127.0.0.1"):
    """Returns the URL of the requests."""
    return f"{scheme}://{address}:{port}{path}"


def sequential(address, port, clients, requests, path, body, timeout_seconds, cores,
               namespace=None, expect_body=None, limit_seconds=1200):
    """Each client opens a new connection for each request and waits for the complete response.

    body         JSON text to POST; None: GET
    cores        set of cores to run on; None: any
    namespace    the network namespace to run in, for example Vpn.client_namespace
    expect_body  the exact body that every response must have
    """
    words = line(clients, "--new-connections", "-n", clients * requests,
                 "-d", _time(limit_seconds), "--timeout", _time(timeout_seconds),
                 "--errors-max", _ERRORS_MAX, *_message(body, expect_body),
                 url(port, path, address=address))
    return _run(words, cores, limit_seconds + 2 * timeout_seconds, namespace)


def fixed_rate(port, path, connections, rate, seconds, cores, arrivals="poisson", body=None,
               expect_body=None, timeout_seconds=10, threads=1):
    """Sends requests at this rate per second, without waiting for responses."""
    words = line(connections, "-r", rate, "-d", _time(seconds), "--arrivals", arrivals,
                 "--timeout", _time(timeout_seconds), "-t", threads,
                 *_message(body, expect_body), url(port, path))
    return _run(words, cores, seconds + 2 * timeout_seconds)


def words_of(cell):
    """Returns the options of a cell of experiments/realtime.py, without URL and duration."""
    return [word.format(**vars(cell)) for word in _REALTIME[cell.kind]]


def connections_of(cell):
    """Number of connections, including that of a publisher if there are subscribers."""
    return cell.connections + (1 if cell.kind == model.BROADCAST else 0)


class Realtime:
    """Messages, broadcasts, event streams of one cell; a generator for generators.py."""

    NAME = NAME

    def __init__(self, cell):
        self._cell = cell

    def command(self, load, port, threads):
        """Returns the command line."""
        cell = self._cell
        threads = 1 if cell.kind == model.BROADCAST else min(threads, load.connections)
        scheme = "ws" if cell.kind in (model.WEBSOCKET, model.BROADCAST) else "http"
        return line(connections_of(cell), *words_of(cell), "-t", threads,
                    "-d", f"{max(1, round(load.seconds))}s", url(port, cell.ask.path, scheme))

    @staticmethod
    def parse(text):
        """Returns the Report in its output."""
        return parse(text)


def _time(seconds):
    return f"{round(seconds * 1000)}ms"


def _message(body, expect_body):
    words = list(_RIGHT)
    if body is not None:
        words += ["-b", body, *_JSON_BODY]
    if expect_body is not None:
        words += ["--expect-body", expect_body]
    return words


def _run(words, cores, seconds_max, namespace=None):
    ensure_built()
    if namespace:
        words = Vpn.command(namespace, words)
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cores) if cores else None)
    try:
        told, _ = process.communicate(timeout=seconds_max + _PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        raise GeneratorFailed("eider bench did not end in time") from None
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    return parse(told)


def parse(text):
    """Returns the Report in its output; raises GeneratorFailed with the output if there is none."""
    found = next((row for row in text.splitlines() if row.startswith("{")), "")
    try:
        told = json.loads(found)
        latency = told["latency"]
        kinds = {kind: count for kind, count in told["errors_by_kind"].items() if count}
        words = "; ".join(f"{count} x {kind}" for kind, count in kinds.items())
        return Report(told["requests"], told["requests_per_second"], latency["p50_ms"],
                      latency["p99_ms"], f"{words}, the first: {told['first_error']}" if words
                      else "", latency["mean_ms"], latency["p90_ms"], latency["max_ms"],
                      told["errors"], told["seconds"], told["unsent"])
    except (ValueError, KeyError, TypeError):
        raise GeneratorFailed("eider bench said: " + text.strip()[:200]) from None

"""Runs a client once, on its own cores, until it ends: its figures and its cost.

Must not check the figures: load/clients.py does.
"""

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass

from load import process
from load.outcome import GeneratorFailed

_PATIENCE_SECONDS = 15
_LOOK_SECONDS = 0.002
_TOLD_CHARACTERS_MAX = 300


@dataclass(frozen=True)
class Told:
    """Figures that a client has printed, and those of the kernel.

    requests, errors  correct responses, and all others
    bytes             size of the bodies of the correct ones
    seconds           from its first request to its last response
    ran_ns, waited_ns time on a core and waiting for one, of the whole process from start to end
    whole_seconds     wall-clock time of the whole process
    memory            {"rss": …, "pss": …} during the load
    """
    requests: int
    errors: int
    bytes: int
    seconds: float
    ran_ns: int
    waited_ns: int
    whole_seconds: float
    memory: dict


def ask(command, cores, seconds, at_work=lambda: None):
    """Runs a client for this many seconds and returns its Told; raises GeneratorFailed.

    at_work  called once during the run, except if seconds is 0
    """
    began, memory = time.monotonic(), {}
    running = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True, preexec_fn=lambda: os.sched_setaffinity(0, cores))
    try:
        if seconds:
            time.sleep(seconds / 2)
            at_work()
            memory = process.memory_bytes(running.pid)
        _await_end(running, seconds + _PATIENCE_SECONDS)
        ran, waited = process.cpu_ns(running.pid)  # still in /proc, because it is not reaped yet
        whole = time.monotonic() - began
        text, complaint = running.communicate()
    finally:
        _end(running)
    if running.returncode != 0:
        raise GeneratorFailed(f"the client ended with status {running.returncode}: "
                              + complaint.strip()[-_TOLD_CHARACTERS_MAX:])
    return Told(*_numbers(text), ran, waited, whole, memory)


def _numbers(text):
    try:
        told = json.loads(text)
        return (int(told["requests"]), int(told["errors"]), int(told["bytes"]),
                float(told["seconds"]))
    except (ValueError, KeyError, TypeError):
        raise GeneratorFailed("the client said: "
                              + text.strip()[:_TOLD_CHARACTERS_MAX]) from None


def _await_end(running, seconds_max):
    """Waits for its end without reaping it; raises GeneratorFailed on a timeout."""
    deadline = time.monotonic() + seconds_max
    while os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > deadline:
            raise GeneratorFailed(f"the client did not end within {seconds_max:g} s")
        time.sleep(_LOOK_SECONDS)


def _end(running):
    """Ends it and its children, and closes its pipes."""
    try:
        os.killpg(running.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if running.returncode is None:
        running.communicate()

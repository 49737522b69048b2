"""Runs a client once, on its own cores, to its end: what it said, and what it cost.

Must not judge what it says: load/clients.py does.
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
    """What a client said of itself, and what the kernel says of it.

    requests, errors  right answers, and all else
    bytes             of the bodies of the right ones
    seconds           from its first request to its last answer
    ran_ns, waited_ns on a core, and for one, of the whole process from its start to its end
    whole_seconds     the same by the clock on the wall
    memory            {"rss": …, "pss": …} at work
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
    """The Told of a client that asks for so many seconds; GeneratorFailed when it fails.

    at_work  called once while it asks, not for 0 seconds
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
        ran, waited = process.cpu_ns(running.pid)  # it is still known, as it was not waited for
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
    """Until it has ended; GeneratorFailed when it does not."""
    deadline = time.monotonic() + seconds_max
    while os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > deadline:
            raise GeneratorFailed(f"the client did not end within {seconds_max:g} s")
        time.sleep(_LOOK_SECONDS)


def _end(running):
    """It and its children are gone, and its pipes closed."""
    try:
        os.killpg(running.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if running.returncode is None:
        running.communicate()

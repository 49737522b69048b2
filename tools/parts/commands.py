"""Runs programs, bounded in time, several at once.

Must not leave a process behind: each runs in its own group, which ends with it.
"""

import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

JOBS = len(os.sched_getaffinity(0))
_ends_at = None  # of time.monotonic()


class OutOfTime(Exception):
    """The time of the whole run is over."""


def end_within(seconds):
    """From then on nothing runs: `run` ends what it has begun, and raises OutOfTime."""
    global _ends_at
    _ends_at = time.monotonic() + seconds


@dataclass
class Ended:
    """How a program ended. status is None when it ran out of time."""
    status: int | None
    output: str

    @property
    def is_good(self):
        """It left with 0."""
        return self.status == 0


def run(command, seconds, cwd=None, env=None, text=None):
    """Runs the program with its output and errors joined, at most so many seconds.

    text  its input
    """
    left = seconds if _ends_at is None else _ends_at - time.monotonic()
    if left <= 0:
        raise OutOfTime
    process = subprocess.Popen(
        [str(word) for word in command], cwd=cwd, env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors='replace', start_new_session=True)
    try:
        output, _ = process.communicate(text, timeout=min(seconds, left))
        return Ended(process.returncode, output)
    except subprocess.TimeoutExpired:
        _end_group(process)
        output, _ = process.communicate()
        if left < seconds:
            raise OutOfTime from None
        return Ended(None, f'{output}\n(ended after {seconds} s)')
    except BaseException:
        _end_group(process)
        raise


def begin(command, cwd, env):
    """Starts a program whose output nobody reads; `end` ends it."""
    return subprocess.Popen(command, cwd=cwd, env={**os.environ, **env}, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            start_new_session=True)


def wait(process, seconds):
    """Until a program that was begun has ended; ends it where that takes longer."""
    left = seconds if _ends_at is None else _ends_at - time.monotonic()
    try:
        process.wait(max(0, min(seconds, left)))
    except subprocess.TimeoutExpired:
        end(process)
        if left < seconds:
            raise OutOfTime from None


def end(process):
    """Ends a program that was begun, and all that it started, unless it has ended."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
        process.wait()


def _end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def each(function, items, per_core=1):
    """function(item) for all items, so many at once for each core, in order."""
    with ThreadPoolExecutor(JOBS * per_core) as pool:
        return list(pool.map(function, items))

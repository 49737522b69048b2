"""Runs programs with a time limit, several at once.

Must not leave a process running: each program has its own process group, which is killed when the
time is over.
"""

import contextlib
import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

# Precedes the command of a compiler or of clang-tidy.
FASTER = str(Path(__file__).resolve().parent.parent / 'with_tcmalloc')
JOBS = len(os.sched_getaffinity(0))
# A killed program leaves no output open, but a daemon that it started may.
KILLED_SECONDS_MAX = 5
# A program that takes longer to end is killed.
END_SECONDS_MAX = 30
# At low priority on a busy machine, a program takes many times as long.
LOW_PRIORITY_FACTOR = 20
_ends_at = None  # of time.monotonic()
_factor = 1  # of the time limits of `run`
_running = set()  # the programs of `run`


class OutOfTime(Exception):
    """Raised when the time limit of the whole run is reached."""


def end_within(seconds):
    """Sets the time limit of the whole run. After it, `run` ends its program and raises
    OutOfTime."""
    global _ends_at
    _ends_at = time.monotonic() + seconds


def extend_limits():
    """Extends the time limits of `run` for programs at low priority."""
    global _factor
    _factor = LOW_PRIORITY_FACTOR


@dataclass
class Ended:
    """How a program ended. `status` is None if the program ran out of time."""
    status: int | None
    output: str

    @property
    def is_good(self):
        """Whether the program exited with status 0."""
        return self.status == 0


def run(command, seconds, cwd=None, env=None, text=None):
    """Runs the program for at most `seconds`; joins standard output and standard error.

    text  standard input (default: none)
    """
    if str(command[0]).startswith('clang'):
        command = [FASTER, *command]
    seconds *= _factor
    left = seconds if _ends_at is None else _ends_at - time.monotonic()
    if left <= 0:
        raise OutOfTime
    process = subprocess.Popen(
        [str(word) for word in command], cwd=cwd, env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors='replace',
        # A new session has its own scheduling group, with the usual priority.
        **({'start_new_session': True} if _factor == 1 else {'process_group': 0}))
    _running.add(process)
    try:
        output, _ = process.communicate(text, timeout=min(seconds, left))
        return Ended(process.returncode, output)
    except subprocess.TimeoutExpired:
        _end_group(process)
        try:
            output, _ = process.communicate(timeout=KILLED_SECONDS_MAX)
        except subprocess.TimeoutExpired as killed:
            output = (killed.output or b'').decode(errors='replace')
            process.stdout.close()
        if left < seconds:
            raise OutOfTime from None
        return Ended(None, f'{output}\n(ended after {seconds} s)')
    except BaseException:
        _end_group(process)
        raise
    finally:
        _running.discard(process)


def begin(command, cwd, env):
    """Starts a program and discards its output; `end` ends it."""
    return subprocess.Popen(command, cwd=cwd, env={**os.environ, **env}, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            start_new_session=True)


def wait(process, seconds):
    """Waits at most `seconds` for a program started by `begin`, then ends it."""
    left = seconds if _ends_at is None else _ends_at - time.monotonic()
    try:
        process.wait(max(0, min(seconds, left)))
    except subprocess.TimeoutExpired:
        end(process)
        if left < seconds:
            raise OutOfTime from None


def end(process):
    """Ends a program started by `begin` and its process group, unless it has exited.

    SIGTERM, because background jobs of a shell ignore SIGINT.
    """
    if process.poll() is None:
        # Another thread may wait for it: then `poll` notices its exit late.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(END_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            _end_group(process)
            process.wait()


def _end_group(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def each(function, items, per_core=1):
    """Returns function(item) for all items, in order; runs `per_core` calls at once per core."""
    with ThreadPoolExecutor(JOBS * per_core) as pool:
        try:
            return list(pool.map(function, items))
        except KeyboardInterrupt:
            end_within(0)  # no thread starts another program
            for process in list(_running):
                _end_group(process)
            raise

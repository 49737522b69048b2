"""Runs the build steps of a peer, each with a timeout and its output in a log.

Must not decide whether a build is needed: peers/setup.py does.
"""

import os
import signal
import subprocess
import time

from peers.manifest import BUILD_SECONDS_MAX, filled, shown

_LINES_SHOWN = 12


class BuildFailed(Exception):
    """Has the failed step, the end of its output and the path of the log."""


def _end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _tail(log_path):
    lines = log_path.read_text(errors="replace").strip().splitlines()[-_LINES_SHOWN:]
    return "\n".join(f"  {line}" for line in lines)


def run_steps(peer, steps, prefix, log_path):
    """Runs the steps in the peer's folder; returns the seconds they took. Raises BuildFailed."""
    began = time.monotonic()
    seconds_max = peer.build.get("seconds_max", BUILD_SECONDS_MAX)
    peer.out.mkdir(parents=True, exist_ok=True)
    for step in steps:
        words = filled(step, peer, prefix=prefix)
        left = seconds_max - (time.monotonic() - began)
        _run_step(peer, words, max(1, left), seconds_max, log_path)
    return time.monotonic() - began


def _run_step(peer, words, seconds, seconds_max, log_path):
    told = f"{' '.join(words)}\nthe whole log is in {shown(log_path)}"
    with open(log_path, "ab") as log:
        log.write(f"$ {' '.join(words)}\n".encode())
        log.flush()
        try:
            process = subprocess.Popen(words, cwd=peer.folder, stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT, start_new_session=True)
        except OSError as failure:
            raise BuildFailed(f"{failure}: {told}") from None
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise BuildFailed(f"took over {seconds_max} s ([build] seconds_max): {told}") from None
        finally:
            _end(process)
    if status != 0:
        raise BuildFailed(f"ended with status {status}: {told}\n{_tail(log_path)}")

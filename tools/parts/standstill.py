"""Measures how long the machine stalled while a part ran, since this can make tests fail.

Must not change the result of a test: the notes are printed in addition to failures.
"""

import os
import threading
import time
from pathlib import Path

LOOK_EVERY_SECONDS = 0.5
# Shorter delays are usual on a busy machine.
LATE_SECONDS_MIN = 2
STOLEN_SHARE_MIN = 0.1


class Standstill:
    """A context manager that checks the clock until it exits; `notes` has the lines to print."""

    def __enter__(self):
        self.notes, self._late, self._is_over = [], [], threading.Event()
        self._began, self._before = time.monotonic(), (stolen_seconds(), memory_seconds())
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        self._thread.join()
        stolen, memory = self._before
        self.notes = told(self._late, time.monotonic() - self._began, stolen_seconds() - stolen,
                          memory_seconds() - memory)

    def _look(self):
        before = time.monotonic()
        while not self._is_over.wait(LOOK_EVERY_SECONDS):
            now = time.monotonic()
            self._late.append(now - before - LOOK_EVERY_SECONDS)
            before = now


def told(late, seconds, stolen, memory):
    """Returns the lines to print about a part that ran for `seconds`.

    late    seconds by which each check of the clock was late
    stolen  seconds of CPU time that the host gave to other machines
    memory  seconds in which all programs waited for memory
    """
    long = [one for one in late if one >= LATE_SECONDS_MIN]
    lines = [f'the machine, or this program, stopped {len(long)} times, {sum(long):.0f} s in '
             f'all, {max(long):.0f} s at once'] if long else []
    if stolen > STOLEN_SHARE_MIN * seconds * os.cpu_count():
        lines.append(f'other machines had {stolen:.0f} s of its processors\' time')
    if memory > LATE_SECONDS_MIN:
        lines.append(f'all programs waited for memory for {memory:.0f} s')
    return lines


def stolen_seconds():
    """Returns the CPU time that the host gave to other machines, summed over all processors."""
    try:
        ticks = Path('/proc/stat').read_text(encoding='ascii').split('\n', 1)[0].split()
        return int(ticks[8]) / os.sysconf('SC_CLK_TCK')
    except (OSError, IndexError, ValueError):
        return 0


def memory_seconds():
    """Returns how long all programs have waited for memory."""
    pressure = Path('/proc/pressure/memory')
    try:
        full = pressure.read_text(encoding='ascii').splitlines()[1]
        return int(full.rsplit('=', 1)[1]) / 1e6
    except (OSError, IndexError, ValueError):  # a kernel that does not count it
        return 0

"""The line on standard error that says what runs and how long it still takes.

Must not rewrite a line where there is no terminal: there it prints plain lines, and few of them.
"""

import shutil
import sys
import time

_PLAIN_SECONDS = 10  # between two plain lines


def spoken(seconds):
    """A duration for people."""
    seconds = max(0, round(seconds))
    if seconds < 90:
        return f"{seconds} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"


class Progress:
    """Knows how much work there is, in estimated seconds, and learns how good the estimate is."""

    def __init__(self, seconds, stream=None, clock=time.monotonic):
        self.total, self.finished = seconds, 0.0
        self.stream, self.clock = stream or sys.stderr, clock
        self.began, self._told = clock(), float("-inf")
        self.is_terminal = self.stream.isatty()

    def seconds_left(self):
        """What the rest takes, going by what was finished until now."""
        passed = self.clock() - self.began
        # Early on the plan's estimate weighs more than the little that was seen.
        pace = (passed + 10) / (self.finished + 10)
        return max(0.0, self.total - self.finished) * pace

    def advance(self, seconds):
        """So many of the estimated seconds are finished."""
        self.finished += seconds

    def tell(self, what):
        """Something begins."""
        text = f"{what} · about {spoken(self.seconds_left())} left"
        if self.is_terminal:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\033[K{text[:width]}", end="", file=self.stream, flush=True)
        elif self.clock() - self._told >= _PLAIN_SECONDS:
            self._told = self.clock()
            print(text, file=self.stream, flush=True)

    def say(self, text):
        """A line that stays."""
        self.clear()
        print(text, file=self.stream, flush=True)

    def clear(self):
        """Leaves the terminal's line empty."""
        if self.is_terminal:
            print("\r\033[K", end="", file=self.stream, flush=True)

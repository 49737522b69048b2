"""The progress line on standard error: the current measurement and the remaining time.

Must not rewrite a line if there is no terminal: it prints a few plain lines instead.
"""

import shutil
import sys
import time

_PLAIN_SECONDS = 10  # between two plain lines


def spoken(seconds):
    """Formats a duration."""
    seconds = max(0, round(seconds))
    if seconds < 90:
        return f"{seconds} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"


class Progress:
    """Knows the work in estimated seconds, and adjusts the estimate to the elapsed time."""

    def __init__(self, seconds, stream=None, clock=time.monotonic):
        self.total, self.finished = seconds, 0.0
        self.stream, self.clock = stream or sys.stderr, clock
        self.began, self._told = clock(), float("-inf")
        self.is_terminal = self.stream.isatty()

    def seconds_left(self):
        """Returns the expected remaining time."""
        passed = self.clock() - self.began
        # At first, the plan's estimate has more weight than the few measurements.
        pace = (passed + 10) / (self.finished + 10)
        return max(0.0, self.total - self.finished) * pace

    def advance(self, seconds):
        """Marks this many of the estimated seconds as finished."""
        self.finished += seconds

    def tell(self, what):
        """Shows the beginning of a measurement."""
        text = f"{what} · about {spoken(self.seconds_left())} left"
        if self.is_terminal:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\033[K{text[:width]}", end="", file=self.stream, flush=True)
        elif self.clock() - self._told >= _PLAIN_SECONDS:
            self._told = self.clock()
            print(text, file=self.stream, flush=True)

    def say(self, text):
        """Prints a line that stays."""
        self.clear()
        print(text, file=self.stream, flush=True)

    def clear(self):
        """Clears the terminal's line."""
        if self.is_terminal:
            print("\r\033[K", end="", file=self.stream, flush=True)

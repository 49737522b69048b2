"""Converts figures to coordinates: linear and logarithmic scales, their ticks, where a scale is
cut.

Must not draw.
"""

import math
from dataclasses import dataclass

from report.charts import svg

_STEPS = (1, 2, 2.5, 5, 10)
_GAP = 6


@dataclass(frozen=True)
class Scale:
    """Maps low..high to left..right; values outside are at the edge."""
    low: float
    high: float
    left: float
    right: float
    is_log: bool = False

    def place(self, value):
        """Returns the x of a value."""
        low, high, at = self.low, self.high, min(max(value, self.low), self.high)
        if self.is_log:
            low, high, at = math.log10(low), math.log10(high), math.log10(at)
        if high == low:
            return self.left
        return self.left + (self.right - self.left) * (at - low) / (high - low)

    def is_cut(self, value):
        """Whether the value is beyond the end."""
        return value > self.high


def nice_step(span, count):
    """Returns the least of 1, 2, 2.5, 5 × 10^k that divides the span into at most `count` parts."""
    raw = span / max(1, count)
    if raw <= 0 or not math.isfinite(raw):
        return 1.0
    power = 10 ** math.floor(math.log10(raw))
    return next(step * power for step in _STEPS if step * power >= raw * (1 - 1e-9))


def linear_ticks(high, low=0.0, count=4):
    """Returns multiples of a nice step between low and high."""
    step = nice_step(high - low, count)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [index * step for index in range(first, last + 1)]


def log_ticks(low, high):
    """Returns 1, 2, 5 × 10^k between low and high; only the powers if there are many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    fine = [digit * 10.0 ** power for power in powers for digit in (1, 2, 5)]
    coarse = [10.0 ** power for power in powers]
    for ticks in (fine, coarse):
        inside = [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]
        if 2 <= len(inside) <= 8:
            return inside
    return inside


def end_of(values, least=0.0, cut_over=2.5):
    """Returns the end of a linear scale: the maximum, except if a few values are much larger than
    the rest.

    least     value that must be on the scale
    cut_over  how many times the 70th percentile must fit before the scale is cut
    """
    known = sorted(value for value in values if value > 0)
    if not known:
        return least or 1.0
    usual = known[int(0.7 * (len(known) - 1))]
    cut = max(cut_over * usual, least)
    greatest = max(known[-1], least)
    return greatest if greatest <= cut * 1.2 else cut


def log_ends(values):
    """Returns (low, high) of a logarithmic scale of all values; (1, 10) if there are none."""
    known = [value for value in values if value and value > 0]
    if not known:
        return 1.0, 10.0
    low, high = min(known) * 0.9, max(known) * 1.1
    return (low, high) if high / low >= 2 else (low / 1.5, high * 1.5)


def labels(scale, ticks, show):
    """Returns [(x, text)] of the ticks, without labels that would touch the previous one."""
    told, free_from = [], -math.inf
    for tick in ticks:
        x, text = scale.place(tick), show(tick)
        half = svg.width_of(text, svg.FONT - 1) / 2
        if x - half >= free_from:
            told.append((x, text))
            free_from = x + half + _GAP
    return told

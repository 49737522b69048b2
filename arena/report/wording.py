"""Formats numbers for readers.

Must not round away a difference that exceeds the spread: three significant digits at least.
"""

import math

NOTHING = "–"
_SIZES = ("B", "KiB", "MiB", "GiB")


def plain(value):
    """Formats with three significant digits, no exponent: 0.0312, 1.04, 15.1, 1,240."""
    if value is None:
        return NOTHING
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.1f}"
    if size >= 1 or size == 0:
        return f"{value:.2f}"
    if size < 0.0001:
        return f"{value:.0e}"
    return f"{value:.{2 - math.floor(math.log10(size))}f}"


def count(value):
    """Formats a whole number with commas."""
    return NOTHING if value is None else f"{value:,.0f}"


def short_count(value):
    """For axes and bars: 950, 12.5k, 315k, 1.24M."""
    for size, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{suffix}"
    return f"{value:.3g}"


def microseconds(value):
    """CPU time: 2.31 µs."""
    return NOTHING if value is None else f"{plain(value)} µs"


def weighed(value):
    """CPU time times the square of a size: 312 µs·KiB²."""
    return NOTHING if value is None else f"{plain(value)} µs·KiB²"


def milliseconds(value):
    """Latency: 0.52 ms; from a second on in seconds."""
    if value is None:
        return NOTHING
    return f"{plain(value)} ms" if abs(value) < 1000 else f"{plain(value / 1000)} s"


def seconds(value):
    """A duration: 1.06 s, 3:21.4."""
    if value is None:
        return NOTHING
    if round(value, 2) < 60:
        return f"{value:.2f} s"
    tenths = round(value * 10)
    return f"{tenths // 600}:{tenths % 600 / 10:04.1f}"


def size(value):
    """Bytes: 300 B, 6.25 MiB."""
    if value is None:
        return NOTHING
    step = 0
    while abs(value) >= 1024 and step < len(_SIZES) - 1:
        value, step = value / 1024, step + 1
    return f"{value:,.0f} B" if step == 0 else f"{plain(value)} {_SIZES[step]}"


def times(value):
    """A ratio: 1.031×."""
    if value is None:
        return NOTHING
    return f"{value:.3f}×" if value < 10 else f"{value:.1f}×"


def percent(value):
    """A spread: ±1.3 %; nothing when unknown."""
    return "" if value is None else f"±{value:.1f} %"


def ordinal(value):
    """1st, 2nd, 3rd, 4th, 11th."""
    suffix = "th" if value % 100 in (11, 12, 13) else \
        {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{suffix}"


def plural(value, word):
    """1 round, 2 rounds."""
    return f"{value:,} {word}" + ("" if value == 1 else "s")


def joined(items):
    """a, b and c."""
    items = list(items)
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def generator(name):
    """Returns the usual name of a load generator: eider bench."""
    return name.replace("_", " ")

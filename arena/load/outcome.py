"""A generator's report, and functions that parse the output of all generators.

Must not judge: errors are counted, not interpreted.
"""

import math
import os
import re
import subprocess
from dataclasses import dataclass

NAN = float("nan")
_UNITS_MS = {"ns": 1e-6, "us": 0.001, "µs": 0.001, "ms": 1.0, "s": 1000.0, "m": 60000.0,
             "h": 3600000.0}
_DURATION = r"([\d.]+)(ns|us|µs|ms|s|m|h)\b"


class GeneratorFailed(Exception):
    """The generator itself failed: there is no figure."""


@dataclass
class Report:
    """A generator's figures; nan if it does not print them.

    errors       the generator's messages, "" if there were none
    error_count  number of errors
    seconds      from the first request to the last response
    unsent       at a fixed rate: scheduled, but never sent
    bytes_read   of all responses with their headers; None if it does not print them
    certificates {SHA-256: (end of the first handshake, begin of the last)}, monotonic seconds
    """
    requests: int
    per_second: float
    p50_ms: float = NAN
    p99_ms: float = NAN
    errors: str = ""
    avg_ms: float = NAN
    p90_ms: float = NAN
    max_ms: float = NAN
    error_count: int = 0
    seconds: float = NAN
    unsent: int = 0
    bytes_read: float | None = None
    certificates: dict | None = None


def duration_ms(text, before):
    """Returns the duration that follows the pattern `before`, in milliseconds, or nan."""
    found = re.search(before + _DURATION, text, re.MULTILINE)
    return float(found[1]) * _UNITS_MS[found[2]] if found else NAN


def number(text, pattern):
    """Returns the first group as a number, or None."""
    found = re.search(pattern, text, re.MULTILINE)
    return float(found[1]) if found else None


def scaled(value, factor):
    """Returns value * factor; nan for None."""
    return NAN if value is None or not math.isfinite(value) else value * factor


def start(line, cores):
    """Starts a generator's command on these cores; finish() reads its output."""
    return subprocess.Popen(
        line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True, preexec_fn=lambda: os.sched_setaffinity(0, cores))


def finish(process, seconds_max, parse):
    """Waits for the end and returns the output parsed with `parse`."""
    try:
        text, _ = process.communicate(timeout=seconds_max)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise GeneratorFailed(f"{process.args[0]} did not end within {seconds_max:g} s") from None
    return parse(text)

"""The metrics: the field of a sample, its title, which direction is better.

Must not compute: report/figures.py does.
"""

import re
from dataclasses import dataclass

from report import wording


@dataclass(frozen=True)
class Metric:
    """One metric."""
    field: str
    title: str
    brief: str
    is_more_better: bool
    show: object


PER_SECOND = Metric("per_second", "requests per second", "requests/s", True, wording.count)
CPU = Metric("cpu_us", "CPU per request", "CPU/request", False, wording.microseconds)
SECONDS = Metric("seconds", "time from first request to last response", "time", False,
                 wording.seconds)
MEMORY = Metric("pss_bytes", "memory", "memory", False, wording.size)
P99 = Metric("p99_ms", "p99 latency", "p99", False, wording.milliseconds)

# HttpArena's score of compressed responses, as a cost: size has more weight than time.
WEIGHED = Metric("weighed_us", "CPU per request × (KiB per response)²", "CPU × KiB²", False,
                 wording.weighed)

_OTHERS = {
    "p50_ms": Metric("p50_ms", "median latency", "p50", False, wording.milliseconds),
    "rss_bytes": Metric("rss_bytes", "memory (RSS)", "memory", False, wording.size),
}
_KNOWN = {metric.field: metric for metric in
          (PER_SECOND, CPU, SECONDS, MEMORY, P99, WEIGHED)} | _OTHERS

VPN_ROUND_TRIP_SECONDS = 0.052


def of_cell(cell, samples):
    """Returns the Metric that decides a cell; "bytes" is the kind of memory that was measured."""
    if cell.metric == "bytes":
        has_pss = any(s["pss_bytes"] is not None for s in samples)
        return MEMORY if has_pss else _OTHERS["rss_bytes"]
    return _KNOWN.get(cell.metric, PER_SECOND)


def limit_seconds(cell):
    """Returns N × (t + two round trips) in experiment 2: from run.json, else from the title."""
    if cell.limit_seconds:
        return cell.limit_seconds
    if cell.metric != "seconds":
        return None
    requests = re.search(r"\bN ?= ?(\d[\d,]*)", cell.title)
    wait = re.search(r"\bt ?= ?(\d+)", cell.title)
    if not requests or not wait:
        return None
    trips = 2 * VPN_ROUND_TRIP_SECONDS if re.search(r"\bvpn\b", cell.title, re.IGNORECASE) else 0
    return int(requests[1].replace(",", "")) * (int(wait[1]) / 1000 + trips) or None

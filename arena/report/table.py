"""Medians, spreads and ratios of the samples, as a text table.

Must not form a ratio across rounds: each is formed within one round, then the median is taken.
"""

import math
import statistics

FLOOR = "floor epoll"
FLOORS = (FLOOR, "floor uring")
DISTURBED = 0.05

_HEAD = ("contestant", "CPU µs/req", "spread", "/epoll floor", "spread", "/cheaper floor", "req/s",
         "p50 ms", "p99 ms", "RSS MiB", "PSS MiB", "bound")


def middle(values):
    """Returns the median, or nan if there are no values."""
    return statistics.median(values) if values else float("nan")


def spread(values):
    """Returns half of the interquartile range divided by the median, in percent."""
    if len(values) < 2:
        return float("nan")
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return 100 * (high - low) / 2 / statistics.median(values)


def ratios(samples, contestant, floors):
    """Returns ratios of the contestant's CPU to that of the cheapest of `floors`, one per round."""
    by_round = {}
    for sample in samples:
        if not sample.wrong:
            by_round.setdefault(sample.round, {})[sample.contestant] = sample.cpu_us
    found = []
    for costs in by_round.values():
        under = [costs[floor] for floor in floors if floor in costs]
        if contestant in costs and under:
            found.append(costs[contestant] / min(under))
    return found


def summary(samples, workload, contestant):
    """Returns the figures of one row as a dict."""
    good = [s for s in samples if s.contestant == contestant and not s.wrong]
    cpu = [s.cpu_us for s in good]
    to_floor = ratios(samples, contestant, (FLOOR,))
    bound = workload.bounds.get(contestant)
    return {
        "contestant": contestant, "rounds": len(good),
        "cpu_us": middle(cpu), "cpu_spread_percent": spread(cpu),
        "ratio": middle(to_floor), "ratio_spread_percent": spread(to_floor),
        "ratio_cheaper": middle(ratios(samples, contestant, FLOORS)),
        "per_second": middle([s.per_second for s in good]),
        "p50_ms": middle([s.p50_ms for s in good]), "p99_ms": middle([s.p99_ms for s in good]),
        "rss_mib": max((s.rss_bytes for s in good), default=0) / 2**20,
        "pss_mib": max((s.pss_bytes for s in good), default=0) / 2**20,
        "bound": bound, "is_met": None if bound is None or not good else middle(to_floor) <= bound,
    }


def _percent(value):
    return "-" if math.isnan(value) else f"±{value:.1f}%"


def _cells(row):
    bound = ""
    if row["bound"] is not None:
        bound = f"{row['bound']:.2f} " + {True: "met", False: "MISSED", None: "-"}[row["is_met"]]
    return (row["contestant"], f"{row['cpu_us']:.3f}", _percent(row["cpu_spread_percent"]),
            f"{row['ratio']:.3f}", _percent(row["ratio_spread_percent"]),
            f"{row['ratio_cheaper']:.3f}", f"{row['per_second']:,.0f}", f"{row['p50_ms']:.3f}",
            f"{row['p99_ms']:.3f}", f"{row['rss_mib']:.1f}", f"{row['pss_mib']:.1f}", bound)


def lines(head, rows):
    """Returns the rows with their header in columns; the first column is left-aligned."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    def line(row):
        cells = [row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])]
        return "  ".join(cells).rstrip()
    return [line(row) for row in [head, *rows]]


def workload_lines(samples, workload):
    """Returns the table of one workload, followed by every disqualification."""
    names = list(dict.fromkeys(s.contestant for s in samples))
    rows = [_cells(summary(samples, workload, name)) for name in names]
    told = [f"\n{workload.title}  (one measurement {workload.load.seconds:g} s)"]
    told += lines(_HEAD, rows)
    for s in samples:
        if s.wrong:
            told.append(f"DISQUALIFIED {s.contestant}, round {s.round + 1}: {s.wrong}")
    disturbed = sum(1 for s in samples if s.waited > DISTURBED)
    if disturbed:
        told.append(f"{disturbed} of {len(samples)} measurements shared the server's core with "
                    f"other work for over {DISTURBED:.0%} of their time: read them with care")
    return told

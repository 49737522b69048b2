"""The arithmetic of the report: medians, spreads, ratios within a round, who is ahead.

Must not use a sample with `wrong`, and must not form a ratio across rounds.
"""

import statistics
from dataclasses import dataclass

FLOOR = "floor-epoll"
DISTURBED = 0.05
BUSY_ENOUGH = 0.90


@dataclass(frozen=True)
class Figure:
    """The median of several rounds.

    low, high       the quartiles (the median itself if there is one round)
    spread_percent  half of the interquartile range divided by the median; None if unknown
    """
    median: float
    low: float
    high: float
    spread_percent: float | None
    rounds: int

    def reach(self):
        """Returns (lowest, highest) within the spread; None if the spread is unknown."""
        if self.spread_percent is None:
            return None
        part = abs(self.median) * self.spread_percent / 100
        return self.median - part, self.median + part


def figure(values):
    """Returns the Figure of the values; None if there are none."""
    values = [value for value in values if value is not None]
    if not values:
        return None
    middle = statistics.median(values)
    if len(values) < 2:
        return Figure(middle, middle, middle, None, 1)
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    spread = 100 * (high - low) / 2 / abs(middle) if middle else None
    return Figure(middle, low, high, spread, len(values))


def good(samples):
    """Returns the valid samples."""
    return [s for s in samples if not s["wrong"]]


def by_round(samples, contestant, field):
    """Returns {round: value}; of a repeated round, the last value."""
    return {s["round"]: s[field] for s in good(samples)
            if s["contestant"] == contestant and s[field] is not None}


def measured(samples, contestant, field):
    """Returns the Figure of one field, or None."""
    return figure(by_round(samples, contestant, field).values())


def highest(samples, contestant, field):
    """Returns the maximum of all rounds, or None."""
    return max(by_round(samples, contestant, field).values(), default=None)


def ratio(samples, contestant, other, field):
    """Returns the Figure of contestant / other, each ratio formed within one round; or None."""
    over = by_round(samples, contestant, field)
    under = by_round(samples, other, field)
    return figure([value / under[number] for number, value in over.items()
                   if number in under and under[number] > 0])


def floor_ratio(samples, contestant):
    """Returns the ratio of CPU per request to that of the epoll floor in the same round, and with
    the same generator if there are several; None without floor.
    """
    _, by, generator = contestant.partition("@")
    return ratio(samples, contestant, FLOOR + by + generator, "cpu_us")


def ratio_to_best(samples, contestant, others, field):
    """Returns the Figure of contestant / the smallest of the others, each within one round; or
    None.

    field  one for which less is better
    """
    over = by_round(samples, contestant, field)
    rivals = [by_round(samples, other, field) for other in others]
    pairs = [(value, [rival[number] for rival in rivals if rival.get(number, 0) > 0])
             for number, value in over.items()]
    return figure([value / min(least) for value, least in pairs if least])


def limit_ratio(samples, contestant, limit_seconds):
    """Returns time divided by the physical limit; None if either is unknown."""
    if not limit_seconds:
        return None
    return figure([value / limit_seconds
                   for value in by_round(samples, contestant, "seconds").values()])


def is_apart(first, second):
    """Whether two Figures differ beyond the spread of both; False if a spread is unknown."""
    one, other = first.reach(), second.reach()
    if one is None or other is None:
        return False
    return one[0] > other[1] or other[0] > one[1]


def busy_share(samples, contestant, cores):
    """Returns the used share of the server's cores, 1.0 for all; None if unknown."""
    used = [s["cpu_us"] * s["per_second"] / 1e6 for s in good(samples)
            if s["contestant"] == contestant
            and s["cpu_us"] is not None and s["per_second"] is not None]
    return statistics.median(used) / cores if used and cores > 0 else None


def waiting_for_load(samples, names, cores):
    """Returns contestants that used less than BUSY_ENOUGH of the server's cores: {name: share}."""
    shares = {name: busy_share(samples, name, cores) for name in names}
    return {name: share for name, share in shares.items()
            if share is not None and share < BUSY_ENOUGH}


def disturbed_count(samples):
    """Returns the number of samples whose server waited for its core more than DISTURBED."""
    return sum(1 for s in samples if s["waited"] is not None and s["waited"] > DISTURBED)


def disqualified(samples):
    """Returns [(contestant, wrong rounds, all rounds, {why: count})] in order of appearance."""
    found = {}
    for row in samples:
        if row["wrong"]:
            reasons = found.setdefault(row["contestant"], {})
            reasons[row["wrong"]] = reasons.get(row["wrong"], 0) + 1
    return [(name, sum(reasons.values()),
             sum(1 for row in samples if row["contestant"] == name), reasons)
            for name, reasons in found.items()]

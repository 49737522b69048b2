"""./arena/run compare: compares two runs, cell by cell; reports changes beyond the spread.

Must not compare absolute figures if a floor ran: ratios to it depend less on the machine.
"""

import statistics
import sys
from pathlib import Path

from load.results import Folder, ResultsError
from report.table import lines, spread

FLOOR = "floor-epoll"
_FIELDS = {"bytes": ("pss_bytes", "rss_bytes"), "seconds": ("seconds",), "cpu_us": ("cpu_us",),
           "per_second": ("per_second",), "p99_ms": ("p99_ms",)}
_MORE_IS_BETTER = ("per_second",)
_RATIOS = ("cpu_us", "per_second")
_LEAST_PERCENT = 2.0


def add(commands):
    """Adds the command and its options."""
    parser = commands.add_parser(
        "compare", help="two runs side by side", description="Says for each cell and contestant "
        "what changed from OLD to NEW: medians, as ratios to the epoll floor where it ran.")
    parser.add_argument("old", metavar="OLD", help="a folder of results")
    parser.add_argument("new", metavar="NEW", help="another")
    parser.set_defaults(run=run)


def cells_of(folder):
    """Returns {(experiment, cell): metric} of a run."""
    return {(experiment["id"], cell["id"]): cell["metric"]
            for experiment in folder.run.get("experiments", ())
            for cell in experiment.get("cells", ())}


def figure_by_round(samples, key, metric, contestant):
    """Returns ({round: value}, name of the figure) of all valid samples."""
    good = [s for s in samples if (s["experiment"], s["cell"]) == key and not s["wrong"]]
    for name in _FIELDS.get(metric, (metric,)):
        own = {s["round"]: s[name] for s in good
               if s["contestant"] == contestant and s.get(name) is not None}
        if own:
            return own, name
    return {}, metric


def values_of(samples, key, metric, contestant):
    """Returns (values, whether they are ratios) of all valid samples."""
    own, _ = figure_by_round(samples, key, metric, contestant)
    floor, _ = figure_by_round(samples, key, metric, FLOOR)
    if metric in _RATIOS and contestant != FLOOR and any(floor.get(r) for r in own):
        return [own[r] / floor[r] for r in own if floor.get(r)], True
    return list(own.values()), False


def change(old, new, metric, noise=0.0):
    """Returns (change from old to new in percent, verdict) of two lists of values.

    noise  smallest change in percent that counts, unless the spread of the lists is larger
    """
    before, after = statistics.median(old), statistics.median(new)
    percent = 100 * (after / before - 1) if before else 0.0
    noise = max([_LEAST_PERCENT, noise] + [s for s in (spread(old), spread(new)) if s == s])
    if abs(percent) <= noise:
        return percent, "within the spread"
    is_better = (percent > 0) == (metric in _MORE_IS_BETTER)
    return percent, "BETTER" if is_better else "WORSE"


def _rows(old, new):
    before, after = old.samples(), new.samples()
    for key, metric in cells_of(new).items():
        names = dict.fromkeys(s["contestant"] for s in after
                              if (s["experiment"], s["cell"]) == key)
        for name in names:
            left, is_ratio = values_of(before, key, metric, name)
            right, is_ratio_too = values_of(after, key, metric, name)
            if left and right and is_ratio == is_ratio_too:
                percent, verdict = change(left, right, metric)
                unit = f"{metric} / floor" if is_ratio else metric
                yield ("/".join(key), name, unit, f"{statistics.median(left):,.3f}",
                       f"{statistics.median(right):,.3f}", f"{percent:+.1f}%", verdict)


def warnings(old, new):
    """Yields reasons why the figures might not be comparable."""
    for what in ("machine", "cores", "seconds"):
        if old.run.get(what) != new.run.get(what):
            yield (f"the {what} differ{'' if what == 'cores' else 's'}: {old.run.get(what)} and "
                   f"{new.run.get(what)}; trust the ratios only, and those with care")


def run(options):
    """Returns 0, or 1 if there is nothing to compare."""
    try:
        old, new = Folder.open(Path(options.old)), Folder.open(Path(options.new))
    except ResultsError as failure:
        print(f"compare: {failure}", file=sys.stderr)
        return 1
    for warning in warnings(old, new):
        print(f"NOTE {warning}")
    rows = list(_rows(old, new))
    if not rows:
        print("compare: the runs have no cell and contestant in common", file=sys.stderr)
        return 1
    print("\n".join(lines(("cell", "contestant", "figure", "old", "new", "change", "verdict"),
                          rows)))
    return 0

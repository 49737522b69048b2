"""Eider's result in each cell: rank, ratio to the best peer, and a summary of three lines.

Must not call a difference within the spread a win, nor omit a cell that is lost.
"""

from dataclasses import dataclass

from report import figures, metrics, wording

AHEAD, LEVEL, BEHIND = "ahead", "level", "behind"
UNTOLD, ALONE, MISSING = "untold", "alone", "missing"
SUMMED = {"own": "Each cell's own measure", "cpu": "CPU per request", "p99": "p99 latency"}


@dataclass(frozen=True)
class Standing:
    """Eider's result in one cell with one metric.

    who    Eider's better backend; peer  the best that is neither floor nor Eider
    ratio  Figure of who / peer within rounds; None if no round has both
    """
    metric: metrics.Metric
    verdict: str
    who: str = ""
    rank: int = 0
    of: int = 0
    peer: str = ""
    ratio: figures.Figure | None = None


def _ranked(samples, names, metric):
    """Returns [(Figure, name)] of measured contestants, the best first."""
    found = [(figures.measured(samples, name, metric.field), name) for name in names]
    found = [pair for pair in found if pair[0] is not None]
    return sorted(found, key=lambda pair: pair[0].median, reverse=metric.is_more_better)


def _is_better(first, second, metric):
    return first.median > second.median if metric.is_more_better else first.median < second.median


def _verdict(ours, rival, metric):
    if ours.reach() is None or rival.reach() is None:
        return UNTOLD
    if not figures.is_apart(ours, rival):
        return LEVEL
    return AHEAD if _is_better(ours, rival, metric) else BEHIND


def standing(samples, contestants, metric):
    """Returns the Standing of one cell's samples."""
    peers = [c.name for c in contestants.values() if not c.is_floor and not c.is_eider]
    ours = [c.name for c in contestants.values() if c.is_eider]
    eider = _ranked(samples, ours, metric)
    others = _ranked(samples, peers, metric)
    if not eider:
        return Standing(metric, MISSING, of=len(others))
    best, who = eider[0]
    if not others:
        return Standing(metric, ALONE, who, 1, 1)
    rank = 1 + sum(1 for other, _ in others if _is_better(other, best, metric))
    rival, peer = others[0]
    return Standing(metric, _verdict(best, rival, metric), who, rank, 1 + len(others), peer,
                    figures.ratio(samples, who, peer, metric.field))


def of_cell(results, experiment, cell):
    """Returns Standings {"own": …, "cpu": …, "p99": …}; None for a metric that is not measured."""
    samples = results.of_cell(experiment.id, cell.id)
    own = metrics.of_cell(cell, samples)
    found = {"own": standing(samples, results.contestants, own)}
    for key, metric in (("cpu", metrics.CPU), ("p99", metrics.P99)):
        has_any = any(s[metric.field] is not None for s in samples)
        found[key] = standing(samples, results.contestants, metric) if has_any else None
    return found


def every(results):
    """Returns [(experiment, cell, standings of the cell)] of every cell that has a sample and
    compares contestants, not generators.
    """
    return [(experiment, cell, of_cell(results, experiment, cell))
            for experiment in results.experiments for cell in experiment.cells
            if results.of_cell(experiment.id, cell.id) and not cell.generators]


def title_of(results, name):
    """Returns the contestant's title."""
    known = results.contestants.get(name)
    return known.title if known else name


def place(results, found):
    """Describes a Standing in a few words: "Eider, epoll 2nd of 15, 0.93× lithium"."""
    if found is None:
        return wording.NOTHING
    if found.verdict == MISSING:
        return "no valid figure of Eider"
    if found.verdict == ALONE:
        return "no peer to compare with"
    return f"{title_of(results, found.who)} {short_place(results, found)}"


def short_place(results, found):
    """Returns rank, ratio and peer: "2nd of 15, 0.93× lithium"; "" without a valid figure."""
    if found.verdict == MISSING:
        return ""
    ratio = wording.times(found.ratio.median) if found.ratio else "no common round with"
    return (f"{wording.ordinal(found.rank)} of {found.of}, {ratio} "
            f"{title_of(results, found.peer)}")


@dataclass(frozen=True)
class Sum:
    """The number of cells of each verdict with one metric, and the names of lost ones.

    untold           with one round, the spread is unknown, so there is no verdict
    behind, missing  [(experiment's title, [(cell's title, place)])]
    """
    title: str
    judged: int
    ahead: int
    level: int
    untold: int
    behind: list
    missing: list

    @property
    def behind_count(self):
        """Number of cells in which a peer is better."""
        return sum(len(cells) for _, cells in self.behind)

    @property
    def missing_count(self):
        """Number of cells in which Eider has no valid figure."""
        return sum(len(cells) for _, cells in self.missing)


def _named(results, judged, verdict):
    found = {}
    for experiment, cell, row in judged:
        if row.verdict == verdict:
            place = short_place(results, row)
            found.setdefault(experiment.title, []).append((cell.title, place))
    return list(found.items())


def sums(results):
    """Returns a Sum for each of SUMMED."""
    rows = every(results)
    made = []
    for key, title in SUMMED.items():
        judged = [(experiment, cell, found[key]) for experiment, cell, found in rows
                  if found[key] is not None and found[key].verdict != ALONE]
        verdicts = [row.verdict for _, _, row in judged]
        made.append(Sum(title, len(judged), verdicts.count(AHEAD), verdicts.count(LEVEL),
                        verdicts.count(UNTOLD),
                        _named(results, judged, BEHIND), _named(results, judged, MISSING)))
    return made


def _listed(named):
    return "; ".join(f"{title}: " + ", ".join(f"{cell} ({place})" if place else cell
                                              for cell, place in cells)
                     for title, cells in named)


def _line(found):
    """Returns one line of plain text."""
    if not found.judged:
        return f"{found.title}: nothing to compare."
    line = (f"{found.title}: Eider is ahead in {found.ahead} of "
            f"{wording.plural(found.judged, 'cell')}, level within the spread in {found.level}, "
            f"behind in {found.behind_count}")
    if found.behind:
        line += f" ({_listed(found.behind)})"
    if found.untold:
        line += f", unknown because of too few rounds in {found.untold}"
    if found.missing:
        line += (f"; without a valid figure of its own in {found.missing_count} "
                 f"({_listed(found.missing)})")
    return line + "."


def summary_lines(results):
    """Returns three lines of plain text: by each cell's own metric, by CPU per request, by p99."""
    return [_line(found) for found in sums(results)]

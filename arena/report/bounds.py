"""The bounds that Eider is held to, and whether they are met.

Must not soften: a bound is met when the median keeps it, missed when it does not.
"""

from report import figures, metrics, wording

_OF_BYTES = ("bytes", metrics.WEIGHED.field)
WORDS = {True: "met", False: "MISSED", None: "not measured"}


def bounded_figure(samples, name, cell):
    """The Figure that a bound of this cell holds for: a ratio, bytes, or time over the limit."""
    if cell.bound_over:
        return peers_ratio(samples, name, cell)
    if cell.metric == "bytes":
        return figures.measured(samples, name, metrics.of_cell(cell, samples).field)
    if cell.metric == "seconds":
        return figures.limit_ratio(samples, name, metrics.limit_seconds(cell))
    return figures.floor_ratio(samples, name)


def peers_ratio(samples, name, cell):
    """CPU per request, or bytes where these are measured or weigh, over the best of the cell's
    rivals.
    """
    field = metrics.of_cell(cell, samples).field if cell.metric in _OF_BYTES else "cpu_us"
    return figures.ratio_to_best(samples, name, cell.bound_over, field)


def is_asked(samples, cell):
    """False where the bound is a ratio to peers of which none took part."""
    return not cell.bound_over or any(s["contestant"] in cell.bound_over for s in samples)


def told(cell, value):
    """A bound or its figure as text."""
    is_size = cell.metric == "bytes" and not cell.bound_over
    return wording.size(value) if is_size else wording.times(value)


def is_met(samples, name, cell):
    """None when nothing valid was measured."""
    found = bounded_figure(samples, name, cell)
    return None if found is None else found.median <= cell.bound[name]


def _judged(results):
    """(where, name, cell, samples) of every bound of a cell that has a sample."""
    for experiment in results.experiments:
        for cell in experiment.cells:
            samples = results.of_cell(experiment.id, cell.id)
            for name in cell.bound if samples and is_asked(samples, cell) else ():
                yield f"{experiment.title}, {cell.title}", name, cell, samples


def _unmet(results, where, name, cell, samples):
    found = bounded_figure(samples, name, cell)
    value = told(cell, found.median) if found else WORDS[None]
    known = results.contestants.get(name)
    return (f"{where}, {known.title if known else name} ({value}, bound "
            f"{told(cell, cell.bound[name])})")


def unmet(results):
    """(how many bounds there are, [those not met in words])."""
    judged = list(_judged(results))
    return len(judged), [_unmet(results, *row) for row in judged
                         if not is_met(row[3], row[1], row[2])]


def lines(results):
    """One line: how many bounds are met, and every other by name; none without bounds."""
    count, other = unmet(results)
    if not count:
        return []
    line = (f"Bounds that Eider is held to: {count - len(other)} of "
            f"{wording.plural(count, 'bound')} met")
    return [line + (f"; not met: {'; '.join(other)}." if other else ".")]

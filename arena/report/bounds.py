"""Eider's bounds, and whether they are met.

Must not be lenient: a bound is met if the median is within it, else missed.
"""

from report import figures, metrics, wording

_OF_BYTES = ("bytes", metrics.WEIGHED.field)
WORDS = {True: "met", False: "MISSED", None: "not measured"}


def bounded_figure(samples, name, cell):
    """Returns the Figure for a bound of this cell: a ratio, bytes, or time divided by the limit."""
    if cell.bound_over:
        return peers_ratio(samples, name, cell)
    if cell.metric == "bytes":
        return figures.measured(samples, name, metrics.of_cell(cell, samples).field)
    if cell.metric == "seconds":
        return figures.limit_ratio(samples, name, metrics.limit_seconds(cell))
    return figures.floor_ratio(samples, name)


def peers_ratio(samples, name, cell):
    """Returns CPU per request, or bytes if the cell measures or weights them, divided by the value
    of the cell's best rival.
    """
    field = metrics.of_cell(cell, samples).field if cell.metric in _OF_BYTES else "cpu_us"
    return figures.ratio_to_best(samples, name, cell.bound_over, field)


def is_asked(samples, cell):
    """Returns False if the bound is a ratio to peers and none of them took part."""
    return not cell.bound_over or any(s["contestant"] in cell.bound_over for s in samples)


def told(cell, value):
    """Formats a bound or its figure."""
    is_size = cell.metric == "bytes" and not cell.bound_over
    return wording.size(value) if is_size else wording.times(value)


def is_met(samples, name, cell):
    """Returns whether the bound is met; None if there is no valid figure."""
    found = bounded_figure(samples, name, cell)
    return None if found is None else found.median <= cell.bound[name]


def _judged(results):
    """Yields (experiment, name, cell, samples) of every bound of a cell that has a sample."""
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
    """Returns (number of bounds, [texts of those not met])."""
    judged = list(_judged(results))
    return len(judged), [_unmet(results, *row) for row in judged
                         if not is_met(row[3], row[1], row[2])]


def lines(results):
    """Returns a line: the number of met bounds, and the others; no line without bounds."""
    count, other = unmet(results)
    if not count:
        return []
    line = (f"Bounds that Eider is held to: {count - len(other)} of "
            f"{wording.plural(count, 'bound')} met")
    return [line + (f"; not met: {'; '.join(other)}." if other else ".")]

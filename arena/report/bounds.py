"""The bounds that Eider is held to, and whether they are met.

Must not soften: a bound is met when the median keeps it, missed when it does not.
"""

from report import figures, metrics, wording

WORDS = {True: "met", False: "MISSED", None: "not measured"}


def bounded_figure(samples, name, cell):
    """The Figure that a bound of this cell holds for: bytes, time over the limit, or CPU ratio."""
    if cell.metric == "bytes":
        return figures.measured(samples, name, metrics.of_cell(cell, samples).field)
    if cell.metric == "seconds":
        return figures.limit_ratio(samples, name, metrics.limit_seconds(cell))
    return figures.floor_ratio(samples, name)


def told(cell, value):
    """A bound or its figure as text."""
    return wording.size(value) if cell.metric == "bytes" else wording.times(value)


def is_met(samples, name, cell):
    """None when nothing valid was measured."""
    found = bounded_figure(samples, name, cell)
    return None if found is None else found.median <= cell.bound[name]


def lines(results):
    """One line: how many bounds are met, and every other by name; none without bounds."""
    met, other = 0, []
    for experiment in results.experiments:
        for cell in experiment.cells:
            samples = results.of_cell(experiment.id, cell.id)
            for name, limit in cell.bound.items():
                if is_met(samples, name, cell):
                    met += 1
                else:
                    found = bounded_figure(samples, name, cell)
                    value = told(cell, found.median) if found else "not measured"
                    other.append(f"{experiment.title}, {cell.title}, {name} ({value}, "
                                 f"bound {told(cell, limit)})")
    if not met and not other:
        return []
    line = f"Bounds that Eider is held to: {met} of {wording.plural(met + len(other), 'bound')} met"
    return [line + (f"; not met: {'; '.join(other)}." if other else ".")]

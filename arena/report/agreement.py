"""Compares two generators that loaded the same servers: ratios within the rounds.

Must not judge whether they are equal: it shows the ratio and its spread.
"""

from report import figures, rows, wording

_MEASURED = (("cpu_us", "server's CPU/request"), ("per_second", "requests/s"), ("p50_ms", "p50"),
             ("p90_ms", "p90"), ("p99_ms", "p99"), ("load_cpu_us", "generator's CPU/request"))


def title(cell):
    """Returns the names of dividend and divisor."""
    first, second = map(wording.generator, cell.generators[:2])
    return f"{second} over {first}"


def table(results, cell, samples):
    """Returns (column titles, lines of text): per server, the ratios of the second generator's
    figures to the first one's; None if the cell has only one generator.
    """
    if len(cell.generators) < 2:
        return None
    under, over = cell.generators[:2]
    servers = dict.fromkeys(s["contestant"].partition("@")[0] for s in samples)
    lines = [[results.contestants[name].title if name in results.contestants else name,
              *(_ratio(samples, f"{name}@{over}", f"{name}@{under}", field)
                for field, _ in _MEASURED)] for name in servers]
    return [title(cell), *(told for _, told in _MEASURED)], lines


def _ratio(samples, over, under, field):
    return rows.ratio_text(figures.ratio(samples, over, under, field))

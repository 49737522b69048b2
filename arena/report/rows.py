"""The exact figures of one cell as a table of text, for the page and for Markdown.

Must not escape: each of them does that for its own language.
"""

from dataclasses import dataclass, field

from report import bounds, figures, head, metrics, wording


@dataclass
class Row:
    """One contestant in one cell.

    texts   by column; "" if it was not measured
    kind    "eider", "floor" or "peer"
    mark    text after the name: "disqualified", "2 of 5 rounds disqualified" or ""
    bound   "" or the bound and whether it is met
    is_met  None without bound or figure
    """
    name: str
    title: str
    kind: str
    mark: str = ""
    texts: dict = field(default_factory=dict)
    bound: str = ""
    is_met: bool | None = None


@dataclass
class Table:
    """columns: [(key, title)] of those that are not empty."""
    columns: list
    rows: list


_OVER = "over"


def ratio_text(found):
    """Formats a ratio's Figure with its spread; "" for None."""
    return _with_spread(found, wording.times)


def _with_spread(found, show):
    if found is None:
        return ""
    return f"{show(found.median)} {wording.percent(found.spread_percent)}".rstrip()


def _column(field_name, title, show):
    def text(samples, name, _cell):
        return _with_spread(figures.measured(samples, name, field_name), show)
    return field_name, title, text


def _errors(samples, name, _cell):
    known = [s["errors"] for s in samples if s["contestant"] == name and s["errors"] is not None]
    return wording.count(sum(known)) if known else ""


def _highest(samples, name, _cell):
    most = figures.highest(samples, name, "max_ms")
    return "" if most is None else wording.milliseconds(most)


def _floor_text(samples, name, _cell):
    return _with_spread(figures.floor_ratio(samples, name), wording.times)


def _peer_text(samples, name, cell):
    if not cell.bound_over:
        return ""
    return _with_spread(bounds.peers_ratio(samples, name, cell), wording.times)


def _limit_text(samples, name, cell):
    return _with_spread(figures.limit_ratio(samples, name, metrics.limit_seconds(cell)),
                        wording.times)


_COLUMNS = (
    _column("seconds", "time", wording.seconds),
    ("limit", "over the limit", _limit_text),
    _column("per_second", "requests/s", wording.count),
    _column("cpu_us", "CPU/request", wording.microseconds),
    _column("answer_bytes", "bytes/response", wording.count),
    _column("weighed_us", metrics.WEIGHED.brief, wording.weighed),
    ("floor", "over epoll floor", _floor_text),
    (_OVER, "over", _peer_text),
    _column("load_cpu_us", "generator's CPU/request", wording.microseconds),
    _column("database_cpu_us", "PostgreSQL's CPU/request", wording.microseconds),
    _column("seen_ms", "change seen after", wording.milliseconds),
    _column("avg_ms", "average", wording.milliseconds),
    _column("p50_ms", "p50", wording.milliseconds),
    _column("p90_ms", "p90", wording.milliseconds),
    _column("p99_ms", "p99", wording.milliseconds),
    ("max_ms", "max of all", _highest),
    _column("rss_bytes", "RSS", wording.size),
    _column("pss_bytes", "PSS", wording.size),
    _column("held_bytes", "RSS/idle connection", wording.size),
    ("errors", "errors", _errors),
)


def _bound(row, samples, cell):
    limit = cell.bound.get(row.name)
    if limit is None or not bounds.is_asked(samples, cell):
        return
    row.is_met = bounds.is_met(samples, row.name, cell)
    row.bound = f"≤ {bounds.told(cell, limit)} {bounds.WORDS[row.is_met]}"


def _mark(samples, name):
    wrong = sum(1 for s in samples if s["contestant"] == name and s["wrong"])
    total = sum(1 for s in samples if s["contestant"] == name)
    if not wrong:
        return ""
    if wrong == total:
        return "disqualified"
    return f"{wrong} of {wording.plural(total, 'round')} disqualified"


def kind_of(contestant):
    """Returns "eider", "floor" or "peer"."""
    if contestant.is_eider:
        return "eider"
    return "floor" if contestant.is_floor else "peer"


def ordered_names(samples, metric):
    """Returns every contestant of the cell, the best median first, those without one last."""
    names = list(dict.fromkeys(s["contestant"] for s in samples))
    found = {name: figures.measured(samples, name, metric.field) for name in names}
    sign = -1 if metric.is_more_better else 1
    return sorted(names, key=lambda name: (found[name] is None,
                                           sign * found[name].median if found[name] else 0))


def table(results, cell, samples):
    """Returns the Table of one cell."""
    rows = []
    for name in ordered_names(samples, metrics.of_cell(cell, samples)):
        contestant = results.contestants[name]
        row = Row(name, contestant.title, kind_of(contestant), _mark(samples, name))
        row.texts = {key: text(samples, name, cell) for key, _, text in _COLUMNS}
        _bound(row, samples, cell)
        rows.append(row)
    columns = [(key, _over_title(results, cell, samples) if key == _OVER else title)
               for key, title, _ in _COLUMNS if any(row.texts[key] for row in rows)]
    return Table(columns, rows)


def _over_title(results, cell, samples):
    """Returns the title of the column of ratios to peers; it names those that took part."""
    there = {s["contestant"] for s in samples}
    titles = [results.contestants[name].title for name in cell.bound_over if name in there]
    return f"over {'the best of ' if len(titles) > 1 else ''}{wording.joined(titles)}"


def disqualifications(results, samples):
    """Returns one line for each disqualified contestant of a cell."""
    told = []
    for name, wrong, total, reasons in figures.disqualified(samples):
        title = results.contestants[name].title
        why = "; ".join(f"{reason} ({count}×)" if count > 1 else reason
                        for reason, count in reasons.items())
        told.append(f"{title}: {wrong} of {wording.plural(total, 'round')}: {why}")
    return told


def server_cores(results):
    """Returns the number of the server's cores; 0 if run.json does not contain it."""
    cores = results.run.get("cores")
    server = cores.get("server") if isinstance(cores, dict) else None
    return len(server) if isinstance(server, list) else 0


def cautions(results, cell, samples):
    """Returns warnings about the figures of this cell."""
    told = []
    names = list(dict.fromkeys(s["contestant"] for s in samples))
    waiting = figures.waiting_for_load(samples, names, server_cores(results))
    if cell.metric == "per_second" and waiting:
        least, most = min(waiting.values()), max(waiting.values())
        share = f"{least:.0%}" if f"{least:.0%}" == f"{most:.0%}" else f"{least:.0%} to {most:.0%}"
        who = "every contestant" if len(waiting) == len(names) else \
            wording.joined(results.contestants[name].title for name in waiting)
        told.append(f"The load generator was the bottleneck for {who}: the server used {share} of "
                    "its cores. There, requests per second say how fast the generator is; "
                    "compare CPU per request.")
    disturbed = figures.disturbed_count(samples)
    if disturbed:
        told.append(f"{disturbed} of {wording.plural(len(samples), 'sample')} shared the server's "
                    f"core with other work for over {figures.DISTURBED:.0%} of their time.")
    if any(s["cpu_us"] is not None for s in samples) and not any(
            name.partition("@")[0] == figures.FLOOR for name in names) \
            and not cell.bound_over:
        told.append("The epoll floor was not measured here: no ratio to it can be given.")
    return told


def left_out(results, experiment):
    """Returns contestants not measured in this experiment, with the reason: [(titles, why)]."""
    titles = {f"{experiment.id}/{cell.id}": cell.title for cell in experiment.cells}
    told = {}
    for row in results.left_out:
        place, _, cell_id = row["case"].partition("/")
        if place == experiment.id:
            who = head.left_out_name(results, row["name"])
            key = titles.get(row["case"], cell_id), row["why"]
            told.setdefault(key, {})[who] = None
    return [(wording.joined(names) + (f" ({cell})" if cell else ""), why)
            for (cell, why), names in told.items()]

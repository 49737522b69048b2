"""The charts of a cell: throughput, CPU divided by the floor's, latency, memory, time divided by
the limit.

Must not format a table: report/rows.py does.
"""

from dataclasses import dataclass

from report import figures, metrics, rows, wording
from report.charts import marks, panel, scales

LANGUAGES = {"C++": "cpp", "C": "c", "Rust": "rust", "Go": "go", "JavaScript": "js"}
_LATENCIES = ("p50_ms", "p90_ms", "p99_ms")


@dataclass
class Drawing:
    """A chart with its title and caption."""
    title: str
    caption: str
    svg: str


@dataclass
class Source:
    """The data of a chart.

    identity  unique on the page
    end       end of a linear scale that several charts share, or None
    """
    results: object
    cell: object
    samples: list
    identity: str
    end: float | None = None

    def names(self):
        """Returns every contestant of the cell."""
        return list(dict.fromkeys(s["contestant"] for s in self.samples))

    def line(self, name, value, spoken, found_marks):
        """Returns the panel.Line of a contestant."""
        who = self.results.contestants[name]
        return panel.Line(who.title, classes(who), value, f"{who.title}: {spoken}", found_marks)

    def is_measured(self, field):
        """Whether any valid sample has the field."""
        return any(s[field] is not None for s in figures.good(self.samples))


def classes(contestant):
    """Returns the classes of a contestant's row: its kind and the color of its language."""
    kind = rows.kind_of(contestant)
    return f"{kind} {LANGUAGES.get(contestant.language, 'other') if kind == 'peer' else kind}"


def _sorted(found, is_more_better):
    """Returns pairs (name, Figure or None), the best first, missing ones last."""
    sign = -1 if is_more_better else 1
    return sorted(found.items(), key=lambda pair: (pair[1] is None,
                                                   sign * pair[1].median if pair[1] else 0))


def _bars(source, title, found, show, **options):
    """Draws a bar chart from 0; options: is_more_better, show_tick, unit_of (ticks), has_bound."""
    reached = [figure.median for figure in found.values() if figure]
    bounds = source.cell.bound if options.get("has_bound") else {}
    end = source.end or scales.end_of(reached, 1.1 * max(bounds.values(), default=0))
    unit = options["unit_of"](end) if "unit_of" in options else 1
    ticks = [tick * unit for tick in scales.linear_ticks(end / unit)]
    chart = panel.Chart(source.identity, f"{title}: {source.cell.title}",
                        scales.Scale(0, end, panel.LEFT, panel.RIGHT), ticks,
                        options.get("show_tick", wording.short_count))
    lines = _lines(source, found, show, 0.0, options.get("is_more_better", False), bounds)
    return panel.drawn(chart, lines, marks.bar)


def _ratio_bars(source, title, found):
    """Returns a bar chart of ratios with the base 1; each row has its own bound of Eider."""
    reached = [figure.median for figure in found.values() if figure]
    bounds = source.cell.bound
    end = scales.end_of(reached, max([1.1, *(1.05 * bound for bound in bounds.values())]), 1.5)
    start = min([0.95, *(0.97 * value for value in reached)])
    chart = panel.Chart(source.identity, f"{title}: {source.cell.title}",
                        scales.Scale(start, end, panel.LEFT, panel.RIGHT),
                        scales.linear_ticks(end, start), lambda tick: f"{tick:g}×",
                        [(1.0, "unity")])
    return panel.drawn(chart, _lines(source, found, wording.times, 1.0, False, bounds), marks.bar)


def _lines(source, found, show, base, is_more_better, bounds):
    """Returns the rows of a bar chart, the best first."""
    lines = []
    for name, figure in _sorted(found, is_more_better):
        told = show(figure.median) if figure else wording.NOTHING
        spread = wording.percent(figure.spread_percent) if figure else ""
        drawn = _bar_marks(figure, base)
        if figure and name in bounds:
            drawn["bound"] = bounds[name]
        lines.append(source.line(name, told, f"{told} {spread}".strip() if figure else
                                 "no valid figure", drawn))
    return lines


def _bar_marks(figure, base):
    if not figure:
        return {}
    return {"base": base, "at": figure.median, "low": figure.low, "high": figure.high}


def _measured(source, field):
    return {name: figures.measured(source.samples, name, field) for name in source.names()}


def throughput(source):
    """Draws requests per second."""
    title = "Requests per second"
    return Drawing(title, "More is better; whiskers: the quartiles of the rounds.",
                   _bars(source, title, _measured(source, "per_second"), wording.short_count,
                         is_more_better=True))


def processor(source):
    """Draws CPU per request divided by the epoll floor's; without a floor in microseconds."""
    found = {name: figures.floor_ratio(source.samples, name) for name in source.names()}
    if not any(found.values()):
        title = "CPU per request"
        return Drawing(title, "Microseconds; less is better. No floor was measured.",
                       _bars(source, title, _measured(source, "cpu_us"), wording.microseconds,
                             show_tick=wording.plain))
    title = "CPU per request over the epoll floor"
    caption = "Less is better; bars begin at the floor, 1×" + _bounds_told(source) + "."
    return Drawing(title, caption, _ratio_bars(source, title, found))


def _bounds_told(source):
    limits = sorted(set(source.cell.bound.values()))
    if not limits:
        return ""
    return "; red: the bound of Eider, " + wording.joined(f"{limit:g}×" for limit in limits)


def _places(source, name, found):
    """Returns {field: ms} of one contestant: medians, and the maximum of all rounds."""
    places = {field: figure.median for field, figure in found.items() if figure}
    most = figures.highest(source.samples, name, "max_ms")
    if places and most is not None:
        places["max_ms"] = most
    return {field: value for field, value in places.items() if value > 0}


def latency(source):
    """Draws p50, p90, p99 and max on a logarithmic axis."""
    found = {name: {field: figures.measured(source.samples, name, field) for field in _LATENCIES}
             for name in source.names()}
    places = {name: _places(source, name, each) for name, each in found.items()}
    low, high = scales.log_ends([value for each in places.values() for value in each.values()])
    scale = scales.Scale(low, high, panel.LEFT + 4, panel.RIGHT, is_log=True)
    by_p99 = {name: each["p99_ms"] or each["p50_ms"] for name, each in found.items()}
    lines = []
    for name, figure in _sorted(by_p99, False):
        spoken = ", ".join(f"{field.removesuffix('_ms')} {wording.milliseconds(value)}"
                           for field, value in places[name].items())
        lines.append(source.line(name, wording.milliseconds(figure.median) if figure else
                                 wording.NOTHING, spoken or "no valid figure", places[name]))
    chart = panel.Chart(source.identity, f"Latency: {source.cell.title}", scale,
                        scales.log_ticks(low, high), _latency_tick)
    return Drawing("Latency", "● p50, ┃ p90, ○ p99, × longest of all rounds; logarithmic. "
                   "Less is better; the number is the p99.",
                   panel.drawn(chart, lines, marks.distribution))


def _latency_tick(value):
    return f"{value:g} ms" if value < 1000 else f"{value / 1000:g} s"


def memory(source):
    """Draws bytes, PSS if it was measured."""
    field = "pss_bytes" if source.is_measured("pss_bytes") else "rss_bytes"
    title = "Memory (PSS)" if field == "pss_bytes" else "Memory (RSS)"
    found = _measured(source, field)
    has_bound = source.cell.metric == "bytes" and bool(source.cell.bound)
    caption = "Less is better" + ("; red: the bound of Eider." if has_bound else ".")
    return Drawing(title, caption, _bars(source, title, found, wording.size, unit_of=_size_unit,
                                         show_tick=_size_tick, has_bound=has_bound))


def _size_unit(end):
    return next((unit for unit in (2**30, 2**20, 2**10) if end >= unit), 1)


def _size_tick(value):
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if value >= unit:
            return f"{value / unit:g} {name}"
    return f"{value:g} B" if value else "0"


def time_taken(source):
    """Draws time divided by the physical limit; the time itself if there is no limit."""
    limit = metrics.limit_seconds(source.cell)
    if limit is None:
        title = "Time from first request to last response"
        return Drawing(title, "Less is better. No physical limit but the machine's speed.",
                       _bars(source, title, _measured(source, "seconds"), wording.seconds,
                             show_tick=_time_tick))
    title = "Time over the physical limit"
    found = {name: figures.limit_ratio(source.samples, name, limit) for name in source.names()}
    caption = f"Less is better; bars begin at the limit, {wording.seconds(limit)}"
    return Drawing(title, caption + _bounds_told(source) + ".", _ratio_bars(source, title, found))


def _time_tick(value):
    return f"{value:g} s" if value < 60 else wording.seconds(value)


def of_cell(source):
    """Returns {kind: Drawing} of all measured figures of a cell."""
    is_slow = source.cell.metric == "seconds"
    wanted = (("time", time_taken, ("seconds",) if is_slow else ()),
              ("throughput", throughput, () if is_slow else ("per_second",)),
              ("processor", processor, ("cpu_us",)),
              ("latency", latency, ("p50_ms", "p99_ms")),
              ("memory", memory, ("pss_bytes", "rss_bytes")))
    drawings = {}
    for kind, draw, fields in wanted:
        if any(source.is_measured(field) for field in fields):
            named = Source(source.results, source.cell, source.samples,
                           f"{source.identity}-{kind}",
                           source.end if kind == "throughput" else None)
            drawings[kind] = draw(named)
    return drawings

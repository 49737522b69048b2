"""The marks in a row of a chart: a bar with its whisker, or the dots of a latency distribution.

Must not know a contestant.
"""

from report.charts import panel, svg

_BAR = 11.0
_WHISKER = 3.0
_NOTCH = 4.0


def bar(scale, line, middle):
    """A bar from marks["base"] to "at", a whisker over "low".."high", a stroke at "bound"."""
    marks = line.marks
    left, right = sorted((scale.place(marks["base"]), scale.place(marks["at"])))
    told = [svg.rectangle(left, middle - _BAR / 2, max(1.0, right - left), _BAR, "bar")]
    if "bound" in marks:
        x = scale.place(marks["bound"])
        told.append(svg.line(x, middle - panel.ROW / 2, x, middle + panel.ROW / 2, "limit"))
    if scale.is_cut(marks["at"]):
        x = right - 9
        told.append(svg.element("path", class_="notch", d=(
            f"M{x:.1f} {middle + _BAR / 2 + 1:.1f}l{_NOTCH:g} {-_BAR - 2:g}h3"
            f"l{-_NOTCH:g} {_BAR + 2:g}z")))
    elif marks["high"] > marks["low"]:
        low, high = scale.place(marks["low"]), scale.place(marks["high"])
        told += _whisker(low, high, middle)
    return told


def _whisker(low, high, middle):
    """Draws it twice: a light outline makes it visible on a dark bar."""
    shape = (f"M{low:.1f} {middle:.1f}H{high:.1f}"
             f"M{low:.1f} {middle - _WHISKER:.1f}v{2 * _WHISKER:g}"
             f"M{high:.1f} {middle - _WHISKER:.1f}v{2 * _WHISKER:g}")
    return [svg.element("path", class_=kind, d=shape) for kind in ("edge", "whisker")]


def _cross(x, y):
    return svg.element("path", class_="most",
                       d=f"M{x - 3:.1f} {y - 3:.1f}l6 6M{x - 3:.1f} {y + 3:.1f}l6 -6")


def distribution(scale, line, middle):
    """A dot at p50, a tick at p90, a ring at p99, a cross at max, and a line through all."""
    places = {name: scale.place(value) for name, value in line.marks.items()}
    told = [svg.line(min(places.values()), middle, max(places.values()), middle, "through")]
    if "max_ms" in places:
        told.append(_cross(places["max_ms"], middle))
    if "p90_ms" in places:
        told.append(svg.line(places["p90_ms"], middle - 5, places["p90_ms"], middle + 5, "p90"))
    if "p99_ms" in places:
        told.append(svg.element("circle", cx=places["p99_ms"], cy=middle, r=3.8, class_="p99"))
    if "p50_ms" in places:
        told.append(svg.element("circle", cx=places["p50_ms"], cy=middle, r=4.0, class_="p50"))
    return told

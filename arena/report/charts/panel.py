"""The frame of all charts: names on the left, a scale, figures on the right.

Must not sort or judge: rows are drawn in the given order.
"""

from dataclasses import dataclass, field

from report.charts import scales, svg

WIDTH = 380.0
ROW = 18.0
TOP = 22.0
LEFT, RIGHT = 132.0, 316.0
_LABEL_WIDTH = LEFT - 10


@dataclass
class Line:
    """One contestant's row.

    classes  "eider", "floor" or "peer", and the class of its color
    value    text on the right
    spoken   the row as a sentence: its tooltip
    marks    values by name, depending on the chart; empty: there is no valid figure
    """
    label: str
    classes: str
    value: str
    spoken: str
    marks: dict = field(default_factory=dict)


@dataclass
class Chart:
    """A chart's description and scale.

    rules  [(value, class)]: vertical lines, such as the bound
    """
    identity: str
    title: str
    scale: scales.Scale
    ticks: list
    show: object
    rules: list = field(default_factory=list)


def _axis(chart, bottom):
    told = []
    for x, text in scales.labels(chart.scale, chart.ticks, chart.show):
        told.append(svg.line(x, TOP - 4, x, bottom, "grid"))
        told.append(svg.words(text, x, TOP - 9, class_="tick", text_anchor="middle"))
    return told


def _rules(chart, bottom):
    return [svg.line(chart.scale.place(value), TOP - 6, chart.scale.place(value), bottom, class_)
            for value, class_ in chart.rules if chart.scale.low <= value <= chart.scale.high]


def _row(chart, line, index, draw):
    top = TOP + index * ROW
    middle = top + ROW / 2
    label = svg.shortened(line.label, _LABEL_WIDTH)
    told = [svg.element("title", svg.escaped(line.spoken)),
            svg.rectangle(0, top, WIDTH, ROW, "band"),
            svg.words(label, LEFT - 7, middle + 4, class_="name", text_anchor="end"),
            svg.words(line.value, WIDTH - 2, middle + 4, class_="value", text_anchor="end")]
    if line.marks:
        told += draw(chart.scale, line, middle)
    else:
        told.append(svg.words("no valid figure", LEFT + 4, middle + 4, class_="none"))
    return svg.element("g", *told, class_=f"row {line.classes}")


def drawn(chart, lines, draw):
    """Returns the SVG; draw(scale, line, middle) returns the markup of one row's marks."""
    bottom = TOP + len(lines) * ROW
    title, told = f"{chart.identity}-t", f"{chart.identity}-d"
    spoken = "; ".join(line.spoken for line in lines)
    return svg.element(
        "svg",
        svg.element("title", svg.escaped(chart.title), id=title),
        svg.element("desc", svg.escaped(spoken), id=told),
        *_axis(chart, bottom),
        *[_row(chart, line, index, draw) for index, line in enumerate(lines)],
        *_rules(chart, bottom),
        class_="chart", role="img", viewBox=f"0 0 {WIDTH:g} {bottom + 2:g}",
        aria_labelledby=f"{title} {told}")

"""The report as one self-contained HTML page.

Must not output text of the results as markup: jinja2 escapes it, charts escape their own.
"""

import base64
import hashlib
from pathlib import Path

from report import about, agreement, bounds, head, published, rows, standing
from report.charts import kinds
from report.results import ReportFailed

_PARTS = Path(__file__).resolve().parent / "page_parts"
_SHARED_SCALE = ("scalability", "nginx")
_NEAR = 0.4


def _environment():
    # pylint: disable=import-outside-toplevel
    # Arithmetic and Markdown must work on a machine without jinja2.
    try:
        import jinja2
    except ImportError:
        raise ReportFailed("jinja2 is missing: ./arena/run report installs it from "
                           "arena/requirements.txt; by hand: pip install jinja2==3.1.6") from None
    return jinja2.Environment(loader=jinja2.FileSystemLoader(_PARTS), autoescape=True,
                              undefined=jinja2.StrictUndefined, trim_blocks=True,
                              lstrip_blocks=True)


def _shared_ends(results, experiment):
    """Returns {cell id: end}: neighboring cells share a scale if their maxima are similar."""
    if experiment.id not in _SHARED_SCALE:
        return {}
    tops = {}
    for row in results.samples:
        if row["experiment"] == experiment.id and row["per_second"] and not row["wrong"]:
            tops[row["cell"]] = max(tops.get(row["cell"], 0), row["per_second"])
    ends, end = {}, 0.0
    for cell, top in sorted(tops.items(), key=lambda pair: -pair[1]):
        end = end if end and top > _NEAR * end else top
        ends[cell] = end
    return ends


def _cell(results, experiment, cell, identity, end):
    samples = results.of_cell(experiment.id, cell.id)
    return {
        "identity": identity, "title": cell.title, "command": cell.command,
        "is_measured": bool(samples),
        "table": rows.table(results, cell, samples) if samples else None,
        "agreement": agreement.table(results, cell, samples) if samples else None,
        "disqualified": rows.disqualifications(results, samples),
        "cautions": rows.cautions(results, cell, samples) if samples else [],
        "drawings": kinds.of_cell(kinds.Source(results, cell, samples, identity, end)),
    }


def _groups(cells):
    """Returns [{title, caption, panels}]: one chart per kind of all cells; of one cell, all
    kinds.
    """
    if len(cells) == 1:
        panels = [{"title": drawing.title, "caption": drawing.caption, "svg": drawing.svg}
                  for drawing in cells[0]["drawings"].values()]
        return [{"title": "", "caption": "", "panels": panels}] if panels else []
    found = {}
    for cell in cells:
        for kind, drawing in cell["drawings"].items():
            group = found.setdefault(kind, {"title": _GROUP_TITLES[kind], "panels": []})
            group["panels"].append({"title": cell["title"], "svg": drawing.svg,
                                    "caption": drawing.caption})
    return [_with_common_caption(group) for group in found.values()]


def _with_common_caption(group):
    """Moves a caption that all panels have to the group."""
    captions = {panel["caption"] for panel in group["panels"]}
    if len(captions) > 1:
        return {**group, "caption": ""}
    panels = [{**panel, "caption": ""} for panel in group["panels"]]
    return {**group, "caption": captions.pop(), "panels": panels}


_GROUP_TITLES = {"time": "Time from first request to last response",
                 "throughput": "Requests per second", "processor": "CPU per request",
                 "latency": "Latency", "memory": "Memory"}


def _experiment(results, experiment, index):
    ends = _shared_ends(results, experiment)
    cells = [_cell(results, experiment, cell, f"e{index}c{number}", ends.get(cell.id))
             for number, cell in enumerate(experiment.cells, 1)]
    return {
        "identity": f"e{index}", "title": experiment.title, "about": about.sentence(experiment),
        "cells": cells, "groups": _groups(cells),
        "standings": [row for row in _standings(results) if row["experiment"] is experiment],
        "published": published.rows(results, experiment),
        "left_out": rows.left_out(results, experiment),
    }


def _standings(results):
    return [{"experiment": experiment, "cell": cell.title, "measure": found["own"].metric.brief,
             "places": [_place(results, found[key]) for key in standing.SUMMED]}
            for experiment, cell, found in standing.every(results)]


def _place(results, found):
    verdict = found.verdict if found else "none"
    return {"verdict": verdict, "text": standing.place(results, found)}


def _legend(results):
    """Returns [(class, text)]: Eider, the floors, and each language of a peer."""
    peers = [c for c in results.contestants.values() if rows.kind_of(c) == "peer"]
    told = {"eider": "Eider", "floor": "bare loops (floors)"}
    for peer in peers:
        colour = kinds.classes(peer).split()[1]
        name = peer.language if colour != "other" else "other languages"
        told.setdefault(colour, f"peers in {name}" if colour != "other" else "peers in others")
    return list(told.items())


def _inlined(name):
    return (_PARTS / name).read_text(encoding="utf-8")


def html(results):
    """Returns the page."""
    script = _inlined("comfort.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _environment().get_template("page.html.j2").render(
        style=_inlined("style.css"), script=script, script_digest=digest,
        is_synthetic=head.is_synthetic(results), facts=head.facts(results),
        command=head.command(results), notes=results.notes,
        sums=standing.sums(results), bound_count=bounds.unmet(results)[0],
        unmet_bounds=bounds.unmet(results)[1],
        summed=list(standing.SUMMED.values()), legend=_legend(results),
        experiments=[_experiment(results, experiment, index)
                     for index, experiment in enumerate(results.experiments, 1)],
        standings=_standings(results), contestants=results.everybody(),
        kind_of=rows.kind_of, ease_columns=head.EASE_COLUMNS, ease=head.ease(results),
        left_out=head.left_out_everywhere(results))

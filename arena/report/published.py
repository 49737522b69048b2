"""Published figures next to those measured here.

Must not compute with a published figure: it comes from another machine.
"""

import re

from report import figures, metrics, wording


def _plain(text):
    text = re.sub(r"\(.*?\)", " ", text)
    return re.sub(r"[^a-z0-9]", "", text.lower())


def find(results, entry):
    """Returns the name of the contestant of a published entry, or None."""
    if entry["contestant"] in results.contestants:
        return entry["contestant"]
    who = _plain(entry["who"])
    for contestant in results.contestants.values():
        if who and who in (_plain(contestant.name), _plain(contestant.title)):
            return contestant.name
    # "Vix.cpp 2.7.0" matches vix.cpp, "httplib" matches cpp-httplib.
    for contestant in results.contestants.values():
        own = _plain(contestant.name)
        if len(own) > 3 and len(who) > 3 and (who.startswith(own) or own.endswith(who)):
            return contestant.name
    return None


def _here(samples, name, metric, entry):
    """Returns the measured counterpart of a published figure: the cell's metric, with latencies if
    published, or the ratio to the floor. Empty if the contestant did not take part.
    """
    if name is None:
        return ""
    if "over the epoll floor" in entry["note"]:
        found = figures.floor_ratio(samples, name)
        return found and wording.times(found.median)
    found = figures.measured(samples, name, metric.field)
    told = [metric.show(found.median)] if found else []
    for latency in ("p50", "p90", "p99") if "p99" in entry["value"] else ():
        found = figures.measured(samples, name, latency + "_ms")
        told += [f"{latency} {wording.milliseconds(found.median)}"] if found else []
    return ", ".join(told)


def rows(results, experiment):
    """Returns [(cell, who, published value, where, measured here)] of an experiment."""
    told = []
    for cell in experiment.cells:
        samples = results.of_cell(experiment.id, cell.id)
        metric = metrics.of_cell(cell, samples)
        for entry in cell.published:
            name = find(results, entry)
            told.append((cell.title, entry["who"], entry["value"],
                         entry["note"] or "machine not stated",
                         _here(samples, name, metric, entry) or "not measured here"))
    return told

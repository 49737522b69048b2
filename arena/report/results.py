"""Reads a results folder: run.json and samples.jsonl, with defaults for missing or invalid fields.

Must not judge a figure: a sample keeps its `wrong`, and unreadable lines are noted.
"""

import json
import math
from dataclasses import dataclass, field, replace
from pathlib import Path

from report import wording

SCHEMA = 1
NUMBERS = ("cpu_us", "per_second", "avg_ms", "p50_ms", "p90_ms", "p99_ms", "max_ms", "seconds",
           "rss_bytes", "pss_bytes", "waited", "requests", "errors", "load_cpu_us",
           "database_cpu_us", "answer_bytes", "weighed_us", "seen_ms", "held_bytes")
_LINE_CHARACTERS_SHOWN = 60
# A generator that cannot measure a latency reports 0; no measured time is 0.
_ABOVE_ZERO = ("cpu_us", "avg_ms", "p50_ms", "p90_ms", "p99_ms", "max_ms", "seconds")


class ReportFailed(Exception):
    """The folder has no usable results; names what is missing."""


@dataclass
class Contestant:
    """A contestant according to run.json."""
    name: str
    title: str = ""
    language: str = ""
    licence: str = ""
    origin: str = ""
    version: str = ""
    note: str = ""
    is_floor: bool = False
    does_not_send: tuple = ()

    @property
    def set_up(self):
        """Returns its configuration, and which of Date and Server it does not send by default."""
        lacks = ", ".join(name.capitalize() for name in self.does_not_send)
        return "; ".join(part for part in (self.note, lacks and f"sends no {lacks}") if part)

    @property
    def is_again(self):
        """True for one of several generators' samples of a contestant that is listed already."""
        return "@" in self.name

    @property
    def is_eider(self):
        """True for Eider, with either backend."""
        return self.name == "eider" or self.name.startswith("eider-")


@dataclass
class Cell:
    """One measured case of an experiment.

    bound          largest ratio to the epoll floor (or number of bytes, if measured) by contestant
    bound_over     contestants to whose best CPU per request (or bytes) the bound is a ratio
    limit_seconds  physical limit of this cell, or None
    generators     names, if several load the same servers: samples are named CONTESTANT@GENERATOR
    """
    id: str
    title: str
    command: str = ""
    metric: str = "per_second"
    bound: dict = field(default_factory=dict)
    published: list = field(default_factory=list)
    limit_seconds: float | None = None
    bound_over: tuple = ()
    generators: tuple = ()


@dataclass
class Experiment:
    """Cells that were published together or belong together."""
    id: str
    title: str
    about: str = ""
    cells: list = field(default_factory=list)


@dataclass
class Results:
    """A whole run.

    run      the rest of run.json, unchanged
    samples  dicts with every field of the format; numbers are finite floats or None
    notes    remarks for the reader that are not part of a sample
    """
    run: dict
    contestants: dict
    experiments: list
    samples: list
    left_out: list
    ease: list
    notes: list

    def everybody(self):
        """Each contestant once."""
        return [one for one in self.contestants.values() if not one.is_again]

    def of_cell(self, experiment_id, cell_id):
        """Returns the samples of one cell, in the order of measurement."""
        return [s for s in self.samples
                if s["experiment"] == experiment_id and s["cell"] == cell_id]


def number(value):
    """Returns a finite float, or None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) else None


def words(value):
    """Converts any value to text; None to ""."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def dicts(value):
    """Returns the dicts in a list; ignores anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def sample(row):
    """Returns one line of samples.jsonl with every field present."""
    found = {name: number(row.get(name)) for name in NUMBERS}
    for name in _ABOVE_ZERO:
        found[name] = found[name] if found[name] is not None and found[name] > 0 else None
    for name in ("experiment", "cell", "contestant", "wrong"):
        found[name] = words(row.get(name))
    found["round"] = int(number(row.get("round")) or 0)
    return found


def read_samples(text):
    """Returns (samples, notes) of the file's text; an interrupted run may end in a partial line."""
    samples, notes = [], []
    for index, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if isinstance(row, dict):
            samples.append(sample(row))
        else:
            notes.append(f"samples.jsonl, line {index} could not be read and is not used: "
                         + line[:_LINE_CHARACTERS_SHOWN])
    return samples, notes


def _contestant(row):
    texts = {name: words(row.get(name)) for name in
             ("name", "title", "language", "licence", "origin", "version", "note")}
    texts["title"] = texts["title"] or texts["name"]
    lacks = row.get("does_not_send")
    lacks = tuple(words(name) for name in lacks) if isinstance(lacks, list) else ()
    return Contestant(**texts, is_floor=row.get("is_floor") is True, does_not_send=lacks)


def _cell(row):
    bound = row.get("bound")
    bounds = {words(name): number(limit) for name, limit in bound.items()} \
        if isinstance(bound, dict) else {}
    published = [{key: words(item.get(key)) for key in ("who", "value", "note", "contestant")}
                 for item in dicts(row.get("published"))]
    limit = number(row.get("limit_seconds"))
    return Cell(words(row.get("id")), words(row.get("title")) or words(row.get("id")),
                words(row.get("command")), words(row.get("metric")) or "per_second",
                {name: limit for name, limit in bounds.items() if limit is not None},
                published, limit if limit and limit > 0 else None,
                _names(row.get("bound_over")), _names(row.get("generators")))


def _names(value):
    """Returns the names in a list, or a single name as a list; empty if there are none."""
    listed = value if isinstance(value, list) else [value]
    return tuple(name for name in map(words, listed) if name)


def _experiment(row):
    return Experiment(words(row.get("id")), words(row.get("title")) or words(row.get("id")),
                      words(row.get("about")), [_cell(cell) for cell in dicts(row.get("cells"))])


def _note(row):
    return f"{words(row.get('case'))}, {words(row.get('name'))}: {words(row.get('what'))}"


def _unnamed(contestants, name):
    """Returns a Contestant for a name that is missing in run.json, perhaps with a generator."""
    base, _, generator = name.partition("@")
    if generator and base in contestants:
        known = contestants[base]
        return replace(known, name=name, title=f"{known.title}, by {wording.generator(generator)}")
    return Contestant(name, name, is_floor=name.startswith("floor-"))


def _add_unnamed(contestants, experiments, samples):
    """Adds contestants and cells that have samples, but are missing in run.json."""
    for row in samples:
        name = row["contestant"]
        contestants.setdefault(name, _unnamed(contestants, name))
        experiment = next((e for e in experiments if e.id == row["experiment"]), None)
        if experiment is None:
            experiment = Experiment(row["experiment"], row["experiment"])
            experiments.append(experiment)
        if all(cell.id != row["cell"] for cell in experiment.cells):
            experiment.cells.append(Cell(row["cell"], row["cell"]))


def assemble(run, samples, notes):
    """Returns Results of the parsed files; `run` is a dict."""
    if run.get("schema") != SCHEMA:
        raise ReportFailed(f"run.json has schema {run.get('schema')!r}; this report reads "
                           f"{SCHEMA}: make it with the arena that measured it")
    contestants = {row.name: row for row in map(_contestant, dicts(run.get("contestants")))}
    experiments = [_experiment(row) for row in dicts(run.get("experiments"))]
    _add_unnamed(contestants, experiments, samples)
    left_out = [{key: words(row.get(key)) for key in ("name", "case", "why")}
                for row in dicts(run.get("left_out"))]
    return Results(run, contestants, experiments, samples, left_out,
                   dicts(run.get("ease")), [*notes, *map(_note, dicts(run.get("notes")))])


def _read(path):
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        raise ReportFailed(f"{path} is missing: name a results folder that ./arena/run run made "
                           "(./arena/run run --quick makes one)") from None


def load(folder):
    """Returns Results of a folder. Raises ReportFailed."""
    text = _read(Path(folder) / "run.json")
    try:
        run = json.loads(text)
    except ValueError as failure:
        raise ReportFailed(f"{Path(folder) / 'run.json'} is not JSON ({failure}): "
                           "measure again, or restore the file") from None
    if not isinstance(run, dict):
        raise ReportFailed(f"{Path(folder) / 'run.json'} does not hold an object")
    samples, notes = read_samples(_read(Path(folder) / "samples.jsonl"))
    return assemble(run, samples, notes)

"""The folder of one run: run.json, and samples.jsonl, which grows with each measurement.

Must not drop a sample: it contains its errors.
"""

import json
import math
import time
from pathlib import Path

SCHEMA = 1
FIGURES = ("cpu_us", "per_second", "avg_ms", "p50_ms", "p90_ms", "p99_ms", "max_ms", "seconds",
           "rss_bytes", "pss_bytes", "waited", "requests", "errors", "load_cpu_us",
           "database_cpu_us", "answer_bytes", "weighed_us", "seen_ms", "held_bytes")


class ResultsError(Exception):
    """A folder contains no valid run; names it and the solution."""


def utc_now():
    """Returns the time in the format of run.json."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def sample(experiment, cell, contestant, number, wrong="", **figures):
    """Returns a line of samples.jsonl: every figure is a finite number or null."""
    row = {"experiment": experiment, "cell": cell, "contestant": contestant, "round": number}
    for name in FIGURES:
        value = figures.pop(name, None)
        row[name] = value if value is not None and math.isfinite(value) else None
    if figures:
        raise TypeError(f"no figures of a sample: {', '.join(figures)}")
    row["wrong"] = wrong
    return row


class Folder:
    """One results folder. `run` is the content of run.json."""

    def __init__(self, path, run):
        self.path, self.run = Path(path), run

    @staticmethod
    def create(parent, run):
        """Makes a folder named after the current time, and writes its run.json."""
        name = stem = time.strftime("%Y-%m-%dT%H-%M-%SZ", time.gmtime())
        number = 1
        while (Path(parent) / name).exists():
            number += 1
            name = f"{stem}-{number}"
        path = Path(parent) / name
        path.mkdir(parents=True)
        folder = Folder(path, {"schema": SCHEMA, "started": utc_now(), "ended": None, **run})
        folder.samples_path.touch()
        folder.save()
        return folder

    @staticmethod
    def open(path):
        """Opens an earlier run; raises ResultsError if there is none."""
        try:
            run = json.loads((Path(path) / "run.json").read_text())
        except OSError:
            raise ResultsError(f"{path}: no run.json there; name a folder that ./arena/run run "
                               "made, under arena/results") from None
        except ValueError as failure:
            raise ResultsError(f"{path}/run.json is not JSON ({failure}); measure again") from None
        if not isinstance(run, dict) or run.get("schema") != SCHEMA:
            raise ResultsError(f"{path}/run.json is not of schema {SCHEMA}; measure again with "
                               "this arena")
        return Folder(path, run)

    @property
    def samples_path(self):
        """The path of the samples."""
        return self.path / "samples.jsonl"

    def save(self):
        """Writes run.json atomically."""
        draft = self.path / "run.json.new"
        draft.write_text(json.dumps(self.run, indent=1, ensure_ascii=False) + "\n")
        draft.rename(self.path / "run.json")

    def append(self, row):
        """Appends a sample, which is in the file when this returns."""
        with open(self.samples_path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def samples(self):
        """Returns all samples; ignores incomplete lines."""
        rows = []
        if self.samples_path.exists():
            for line in self.samples_path.read_text(encoding="utf-8").splitlines():
                try:
                    rows.append(json.loads(line))
                except ValueError:
                    continue
        return rows

    def keep_only(self, is_kept):
        """Removes the other samples: those of unfinished rounds."""
        rows = [row for row in self.samples() if is_kept(row)]
        draft = self.path / "samples.jsonl.new"
        draft.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        draft.rename(self.samples_path)


def latest(parent):
    """Returns the newest folder of results; raises ResultsError if there is none."""
    found = sorted(path.parent for path in Path(parent).glob("*/run.json"))
    if not found:
        raise ResultsError(f"no results in {parent}: ./arena/run run --quick measures some")
    return found[-1]

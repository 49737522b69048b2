"""./arena/run ratios: ratios of Eider to a reference, per commit, and regressions.

Must not use figures of different rounds or runs for one ratio.
"""

import csv
import dataclasses
import statistics
import subprocess
import sys
from pathlib import Path

from cli.compare_command import cells_of, change, figure_by_round
from load.results import Folder, latest
from peers.manifest import ARENA
from report.table import lines, spread

RECORD = ARENA / "published/ratios.csv"
RESULTS = ARENA / "results"
# Cell, and the contestant whose figure is the divisor.
WATCHED = (
    ("floor/plaintext", "floor-epoll"), ("floor/pipelined", "floor-epoll"),
    ("floor/json", "floor-epoll"), ("floor/routes", "floor-epoll"), ("churn/new", "floor-epoll"),
    ("orders/checked", "floor-epoll"), ("profiles/upload", "uwebsockets"),
    ("websocket/echo16", "uwebsockets"), ("websocket/idle", "uwebsockets"),
    ("http2/s1c100", "h2o"), ("http2/s100c1", "h2o"), ("tls/keep", "nginx"),
    ("proxy/keep", "nginx"), ("proxy/websocket", "nginx"), ("files/f64k", "nginx"),
    ("database/query", "drogon"),
)
OWN = ("eider-epoll", "eider-uring")


@dataclasses.dataclass(frozen=True)
class Ratio:
    """A line of the record. spread: half of the interquartile range, in percent."""
    commit: str
    date: str
    cell: str
    contestant: str
    reference: str
    figure: str
    ratio: float
    spread: float
    rounds: int

    @property
    def key(self):
        """Lines with the same key are comparable."""
        return self.cell, self.contestant, self.reference, self.figure


def add(commands):
    """Adds the command and its options."""
    parser = commands.add_parser(
        "ratios", help="ratios to the references, compared with those of earlier commits",
        description="Forms the ratios of a run that ./arena/run run --watched made, and compares "
        f"them with the newest in {RECORD.relative_to(ARENA.parent)}. The status is 1 if one "
        "became worse by more than the spread.")
    parser.add_argument("folder", nargs="?", help="a folder of results (default: the newest)")
    parser.add_argument("--add", action="store_true",
                        help="append the ratios to the record, with the commit of this tree")
    parser.add_argument("--record", type=Path, default=RECORD, metavar="FILE",
                        help="the file of earlier ratios (default: the one above)")
    parser.set_defaults(run=run)


def watched_names():
    """Returns (names of cells, names of contestants) for `./arena/run run --watched`."""
    return ([cell for cell, _ in WATCHED],
            list(dict.fromkeys([*OWN, *(reference for _, reference in WATCHED)])))


def ratios_of(folder, commit):
    """Yields each watched ratio for which the run has samples."""
    metrics = {"/".join(key): (key, metric) for key, metric in cells_of(folder).items()}
    samples = folder.samples()
    for cell, reference in WATCHED:
        key, metric = metrics.get(cell, (None, None))
        for contestant in OWN if key else ():
            own, figure = figure_by_round(samples, key, metric, contestant)
            other, same = figure_by_round(samples, key, metric, reference)
            values = [own[r] / other[r] for r in own if other.get(r)]
            if values and figure == same:
                yield Ratio(commit, folder.run.get("started", "")[:10], cell, contestant,
                            reference, figure, round(statistics.median(values), 4),
                            round(spread(values), 1) if len(values) > 1 else 0.0, len(values))


def read_record(path):
    """Returns the newest line of each key. Raises ValueError with the number of an invalid line."""
    newest = {}
    if path.exists():
        with open(path, newline="", encoding="utf-8") as file:
            for number, row in enumerate(csv.DictReader(file), 2):
                try:
                    old = Ratio(**{**row, "ratio": float(row["ratio"]),
                                   "spread": float(row["spread"]), "rounds": int(row["rounds"])})
                except (TypeError, ValueError, KeyError) as failure:
                    raise ValueError(f"{path}:{number}: {failure}. Restore the file from the "
                                     "history, or remove this line.") from None
                newest[old.key] = old
    return newest


def append(path, ratios):
    """Appends lines to the record; a new record begins with the column names."""
    is_new = not path.exists()
    with open(path, "a", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, [f.name for f in dataclasses.fields(Ratio)],
                              lineterminator="\n")
        if is_new:
            rows.writeheader()
        rows.writerows(dataclasses.asdict(ratio) for ratio in ratios)


def current_commit():
    """Returns the commit of this tree, with a plus after it if there are changes."""
    described = subprocess.run(["git", "-C", ARENA, "describe", "--always", "--dirty=+",
                                "--exclude=*"], capture_output=True, text=True, check=False)
    return described.stdout.strip() or "unknown"


def _row(new, old):
    if old is None:
        return (new.cell, new.contestant, f"{new.figure} / {new.reference}", "",
                f"{new.ratio:.3f} ±{new.spread:.0f}%", "", "new")
    noise = max(old.spread, new.spread)
    percent, verdict = change([old.ratio], [new.ratio], new.figure, noise)
    return (new.cell, new.contestant, f"{new.figure} / {new.reference}",
            f"{old.ratio:.3f} ({old.commit})", f"{new.ratio:.3f} ±{new.spread:.0f}%",
            f"{percent:+.1f}%", verdict)


def run(options):
    """Returns 0, or 1 if a ratio became worse or the run has no watched cell."""
    folder = Folder.open(Path(options.folder) if options.folder else latest(RESULTS))
    ratios = list(ratios_of(folder, current_commit()))
    if not ratios:
        print(f"ratios: {folder.path} has no watched cell together with its reference. Measure "
              "them: ./arena/run run --watched", file=sys.stderr)
        return 1
    try:
        record = read_record(options.record)
    except ValueError as failure:
        print(f"ratios: {failure}", file=sys.stderr)
        return 1
    rows = [_row(ratio, record.get(ratio.key)) for ratio in ratios]
    print("\n".join(lines(("cell", "contestant", "figure", "before", "now", "change", "verdict"),
                          rows)))
    if options.add:
        append(options.record, ratios)
        print(f"added {len(ratios)} lines to {options.record}")
    return 1 if any(row[-1] == "WORSE" for row in rows) else 0

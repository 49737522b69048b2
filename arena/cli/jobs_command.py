"""./arena/run jobs: measures job queues on one PostgreSQL, in alternating rounds.

Must not measure anything: load/jobs.py does.
"""

import json
import statistics
import sys
from pathlib import Path

from cli import choosing, preparing
from cli.machine import described
from load import jobs
from peers import setup
from report.table import lines, spread

OURS = "eider-jobs"
_HEAD = ("contestant", "jobs/s", "CPU µs/job", "worker", "PostgreSQL", "statements/job",
         "enqueue 1: jobs/s", "CPU µs", "enqueue 1000: jobs/s", "CPU µs", "idle statements/s",
         "CPU µs/s")
_COLUMNS = (("work", "per_second", 0), ("work", "cpu_us", 0), ("work", "worker_cpu_us", 0),
            ("work", "postgres_cpu_us", 0), ("work", "statements", 2), ("single", "per_second", 0),
            ("single", "cpu_us", 0), ("batch", "per_second", 0), ("batch", "cpu_us", 0),
            ("idle", "statements", 2), ("idle", "cpu_us", 0))
_RATIOS = (("work", "per_second"), ("work", "cpu_us"), ("work", "worker_cpu_us"),
           ("work", "postgres_cpu_us"), ("single", "per_second"), ("single", "cpu_us"),
           ("batch", "per_second"), ("batch", "cpu_us"))


def add(commands):
    """Adds the command and its options."""
    parser = commands.add_parser(
        "jobs", help="measure job queues", description="Measures job queues on one PostgreSQL: "
        "throughput and CPU time of enqueuing and running jobs, and statements of an idle "
        "worker. See arena/APPLICATIONS.md.")
    parser.add_argument("--peers", help="names with commas (default: all that are set up)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--jobs", type=int, default=20_000,
                        help="jobs enqueued in transactions of 1,000 (default: 20,000)")
    parser.add_argument("--singles", type=int, default=2_000,
                        help="jobs enqueued one at a time (default: 2,000)")
    parser.add_argument("--idle", type=float, default=10, metavar="SECONDS",
                        help="time without jobs (default: 10)")
    parser.add_argument("--json", metavar="FILE", help="write the figures of all rounds")
    parser.set_defaults(run=run)


def _chosen(options):
    """Returns the contestants that can be started, and prints the others."""
    queues = [peer for peer in choosing.read_peers() if peer.is_job_queue]
    named = choosing.words(options.peers)
    chosen = (choosing.contestants_named(named, queues) if named else
              [contestant for peer in queues for contestant in peer.contestants
               if peer.is_built_each_time or setup.is_ready(peer)])
    ready, left_out = preparing.ready_contestants(chosen, {"prefixes": {}, "is_quick": False})
    for one in left_out:
        print(f"{one['name']} left out: {one['why']}", file=sys.stderr)
    return ready


def _values(rounds, name, phase, figure):
    return [one[name][phase][figure] for one in rounds if name in one]


def _cell(values, digits):
    text = f"{statistics.median(values):,.{digits}f}"
    if len(values) < 2 or statistics.median(values) == 0:
        return text
    return f"{text} ±{spread(values):.0f}%"


def table(rounds, contestants):
    """Prints medians, one line per contestant."""
    rows = []
    for one in contestants:
        if any(one.name in each for each in rounds):
            rows.append((one.title, *(_cell(_values(rounds, one.name, phase, figure), digits)
                                      for phase, figure, digits in _COLUMNS)))
    return lines(_HEAD, rows)


def ratios(rounds, ours, other):
    """Returns {(phase, figure): [Eider / other of each round that has both]}."""
    both = [one for one in rounds if ours in one and other in one]
    return {(phase, figure): [one[ours][phase][figure] / one[other][phase][figure]
                              for one in both] for phase, figure in _RATIOS} if both else {}


def ratio_table(rounds, contestants):
    """Prints a line per other contestant; transactional ones are compared with each other."""
    rows = []
    for one in contestants:
        ours = f"{OURS}-tx" if one.name.endswith("-tx") else OURS
        found = {} if one.peer.name == OURS else ratios(rounds, ours, one.name)
        if found:
            rows.append((f"Eider / {one.title}", *(_cell(values, 2) for values in found.values())))
    head = ("ratio", *(f"{phase} {figure}" for phase, figure in _RATIOS))
    return lines(head, rows) if rows else []


def _say(text):
    print(text, file=sys.stderr, flush=True)


def measure(database, contestants, options):
    """Returns (figures of each round, by contestant; names of failed contestants)."""
    amounts = jobs.Amounts(options.singles, options.jobs, options.idle)
    rounds, out = [], set()
    for number in range(options.rounds):
        found = {}
        for one in contestants:
            if one.name in out:
                continue
            _say(f"round {number + 1} of {options.rounds}: {one.name}")
            try:
                found[one.name] = jobs.measure(database, one, amounts)
            except jobs.JobsFailed as failure:
                out.add(one.name)
                _say(f"{one.name} is measured no more: {failure}")
        rounds.append(found)
        _save(rounds, contestants, options)
    return rounds, out


def _save(rounds, contestants, options):
    """Called after each round, because a long run may be interrupted."""
    if options.json:
        versions = {one.name: setup.version_of(one.peer) for one in contestants}
        Path(options.json).write_text(json.dumps(
            {"machine": described(), "versions": versions, "rounds": rounds}, indent=1) + "\n")


def run(options):
    """Returns 0, or 1 if a contestant has failed or none can be started."""
    contestants = _chosen(options)
    if not contestants:
        _say("jobs: no job queue is set up: ./arena/run setup river pg-boss")
        return 1
    rounds, out = [], set()
    with jobs.server() as database:
        jobs.prepare(database)
        rounds, out = measure(database, contestants, options)
    machine = described()
    print(f"{machine['cpu']}, {machine['cores']} cores, {machine['distribution']}; "
          f"{options.rounds} rounds; {options.singles:,} + {options.jobs:,} jobs, "
          f"{jobs.CONCURRENCY} at a time, {jobs.CONNECTIONS} connections")
    print("\n".join(table(rounds, contestants)))
    print("\n".join(["", *ratio_table(rounds, contestants)]))
    return 1 if out or not rounds else 0

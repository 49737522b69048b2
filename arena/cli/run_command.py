"""./arena/run run: measures, and saves every result immediately.

Must not reuse part of a round: a resumed run measures an unfinished round again.
"""

import argparse
import dataclasses
import os
import sys
from pathlib import Path

from cli import choosing, preparing, ratios_command
from cli.machine import FILES_SPARE, cores, described, raise_file_limit
from cli.progress import Progress, spoken
from experiments.catalogue import all_experiments
from experiments.model import RATE_PER_CORE, Machine
from load import generators, plan, resuming, runner
from load.results import Folder, ResultsError, utc_now
from peers import packages
from peers.manifest import ARENA, shown

RESULTS = ARENA / "results"
_QUICK, _FULL = {"rounds": 3, "seconds": 1.0}, {"rounds": 5, "seconds": 3.0}
_WARM_SECONDS = 1
_PLANNED = ("experiment", "watched", "peers", "quick", "full", "rounds", "seconds", "cores",
            "generator", "rate_per_core")


class CannotRun(Exception):
    """Nothing can be measured; has the reason and the solution."""


def _at_least(kind, least):
    def read(text):
        value = kind(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"{text} is below {least}")
        return value
    read.__name__ = "number"
    return read


def add(commands):
    """Adds the command and its options."""
    parser = commands.add_parser(
        "run", help="measure", description="Measures the experiments, contestants alternating "
        "within each round, and writes a folder under arena/results. Ctrl-C keeps what was "
        "measured; --resume goes on.")
    parser.add_argument("--experiment", metavar="ids", help="only these, with commas (all); "
                        "id/cell is one cell alone")
    parser.add_argument("--watched", action="store_true", help="the cells of ./arena/run ratios, "
                        "Eider and their references")
    parser.add_argument("--peers", metavar="names", help="only these, with commas "
                        "(--quick: ours, nginx and three peers; --full: all that are set up)")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true",
                      help="a cell or two of each experiment, under five minutes (the default)")
    size.add_argument("--full", action="store_true",
                      help="every cell (the default when --experiment is given)")
    parser.add_argument("--rounds", type=_at_least(int, 1), help="of each cell (quick 3, full 5)")
    parser.add_argument("--seconds", type=_at_least(float, 1),
                        help="of each measurement (quick 1, full 3)")
    parser.add_argument("--cores", metavar="server:load", help="e.g. 0:1 or 0-3:4-7 (half each)")
    parser.add_argument("--rate-per-core", type=_at_least(int, 1), metavar="N",
                        help="requests per second of open-loop/paced, for each core of the server "
                        f"(default: {RATE_PER_CORE:,})")
    parser.add_argument("--generator", choices=list(generators.KNOWN),
                        help="for all closed loops (what was published with, or else wrk)")
    parser.add_argument("--resume", metavar="DIR", help="go on with an interrupted run")
    parser.add_argument("--prefix", action="append", metavar="name=path",
                        help="where the library of a peer is installed (repeatable)")
    parser.add_argument("--bin", metavar="DIR", help="Eider's programs are there: build none")
    parser.set_defaults(run=run)


def run(options):
    """Returns 0 when the plan is done, 130 after Ctrl-C."""
    if options.bin:
        os.environ["EIDER_BIN"] = str(Path(options.bin).resolve())
    if options.resume:
        given = [name for name in _PLANNED if getattr(options, name)]
        if given:
            raise CannotRun(f"--resume goes on with the same plan: "
                            f"leave out --{given[0].replace('_', '-')}")
        folder, planned, machine, context_options = _resumed(options)
    else:
        folder, planned, machine, context_options = _fresh(options)
    return _carry_out(folder, planned, machine, context_options)


def _is_quick(options):
    return options.quick or not (options.full or options.experiment or options.watched)


def _fresh(options):
    is_quick = _is_quick(options)
    size = _QUICK if is_quick else _FULL
    machine = dataclasses.replace(cores(options.cores),
                                  rate_per_core=options.rate_per_core or RATE_PER_CORE)
    peers = choosing.read_peers()
    names = choosing.words(options.peers)
    cells = choosing.words(options.experiment)
    if options.watched:
        watched, contestants = ratios_command.watched_names()
        cells, names = cells + watched, names or contestants
    names = names or choosing.default_names(peers, is_quick)
    experiments = choosing.experiments_named(cells, all_experiments(machine))
    if is_quick and options.experiment and not any(c.is_quick for e in experiments
                                                   for c in e.cells):
        raise CannotRun(f"--quick has no cell of {options.experiment}: leave --quick out")
    chosen = choosing.contestants_named(names, peers)
    prefixes = choosing.prefixes_of(options.prefix, peers)
    settings = {"experiments": cells,
                "contestants": [c.name for c in chosen],
                "rounds": options.rounds or size["rounds"],
                "seconds": options.seconds or size["seconds"], "is_quick": is_quick,
                "warm_seconds": 0 if is_quick else _WARM_SECONDS,
                "generator": options.generator, "prefixes": prefixes,
                "rate_per_core": machine.rate_per_core}
    planned, contestants, left_out = _plan(settings, peers, experiments)
    settings["contestants"] = [one.name for one in contestants]  # needed by --resume
    content = preparing.run_content(settings, planned, contestants, left_out, machine)
    _say_plan(planned, settings)
    return Folder.create(RESULTS, content), planned, machine, settings


def _plan(settings, peers, experiments):
    """Returns (Plan, prepared contestants, omitted contestants) for the settings of a run."""
    _ensure_generator()
    chosen = choosing.contestants_named(settings["contestants"], peers)
    ready, left_out = preparing.ready_contestants(chosen, settings)
    for row in left_out:
        print(f"{row['name']} left out: {row['why']}", file=sys.stderr)
    planned = plan.make(experiments, ready, settings["rounds"], settings["seconds"],
                        settings["is_quick"], settings["warm_seconds"])
    _leave_out_too_many(planned)
    if not planned.steps:
        raise CannotRun("nothing to measure: no contestant that is set up serves a cell chosen; "
                        "./arena/run list says who can take part")
    return planned, ready, left_out


def _ensure_generator():
    if not generators.is_there("wrk"):
        try:
            packages.ensure(["wrk"])
        except packages.PackagesMissing as failure:
            raise CannotRun(f"the generator wrk is missing: {failure}") from None


def _leave_out_too_many(planned):
    most = raise_file_limit() - FILES_SPARE
    for step in [s for s in planned.steps if s.cell.files > most]:
        planned.steps.remove(step)
        planned.left_out.append({"name": "all", "case": "/".join(step.key), "why":
                                 f"{step.cell.files:,} connections need a higher limit of "
                                 "open files (ulimit -Hn)"})


def _say_plan(planned, settings):
    for step in planned.steps:
        for why in preparing.generator_notes(step, settings["generator"]):
            print(why, file=sys.stderr)
    print(f"{len(planned.steps)} cells, {len(planned.contestants())} contestants, "
          f"{settings['rounds']} rounds of {settings['seconds']:g} s: about "
          f"{spoken(planned.estimate_seconds())}", file=sys.stderr)


def _resumed(options):
    folder = Folder.open(Path(options.resume))
    settings = folder.run.get("settings")
    if not settings:
        raise ResultsError(f"{options.resume}: run.json has no settings; start a new run")
    told = folder.run["cores"]
    machine = Machine(tuple(told["server"]), tuple(told["load"]),
                      settings.get("rate_per_core", RATE_PER_CORE))
    resuming.ensure_same_machine(folder, described())
    peers = choosing.read_peers()
    experiments = choosing.experiments_named(settings["experiments"], all_experiments(machine))
    planned, _, _ = _plan(settings, peers, experiments)
    return folder, planned, machine, settings


def _carry_out(folder, planned, machine, settings):
    done = resuming.complete_rounds(folder, planned)
    left = sum(step.estimate_seconds() * (step.rounds - done.get(step.key, 0)) / step.rounds
               for step in planned.steps)
    progress = Progress(left)
    context = runner.Context(machine, folder, progress, settings["prefixes"],
                             settings["generator"])
    context.done = done
    os.sched_setaffinity(0, set(machine.load_cores))
    try:
        runner.run(planned, context)
    except KeyboardInterrupt:
        progress.say(f"Interrupted. The results so far are in {shown(folder.path)}. Continue with\n"
                     f"  ./arena/run run --resume {shown(folder.path)}\nor read them with\n"
                     f"  ./arena/run report {shown(folder.path)}")
        return 130
    finally:
        folder.run["ended"] = utc_now()
        folder.save()
    progress.clear()
    wrong = sum(1 for row in folder.samples() if row["wrong"])
    print(f"{shown(folder.path)}: {len(folder.samples())} measurements"
          + (f", {wrong} of them disqualified" if wrong else ""))
    return 0

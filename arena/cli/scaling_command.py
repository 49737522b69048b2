"""./arena/run scaling: measures one server with 1, 2, 4 … threads.

Must not measure anything: load/scaling.py does.
"""

import argparse
import json
import os
import shlex
import statistics
import sys
import time
from pathlib import Path

from cli.machine import described, raise_file_limit
from load import generators, scaling
from load.starting import Ports
from peers.manifest import ARENA
from report.table import lines, spread

_HEAD = ("threads", "load cores", "requests/s", "spread", "speedup", "serial share", "CPU µs/req",
         "spread", "thread shares", "")
_START_SECONDS = 1  # per server


class CannotScale(Exception):
    """Nothing can be measured; has the reason and the solution."""


def _between(kind, least, most):
    def read(text):
        value = kind(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text} is not between {least} and {most}")
        return value
    read.__name__ = "number"
    return read


def add(commands):
    """Adds the command and its options."""
    parser = commands.add_parser(
        "scaling", help="measure one server with 1, 2, 4 … threads",
        description="Measures requests per second, CPU time per request and the CPU time of each "
        "thread, with 1, 2, 4 … threads up to the number of cores. The server has one core per "
        "thread, and the load generator (wrk) the other cores. If no core is left, both share all "
        "cores, and the row says so. Needs at least 2 cores.")
    parser.add_argument("--server", metavar="COMMAND", help="command with {port} and {threads} "
                        "(default: arena_eider, which is built with the release preset)")
    parser.add_argument("--path", default="/plaintext", help="path to request (default: "
                        "/plaintext)")
    parser.add_argument("--threads-max", type=_between(int, 1, scaling.THREADS_MAX),
                        default=scaling.THREADS_MAX, metavar="N",
                        help=f"most threads (default: {scaling.THREADS_MAX})")
    parser.add_argument("--connections", type=_between(int, 1, 1000), default=32, metavar="N",
                        help="connections per thread (default: 32)")
    parser.add_argument("--rounds", type=_between(int, 1, 100), default=5, metavar="N",
                        help="rounds (default: 5)")
    parser.add_argument("--seconds", type=_between(int, 1, 60), default=3, metavar="N",
                        help="seconds per measurement (default: 3)")
    parser.add_argument("--minutes", type=_between(float, 0.01, 240), default=30, metavar="N",
                        help="start no measurement after this time (default: 30)")
    parser.add_argument("--json", metavar="FILE", help="write the figures of all measurements")
    parser.set_defaults(run=run)


def _server(text):
    if text:
        return shlex.split(text)
    folder = Path(os.environ.get("EIDER_BIN") or ARENA.parent / "build/release/bin")
    program = folder / "arena_eider"
    if not os.access(program, os.X_OK):
        raise CannotScale(f"{program} is not built: cmake --preset release && cmake --build "
                          "build/release --target arena_eider, or use --server")
    return [str(program), "{port}", "{threads}"]


def _say(text):
    print(text, file=sys.stderr, flush=True)


def measure(command, placings, options):
    """Returns the figures of all measurements; the thread counts alternate within each round."""
    found, ports = [], Ports()
    deadline = time.monotonic() + options.minutes * 60
    for number in range(options.rounds):
        for placing in placings:
            if found and time.monotonic() > deadline:
                _say(f"stopped after {options.minutes:g} minutes, in round {number + 1}")
                return found
            _say(f"round {number + 1} of {options.rounds}: {placing.threads} threads")
            figures = scaling.measure(command, ports.take(), options.path, options.connections,
                                      options.seconds, placing)
            found.append({"round": number, **figures})
    return found


def _percent(values):
    return "-" if len(values) < 2 or not any(values) else f"±{spread(values):.0f}%"


def speedups(found, threads):
    """Returns the speedup over one thread, of each round that has both."""
    alone = {one["round"]: one["per_second"] for one in found if one["threads"] == 1}
    return [one["per_second"] / alone[one["round"]] for one in found
            if one["threads"] == threads and one["round"] in alone]


def table(found):
    """Prints medians, one line per number of threads."""
    rows = []
    for threads in sorted({one["threads"] for one in found}):
        mine = [one for one in found if one["threads"] == threads]
        rate, cpu = ([one[name] for one in mine] for name in ("per_second", "cpu_us"))
        speedup = statistics.median(speedups(found, threads))
        is_shared = mine[0]["is_shared"]
        serial = ("-" if threads == 1 or is_shared
                  else f"{100 * scaling.serial_share(speedup, threads):.1f}%")
        rows.append((str(threads), str(mine[0]["load_cores"]), f"{statistics.median(rate):,.0f}",
                     _percent(rate), "-" if is_shared else f"{speedup:.2f}", serial,
                     f"{statistics.median(cpu):.2f}", _percent(cpu),
                     f"{min(one['least_share'] for one in mine):.2f} to "
                     f"{max(one['most_share'] for one in mine):.2f}",
                     "server and load share all cores" if is_shared else ""))
    return lines(_HEAD, rows)


def run(options):
    """Returns 0, or 2 if nothing can be measured."""
    usable = scaling.usable_cores()
    if len(usable) < 2:
        raise CannotScale("scaling needs at least 2 cores; this process can use 1")
    if not generators.is_there("wrk"):
        raise CannotScale("the load generator wrk is missing (Debian: apt-get install wrk)")
    command = _server(options.server)
    raise_file_limit()
    placings = [scaling.place(count, usable)
                for count in scaling.thread_counts(len(usable), options.threads_max)]
    each = options.seconds + _START_SECONDS
    _say(f"at most {each * len(placings) * options.rounds / 60:.1f} minutes")
    found = measure(command, placings, options)
    if options.json:
        Path(options.json).write_text(
            json.dumps({"machine": described(), "samples": found}, indent=1) + "\n")
    machine = described()
    print(f"{machine['cpu']}, {machine['cores']} cores, {machine['distribution']}; "
          f"{options.connections} connections per thread, {options.seconds} s each")
    print("\n".join(table(found)))
    return 0

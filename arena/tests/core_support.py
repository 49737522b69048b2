"""Shared by the tests of the arena's core: contestants made of tiny_contestant.py, a fake wrk.

Must not need wrk, a peer or Eider.
"""

import io
import os
import sys
import tempfile
from pathlib import Path

ARENA = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ARENA))
# pylint: disable=wrong-import-position
from cli.progress import Progress
from experiments.model import Ask, Cell, Experiment, HELLO, Machine
from load import plan, runner
from load.results import Folder
from peers import manifest

TINY = Path(__file__).resolve().parent / "tiny_contestant.py"
MANIFEST = """name = "{name}"
title = "{name}"
language = "Python"
licence = "MIT"
origin = "ours"
version = "1"
[run]
command = ["{python}", "-I", "-S", "{tiny}", "{{port}}", {arguments}]
is_exit_clean = false
[serves]
cases = ["plaintext", "labels", "close", "pipelined"]
"""
WRK = """#!/bin/sh
sleep 0.1
cat <<'END'
Running 1s test @ http://127.0.0.1/
  1 threads and 4 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.50ms    1.00ms  12.00ms   90.00%
    Req/Sec     1.00k     0.00     1.00k   100.00%
  Latency Distribution
     50%  700.00us
     75%    1.00ms
     90%    2.00ms
     99%    4.00ms
  1000 requests in 1.00s, 1.00MB read
Requests/sec:   1000.00
Transfer/sec:      1.00MB
END
"""
SECONDS = 0.1


def with_fake_wrk(case):
    """Puts the fake first in PATH until the test case ends."""
    directory = tempfile.TemporaryDirectory()
    path = Path(directory.name) / "wrk"
    path.write_text(WRK)
    path.chmod(0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{directory.name}:{before}"
    case.addCleanup(directory.cleanup)
    case.addCleanup(os.environ.__setitem__, "PATH", before)


def peer(parent, name, *arguments):
    """Returns a Peer of a tiny contestant with this mode."""
    folder = Path(parent) / name
    folder.mkdir(parents=True)
    words = ", ".join(f'"{argument}"' for argument in arguments)
    (folder / "peer.toml").write_text(MANIFEST.format(
        name=name, python=sys.executable, tiny=TINY, arguments=words))
    return manifest.read(folder / "peer.toml")


def cell(cell_id="one", **more):
    """Returns a cell of /plaintext."""
    return Cell(cell_id, cell_id, Ask("/plaintext", HELLO), ("plaintext",), connections=4, **more)


def planned(cells, peers, rounds=2):
    """Returns a Plan of one experiment."""
    experiment = Experiment("tiny", "Tiny", "", tuple(cells))
    contestants = [contestant for one in peers for contestant in one.contestants]
    return plan.make([experiment], contestants, rounds, SECONDS)


class Quiet(Progress):
    """Counts measurements; simulates Ctrl-C at number `interrupt_at`."""

    def __init__(self, interrupt_at=None):
        super().__init__(1, stream=io.StringIO())
        self.begun, self.interrupt_at = 0, interrupt_at

    def tell(self, what):
        self.begun += "round" in what
        if self.begun == self.interrupt_at:
            raise KeyboardInterrupt


def folder(parent, contestants=()):
    """Makes a new results folder."""
    return Folder.create(parent, {"contestants": [{"name": c.name} for c in contestants],
                                  "left_out": [], "notes": [], "machine": {}})


def carry_out(the_plan, results, interrupt_at=None, done=None):
    """Runs the plan into the folder; returns its samples."""
    usable = tuple(sorted(os.sched_getaffinity(0)))
    context = runner.Context(Machine(usable, usable), results, Quiet(interrupt_at))
    context.done = done or {}
    runner.run(the_plan, context)
    return results.samples()

"""Loads at a fixed rate: a wrong or an unsent response disqualifies, and the rate is an option.

Must not test speed. Needs Eider's generator for the load.
"""

import argparse
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]
# pylint: disable=wrong-import-position
import core_support
from cli import main, run_command
from experiments import model, others
from experiments.model import Machine
from load import eider_bench

TWO_CORES = Machine((0,), (1,))
SECONDS = 0.5


def samples(*modes):
    """Returns the samples of tiny contestants with these modes, of one round."""
    with tempfile.TemporaryDirectory() as parent:
        peers = [core_support.peer(parent, mode, mode, *after) for mode, *after in modes]
        cell = core_support.cell(kind=model.OPEN, rate=200)
        with mock.patch.object(core_support, "SECONDS", SECONDS):
            planned = core_support.planned([cell], peers, rounds=1)
        folder = core_support.folder(Path(parent) / "results")
        return core_support.carry_out(planned, folder)


@unittest.skipIf(eider_bench.why_not(), eider_bench.why_not())
class Paced(unittest.TestCase):
    def test_the_cost_and_the_percentiles_of_all_requests_are_measured(self):
        found, = samples(("right",))
        self.assertEqual((found["wrong"], found["errors"]), ("", 0))
        self.assertGreater(found["requests"], 10)
        for name in ("cpu_us", "p50_ms", "p90_ms", "p99_ms", "max_ms"):
            self.assertGreater(found[name], 0, name)

    def test_a_wrong_body_during_the_load_disqualifies(self):
        found, = samples(("byte-once", "5"))
        self.assertRegex(found["wrong"], "^1 x differs")


class Rates(unittest.TestCase):
    def test_the_rate_follows_the_cores_of_the_server(self):
        paced = others.open_loop(TWO_CORES).cells[-1]
        self.assertEqual((paced.id, paced.rate, paced.metric), ("paced", 15_625, "cpu_us"))
        self.assertEqual(others.open_loop(Machine(tuple(range(64)), (64,))).cells[-1].rate,
                         1_000_000)
        self.assertEqual(others.open_loop(Machine((0, 1), (2,), 100)).cells[-1].rate, 200)

    def test_the_option_is_a_number_above_0(self):
        options = main.parser().parse_args(["run", "--rate-per-core", "500"])
        self.assertEqual(options.rate_per_core, 500)
        with contextlib.redirect_stderr(io.StringIO()) as told, self.assertRaises(SystemExit):
            main.parser().parse_args(["run", "--rate-per-core", "0"])
        self.assertIn("0 is below 1", told.getvalue())

    def test_a_resumed_run_keeps_the_rate(self):
        with tempfile.TemporaryDirectory() as parent, \
                mock.patch.object(run_command.resuming, "ensure_same_machine"), \
                mock.patch.object(run_command, "_plan", return_value=(None, None, None)):
            folder = core_support.folder(parent)
            folder.run |= {"settings": {"experiments": [], "rate_per_core": 500},
                           "cores": {"server": [0], "load": [1]}}
            folder.save()
            options = argparse.Namespace(resume=str(folder.path))
            _, _, machine, _ = run_command._resumed(options)  # pylint: disable=protected-access
        self.assertEqual(machine.rate_per_core, 500)


if __name__ == "__main__":
    unittest.main()

"""A load next to idle connections: a closed or an unusable one disqualifies.

Must not need Eider, a peer or wrk.
"""

import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]
# pylint: disable=wrong-import-position
import core_support
from cli import run_command
from experiments import model, others
from experiments.model import Machine
from load import held, idle, plan
from report import results

COUNT, WARM = 20, 2
CELLS = {cell.id: cell for cell in others.held(Machine((0,), (1,))).cells}
# The checks before the load, the idle connections, the checks before and during the load.
BEFORE_THE_END = 1 + WARM + COUNT + 1 + 2


class Held(unittest.TestCase):
    def setUp(self):
        core_support.with_fake_wrk(self)
        for target, name, value in ((idle, "WARM_CONNECTIONS", WARM), (held, "ADDRESSES", 1)):
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def samples(self, *arguments, rounds=1):
        """Returns the samples of a tiny contestant."""
        with tempfile.TemporaryDirectory() as parent:
            peer = core_support.peer(parent, "tiny", *arguments)
            cell = core_support.cell(kind=model.HELD, held=COUNT)
            folder = core_support.folder(Path(parent) / "results")
            return core_support.carry_out(core_support.planned([cell], [peer], rounds), folder)

    def test_cost_and_memory_are_measured_with_a_new_process_in_each_round(self):
        found = self.samples("dies", str(BEFORE_THE_END + WARM + COUNT), rounds=2)
        self.assertEqual([row["wrong"] for row in found], ["", ""])
        for row in found:
            self.assertEqual(row["requests"], 1000)
            self.assertGreater(row["cpu_us"], 0)
            self.assertGreaterEqual(row["held_bytes"], 0)

    def test_connections_that_the_server_closes_disqualify(self):
        found, = self.samples("close", "1")
        self.assertIn(f"{WARM + COUNT} of {WARM + COUNT} idle connections were closed",
                      found["wrong"])

    def test_each_idle_connection_gets_a_response_after_the_load(self):
        found, = self.samples("dies", str(BEFORE_THE_END + COUNT))
        self.assertIn("the server ended in the middle (status 7)", found["wrong"])


class Addresses(unittest.TestCase):
    def test_connections_go_to_all_loopback_addresses_in_turn(self):
        with mock.patch.object(held, "dial", side_effect=lambda _, address: address):
            opened = [held.dialer() for _ in range(2)][1]
            found = [opened(80) for _ in range(held.ADDRESSES + 1)]
        self.assertEqual(found[:2] + found[-2:],
                         ["127.0.0.1", "127.0.0.2", f"127.0.0.{held.ADDRESSES}", "127.0.0.1"])


class Plans(unittest.TestCase):
    def setUp(self):
        self.step = plan.Step(SimpleNamespace(id="held"), CELLS["h32000"], [1], 1, 1.0)

    def test_idle_connections_count_as_sockets_and_as_time(self):
        self.assertEqual(plan.connections_max(plan.Plan([self.step])), 32_064)
        self.assertGreater(self.step.estimate_seconds(), 4)
        self.assertEqual(plan.rounds_of(self.step.cell, 9), plan.IDLE_ROUNDS_MAX)
        serves = {"max_connections": 16_384}
        peer = SimpleNamespace(cases=("plaintext", "held"), data={"serves": serves})
        reasons = [plan.why_not(SimpleNamespace(peer=peer, command=()), cell)
                   for cell in CELLS.values()]
        self.assertEqual(reasons, ["", "it holds at most 16,384 connections"])

    def test_a_limit_of_open_files_leaves_the_larger_cell_out(self):
        steps = [plan.Step(SimpleNamespace(id="held"), cell, [], 1, 1.0)
                 for cell in CELLS.values()]
        planned = plan.Plan(list(steps))
        with mock.patch.object(run_command, "raise_file_limit", return_value=20_000):
            run_command._leave_out_too_many(planned)  # pylint: disable=protected-access
        self.assertEqual(planned.steps, steps[:1])
        self.assertIn("32,064 connections need a higher limit", planned.left_out[0]["why"])

    def test_the_report_reads_the_memory(self):
        self.assertEqual(results.sample({"held_bytes": 208.5})["held_bytes"], 208.5)


if __name__ == "__main__":
    unittest.main()

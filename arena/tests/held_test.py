"""A load next to idle connections: a closed or an unusable one disqualifies.

Must not need Eider, a peer or wrk.
"""

import multiprocessing
import os
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]
# pylint: disable=wrong-import-position
import core_support
import tiny_server
from cli import run_command
from experiments import model, others
from experiments.model import Machine
from load import held, idle, plan, starting
from peers import schema
from report import results

COUNT, MANY, WARM = 20, 100, 2
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

    def samples(self, *arguments, rounds=1, run=None, **more):
        """Returns the samples of a tiny contestant; `run` has more keys of its [run]."""
        with tempfile.TemporaryDirectory() as parent:
            peer = core_support.peer(parent, "tiny", *arguments)
            peer.run.update(run or {})
            cell = core_support.cell(kind=model.HELD, **{"held": COUNT, **more})
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
        # The last ones may be closed after the check.
        self.assertRegex(found["wrong"], rf"^[1-9]\d* of {WARM + COUNT} idle connections were "
                                         "closed by the server$")

    def test_each_idle_connection_gets_a_response_after_the_load(self):
        found, = self.samples("dies", str(BEFORE_THE_END + COUNT))
        self.assertIn("the server ended in the middle (status 7)", found["wrong"])

    def test_two_copies_share_the_port_and_the_idle_connections(self):
        with mock.patch.object(held, "PER_PROCESS_MAX", MANY // 2):
            found, = self.samples("right", held=MANY, processes=2,
                                  run={"processes_by": schema.BY_COPIES})
        self.assertEqual(found["wrong"], "")
        self.assertGreater(found["cpu_us"], 0)

    def test_a_process_without_its_part_of_the_connections_disqualifies(self):
        found, = self.samples("right", processes=2)
        self.assertIn("the idle connections are not spread over the processes: ", found["wrong"])
        self.assertTrue(found["wrong"].endswith(", 0"), found["wrong"])


class Holders(unittest.TestCase):
    def test_a_holding_process_that_ends_is_a_failure(self):
        server = SimpleNamespace(port=0, memory_bytes=lambda: os._exit(1))
        with mock.patch.object(idle, "WARM_CONNECTIONS", 0), \
                self.assertRaisesRegex(OSError, "holds idle connections has ended"), \
                held.opened(server, None, 1):
            pass

    def test_connections_are_opened_in_batches(self):
        used = []
        with tiny_server.TinyServer(tiny_server.answer) as server, \
                mock.patch.object(idle, "WARM_CONNECTIONS", WARM):
            server.memory_bytes = lambda: {"rss": 0}
            with idle.opened(server, lambda *added: used.append(len(added)), COUNT, together=8):
                pass
        self.assertEqual(used, [WARM, 8, 8, 4])

    def test_each_process_holds_at_most_its_part(self):
        with tiny_server.TinyServer(tiny_server.answer) as server, \
                mock.patch.object(held, "ADDRESSES", 1), \
                mock.patch.object(held, "PER_PROCESS_MAX", 8), \
                mock.patch.object(idle, "WARM_CONNECTIONS", 0):
            server.memory_bytes = lambda: {"rss": 0}
            with held.opened(server, idle.opener(b"GET / HTTP/1.1\r\n\r\n"), COUNT) as found:
                self.assertEqual(len(multiprocessing.active_children()), 3)
                found[1]()
            self.assertEqual(server.requests, 2 * COUNT)
        self.assertEqual(multiprocessing.active_children(), [])


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
        self.assertEqual(CELLS["h32000"].files, 17_635)
        self.assertGreater(self.step.estimate_seconds(), 4)
        self.assertEqual(plan.rounds_of(self.step.cell, 9), plan.IDLE_ROUNDS_MAX)
        serves = {"max_connections": 16_384}
        peer = SimpleNamespace(cases=("plaintext", "held", "held-apart"), data={"serves": serves})
        reasons = [plan.why_not(SimpleNamespace(peer=peer, command=()), cell)
                   for cell in CELLS.values()]
        self.assertEqual(reasons, ["", "it holds at most 16,384 connections"])

    def test_a_limit_of_open_files_leaves_the_larger_cell_out(self):
        steps = [plan.Step(SimpleNamespace(id="held"), cell, [], 1, 1.0)
                 for cell in CELLS.values()]
        planned = plan.Plan(list(steps))
        for limit, count in ((20_000, 2), (17_000, 1)):
            with mock.patch.object(run_command, "raise_file_limit", return_value=limit):
                run_command._leave_out_too_many(planned)  # pylint: disable=protected-access
            self.assertEqual(planned.steps, steps[:count])
        self.assertIn("17,635 connections need a higher limit", planned.left_out[0]["why"])

    def test_threads_that_are_processes_are_as_many(self):
        for by, count in ((schema.BY_THREADS, 2), (schema.BY_COPIES, 1)):
            peer = SimpleNamespace(run={"processes_by": by}, case_table=lambda _: {}, out="",
                                   folder="")
            one = SimpleNamespace(peer=peer, command=("{threads}",))
            self.assertEqual(starting.command(one, CELLS["h32000"], 80, 1), [str(count)])

    def test_the_report_reads_the_memory(self):
        self.assertEqual(results.sample({"held_bytes": 208.5})["held_bytes"], 208.5)


if __name__ == "__main__":
    unittest.main()

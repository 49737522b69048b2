"""Two generators load one process in each round, and the report compares their figures.

Must not need wrk, a peer or Eider: scripts replace both generators.
"""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]
# pylint: disable=wrong-import-position
import core_support
from experiments import agreement as experiment_of_it
from experiments import model
from experiments.model import Machine
from load import eider_bench, resuming, wrk
from report import agreement, figures, head, markdown, results, standing

NAMES = (wrk.NAME, eider_bench.NAME)
TOLD = {"latency": {"p50_ms": 1, "p90_ms": 2, "p99_ms": 3, "mean_ms": 1, "max_ms": 4},
        "requests": 2000, "seconds": 1, "errors": 0, "errors_by_kind": {}, "first_error": "",
        "unsent": 0, "requests_per_second": 2000}
BENCH = f"#!{sys.executable}\nimport time\nwhile time.process_time() < 0.2: pass\n" \
        f"print('''{json.dumps(TOLD)}''')\n"


class InFolder(unittest.TestCase):
    """A test with a fake of each generator."""

    def setUp(self):
        core_support.with_fake_wrk(self)
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        (Path(self.directory) / "bin").mkdir()
        self.bench = Path(self.directory) / "bin/eider"
        self.bench.write_text(BENCH)
        self.bench.chmod(0o755)
        patch = mock.patch.dict(os.environ, {"EIDER_BIN": str(self.bench.parent)})
        patch.start()
        self.addCleanup(patch.stop)
        self.results = core_support.folder(self.directory + "/results")

    def plan(self, *names, rounds=2):
        """Returns a Plan of one cell for tiny contestants."""
        peers = [core_support.peer(self.directory, name, "right") for name in names]
        cell = core_support.cell(kind=model.AGREEMENT, generators=NAMES)
        return core_support.planned([cell], peers, rounds)


class Measuring(InFolder):
    def test_each_server_is_loaded_by_both_and_each_is_first_in_turn(self):
        samples = core_support.carry_out(self.plan("a", "b"), self.results)
        self.assertEqual([row["contestant"] for row in samples],
                         ["a@wrk", "a@eider_bench", "b@wrk", "b@eider_bench",
                          "a@eider_bench", "a@wrk", "b@eider_bench", "b@wrk"])
        self.assertEqual({row["wrong"] for row in samples}, {""})
        self.assertEqual([row["requests"] for row in samples[:2]], [1000, 2000])

    def test_the_generators_own_time_is_told_of_each(self):
        samples = core_support.carry_out(self.plan("a", rounds=1), self.results)
        by = {row["contestant"]: row["load_cpu_us"] for row in samples}
        self.assertGreater(by["a@eider_bench"], 100)  # the fake uses 0.2 s for 2,000 requests
        self.assertLess(by["a@wrk"], 100)
        self.assertGreater(by["a@wrk"], 0)

    def test_both_load_the_same_process(self):
        from load import server  # pylint: disable=import-outside-toplevel
        with mock.patch.object(server.Server, "__enter__", autospec=True,
                               side_effect=server.Server.__enter__) as started:
            core_support.carry_out(self.plan("a"), self.results)
        self.assertEqual(started.call_count, 1)

    def test_without_one_of_them_the_cell_is_left_out_and_told(self):
        self.bench.unlink()
        self.assertEqual(core_support.carry_out(self.plan("a"), self.results), [])
        self.assertIn("eider_bench is not there", self.results.run["left_out"][0]["why"])

    def test_a_round_is_whole_when_both_have_measured_all(self):
        the_plan = self.plan("a")
        samples = core_support.carry_out(the_plan, self.results)
        key = the_plan.steps[0].key
        self.assertEqual(resuming.complete_rounds(self.results, the_plan)[key], 2)
        self.results.keep_only(lambda row: row != samples[-1])
        self.assertEqual(resuming.complete_rounds(self.results, the_plan)[key], 1)
        self.assertEqual(len(self.results.samples()), 2)

    def test_the_plan_knows_that_it_takes_twice_as_long(self):
        twice, once = self.plan("a").steps[0], self.plan("b").steps[0]
        once.cell = core_support.cell()
        before = twice.estimate_seconds() - 2 * (once.estimate_seconds())
        self.assertLess(before, 0)  # the start is not counted twice
        self.assertGreater(twice.estimate_seconds(), 1.5 * once.estimate_seconds())


def sample(name, number, cpu_us, **more):
    """Returns a line of samples.jsonl."""
    return results.sample({"experiment": "agree", "cell": "c64", "contestant": name,
                           "round": number, "cpu_us": cpu_us, "wrong": "", **more})


def measured(samples):
    """Returns results with one cell of two generators."""
    cells = [{"id": "c64", "title": "some connections", "metric": "cpu_us", "generators": NAMES}]
    run = {"schema": 1, "experiments": [{"id": "agree", "title": "Agree", "cells": cells}],
           "contestants": [{"name": "floor-epoll", "title": "Loop", "is_floor": True},
                           {"name": "eider-epoll", "title": "Eider"},
                           {"name": "heron", "title": "Heron"}]}
    return results.assemble(json.loads(json.dumps(run)), samples, [])


class Reporting(unittest.TestCase):
    def setUp(self):
        costs = {"floor-epoll@wrk": (10, 20), "floor-epoll@eider_bench": (5, 10),
                 "eider-epoll@wrk": (11, 22), "eider-epoll@eider_bench": (11, 22),
                 "heron@wrk": (20, 40)}
        self.results = measured([sample(name, number, values[number], p99_ms=values[number])
                                 for name, values in costs.items() for number in range(2)])
        self.experiment = self.results.experiments[0]
        self.cell = self.experiment.cells[0]
        self.samples = self.results.samples

    def test_ratios_are_formed_within_a_round_and_missing_ones_are_empty(self):
        titles, lines = agreement.table(self.results, self.cell, self.samples)
        self.assertEqual(titles[:2], ["eider bench over wrk", "server's CPU/request"])
        self.assertEqual([line[:2] for line in lines],
                         [["Loop", "0.500× ±0.0 %"], ["Eider", "1.000× ±0.0 %"], ["Heron", ""]])

    def test_a_cell_with_one_generator_has_no_such_table(self):
        self.cell.generators = ()
        self.assertIsNone(agreement.table(self.results, self.cell, self.samples))

    def test_the_floor_is_that_of_the_same_generator(self):
        self.assertEqual(figures.floor_ratio(self.samples, "eider-epoll@wrk").median, 1.1)
        self.assertEqual(figures.floor_ratio(self.samples, "eider-epoll@eider_bench").median, 2.2)

    def test_it_says_nothing_of_where_eider_stands(self):
        self.assertEqual(standing.every(self.results), [])
        self.cell.generators = ()
        self.assertEqual(len(standing.every(self.results)), 1)

    def test_nobody_is_listed_or_counted_twice(self):
        self.assertEqual([one.name for one in self.results.everybody()],
                         ["floor-epoll", "eider-epoll", "heron"])
        self.assertIn("with 1 peer ", dict(head.facts(self.results))["Compared"])

    def test_the_text_has_both_tables(self):
        text = markdown.text(self.results)
        self.assertIn("| **Eider, by eider bench** | 16.5 µs", text)
        self.assertIn("| Eider | 1.000× ±0.0 % |", text)
        self.assertNotIn("no ratio to it can be given", text)


class Plans(unittest.TestCase):
    def test_wrk_comes_first_and_both_are_known(self):
        for cell in experiment_of_it.experiment(Machine((0,), (1,))).cells:
            self.assertEqual(cell.generators, NAMES)


if __name__ == "__main__":
    unittest.main()

"""The time is estimated, two runs are compared, unknown names are rejected with the solution."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import core_support
from cli import choosing, compare_command, machine, main, preparing, ratios_command
from cli.progress import Progress, spoken
from experiments import model
from experiments.catalogue import all_experiments
from experiments.model import Machine
from load import eider_bench, generators, h2load, oha, plan, wrk
from load.outcome import GeneratorFailed
from load.results import Folder, ResultsError, latest, sample
from peers import oha as installed_oha

TWO_CORES = Machine((0,), (1,))


def run_of(parent, name, costs, cpu="one"):
    """Makes a results folder whose only cell has these CPU times: {contestant: [each round]}."""
    path = Path(parent) / name
    path.mkdir()
    folder = Folder(path, {"schema": 1, "machine": {"cpu": cpu}, "experiments": [
        {"id": "floor", "cells": [{"id": "json", "metric": "cpu_us"}]}]})
    folder.save()
    for contestant, values in costs.items():
        for number, value in enumerate(values):
            folder.append(sample("floor", "json", contestant, number, cpu_us=value))
    return folder


def compared(*folders):
    """Returns the output of ./arena/run compare."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        compare_command.run(SimpleNamespace(old=str(folders[0].path), new=str(folders[1].path)))
    return told.getvalue()


class Estimates(unittest.TestCase):
    def test_a_quick_run_of_eight_takes_under_five_minutes(self):
        peers = [SimpleNamespace(name=f"peer{i}", peer=SimpleNamespace(
            cases=("plaintext", "json", "hello-html", "test", "users", "routes", "close",
                   "pipelined"), data={"serves": {}}), command=()) for i in range(8)]
        quick = plan.make(all_experiments(TWO_CORES), peers, 3, 1.0, is_quick=True)
        self.assertEqual({step.experiment.id for step in quick.steps},
                         {"scalability", "slow-work", "tail", "techempower", "nginx", "floor"})
        self.assertLess(quick.estimate_seconds(), 290)
        self.assertGreater(quick.estimate_seconds(), 120)

    def test_a_contestant_without_the_case_is_left_out_and_told_once_for_an_experiment(self):
        peer = SimpleNamespace(name="bare", command=(), peer=SimpleNamespace(
            cases=("plaintext",), data={"serves": {"max_connections": 1000}}))
        planned = plan.make(all_experiments(TWO_CORES), [peer], 1, 1.0)
        reasons = {(row["case"], row["why"]) for row in planned.left_out}
        self.assertIn(("nginx/k100", "its adapter does not serve hello-html"), reasons)
        self.assertIn(("scalability/c10000", "it holds at most 1,000 connections"), reasons)
        self.assertNotIn(("nginx/k1000", "its adapter does not serve hello-html"), reasons)

    def test_the_time_left_follows_what_was_seen(self):
        now = [0.0]
        progress = Progress(100, stream=io.StringIO(), clock=lambda: now[0])
        self.assertEqual(progress.seconds_left(), 100)
        now[0] = 100.0
        progress.advance(50)  # twice as slow as estimated
        self.assertAlmostEqual(progress.seconds_left(), 50 * 110 / 60)

    def test_durations_are_told_to_people(self):
        self.assertEqual([spoken(s) for s in (5, 89.6, 600, 3600 * 3 + 120)],
                         ["5 s", "2 min", "10 min", "3 h 02 min"])

    def test_the_limits_of_experiment_two_are_those_published(self):
        cells = {cell.id: cell for e in all_experiments(TWO_CORES) if e.id == "slow-work"
                 for cell in e.cells}
        self.assertEqual(cells["n200-t200-local-c4"].limit_seconds, 40)
        self.assertAlmostEqual(cells["n1000-t200-vpn-c28"].limit_seconds, 304)
        self.assertEqual(cells["n200-t200-local-c4-blocking"].limit_seconds, 100)
        self.assertAlmostEqual(cells["n200-t200-local-c28"].seconds_max, 3 * 40.267)
        self.assertEqual(len([c for c in cells.values() if c.requests >= 200]), 16)


class Comparing(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def test_ratios_to_the_floor_are_compared_and_not_bare_figures(self):
        old = run_of(self.directory, "old", {"floor-epoll": [5, 5], "a": [10, 10], "b": [5, 5]})
        new = run_of(self.directory, "new", {"floor-epoll": [10, 10], "a": [20, 20], "b": [20, 20]})
        told = compared(old, new)
        self.assertRegex(told, r"floor/json +a .* 2\.000 +2\.000 +\+0\.0% +within the spread")
        self.assertRegex(told, r"floor/json +b .* 1\.000 +2\.000 +\+100\.0% +WORSE")

    def test_a_change_within_the_spread_is_none(self):
        old = run_of(self.directory, "old", {"a": [10, 12, 8, 11, 9]})
        new = run_of(self.directory, "new", {"a": [11, 9, 10.5, 12, 8]})
        self.assertIn("within the spread", compared(old, new))

    def test_another_machine_is_said(self):
        old = run_of(self.directory, "old", {"a": [10]})
        new = run_of(self.directory, "new", {"a": [11]}, cpu="two")
        self.assertIn("NOTE the machine differs", compared(old, new))

    def test_a_folder_without_a_run_is_named(self):
        with self.assertRaisesRegex(ResultsError, "no run.json there; name a folder"):
            Folder.open(self.directory)
        with self.assertRaisesRegex(ResultsError, "./arena/run run --quick measures some"):
            latest(self.directory)


class Ratios(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.record = self.directory / "ratios.csv"

    def ratios(self, name, costs, is_added=False):
        """Returns (status, output) of `./arena/run ratios` for a run with these CPU times."""
        folder = run_of(self.directory, name, costs)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = ratios_command.run(SimpleNamespace(
                folder=str(folder.path), add=is_added, record=self.record))
        return status, out.getvalue() + err.getvalue()

    def test_a_ratio_is_formed_within_each_round(self):
        status, text = self.ratios("one", {"floor-epoll": [5, 10], "eider-epoll": [6, 12]})
        self.assertEqual(status, 0)
        self.assertRegex(text, r"floor/json +eider-epoll .* 1\.200 ±0% .*new")
        self.assertFalse(self.record.exists(), "nothing is written without --add")

    def test_a_ratio_that_became_worse_is_an_error(self):
        self.ratios("one", {"floor-epoll": [5] * 4, "eider-epoll": [6] * 4}, is_added=True)
        status, text = self.ratios("two", {"floor-epoll": [5] * 4, "eider-epoll": [7] * 4})
        self.assertEqual(status, 1)
        self.assertRegex(text, r"\+16\.7% +WORSE")
        status, text = self.ratios("three", {"floor-epoll": [10] * 4, "eider-epoll": [11] * 4})
        self.assertEqual(status, 0)
        self.assertIn("BETTER", text)

    def test_a_change_within_the_spread_of_either_run_is_none(self):
        self.ratios("one", {"floor-epoll": [5] * 4, "eider-epoll": [5, 6, 7, 8]}, is_added=True)
        status, text = self.ratios("two", {"floor-epoll": [5] * 4, "eider-epoll": [7] * 4})
        self.assertEqual((status, "within the spread" in text), (0, True), text)

    def test_the_newest_line_of_the_record_counts(self):
        for name, cost in (("one", 6), ("two", 7)):
            self.ratios(name, {"floor-epoll": [5] * 4, "eider-epoll": [cost] * 4}, is_added=True)
        self.assertEqual(self.record.read_text("utf-8").count("\n"), 3)
        status, _ = self.ratios("three", {"floor-epoll": [5] * 4, "eider-epoll": [7] * 4})
        self.assertEqual(status, 0)

    def test_a_run_without_references_and_a_broken_record_are_errors_with_the_fix(self):
        status, text = self.ratios("one", {"eider-epoll": [6]})
        self.assertEqual(status, 1)
        self.assertIn("./arena/run run --watched", text)
        self.record.write_text("commit,ratio\nabc,x\n", "utf-8")
        status, text = self.ratios("two", {"floor-epoll": [5], "eider-epoll": [6]})
        self.assertEqual(status, 1)
        self.assertRegex(text, r"ratios\.csv:2: .*Restore the file")

    def test_each_watched_cell_and_reference_is_known(self):
        cells, contestants = ratios_command.watched_names()
        found = choosing.experiments_named(cells, all_experiments(TWO_CORES))
        self.assertEqual(sum(len(e.cells) for e in found), len(cells))
        known = choosing.contestants_named(contestants, choosing.read_peers())
        self.assertEqual({c.name for c in known}, set(contestants))


class CommandLine(unittest.TestCase):
    def test_unknown_names_are_refused_with_what_there_is(self):
        peers = choosing.read_peers()
        with self.assertRaisesRegex(choosing.Unknown, "no peer nginy; did you mean nginx?"):
            choosing.contestants_named(["nginy"], peers)
        with self.assertRaisesRegex(choosing.Unknown, "no experiment speed; there are: scalab"):
            choosing.experiments_named(["speed"], all_experiments(TWO_CORES))
        with self.assertRaisesRegex(choosing.Unknown, "no cell nginx/k10; did you mean k100"):
            choosing.experiments_named(["nginx/k10"], all_experiments(TWO_CORES))
        with self.assertRaisesRegex(choosing.Unknown, "write --prefix name=path"):
            choosing.prefixes_of(["crow"], peers)

    def test_a_cell_can_be_chosen_alone(self):
        chosen = choosing.experiments_named(["nginx/k100", "tail"], all_experiments(TWO_CORES))
        self.assertEqual([(e.id, [cell.id for cell in e.cells]) for e in chosen],
                         [("tail", ["c800"]), ("nginx", ["k100"])])

    def test_cores_that_cannot_be_are_refused(self):
        for asked, told in (("x", "write server:load"), ("0:0", "share a core"),
                            ("0:9999", "may not use")):
            with self.subTest(asked), self.assertRaisesRegex(machine.BadCores, told):
                machine.cores(asked)

    def test_every_command_has_help(self):
        for command in ([], ["list"], ["setup"], ["run"], ["report"], ["compare"]):
            with self.subTest(command), contextlib.redirect_stdout(io.StringIO()) as told, \
                    self.assertRaises(SystemExit) as ended:
                main.parser().parse_args([*command, "--help"])
            self.assertEqual(ended.exception.code, 0)
            self.assertIn("usage: ./arena/run", told.getvalue())

    def test_a_generator_that_is_not_there_is_replaced_and_said(self):
        core_support.with_fake_wrk(self)
        load = wrk.Load("/", 10, 1)
        chosen, why = generators.choose(load, "httpress")
        if generators.is_there("httpress"):
            self.assertEqual(why, "")
        else:
            self.assertEqual((chosen, why), (wrk, "httpress is not installed"))

    def test_pipelined_requests_are_sent_by_what_tells_their_latency(self):
        load = wrk.Load("/plaintext", 64, 1, (), 16)
        with mock.patch.object(eider_bench, "is_there", return_value=True):
            self.assertEqual(generators.choose(load, "wrk"), (eider_bench, ""))
            self.assertEqual(generators.choose(load, "wrk", "wrk"), (wrk, ""))
        with mock.patch.object(eider_bench, "is_there", return_value=False):
            self.assertEqual(generators.choose(load, "wrk"), (wrk, ""))

    def test_oha_is_taken_from_where_setup_put_it(self):
        load = wrk.Load("/simple", 10, 1)
        with mock.patch.object(installed_oha, "program", return_value="/there/oha"):
            self.assertTrue(generators.is_there("oha"))
            self.assertEqual(oha.command(load, 80, 1)[0], "/there/oha")
        with mock.patch.object(installed_oha, "program", return_value=None):
            self.assertFalse(generators.is_there("oha"))

    def test_oha_cannot_be_built_without_cargo_and_says_so(self):
        with mock.patch.object(installed_oha, "program", return_value=None), \
                mock.patch.object(installed_oha.shutil, "which", return_value=None), \
                self.assertRaises(installed_oha.NotInstalled) as refused:
            installed_oha.install(print)
        self.assertIn("rustup", str(refused.exception))

    def test_eider_bench_is_read_with_its_errors(self):
        told = eider_bench.parse(
            '{"requests": 20, "requests_per_second": 10.5, "latency": {"mean_ms": 2, "p50_ms": 1,'
            ' "p90_ms": 3, "p99_ms": 4, "max_ms": 5}, "seconds": 2, "unsent": 0, "errors": 3,'
            ' "errors_by_kind": {"reset": 2, "timeout": 0, "wrong_status": 1},'
            ' "first_error": "Lost."}')
        self.assertEqual((told.requests, told.per_second, told.p50_ms, told.p99_ms, told.max_ms),
                         (20, 10.5, 1, 4, 5))
        self.assertEqual(told.errors, "2 x reset; 1 x wrong_status, the first: Lost.")
        self.assertEqual(told.error_count, 3)
        with self.assertRaises(GeneratorFailed):
            eider_bench.parse("the connection was refused")

    def test_h2load_and_oha_are_read(self):
        told = h2load.parse("finished in 1.00s, 1234.50 req/s, 1MB/s\nrequests: 1240 total, 1240 "
                            "started, 1236 done, 1235 succeeded, 1 failed, 0 errored, 0 timeout\n"
                            "time for request:  20us  4.00ms  1.00ms  80us  95%\n")
        self.assertEqual((told.requests, told.per_second, told.error_count), (1235, 1234.5, 1))
        self.assertEqual((told.avg_ms, told.max_ms), (1, 4))
        told = oha.parse('{"summary": {"requestsPerSec": 10.5, "average": 0.002, "slowest": 0.01},'
                         '"latencyPercentiles": {"p50": 0.001, "p90": 0.002, "p99": 0.003},'
                         '"statusCodeDistribution": {"200": 10, "500": 2}, "errorDistribution":'
                         '{"aborted due to deadline": 3, "connection error": 1}}')
        self.assertEqual((told.requests, told.error_count, told.p99_ms), (10, 3, 3))

    def test_commands_shown_name_what_is_asked(self):
        for experiment in all_experiments(TWO_CORES):
            for cell in experiment.cells:
                step = plan.Step(experiment, cell, [], 1, 1.0)
                told = preparing._command(step, TWO_CORES, "wrk")  # pylint: disable=W0212
                self.assertIn(cell.ask.path, told)
                if cell.kind == model.CLOSED:
                    self.assertRegex(told, f"(-c|--connections ){cell.connections} ")
                    self.assertNotIn("/build/", told)


if __name__ == "__main__":
    unittest.main()

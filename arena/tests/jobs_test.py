"""Job queues: their protocol, their manifests, figures and ratios.

Must not need Eider or a peer; tests with PostgreSQL are skipped if it is not installed.
"""

import contextlib
import io
import json
import shutil
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import core_support
from cli import choosing, jobs_command
from load import jobs
from peers import manifest

MANIFEST = """name = "tiny"
title = "Tiny"
language = "sh"
licence = "MIT"
origin = "ours"
version = "1"
[run]
command = ["{script}", "{{database}}"]
environment = {{ FAULT = "{fault}" }}
[jobs]
left = "select count(*) from queue"
[serves]
cases = ["jobs"]
"""
AMOUNTS = jobs.Amounts(20, 300, 0.1)


def queue(case, fault="", change=("", "")):
    """A contestant whose queue is tiny_jobs.sh."""
    directory = tempfile.TemporaryDirectory()
    case.addCleanup(directory.cleanup)
    path = Path(directory.name) / "tiny/peer.toml"
    path.parent.mkdir()
    script = Path(__file__).resolve().parent / "tiny_jobs.sh"
    path.write_text(MANIFEST.format(script=script, fault=fault).replace(*change))
    return manifest.read(path).contestants[0]


def figures(per_second, cpu_us):
    """Returns figures of one contestant in one round."""
    work = jobs.figures(1000, 1000 / per_second, cpu_us * 5e5, cpu_us * 5e5, 2000)
    return {"single": work, "batch": work, "work": work, "idle": jobs.figures(0, 10, 0, 0, 5)}


class Figures(unittest.TestCase):
    def test_figures_are_by_job_and_by_second_without_jobs(self):
        found = jobs.figures(1000, 2.0, 3_000_000, 5_000_000, 4000)
        self.assertEqual(found, {"seconds": 2.0, "per_second": 500.0, "worker_cpu_us": 3.0,
                                 "postgres_cpu_us": 5.0, "cpu_us": 8.0, "statements": 4.0})
        idle = jobs.figures(0, 10.0, 1_000_000, 0, 5)
        self.assertEqual((idle["statements"], idle["cpu_us"]), (0.5, 100.0))
        self.assertNotIn("per_second", idle)

    def test_ratios_are_formed_within_a_round(self):
        rounds = [{"eider-jobs": figures(100, 10), "other": figures(50, 20)},
                  {"eider-jobs": figures(10, 100), "other": figures(5, 200)},
                  {"eider-jobs": figures(1, 1)}]
        found = jobs_command.ratios(rounds, "eider-jobs", "other")
        self.assertEqual(found["work", "per_second"], [2.0, 2.0])
        self.assertEqual(found["work", "cpu_us"], [0.5, 0.5])
        self.assertEqual(jobs_command.ratios(rounds[2:], "eider-jobs", "other"), {})

    def test_transactional_queues_are_compared_with_each_other(self):
        def one(name, peer):
            return SimpleNamespace(name=name, title=name, peer=SimpleNamespace(name=peer))
        contestants = [one("eider-jobs", "eider-jobs"), one("eider-jobs-tx", "eider-jobs"),
                       one("river", "river"), one("river-tx", "river")]
        rounds = [{"eider-jobs": figures(200, 10), "eider-jobs-tx": figures(100, 20),
                   "river": figures(100, 20), "river-tx": figures(25, 80)}]
        told = jobs_command.ratio_table(rounds, contestants)
        self.assertEqual(len(told), 3)
        self.assertRegex(told[1], r"^Eider / river +2\.00 +0\.50")
        self.assertRegex(told[2], r"^Eider / river-tx +4\.00 +0\.25")
        self.assertEqual(len(jobs_command.table(rounds, contestants)), 5)


class Manifests(unittest.TestCase):
    def test_a_queue_needs_a_database_and_a_query_and_serves_nothing_else(self):
        self.assertTrue(queue(self).peer.is_job_queue)
        for change, told in ((('"{database}"', '"-"'),
                              "[run] command: has no {database}"),
                             (('"{database}"', '"{database}", "{port}"'), "{port} is not known"),
                             (('["jobs"]', '["jobs", "plaintext"]'), "[jobs]: goes with"),
                             (("[jobs]\nleft", "[find]\nheader"), "[jobs]: goes with"),
                             (("left =", "right ="), "[jobs] right: is not known")):
            with self.assertRaises(manifest.ManifestError) as raised:
                queue(self, change=change)
            self.assertIn(told, str(raised.exception))

    def test_queues_take_part_in_no_other_run(self):
        peers, faults = manifest.read_all()
        self.assertEqual(faults, [])
        queues = {peer.name for peer in peers if peer.is_job_queue}
        self.assertLessEqual({"eider-jobs", "graphile-worker", "pg-boss", "river"}, queues)
        self.assertFalse(queues & set(choosing.default_names(peers, is_quick=False)))


@unittest.skipUnless(shutil.which("psql"), "PostgreSQL is not installed")
class Queues(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = jobs.server().__enter__()
        cls.addClassCleanup(cls.database.__exit__)
        jobs.prepare(cls.database)

    def test_a_queue_is_measured_while_it_enqueues_works_and_waits(self):
        with mock.patch.object(jobs, "_SETTLE_SECONDS", 0):
            found = jobs.measure(self.database, queue(self), AMOUNTS)
        self.assertEqual(set(found), {"single", "batch", "work", "idle"})
        for phase, count in ("single", 20), ("batch", 300), ("work", 320):
            self.assertEqual(found[phase]["statements"] * count, 1, phase)
            self.assertIn("postgres_cpu_us", found[phase])
        self.assertEqual(found["idle"]["statements"], 0)

    def test_a_queue_that_loses_a_job_or_ends_is_not_measured(self):
        for fault, told in (("lose", r"ran .*319\|"), ("end", "instead of saying done: no more w")):
            with self.assertRaisesRegex(jobs.JobsFailed, told):
                jobs.measure(self.database, queue(self, fault), AMOUNTS)

    def test_a_queue_that_fails_does_not_stop_the_others(self):
        good, bad = queue(self), queue(self, "end")
        object.__setattr__(bad, "name", "bad")
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "rounds.json"
            options = SimpleNamespace(rounds=2, singles=5, jobs=10, idle=0, json=str(path))
            with contextlib.redirect_stderr(io.StringIO()) as said, \
                    mock.patch.object(jobs, "_SETTLE_SECONDS", 0):
                rounds, out = jobs_command.measure(self.database, [bad, good], options)
            self.assertEqual(json.loads(path.read_text())["rounds"], rounds)
        self.assertEqual([set(one) for one in rounds], [{"tiny"}, {"tiny"}])
        self.assertEqual(out, {"bad"})
        self.assertIn("bad is measured no more: ended", said.getvalue())


if __name__ == "__main__":
    unittest.main()

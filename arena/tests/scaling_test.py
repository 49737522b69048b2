"""./arena/run scaling: placement on cores, figures, errors, and the time limit.

Must not need wrk or Eider, or test speed.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import core_support
from cli import main
from load import scaling

SERVER = f"{sys.executable} -I -S {core_support.TINY} {{port}} right"


def scaled(case, *words, cores=None):
    """Returns (status, output, errors) of the command."""
    core_support.with_fake_wrk(case)
    out, errors = io.StringIO(), io.StringIO()
    usable = cores or sorted(os.sched_getaffinity(0))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors), \
            mock.patch.object(sys, "argv", ["run", "scaling", *words]), \
            mock.patch.object(scaling, "usable_cores", lambda: usable):
        status = main.main()
    return status, out.getvalue(), errors.getvalue()


class Figures(unittest.TestCase):
    def test_threads_double_up_to_the_number_of_cores(self):
        self.assertEqual(scaling.thread_counts(1), [1])
        self.assertEqual(scaling.thread_counts(2), [1, 2])
        self.assertEqual(scaling.thread_counts(12), [1, 2, 4, 8, 12])
        self.assertEqual(scaling.thread_counts(256), [1, 2, 4, 8, 16, 32, 64, 128])
        self.assertEqual(scaling.thread_counts(64, most=4), [1, 2, 4])

    def test_the_load_has_the_cores_that_the_server_leaves(self):
        self.assertEqual(scaling.place(1, [3, 5, 7]),
                         scaling.Placing(1, (3,), (5, 7), False))
        self.assertEqual(scaling.place(3, [3, 5, 7]),
                         scaling.Placing(3, (3, 5, 7), (3, 5, 7), True))

    def test_shares_are_those_of_the_busiest_threads(self):
        before = {"main": 5, "a": 100, "b": 100}
        after = {"main": 6, "a": 400, "b": 200, "new": 0}
        self.assertEqual(scaling.shares(before, after, 2), (0.5, 1.5))
        self.assertEqual(scaling.shares({}, {"a": 4}, 2), (0.0, 2.0))
        self.assertEqual(scaling.shares({}, {}, 2), (0.0, 0.0))

    def test_the_serial_share_is_that_of_amdahls_law(self):
        self.assertAlmostEqual(scaling.serial_share(4, 4), 0)
        self.assertAlmostEqual(scaling.serial_share(1, 4), 1)
        self.assertAlmostEqual(scaling.serial_share(1 / (0.1 + 0.9 / 8), 8), 0.1)


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two cores")
class Command(unittest.TestCase):
    def test_each_number_of_threads_has_a_row_and_its_samples(self):
        cores = sorted(os.sched_getaffinity(0))[:2]
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "samples.json"
            status, out, _ = scaled(self, "--server", SERVER, "--rounds", "2", "--seconds", "1",
                                    "--json", str(path), cores=cores)
            samples = json.loads(path.read_text())["samples"]
        self.assertEqual(status, 0)
        self.assertEqual([(one["round"], one["threads"]) for one in samples],
                         [(0, 1), (0, 2), (1, 1), (1, 2)])
        rows = out.splitlines()[2:]
        self.assertRegex(rows[0], r"^1 +1 +1,000 +±0% +1\.00 +- ")
        self.assertRegex(rows[1], r"^2 +2 +1,000 +±0% +- +- .*server and load share all cores$")

    def test_the_time_limit_ends_it_with_what_was_measured(self):
        status, out, errors = scaled(self, "--server", SERVER, "--minutes", "0.01", "--seconds",
                                     "1", "--rounds", "100")
        self.assertEqual(status, 0)
        self.assertIn("stopped after 0.01 minutes", errors)
        self.assertIn("1,000", out)


class Refusals(unittest.TestCase):
    def test_one_core_is_not_enough(self):
        status, _, errors = scaled(self, "--server", SERVER, cores=[0])
        self.assertEqual(status, 2)
        self.assertIn("needs at least 2 cores; this process can use 1", errors)

    def test_a_server_that_is_not_built_is_named_with_its_command(self):
        with mock.patch.dict(os.environ, {"EIDER_BIN": "/nowhere"}):
            status, _, errors = scaled(self, cores=[0, 1])
        self.assertEqual(status, 2)
        self.assertIn("/nowhere/arena_eider is not built: cmake", errors)

    def test_a_server_that_ends_is_reported(self):
        status, _, errors = scaled(self, "--server", "false", cores=[0, 1])
        self.assertEqual(status, 2)
        self.assertIn("ended at once", errors)


if __name__ == "__main__":
    unittest.main()

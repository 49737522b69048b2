"""An error of one contestant affects only its own row, and an interrupted run can be resumed."""

import tempfile
import unittest

import core_support
from core_support import carry_out, cell, folder, peer, planned
from load import resuming


def wrong_of(samples, name):
    """Returns the errors of a contestant, by round."""
    return [row["wrong"] for row in samples if row["contestant"] == name]


class Runner(unittest.TestCase):
    def setUp(self):
        core_support.with_fake_wrk(self)
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def run_peers(self, *peers, rounds=2, **cell_options):
        """Returns the samples of one cell."""
        the_plan = planned([cell(**cell_options)], peers, rounds)
        return carry_out(the_plan, folder(self.directory + "/results", the_plan.contestants()))

    def test_a_right_contestant_gets_all_figures(self):
        samples = self.run_peers(peer(self.directory, "right", "right"))
        self.assertEqual([row["round"] for row in samples], [0, 1])
        for row in samples:
            self.assertEqual((row["wrong"], row["requests"], row["per_second"]), ("", 1000, 1000))
            self.assertEqual([round(row[name], 3) for name in ("p50_ms", "p99_ms", "max_ms")],
                             [0.7, 4, 12])
            self.assertGreater(row["cpu_us"], 0)
            self.assertGreater(row["rss_bytes"], row["pss_bytes"])

    def test_contestants_alternate_within_a_round(self):
        samples = self.run_peers(peer(self.directory, "a", "right"),
                                 peer(self.directory, "b", "right"))
        self.assertEqual([row["contestant"] for row in samples], ["a", "b", "a", "b"])

    def test_what_goes_wrong_under_load_is_named_and_spoils_one_row(self):
        # One response before the load, so that the error begins during it.
        cases = {"byte": "differs", "header": "no date field", "close": "closes after the response",
                 "length": "differs", "dies": "the server ended in the middle (status 7"}
        peers = [peer(self.directory, mode, mode, "1") for mode in cases]
        samples = self.run_peers(*peers, peer(self.directory, "right", "right"), rounds=1)
        for mode, told in cases.items():
            with self.subTest(mode):
                self.assertIn(told, wrong_of(samples, mode)[0])
        self.assertEqual(wrong_of(samples, "right"), [""])

    def test_a_dead_one_is_not_started_again(self):
        samples = self.run_peers(peer(self.directory, "dies", "dies", "2"))
        self.assertEqual(len(set(wrong_of(samples, "dies"))), 1)

    def test_one_that_does_not_start_is_named(self):
        samples = self.run_peers(peer(self.directory, "absent", "right", "no number"),
                                 peer(self.directory, "right", "right"), rounds=1)
        self.assertIn("does not start: ended at once", wrong_of(samples, "absent")[0])
        self.assertEqual(wrong_of(samples, "right"), [""])

    def test_pipelined_answers_out_of_order_are_caught(self):
        samples = self.run_peers(peer(self.directory, "order", "order"), rounds=1, depth=4)
        self.assertIn("differs", wrong_of(samples, "order")[0])

    def test_an_interrupted_run_goes_on_with_whole_rounds(self):
        peers = [peer(self.directory, "a", "right"), peer(self.directory, "b", "right")]
        the_plan = planned([cell("one"), cell("two")], peers)
        results = folder(self.directory + "/results", the_plan.contestants())
        with self.assertRaises(KeyboardInterrupt):
            carry_out(the_plan, results, interrupt_at=4)  # in the middle of the second round
        self.assertEqual(len(results.samples()), 3)
        done = resuming.complete_rounds(results, the_plan)
        self.assertEqual(len(results.samples()), 2)
        samples = carry_out(the_plan, results, done=done)
        keys = [(row["cell"], row["round"], row["contestant"]) for row in samples]
        self.assertEqual(keys, [(cell_id, number, name) for cell_id in ("one", "two")
                                for number in (0, 1) for name in ("a", "b")])

    def test_a_run_of_another_machine_is_not_resumed(self):
        results = folder(self.directory + "/results")
        results.run["machine"] = {"cpu": "one"}
        from load.results import ResultsError  # pylint: disable=import-outside-toplevel
        with self.assertRaisesRegex(ResultsError, "another machine.*start a new run"):
            resuming.ensure_same_machine(results, {"cpu": "two"})


if __name__ == "__main__":
    unittest.main()

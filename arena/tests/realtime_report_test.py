"""Bounds that are ratios to a peer: checked within a round, skipped if the peer is missing.

Must not read a file: all cases are in tables.
"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from report import bounds, results, rows

CELL = {"metric": "cpu_us", "bound": {"eider-epoll": 1.0}, "bound_over": "nginx"}


def run_with(costs):
    """Returns Results of one cell: {contestant: [CPU per request of each round]}."""
    samples = [results.sample({"experiment": "e", "cell": "c", "contestant": name,
                               "round": number, "cpu_us": cost})
               for name, values in costs.items() for number, cost in enumerate(values)]
    return results.assemble(
        {"schema": 1, "contestants": [{"name": name, "title": name.title()} for name in costs],
         "experiments": [{"id": "e", "title": "E", "cells": [{"id": "c", "title": "C", **CELL}]}]},
        samples, [])


def table_of(found):
    """Returns the rows of the one cell."""
    return rows.table(found, found.experiments[0].cells[0], found.samples)


class OverAPeer(unittest.TestCase):
    def test_the_ratio_is_formed_within_a_round(self):
        found = run_with({"eider-epoll": [9, 18, 27], "nginx": [10, 20, 30]})
        self.assertEqual(bounds.unmet(found), (1, []))
        ours = [row for row in table_of(found).rows if row.name == "eider-epoll"][0]
        self.assertEqual((ours.bound, ours.texts["over"]), ("≤ 1.000× met", "0.900× ±0.0 %"))

    def test_what_costs_more_than_the_peer_is_missed(self):
        found = run_with({"eider-epoll": [11, 12], "nginx": [10, 10]})
        self.assertEqual(bounds.unmet(found)[1], ["E, C, Eider-Epoll (1.150×, bound 1.000×)"])

    def test_without_the_peer_nothing_is_asked(self):
        found = run_with({"eider-epoll": [11, 12], "other": [10, 10]})
        self.assertEqual(bounds.unmet(found), (0, []))
        self.assertEqual([row.bound for row in table_of(found).rows], ["", ""])

    def test_the_column_names_the_peer_and_no_floor_is_missed(self):
        found = run_with({"eider-epoll": [11], "nginx": [10]})
        self.assertIn(("over", "over Nginx"), table_of(found).columns)
        told = rows.cautions(found, found.experiments[0].cells[0], found.samples)
        self.assertFalse([line for line in told if "floor" in line])

    def test_without_a_peer_the_floor_stays_the_measure(self):
        found = run_with({"eider-epoll": [10], "floor-epoll": [10]})
        cell = found.experiments[0].cells[0]
        cell.bound_over = ()
        self.assertEqual(bounds.bounded_figure(found.samples, "eider-epoll", cell).median, 1.0)


class OverTheBestOfSeveral(unittest.TestCase):
    def setUp(self):
        before = dict(CELL)
        self.addCleanup(lambda: CELL.update(before))
        CELL["bound_over"] = ["nginx", "h2o"]

    def test_the_best_is_that_of_each_round(self):
        found = run_with({"eider-epoll": [9, 18], "nginx": [10, 40], "h2o": [30, 20]})
        ours = [row for row in table_of(found).rows if row.name == "eider-epoll"][0]
        self.assertEqual((ours.bound, ours.texts["over"]), ("≤ 1.000× met", "0.900× ±0.0 %"))
        self.assertIn(("over", "over the best of Nginx and H2O"), table_of(found).columns)

    def test_one_that_beats_us_is_enough(self):
        found = run_with({"eider-epoll": [11, 11], "nginx": [10, 10], "h2o": [30, 30]})
        self.assertEqual(bounds.unmet(found)[1], ["E, C, Eider-Epoll (1.100×, bound 1.000×)"])

    def test_those_that_are_absent_are_not_named(self):
        found = run_with({"eider-epoll": [9, 9], "h2o": [10, 10]})
        self.assertEqual(bounds.unmet(found), (1, []))
        self.assertIn(("over", "over H2O"), table_of(found).columns)

    def test_bytes_are_compared_as_bytes(self):
        CELL["metric"] = "bytes"
        found = run_with({"eider-epoll": [9], "nginx": [10], "h2o": [12]})
        for sample in found.samples:
            sample["rss_bytes"], sample["cpu_us"] = 1024 * sample["cpu_us"], None
        self.assertEqual(bounds.unmet(found), (1, []))
        ours = [row for row in table_of(found).rows if row.name == "eider-epoll"][0]
        self.assertEqual((ours.bound, ours.texts["over"]), ("≤ 1.000× met", "0.900×"))


if __name__ == "__main__":
    unittest.main()

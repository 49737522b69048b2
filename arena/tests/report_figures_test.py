"""The report's arithmetic: medians, spreads, ratios within a round, ranks, verdicts.

Must not read a file: all cases are in tables.
"""

import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from report import bounds, figures, metrics, results, rows, standing, wording

EIDER, PEER, FLOOR = "eider-epoll", "heron", "floor-epoll"


def sample(contestant, number, **values):
    """Returns one sample whose other fields are empty."""
    return results.sample({"experiment": "e", "cell": "c", "contestant": contestant,
                           "round": number, **values})


def series(contestant, field, values):
    """Returns one sample per round; a value None is a disqualified round."""
    return [sample(contestant, number, **{field: 1e9 if value is None else value},
                   wrong="" if value is not None else "body differs")
            for number, value in enumerate(values)]


def run_with(samples, cell=None, **run):
    """Returns Results of one cell."""
    names = dict.fromkeys(s["contestant"] for s in samples)
    return results.assemble(
        {"schema": 1, "contestants": [{"name": name, "title": name.title(),
                                       "is_floor": name.startswith("floor")} for name in names],
         "experiments": [{"id": "e", "title": "E", "cells": [{"id": "c", "title": "C",
                                                              **(cell or {})}]}], **run},
        samples, [])


class Figures(unittest.TestCase):
    """Medians and spreads."""

    def test_the_figure_of_some_values(self):
        cases = (
            ([], None),
            ([None, None], None),
            ([5.0], (5.0, None, 1)),
            ([4.0, None], (4.0, None, 1)),
            ([1.0, 3.0], (2.0, 25.0, 2)),
            ([1, 2, 3, 4, 5], (3, 100 / 3, 5)),
            ([2.0, 2.0, 2.0], (2.0, 0.0, 3)),
            ([0.0, 0.0], (0.0, None, 2)),
            ([-1.0, -3.0], (-2.0, 25.0, 2)),
        )
        for values, expected in cases:
            with self.subTest(values=values):
                found = figures.figure(values)
                if expected is None:
                    self.assertIsNone(found)
                    continue
                self.assertEqual((found.median, found.rounds), (expected[0], expected[2]))
                if expected[1] is None:
                    self.assertIsNone(found.spread_percent)
                else:
                    self.assertAlmostEqual(found.spread_percent, expected[1])

    def test_a_wrong_sample_is_never_used(self):
        found = figures.measured(series(EIDER, "cpu_us", [1, None, 3]), EIDER, "cpu_us")
        self.assertEqual((found.median, found.rounds), (2, 2))
        self.assertIsNone(figures.measured(series(EIDER, "cpu_us", [None] * 3), EIDER, "cpu_us"))

    def test_a_round_measured_again_counts_once(self):
        samples = [sample(EIDER, 0, cpu_us=9.0), sample(EIDER, 0, cpu_us=2.0)]
        self.assertEqual(figures.measured(samples, EIDER, "cpu_us"), figures.figure([2.0]))

    def test_a_ratio_is_formed_within_a_round(self):
        cases = (
            # eider's rounds, the floor's rounds, the median of the ratios
            ([2.0, 20.0], [1.0, 10.0], 2.0),
            ([2.0, None, 6.0], [1.0, 1.0, 2.0], 2.5),
            ([2.0, 4.0], [None, 1.0], 4.0),
            ([2.0, None], [None, 1.0], None),
            ([2.0], [0.0], None),
            ([2.0], [], None),
            ([], [1.0], None),
        )
        for over, under, expected in cases:
            with self.subTest(over=over, under=under):
                samples = series(EIDER, "cpu_us", over) + series(FLOOR, "cpu_us", under)
                found = figures.floor_ratio(samples, EIDER)
                self.assertEqual(found and found.median, expected)

    def test_apart_means_beyond_the_spread_of_both(self):
        cases = (
            ([1.0, 1.0], [1.1, 1.1], True),
            ([0.9, 1.3], [1.0, 1.4], False),
            ([1.0], [9.0], False),
            ([1.0, 1.0], [1.0, 1.0], False),
            ([0.0, 0.0], [9.0, 9.0], False),
        )
        for one, other, expected in cases:
            with self.subTest(one=one, other=other):
                pair = figures.figure(one), figures.figure(other)
                self.assertIs(figures.is_apart(*pair), expected)
                self.assertIs(figures.is_apart(*reversed(pair)), expected)

    def test_the_generator_is_the_bottleneck_below_nine_tenths(self):
        samples = [sample(EIDER, 0, cpu_us=2.0, per_second=300000.0),
                   sample(PEER, 0, cpu_us=2.0, per_second=490000.0),
                   sample(FLOOR, 0, cpu_us=2.0)]
        names = (EIDER, PEER, FLOOR)
        found = figures.waiting_for_load(samples, names, 1)
        self.assertEqual(list(found), [EIDER])
        self.assertAlmostEqual(found[EIDER], 0.6)
        self.assertEqual(figures.waiting_for_load(samples, names, 0), {})

    def test_disqualifications_are_counted_by_reason(self):
        samples = series(PEER, "cpu_us", [None, 1, None]) + series(EIDER, "cpu_us", [1])
        self.assertEqual(figures.disqualified(samples), [(PEER, 2, 3, {"body differs": 2})])

    def test_disturbed_samples_are_counted(self):
        samples = [sample(EIDER, 0, waited=value) for value in (0.05, 0.051, None, 0.9)]
        self.assertEqual(figures.disturbed_count(samples), 2)


class Standings(unittest.TestCase):
    """Rank and verdict."""

    def verdict(self, eider, peer, metric=metrics.CPU):
        """Returns (verdict, rank, of) of two series."""
        samples = series(EIDER, metric.field, eider) + series(PEER, metric.field, peer)
        found = standing.standing(samples, run_with(samples).contestants, metric)
        return found.verdict, found.rank, found.of

    def test_verdicts(self):
        cases = (
            ([1, 1], [2, 2], metrics.CPU, (standing.AHEAD, 1, 2)),
            ([1, 1], [2, 2], metrics.PER_SECOND, (standing.BEHIND, 2, 2)),
            ([2, 2], [1, 1], metrics.CPU, (standing.BEHIND, 2, 2)),
            ([1.0, 1.4], [1.1, 1.5], metrics.CPU, (standing.LEVEL, 1, 2)),
            ([1], [2], metrics.CPU, (standing.UNTOLD, 1, 2)),
            ([1, 1], [2, None], metrics.CPU, (standing.UNTOLD, 1, 2)),
            ([None, None], [1, 1], metrics.CPU, (standing.MISSING, 0, 1)),
            ([1, 1], [None, None], metrics.CPU, (standing.ALONE, 1, 1)),
            ([1, 1], [], metrics.CPU, (standing.ALONE, 1, 1)),
            ([], [], metrics.CPU, (standing.MISSING, 0, 0)),
        )
        for eider, peer, metric, expected in cases:
            with self.subTest(eider=eider, peer=peer, metric=metric.field):
                self.assertEqual(self.verdict(eider, peer, metric), expected)

    def test_one_round_is_never_a_victory(self):
        samples = series(EIDER, "cpu_us", [1]) + series(PEER, "cpu_us", [2])
        line = standing.summary_lines(run_with(samples, {"metric": "cpu_us"}))[0]
        self.assertIn("ahead in 0 of 1 cell, level within the spread in 0, behind in 0, "
                      "unknown because of too few rounds in 1.", line)

    def test_floors_have_no_rank(self):
        samples = series(EIDER, "cpu_us", [2, 2]) + series(FLOOR, "cpu_us", [1, 1]) \
            + series(PEER, "cpu_us", [3, 3])
        found = standing.standing(samples, run_with(samples).contestants, metrics.CPU)
        self.assertEqual((found.rank, found.of, found.verdict), (1, 2, standing.AHEAD))

    def test_the_better_backend_stands_for_eider(self):
        samples = series(EIDER, "cpu_us", [2, 2]) + series("eider-uring", "cpu_us", [1, 1]) \
            + series(PEER, "cpu_us", [3, 3])
        found = standing.standing(samples, run_with(samples).contestants, metrics.CPU)
        self.assertEqual((found.who, found.of), ("eider-uring", 2))

    def test_a_lost_cell_is_named_in_the_summary(self):
        samples = series(EIDER, "cpu_us", [2, 2]) + series(PEER, "cpu_us", [1, 1])
        own, cpu, p99 = standing.summary_lines(run_with(samples, {"metric": "cpu_us"}))
        self.assertIn("ahead in 0 of 1 cell,", own)
        self.assertIn("behind in 1 (E: C (2nd of 2, 2.000× Heron))", own)
        self.assertIn("behind in 1", cpu)
        self.assertEqual(p99, "p99 latency: nothing to compare.")

    def test_a_disqualified_eider_is_named_in_the_summary(self):
        samples = series(EIDER, "cpu_us", [None, None]) + series(PEER, "cpu_us", [1, 1])
        line = standing.summary_lines(run_with(samples, {"metric": "cpu_us"}))[0]
        self.assertIn("without a valid figure of its own in 1 (E: C)", line)

    def test_the_summary_of_nothing_has_three_lines(self):
        empty = results.assemble({"schema": 1}, [], [])
        self.assertEqual(len(standing.summary_lines(empty)), 3)


class Tables(unittest.TestCase):
    """The exact figures."""

    def test_bounds(self):
        cases = (
            # metric, title, eider's values, floor's values, bound, is met
            ("cpu_us", "C", "cpu_us", [1.03], [1.0], 1.03, True),
            ("cpu_us", "C", "cpu_us", [1.04], [1.0], 1.03, False),
            ("cpu_us", "C", "cpu_us", [1.0], [], 1.03, None),
            ("cpu_us", "C", "cpu_us", [None], [1.0], 1.03, None),
            ("bytes", "C", "pss_bytes", [300.0], [], 300, True),
            ("bytes", "C", "rss_bytes", [301.0], [], 300, False),
            ("seconds", "N=200 t=200 local C=4", "seconds", [40.7], [], 1.02, True),
            ("seconds", "N=200 t=200 local C=4", "seconds", [41.0], [], 1.02, False),
            ("seconds", "no parameters", "seconds", [41.0], [], 1.02, None),
        )
        for metric, title, field, eider, floor, bound, expected in cases:
            with self.subTest(metric=metric, eider=eider, floor=floor):
                samples = series(EIDER, field, eider) + series(FLOOR, field, floor)
                found = run_with(samples, {"metric": metric, "title": title,
                                           "bound": {EIDER: bound}})
                cell = found.experiments[0].cells[0]
                row = next(row for row in rows.table(found, cell, samples).rows
                           if row.name == EIDER)
                self.assertIs(row.is_met, expected)
                self.assertEqual("; not met: E" in bounds.lines(found)[0], expected is not True)

    def test_a_disqualified_contestant_stays_in_the_table(self):
        samples = series(EIDER, "cpu_us", [1, 1]) + series(PEER, "cpu_us", [None, None]) \
            + series("other", "cpu_us", [None, 1])
        found = run_with(samples)
        table = rows.table(found, found.experiments[0].cells[0], samples)
        self.assertEqual({row.name: row.mark for row in table.rows},
                         {EIDER: "", "other": "1 of 2 rounds disqualified",
                          PEER: "disqualified"})

    def test_columns_without_a_figure_are_left_out(self):
        samples = series(EIDER, "cpu_us", [1])
        found = run_with(samples)
        table = rows.table(found, found.experiments[0].cells[0], samples)
        self.assertEqual([key for key, _ in table.columns], ["cpu_us"])

    def test_a_missing_floor_is_said(self):
        samples = series(EIDER, "cpu_us", [1])
        found = run_with(samples)
        cautions = rows.cautions(found, found.experiments[0].cells[0], samples)
        self.assertTrue(any("floor was not measured" in text for text in cautions))

    def test_the_physical_limit(self):
        cases = (
            ("N=1000 t=0 local C=28", None, None),
            ("N=1000 t=0 VPN C=28", None, 104.0),
            ("N=1,000 t=200 local", None, 200.0),
            ("anything", 7.5, 7.5),
            ("anything", -1, None),
            ("anything", math.nan, None),
        )
        for title, given, expected in cases:
            with self.subTest(title=title, given=given):
                found = run_with([], {"metric": "seconds", "title": title,
                                      "limit_seconds": given})
                limit = metrics.limit_seconds(found.experiments[0].cells[0])
                self.assertEqual(limit, expected)


class Words(unittest.TestCase):
    """Formats of numbers."""

    def test_wording(self):
        cases = (
            (wording.plain, 0.03125, "0.0312"), (wording.plain, None, "–"),
            (wording.plain, 0.19, "0.190"),
            (wording.plain, 0, "0.00"), (wording.plain, 1234.5, "1,234"),
            (wording.short_count, 315000, "315k"), (wording.short_count, 0, "0"),
            (wording.milliseconds, 1250, "1.25 s"), (wording.seconds, 201.4, "3:21.4"),
            (wording.seconds, 59.99, "59.99 s"), (wording.seconds, 119.98, "2:00.0"),
            (wording.seconds, 59.999, "1:00.0"),
            (wording.size, 300, "300 B"), (wording.size, 2**20, "1.00 MiB"),
            (wording.size, -2048, "-2.00 KiB"), (wording.times, 15.12, "15.1×"),
            (wording.ordinal, 2, "2nd"), (wording.ordinal, 11, "11th"),
            (wording.ordinal, 113, "113th"), (wording.ordinal, 21, "21st"),
            (wording.joined, ["a", "b", "c"], "a, b and c"), (wording.joined, [], ""),
        )
        for function, value, expected in cases:
            with self.subTest(function=function.__name__, value=value):
                self.assertEqual(function(value), expected)


if __name__ == "__main__":
    unittest.main()

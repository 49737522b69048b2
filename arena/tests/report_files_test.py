"""Reading results folders, including invalid and incomplete ones, and their Markdown.

Must not need jinja2: the page has its own test.
"""

import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))
# pylint: disable=wrong-import-position
import make_report_data
from report import head, markdown, published, results, rows

HOSTILE = "<script>alert(1)</script> | `x` \n# [a](javascript:b) & *c* $d$"


def spread_over(value, evil):
    """Returns the value with every text in it replaced, except IDs and metrics."""
    if isinstance(value, dict):
        kept = ("id", "metric", "name", "experiment", "cell", "contestant", "case")
        return {key: item if key in kept else spread_over(item, evil)
                for key, item in value.items()}
    if isinstance(value, list):
        return [spread_over(item, evil) for item in value]
    return evil if isinstance(value, str) else value


def hostile_results():
    """Returns the synthetic run with malicious text in all texts."""
    run, samples = make_report_data.make(False, 1)
    for row in samples:
        row["wrong"] = row["wrong"] and HOSTILE
    return results.assemble(spread_over(run, HOSTILE), [results.sample(row) for row in samples],
                            [HOSTILE])


class Reading(unittest.TestCase):
    """run.json and samples.jsonl."""

    def test_the_synthetic_folder_is_what_its_seed_makes(self):
        made = make_report_data.files(False, make_report_data.SEED)
        for name, text in made.items():
            self.assertEqual((make_report_data.SMALL / name).read_text(), text,
                             "run arena/tests/make_report_data.py")

    def test_a_folder_without_results_says_what_is_missing(self):
        cases = (
            ({}, "run.json is missing"),
            ({"run.json": "{}"}, "samples.jsonl is missing"),
            ({"run.json": "{"}, "is not JSON"),
            ({"run.json": "[]", "samples.jsonl": ""}, "does not hold an object"),
            ({"run.json": '{"schema": 2}', "samples.jsonl": ""}, "schema 2"),
            ({"run.json": "{}", "samples.jsonl": ""}, "schema None"),
        )
        for files, expected in cases:
            with self.subTest(files=files), tempfile.TemporaryDirectory() as folder:
                for name, text in files.items():
                    (Path(folder) / name).write_text(text)
                with self.assertRaises(results.ReportFailed) as raised:
                    results.load(folder)
                self.assertIn(expected, str(raised.exception))

    def test_unreadable_lines_are_noted_and_not_used(self):
        whole = '{"experiment": "e", "cell": "c", "contestant": "x", "round": 1, "cpu_us": 2}'
        cases = (
            (whole + "\n" + whole[:30], 1, 1), ("", 0, 0), ("\n\n", 0, 0), ("[1]\nnull\n", 0, 2),
            (whole + "\n", 1, 0),
        )
        for text, samples, notes in cases:
            with self.subTest(text=text):
                found = results.read_samples(text)
                self.assertEqual((len(found[0]), len(found[1])), (samples, notes))

    def test_odd_numbers_are_no_figures(self):
        for odd in ("NaN", "Infinity", '"3"', "true", "null", "[]", "{}", "1e999"):
            with self.subTest(odd=odd):
                rows_read, _ = results.read_samples(f'{{"cpu_us": {odd}, "round": {odd}}}')
                self.assertIsNone(rows_read[0]["cpu_us"])
                self.assertEqual(rows_read[0]["round"], 0)

    def test_a_latency_of_zero_was_not_measured(self):
        row = results.sample({"p99_ms": 0, "cpu_us": -1.0, "seconds": 0.0, "errors": 0})
        self.assertEqual([row[name] for name in ("p99_ms", "cpu_us", "seconds", "errors")],
                         [None, None, None, 0])

    def test_what_run_json_does_not_name_is_shown_all_the_same(self):
        row = results.sample({"experiment": "new", "cell": "c", "contestant": "guest"})
        found = results.assemble({"schema": 1}, [row], [])
        self.assertEqual(found.contestants["guest"].title, "guest")
        self.assertEqual([cell.id for cell in found.experiments[0].cells], ["c"])

    def test_a_report_survives_every_field_being_gone_or_odd(self):
        run, samples = make_report_data.make(False, 1)
        for key in run:
            for odd in (None, 7, "text", [], {}, [None], {"a": None}):
                if key == "schema":
                    continue
                with self.subTest(key=key, odd=odd):
                    found = results.assemble({**run, key: odd},
                                             [results.sample(row) for row in samples], [])
                    self.assertIn("# Arena", markdown.text(found))


class Head(unittest.TestCase):
    """The text above the tables."""

    def test_the_head_says_what_is_unknown(self):
        facts = dict(head.facts(results.assemble({"schema": 1}, [], [])))
        self.assertIn("unknown", facts["Machine"])
        self.assertIn("not finished", facts["Measured"])

    def test_published_figures_find_their_contestant(self):
        names = ("bun", "vix.cpp", "cpp-httplib", "lithium", "go", "cpp-rest-sdk")
        found = results.assemble({"schema": 1, "contestants": [
            {"name": name} for name in names]}, [], [])
        cases = (
            ("Bun (one process)", "bun"), ("Vix.cpp 2.7.0", "vix.cpp"), ("httplib", "cpp-httplib"),
            ("lithium (64 threads)", "lithium"), ("Cpp-REST-SDK", "cpp-rest-sdk"),
            ("Gorilla", None), ("", None), ("nginx", None),
        )
        for who, expected in cases:
            with self.subTest(who=who):
                entry = {"who": who, "contestant": ""}
                self.assertEqual(published.find(found, entry), expected)

    def test_a_published_figure_stands_beside_the_same_figure_of_ours(self):
        sample = {"experiment": "e", "cell": "c", "round": 0}
        samples = [results.sample({**sample, "contestant": "bun", "cpu_us": 3.0, "p99_ms": 9.0,
                                   "per_second": 1000.0}),
                   results.sample({**sample, "contestant": "floor-epoll", "cpu_us": 2.0})]
        cases = (
            ("per_second", "54k", "", "1,000"), ("cpu_us", "2.9 µs", "", "3.00 µs"),
            ("cpu_us", "1.3", "over the epoll floor, elsewhere", "1.500×"),
            ("per_second", "9/s, p99 3 ms", "", "1,000, p99 9.00 ms"),
            ("seconds", "40", "", "not measured here"),
        )
        absent = ("cpu_us", "1.3", "over the epoll floor, elsewhere", "not measured here")
        for who, (metric, value, note, expected) in [*(("Bun", case) for case in cases),
                                                     ("Gorilla", absent)]:
            with self.subTest(who=who, metric=metric, value=value):
                entry = {"who": who, "value": value, "note": note}
                cell = {"id": "c", "metric": metric, "published": [entry]}
                found = results.assemble({"schema": 1, "experiments": [
                    {"id": "e", "cells": [cell]}]}, samples, [])
                self.assertEqual(published.rows(found, found.experiments[0])[0][4], expected)

    def test_reasons_for_leaving_out_stand_at_their_experiment(self):
        found = results.load(make_report_data.SMALL)
        self.assertEqual([[title for title, _ in rows.left_out(found, experiment)]
                          for experiment in found.experiments],
                         [["opal"], ["Amber (blocking)"], []])
        self.assertIn(("quartz", "it does not build", ""), head.left_out_everywhere(found))
        self.assertIn("idle/idle, birch: did not end on SIGTERM", found.notes)


class Markdown(unittest.TestCase):
    """report.md."""

    def test_hostile_text_is_never_markup(self):
        told = markdown.text(hostile_results())
        outside = re.sub(r"^```+sh\n.*?\n```+$", "", told, flags=re.MULTILINE | re.DOTALL)
        self.assertNotIn("<script", outside)
        self.assertNotIn("[a](", outside)
        for line in outside.splitlines():
            if line.startswith("|"):
                self.assertTrue(line.endswith("|"), line)
            self.assertFalse(line.startswith("# [a"), line)

    def test_a_command_cannot_end_its_block(self):
        self.assertEqual(markdown.code("a\n```\nb"), "````sh\na\n```\nb\n````")

    def test_every_row_of_a_table_has_its_columns(self):
        width = None
        for line in markdown.text(results.load(make_report_data.SMALL)).splitlines():
            if not line.startswith("|"):
                width = None
                continue
            columns = len(re.findall(r"(?<!\\)\|", line))
            width = width or columns
            self.assertEqual(columns, width, line)

    def test_synthetic_figures_are_marked(self):
        self.assertIn("Synthetic figures",
                      markdown.text(results.load(make_report_data.SMALL)))
        self.assertTrue(json.loads((make_report_data.SMALL / "run.json").read_text())["synthetic"])


if __name__ == "__main__":
    unittest.main()

"""HttpArena's profiles: the data, the checks of responses, the load, the weighted figure.

Must not need Eider or a peer; wrk is tested if it is installed.
"""

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]
# pylint: disable=wrong-import-position
import core_support
import tiny_profiles
from experiments import profiles as experiment
from experiments.model import Machine
from load import brotli, closed, plan, probe, profiles_dir, starting, wrk
from report import bounds, metrics, results, rows
from tiny_profiles import TinyProfiles
from verify import coded, profiles
from verify.framing import WrongAnswer

TWO_CORES = Machine((0,), (1,))
CELLS = {cell.id: cell for cell in experiment.experiment(TWO_CORES).cells}


class Data(unittest.TestCase):
    def test_files_are_as_large_as_the_rules_say_and_text_compresses_like_text(self):
        for name, size in profiles_dir.SIZES.items():
            found = profiles_dir.forms(name) if size < 100_000 else \
                {name: profiles_dir.content(name)}
            self.assertEqual(len(found[name]), size, name)
            for form in set(found) - {name}:
                self.assertTrue(0.18 < len(found[form]) / size < 0.40, form)
            self.assertEqual(len(found) == 1, size >= 100_000 or not profiles_dir.is_text(name))
        json.loads(profiles_dir.content("manifest.json"))

    def test_items_differ_and_have_the_members_of_the_rules(self):
        items = profiles_dir.items()
        self.assertEqual([item["id"] for item in items], list(range(1, 51)))
        self.assertEqual(set(items[0]), {"id", "name", "category", "price", "quantity", "active",
                                         "tags", "rating"})
        self.assertGreater(len({json.dumps(item | {"id": 0}) for item in items}), 45)

    def test_they_are_made_once_and_mended(self):
        few = {name: profiles_dir.SIZES[name] for name in ("reset.css", "thumb2.webp")}
        with tempfile.TemporaryDirectory() as parent, \
                mock.patch.object(profiles_dir, "SIZES", few):
            folder = profiles_dir.ensure(Path(parent) / "made")
            self.assertEqual(json.loads((folder / "dataset.json").read_bytes()),
                             profiles_dir.items())
            static = folder / "static"
            self.assertEqual({path.name for path in static.iterdir()},
                             {"reset.css", "reset.css.br", "reset.css.gz", "thumb2.webp"})
            before = (static / "reset.css").stat().st_mtime_ns
            profiles_dir.ensure(folder)
            self.assertEqual((static / "reset.css").stat().st_mtime_ns, before)
            for torn in ("reset.css.br", "reset.css.gz", "thumb2.webp"):
                whole = (static / torn).read_bytes()
                (static / torn).write_bytes(whole[:-5])
                profiles_dir.ensure(folder)
                self.assertEqual((static / torn).read_bytes(), whole, torn)


class Codings(unittest.TestCase):
    def test_brotli_comes_back_and_what_is_none_is_told(self):
        text = b"one and one and one" * 50
        made = brotli.compress(text, 5)
        self.assertLess(len(made), 60)
        self.assertEqual(brotli.decompress(made, len(text)), text)
        for wrong in (made[:-1], made + b"x", b"", b"\xff" * 9):
            with self.assertRaises(brotli.NotBrotli):
                brotli.decompress(wrong, len(text))
        with self.assertRaises(brotli.NotBrotli):
            brotli.decompress(made, len(text) - 1)

    def test_a_coding_is_one_that_was_asked_for_and_a_whole_one(self):
        def of(name):
            return {"content-encoding": [name]} if name else {}
        zipped, squeezed = gzip.compress(b"text"), brotli.compress(b"text", 1)
        for name, body, codings in (("", b"text", coded.PLAIN), ("", b"text", coded.EITHER),
                                    ("gzip", zipped, coded.EITHER), ("br", squeezed, ("br",))):
            self.assertEqual(coded.plain(of(name), body, codings), b"text")
        for name, body, codings in (
                ("gzip", zipped, coded.PLAIN), ("", b"text", coded.COMPRESSED),
                ("br", squeezed, ("", "gzip")), ("gzip", b"text", coded.EITHER),
                ("br", zipped, coded.EITHER), ("gzip", zipped[:-1], coded.EITHER),
                ("gzip", zipped + b"x", coded.EITHER), ("zstd", b"text", coded.EITHER)):
            with self.subTest(name, body=body), self.assertRaises(WrongAnswer):
                coded.plain(of(name), body, codings)


class Judges(unittest.TestCase):
    @staticmethod
    def found(count, multiplier):
        """Returns the required response."""
        return {"items": [item | {"total": item["price"] * item["quantity"] * multiplier}
                          for item in profiles_dir.items()[:count]], "count": count}

    def test_items_are_those_of_the_dataset_with_their_totals(self):
        judge, right = profiles.priced(3, 4), self.found(3, 4)
        judge(json.dumps(right).encode())
        judge(json.dumps(right, indent=3, sort_keys=True).encode())
        items = right["items"]
        wrong = [right | {"count": 4}, right | {"more": 1}, {"items": items}, items, {},
                 self.found(4, 4), self.found(2, 4) | {"count": 3}, self.found(3, 1),
                 {"items": "abc", "count": 3}]
        for name, value in (("total", float(items[0]["total"])), ("active", 1), ("tags", []),
                            ("price", str(items[0]["price"])), ("rating", {"score": 1})):
            wrong.append(right | {"items": [items[0] | {name: value}, *items[1:]]})
        for one in wrong:
            with self.subTest(one), self.assertRaises(WrongAnswer):
                judge(json.dumps(one).encode())
        with self.assertRaises(WrongAnswer):
            judge(json.dumps(right).encode()[:-1])


class Checks(unittest.TestCase):
    """Each cell's checks with a correct server, and with wrong ones."""

    def told(self, cell, mode):
        """Returns the error of a cell's first check, or ""."""
        peer = SimpleNamespace(data={"serves": {}}, headers=(), cases=())
        asks = probe.of(cell, SimpleNamespace(is_floor=False, peer=peer))
        with TinyProfiles(mode) as server:
            try:
                asks.check(server.port)
            except WrongAnswer as wrong:
                return str(wrong)
        return ""

    def hold(self, cell_id, modes):
        """The correct one passes, and each other one is reported."""
        self.assertEqual(self.told(CELLS[cell_id], "right"), "")
        for mode, words in modes.items():
            with self.subTest(mode):
                self.assertIn(words, self.told(CELLS[cell_id], mode))

    def test_json(self):
        self.hold("json", tiny_profiles.JSON_MODES)

    def test_compressed_json(self):
        self.hold("json-compressed", tiny_profiles.COMPRESSED_MODES)

    def test_uploads(self):
        self.hold("upload", tiny_profiles.UPLOAD_MODES)

    def test_static_files(self):
        self.hold("static", tiny_profiles.STATIC_MODES)
        sought = [one.title for one in CELLS["static"].ask.first]
        for name in profiles_dir.SIZES:
            self.assertEqual(sum(f"/static/{name}" in title for title in sought), 2, name)

    def test_what_is_first_asked_is_not_what_the_load_asks(self):
        for cell in (CELLS["json"], CELLS["json-compressed"]):
            asked = {one.path for one in cell.ask.mix}
            first = [one.request.split(b" ")[1].decode() for one in cell.ask.first]
            self.assertFalse(asked & {path for path in first if path != "/json/10?m=2"})


class Loads(unittest.TestCase):
    @staticmethod
    def script(mix, **more):
        """Returns (command line of wrk, its script)."""
        words = wrk.command(wrk.Load("/a", 2, 1, mix=mix, **more), 1, 1)
        return words, Path(words[words.index("-s") + 1]).read_text(encoding="ascii")

    def test_what_has_no_number_by_chance_is_made_once(self):
        plain, by_chance = wrk.Mixed(1, "/a"), wrk.Mixed(1, "/b{SEQ:1}")
        self.assertIn("init = function", self.script((plain,))[1])
        for mix in ((plain, by_chance), (wrk.Mixed(1, "/c", "POST", '{"d":{RAND:1:2}}'),)):
            self.assertNotIn("init = function", self.script(mix)[1])

    def test_bodies_say_what_they_are(self):
        large = wrk.Mixed(1, "/a", "POST", body_bytes=5)
        octets = "Content-Type: application/octet-stream"
        self.assertIn("application/json", " ".join(self.script((large,))[0]))
        words = self.script((large,), headers=(octets,))[0]
        self.assertEqual([word for word in words if "Content-Type" in word], [octets])

    @unittest.skipUnless(shutil.which("wrk"), "wrk is not installed")
    def test_wrk_asks_in_turn_and_says_how_many_bytes_came(self):
        mix = (wrk.Mixed(2, "/static/thumb1.webp"), wrk.Mixed(1, "/static/thumb2.webp"))
        with TinyProfiles() as server:
            words = wrk.command(wrk.Load("/static/thumb1.webp", 1, 1, mix=mix), server.port, 1)
            told = wrk.parse(subprocess.run(words, capture_output=True, text=True, check=True,
                                            timeout=30).stdout)
        self.assertEqual(told.errors, "")
        mean = (2 * 8192 + 6144) / 3
        self.assertTrue(mean < told.bytes_read / told.requests < mean + 250, told)

    @unittest.skipUnless(shutil.which("wrk"), "wrk is not installed")
    def test_wrk_sends_bodies_of_the_sizes_asked_for(self):
        seen = []
        def answer(handler):
            seen.append(len(handler.rfile.read(int(handler.headers["Content-Length"]))))
            handler._answer(b"1", "text/plain")  # pylint: disable=protected-access
        mix = tuple(wrk.Mixed(1, "/upload", "POST", body_bytes=size) for size in (7, 70_000))
        with mock.patch.object(tiny_profiles._Handler, "do_POST", answer), \
                TinyProfiles() as server:  # pylint: disable=protected-access
            words = wrk.command(wrk.Load("/upload", 1, 1, mix=mix), server.port, 1)
            subprocess.run(words, capture_output=True, check=True, timeout=30)
        self.assertEqual(sorted(seen[:2]) + sorted(seen[2:4]), [7, 70_000] * 2)


class Figures(unittest.TestCase):
    def measured(self, cell, bytes_read):
        """Returns the figures of a load of 10 requests at 50 µs."""
        report = wrk.Report(10, 10.0, bytes_read=bytes_read)
        cost = SimpleNamespace(report=report, cpu_us=50.0, waited=0.0, memory={"rss": 1, "pss": 1})
        one = SimpleNamespace(out="", check_first=lambda: None, probe=None, server=SimpleNamespace(
            port=1, ensure_alive=lambda: None))
        step, context = SimpleNamespace(cell=cell, seconds=1), SimpleNamespace(machine=TWO_CORES)
        with mock.patch.object(closed, "under_load", return_value=cost):
            return closed.measured(one, step, context, wrk)

    def test_few_bytes_outweigh_much_time_where_that_is_the_figure(self):
        found = self.measured(CELLS["json-compressed"], 20_480.0)
        self.assertEqual((found["answer_bytes"], found["weighed_us"]), (2048.0, 200.0))
        found = self.measured(CELLS["json"], 20_480.0)
        self.assertEqual((found["answer_bytes"], found.get("weighed_us")), (2048.0, None))
        self.assertIsNone(self.measured(CELLS["json-compressed"], None)["answer_bytes"])

    def test_the_report_decides_by_it_and_tells_the_bytes(self):
        def sample(who, **values):
            return results.sample({"experiment": "e", "cell": "c", "contestant": who, "round": 0,
                                   **values})
        samples = [sample("eider-epoll", cpu_us=60.0, answer_bytes=1000, weighed_us=57.2),
                   sample("axum", cpu_us=40.0, answer_bytes=1500, weighed_us=85.8)]
        run = results.assemble({"schema": 1, "experiments": [{"id": "e", "cells": [{
            "id": "c", "metric": CELLS["json-compressed"].metric, "bound": {"eider-epoll": 1.0},
            "bound_over": ["axum"]}]}]}, samples, [])
        cell = run.experiments[0].cells[0]
        self.assertIs(metrics.of_cell(cell, samples), metrics.WEIGHED)
        self.assertTrue(bounds.is_met(samples, "eider-epoll", cell))
        table = rows.table(run, cell, samples)
        self.assertEqual([row.name for row in table.rows], ["eider-epoll", "axum"])
        self.assertEqual(table.rows[0].texts["answer_bytes"], "1,000")
        self.assertIn(("answer_bytes", "bytes/response"), table.columns)
        self.assertAlmostEqual(bounds.peers_ratio(samples, "eider-epoll", cell).median, 2 / 3)


class Plans(unittest.TestCase):
    def test_the_cells_are_those_of_the_rules_and_bound_by_the_best(self):
        self.assertEqual(list(CELLS), ["json", "json-compressed", "upload", "static", "echo"])
        for cell in CELLS.values():
            self.assertEqual(set(cell.bound.values()), {1.0})
            self.assertIn("nginx", cell.bound_over)
        sizes = [one.body_bytes for one in CELLS["upload"].ask.mix]
        self.assertEqual(sizes, [512_000, 2_097_152, 10_485_760, 20_971_520])
        self.assertEqual(plan.seconds_of(CELLS["upload"], 1.0), 4)
        self.assertEqual(plan.seconds_of(CELLS["json"], 1.0), 1.0)

    def test_the_folder_is_told_by_word_and_environment_to_those_who_need_it(self):
        with tempfile.TemporaryDirectory() as parent:
            peer = core_support.peer(parent, "tiny", "right")
            peer.data["case"] = {"static": {"arguments": ["--profiles", "{profiles}"]}}
            with mock.patch.object(profiles_dir, "ensure", return_value=Path("/made")):
                words = starting.command(peer.contestants[0], CELLS["static"], 1, 1)
                told = {name: starting.manners(peer.contestants[0], cell).environment
                        for name, cell in CELLS.items()}
        self.assertEqual(words[-2:], ["--profiles", "/made"])
        self.assertEqual([name for name, one in told.items() if one.get("PROFILES_DIR") == "/made"],
                         ["json", "json-compressed", "static"])

    def test_a_field_of_the_request_goes_to_wrk(self):
        words = wrk.command(closed.load_of(CELLS["json-compressed"], 1), 1, 1)
        self.assertIn(profiles.BOTH_CODINGS, words)
        self.assertTrue(words[-1].endswith("/json/50?m=6"))
        self.assertEqual(CELLS["json"].ask.headers, ())


if __name__ == "__main__":
    unittest.main()

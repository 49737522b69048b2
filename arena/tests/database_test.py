"""Responses with data are compared with the tables, and each run has its own database.

Must not need Eider or a peer; PostgreSQL is tested if it is installed.
"""

import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]
# pylint: disable=wrong-import-position
import core_support
from experiments import database
from experiments.model import Machine
from load import generators, postgres, process, starting, taking_part, wrk
from load.server import ServerFailed
from verify import answers, rows
from verify.framing import WrongAnswer

TWO_CORES = Machine((0,), (1,))


def world(number):
    """Returns a row as it is stored."""
    return {"id": number, "randomNumber": postgres.number_of(number)}


def page(messages, quote='"'):
    """Returns the fortunes as a project may write them."""
    lines = "".join(f"<tr><td>{number}</td>\n <td>{text}</td></tr>" for number, text in messages)
    return ("<!DOCTYPE html>\n<html><head><title>Fortunes</title></head> <body><table>\n"
            f"<tr><th>id</th><th>message</th></tr>{lines}</table></body></html>\n").replace(
                '"', quote).encode()


class Judges(unittest.TestCase):
    def refuse(self, judge, found):
        """Expects that it is rejected."""
        body = found if isinstance(found, bytes) else json.dumps(found).encode()
        with self.assertRaises(WrongAnswer):
            judge(body)

    def test_a_world_is_two_numbers_as_they_are_stored(self):
        rows.judge_world(json.dumps(world(7)).encode())
        for wrong in (b"{", [], world(0), world(10_001), {"id": 7},
                      {**world(7), "randomNumber": 1}, {**world(7), "more": 1},
                      {"id": "7", "randomNumber": postgres.number_of(7)}):
            self.refuse(rows.judge_world, wrong)

    def test_worlds_are_as_many_as_were_asked_for_and_differ(self):
        judge = rows.worlds(20)
        judge(json.dumps([world(number) for number in range(1, 21)]).encode())
        for wrong in ([world(number) for number in range(1, 20)], [world(7)] * 20, world(7),
                      [{"id": 1, "randomNumber": 1}] * 20):
            self.refuse(judge, wrong)
        rows.worlds(1, is_stored=False)(b'[{"id": 3, "randomNumber": 9999}]')

    def test_fortunes_are_sorted_and_escaped_whatever_the_spelling(self):
        escaped = [text.replace("<", "&lt;").replace(">", "&gt;") for text in postgres.FORTUNES]
        all_of_them = sorted([*enumerate(escaped, 1),
                              (0, "Additional fortune added at request time.")],
                             key=lambda row: row[1].replace("&lt;", "<").encode())
        for quote in ('"', "&quot;", "&#34;", "&#x22;"):
            rows.judge_fortunes(page(all_of_them, quote))
        self.refuse(rows.judge_fortunes, page(sorted(all_of_them)))
        self.refuse(rows.judge_fortunes, page(all_of_them[:-1]))
        self.refuse(rows.judge_fortunes, page(all_of_them).replace(b"&lt;script", b"<script"))

    def test_items_are_those_of_the_range(self):
        judge = rows.items_between(1, 500, 2)
        items = [postgres.item_of(1), postgres.item_of(2)]
        judge(json.dumps({"items": items, "count": 2}).encode())
        flat, counted = {**items[0], "rating": 1}, {**items[0], "active": 1}
        for wrong in ({"items": items, "count": 3}, {"items": items[:1], "count": 1}, items,
                      {"items": [flat, items[1]], "count": 2},
                      {"items": [counted, items[1]], "count": 2}):
            self.refuse(judge, wrong)
        self.refuse(rows.items_between(400, 500, 1), {"items": items[:1], "count": 1})


class Loads(unittest.TestCase):
    def test_mixed_requests_are_asked_by_wrk_alone(self):
        load = wrk.Load("/crud", 4, 1, mix=(wrk.Mixed(1, "/a{RAND:1:9}", "PUT", '{"b":"c"}'),))
        with mock.patch.object(generators, "is_there", return_value=True):
            chosen, why = generators.choose(load, "wrk", "bombardier")
        self.assertIs(chosen, wrk)
        self.assertIn("bombardier", why)
        words = wrk.command(load, 1, 1)
        script = Path(words[words.index("-s") + 1]).read_text(encoding="ascii")
        self.assertIn(r'{1, "PUT", "/a{RAND:1:9}", "{\"b\":\"c\"}", 0}', script)
        self.assertIn(answers.JSON_TYPE, words)

    def test_every_cell_with_a_database_says_so(self):
        for made in (database.techempower(TWO_CORES), database.httparena(TWO_CORES)):
            for cell in made.cells:
                self.assertTrue(cell.has_database and "database" in cell.needs, cell.id)

    def test_without_postgres_the_cell_is_left_out_and_told(self):
        with tempfile.TemporaryDirectory() as directory:
            peer = core_support.peer(directory, "tiny", "right")
            results = core_support.folder(directory + "/results", peer.contestants)
            planned = core_support.planned([core_support.cell(has_database=True)], [peer], 1)
            with mock.patch.object(taking_part.postgres, "shared",
                                   side_effect=ServerFailed("not installed: setup postgres")):
                self.assertEqual(core_support.carry_out(planned, results), [])
            self.assertIn("setup postgres", results.run["left_out"][0]["why"])


@unittest.skipUnless(shutil.which("psql"), "PostgreSQL is not installed")
class OfTheRun(unittest.TestCase):
    def setUp(self):
        self.server = postgres.Postgres()
        self.server.__enter__()
        self.addCleanup(self.server.__exit__)

    def test_its_tables_are_as_the_judges_have_them_and_are_filled_anew(self):
        self.assertEqual(self.server.numbers_of([1, 77, 10_000]),
                         {number: postgres.number_of(number) for number in (1, 77, 10_000)})
        self.server.run(postgres.DATABASE, "update world set randomnumber = 0; "
                        "delete from items where id > 3")
        self.server.fill()
        self.assertEqual(self.server.numbers_of([77]), {77: postgres.number_of(77)})
        stored = self.server.run(postgres.DATABASE, "select json_build_object('id', id, 'name', "
                                 "name, 'category', category, 'price', price, 'quantity', "
                                 "quantity, 'active', active, 'tags', tags, 'rating', "
                                 "json_build_object('score', rating_score, 'count', rating_count)) "
                                 "from items where id in (1, 2, 99999, 100000) order by id")
        self.assertEqual([json.loads(row) for row in stored.splitlines()],
                         [postgres.item_of(number) for number in (1, 2, 99_999, 100_000)])

    def test_contestants_are_told_where_it_is_and_its_time_is_a_figure(self):
        core_support.with_fake_wrk(self)
        with tempfile.TemporaryDirectory() as directory:
            peer = core_support.peer(directory, "tiny", "right")
            cell = core_support.cell(has_database=True)
            peer.data["case"] = {"plaintext": {"arguments": ["{database}"]}}
            with mock.patch.object(postgres, "shared", return_value=self.server):
                self.assertIn(self.server.where, starting.command(peer.contestants[0], cell, 1, 1))
                self.assertEqual(starting.manners(peer.contestants[0], cell).environment,
                                 {"DATABASE": self.server.where, "DATABASE_CONNECTIONS": "8"})
                del peer.data["case"]
                planned = core_support.planned([cell], [peer], 1)
                samples = core_support.carry_out(planned, core_support.folder(
                    directory + "/results", peer.contestants))
        self.assertEqual([row["wrong"] for row in samples], [""])
        self.assertGreaterEqual(samples[0]["database_cpu_us"], 0)

    def test_it_ends_with_all_of_its_processes(self):
        pids = process.process_tree(self.server._process.pid)  # pylint: disable=protected-access
        self.server.__exit__()
        self.assertGreater(len(pids), 3)
        self.assertEqual([pid for pid in pids if Path(f"/proc/{pid}").exists()], [])


if __name__ == "__main__":
    unittest.main()

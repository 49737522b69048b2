"""A client counts only if its figures are true, and its cost is its own CPU time.

Must not need a peer or Eider: tiny clients replace them.
"""

import json
import socket
import sys
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]
# pylint: disable=wrong-import-position
import core_support
from experiments import client, model
from experiments.model import HELLO, Ask, Cell, Machine, both
from load import asking, clients, starting
from load.known_server import KnownServer, body_of
from load.outcome import GeneratorFailed
from load.server import Manners, Server
from peers import manifest

TINY = Path(__file__).resolve().parent / "tiny_client.py"
MANIFEST = """name = "{mode}"
title = "{mode}"
language = "Python"
licence = "MIT"
origin = "ours"
version = "1"
[client]
command = ["{python}", "-I", "-S", "{tiny}", "{mode}", "{{url}}", "{{connections}}",
           "{{seconds}}", "{{body_bytes}}"]
[serves]
cases = ["client"]
"""
CONNECTIONS = 3


def cell(body_bytes=0, method="GET"):
    """Returns a cell of few connections."""
    return Cell("one", "one", Ask("/plaintext", HELLO, method), ("client",), kind=model.CLIENT,
                connections=CONNECTIONS, message_bytes=body_bytes)


def told(requests=10, errors=0, seconds=1.0, ran_ms=10, more=0):
    """Returns a Told with `more` bytes in addition to those of the requests."""
    return asking.Told(requests, errors, 13 * requests + more, seconds, ran_ms * 1_000_000, 0,
                       2.0, {"rss": 2, "pss": 1})


class InFolder(unittest.TestCase):
    """A test with a folder for tiny clients."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def peer(self, mode):
        """Returns the Peer of a tiny client."""
        folder = Path(self.directory) / mode
        folder.mkdir(exist_ok=True)
        (folder / "peer.toml").write_text(MANIFEST.format(mode=mode, python=sys.executable,
                                                          tiny=TINY))
        return manifest.read(folder / "peer.toml")

    def run_modes(self, *modes, the_cell=None):
        """Returns the samples of these clients; the server is a tiny contestant."""
        def server(_cell, ports, _machine):
            port = ports.take()
            words = [sys.executable, "-I", "-S", str(core_support.TINY), str(port), "right"]
            return Server("loop", words, port, {0}, Manners(is_exit_clean=False))
        planned = core_support.planned([the_cell or cell()], map(self.peer, modes), rounds=2)
        with mock.patch.object(starting, "upstream_server", server):
            return core_support.carry_out(planned, core_support.folder(self.directory + "/results"))


class Measuring(InFolder):
    def test_a_right_client_gets_its_figures(self):
        samples = self.run_modes("right")
        self.assertEqual([(row["round"], row["wrong"]) for row in samples], [(0, ""), (1, "")])
        for row in samples:
            for name in ("cpu_us", "per_second", "requests", "rss_bytes", "pss_bytes"):
                self.assertGreater(row[name], 0, name)
            self.assertEqual(row["errors"], 0)

    def why_out(self, mode, the_cell):
        """Returns why this client is not measured, or ""."""
        context = SimpleNamespace(machine=Machine((0,), (0,)), prefixes={})
        one = clients.Client(self.peer(mode).contestants[0], SimpleNamespace(cell=the_cell),
                             context)
        one.check()
        return one.out

    def test_what_it_sends_must_be_the_body_that_is_asked_for(self):
        self.assertEqual(self.why_out("right", cell(100, "POST")), "")
        self.assertIn("it sends another body", self.why_out("other-body", cell(100, "POST")))
        self.assertIn("it requests 'POST", self.why_out("right", cell(100)))

    def test_what_is_not_true_or_not_asked_is_told_and_counts_for_nobody(self):
        cases = {"blind-to-bodies": "correct responses and",
                 "blind-to-statuses": "correct responses and",
                 "forgets-errors": "and 0 wrong", "boasts": "correct responses and 0 wrong",
                 "reconnects": f"connections, not {CONNECTIONS}",
                 "asks-elsewhere": "it requests 'GET /plaintext? HTTP/1.1'",
                 "babbles": "the client said: very many",
                 "dies": "ended with status 7: it is all too much"}
        samples = self.run_modes(*cases, "right")
        for mode, why in cases.items():
            with self.subTest(mode):
                found = [row["wrong"] for row in samples if row["contestant"] == mode]
                self.assertEqual(len(found), 2)
                self.assertIn(why, found[0])
        self.assertEqual([row["wrong"] for row in samples if row["contestant"] == "right"],
                         ["", ""])

    def test_one_that_ends_before_its_time_does_not_count(self):
        samples = self.run_modes("hurries")
        self.assertIn("it says that it took", samples[0]["wrong"])

    def test_all_modes_are_tried(self):
        import tiny_client  # pylint: disable=import-outside-toplevel
        text = Path(__file__).read_text(encoding="utf-8")
        self.assertEqual([mode for mode in tiny_client.MODES if f'"{mode}"' not in text], [])


class Figures(unittest.TestCase):
    def setUp(self):
        self.step = SimpleNamespace(cell=cell(), seconds=1.0)

    def test_what_start_and_end_take_is_taken_off(self):
        found = clients.figures(told(3, ran_ms=4), told(1003, ran_ms=14), self.step)
        self.assertEqual((found["cpu_us"], found["wrong"]), (10, ""))
        self.assertEqual(found["per_second"], 1003)

    def test_errors_bytes_and_times_that_cannot_be_are_told(self):
        cases = [(told(errors=1), "1 of its responses were wrong or missing"),
                 (told(more=1), "it counted 131 bytes in 10 responses"),
                 (told(seconds=0.5), "it took 0.5 s of 2 s"),
                 (told(seconds=2.5), "it took 2.5 s of 2 s"),
                 (told(3), "no response was counted")]
        for given, why in cases:
            with self.subTest(why):
                self.assertIn(why, clients.figures(told(3), given, self.step)["wrong"])


class Running(unittest.TestCase):
    def run_python(self, text, seconds=0, at_work=lambda: None):
        """Returns the Told of a program."""
        line = 'import json,time; print(json.dumps(dict(requests=1,errors=0,bytes=13,seconds=1)));'
        return asking.ask([sys.executable, "-I", "-S", "-c", line + text], {0}, seconds, at_work)

    def test_the_time_on_a_core_is_that_of_all_threads_and_sleep_is_none(self):
        burn = ("import threading\ndef burn():\n e=time.thread_time()+0.1\n"
                " while time.thread_time()<e: pass\n"
                "t=[threading.Thread(target=burn) for _ in range(2)]\n"
                "[x.start() for x in t]; [x.join() for x in t]")
        least = self.run_python("time.sleep(0.3)").ran_ns / 1e9
        self.assertLess(least, 0.3)
        spent = self.run_python("\n" + burn).ran_ns / 1e9
        self.assertGreater(spent, 0.2)
        self.assertLess(spent - least, 0.3)

    def test_memory_is_looked_at_while_it_works(self):
        looked = []
        found = self.run_python("time.sleep(0.3)", 0.2, lambda: looked.append(1))
        self.assertEqual((looked, found.memory["rss"] > 2**20), ([1], True))

    def test_one_that_does_not_end_is_ended(self):
        with mock.patch.object(asking, "_PATIENCE_SECONDS", 0.2):
            began = time.monotonic()
            with self.assertRaisesRegex(GeneratorFailed, "did not end within 0.2 s"):
                self.run_python("time.sleep(90)")
        self.assertLess(time.monotonic() - began, 60)


class Known(unittest.TestCase):
    def exchange(self, server, text):
        """Returns the response to these bytes on a new connection."""
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
            connection.sendall(text)
            return connection.recv(65536)

    def test_each_kind_of_lie_has_its_turn_and_is_counted(self):
        request = cell().ask.request()
        with KnownServer(cell(), lies_every=2) as server:
            answers = [self.exchange(server, request) for _ in range(6)]
        self.assertEqual((server.answered, server.lies, server.connections), (6, 3, 6))
        self.assertEqual((len(set(answers)), server.has_lied_in_all_ways), (4, True))
        self.assertTrue(all(text.endswith(b"\r\n\r\nHello, World!") for text in answers[::2]))

    def test_requests_cut_anywhere_are_answered_once(self):
        the_cell = cell(40, "POST")
        request = Ask("/plaintext", HELLO, "POST", body_of(the_cell)).request()
        with KnownServer(the_cell) as server:
            for cut in range(1, len(request), 7):
                with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
                    connection.sendall(request[:cut])
                    time.sleep(0.002)
                    connection.sendall(request[cut:])
                    self.assertTrue(connection.recv(65536).endswith(b"Hello, World!"))
        self.assertEqual(server.fault, "")

    def test_requests_that_are_not_owed_are_faults(self):
        request = cell().ask.request()
        cases = [(request + request, "or the next request before the response"),
                 (request.replace(b"GET", b"PUT"), "it requests 'PUT"),
                 (request.replace(b"1.1", b"1.0"), "HTTP/1.0'"),
                 (request.replace(b"Host:", b"Host"), "is not valid")]
        for text, why in cases:
            with self.subTest(why), KnownServer(cell()) as server:
                self.assertEqual(self.exchange(server, text), b"")
                self.assertIn(why, server.fault)

    def test_bodies_are_json_of_the_size_asked_for(self):
        for size in (11, 12, 1024):
            self.assertEqual(len(body_of(cell(size))), size)
            self.assertIn("text", json.loads(body_of(cell(size))))
        self.assertEqual(body_of(cell()), b"")


class Plans(unittest.TestCase):
    def test_each_cell_is_bounded_by_clients_that_are_there(self):
        peers, faults = manifest.read_all()
        self.assertEqual(faults, [])
        there = {one.name for peer in peers for one in peer.contestants if one.client}
        for one in client.experiment(Machine((0,), (1,))).cells:
            self.assertEqual(one.bound, both(1.0))
            self.assertLessEqual({*one.bound_over, *one.bound}, there)

    def test_a_client_alone_needs_no_server_and_a_server_no_client(self):
        peers = {peer.name: peer for peer in manifest.read_all()[0]}
        self.assertEqual(peers["libcurl"].contestants[0].command, ())
        self.assertEqual(peers["nginx"].contestants[0].client, ())
        self.assertEqual(peers["eider"].contestants[0].client[-2:], ("--backend", "epoll"))


class Manifests(InFolder):
    def test_each_fault_names_the_key_and_the_mend(self):
        right = MANIFEST.format(mode="tiny", python="p", tiny="t")
        folder = Path(self.directory) / "tiny"
        folder.mkdir()
        cases = [('"{url}", ', "", "[client] command: has no {url}"),
                 ("{seconds}", "{second}", "{second} is not known; did you mean seconds?"),
                 ('["client"]', '["client", "plaintext"]', "[run] command: is missing"),
                 ('["client"]', '["plaintext"]', "[run] command: is missing"),
                 ("[client]\ncommand", "[run]\ncommand", "[client]: goes with the case client"),
                 ("command", "commands", "did you mean command?")]
        for old, new, why in cases:
            with self.subTest(why), self.assertRaises(manifest.ManifestError) as caught:
                (folder / "peer.toml").write_text(right.replace(old, new, 1))
                manifest.read(folder / "peer.toml")
            self.assertIn(why, str(caught.exception))


if __name__ == "__main__":
    unittest.main()

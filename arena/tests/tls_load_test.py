"""Every generator uses the required TLS terms, and a handshake of the wrong kind is reported.

Must not test speed, and must not need a peer: the servers are threads of the test.
"""

import os
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
from cli import preparing
from experiments import model, tls
from experiments.model import HELLO, Ask, Cell, Machine
from load import (closed, generators, handshakes, idle, plan, probe, secured, starting, tls_terms,
                  wrk)
from load.outcome import GeneratorFailed
from load.server import ServerFailed
from peers import manifest
from tiny_tls import TinyTls
from verify.framing import WrongAnswer

TWO_CORES = Machine((0,), (1,))
CELLS = {cell.id: cell for cell in tls.experiment(TWO_CORES).cells}


def told_by(port, cell, *more):
    """Returns the Report of the cell's handshakes over a short time."""
    generator = handshakes.Generator(cell)
    line = generator.command(wrk.Load(cell.ask.path, 3, 1), port, 1)
    line[line.index("--seconds") + 1] = "0.3"
    ended = subprocess.run([*line, *more], capture_output=True, text=True, timeout=30, check=False)
    return generator.parse(ended.stdout + ended.stderr)


class Terms(unittest.TestCase):
    def test_the_certificate_is_of_the_curve_and_for_the_host(self):
        made = tls_terms.certificate()
        self.assertEqual(tls_terms.certificate(), made)
        told = subprocess.run(["openssl", "x509", "-in", made.cert, "-noout", "-text"],
                              capture_output=True, text=True, timeout=30, check=True).stdout
        for words in ("prime256v1", f"DNS:{wrk.HOST}", "ecdsa-with-SHA256"):
            self.assertIn(words, told)
        self.assertEqual(os.stat(made.key).st_mode & 0o077, 0)

    def test_without_openssl_the_cell_is_left_out_and_says_what_to_install(self):
        self.addCleanup(tls_terms.certificate.cache_clear)
        tls_terms.certificate.cache_clear()
        with tempfile.TemporaryDirectory() as parent:
            peer = core_support.peer(parent, "tiny", "right")
            planned = core_support.planned([core_support.cell(is_secure=True)], [peer])
            folder = core_support.folder(Path(parent) / "results", peer.contestants)
            with mock.patch.object(tls_terms.shutil, "which", return_value=None):
                self.assertEqual(core_support.carry_out(planned, folder), [])
        self.assertIn("apt-get install openssl", folder.run["left_out"][0]["why"])

    def test_what_openssl_refuses_is_told(self):
        self.addCleanup(tls_terms.certificate.cache_clear)
        tls_terms.certificate.cache_clear()
        with mock.patch.object(tls_terms, "HOST", "no/such=name,"), \
                self.assertRaisesRegex(ServerFailed, "openssl makes no certificate: "):
            tls_terms.certificate()

    def test_clients_offer_one_suite(self):
        with TinyTls(tls_terms.certificate()) as server:
            told = told_by(server.port, CELLS["new"], "--suite", "TLS_AES_256_GCM_SHA384")
        self.assertEqual(told.requests, 0)
        self.assertRegex(told.errors, f"the suite is {tls_terms.SUITE}$")


class Handshakes(unittest.TestCase):
    def test_each_is_of_the_kind_asked_for(self):
        for kind in ("new", "resumed"):
            with self.subTest(kind), TinyTls(tls_terms.certificate()) as server:
                told = told_by(server.port, CELLS[kind])
                self.assertEqual((told.errors, told.error_count), ("", 0))
                self.assertGreater(told.requests, 0)  # the number depends on the machine
                self.assertGreater(told.p99_ms, 0)
                first = 3 if kind == "resumed" else 0  # each client's first is not counted
                self.assertEqual(server.handshakes.count(kind == "resumed"), told.requests)
                self.assertEqual(len(server.handshakes), told.requests + first)

    def test_a_session_that_is_not_resumed_is_an_error(self):
        with TinyTls(tls_terms.certificate(), "no-tickets") as server:
            self.assertEqual(told_by(server.port, CELLS["new"]).errors, "")
            told = told_by(server.port, CELLS["resumed"])
        self.assertEqual(told.requests, 0)
        self.assertIn("a full handshake, not a resumed one", told.errors)

    def test_a_wrong_answer_is_named(self):
        for mode, why in (("byte", "the body is b'Hello, World?'"), ("cut", "the body is"),
                          ("status", "the status line is b'HTTP/1.1 503 Busy'"),
                          ("endless", "the response does not end")):
            with self.subTest(mode), TinyTls(tls_terms.certificate(), mode) as server:
                told = told_by(server.port, CELLS["new"])
                self.assertEqual(told.requests, 0)
                self.assertIn(why, told.errors)

    def test_where_nobody_listens_it_ends_and_says_so(self):
        with TinyTls(tls_terms.certificate()) as server:
            port = server.port
        self.assertIn("refused", told_by(port, CELLS["resumed"]).errors)

    def test_what_is_no_report_is_handed_on_as_it_was_said(self):
        for text in ("usage: handshaker.py", "{}", '{"requests": 1}', ""):
            with self.subTest(text), self.assertRaisesRegex(GeneratorFailed, "handshaker said: "):
                handshakes.Generator(CELLS["new"]).parse(text)


class Asking(unittest.TestCase):
    def test_only_wrk_with_its_suite_asks_over_tls(self):
        load = wrk.Load("/plaintext", 64, 1, is_secure=True)
        for asked in (None, "oha", "h2load", "eider_bench"):
            chosen, why = generators.choose(load, "wrk", asked)
            line = chosen.command(load, 7, 1)
            self.assertEqual((line[0], line[2], why), ("env", "wrk", ""))
            self.assertEqual(line[1], f"OPENSSL_CONF={tls_terms.CLIENT_CONFIGURATION}")
            self.assertEqual(line[-1], "https://127.0.0.1:7/plaintext")

    def test_probes_ask_over_tls_too(self):
        peer = SimpleNamespace(data={"serves": {}}, headers=("date", "server"), cases=())
        who = SimpleNamespace(is_floor=False, peer=peer)
        with TinyTls(tls_terms.certificate()) as server:
            for cell_id in ("keep", "new"):
                probe.of(CELLS[cell_id], who).check(server.port)
        self.assertEqual(len(server.handshakes), 2)

    def test_idle_connections_are_encrypted(self):
        cell = CELLS["idle"]
        with TinyTls(tls_terms.certificate()) as server, \
                mock.patch.object(idle, "WARM_CONNECTIONS", 3):
            grown = idle.bytes_per_connection(server, idle.opener(cell.ask.request()), 8,
                                              probe.via(cell))
        self.assertEqual((grown, len(server.handshakes)), (1024, 11))

    def test_idle_connections_that_are_ended_meanwhile_are_noticed(self):
        with TinyTls(tls_terms.certificate()) as server, \
                mock.patch.object(idle, "WARM_CONNECTIONS", 3), \
                self.assertRaisesRegex(WrongAnswer, "11 of 11 idle connections were closed"):
            idle.bytes_per_connection(server, _used_and_ended, 8, probe.via(CELLS["idle"]))


def _used_and_ended(connection):
    """Sends the request and reads the server's response until the end."""
    connection.sendall(CELLS["new"].ask.request())
    while connection.recv(4096):
        pass


class Starting(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.peer = core_support.peer(directory.name, "tiny", "right")
        self.peer.data["case"] = {"tls": {"arguments": ["--tls-port", "{tls_port}", "--cert",
                                                        "{cert}", "--key", "{key}"]}}
        self.who = self.peer.contestants[0]

    def test_ports_and_certificate_are_told_by_word_and_environment(self):
        made = tls_terms.certificate()
        words = starting.command(self.who, CELLS["keep"], 8443, 1, beside=8080)
        self.assertIn("8080", words)
        self.assertEqual(words[-6:], ["--tls-port", "8443", "--cert", made.cert, "--key", made.key])
        told = starting.manners(self.who, CELLS["keep"], 8443).environment
        self.assertEqual(told, {"TLS_PORT": "8443", "TLS_CERT": made.cert, "TLS_KEY": made.key})

    def test_in_the_clear_nothing_of_it_is_told(self):
        words = starting.command(self.who, core_support.cell(), 8080, 1)
        self.assertEqual(words[-2:], ["8080", "right"])
        self.assertEqual(starting.manners(self.who, core_support.cell()).environment, {})

    def test_the_server_is_awaited_and_asked_where_it_speaks_tls(self):
        ports = SimpleNamespace(take=iter((8443, 8080)).__next__)
        server = starting.server(self.who, CELLS["keep"], ports, TWO_CORES)
        self.assertEqual(server.port, 8443)
        self.assertIn("8080", server.command)


class Plans(unittest.TestCase):
    def test_all_cells_that_were_asked_for_are_there_and_bounded_by_nginx(self):
        self.assertEqual(list(CELLS), ["keep", "new", "resumed", "b1m", "echo", "idle"])
        for cell in CELLS.values():
            self.assertTrue(cell.is_secure and "tls" in cell.needs)
            self.assertEqual(cell.bound, model.both(1.0))
            self.assertEqual("nginx" in cell.bound_over, cell.id != "echo")

    @unittest.skipUnless(shutil.which("wrk"), "wrk is not installed")
    def test_an_echo_is_compared_with_what_was_sent(self):
        cell = CELLS["echo"]
        self.assertEqual(len(cell.ask.body), 10240)
        for mode, words in (("echo", ""), ("right", "the first has a body of 13 bytes")):
            with self.subTest(mode), TinyTls(tls_terms.certificate(), mode) as server:
                load = closed.load_of(cell, 1)
                words_of_load = secured.command(load, server.port, 1)
                told = secured.parse(subprocess.run(words_of_load, capture_output=True, text=True,
                                                    timeout=30, check=True).stdout)
                self.assertIn(words, told.errors)
                self.assertEqual(bool(told.errors), mode == "right")
                self.assertGreater(told.requests, 0)

    def test_commands_shown_hold_no_path_of_this_machine(self):
        for cell in CELLS.values():
            step = plan.Step(SimpleNamespace(id="tls", generator="wrk"), cell, [], 1, 1.0)
            told = preparing._command(step, TWO_CORES, None)  # pylint: disable=W0212
            self.assertNotIn(str(manifest.ROOT), told)
            self.assertIn(cell.ask.path, told)

    def test_handshakes_take_time_in_the_plan(self):
        sealed = plan.Step(None, CELLS["idle"], [1], 1, 1.0).estimate_seconds()
        clear = plan.Step(None, Cell("c", "C", Ask("/", HELLO), (), kind=model.IDLE,
                                     connections=8000), [1], 1, 1.0).estimate_seconds()
        self.assertGreater(sealed, clear + 5)


if __name__ == "__main__":
    unittest.main()

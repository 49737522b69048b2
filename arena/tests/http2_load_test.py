"""The options of h2load with HTTP/2, and that every error in its output is detected.

Must not test speed, and must not need h2load or a peer.
"""

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
from experiments import http2, model
from experiments.model import Machine
from load import multiplexed, plan
from load.outcome import GeneratorFailed
from load.wrk import Load
from peers import manifest

TWO_CORES = Machine((0,), (1,))
CELLS = {cell.id: cell for cell in http2.experiment(TWO_CORES).cells}
CLEAR = """Application protocol: h2c
finished in 1.00s, 1000.00 req/s, 10KB/s
requests: 1000 total, 1000 started, 1000 done, 1000 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 1000 2xx, 0 3xx, 0 4xx, 0 5xx
traffic: 20.00KB (20480) total, 4.00KB (4096) headers (space savings 91.56%), 12.70KB (13000) data
                     min         max         mean         sd        +/- sd
time for request:    10.00ms     54.00ms     32.00ms      8.15ms    68.69%
"""
SEALED = CLEAR.replace("Application protocol: h2c", "TLS Protocol: TLSv1.3\nCipher: "
                       "TLS_AES_128_GCM_SHA256\nServer Temp Key: X25519 253 bits\n"
                       "Application protocol: h2")


def read(text, cell_id="s100c1"):
    """Returns the Report of this output."""
    return multiplexed.Generator(CELLS[cell_id]).parse(text)


class Matrix(unittest.TestCase):
    def test_all_cells_that_were_asked_for_are_there(self):
        self.assertEqual({cell_id: (cell.streams, cell.connections, cell.needs)
                          for cell_id, cell in CELLS.items()}, {
            "s1c1": (1, 1, ("http2",)), "s1c100": (1, 100, ("http2",)),
            "s100c1": (100, 1, ("http2",)), "s100c100": (100, 100, ("http2",)),
            "tls-s10c100": (10, 100, ("http2-tls",))})
        for cell in CELLS.values():
            self.assertEqual((cell.bound, cell.bound_over),
                             (model.both(1.0), ("nginx", "h2o", "nghttpd")))

    def test_the_rivals_serve_every_cell(self):
        peers, _ = manifest.read_all()
        there = {peer.name: peer.cases for peer in peers}
        for name in ("eider", "nginx", "h2o", "nghttpd"):
            self.assertLess({"http2", "http2-tls"}, {*there[name], "plaintext"}, name)

    def test_what_serves_nothing_but_http2_is_in_no_other_experiment(self):
        peers, _ = manifest.read_all()
        alone = [one for peer in peers if peer.name == "nghttpd" for one in peer.contestants]
        from experiments.catalogue import all_experiments  # pylint: disable=C0415
        planned = plan.make(all_experiments(TWO_CORES), alone, 1, 1.0)
        self.assertEqual({step.experiment.id for step in planned.steps}, {"http2"})


class Commands(unittest.TestCase):
    def test_streams_and_connections_are_told(self):
        for cell in CELLS.values():
            load = Load("/plaintext", cell.connections, 3)
            line = multiplexed.Generator(cell).command(load, 7, 2)
            for word in (f"-m{cell.streams}", f"-c{cell.connections}",
                         f"-t{min(2, cell.connections)}", ":authority: arena.example"):
                self.assertIn(word, line)
            self.assertNotIn("--h1", line)

    def test_each_is_asked_as_much_as_takes_it_the_time_of_a_measurement(self):
        def count(generator, port, seconds=3):
            line = generator.command(Load("/plaintext", 1, seconds), port, 1)
            return next(int(word[2:]) for word in line if word.startswith("-n"))
        generator = multiplexed.Generator(CELLS["s100c1"])
        self.assertEqual(count(generator, 7), 20000)
        generator.parse(CLEAR)  # 1,000 a second
        self.assertEqual((count(generator, 7), count(generator, 8)), (3000, 20000))
        generator.parse(CLEAR.replace("1000.00 req/s", "9000.00 req/s"))
        self.assertEqual((count(generator, 7), count(generator, 8)), (3000, 27000))
        generator.parse(CLEAR.replace("1000.00 req/s", "3.00 req/s"))
        self.assertEqual(count(generator, 8, 1), 100)  # one per stream

    def test_over_tls_the_suite_is_that_of_all(self):
        line = multiplexed.Generator(CELLS["tls-s10c100"]).command(Load("/plaintext", 100, 3), 7, 1)
        self.assertEqual(line[-2:], ["--tls13-ciphers=TLS_AES_128_GCM_SHA256",
                                     "https://127.0.0.1:7/plaintext"])

    def test_the_command_shown_needs_no_generator(self):
        for cell in CELLS.values():
            step = plan.Step(SimpleNamespace(id="http2", generator="h2load"), cell, [], 1, 1.0)
            told = preparing._command(step, TWO_CORES, None)  # pylint: disable=W0212
            self.assertRegex(told, f"^h2load .*-m{cell.streams} .*/plaintext$")

    def test_without_h2load_the_cell_is_left_out_and_says_what_to_install(self):
        with tempfile.TemporaryDirectory() as parent:
            peer = core_support.peer(parent, "tiny", "right")
            cell = core_support.cell(kind=model.HTTP2, streams=1)
            folder = core_support.folder(Path(parent) / "results", peer.contestants)
            with mock.patch.object(multiplexed.shutil, "which", return_value=None):
                samples = core_support.carry_out(core_support.planned([cell], [peer]), folder)
        self.assertEqual(samples, [])
        self.assertIn("apt-get install nghttp2-client", folder.run["left_out"][0]["why"])


class Readings(unittest.TestCase):
    def test_what_is_right_is_read(self):
        for text, cell_id in ((CLEAR, "s100c1"), (SEALED, "tls-s10c100")):
            told = read(text, cell_id)
            self.assertEqual((told.requests, told.per_second, told.errors), (1000, 1000, ""))
            self.assertEqual((told.avg_ms, told.max_ms), (32, 54))

    def test_what_is_wrong_with_the_answers_is_told(self):
        for old, new, why in (
                ("0 4xx", "1 4xx", "not all of the 1000 responses are 2xx"),
                ("1000 2xx", "999 2xx", "not all of the 1000 responses are 2xx"),
                ("1000 2xx", "1001 2xx", "not all of the 1000 responses are 2xx"),
                ("(13000) data", "(12999) data", "12999 bytes, not 13000"),
                ("(13000) data", "(13001) data", "13001 bytes, not 13000"),
                ("traffic:", "nothing:", "does not report"),
                ("status codes", "no codes", "not report"),
                ("0 failed", "3 failed", "3 requests failed")):
            with self.subTest(new):
                self.assertIn(old, CLEAR)
                self.assertIn(why, read(CLEAR.replace(old, new)).errors)

    def test_another_protocol_or_suite_is_no_figure(self):
        for text, why in (
                (CLEAR, "Application protocol is h2c, not h2"),
                (SEALED.replace("TLSv1.3", "TLSv1.2"), "TLS Protocol is TLSv1.2, not TLSv1.3"),
                (SEALED.replace("_128_", "_256_"), "Cipher is TLS_AES_256_GCM_SHA256, not"),
                (SEALED.replace("Cipher:", "None:"), "Cipher is not reported"),
                (SEALED + "Application protocol: http/1.1\n", "is h2 and http/1.1, not h2")):
            with self.subTest(why), self.assertRaisesRegex(GeneratorFailed, why):
                read(text, "tls-s10c100")
        with self.assertRaisesRegex(GeneratorFailed, "is h2, not h2c"):
            read(SEALED)
        with self.assertRaisesRegex(GeneratorFailed, "h2load said: unable"):
            read("unable to connect")


if __name__ == "__main__":
    unittest.main()

"""Files that are replaced under load: a mixed, an old or a mislabeled version disqualifies, and so
does a certificate that is used too long.

Must not need Eider or a peer; wrk is tested if it is installed.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]
# pylint: disable=wrong-import-position
import core_support
from experiments import changes
from experiments.model import Machine
from load import (certificates, changing, closed, generators, handshakes, plan, probe, starting,
                  tls_terms, versions, wrk)
from load.outcome import Report
from load.server import Manners, Server
from tiny_tls import TinyTls
from verify.framing import WrongAnswer

TWO_CORES = Machine((0,), (1,))
CELLS = {cell.id: cell for cell in changes.experiment(TWO_CORES).cells}
SMALL = CELLS["f4k"]
STEP = SimpleNamespace(cell=SMALL, seconds=1.0)
RENEWAL = SimpleNamespace(cell=CELLS["certificate"], seconds=6.0)


class _Handler(BaseHTTPRequestHandler):
    """Serves the small file: correctly, or wrongly in the way of the server's mode."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass

    def do_GET(self):  # pylint: disable=invalid-name
        """Sends the file, or what the mode makes of it."""
        body = (versions.folder() / "4k.bin").read_bytes()
        version, mode = versions.bodies("4k").index(body), self.server.mode
        if mode == "old":
            body = versions.bodies("4k")[0]
        elif mode == "mixed":
            body = versions.bodies("4k")[version - 1][:99] + body[99:]
        tag = {"one-tag": '"1"', "weak": 'W/"1"'}.get(mode, f'"{version}"')
        self.send_response(200)
        for name, value in (("Content-Type", "application/octet-stream"), ("ETag", tag),
                            ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class FileServer:
    """Use as a context manager."""

    def __init__(self, mode):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.mode, self._server.daemon_threads = mode, True
        self._server.handle_error = lambda *_: None  # wrk resets its connections
        self.port = self._server.server_port

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


def under_changes(mode):
    """Returns wrk's Report about a server whose file is replaced."""
    load = wrk.Load(SMALL.ask.path, 2, 1, allowed=SMALL.ask.allowed)
    with FileServer(mode) as server, \
            changing.of(STEP, SimpleNamespace(server=server)):
        words = wrk.command(load, server.port, 1)
        return wrk.parse(subprocess.run(words, capture_output=True, text=True, check=True,
                                        timeout=30).stdout)


def _tiny(case, **run):
    """Returns a contestant with these keys of [run]."""
    parent = tempfile.TemporaryDirectory()
    case.addCleanup(parent.cleanup)
    peer = core_support.peer(parent.name, "tiny", "right")
    peer.run.update(run)
    return peer.contestants[0]


class Versions(unittest.TestCase):
    def test_each_has_its_own_length_and_content(self):
        for name, size in versions.SIZES.items():
            self.assertEqual(len({len(body) for body in versions.bodies(name)}), versions.COUNT)
            self.assertEqual(len(versions.bodies(name)[0]), size)

    def test_a_published_one_replaces_the_file(self):
        path = versions.folder() / "4k.bin"
        with open(path, "rb") as held:
            before = held.read()
            versions.publish("4k", 5)
            self.assertEqual(path.read_bytes(), versions.bodies("4k")[5])
            held.seek(0)
            self.assertEqual(held.read(), before)

    def test_only_a_complete_one_is_right(self):
        one, other = versions.bodies("4k")[:2]
        check = versions.judge("4k")
        check(one)
        for wrong in (one[:-1], one + b"x", one[:50] + other[50:], b""):
            with self.assertRaisesRegex(WrongAnswer, "are not one version"):
                check(wrong)


@unittest.skipUnless(shutil.which("wrk"), "wrk is not installed")
class Load(unittest.TestCase):
    def test_complete_versions_with_their_tags_are_right(self):
        for mode in ("right", "weak"):
            told = under_changes(mode)
            self.assertEqual((told.errors, told.error_count), ("", 0))
            self.assertGreater(told.requests, 0)

    def test_a_mixed_version_and_a_tag_of_two_versions_are_errors(self):
        for mode, words in (("mixed", "a body of 40"), ("one-tag", 'one ETag for two bodies: "1"')):
            with self.subTest(mode):
                told = under_changes(mode)
                self.assertIn(words, told.errors)
                self.assertTrue(0 < told.error_count <= told.requests + 2, told)


class Seen(unittest.TestCase):
    def test_the_time_until_the_last_version_is_reported(self):
        with FileServer("right") as server:
            found = changing.of(STEP, SimpleNamespace(server=server)).figures(None)
        self.assertGreaterEqual(found["seen_ms"], 0)

    def test_an_old_version_is_an_error(self):
        with FileServer("old") as server, mock.patch.object(changing, "SEEN_SECONDS_MAX", 0.1), \
                self.assertRaisesRegex(WrongAnswer, "still served after 0.1 s"):
            changing.of(STEP, SimpleNamespace(server=server)).figures(None)

    def test_a_cell_without_changes_has_no_figure_of_them(self):
        with changing.of(SimpleNamespace(cell=core_support.cell()), None) as nothing:
            self.assertEqual(nothing.figures(None), {})


def used(*rows):
    """Returns a Report with these certificates: (number, first end, last begin)."""
    return Report(1, 1.0, certificates={certificates.fingerprint(number): (first, last)
                                        for number, first, last in rows})


class Renewal(unittest.TestCase):
    """The figures of two changes, at 10 s and at 12 s."""

    @staticmethod
    def figures(report, is_done=True):
        """Returns the figures of the report, or the error."""
        certificates.replace(0)
        one = SimpleNamespace(server=SimpleNamespace(reload=lambda: None),
                              probe=SimpleNamespace(via=None))
        changes_made = changing.of(RENEWAL, one)
        with mock.patch.object(time, "monotonic", side_effect=[10.0, 12.0]):
            for _ in range(3 if is_done else 0):
                changes_made.change()
        try:
            return changes_made.figures(report)
        except WrongAnswer as wrong:
            return str(wrong)

    def test_the_longest_time_until_one_is_used_is_the_figure(self):
        found = self.figures(used((0, 9.0, 10.4), (1, 10.5, 12.1), (2, 12.75, 14.0)))
        self.assertEqual(found, {"seen_ms": 750})
        self.assertEqual(certificates.current(), 2)

    def test_late_unused_and_unknown_certificates_are_errors(self):
        for rows, words in (
                (((0, 9.0, 10.4), (1, 10.5, 14.5)), "not used within 2 s"),
                (((0, 9.0, 10.4), (1, 12.5, 12.6), (2, 13.0, 14.0)), "not used within 2 s"),
                (((0, 9.0, 12.5), (1, 10.5, 12.6), (2, 13.0, 14.0)), "still used after 2 s")):
            with self.subTest(rows):
                self.assertIn(words, self.figures(used(*rows)))
        unknown = Report(1, 1.0, certificates={"ab": (1, 1)})
        self.assertIn("never installed", self.figures(unknown))

    def test_a_load_that_ends_before_the_first_change_has_no_figure(self):
        self.assertEqual(self.figures(used((0, 1.0, 2.0)), is_done=False), {})

    def test_a_server_that_never_loads_the_files_is_noticed_before_the_load(self):
        step = RENEWAL
        certificates.replace(0)
        with TinyTls(certificates.pairs()[1]) as server, \
                mock.patch.object(changing, "SEEN_SECONDS_MAX", 0.1), \
                self.assertRaisesRegex(WrongAnswer, "new certificate is not used"):
            server.reload = lambda: None
            one = SimpleNamespace(server=server,
                                  probe=SimpleNamespace(via=probe.via(step.cell)))
            with changing.of(step, one):
                pass

    def test_handshakes_report_the_certificates_that_they_saw(self):
        with TinyTls(certificates.pairs()[2]) as server:
            generator = handshakes.Generator(RENEWAL.cell)
            line = generator.command(wrk.Load("/plaintext", 1, 1), server.port, 1)
            told = generator.parse(subprocess.run(line, capture_output=True, text=True, check=True,
                                                  timeout=30).stdout)
        self.assertEqual(told.errors, "")
        (name, (first, last)), = told.certificates.items()
        self.assertEqual(name, certificates.fingerprint(2))
        self.assertTrue(0 < first < last < time.monotonic() or told.requests == 1, told)

    def test_clients_trust_all_of_them_and_contestants_get_the_replaced_files(self):
        cell = RENEWAL.cell
        for pair in certificates.pairs():
            with TinyTls(pair) as server, probe.via(cell)(server.port) as connection:
                self.assertTrue(connection.getpeercert(True))
        self.assertEqual(starting.manners(_tiny(self), cell).environment["TLS_CERT"],
                         certificates.served().cert)
        self.assertNotEqual(certificates.served(), tls_terms.certificate())

    def test_the_signal_of_the_manifest_is_sent(self):
        self.assertEqual(starting.manners(_tiny(self, reloads_with="SIGHUP"), RENEWAL.cell)
                         .reloads_with, "SIGHUP")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        script = ("import signal, socket, sys\n"
                  "signal.signal(signal.SIGHUP, lambda *_: sys.exit(5))\n"
                  f"with socket.create_server(('127.0.0.1', {port})):\n"
                  "    signal.pause()\n")
        for sends, status in (("SIGHUP", 5), ("", None)):
            with Server("tiny", [sys.executable, "-c", script], port, os.sched_getaffinity(0),
                        Manners(reloads_with=sends)) as server:
                server.reload()
                if sends:
                    server.process.wait(20)
                self.assertEqual(server.process.poll(), status)

    def test_a_measurement_is_long_enough_for_both_changes(self):
        self.assertEqual(plan.seconds_of(RENEWAL.cell, 1.0), 3 * changing.SEEN_SECONDS_MAX)


class Plans(unittest.TestCase):
    def test_only_wrk_compares_bodies(self):
        load = closed.load_of(SMALL, 1)
        self.assertEqual(load.allowed, versions.bodies("4k"))
        self.assertIs(generators.choose(load, "wrk", "h2load")[0], wrk)

    def test_the_directory_is_that_of_the_versions(self):
        environment = starting.manners(_tiny(self), SMALL).environment
        self.assertEqual(environment["FILES_DIR"], str(versions.folder()))
        self.assertEqual(versions.folder().name, "files")

    def test_bounds_are_those_of_static_files(self):
        for cell in CELLS.values():
            self.assertEqual((set(cell.bound.values()), cell.bound_over), ({1.0}, ("nginx",)))


if __name__ == "__main__":
    unittest.main()

"""Files that are replaced under load: a mixed, an old or a mislabeled version disqualifies.

Must not need Eider or a peer; wrk is tested if it is installed.
"""

import shutil
import subprocess
import sys
import tempfile
import threading
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
from load import changing, closed, generators, starting, versions, wrk
from verify.framing import WrongAnswer

TWO_CORES = Machine((0,), (1,))
CELLS = {cell.id: cell for cell in changes.experiment(TWO_CORES).cells}
SMALL = CELLS["f4k"]
STEP = SimpleNamespace(cell=SMALL, seconds=1.0)


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
            self.assertGreater(told.requests, 10)

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


class Plans(unittest.TestCase):
    def test_only_wrk_compares_bodies(self):
        load = closed.load_of(SMALL, 1)
        self.assertEqual(load.allowed, versions.bodies("4k"))
        self.assertIs(generators.choose(load, "wrk", "h2load")[0], wrk)

    def test_the_directory_is_that_of_the_versions(self):
        with tempfile.TemporaryDirectory() as parent:
            who = core_support.peer(parent, "tiny", "right").contestants[0]
            environment = starting.manners(who, SMALL).environment
        self.assertEqual(environment["FILES_DIR"], str(versions.folder()))

    def test_bounds_are_those_of_static_files(self):
        for cell in CELLS.values():
            self.assertEqual((set(cell.bound.values()), cell.bound_over), ({1.0}, ("nginx",)))


if __name__ == "__main__":
    unittest.main()

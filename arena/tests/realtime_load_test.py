"""eider bench's WebSockets and event streams with servers that fail; the plan of their cells.

Must not test speed.
"""

import json
import os
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
import tiny_server
from cli import preparing
from experiments import files, model, realtime as experiment
from experiments.catalogue import all_experiments
from experiments.model import Machine
from load import eider_bench, files_dir, plan, probe, starting
from load.outcome import GeneratorFailed
from load.wrk import Load
from tiny_server import TinyServer
from tiny_websocket import TinyWebSocket

TWO_CORES = Machine((0,), (1,))
NEW = ("files", "streaming", "websocket", "events")


def told_by(url, connections, *words):
    """Returns the report of eider bench as a dict."""
    line = eider_bench.line(connections, "-d", "300ms", *words, url)
    ended = subprocess.run(line, capture_output=True, text=True, timeout=30, check=False)
    if not ended.stdout:
        raise GeneratorFailed(ended.stderr)
    return json.loads(ended.stdout)


def socket_of(server, path="/"):
    """Returns the URL of a WebSocket on a local server."""
    return eider_bench.url(server.port, path, "ws")


def streams(*events):
    """Returns a server's act: a stream of these events, in chunks that split events."""
    text = b"".join(b"data: %d\n\n" % number for number in events)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(text[i:i + 5]), text[i:i + 5])
                      for i in range(0, len(text), 5))
    return lambda connection, _: connection.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        + chunks + b"0\r\n\r\n")


@unittest.skipIf(eider_bench.why_not(), eider_bench.why_not())
class Echo(unittest.TestCase):
    def test_every_message_comes_back(self):
        for size in ("1", "16", "126", "70000"):
            with self.subTest(size), TinyWebSocket() as server:
                told = told_by(socket_of(server, "/ws"), 3, "--check-echo", "--body-bytes", size)
                self.assertEqual((told["errors"], told["first_error"]), (0, ""))
                self.assertGreater(told["requests"], 3)
                self.assertGreater(told["latency"]["p99_ms"], 0)

    def test_every_fault_has_its_kind(self):
        for mode, kind in (("byte", "differs"), ("masked", "malformed"),
                           ("reserved", "malformed"), ("fragments", "malformed"),
                           ("twice", "malformed"), ("ends", "closed")):
            with self.subTest(mode), TinyWebSocket(mode) as server:
                told = told_by(socket_of(server), 2, "--check-echo")
                self.assertGreaterEqual(told["errors_by_kind"][kind], 2, told["errors_by_kind"])

    def test_who_does_not_upgrade_is_told_in_one_line(self):
        for mode, told in (("status", "status 200"), ("accept", "The WebSocket handshake failed"),
                           ("no-upgrade", "The WebSocket handshake failed")):
            with self.subTest(mode), TinyWebSocket(mode) as server:
                with self.assertRaisesRegex(GeneratorFailed, f"^eider bench: .*{told}.*\n$"):
                    told_by(socket_of(server), 10, "--check-echo")

    def test_a_handshake_that_is_never_answered_is_a_timeout(self):
        with TinyServer(lambda connection, _: None) as server:
            with self.assertRaisesRegex(GeneratorFailed, "handshake timed out"):
                told_by(socket_of(server), 10, "--timeout", "200ms")

    def test_a_message_that_never_comes_back_is_waited_for_and_a_timeout(self):
        with mock.patch.object(TinyWebSocket, "_send", lambda *_: True), \
                TinyWebSocket() as server:
            told = told_by(socket_of(server), 2, "--check-echo", "--timeout", "500ms")
        self.assertEqual((told["requests"], told["errors_by_kind"]["timeout"]), (0, 2))


@unittest.skipIf(eider_bench.why_not(), eider_bench.why_not())
class Broadcasts(unittest.TestCase):
    def test_all_get_every_message(self):
        with TinyWebSocket() as server:
            told = told_by(socket_of(server, "/ws/room/a"), 6, "--broadcast")
        self.assertEqual(told["errors"], 0, told["first_error"])
        self.assertGreater(told["requests"], 0)
        self.assertEqual(told["requests"] % 6, 0)  # the publisher receives its own messages, too
        self.assertEqual(sum(bucket["count"] for bucket in told["buckets"]),
                         told["requests"] // 6)
        self.assertEqual(told["setting"]["counted"], "deliveries")

    def test_who_gets_nothing_and_who_gets_it_twice_are_counted(self):
        with TinyWebSocket("alone") as server:
            told = told_by(socket_of(server, "/ws/room/a"), 6, "--broadcast", "--timeout", "500ms")
        self.assertEqual((told["requests"], told["errors_by_kind"]["timeout"]), (1, 5))
        with TinyWebSocket("twice") as server:
            told = told_by(socket_of(server, "/ws/room/a"), 6, "--broadcast", "--timeout", "500ms")
        self.assertGreater(told["errors_by_kind"]["malformed"] + told["errors_by_kind"]["differs"],
                           0)

    def test_a_message_that_differs_is_counted(self):
        with TinyWebSocket("byte") as server:
            told = told_by(socket_of(server, "/ws/room/a"), 3, "--broadcast", "--timeout", "500ms")
        self.assertEqual(told["requests"], 0)
        self.assertGreater(told["errors_by_kind"]["differs"], 0, told["errors_by_kind"])


@unittest.skipIf(eider_bench.why_not(), eider_bench.why_not())
class Streams(unittest.TestCase):
    def test_every_event_is_counted(self):
        with TinyServer(streams(*range(12))) as server:
            told = told_by(eider_bench.url(server.port, "/"), 2, "--events", "12")
            self.assertEqual(told["errors"], 0, told["first_error"])
            self.assertGreaterEqual(told["requests"], 12)
            self.assertLessEqual(told["requests"], 12 * server.requests)

    def test_an_event_that_is_missing_or_differs_is_wrong(self):
        for events in ((0, 1, 3), (0, 1), (0, 1, 2, 3)):
            with self.subTest(events), TinyServer(streams(*events)) as server:
                told = told_by(eider_bench.url(server.port, "/"), 1, "--events", "3")
                self.assertGreater(told["errors_by_kind"]["differs"], 0)

    def test_events_of_an_unfinished_stream_count(self):
        for text, counted, wrong in ((b"data: 0\n\ndata: 1\n\ndata", 6, 0),
                                     (b"data: 0\n\ndata: 2\n\ndata", 0, 3)):
            answer = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + text
            with self.subTest(text), TinyServer(tiny_server.send(answer)) as server:
                told = told_by(eider_bench.url(server.port, "/"), 3, "--events", "100")
            self.assertEqual((told["requests"], told["errors_by_kind"]["differs"]),
                             (counted, wrong))


@unittest.skipIf(eider_bench.why_not(), eider_bench.why_not())
class Uploads(unittest.TestCase):
    def test_a_body_of_so_many_bytes_is_posted(self):
        with TinyServer(tiny_server.answer) as server:
            told = told_by(eider_bench.url(server.port, "/"), 2, "--body-bytes", "5000")
            self.assertLessEqual(server.requests - told["requests"], 2)
        self.assertEqual(told["errors"], 0)


class Plans(unittest.TestCase):
    def setUp(self):
        self.cells = {f"{e.id}/{cell.id}": cell for e in all_experiments(TWO_CORES)
                      for cell in e.cells if e.id in NEW}

    def test_all_cells_that_were_asked_for_are_there(self):
        self.assertEqual(list(self.cells), [
            "files/f1k", "files/f64k", "files/f1m", "streaming/download", "websocket/echo16",
            "websocket/echo16384", "websocket/broadcast", "websocket/idle", "events/fan-out"])

    def test_bounds_are_those_of_the_issue(self):
        told = {key: (set(cell.bound.values()), cell.bound_over)
                for key, cell in self.cells.items() if cell.bound}
        self.assertEqual(told.pop("websocket/idle"), ({360}, ()))
        self.assertEqual({key.partition("/")[0]: one for key, one in told.items()},
                         {"files": ({1.0}, ("nginx",)), "websocket": ({1.0}, ("uwebsockets",))})

    def test_commands_name_what_is_asked(self):
        with mock.patch.object(eider_bench, "program", return_value=Path("/bin/eider")):
            for cell in self.cells.values():
                if cell.kind not in model.REALTIME:
                    continue
                line = eider_bench.Realtime(cell).command(Load(cell.ask.path, 4, 1), 7, 2)
                is_broadcast = cell.kind == model.BROADCAST
                is_socket = is_broadcast or cell.kind == model.WEBSOCKET
                self.assertEqual(line[-1], f"{'ws' if is_socket else 'http'}://127.0.0.1:7"
                                           + cell.ask.path)
                self.assertEqual(line[line.index("-c") + 1],
                                 str(cell.connections + (1 if is_broadcast else 0)))
                self.assertEqual(line[line.index("-t") + 1], "1" if is_broadcast else "2")

    def test_the_command_shown_needs_no_generator(self):
        with mock.patch.dict(os.environ, {"EIDER_BIN": "/nowhere"}):
            for key, cell in self.cells.items():
                step = plan.Step(SimpleNamespace(id=key, generator="wrk"), cell, [], 1, 1.0)
                told = preparing._command(step, TWO_CORES, "wrk")  # pylint: disable=W0212
                self.assertIn(cell.ask.path.partition("?")[0], told)

    def test_idle_sockets_are_measured_as_seldom_as_idle_connections(self):
        self.assertEqual(plan.rounds_of(self.cells["websocket/idle"], 9), plan.IDLE_ROUNDS_MAX)

    def test_the_probe_is_that_of_the_cell(self):
        peer = SimpleNamespace(data={"serves": {}}, headers=(), cases=())
        who = SimpleNamespace(is_floor=False, peer=peer)
        for key, cell in self.cells.items():
            kind = probe.SocketProbe if key.startswith("websocket") else probe.Probe
            self.assertIs(type(probe.of(cell, who)), kind, key)

    def test_the_answers_owed_are_whole(self):
        self.assertEqual(experiment.stream_text(2), b"data: 0\n\ndata: 1\n\n")
        for cell in files.files(TWO_CORES).cells:
            self.assertEqual(cell.ask.expected.body, files_dir.content(cell.id[1:]))


class Starting(unittest.TestCase):
    def test_the_directory_of_files_is_told_by_word_and_environment(self):
        cell = next(iter(files.files(TWO_CORES).cells))
        with tempfile.TemporaryDirectory() as parent:
            peer = core_support.peer(parent, "tiny", "right")
            peer.data["case"] = {"files": {"arguments": ["--files", "{files}"]}}
            with mock.patch.object(files_dir, "ensure", return_value=Path("/served")):
                words = starting.command(peer.contestants[0], cell, 1, 1)
                manners = starting.manners(peer.contestants[0], cell)
                plain = starting.manners(peer.contestants[0], core_support.cell())
        self.assertEqual(words[-2:], ["--files", "/served"])
        self.assertEqual(manners.environment["FILES_DIR"], "/served")
        self.assertNotIn("FILES_DIR", plain.environment)


if __name__ == "__main__":
    unittest.main()

"""eider bench with servers that fail in known ways: every error has its name and its count.

Must not test speed: time limits are those of a busy machine.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]
# pylint: disable=wrong-import-position
import tiny_server
from load import eider_bench
from load.wrk import GeneratorFailed, Load
from tiny_server import TinyServer


def told_by(connections, *words):
    """Returns the report of eider bench as a dict."""
    ended = subprocess.run(eider_bench.line(connections, *words), text=True, capture_output=True,
                           timeout=30, check=False)
    return json.loads(ended.stdout)


def sequential(act, clients=2, requests=5, timeout_seconds=5, body=None, expect_body="Hello"):
    """Returns (report, number of requests at the server) of a run with a server's act."""
    with TinyServer(act) as server:
        report = eider_bench.sequential("127.0.0.1", server.port, clients, requests, "/test", body,
                                       timeout_seconds, None, expect_body=expect_body)
        return report, server.requests


@unittest.skipIf(eider_bench.why_not(), eider_bench.why_not())
class Sequential(unittest.TestCase):
    """A new connection for each request."""

    def test_counts_every_answer(self):
        report, seen = sequential(tiny_server.answer, clients=4, requests=25)
        self.assertEqual((report.requests, report.error_count, seen), (100, 0, 100))
        self.assertGreater(report.seconds, 0)
        self.assertLessEqual(report.p50_ms, report.p99_ms)
        self.assertLessEqual(report.p99_ms, report.max_ms)

    def test_a_wrong_body_is_named_with_both_texts(self):
        report, _ = sequential(tiny_server.answer, expect_body="Hallo")
        self.assertEqual((report.requests, report.errors), (
            0, '10 x differs, the first: Response body "Hello" instead of "Hallo".'))

    def test_a_wrong_status_is_named(self):
        report, _ = sequential(tiny_server.send(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"))
        self.assertIn("10 x wrong_status, the first: Status 503 instead of 200", report.errors)

    def test_a_server_that_closes_is_named(self):
        for act in (tiny_server.close, tiny_server.cut):
            report, _ = sequential(act)
            self.assertEqual(report.requests, 0)
            self.assertIn("10 x closed", report.errors, act.__name__)

    def test_a_server_that_never_answers_is_a_timeout(self):
        report, seen = sequential(tiny_server.stay_silent, requests=1, timeout_seconds=0.2)
        self.assertEqual(seen, 2)
        self.assertRegex(report.errors, "^2 x timeout, .*--timeout")

    def test_the_limit_ends_the_whole_run(self):
        with TinyServer(tiny_server.stay_silent) as server:
            report = eider_bench.sequential("127.0.0.1", server.port, 2, 9, "/", None, 90, None,
                                           limit_seconds=0.2)
        self.assertEqual((report.requests, report.error_count), (0, 0))
        self.assertLess(report.seconds, 60)

    def test_nobody_there_is_told_in_one_line(self):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
        with self.assertRaisesRegex(GeneratorFailed, "the connection was refused"):
            eider_bench.sequential("127.0.0.1", port, 2, 3, "/", None, 5, None)

    def test_each_client_asks_its_part_one_after_the_other(self):
        report, seen = sequential(tiny_server.answer, clients=3, requests=3)
        self.assertEqual((report.requests, report.error_count, seen), (9, 0, 9))

    def test_too_many_errors_end_the_run(self):
        report, _ = sequential(tiny_server.close, clients=2, requests=1000)
        self.assertLess(report.error_count, 110)
        self.assertGreaterEqual(report.error_count, 100)

    def test_the_body_is_posted(self):
        with TinyServer(lambda connection, _: connection.sendall(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n0\r\n\r\n")
                        ) as server:
            report = eider_bench.sequential("127.0.0.1", server.port, 1, 2, "/test", '{"a":1}', 5,
                                           None, expect_body="Hello")
        self.assertEqual((report.requests, report.error_count), (2, 0))


@unittest.skipIf(eider_bench.why_not(), eider_bench.why_not())
class OpenLoop(unittest.TestCase):
    """Requests at a fixed rate."""

    def rate(self, act, connections=1, rate=200, seconds=1.5, **more):
        """Makes a uniform run with a server that acts this way."""
        with TinyServer(act) as server:
            return eider_bench.fixed_rate(server.port, "/", connections, rate, seconds, None,
                                         arrivals="uniform", expect_body="Hello", **more)

    def test_sends_what_was_asked_and_says_how_late_it_was(self):
        report = self.rate(tiny_server.answer, connections=8, rate=200, seconds=0.5)
        self.assertEqual((report.requests, report.error_count, report.unsent), (99, 0, 0))

    def test_the_corrected_latency_sees_a_stall_that_the_uncorrected_does_not(self):
        with TinyServer(tiny_server.stall_once(100, 0.5)) as server:
            told = told_by(1, "-r", "200", "-d", "1500ms", "--expect-body", "Hello",
                           eider_bench.url(server.port, "/"))
        self.assertEqual(told["errors"], 0)
        # A third of the requests was scheduled during the stall; one of them was pending.
        self.assertGreater(told["latency"]["p90_ms"], 150)
        self.assertLess(told["latency_from_sending"]["p90_ms"], 100)
        self.assertGreater(told["latency_from_sending"]["max_ms"], 450)
        self.assertLess(told["generator_late"]["p50_ms"], 50)

    def test_a_server_that_never_answers_leaves_requests_unsent_and_timed_out(self):
        report = self.rate(tiny_server.stay_silent, rate=50, seconds=0.5, timeout_seconds=0.3)
        self.assertEqual(report.requests, 0)
        self.assertIn("x timeout", report.errors)
        self.assertEqual(report.error_count + report.unsent, 24)
        self.assertGreater(report.p99_ms, 250)

    def test_closed_connections_are_opened_again(self):
        report = self.rate(tiny_server.close_every(7), connections=4, seconds=0.5)
        self.assertGreater(report.requests, 80)
        # A request on a connection that is being closed counts as closed.
        self.assertNotIn("x connect", report.errors)

    def test_nobody_there_is_told_in_one_line(self):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
        with self.assertRaisesRegex(GeneratorFailed, "the connection was refused"):
            eider_bench.fixed_rate(port, "/", 2, 100, 0.2, None)


@unittest.skipIf(eider_bench.why_not(), eider_bench.why_not())
class ClosedLoop(unittest.TestCase):
    """As many requests as responses."""

    def closed(self, server, load, *words):
        """Returns the report of the arena's command with more options."""
        *line, where = eider_bench.command(load, server.port, 2)
        ended = subprocess.run([*line, *words, where], text=True, capture_output=True, timeout=30,
                               check=False)
        return eider_bench.parse(ended.stdout)

    def test_every_answer_is_counted_and_checked(self):
        for depth in (1, 8):
            with TinyServer(tiny_server.answer) as server:
                report = self.closed(server, Load("/", 4, 1, depth=depth), "--expect-body", "Hello")
                self.assertLessEqual(server.requests - report.requests, 4 * depth)
            self.assertGreater(report.requests, 8)
            self.assertEqual(report.error_count, 0, report.errors)

    def test_a_wrong_body_is_counted(self):
        with TinyServer(tiny_server.answer) as server:
            report = self.closed(server, Load("/", 2, 1), "--expect-body", "Hallo")
        self.assertEqual(report.requests, 0)
        self.assertRegex(report.errors, "^[0-9]+ x differs, ")

    def test_a_status_other_than_200_is_an_error(self):
        act = tiny_server.send(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        with TinyServer(act) as server:
            report = self.closed(server, Load("/", 2, 1))
        self.assertEqual(report.requests, 0)
        self.assertIn("Status 201 instead of 200", report.errors)

    def test_an_end_that_was_not_announced_is_no_error(self):
        with TinyServer(tiny_server.close_every(1)) as server:
            report = self.closed(server, Load("/test", 2, 1, headers=("Connection: close",)))
        self.assertEqual(report.error_count, 0, report.errors)
        self.assertGreater(report.requests, 0)


class Program(unittest.TestCase):
    """Missing programs are reported with the solution."""

    def test_a_program_that_is_not_built_says_how_it_is(self):
        with tempfile.TemporaryDirectory() as empty:
            with mock.patch.dict(os.environ, {"EIDER_BIN": empty}):
                self.assertFalse(eider_bench.is_there())
                with self.assertRaisesRegex(eider_bench.NotBuilt, "--target eider"):
                    eider_bench.fixed_rate(1, "/", 1, 1, 1, None)

    def test_what_is_no_report_is_handed_on_as_it_was_said(self):
        for text in ("eider bench: no", "{}", "{", ""):
            with self.assertRaisesRegex(GeneratorFailed, "^eider bench said: " + text):
                eider_bench.parse(text)


if __name__ == "__main__":
    unittest.main()

"""eider_load against servers that err in known ways: every error has its name and its count.

Must not judge speed: where time is asked for, the bounds are those of a busy machine.
"""

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
from load import eider_load
from load.wrk import GeneratorFailed
from tiny_server import TinyServer


def why_not():
    """Why these tests cannot run."""
    try:
        eider_load.program()
    except eider_load.NotBuilt as failure:
        return str(failure)
    return ""


def sequential(act, clients=2, requests=5, timeout_seconds=5, body=None, expect_body="Hello"):
    """(report, requests that the server saw) of a run against a server that acts so."""
    with TinyServer(act) as server:
        report = eider_load.sequential("127.0.0.1", server.port, clients, requests, "/test", body,
                                       timeout_seconds, None, expect_body=expect_body)
        return report, server.requests


@unittest.skipIf(why_not(), why_not())
class Sequential(unittest.TestCase):
    """A new connection for each request."""

    def test_counts_every_answer(self):
        report, seen = sequential(tiny_server.answer, clients=4, requests=25)
        self.assertEqual((report.requests, report.errors, seen), (100, 0, 100))
        self.assertGreater(report.seconds, 0)
        self.assertLessEqual(report.p50_ms, report.p99_ms)
        self.assertLessEqual(report.p99_ms, report.max_ms)

    def test_a_wrong_body_is_named_with_both_texts(self):
        report, _ = sequential(tiny_server.answer, expect_body="Hallo")
        self.assertEqual((report.requests, report.by_kind["wrong_body"]), (0, 10))
        self.assertEqual(report.first_error, 'wrong_body: body "Hello" instead of "Hallo"')

    def test_a_wrong_status_is_named(self):
        report, _ = sequential(tiny_server.send(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"))
        self.assertEqual(report.by_kind["wrong_status"], 10)
        self.assertIn("status 503 instead of 200", report.first_error)

    def test_a_server_that_closes_is_named(self):
        for act in (tiny_server.close, tiny_server.cut):
            report, _ = sequential(act)
            self.assertEqual((report.requests, report.by_kind["closed"]), (0, 10), act.__name__)

    def test_a_server_that_never_answers_is_a_timeout(self):
        report, seen = sequential(tiny_server.stay_silent, requests=1, timeout_seconds=0.2)
        self.assertEqual((report.by_kind["timeout"], seen), (2, 2))
        self.assertIn("--timeout", report.first_error)

    def test_the_limit_ends_the_whole_run(self):
        with TinyServer(tiny_server.stay_silent) as server:
            report = eider_load.sequential("127.0.0.1", server.port, 2, 9, "/", None, 30, None,
                                           limit_seconds=0.2)
        self.assertEqual(report.by_kind["timeout"], 1)
        self.assertIn("--limit", report.first_error)

    def test_nobody_there_is_a_connect_error(self):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
        report = eider_load.sequential("127.0.0.1", port, 2, 3, "/", None, 5, None)
        self.assertEqual(report.by_kind["connect"], 6)
        self.assertIn("nobody listens", report.first_error)

    def test_too_many_errors_end_the_run(self):
        report, _ = sequential(tiny_server.close, clients=2, requests=1000)
        self.assertLess(report.errors, 110)

    def test_the_body_is_posted(self):
        with TinyServer(lambda connection, _: connection.sendall(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n0\r\n\r\n")
                        ) as server:
            report = eider_load.sequential("127.0.0.1", server.port, 1, 2, "/test", '{"a":1}', 5,
                                           None, expect_body="Hello")
        self.assertEqual((report.requests, report.errors), (2, 0))


@unittest.skipIf(why_not(), why_not())
class OpenLoop(unittest.TestCase):
    """Requests at a fixed rate."""

    def rate(self, act, connections=1, rate=200, seconds=1.5, **more):
        """A uniform run against a server that acts so."""
        with TinyServer(act) as server:
            return eider_load.fixed_rate(server.port, "/", connections, rate, seconds, None,
                                         arrivals="uniform", expect_body="Hello", **more)

    def test_sends_what_was_asked_and_says_how_late_it_was(self):
        report = self.rate(tiny_server.answer, connections=8, rate=200, seconds=0.5)
        self.assertEqual((report.requests, report.errors, report.unsent), (99, 0, 0))
        self.assertLess(report.generator_late.p50_ms, 50)

    def test_the_corrected_latency_sees_a_stall_that_the_uncorrected_does_not(self):
        report = self.rate(tiny_server.stall_once(100, 0.5))
        self.assertEqual(report.errors, 0)
        # A third of the requests was due within the stall; one of them was on its way.
        self.assertGreater(report.p90_ms, 150)
        self.assertLess(report.uncorrected.p90_ms, 100)
        self.assertGreater(report.uncorrected.max_ms, 450)

    def test_a_server_that_never_answers_leaves_requests_unsent_and_timed_out(self):
        report = self.rate(tiny_server.stay_silent, rate=50, seconds=0.5, timeout_seconds=0.3)
        self.assertEqual(report.requests, 0)
        self.assertGreater(report.by_kind["timeout"], 0)
        self.assertEqual(report.errors + report.unsent, 24)
        self.assertGreater(report.p99_ms, 250)

    def test_closed_connections_are_opened_again(self):
        report = self.rate(tiny_server.close_every(7), connections=4, seconds=0.5)
        self.assertGreater(report.requests, 80)
        self.assertEqual(report.by_kind["connect"], 0)

    def test_nobody_there_is_told_in_one_line(self):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
        with self.assertRaisesRegex(GeneratorFailed, "no connection to .*nobody listens"):
            eider_load.fixed_rate(port, "/", 2, 100, 0.2, None)


@unittest.skipIf(why_not(), why_not())
class ClosedLoop(unittest.TestCase):
    """As many requests as are answered."""

    def test_every_answer_is_counted_and_checked(self):
        with TinyServer(tiny_server.answer) as server:
            report = eider_load.closed(server.port, "/", 4, 0.3, None, expect_body="Hello")
            self.assertLessEqual(server.requests - report.requests, 4)
        self.assertGreater(report.requests, 0)
        self.assertEqual(report.errors, 0)

    def test_pipelined_answers_are_counted_one_by_one(self):
        with TinyServer(tiny_server.answer) as server:
            report = eider_load.closed(server.port, "/", 4, 0.3, None, depth=8, threads=2,
                                       expect_body="Hello")
            self.assertLessEqual(server.requests - report.requests, 4 * 8)
        self.assertGreater(report.requests, 8)
        self.assertEqual(report.errors, 0)

    def test_a_wrong_body_is_counted(self):
        with TinyServer(tiny_server.answer) as server:
            report = eider_load.closed(server.port, "/", 2, 0.2, None, expect_body="Hallo")
        self.assertEqual(report.requests, 0)
        self.assertEqual(report.errors, report.by_kind["wrong_body"])
        self.assertGreater(report.errors, 0)


class CommandLine(unittest.TestCase):
    """What cannot be followed is said."""

    @unittest.skipIf(why_not(), why_not())
    def test_every_refusal_names_what_is_wrong(self):
        for arguments, expected in ((["nonsense"], "not nonsense"), (["rate"], "--port is missing"),
                                    (["closed", "--port", "x"], "cannot understand --port x"),
                                    (["rate", "--port", "1", "--rate", "0"], "--rate 0"),
                                    (["closed", "--bogus"], "--bogus"),
                                    (["closed", "--port"], "--port"),
                                    (["closed", "stray"], "stray")):
            ended = subprocess.run([eider_load.program(), *arguments], capture_output=True,
                                   text=True, timeout=5, check=False)
            self.assertEqual(ended.returncode, 2, arguments)
            self.assertIn(expected, ended.stderr)
            self.assertEqual(len(ended.stderr.splitlines()), 1)

    @unittest.skipIf(why_not(), why_not())
    def test_help_names_every_mode(self):
        told = subprocess.run([eider_load.program(), "--help"], capture_output=True, text=True,
                              timeout=5, check=True).stdout
        for word in ("sequential", "rate", "closed", "--arrivals", "--expect-body"):
            self.assertIn(word, told)

    def test_a_program_that_is_not_built_says_how_it_is(self):
        with tempfile.TemporaryDirectory() as empty:
            with mock.patch.dict(os.environ, {"EIDER_BIN": empty}):
                with self.assertRaisesRegex(eider_load.NotBuilt, "--target eider_load"):
                    eider_load.closed(1, "/", 1, 1, None)


if __name__ == "__main__":
    unittest.main()

"""A wrong adapter is detected, and its error is named."""

import os
import signal
import subprocess
import sys
import time
import unittest

from core_support import TINY

# pylint: disable=wrong-import-order
from load.process import is_listening
from verify.answers import Expected, WrongAnswer, check, check_all, request_bytes

HELLO = Expected(b"Hello, World!", "text/plain")
CLOSING = Expected(b"Hello, World!", "text/plain", closes=True)
REQUEST = request_bytes("/plaintext", "x")
CLOSE_REQUEST = request_bytes("/plaintext", "x", ("Connection: close",))
FIRST_PORT = 27300 + os.getpid() % 500


class Running:
    """Runs a tiny contestant until the end of the block."""

    def __init__(self, number, *arguments):
        self.port, self.arguments, self.process = FIRST_PORT + number, arguments, None

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-I", "-S", str(TINY), str(self.port),
                                         *self.arguments])
        deadline = time.monotonic() + 10
        while not is_listening(self.process.pid, self.port) and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.port

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def fault(port, request=REQUEST, expected=HELLO, count=1):
    """Returns the error of check(), or "" if all is right."""
    try:
        check(port, request, count, expected, True)
        return ""
    except WrongAnswer as wrong:
        return str(wrong)


class Answers(unittest.TestCase):
    def test_a_right_one_is_let_through(self):
        with Running(0, "right") as port:
            self.assertEqual(fault(port), "")
            self.assertEqual(fault(port, count=16), "")
            self.assertEqual(fault(port, CLOSE_REQUEST, CLOSING), "")

    def test_chunks_are_read(self):
        with Running(1, "chunked") as port:
            self.assertEqual(fault(port, count=3), "")

    def test_each_wrong_one_is_named(self):
        cases = [("byte", "byte 12 differs"), ("header", "no date field"),
                 ("close", "the connection closes after the response without a reason"),
                 ("length", "byte 12 differs"), ("stale", "which is not now"),
                 ("short", "the connection ended before the response was complete"),
                 ("type", "Content-Type is 'text/html'")]
        for number, (mode, told) in enumerate(cases, 2):
            with self.subTest(mode), Running(number, mode) as port:
                self.assertIn(told, fault(port))

    def test_a_pipelined_answer_missing_is_noticed(self):
        with Running(10, "close", "2") as port:
            self.assertIn("ended before the response was complete", fault(port, count=5))

    def test_a_length_too_small_shows_in_the_next_answer(self):
        with Running(11, "length", "1") as port:
            self.assertIn("differs", fault(port, count=3))

    def test_an_end_that_is_not_announced_is_noticed(self):
        with Running(12, "silent-close") as port:
            self.assertIn("Connection: close is not answered",
                          fault(port, CLOSE_REQUEST, CLOSING))

    def test_answers_out_of_order_are_noticed(self):
        asked = [(request_bytes(f"/test/labels/n{i}", "x"), Expected(f"n{i}".encode(),
                                                                     "text/plain"))
                 for i in range(4)]
        with Running(13, "right") as port:
            check_all(port, asked, True)
        with Running(14, "order") as port, self.assertRaisesRegex(WrongAnswer, "b'n3'"):
            check_all(port, asked, True)

    def test_objects_are_equal_in_any_order_and_nothing_else_is(self):
        from verify.answers import _check_body  # pylint: disable=import-outside-toplevel
        wanted = Expected(b'{"a":1,"reply":"received"}', "application/json", is_object=True)
        _check_body(b'{ "reply": "received", "a": 1 }', wanted)
        for body in (b'{"a":1}', b'{"a":2,"reply":"received"}', b"", b"nothing"):
            with self.subTest(body), self.assertRaises(WrongAnswer):
                _check_body(body, wanted)


if __name__ == "__main__":
    unittest.main()

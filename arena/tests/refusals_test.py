"""A contestant that accepts a wrong order, or does not report its errors, is detected."""

import json
import socket
import unittest

import core_support  # finds the arena's own modules
from tiny_server import TinyServer, cut, send, stay_silent

# pylint: disable=wrong-import-order
from experiments import orders
from load import generators, wrk
from verify.answers import Expected
from verify.framing import WrongAnswer
from verify.refusals import Fields, Refusal, Taken

REQUEST = b"POST /checked HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
HEAD_ALONE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
TWO = Refusal("two of them", REQUEST, ("422",), ("city", "count"), ("name", "sku"))


def answer(content, status="422 Unprocessable Content", fields=()):
    """Returns a server's act that sends this response."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *fields]
    return send(("\r\n".join(lines) + "\r\n\r\n" + content).encode())


def fault(owed, act):
    """Returns the error of the check with a server that acts this way, or ""."""
    with TinyServer(act) as server:
        try:
            owed.check(server.port)
            return ""
        except WrongAnswer as wrong:
            return str(wrong)


class Refusals(unittest.TestCase):
    def test_every_projects_own_shape_is_let_through(self):
        for content in ('{"errors":[{"pointer":"/city"},{"pointer":"/lines/1/count"}]}',
                        '{"detail":[{"loc":["body","city"]},{"loc":["body","lines",1,"count"]}]}',
                        '{"city":[{"code":"length"}],"lines":{"1":{"count":[]}}}',
                        "lines[1].count: invalid type, expected i64; missing field `city`"):
            with self.subTest(content):
                self.assertEqual(fault(TWO, answer(content)), "")

    def test_a_member_in_prose_is_not_named(self):
        told = '{"city":"as a name of one word","lines":{"1":{"count":"as name@example.org"}}}'
        self.assertEqual(fault(TWO, answer(told)), "")

    def test_a_wrong_member_that_is_not_named_is_missed(self):
        self.assertIn("'count' is not named", fault(TWO, answer('{"city":"empty"}')))
        self.assertIn("'city' is not named", fault(TWO, answer("")))
        self.assertIn("'count' is not named", fault(TWO, answer('{"city":0,"account":0}')))

    def test_a_right_member_that_is_named_is_noticed(self):
        for told in ('{"city":0,"count":0,"name":0}', '["/city","/count","/name"]',
                     '["city","count","lines[1].sku"]', '["city","count","body.name.0"]'):
            with self.subTest(told):
                self.assertIn("which is right, is named", fault(TWO, answer(told)))

    def test_what_is_taken_is_no_refusal(self):
        self.assertIn("the status line is 'HTTP/1.1 200 OK', not 422",
                      fault(TWO, answer('{"city":0,"count":0}', "200 OK")))
        self.assertIn("not 422", fault(TWO, answer("", "500 Internal Server Error")))

    def test_the_fault_says_which_request_it_was(self):
        self.assertTrue(fault(TWO, answer("{}")).startswith("two of them: "))

    def test_a_class_of_statuses_is_all_of_them(self):
        any_of_ours = Refusal("t", REQUEST, ("4",))
        self.assertEqual(fault(any_of_ours, answer("", "415 Unsupported Media Type")), "")
        self.assertIn("not 4", fault(any_of_ours, answer("", "504 Gateway Timeout")))

    def test_an_answer_that_is_not_whole_is_none(self):
        self.assertIn("ended before the response was complete", fault(TWO, cut))

    def test_no_answer_at_all_is_an_error(self):
        def impatient(port, address):
            return socket.create_connection((address, port), timeout=0.3)
        with TinyServer(stay_silent) as server, self.assertRaisesRegex(WrongAnswer, "no complete"):
            TWO.check(server.port, via=impatient)

    def test_a_refusal_that_ends_with_its_connection_needs_no_length(self):
        too_large = Refusal("t", HEAD_ALONE, ("413",))
        bare = send(b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\n\r\n")
        self.assertEqual(fault(too_large, bare), "")

    def test_content_follows_where_the_head_is_not_refused(self):
        seen = []

        def read_all(connection, _):
            seen.append(connection.recv(100))
            answer('{"city":0,"count":0}')(connection, _)
        big = Refusal("t", REQUEST[:-2] + b"y" * 50, ("422",))
        self.assertEqual(fault(big, read_all), "")
        self.assertEqual(seen, [b"y" * 50])

    def test_content_does_not_follow_where_it_is(self):
        with TinyServer(answer("", "413 Content Too Large")) as server:
            Refusal("t", REQUEST, ("413",)).check(server.port)
            self.assertEqual(server.requests, 1)


class Heads(unittest.TestCase):
    OWED = Fields(HEAD_ALONE, (r"x-content-type-options: nosniff", r"(x-)?ratelimit.*: .*\d.*"),
                  "x-request-id")

    def answered(self, *fields):
        """Returns the error for a server with these headers; %d is a sequence number."""
        number = iter(range(1, 10))
        return fault(self.OWED, lambda connection, at: answer("", "200 OK", [
            field.replace("%d", str(at)) for field in fields])(connection, next(number)))

    def test_all_of_them_are_let_through(self):
        self.assertEqual(self.answered("X-Content-Type-Options: nosniff", "RateLimit: r=9",
                                       "X-Request-Id: %d"), "")
        self.assertEqual(self.answered("x-content-type-options: NOSNIFF", "x-ratelimit-limit: 1",
                                       "x-request-id: n%d"), "")

    def test_each_that_is_missing_is_noticed(self):
        every = ("X-Content-Type-Options: nosniff", "RateLimit: r=9", "X-Request-Id: %d")
        for left_out, told in zip(every, ("nosniff", "ratelimit", "x-request-id")):
            with self.subTest(left_out):
                self.assertIn(told, self.answered(*(set(every) - {left_out})))

    def test_one_name_for_two_requests_is_noticed(self):
        self.assertIn("two responses have the same x-request-id", self.answered(
            "X-Content-Type-Options: nosniff", "RateLimit: r=9", "X-Request-Id: 7"))


class TheOrder(unittest.TestCase):
    def test_a_right_one_that_is_refused_is_noticed(self):
        taken = Taken("no note", HEAD_ALONE, Expected(b"{}", ""))
        self.assertIn("no note: the status line", fault(taken, answer("{}")))

    def test_wrong_ones_differ_from_the_right_one(self):
        for owed in orders.experiment(core_support.Machine((0,), (1,))).cells[1].ask.first:
            if isinstance(owed, Refusal):
                self.assertNotEqual(owed.request, orders._request("/checked",
                                                                  orders._text(orders.ORDER)))

    def test_each_member_is_wrong_once_at_least(self):
        first = orders.experiment(core_support.Machine((0,), (1,))).cells[1].ask.first
        named = {word for owed in first if isinstance(owed, Refusal) for word in owed.named}
        self.assertLessEqual({*orders.ORDER, *orders.ORDER["lines"][0]}, named)

    def test_the_largest_that_is_taken_is_a_right_one(self):
        for size in (orders.CONTENT_BYTES_MAX, orders.CONTENT_BYTES_MAX + 1):
            text = orders._of_size(size)
            self.assertEqual(len(text), size)
            self.assertEqual(json.loads(text), orders.ORDER)


class Generators(unittest.TestCase):
    LOAD = wrk.Load("/checked", 8, 1, method="POST", body=b'{"a":"\xc3\xa9\\"}')

    def test_wrk_is_told_the_content_byte_by_byte(self):
        line = wrk.command(self.LOAD, 1, 1)
        with open(line[line.index("-s") + 1], encoding="ascii") as script:
            text = script.read()
        self.assertIn(r'"\123\034\097\034\058\034\195\169\092\034\125"', text)
        self.assertIn('wrk.method, wrk.body = "POST"', text)
        self.assertIn("Content-Type: application/json", line)

    def test_what_has_no_content_needs_no_script(self):
        self.assertNotIn("-s", wrk.command(wrk.Load("/plaintext", 8, 1), 1, 1))

    def test_who_cannot_send_it_is_replaced(self):
        for name in ("h2load", "oha", "bombardier", "httpress"):
            self.assertFalse(generators.KNOWN[name].can(self.LOAD))
        self.assertIn('{"a":"é\\"}', generators.KNOWN["eider_bench"].command(self.LOAD, 1, 1))


if __name__ == "__main__":
    unittest.main()

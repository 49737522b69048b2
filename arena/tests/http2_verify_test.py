"""A wrong HTTP/2 response or certificate is detected and named, with and without TLS.

Must not need a peer: the server runs in a thread. Without the package h2, tests are skipped.
"""

import importlib.util
import ssl
import sys
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]
# pylint: disable=wrong-import-position
from experiments import model
from experiments.model import HELLO, Ask, Cell
from load import probe, tls_terms
from load.wrk import HOST
from verify import answers, sealed
from verify.answers import Expected
from verify.framing import WrongAnswer

HAS_H2 = importlib.util.find_spec("h2") is not None
if HAS_H2:
    from tiny_http2 import MODES, TinyHttp2
    from verify import http2

REQUIRED = ("date", "server")


def fault(port, expected=HELLO, count=1):
    """Returns the error of the check, or "" if all is right."""
    try:
        with answers.dial(port) as connection:
            http2.check(connection, "http", HOST, [("/plaintext", expected)] * count, True,
                        REQUIRED)
        return ""
    except WrongAnswer as wrong:
        return str(wrong)


def contestant(cases=("labels",), **serves):
    """Returns a contestant with this manifest."""
    return SimpleNamespace(is_floor=False, peer=SimpleNamespace(
        data={"serves": serves}, headers=REQUIRED, cases=cases))


def cell(streams=100, is_secure=False):
    """Returns a cell of HTTP/2."""
    return Cell("c", "C", Ask("/plaintext", HELLO), ("http2",), kind=model.HTTP2, connections=1,
                streams=streams, is_secure=is_secure)


@unittest.skipUnless(HAS_H2, "the package h2 is not installed")
class Streams(unittest.TestCase):
    def test_each_wrong_one_is_named(self):
        for mode, told in MODES.items():
            if mode == "swapped":  # visible only if streams differ
                continue
            with self.subTest(mode), TinyHttp2(mode) as server:
                found = fault(server.port)
                self.assertEqual(found, "") if not told else self.assertIn(told, found)

    def test_a_hundred_at_once_are_all_looked_at(self):
        with TinyHttp2() as server:
            self.assertEqual(fault(server.port, count=100), "")
        with TinyHttp2("byte") as server:
            self.assertIn("byte 12 differs", fault(server.port, count=100))

    def test_an_answer_on_the_wrong_stream_is_noticed(self):
        asked = [(f"/test/labels/{n}", Expected(f"{n}".encode(), "text/plain")) for n in range(9)]
        for mode in ("right", "swapped"):
            with self.subTest(mode), TinyHttp2(mode) as server, \
                    answers.dial(server.port) as connection:
                if mode == "right":
                    self.assertLess({"date", "server"}, http2.check(
                        connection, "http", HOST, asked, True, REQUIRED))
                    continue
                with self.assertRaisesRegex(WrongAnswer, "differs"):
                    http2.check(connection, "http", HOST, asked, True, REQUIRED)


@unittest.skipUnless(HAS_H2, "the package h2 is not installed")
class Probes(unittest.TestCase):
    def test_as_many_streams_are_asked_as_the_load_has(self):
        asked = probe.of(cell(100), contestant())
        self.assertEqual((type(asked), asked.depth), (probe.StreamsProbe, 100))
        with TinyHttp2() as server:
            asked.check(server.port)
            self.assertEqual(asked.sent, {"date", "server", "content-type"})
            asked.check(server.port)

    def test_labels_show_streams_that_are_swapped_and_only_where_they_are_served(self):
        with TinyHttp2("swapped") as server:
            probe.of(cell(4), contestant(cases=())).check(server.port)
            with self.assertRaisesRegex(WrongAnswer, "differs"):
                probe.of(cell(4), contestant()).check(server.port)

    def test_a_server_that_tells_no_type_is_let_through_only_where_its_manifest_says_so(self):
        with TinyHttp2("no-type") as server:
            probe.of(cell(), contestant(cases=(), is_typed=False)).check(server.port)
            with self.assertRaisesRegex(WrongAnswer, "no content-type field"):
                probe.of(cell(), contestant(cases=())).check(server.port)

    def test_over_tls_the_protocol_and_the_certificate_are_those_of_the_run(self):
        made = tls_terms.certificate()
        with TinyHttp2(certificate=(made.cert, made.key)) as server:
            probe.of(cell(7, True), contestant()).check(server.port)
            tls_terms.certificate.cache_clear()
            self.addCleanup(tls_terms.certificate.cache_clear)
            other = tls_terms.certificate()
            self.assertNotEqual(other, made)
            with self.assertRaisesRegex(WrongAnswer, "TLS handshake fails: CERTIFICATE_VERIFY"):
                probe.of(cell(7, True), contestant()).check(server.port)

    def test_an_older_tls_is_refused(self):
        made = tls_terms.certificate()
        with TinyHttp2(certificate=(made.cert, made.key),
                       newest=ssl.TLSVersion.TLSv1_2) as server:
            with self.assertRaisesRegex(WrongAnswer, "the TLS handshake fails"):
                sealed.dial(server.port, sealed.context(made.cert), HOST)


if __name__ == "__main__":
    unittest.main()

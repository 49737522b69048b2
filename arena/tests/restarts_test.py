"""arena/restarts adds up the counts of its loads, and uses the requested rate.

Must not start a server: lost requests are for users to measure.
"""

import importlib.machinery
import importlib.util
import subprocess
import sys
import unittest
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent.parent / "restarts"


def loaded():
    """Returns the program as a module."""
    loader = importlib.machinery.SourceFileLoader("restarts", str(PROGRAM))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("restarts", loader))
    loader.exec_module(module)
    return module


def report(requests, longest, unsent=0, **errors):
    """Returns the report of one load."""
    return {"requests": requests, "errors": sum(errors.values()), "errors_by_kind": errors,
            "unsent": unsent, "latency": {"max_ms": longest}}


class Restarts(unittest.TestCase):
    def setUp(self):
        self.restarts = loaded()

    def test_what_is_lost_is_told_by_load_and_kind(self):
        result = self.restarts.summed({"kept": report(90, 5.0, closed=2, reset=0),
                                       "new": report(7, 812.4, unsent=3, connect=1)})
        self.assertEqual(result, {
            "sent": 100, "answered": 97, "lost": 3, "unsent": 3, "longest_ms": 812.4,
            "lost_by": {"kept: closed": 2, "new: connect": 1}})
        line = self.restarts.line_of("eider", "crash", 10, 2.0, result)
        self.assertRegex(line, r"^eider +10 × crash +2\.0 s +sent +100 +answered +97 +lost +3 "
                         r"\(kept: closed 2, new: connect 1\), 3 unsent +longest wait 812 ms$")

    def test_the_loads_share_the_whole_rate(self):
        for given, has_plain in (1000, True), (1000, False):
            rates = self.restarts.rates_of(given, has_plain)
            self.assertAlmostEqual(sum(rates.values()), given, delta=len(rates))
            self.assertEqual(any("HTTP/1.1" in name for name in rates), has_plain)

    def test_unknown_names_are_reported_with_the_known_ones(self):
        cases = ((["--only", "apache"], "unknown name apache; choose from: eider, nginx"),
                 (["--events", "fire"], "unknown name fire; choose from: upgrade, restart"))
        for words, told in cases:
            ended = subprocess.run([sys.executable, PROGRAM, *words], capture_output=True,
                                   text=True, timeout=60, check=False)
            self.assertEqual(ended.returncode, 1)
            self.assertIn(told, ended.stderr)


if __name__ == "__main__":
    unittest.main()

"""h2load over HTTP/2, in the clear by prior knowledge or by ALPN over TLS.

Must not judge, but counts as an error what h2load says of an answer without noticing.
"""

import re
import shutil

from load import h2load, outcome, tls_terms
from load.outcome import GeneratorFailed
from load.wrk import HOST

NAME = h2load.NAME
# Over TLS at the end of its time it may leave connections asking, for ever: a number is told there.
_PER_SECOND_ASSUMED = 60_000
_MISSING = "h2load is not installed: apt-get install nghttp2-client"


def why_not():
    """Why it cannot be used here, or ""."""
    return "" if shutil.which(NAME) else _MISSING


class Generator:
    """h2load for one cell, as load/generators.py knows generators."""

    NAME = NAME

    def __init__(self, cell):
        self._cell = cell

    def command(self, load, port, threads):
        """The whole command line."""
        line = [NAME, f"-t{min(threads, load.connections)}", f"-c{load.connections}",
                f"-m{self._cell.streams}", "-H", f":authority: {HOST}"]
        if not self._cell.is_secure:
            return line + [f"-D{max(1, round(load.seconds))}",
                           f"http://127.0.0.1:{port}{load.path}"]
        return line + [f"-n{round(load.seconds * _PER_SECOND_ASSUMED)}",
                       f"--tls13-ciphers={tls_terms.SUITE}",
                       f"https://127.0.0.1:{port}{load.path}"]

    def parse(self, text):
        """The Report in its output; GeneratorFailed where another protocol was spoken."""
        report = h2load.parse(text)
        for what, wanted in self._terms():
            told = re.findall(rf"^{what}: (\S+)", text, re.MULTILINE)
            if set(told) != {wanted}:
                raise GeneratorFailed(f"h2load: {what} is {' and '.join(told) or 'not told'}, "
                                      f"not {wanted}")
        wrong = self._why(report.requests, text)
        report.errors = "; ".join(part for part in (report.errors, wrong) if part)
        return report

    def _terms(self):
        """What it must say of the connections."""
        if not self._cell.is_secure:
            return (("Application protocol", "h2c"),)
        return (("Application protocol", "h2"), ("TLS Protocol", tls_terms.PROTOCOL),
                ("Cipher", tls_terms.SUITE))

    def _why(self, count, text):
        """What is wrong with the sum of all answers: each is 2xx and as long as it must be.

        Those that were under way at the end have come in part.
        """
        statuses = re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", text)
        size = outcome.number(text, r"traffic: .*\((\d+)\) data")
        if not statuses or size is None:
            return "h2load does not say what the answers were"
        good, *others = map(int, statuses.groups())
        if any(others) or good < count:
            return f"the answers have other statuses than 2xx: {statuses[0]}"
        under_way = self._cell.connections * self._cell.streams
        least, most = (number * len(self._cell.ask.expected.body)
                       for number in (count, count + under_way))
        if not least <= size <= most:
            return f"the answers have {size:.0f} bytes in all, not {least} to {most}"
        return ""

"""h2load with HTTP/2, without TLS by prior knowledge or with ALPN and TLS.

Its option is a number of requests. With a time, it does not count up to 10,000 pending requests to
which the server has responded, and with TLS some connections may continue forever. Must not judge,
but counts responses as errors that h2load accepts although they are wrong.
"""

import re
import shutil

from load import h2load, outcome, tls_terms
from load.outcome import GeneratorFailed
from load.wrk import HOST

NAME = h2load.NAME
_FIRST_REQUESTS = 20_000
_MISSING = "h2load is not installed: apt-get install nghttp2-client"


def why_not():
    """Returns why it cannot be used here, or ""."""
    return "" if shutil.which(NAME) else _MISSING


class Generator:
    """h2load for one cell; a generator for load/generators.py.

    The number of requests follows from the measurement's time and the contestant's rate in the last
    one (the first is short); a port identifies the contestant.
    """

    NAME = NAME

    def __init__(self, cell):
        self._cell, self._asked, self._rates = cell, None, {}

    def command(self, load, port, threads):
        """Returns the command line."""
        self._asked = port
        line = [NAME, f"-t{min(threads, load.connections)}", f"-c{load.connections}",
                f"-m{self._cell.streams}", f"-n{self._count(load, port)}",
                "-H", f":authority: {HOST}"]
        if not self._cell.is_secure:
            return line + [f"http://127.0.0.1:{port}{load.path}"]
        return line + [f"--tls13-ciphers={tls_terms.SUITE}", f"https://127.0.0.1:{port}{load.path}"]

    def _count(self, load, port):
        """Returns at least one request per concurrent stream."""
        asked = round(self._rates[port] * load.seconds) if port in self._rates else _FIRST_REQUESTS
        return max(asked, load.connections * self._cell.streams)

    def parse(self, text):
        """Returns the Report in its output; raises GeneratorFailed if another protocol was used."""
        report = h2load.parse(text)
        if report.requests:
            self._rates[self._asked] = report.per_second
        for what, wanted in self._terms():
            told = re.findall(rf"^{what}: (\S+)", text, re.MULTILINE)
            if set(told) != {wanted}:
                raise GeneratorFailed(f"h2load: {what} is {' and '.join(told) or 'not reported'}, "
                                      f"not {wanted}")
        wrong = self._why(report.requests, text)
        report.errors = "; ".join(part for part in (report.errors, wrong) if part)
        return report

    def _terms(self):
        """Returns the required protocol of the connections."""
        if not self._cell.is_secure:
            return (("Application protocol", "h2c"),)
        return (("Application protocol", "h2"), ("TLS Protocol", tls_terms.PROTOCOL),
                ("Cipher", tls_terms.SUITE))

    def _why(self, count, text):
        """Returns why the responses are wrong: each must be 2xx and of the expected length."""
        statuses = re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", text)
        size = outcome.number(text, r"traffic: .*\((\d+)\) data")
        if not statuses or size is None:
            return "h2load does not report the status codes"
        good, *others = map(int, statuses.groups())
        wanted = count * len(self._cell.ask.expected.body)
        if any(others) or good != count:
            return f"not all of the {count} responses are 2xx: {statuses[0]}"
        return "" if size == wanted else f"the responses have {size:.0f} bytes, not {wanted}"

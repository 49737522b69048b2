"""The arena's own client of TLS handshakes: a connection per request, new or resumed.

Must not judge: errors are counted, not interpreted.
"""

import json
import sys
from pathlib import Path

from load import tls_terms
from load.outcome import GeneratorFailed, Report
from load.wrk import HOST

NAME = "handshaker"
_PROGRAM = Path(__file__).resolve().parent / "handshaker.py"


class Generator:
    """handshaker.py for one cell; a generator for load/generators.py."""

    NAME = NAME

    def __init__(self, cell):
        self._cell = cell

    def command(self, load, port, _threads):
        """Returns the command line. It is one process: Python runs on one core at a time."""
        line = [sys.executable, "-I", "-S", str(_PROGRAM), "--port", str(port), "--host", HOST,
                "--path", load.path, "--body", self._cell.ask.expected.body.decode(),
                "--connections", str(load.connections),
                "--seconds", str(max(1, round(load.seconds))), "--suite", tls_terms.SUITE]
        return tls_terms.as_client(line + (["--resumes"] if self._cell.is_resumed else []))

    @staticmethod
    def parse(text):
        """Returns the Report in its output."""
        try:
            told = json.loads(text)
            errors = "; ".join(f"{count} x {what}" for what, count in told["errors"].items())
            latency = {f"{name}_ms": told[f"{name}_ms"] for name in
                       ("p50", "p90", "p99", "avg", "max")}
            return Report(told["requests"], told["requests"] / told["seconds"], errors=errors,
                          error_count=sum(told["errors"].values()),
                          certificates=told["certificates"], **latency)
        except (ValueError, KeyError, TypeError, ZeroDivisionError):
            raise GeneratorFailed("handshaker said: " + text.strip()[-200:]) from None

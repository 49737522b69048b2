"""One measurement: a contestant under one load, its answers checked before and meanwhile.

Must not compare: ratios are formed by report/table.py within a round.
"""

import time
from dataclasses import asdict, dataclass

from load import wrk
from verify import answers

_PATIENCE_SECONDS = 60


@dataclass
class Sample:
    """What one measurement gave.

    cpu_us       CPU time of the server's process tree per request, microseconds
    waited       time that the server waited for its core, over that which it had: other work
    memory       bytes under load beyond those of the freshly started server
    wrong        why this run is disqualified, or ""
    """
    contestant: str
    workload: str
    round: int
    cpu_us: float = float("nan")
    per_second: float = float("nan")
    p50_ms: float = float("nan")
    p99_ms: float = float("nan")
    rss_bytes: int = 0
    pss_bytes: int = 0
    waited: float = float("nan")
    requests: int = 0
    wrong: str = ""

    def as_row(self):
        """A plain dict, for the results file."""
        return asdict(self)


class Probe:
    """Sends the workload's own request outside the generator and checks the answer."""

    def __init__(self, workload, is_floor):
        self.expected = workload.floor_expected if is_floor else workload.expected
        self.has_clock = not is_floor
        self.depth = workload.load.depth
        self.request = answers.request_bytes(workload.load.path, wrk.HOST, workload.load.headers)

    def check(self, port):
        """Raises WrongAnswer or OSError."""
        answers.check(port, self.request, self.depth, self.expected, self.has_clock)


def measure(server, workload, probe, load_cores, number, fresh_memory):
    """Runs the load once. Whatever goes wrong stands in the sample: nothing is dropped."""
    sample = Sample(server.name, workload.name, number)
    try:
        probe.check(server.port)
        _run(server, workload, probe, load_cores, sample, fresh_memory)
    except (answers.WrongAnswer, wrk.GeneratorFailed, OSError) as failure:
        sample.wrong = str(failure) or type(failure).__name__
    return sample


def _run(server, workload, probe, load_cores, sample, fresh_memory):
    ran_before, waited_before = server.cpu_ns()
    process = wrk.start(workload.load, server.port, load_cores)
    try:
        time.sleep(workload.load.seconds * 0.7)
        probe.check(server.port)
        memory = server.memory_bytes()
        report = wrk.finish(process, workload.load.seconds + _PATIENCE_SECONDS)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    ran, waited = server.cpu_ns()
    requests = report.requests + probe.depth
    sample.requests = report.requests
    sample.cpu_us = (ran - ran_before) / 1000 / max(1, requests)
    sample.waited = (waited - waited_before) / max(1, ran - ran_before)
    sample.per_second = report.per_second
    sample.p50_ms, sample.p99_ms = report.p50_ms, report.p99_ms
    sample.rss_bytes = memory["rss"] - fresh_memory["rss"]
    sample.pss_bytes = memory["pss"] - fresh_memory["pss"]
    sample.wrong = report.errors

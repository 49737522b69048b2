"""One measurement: a contestant under one load; its responses are checked before and during it.

Must not compare: the report forms ratios within a round.
"""

import time
from dataclasses import asdict, dataclass

from load import wrk
from load.outcome import GeneratorFailed
from verify import answers
from verify.framing import WrongAnswer

_PATIENCE_SECONDS = 60
_PROBES_AT = (0.3, 0.7)  # fractions of the load's duration


@dataclass
class Sample:
    """The result of one measurement of arena/quick.

    cpu_us       CPU time of the server's process tree per request, microseconds
    waited       time that the server waited for its core, divided by its time on a core
    memory       bytes under load in addition to those of the freshly started server
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
        """Returns a plain dict for the results file."""
        return asdict(self)


@dataclass(frozen=True)
class Cost:
    """The load's report, and the server's cost."""
    report: object
    cpu_us: float
    waited: float
    memory: dict


class Probe:
    """Sends the workload's request outside of the generator and checks the response."""

    def __init__(self, workload, is_floor):
        self.expected = workload.floor_expected if is_floor else workload.expected
        self.has_clock = not is_floor
        self.depth = workload.load.depth
        self.request = answers.request_bytes(workload.load.path, wrk.HOST, workload.load.headers)

    def check(self, port):
        """Raises WrongAnswer or OSError."""
        answers.check(port, self.request, self.depth, self.expected, self.has_clock)


def under_load(server, start, finish, probe, seconds):
    """Returns the Cost of a load: `start()` begins it, `finish(process, seconds_max)` reads it."""
    ran_before, waited_before = server.cpu_ns()
    process = start()
    began = time.monotonic()
    try:
        for share in _PROBES_AT:
            time.sleep(max(0, began + seconds * share - time.monotonic()))
            probe.check(server.port)
        memory = server.memory_bytes()
        report = finish(process, seconds + _PATIENCE_SECONDS)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
    ran, waited = server.cpu_ns()
    requests = report.requests + probe.depth * len(_PROBES_AT)
    return Cost(report, (ran - ran_before) / 1000 / max(1, requests),
                max(0, waited - waited_before) / max(1, ran - ran_before), memory)


def measure(server, workload, probe, load_cores, number, fresh_memory):
    """Runs the load once. Errors are in the sample: no result is dropped."""
    sample = Sample(server.name, workload.name, number)
    try:
        probe.check(server.port)
        cost = under_load(server, lambda: wrk.start(workload.load, server.port, load_cores),
                          wrk.finish, probe, workload.load.seconds)
    except (WrongAnswer, GeneratorFailed, OSError) as failure:
        sample.wrong = str(failure) or type(failure).__name__
        return sample
    report = cost.report
    sample.requests, sample.wrong = report.requests, report.errors
    sample.cpu_us, sample.waited = cost.cpu_us, cost.waited
    sample.per_second, sample.p50_ms, sample.p99_ms = (
        report.per_second, report.p50_ms, report.p99_ms)
    sample.rss_bytes = cost.memory["rss"] - fresh_memory["rss"]
    sample.pss_bytes = cost.memory["pss"] - fresh_memory["pss"]
    return sample

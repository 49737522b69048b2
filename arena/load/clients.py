"""Measures a cell in which the contestants are clients: all send requests to the same epoll floor.

Must not trust a client: before it is measured, a server with correct and wrong responses checks its
figures, which must be exact.
"""

from contextlib import ExitStack

from load import asking, starting
from load.known_server import KnownServer
from load.outcome import GeneratorFailed
from load.server import ServerFailed
from peers.manifest import filled
from verify import answers
from verify.framing import WrongAnswer

_FAULTS = (WrongAnswer, GeneratorFailed, ServerFailed, OSError)
_KNOWN_SECONDS, _KNOWN_SECONDS_MORE = 0.2, 3
_LIES_EVERY = 5
_ROUNDING_SECONDS = 1e-3


class Client:
    """One contestant in one cell. `out` is why it is not measured any more, or ""."""

    def __init__(self, contestant, step, context):
        self.contestant, self.cell = contestant, step.cell
        self.cores = set(context.machine.server_cores)
        self.prefix = context.prefixes.get(contestant.peer.name, "")
        self.out = ""

    @property
    def name(self):
        """The name in the samples."""
        return self.contestant.name

    def command(self, port, seconds):
        """Returns its command line."""
        return filled(self.contestant.client, self.contestant.peer, prefix=self.prefix,
                      url=f"http://127.0.0.1:{port}{self.cell.ask.path}",
                      connections=self.cell.connections, seconds=seconds,
                      body_bytes=self.cell.message_bytes)

    def ask(self, port, seconds, at_work=lambda: None):
        """Returns the Told of one run."""
        return asking.ask(self.command(port, seconds), self.cores, seconds, at_work)

    def check(self):
        """Checks its figures for correct and for wrong responses; a client that fails is out."""
        try:
            self._check_against(KnownServer(self.cell), _KNOWN_SECONDS)
            lying = KnownServer(self.cell, _LIES_EVERY)
            self._check_against(lying, _KNOWN_SECONDS)
            if not lying.has_lied_in_all_ways:  # too slow: the machine is busy
                self._check_against(KnownServer(self.cell, _LIES_EVERY), _KNOWN_SECONDS_MORE)
        except _FAULTS as failure:
            self.out = f"before the load: {failure}"

    def _check_against(self, server, seconds):
        """Raises WrongAnswer for a wrong request or figure, else the client's own failure."""
        try:
            with server:
                told = self.ask(server.port, seconds)
        finally:
            if server.fault:
                raise WrongAnswer(server.fault)  # even if the client failed, too
        _compare(told, server, self.cell)


def _compare(told, server, cell):
    """Raises WrongAnswer unless client and server have counted the same."""
    right = server.answered - server.lies
    if (told.requests, told.errors) != (right, server.lies):
        raise WrongAnswer(f"it reports {told.requests} correct responses and {told.errors} "
                          f"wrong; {right} and {server.lies} were")
    if told.bytes != right * len(cell.ask.expected.body):
        raise WrongAnswer(f"it reports {told.bytes} bytes in {right} responses")
    least, most = cell.connections, 2 * cell.connections  # a pool may open some more in advance
    if not least <= server.connections <= most:
        raise WrongAnswer(f"it opened {server.connections} connections, not {least}")


def run(step, context):
    """Runs all rounds of the step, contestants alternating."""
    with ExitStack() as stack:
        server = starting.upstream_server(step.cell, context.ports, context.machine)
        try:
            stack.enter_context(server)
        except ServerFailed as failure:
            raise ServerFailed(f"the bare loop does not start: {failure}") from None
        found = [Client(contestant, step, context) for contestant in step.contestants]
        for one in found:
            context.progress.tell(f"{step.experiment.id}/{step.cell.id} · checking {one.name}")
            one.check()
        for number in context.rounds_left(step):
            for one in found:
                context.begin(step, one.name, number)
                context.record(step, one.name, number, **_measured(one, step, server))


def _measured(one, step, server):
    """Returns the figures of one sample, or {"wrong": reason}."""
    if one.out:
        return {"wrong": one.out}
    def at_work():
        answers.check(server.port, step.cell.ask.request(), 1, step.cell.ask.expected, False)
    try:
        at_work()
        least = one.ask(server.port, 0)
        told = one.ask(server.port, step.seconds, at_work)
        server.ensure_alive()
    except _FAULTS as failure:
        return {"wrong": str(failure) or type(failure).__name__}
    return figures(least, told, step)


def _why(told, step):
    """Returns what is wrong with the client's figures, or ""."""
    if told.errors:
        return f"{told.errors} of its responses were wrong or missing"
    if told.bytes != told.requests * len(step.cell.ask.expected.body):
        return f"it counted {told.bytes} bytes in {told.requests} responses"
    if not step.seconds - _ROUNDING_SECONDS <= told.seconds <= told.whole_seconds:
        return f"it says that it took {told.seconds:g} s of {told.whole_seconds:g} s"
    return ""


def figures(least, told, step):
    """Returns a sample's figures. The cost of a run of no duration is subtracted.

    least, told  of a run of no duration, and of the measurement
    """
    count = told.requests - least.requests
    wrong = _why(told, step) or ("" if count > 0 else "no response was counted")
    spent = max(1, told.ran_ns - least.ran_ns)
    return {"wrong": wrong, "requests": told.requests, "errors": told.errors,
            "per_second": told.requests / max(told.seconds, _ROUNDING_SECONDS),
            "cpu_us": spent / 1000 / max(1, count),
            "waited": max(0, told.waited_ns - least.waited_ns) / spent,
            "rss_bytes": told.memory.get("rss"), "pss_bytes": told.memory.get("pss")}

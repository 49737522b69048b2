"""Measures a cell of experiment 2: clients with a new connection per request.

Must measure waiting servers concurrently: they do not disturb each other.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from pathlib import Path

from load import eider_bench, plan
from load.closed import figures
from load.eider_bench import NotBuilt
from load.taking_part import FAULTS, start_all, stop_all
from verify import remote
from verify.framing import WrongAnswer

_REMOTE = Path(remote.__file__).resolve()
_CHECK_SECONDS_MAX = 30
_ANSWER_SECONDS_MAX = 60


def run(step, context):
    """Runs all rounds of the step, in groups that run concurrently."""
    try:
        eider_bench.ensure_built()
        line = _Line.open(step.cell)
    except NotBuilt as reason:
        context.leave_out(step, str(reason))
        return
    with ExitStack() as stack:
        try:
            stack.enter_context(line.vpn)
        except Exception as failure:  # pylint: disable=broad-exception-caught
            context.leave_out(step, f"the delaying bridge does not start: {failure}")
            return
        found = start_all(stack, step, context, line.wrap)
        for number in context.rounds_left(step):
            _run_round(found, number, step, context, line)
        stop_all(found, step, context)


class _Line:
    """The network to the servers: loopback, or the VPN."""

    def __init__(self, vpn, is_remote):
        self.vpn, self.is_remote = vpn, is_remote

    @staticmethod
    def open(cell):
        """Returns the network of the cell; raises NotBuilt if this tree does not contain it."""
        if not cell.is_remote:
            return _Line(nullcontext(), False)
        try:
            from network import vpn  # pylint: disable=import-outside-toplevel
        except ImportError:
            raise NotBuilt("the delaying bridge (arena/network) is not in this tree") from None
        return _Line(vpn.Vpn(delay_ms=26), True)

    @property
    def wrap(self):
        """A function that puts a server's command into its namespace; None if there is none."""
        if not self.is_remote:
            return None
        return lambda words: self.vpn.command(self.vpn.server_namespace, words)

    @property
    def address(self):
        """The address of the servers."""
        return self.vpn.server_address if self.is_remote else "127.0.0.1"

    @property
    def namespace(self):
        """The namespace of the clients, or None."""
        return self.vpn.client_namespace if self.is_remote else None

    def check(self, one):
        """Checks one response from the location of the clients."""
        if not self.is_remote:
            one.probe.check(one.server.port)
            return
        word = remote.argument(self.address, one.server.port, one.probe.request,
                               one.probe.expected, one.probe.required)
        ended = subprocess.run(
            self.vpn.command(self.namespace, [sys.executable, str(_REMOTE), word]),
            capture_output=True, text=True, timeout=_CHECK_SECONDS_MAX, check=False)
        if ended.returncode != 0:
            raise WrongAnswer((ended.stdout or ended.stderr).strip()[-300:])


def _run_round(found, number, step, context, line):
    size = plan.together(step.cell)
    for first in range(0, len(found), size):
        group = found[first:first + size]
        context.begin(step, ", ".join(one.name for one in group), number)
        measured = _measured_together(group, step, context, line)
        for one, values in zip(group, measured):
            context.record(step, one.name, number, **values)


def _measured_together(group, step, context, line):
    """Returns the figures of all contestants in the group."""
    with ThreadPoolExecutor(len(group)) as pool:
        futures = [pool.submit(_measured, one, step, context, line) for one in group]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for one in group:  # so that their clients end now, not minutes later
                if one.server.process is not None:
                    one.server.kill()
            raise


def _measured(one, step, context, line):
    if one.out:
        return {"wrong": one.out}
    cell = step.cell
    try:
        one.server.ensure_alive()
        line.check(one)
        ran_before, waited_before = one.server.cpu_ns()
        report = eider_bench.sequential(
            line.address, one.server.port, cell.connections, cell.requests, cell.ask.path,
            cell.ask.body.decode(), min(_ANSWER_SECONDS_MAX, cell.seconds_max),
            set(context.machine.load_cores), line.namespace, limit_seconds=cell.seconds_max)
        ran, waited = one.server.cpu_ns()
        memory = one.server.memory_bytes()
        one.server.ensure_alive()
    except (*FAULTS, subprocess.TimeoutExpired) as failure:
        return {"wrong": one.why(failure)}
    spent = max(1, ran - ran_before)
    return figures(report) | {
        "seconds": report.seconds, "cpu_us": spent / 1000 / max(1, report.requests),
        "waited": (waited - waited_before) / spent, "rss_bytes": memory["rss"],
        "pss_bytes": memory["pss"], "wrong": _why(report, cell)}


def _why(report, cell):
    wanted = cell.connections * cell.requests
    if report.requests < wanted:
        return (f"{report.requests:,} of {wanted:,} responses within {cell.seconds_max:.0f} s "
                f"(three times the best published time){'; ' if report.errors else ''}"
                f"{report.errors}")
    return report.errors

"""Measures a cell at a fixed rate, with Eider's own generator: latency since the scheduled time.

Must not slow down with the server, as a closed loop does.
"""

from contextlib import ExitStack

from load import eider_bench
from load.closed import figures, warm_up
from load.taking_part import FAULTS, start_all, stop_all


def run(step, context):
    """Runs all rounds of the step, contestants alternating."""
    why = eider_bench.why_not()
    if why:
        context.leave_out(step, why)
        return
    with ExitStack() as stack:
        found = start_all(stack, step, context)
        warm_up(found, step, context, eider_bench)
        for number in context.rounds_left(step):
            for one in found:
                context.begin(step, one.name, number)
                context.record(step, one.name, number, **_measured(one, step, context))
        stop_all(found, step, context)


def _measured(one, step, context):
    if one.out:
        return {"wrong": one.out}
    try:
        one.check_first()
        ran_before, waited_before = one.server.cpu_ns()
        report = eider_bench.fixed_rate(
            one.server.port, step.cell.ask.path, step.cell.connections, step.cell.rate,
            step.seconds, set(context.machine.load_cores),
            expect_body=one.probe.expected.body.decode(), threads=len(context.machine.load_cores))
        ran, waited = one.server.cpu_ns()
        memory = one.server.memory_bytes()
        one.server.ensure_alive()
        one.probe.check(one.server.port)
    except FAULTS as failure:
        return {"wrong": one.why(failure)}
    if report.unsent:
        report.errors = f"{report.unsent} requests were due and never sent; {report.errors}"
    spent = max(1, ran - ran_before)
    return figures(report) | {"cpu_us": spent / 1000 / max(1, report.requests),
                              "waited": (waited - waited_before) / spent,
                              "rss_bytes": memory["rss"], "pss_bytes": memory["pss"]}

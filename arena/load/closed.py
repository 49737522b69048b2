"""Measures a cell with a closed loop: rounds in which the contestants alternate.

Must not drop a result: a sample contains its errors.
"""

from contextlib import ExitStack

from experiments import model
from load import changing, eider_bench, generators, handshakes, multiplexed, postgres
from load.measure import under_load
from load.taking_part import FAULTS, start_all, stop_all
from load.wrk import Load

_PATIENCE_SECONDS = 60
_WEIGHED_BY_BYTES = 1024
_OF_A_CELL = {**dict.fromkeys(model.REALTIME, eider_bench.Realtime),
              model.HTTP2: multiplexed.Generator, model.HANDSHAKES: handshakes.Generator}


def load_of(cell, seconds):
    """Returns the Load for the generator."""
    return Load(cell.ask.path, cell.connections, seconds, cell.ask.headers, cell.depth,
                cell.is_secure, cell.ask.method, cell.ask.body, cell.ask.mix,
                cell.ask.allowed)


def generator_of(step, asked):
    """Returns (generator, why it is not the one requested or "")."""
    if step.cell.kind in _OF_A_CELL:
        return _OF_A_CELL[step.cell.kind](step.cell), ""
    return generators.choose(load_of(step.cell, step.seconds), step.experiment.generator, asked)


def run_ours(step, context):
    """Like run(), but with Eider's own generator only."""
    why = eider_bench.why_not()
    if why:
        context.leave_out(step, why)
        return
    run(step, context)


def run_multiplexed(step, context):
    """Like run(), but with h2load only."""
    why = multiplexed.why_not()
    if why:
        context.leave_out(step, why)
        return
    run(step, context)


def run(step, context):
    """Runs all rounds of the step."""
    generator, _ = generator_of(step, context.generator)
    with ExitStack() as stack:
        found = start_all(stack, step, context)
        warm_up(found, step, context, generator)
        for number in context.rounds_left(step):
            for one in found:
                context.begin(step, one.name, number)
                context.record(step, one.name, number, **measured(one, step, context, generator))
        stop_all(found, step, context)


def warm_up(found, step, context, generator):
    """Loads the servers before the measurement. Errors are ignored: they recur in the samples."""
    if not step.warm_seconds:
        return
    load, cores = load_of(step.cell, step.warm_seconds), set(context.machine.load_cores)
    for one in [one for one in found if not one.out]:
        context.progress.tell(f"{step.experiment.id}/{step.cell.id} · warming {one.name}")
        try:
            one.check_first()
            process = generators.start(generator, load, one.server.port, cores)
            generators.finish(generator, process, step.warm_seconds + _PATIENCE_SECONDS)
        except FAULTS:
            continue


def measured(one, step, context, generator):
    """Returns the figures of one sample, or {"wrong": reason}."""
    if one.out:
        return {"wrong": one.out}
    load, cores = load_of(step.cell, step.seconds), set(context.machine.load_cores)
    try:
        one.check_first()
        before = _database_ns(step)
        with changing.of(step, one) as changes:
            cost = under_load(
                one.server, lambda: generators.start(generator, load, one.server.port, cores),
                lambda process, most: generators.finish(generator, process, most), one.probe,
                step.seconds)
        one.server.ensure_alive()
        found = figures(cost.report) | changes.figures(cost.report)
    except FAULTS as failure:
        return {"wrong": one.why(failure)}
    if step.cell.has_database:
        spent = _database_ns(step) - before
        found["database_cpu_us"] = spent / 1000 / max(1, cost.report.requests)
    if step.cell.metric == "weighed_us" and found["answer_bytes"] is not None:
        found["weighed_us"] = cost.cpu_us * (found["answer_bytes"] / _WEIGHED_BY_BYTES) ** 2
    if not cost.report.requests:
        found["wrong"] = found["wrong"] or "no response was counted"
    return found | {
        "cpu_us": None if step.cell.kind == model.WORKERS else cost.cpu_us, "waited": cost.waited,
        "rss_bytes": cost.memory["rss"], "pss_bytes": cost.memory["pss"]}


def _database_ns(step):
    return postgres.shared().cpu_ns() if step.cell.has_database else 0


def figures(report):
    """Returns a generator's Report as figures of a sample."""
    return {"per_second": report.per_second, "avg_ms": report.avg_ms, "p50_ms": report.p50_ms,
            "p90_ms": report.p90_ms, "p99_ms": report.p99_ms, "max_ms": report.max_ms,
            "requests": report.requests, "errors": report.error_count, "wrong": report.errors,
            "answer_bytes": None if report.bytes_read is None or not report.requests
            else report.bytes_read / report.requests}

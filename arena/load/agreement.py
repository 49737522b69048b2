"""Measures a cell with two generators that load the same servers, one after the other in each
round.

Must not compare them: the report forms the ratios within a round.
"""

import resource
from contextlib import ExitStack

from experiments.model import name_by
from load import closed, generators
from load.taking_part import start_all, stop_all


def run(step, context):
    """Runs all rounds: each server is started once, and each generator loads it in turn."""
    for name in step.cell.generators:
        if not generators.is_there(name):
            context.leave_out(step, f"the generator {name} is not there")
            return
    loading = [generators.KNOWN[name] for name in step.cell.generators]
    with ExitStack() as stack:
        found = start_all(stack, step, context)
        closed.warm_up(found, step, context, loading[0])
        for number in context.rounds_left(step):
            for one in found:
                for generator in loading if number % 2 == 0 else loading[::-1]:
                    name = name_by(one.name, generator.NAME)
                    context.begin(step, name, number)
                    context.record(step, name, number,
                                   **_measured(one, step, context, generator))
        stop_all(found, step, context)


def _ended_ns():
    """Returns the CPU time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round((used.ru_utime + used.ru_stime) * 1e9)


def _measured(one, step, context, generator):
    """Returns the figures of one sample with the CPU time of the generator, the only child to
    end.
    """
    before = _ended_ns()
    found = closed.measured(one, step, context, generator)
    if found.get("requests"):
        found["load_cpu_us"] = (_ended_ns() - before) / 1000 / found["requests"]
    return found

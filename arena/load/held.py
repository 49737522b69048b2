"""A load on a few connections while many others are open and idle.

Must not count idle connections as requests: the load alone is measured.
"""

import itertools

from load import closed, idle
from load.taking_part import FAULTS
from verify.answers import dial

# A client has 28,000 ports for each address of a server.
ADDRESSES = 8


def dialer():
    """Returns a function that opens connections, to the loopback addresses in turn."""
    turns = itertools.cycle(f"127.0.0.{number + 1}" for number in range(ADDRESSES))
    return lambda port: dial(port, next(turns))


def figures(one, step, context):
    """Returns the figures of one sample, with the held connections' memory."""
    if one.out:
        return {"wrong": one.out}
    generator, _ = closed.generator_of(step, context.generator)
    use = idle.opener(one.probe.request)
    try:
        one.check_first()
        with idle.opened(one.server, use, step.cell.held, dialer()) as (held, before, after):
            found = closed.measured(one, step, context, generator)
            idle.ensure_open(held)
            for connection in held:
                use(connection)
    except FAULTS as failure:
        return {"wrong": one.why(failure)}
    return found | {"held_bytes": (after - before) / step.cell.held}

"""A load on a few connections while many others are open and idle.

Must not count idle connections as requests: the load alone is measured.
"""

import itertools
import multiprocessing
import signal
from contextlib import contextmanager

from load import closed, idle
from load.taking_part import FAULTS
from verify.answers import dial
from verify.framing import WrongAnswer

# A client has 28,000 ports for each address of a server.
ADDRESSES = 8
# The limit of open files counts for each process, so several hold the connections.
PER_PROCESS_MAX = 16_000
# Servers close connections that are idle for 10 seconds, so several are opened at once to be fast.
TOGETHER = 32
_UNEVEN_MAX = 0.5


def dialer():
    """Returns a function that opens connections, to the loopback addresses in turn."""
    turns = itertools.cycle(f"127.0.0.{number + 1}" for number in range(ADDRESSES))
    return lambda port: dial(port, next(turns))


def _hold(pipe, server, use, count):
    """Opens connections, and uses each again after the load. Runs in a process of its own."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the arena ends this process
    try:
        with idle.opened(server, use, count, dialer(), TOGETHER) as (connections, before, after):
            pipe.send(after - before)
            pipe.recv()
            idle.ensure_open(connections)
            for first in range(0, len(connections), TOGETHER):
                use(*connections[first:first + TOGETHER])
            pipe.send(None)
    except FAULTS as failure:
        pipe.send(failure)


def _received(pipe):
    """Returns what a holding process has sent; raises its failure."""
    try:
        found = pipe.recv()
    except EOFError:
        raise OSError("a process that holds idle connections has ended") from None
    if isinstance(found, Exception):
        raise found
    return found


@contextmanager
def opened(server, use, total):
    """Opens the connections in as many processes as they need, and uses each once.

    yields  (growth of the server's RSS, function that ensures that all are open and uses each)
    """
    fork, holders, pipes, grown = multiprocessing.get_context("fork"), [], [], 0

    def use_again():
        for pipe in pipes:
            pipe.send(None)
            _received(pipe)

    try:
        for first in range(0, total, PER_PROCESS_MAX):
            pipe, other = fork.Pipe()
            words = (other, server, use, min(PER_PROCESS_MAX, total - first))
            holders.append(fork.Process(target=_hold, args=words, daemon=True))
            pipes.append(pipe)
            holders[-1].start()
            other.close()
            grown += _received(pipe)
        yield grown, use_again
    finally:
        for holder in holders:
            holder.kill()
            holder.join()


def ensure_spread(server, processes, connections):
    """Each of several processes must have its part, or one of them reaches its limit of files."""
    counts = sorted([*server.sockets(), *[0] * processes], reverse=True)[:processes]
    if min(counts) < connections / processes * _UNEVEN_MAX:
        raise WrongAnswer("the idle connections are not spread over the processes: "
                          + ", ".join(f"{count:,}" for count in counts))


def figures(one, step, context):
    """Returns the figures of one sample, with the held connections' memory."""
    if one.out:
        return {"wrong": one.out}
    generator, _ = closed.generator_of(step, context.generator)
    use = idle.opener(one.probe.request)
    try:
        one.check_first()
        with opened(one.server, use, step.cell.held) as (grown, use_again):
            ensure_spread(one.server, step.cell.processes, step.cell.held)
            found = closed.measured(one, step, context, generator)
            use_again()
    except FAULTS as failure:
        return {"wrong": one.why(failure)}
    return found | {"held_bytes": grown / step.cell.held}

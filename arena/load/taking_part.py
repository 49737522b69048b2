"""Those who run during one cell: started once, questioned, ended; one's fault stays its own.

Must not start a dead contestant again: what it owes is recorded as missing.
"""

from load import postgres, probe, starting
from load.outcome import GeneratorFailed
from load.server import ServerFailed
from verify.framing import WrongAnswer

_DEATH_SECONDS = 0.2  # a connection may end a little before its process has
FAULTS = (WrongAnswer, GeneratorFailed, ServerFailed, OSError)


class TakingPart:
    """One contestant in one cell. `out` says why it is measured no more, or ""."""

    def __init__(self, contestant, cell, server):
        self.contestant, self.server = contestant, server
        self.probe = probe.of(cell, contestant)
        self.out = ""

    @property
    def name(self):
        """As in the samples."""
        return self.contestant.name

    def why(self, failure):
        """The fault in words; the death of the server explains whatever came of it."""
        try:
            if self.server.process is not None:
                self.server.ensure_alive(_DEATH_SECONDS)
        except ServerFailed as death:
            self.out = str(death)
            return self.out
        return str(failure) or type(failure).__name__

    def check_first(self):
        """Raises one of FAULTS; a contestant that answers wrongly without any load is out."""
        try:
            self.server.ensure_alive()
            self.probe.check(self.server.port)
        except FAULTS as failure:
            self.out = self.why(failure)
            raise


def _upstream(stack, step, context):
    """HOST:PORT of what all pass requests on to, started; "" where nobody does."""
    if not step.cell.is_proxied:
        return ""
    server = starting.upstream_server(step.cell, context.ports, context.machine)
    try:
        stack.enter_context(server)
    except ServerFailed as failure:
        raise ServerFailed(f"the upstream does not start: {failure}") from None
    return f"127.0.0.1:{server.port}"


def start_all(stack, step, context, wrap=None):
    """Starts everybody of the step; who does not start is out, and the others go on.

    Raises ServerFailed where the cell needs an upstream or a database that does not start.
    """
    found, upstream = [], _upstream(stack, step, context)
    if step.cell.has_database:
        postgres.shared(set(context.machine.load_cores)).fill()
    for contestant in step.contestants:
        server = starting.server(contestant, step.cell, context.ports, context.machine,
                                 context.prefixes.get(contestant.peer.name, ""), wrap, upstream)
        one = TakingPart(contestant, step.cell, server)
        context.progress.tell(f"{step.experiment.id}/{step.cell.id} · starting {one.name}")
        try:
            stack.enter_context(server)
        except ServerFailed as failure:
            one.out = f"does not start: {failure}"
        found.append(one)
    return found


def stop_all(found, step, context):
    """Everybody must leave cleanly; who does not is noted."""
    for one in found:
        if one.server.process is None or one.out.startswith("does not start"):
            continue
        try:
            one.server.stop()
        except ServerFailed as failure:
            if not one.out:
                context.note(one.name, step, str(failure))
        context.learn(one)

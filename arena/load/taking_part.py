"""The contestants of one cell: started once, checked, ended; a failure does not affect the others.

Must not restart a crashed contestant: its remaining samples are recorded as missing.
"""

from load import postgres, probe, starting
from load.outcome import GeneratorFailed
from load.server import ServerFailed
from verify.framing import WrongAnswer

_DEATH_SECONDS = 0.2  # a connection may end shortly before its process
FAULTS = (WrongAnswer, GeneratorFailed, ServerFailed, OSError)


class TakingPart:
    """One contestant in one cell. `out` is why it is not measured any more, or ""."""

    def __init__(self, contestant, cell, server):
        self.contestant, self.server = contestant, server
        self.probe = probe.of(cell, contestant)
        self.out = ""

    @property
    def name(self):
        """The name in the samples."""
        return self.contestant.name

    def why(self, failure):
        """Returns the failure as text; if the server has crashed, that is the reason."""
        try:
            if self.server.process is not None:
                self.server.ensure_alive(_DEATH_SECONDS)
        except ServerFailed as death:
            self.out = str(death)
            return self.out
        return str(failure) or type(failure).__name__

    def check_first(self):
        """Raises one of FAULTS; a contestant with a wrong response before the load is out."""
        try:
            self.server.ensure_alive()
            self.probe.check(self.server.port)
        except FAULTS as failure:
            self.out = self.why(failure)
            raise


def _upstream(stack, step, context):
    """Starts the upstream and returns its HOST:PORT; "" if the cell is not proxied."""
    if not step.cell.is_proxied:
        return ""
    server = starting.upstream_server(step.cell, context.ports, context.machine)
    try:
        stack.enter_context(server)
    except ServerFailed as failure:
        raise ServerFailed(f"the upstream does not start: {failure}") from None
    return f"127.0.0.1:{server.port}"


def start_all(stack, step, context, wrap=None):
    """Starts all contestants of the step; one that fails is out, and the others continue.

    Raises ServerFailed if the cell needs an upstream or a database that does not start.
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
    """Stops all; an unclean exit is noted."""
    for one in found:
        if one.server.process is None or one.out.startswith("does not start"):
            continue
        try:
            one.server.stop()
        except ServerFailed as failure:
            if not one.out:
                context.note(one.name, step, str(failure))
        context.learn(one)

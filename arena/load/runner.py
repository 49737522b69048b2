"""Executes a plan, step by step, and records every sample immediately.

Must not decide what is measured (plan.py) nor how (closed.py and others).
"""

from contextlib import ExitStack

from experiments import model
from load import (agreement, clients, closed, held, idle, idle_sockets, open_loop, probe, results,
                  slow, starting, tls_terms)
from load.server import ServerFailed
from load.taking_part import FAULTS, start_all, stop_all


class Context:
    """State that all kinds of cells share during a run.

    prefixes   {peer: folder that the user has named}
    generator  the requested one, or None
    done       number of rounds that are already measured: {(experiment, cell): count}
    """

    def __init__(self, machine, folder, progress, prefixes=None, generator=None):
        self.machine, self.folder, self.progress = machine, folder, progress
        self.prefixes, self.generator = prefixes or {}, generator
        self.ports = starting.Ports()
        self.done = {}

    def rounds_left(self, step):
        """Returns the numbers of the remaining rounds."""
        return range(self.done.get(step.key, 0), step.rounds)

    def begin(self, step, name, number):
        """Shows the beginning of a measurement."""
        self.progress.tell(f"{step.experiment.id}/{step.cell.id} · round {number + 1} of "
                           f"{step.rounds} · {name}")

    def record(self, step, name, number, wrong="", **figures):
        """Saves a measurement that has ended."""
        self.folder.append(results.sample(*step.key, name, number, wrong, **figures))
        if wrong:
            self.progress.say(f"{step.experiment.id}/{step.cell.id}: {name}, round {number + 1} "
                              f"does not count: {wrong}")
        self.progress.advance(step.estimate_seconds() / (step.rounds * len(step.names)))

    def note(self, name, step, what):
        """Adds a note to run.json, for results that are not part of a sample."""
        text = {"name": name, "case": "/".join(step.key), "what": what}
        self.folder.run.setdefault("notes", []).append(text)
        self.progress.say(f"{text['case']}: {name}: {what}")

    def leave_out(self, step, why):
        """Records a cell that cannot be measured here."""
        text = {"name": "all", "case": "/".join(step.key), "why": why}
        if text not in self.folder.run["left_out"]:
            self.folder.run["left_out"].append(text)
        self.progress.say(f"{text['case']} left out: {why}")
        self.progress.advance(step.estimate_seconds())

    def learn(self, one):
        """Records which of Date and Server the contestant does not send."""
        if one.probe.sent is None:
            return
        for row in self.folder.run.get("contestants", ()):
            if row["name"] == one.name:
                row["does_not_send"] = sorted({"date", "server"} - one.probe.sent)


_KINDS = {model.CLOSED: closed.run, model.WORKERS: closed.run, model.SLOW: slow.run,
          model.OPEN: open_loop.run, **dict.fromkeys(model.REALTIME, closed.run_ours),
          model.HTTP2: closed.run_multiplexed, model.HANDSHAKES: closed.run,
          model.CLIENT: clients.run, model.AGREEMENT: agreement.run}


def run(plan, context):
    """Runs every step that is not done; slow work is last, because it takes an hour."""
    for step in sorted(plan.steps, key=lambda step: step.cell.kind == model.SLOW):
        if not context.rounds_left(step):
            continue
        _run_step(step, context)
        context.folder.save()


def _run_step(step, context):
    try:
        if step.cell.is_secure:
            tls_terms.certificate()
        _KINDS.get(step.cell.kind, run_idle)(step, context)
    except ServerFailed as failure:
        context.leave_out(step, str(failure))


def run_idle(step, context):
    """Measures cells with idle connections, with a new process in each round."""
    figures = held.figures if step.cell.kind == model.HELD else _idle_figures
    for number in context.rounds_left(step):
        with ExitStack() as stack:
            found = start_all(stack, step, context)
            for one in found:
                context.begin(step, one.name, number)
                context.record(step, one.name, number, **figures(one, step, context))
            stop_all(found, step, context)


def _idle_figures(one, step, _context):
    cell = step.cell
    if one.out:
        return {"wrong": one.out}
    try:
        one.check_first()
        opened = idle_sockets.opener(cell.ask.path) if cell.kind == model.IDLE_SOCKETS \
            else idle.opener(one.probe.request)
        grown = idle.bytes_per_connection(one.server, opened, cell.connections, probe.via(cell))
        return {"rss_bytes": grown, "requests": cell.connections}
    except FAULTS as failure:
        return {"wrong": one.why(failure)}

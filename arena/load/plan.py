"""The plan of a run: cells, their order and contestants, omissions and the duration.

Must not start anything.
"""

import math
from dataclasses import dataclass, field

from experiments import model

QUICK_PEERS = ("nginx", "cpp-httplib", "restinio", "beast")
ALWAYS = ("floor", "eider")
SLOW_ROUNDS_MAX = 1
IDLE_ROUNDS_MAX = 3
_SECONDS_BESIDES = 0.45     # checks, start and end of the generator
_SECONDS_OF_A_START = 0.35
_CONNECTIONS_PER_SECOND, _HANDSHAKES_PER_SECOND = 8000, 500
_MANY_CONNECTIONS, _SECONDS_OF_MANY = 5000, 4
_TOGETHER_WAITING, _TOGETHER_BUSY = 18, 8


@dataclass
class Step:
    """One cell with its contestants and the number of rounds.

    warm_seconds  load before the first measured round, for servers that compile late
    """
    experiment: object
    cell: object
    contestants: list
    rounds: int
    seconds: float
    warm_seconds: float = 0

    @property
    def key(self):
        """(experiment id, cell id)."""
        return self.experiment.id, self.cell.id

    @property
    def names(self):
        """Names of the samples of each round; with several generators, one for each of them."""
        return [name for one in self.contestants for name in
                [model.name_by(one.name, generator) for generator in self.cell.generators]
                or [one.name]]

    def estimate_seconds(self):
        """Returns the approximate duration."""
        before = _SECONDS_OF_A_START + (self.warm_seconds if self.is_loaded else 0)
        return len(self.contestants) * before + self.rounds * self._round_seconds()

    @property
    def is_loaded(self):
        """Whether the server is loaded before the rounds."""
        return self.cell.kind in (model.CLOSED, model.OPEN, model.WORKERS, model.HTTP2,
                                  model.HANDSHAKES, model.AGREEMENT, *model.REALTIME)

    def _round_seconds(self):
        count, cell = len(self.contestants) * max(1, len(self.cell.generators)), self.cell
        if cell.kind == model.SLOW:
            return math.ceil(count / together(cell)) * slow_seconds(cell)
        opening = cell.sockets / (_HANDSHAKES_PER_SECOND if cell.is_secure
                                      else _CONNECTIONS_PER_SECOND)
        if cell.kind in model.IDLES:
            load = self.seconds if cell.kind == model.HELD else 0
            return count * (opening + load + _SECONDS_OF_A_START + _SECONDS_BESIDES)
        return count * (self.seconds + _SECONDS_BESIDES + opening)


@dataclass
class Plan:
    """All steps, and the omissions: {"name", "case", "why"}."""
    steps: list = field(default_factory=list)
    left_out: list = field(default_factory=list)

    def estimate_seconds(self):
        """Returns the approximate duration of all steps."""
        return sum(step.estimate_seconds() for step in self.steps)

    def contestants(self):
        """Returns all contestants of the steps, in order."""
        found = {}
        for step in self.steps:
            found.update((contestant.name, contestant) for contestant in step.contestants)
        return list(found.values())


def together(cell):
    """Returns how many contestants are measured at once: waiting servers do not disturb others."""
    if cell.delay_ms == 0 and not cell.is_remote:
        return 1
    return _TOGETHER_WAITING if cell.delay_ms else _TOGETHER_BUSY


def slow_seconds(cell):
    """Returns the estimated time of a cell of slow work if threads wait: a third of its timeout."""
    return max(cell.limit_seconds or 0, cell.seconds_max / 3)


def rounds_of(cell, rounds):
    """Long cells are measured once, because they mostly wait."""
    if cell.kind == model.SLOW:
        return min(rounds, SLOW_ROUNDS_MAX)
    return min(rounds, IDLE_ROUNDS_MAX) if cell.kind in model.IDLES else rounds


def seconds_of(cell, seconds):
    """Returns the length of a measurement; opening many connections must be a small part of it."""
    many = _SECONDS_OF_MANY if cell.connections >= _MANY_CONNECTIONS else 0
    return max(seconds, many, cell.seconds_least)


def why_not(contestant, cell):
    """Returns why this contestant is not measured in this cell, or ""."""
    lacks = missing_words(contestant, cell)
    if lacks:
        return f"its adapter does not serve {', '.join(lacks)}"
    most = contestant.peer.data["serves"].get("max_connections")
    return f"it holds at most {most:,} connections" if most and cell.sockets > most else ""


def missing_words(contestant, cell):
    """Returns the cell's needs that this contestant does not serve."""
    served = contestant.peer.cases
    if "{processes}" in " ".join(contestant.command):
        served = (*served, "processes")
    return [word for word in cell.needs if word not in served]


def make(experiments, contestants, rounds, seconds, is_quick=False, warm_seconds=0):
    """Returns the Plan of these experiments for these contestants."""
    plan, said = Plan(), set()
    for experiment in experiments:
        for cell in experiment.cells:
            if is_quick and not cell.is_quick:
                continue
            reasons = {contestant.name: why_not(contestant, cell) for contestant in contestants}
            for name, why in reasons.items():
                if why and (name, experiment.id, why) not in said:
                    said.add((name, experiment.id, why))
                    plan.left_out.append({"name": name, "case": f"{experiment.id}/{cell.id}",
                                          "why": why})
            taking_part = [one for one in contestants if not reasons[one.name]]
            if taking_part:
                plan.steps.append(Step(experiment, cell, taking_part, rounds_of(cell, rounds),
                                       seconds_of(cell, seconds), warm_seconds))
    return plan


def connections_max(plan):
    """Returns the largest number of sockets that one side needs at once."""
    return max((step.cell.sockets for step in plan.steps), default=0)

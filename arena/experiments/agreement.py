"""wrk and eider bench load the same servers in the same rounds: are their figures equal?

Must not name a contestant: any server can be loaded.
"""

from experiments import model
from experiments.model import HELLO, Ask, Cell, Experiment
from load import eider_bench, wrk

COUNTS = (64, 800)


def experiment(machine):
    """Two cells: some connections, and many."""
    return Experiment(
        "agree", "wrk and eider bench", machine.scale() + " Both send requests to the "
        "same process, one after the other in each round. They take turns at being first.",
        tuple(Cell(f"c{count}", f"plaintext, {count} connections", Ask("/plaintext", HELLO),
                   ("plaintext",), kind=model.AGREEMENT, connections=count,
                   generators=(wrk.NAME, eider_bench.NAME)) for count in COUNTS))

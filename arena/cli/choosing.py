"""Finds the peers, contestants and experiments that a command line names.

Must not guess: an unknown name is rejected with a list of the known ones.
"""

import dataclasses
import sys

from load.plan import ALWAYS, QUICK_PEERS
from peers import manifest
from peers.schema import near


class Unknown(Exception):
    """An unknown name; lists the known ones."""


def words(text):
    """Returns the names in a comma-separated list."""
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def read_peers():
    """Returns every peer with a valid manifest; prints the errors of the others."""
    peers, faults = manifest.read_all()
    for fault in faults:
        print(f"{fault}\n  (this peer is left out)", file=sys.stderr)
    return peers


def peers_named(names, peers):
    """Returns the peers with these names, in the order of the arena."""
    known = [peer.name for peer in peers]
    for name in names:
        if name not in known:
            raise Unknown(f"no peer {name}; {near(name, known)} (./arena/run list)")
    return [peer for peer in peers if peer.name in names]


def contestants_named(names, peers):
    """Returns the contestants with these names, or of peers with these names."""
    every = [contestant for peer in peers for contestant in peer.contestants]
    known = list(dict.fromkeys([peer.name for peer in peers] + [c.name for c in every]))
    for name in names:
        if name not in known:
            raise Unknown(f"no peer {name}; {near(name, known)} (./arena/run list)")
    return [c for c in every if c.name in names or c.peer.name in names]


def default_names(peers, is_quick):
    """Returns the default peers: all; in a quick run Eider's, nginx and three others."""
    if not is_quick:
        return [peer.name for peer in peers if not peer.is_job_queue]
    chosen = {*ALWAYS, *QUICK_PEERS}
    return [peer.name for peer in peers if peer.name in chosen]


def experiments_named(names, experiments):
    """Returns the experiments with these IDs, or all; "id/cell" selects one cell."""
    if not names:
        return experiments
    found = [_chosen_of(experiment, names) for experiment in experiments]
    known = [experiment.id for experiment in experiments]
    for name in names:
        experiment_id, _, cell_id = name.partition("/")
        if experiment_id not in known:
            raise Unknown(f"no experiment {experiment_id}; {near(experiment_id, known)} "
                          "(./arena/run list)")
        cells = [cell.id for cell in experiments[known.index(experiment_id)].cells]
        if cell_id and cell_id not in cells:
            raise Unknown(f"no cell {name}; {near(cell_id, cells)} (./arena/run list)")
    return [experiment for experiment in found if experiment.cells]


def _chosen_of(experiment, names):
    cells = tuple(cell for cell in experiment.cells
                  if experiment.id in names or f"{experiment.id}/{cell.id}" in names)
    return dataclasses.replace(experiment, cells=cells)


def prefixes_of(texts, peers):
    """Returns {peer: folder} of the options --prefix name=path."""
    known, found = [peer.name for peer in peers], {}
    for text in texts or ():
        name, equals, path = text.partition("=")
        if not equals or not path:
            raise Unknown(f"--prefix {text}: write --prefix name=path")
        if name not in known:
            raise Unknown(f"--prefix {text}: no peer {name}; {near(name, known)}")
        found[name] = path
    return found

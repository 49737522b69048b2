"""./arena/run list: lists contestants and experiments.

Must not install, build or start anything.
"""

from cli import choosing
from cli.machine import cores
from experiments.catalogue import all_experiments
from peers import setup


def _columns(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
            for row in rows]


def add(commands):
    """Adds the command and its options."""
    parser = commands.add_parser("list", help="who can take part and what can be measured",
                                 description="Lists the peers and the experiments.")
    parser.set_defaults(run=run)


def _state(peer):
    if peer.is_built_each_time:
        return "built by each run"
    return "set up" if setup.is_ready(peer) else f"./arena/run setup {peer.name}"


def run(_options):
    """Returns 0."""
    rows = [("peer", "title", "language", "origin", "version", "state")]
    for peer in choosing.read_peers():
        for contestant in peer.contestants:
            rows.append((contestant.name, contestant.title, peer.language, peer.origin,
                         peer.version, _state(peer)))
    print("\n".join(_columns(rows)))
    for experiment in all_experiments(cores()):
        print(f"\n{experiment.id}: {experiment.title}")
        for cell in experiment.cells:
            quick = " (in --quick)" if cell.is_quick else ""
            print(f"  {cell.id}: {cell.title}{quick}")
    return 0

"""How an interrupted run goes on: which rounds are whole, and that the machine is the same.

Must not use half a round: ratios are formed within one, so it is measured again whole.
"""

from load.results import ResultsError


def ensure_same_machine(folder, machine):
    """ResultsError when the run was begun on another machine or system."""
    before = folder.run.get("machine", {})
    differs = [f"{key} {before.get(key)} then, {machine[key]} now" for key in machine
               if before.get(key) != machine[key]]
    if differs:
        raise ResultsError(f"{folder.path} was begun on another machine ({'; '.join(differs)}): "
                           "no figure is carried over; start a new run")


def complete_rounds(folder, planned):
    """{(experiment, cell): whole rounds}; samples of unfinished rounds are taken out."""
    have = {}
    for row in folder.samples():
        key = (row["experiment"], row["cell"])
        have.setdefault(key, {}).setdefault(row["round"], set()).add(row["contestant"])
    done = {}
    for step in planned.steps:
        wanted = set(step.names)
        rounds = have.get(step.key, {})
        whole = 0
        while whole < step.rounds and wanted <= rounds.get(whole, set()):
            whole += 1
        done[step.key] = whole
    folder.keep_only(lambda row: row["round"] < done.get((row["experiment"], row["cell"]), 0))
    return done

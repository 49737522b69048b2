"""Resumes an interrupted run: finds the complete rounds and checks that the machine is the same.

Must not use an incomplete round, because ratios are formed within one: it is repeated.
"""

from load.results import ResultsError


def ensure_same_machine(folder, machine):
    """Raises ResultsError if the run was begun on another machine or system."""
    before = folder.run.get("machine", {})
    differs = [f"{key} {before.get(key)} then, {machine[key]} now" for key in machine
               if before.get(key) != machine[key]]
    if differs:
        raise ResultsError(f"{folder.path} was begun on another machine ({'; '.join(differs)}): "
                           "no figure is carried over; start a new run")


def complete_rounds(folder, planned):
    """Returns {(experiment, cell): complete rounds}; removes the samples of incomplete rounds."""
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

"""Prepares the contestants of a run, and describes them in run.json.

Must not set up a peer, except those of a quick run: it is left out, and a line says how.
"""

import shlex
import sys
from pathlib import Path

from cli.machine import described
from experiments import model
from load import eider_bench, generators
from load.closed import generator_of, load_of
from load.plan import QUICK_PEERS
from peers import ease, manifest, setup

_SLOW = "eider bench --new-connections -c {connections} -n {total} {path}"
_RATE = "eider bench -c {connections} -r {rate} --arrivals poisson {path}"


def _say(text):
    print(text, file=sys.stderr, flush=True)


def _why_not_ready(peer, settings):
    """Returns why the peer cannot be started, or "". Builds Eider's own, and a quick run's
    peers.
    """
    prefix = settings["prefixes"].get(peer.name)
    is_automatic = settings["is_quick"] and peer.name in QUICK_PEERS
    try:
        if peer.is_built_each_time:
            _build_ours(peer)
        elif not setup.is_ready(peer, prefix):
            if not is_automatic:
                return f"it is not set up: ./arena/run setup {peer.name}"
            setup.set_up(peer, prefix or setup.prefix_of(peer), _say)
    except setup.SetupFailed as failure:
        return str(failure)
    if peer.name not in settings["prefixes"] and setup.prefix_of(peer):
        settings["prefixes"][peer.name] = setup.prefix_of(peer)
    return ""


def _build_ours(peer):
    if manifest.are_programs_given():
        return
    if setup.is_ready(peer):
        setup.build(peer, "", _say)
    else:
        setup.set_up(peer, "", _say)


def ready_contestants(chosen, settings):
    """Returns (contestants that can be started, {"name", "case", "why"} of the others)."""
    reasons = {}
    for contestant in chosen:
        peer = contestant.peer
        if peer.name not in reasons:
            reasons[peer.name] = _why_not_ready(peer, settings)
    ready = [one for one in chosen if not reasons[one.peer.name]]
    left_out = [{"name": name, "case": "all", "why": why} for name, why in reasons.items() if why]
    return ready, left_out


def generator_notes(step, asked):
    """Returns the line that says that a cell is not measured with the published generator."""
    if step.cell.kind not in (model.CLOSED, model.WORKERS):
        return []
    chosen, why = generator_of(step, asked)
    return [f"{step.experiment.id}/{step.cell.id}: with {chosen.NAME}, as {why}"] if why else []


def _command(step, machine, asked):
    cell = step.cell
    if cell.kind == model.SLOW:
        return _SLOW.format(**vars(cell), total=cell.connections * cell.requests,
                            path=cell.ask.path)
    if cell.kind == model.OPEN:
        return _RATE.format(**vars(cell), path=cell.ask.path)
    if cell.kind == model.IDLE:
        return (f"{cell.connections} connections{', TLS' if cell.is_secure else ''}, "
                f"GET {cell.ask.path} once on each")
    if cell.kind == model.IDLE_SOCKETS:
        return f"{cell.connections} WebSockets to {cell.ask.path}, one message on each"
    if cell.kind in model.REALTIME:
        return shlex.join(["eider", "bench", "-c", str(eider_bench.connections_of(cell)),
                           *eider_bench.words_of(cell), cell.ask.path])
    if cell.kind == model.CLIENT:
        return (f"CLIENT http://127.0.0.1:PORT{cell.ask.path} {cell.connections} "
                f"{step.seconds:g} {cell.message_bytes}")
    chosen = [generators.KNOWN[name] for name in cell.generators] or \
        [generator_of(step, asked)[0]]
    return "\n".join(_line(one, step, machine) for one in chosen)


def _line(generator, step, machine):
    program, *words = generator.command(load_of(step.cell, step.seconds), "PORT",
                                        len(machine.load_cores))
    return shlex.join([Path(program).name, *(word.replace(f"{manifest.ROOT}/", "")
                                             for word in words)])


def _experiment_rows(planned, machine, settings):
    found = {}
    for step in planned.steps:
        experiment, cell = step.experiment, step.cell
        about = " ".join([experiment.about, *_notes_once(planned, experiment, settings)])
        row = found.setdefault(experiment.id, {
            "id": experiment.id, "title": experiment.title, "about": about, "cells": []})
        row["cells"].append({
            "id": cell.id, "title": cell.title, "metric": cell.metric, "rounds": step.rounds,
            "command": _command(step, machine, settings["generator"]),
            "bound": cell.bound or None, "bound_over": cell.bound_over,
            "generators": cell.generators,
            "limit_seconds": cell.limit_seconds,
            "published": [one.as_row() for one in cell.published]})
    return list(found.values())


def _notes_once(planned, experiment, settings):
    notes = {}
    for step in planned.steps:
        if step.experiment is experiment:
            for note in generator_notes(step, settings["generator"]):
                notes[note.partition(": ")[2]] = f"Measured {note.partition(': ')[2]}."
    return list(notes.values())


def _contestant_row(contestant, versions):
    peer = contestant.peer
    if peer.name not in versions:
        versions[peer.name] = setup.version_of(peer)
    return {"name": contestant.name, "title": contestant.title, "language": peer.language,
            "licence": peer.licence, "origin": peer.origin, "version": versions[peer.name],
            "note": contestant.note, "is_floor": contestant.is_floor}


def run_content(settings, planned, contestants, left_out, machine):
    """Returns the content of run.json before the first measurement."""
    versions = {}
    rows = [_contestant_row(one, versions) for one in contestants]
    peers = list({one.peer.name: one.peer for one in contestants}.values())
    return {
        "kind": "quick" if settings["is_quick"] else "full", "machine": described(),
        "cores": {"server": list(machine.server_cores), "load": list(machine.load_cores)},
        "rounds": settings["rounds"], "seconds": settings["seconds"],
        "command": shlex.join(["./arena/run", *sys.argv[1:]]), "settings": settings,
        "contestants": rows, "left_out": left_out + planned.left_out, "notes": [],
        "ease": [row for row in map(ease.saved, peers) if row],
        "experiments": _experiment_rows(planned, machine, settings),
        "generators": [name for name in generators.KNOWN if generators.is_there(name)]}

"""The door to Eider's own generator, which has a program to be built.

Must not fail a run when it is absent: the cells that need it are left out and say so.
"""

import importlib

from load.outcome import GeneratorFailed, Report


class NotBuilt(Exception):
    """Why Eider's generator cannot be used here."""


def generator():
    """The module load.eider_load; NotBuilt when it or its program is missing."""
    try:
        module = importlib.import_module("load.eider_load")
    except ImportError:
        raise NotBuilt("Eider's own generator, arena/load/eider_load, is not here") from None
    try:
        module.program()
    except module.NotBuilt as failure:
        raise NotBuilt(str(failure)) from None
    return module


def adapted(call):
    """(what the call returned as a Report, and as it is); GeneratorFailed when it raised."""
    try:
        told = call()
    except (ValueError, KeyError, TypeError) as failure:
        raise GeneratorFailed(f"eider_load's report cannot be read: {failure!r}") from None
    words = f"{told.errors} requests failed, the first: {told.first_error}" if told.errors else ""
    report = Report(told.requests, told.per_second, told.p50_ms, told.p99_ms, words, told.mean_ms,
                    told.p90_ms, told.max_ms, told.errors)
    return report, told

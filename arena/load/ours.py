"""The door to Eider's own generator, which has a program to be built.

Must not fail a run when it is absent: the cells that need it are left out and say so.
"""

import importlib

from load.outcome import NAN, GeneratorFailed, Report


class NotBuilt(Exception):
    """Why Eider's generator cannot be used here."""


def generator():
    """The module load.eider_load; NotBuilt when it or its program is missing."""
    try:
        module = importlib.import_module("load.eider_load")
        module.sequential, module.fixed_rate  # pylint: disable=pointless-statement
    except (ImportError, AttributeError):
        raise NotBuilt("Eider's own generator (arena/load/eider_load) is not in this tree") from None
    try:
        getattr(module, "program", lambda: None)()
    except Exception as failure:  # pylint: disable=broad-exception-caught
        raise NotBuilt(str(failure)) from None
    return module


def adapted(call):
    """What the call returned, as a Report; GeneratorFailed when it raised."""
    try:
        told = call()
    except Exception as failure:  # pylint: disable=broad-exception-caught
        raise GeneratorFailed(f"eider_load: {failure}") from None
    errors = int(getattr(told, "errors", 0) or 0)
    words = getattr(told, "why", "") or f"{errors} of {told.requests} requests failed"
    seconds = getattr(told, "seconds", NAN)
    rate = getattr(told, "per_second", None) or (told.requests / seconds if seconds else NAN)
    report = Report(told.requests, rate, told.p50_ms, told.p99_ms, words if errors else "",
                    getattr(told, "avg_ms", NAN), getattr(told, "p90_ms", NAN), told.max_ms, errors)
    report.seconds = seconds
    return report

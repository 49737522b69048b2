"""Describes this machine, divides its cores and raises the limit of open files.

Must not change the machine: only this process and its children.
"""

import os
import platform
import resource
from pathlib import Path

from experiments.model import Machine

FILES_SPARE = 500


class BadCores(Exception):
    """The requested cores are missing; names the available ones."""


def described():
    """Returns the table "machine" of run.json."""
    return {"cpu": cpu_model(), "cores": os.cpu_count(), "kernel": platform.release(),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "distribution": _distribution()}


def cpu_model():
    """Returns the processor's name in /proc/cpuinfo."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _distribution():
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "unknown")
    except OSError:
        return "unknown"


def _numbers(text):
    found = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return tuple(sorted(found))


def cores(asked=None):
    """Returns the Machine: by default, half of the cores for the server and the rest for the load.

    asked  for example "0:1" or "0-3:4-7"
    """
    usable = sorted(os.sched_getaffinity(0))
    if not asked:
        half = max(1, len(usable) // 2)
        return Machine(tuple(usable[:half]), tuple(usable[half:] or usable))
    server, _, load = asked.partition(":")
    try:
        machine = Machine(_numbers(server), _numbers(load))
    except ValueError:
        raise BadCores(f"--cores {asked}: write server:load, e.g. 0:1 or 0-3:4-7") from None
    absent = sorted(set(machine.server_cores + machine.load_cores) - set(usable))
    if absent:
        raise BadCores(f"--cores {asked}: this process may not use {absent}; there are {usable}")
    if set(machine.server_cores) & set(machine.load_cores):
        raise BadCores(f"--cores {asked}: server and load share a core; they would disturb each "
                       "other")
    return machine


def raise_file_limit():
    """Raises this process's limit of open files to the hard limit; returns it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return 2**31 if hard == resource.RLIM_INFINITY else hard

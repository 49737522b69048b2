"""Files that are replaced under load: each response must be entirely one version.

Must not name a contestant's private flag: all get the same requests. There are no published
figures.
"""

from experiments.model import Ask, Cell, Experiment, both
from load import versions
from verify.answers import Expected

_ORIGIN = ("nginx",)


def experiment(machine):
    """Two cells: a small file and a larger one."""
    return Experiment(
        "changes", "Files replaced under load", machine.scale() + " A replaced file must be served "
        "within 2 seconds.", tuple(_file(name) for name in versions.SIZES))


def _file(name):
    expected = Expected(versions.bodies(name)[0], "application/octet-stream",
                        judge=versions.judge(name))
    return Cell(f"f{name}", f"a file of {versions.SIZES[name] // 1024} KiB, replaced 20 times per "
                "second, 64 connections",
                Ask(f"/files/{name}.bin", expected, allowed=versions.bodies(name)), ("files",),
                changes="file", bound=both(1.0), bound_over=_ORIGIN)

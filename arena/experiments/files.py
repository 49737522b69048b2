"""Static files from the page cache; streamed responses.

Must not name a contestant's private flag: all get the same requests. There are no published
figures.
"""

from experiments.model import Ask, Cell, Experiment, both
from load import files_dir
from verify.answers import Expected

_OCTETS = "application/octet-stream"
_STREAM_BYTES = 16 * 2**20
_STREAM_CONNECTIONS = 2
_ORIGIN = ("nginx",)


def files(machine):
    """Three cells: 1 KiB, 64 KiB, 1 MiB."""
    return Experiment(
        "files", "Static files", machine.scale() + " The files are in the "
        "page cache; nothing is compressed.", tuple(
            Cell(f"f{name}", f"{size // 1024:,} KiB, 64 connections",
                 Ask(f"/files/{name}.bin", Expected(files_dir.content(name), _OCTETS)),
                 ("files",), bound=both(1.0), bound_over=_ORIGIN, is_quick=name == "64k")
            for name, size in files_dir.SIZES.items()))


def streaming(machine):
    """One cell: a large response that is not held in memory as a whole."""
    return Experiment(
        "streaming", "Streaming", machine.scale(),
        (Cell("download", f"16 MiB, {_STREAM_CONNECTIONS} connections",
              Ask(f"/stream/{_STREAM_BYTES}", Expected(b"x" * _STREAM_BYTES, _OCTETS)),
              ("stream",), connections=_STREAM_CONNECTIONS),))

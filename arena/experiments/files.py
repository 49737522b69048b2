"""Static files from the page cache; answers made while they are sent, bodies summed as they come.

Must not name a contestant's private flag: all are asked alike. Nobody published these.
"""

import json
import zlib

from experiments import model
from experiments.model import Ask, Cell, Experiment, both
from load import files_dir
from verify.answers import Expected

_OCTETS = "application/octet-stream"
_STREAM_BYTES = 16 * 2**20
_UPLOAD_BYTES = 2**20
_STREAM_CONNECTIONS = 2
_ORIGIN = ("nginx",)


def files(machine):
    """Three cells: 1 KiB, 64 KiB, 1 MiB."""
    return Experiment(
        "files", "Static files", machine.scale("nowhere with figures") + " The files are in the "
        "page cache; nothing is compressed.", tuple(
            Cell(f"f{name}", f"{size // 1024:,} KiB, 64 connections",
                 Ask(f"/files/{name}.bin", Expected(files_dir.content(name), _OCTETS)),
                 ("files",), bound=both(1.0), bound_over=_ORIGIN, is_quick=name == "64k")
            for name, size in files_dir.SIZES.items()))


def streaming(machine):
    """Two cells: a large answer that nobody holds as a whole, and a body."""
    body = b"x" * _UPLOAD_BYTES
    summed = Expected(json.dumps({"bytes": len(body), "crc32": zlib.crc32(body)}).encode(),
                      "application/json", is_object=True)
    return Experiment(
        "streaming", "Streaming", machine.scale("nowhere with figures"),
        (Cell("download", f"16 MiB, {_STREAM_CONNECTIONS} connections",
              Ask(f"/stream/{_STREAM_BYTES}", Expected(b"x" * _STREAM_BYTES, _OCTETS)),
              ("stream",), connections=_STREAM_CONNECTIONS),
         Cell("upload", f"upload of 1 MiB, {_STREAM_CONNECTIONS} connections",
              Ask("/upload", summed, method="POST", body=body), ("upload",), kind=model.UPLOAD,
              connections=_STREAM_CONNECTIONS, message_bytes=len(body))))

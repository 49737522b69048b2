"""Files and certificates that are replaced under load.

Must not name a contestant's private flag: all get the same requests. There are no published
figures.
"""

from experiments import model
from experiments.model import CLOSE, HELLO, Ask, Cell, Experiment, both, closing
from load import versions
from verify.answers import Expected

CLIENTS = 8
_CERTIFICATE_SECONDS = 6
_ORIGIN = ("nginx",)


def experiment(machine):
    """Three cells: a small file, a larger one, a certificate."""
    return Experiment(
        "changes", "Files and certificates replaced under load",
        machine.scale() + " A replaced file must be served within 2 seconds, and a replaced "
        "certificate must be used.",
        (*(_file(name) for name in versions.SIZES), _certificate()))


def _file(name):
    expected = Expected(versions.bodies(name)[0], "application/octet-stream",
                        judge=versions.judge(name))
    return _cell(f"f{name}", f"a file of {versions.SIZES[name] // 1024} KiB, replaced 20 times per "
                 "second, 64 connections",
                 Ask(f"/files/{name}.bin", expected, allowed=versions.bodies(name)), ("files",),
                 changes="file")


def _certificate():
    return _cell("certificate", f"a certificate, replaced twice, new sessions, {CLIENTS} at a time",
                 Ask("/plaintext", closing(HELLO), headers=CLOSE),
                 ("plaintext", "tls", "close", "renewal"), changes="certificate",
                 kind=model.HANDSHAKES, connections=CLIENTS, is_secure=True,
                 seconds_least=_CERTIFICATE_SECONDS)


def _cell(cell_id, title, ask, needs, **more):
    return Cell(cell_id, title, ask, needs, bound=both(1.0), bound_over=_ORIGIN, **more)

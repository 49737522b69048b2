"""The terms of every TLS connection of the arena: protocol, suite, certificate.

Must not change a server's settings: the client offers only one suite.
"""

import atexit
import functools
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from load.server import ServerFailed
from load.wrk import HOST

PROTOCOL = "TLSv1.3"
SUITE = "TLS_AES_128_GCM_SHA256"
CLIENT_CONFIGURATION = Path(__file__).resolve().parent / "client_tls.cnf"
_MAKE_SECONDS_MAX = 30
_DAYS = "2"


@dataclass(frozen=True)
class Certificate:
    """Paths of PEM files. EC P-256, self-signed, for the Host of all requests."""
    cert: str
    key: str


def folder():
    """Makes a directory, which is deleted at exit."""
    path = tempfile.mkdtemp(prefix="eider_arena_tls_")
    atexit.register(shutil.rmtree, path, True)
    return path


@functools.cache
def certificate():
    """Makes the certificate once per run. Raises ServerFailed."""
    return made()


def made():
    """Makes a certificate, which is deleted at exit. Raises ServerFailed."""
    if not shutil.which("openssl"):
        raise ServerFailed("openssl makes the certificate and is not installed: "
                           "apt-get install openssl")
    path = folder()
    pair = Certificate(f"{path}/cert.pem", f"{path}/key.pem")
    ended = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-sha256", "-days", _DAYS, "-subj", f"/CN={HOST}",
         "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", pair.key, "-out", pair.cert],
        capture_output=True, text=True, timeout=_MAKE_SECONDS_MAX, check=False)
    if ended.returncode != 0:
        raise ServerFailed(f"openssl makes no certificate: {ended.stderr.strip()[-200:]}")
    return pair


def as_client(line):
    """Returns the command with the suite in OPENSSL_CONF: for clients without an option for it."""
    return ["env", f"OPENSSL_CONF={CLIENT_CONFIGURATION}", *line]

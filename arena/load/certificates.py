"""Certificates that replace each other while the server runs: the files are renamed, one by one.

Must not be used by other cells: they need the one certificate of load/tls_terms.py.
"""

import functools
import hashlib
import os
import shutil
import ssl
from pathlib import Path

from load import tls_terms
from load.tls_terms import Certificate

COUNT = 3


@functools.cache
def pairs():
    """Makes all certificates, which are deleted at exit."""
    return tuple(tls_terms.made() for _ in range(COUNT))


@functools.cache
def served():
    """Returns the paths of the certificate and key that are replaced."""
    folder = Path(tls_terms.folder())
    paths = Certificate(str(folder / "cert.pem"), str(folder / "key.pem"))
    for source, path in zip(vars(pairs()[0]).values(), vars(paths).values()):
        shutil.copy(source, path)
    return paths


@functools.cache
def trusted():
    """Returns a file with all certificates, for clients that verify."""
    path = Path(tls_terms.folder()) / "all.pem"
    path.write_text("".join(Path(pair.cert).read_text() for pair in pairs()))
    return str(path)


def current():
    """Returns the number of the pair in the served files."""
    text = Path(served().cert).read_text()
    return [Path(pair.cert).read_text() for pair in pairs()].index(text)


def replace(number):
    """Replaces the files by this pair: first the certificate, then the key, as certbot does."""
    for source, path in zip(vars(pairs()[number]).values(), vars(served()).values()):
        shutil.copy(source, f"{path}.new")
        os.rename(f"{path}.new", path)


def fingerprint(number):
    """Returns the SHA-256 of this pair's certificate in DER."""
    return of_der(ssl.PEM_cert_to_DER_cert(Path(pairs()[number].cert).read_text()))


def of_der(data):
    """Returns the SHA-256 of a certificate in DER."""
    return hashlib.sha256(data).hexdigest()


def of(cell):
    """Returns the Certificate with which contestants of the cell are started."""
    return served() if cell.changes == "certificate" else tls_terms.certificate()


def trusted_for(cell):
    """Returns the file with the certificates that clients of the cell trust."""
    return trusted() if cell.changes == "certificate" else tls_terms.certificate().cert

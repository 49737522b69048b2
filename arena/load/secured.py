"""wrk over TLS: it offers the arena's protocol and suite, and no other.

Must not judge: errors are handed on as they were counted.
"""

from load import tls_terms, wrk

NAME = wrk.NAME
parse = wrk.parse


def can(load):
    """What is asked over TLS."""
    return load.is_secure


def command(load, port, threads):
    """The whole command line."""
    return tls_terms.as_client(wrk.command(load, port, threads))

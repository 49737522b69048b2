"""wrk with TLS: it offers only the arena's protocol and suite.

Must not judge: errors are counted, not interpreted.
"""

from load import tls_terms, wrk

NAME = wrk.NAME
parse = wrk.parse


def can(load):
    """It is used for loads over TLS."""
    return load.is_secure


def command(load, port, threads):
    """Returns the command line."""
    return tls_terms.as_client(wrk.command(load, port, threads))

"""A TLS connection to a contestant: version 1.3, with the configured certificate.

Must not accept older versions of TLS.
"""

import ssl

from verify import answers
from verify.framing import WrongAnswer

H1, H2 = "http/1.1", "h2"


def context(cert, protocol=H1):
    """Returns the context of many connections.

    cert      path of the server's certificate
    protocol  the only protocol that ALPN offers
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    made.load_verify_locations(cert)
    made.set_alpn_protocols([protocol])
    return made


def seal(connection, client, host):
    """Returns the encrypted connection; raises WrongAnswer if the handshake fails."""
    try:
        return client.wrap_socket(connection, server_hostname=host)
    except ssl.SSLError as failure:
        connection.close()
        raise WrongAnswer(f"the TLS handshake fails: {failure.reason or failure}") from None


def dial(port, client, host, address="127.0.0.1"):
    """Opens an encrypted connection."""
    return seal(answers.dial(port, address), client, host)

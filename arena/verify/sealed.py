"""A TLS connection to a contestant: 1.3, and the certificate that it was told to use.

Must not offer less than it asks for: who speaks an older protocol is refused.
"""

import ssl

from verify import answers
from verify.framing import WrongAnswer

H1, H2 = "http/1.1", "h2"


def context(cert, protocol=H1):
    """What the handshakes of many connections share.

    cert      path of the certificate that must be shown
    protocol  what ALPN offers, and nothing else
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    made.load_verify_locations(cert)
    made.set_alpn_protocols([protocol])
    return made


def seal(connection, client, host):
    """The connection, encrypted; WrongAnswer when the handshake fails."""
    try:
        return client.wrap_socket(connection, server_hostname=host)
    except ssl.SSLError as failure:
        connection.close()
        raise WrongAnswer(f"the TLS handshake fails: {failure.reason or failure}") from None


def dial(port, client, host, address="127.0.0.1"):
    """A new connection, encrypted."""
    return seal(answers.dial(port, address), client, host)

"""The use of an idle WebSocket before it rests: the upgrade, and one message that is echoed.

Must not request compression: its memory would dominate the figure.
"""

from verify.framing import WrongAnswer
from verify.websockets import accept_of, frame, request_bytes

_KEY = "dGhlIHNhbXBsZSBub25jZQ=="
_MESSAGE = b"Hello, World!!!!"
_RECEIVED_MAX = 4096


def opener(path):
    """Upgrades a connection and has one message echoed."""
    request, message = request_bytes(path, _KEY), frame(_MESSAGE)
    echo = bytes([0x81, len(_MESSAGE)]) + _MESSAGE

    def use(connection):
        connection.sendall(request)
        answer = connection.recv(_RECEIVED_MAX)
        while b"\r\n\r\n" not in answer:
            answer += _more(connection)
        if not answer.startswith(b"HTTP/1.1 101 ") or accept_of(_KEY).encode() not in answer:
            raise WrongAnswer("an idle socket's upgrade is not answered with 101")
        connection.sendall(message)
        got = answer.partition(b"\r\n\r\n")[2]
        while len(got) < len(echo):
            got += _more(connection)
        if got != echo:
            raise WrongAnswer("an idle socket's one message does not come back")
    return use


def _more(connection):
    data = connection.recv(_RECEIVED_MAX)
    if not data:
        raise WrongAnswer("an idle socket's connection ends")
    return data

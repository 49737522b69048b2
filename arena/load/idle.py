"""What one idle keep-alive connection costs in user space.

Must not count the process itself: the first connections are opened before the first reading.
"""

import socket

from verify.answers import WrongAnswer

WARM_CONNECTIONS = 200


def bytes_per_connection(server, use, connections):
    """The growth of the server's RSS by each of so many connections, each used once.

    use  what is done on a new connection
    """
    opened = []
    try:
        _open(opened, server.port, use, WARM_CONNECTIONS)
        before = server.memory_bytes()["rss"]
        _open(opened, server.port, use, connections)
        after = server.memory_bytes()["rss"]
        return (after - before) / connections
    finally:
        for connection in opened:
            connection.close()


def opener(request):
    """Sends the request and reads its answer."""
    def use(connection):
        connection.sendall(request)
        if not connection.recv(4096).startswith(b"HTTP/1.1 200 "):
            raise WrongAnswer("an idle connection's one request is not answered with 200")
    return use


def _open(opened, port, use, count):
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", port), timeout=10)
        opened.append(connection)
        use(connection)

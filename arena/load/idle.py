"""The user-space memory of an idle keep-alive connection.

Must not include the process itself: the first connections are opened before the first reading.
"""

import select
import time

from verify.answers import WrongAnswer, dial

WARM_CONNECTIONS = 200
# A server may return memory some time after many connections have closed, for all of them at once.
RETURN_SECONDS = 5


def bytes_per_connection(server, use, connections, via=dial):
    """Returns the growth of the server's RSS per connection; each is used once.

    use  called with a new connection
    via  opens it, like dial() of verify/answers.py
    """
    before, after = _before_and_with(server, use, connections, via)
    return (after - before) / connections


def bytes_used_and_kept(server, use, connections, via=dial):
    """Returns bytes_per_connection(), and the growth of the RSS after all have closed."""
    before, after = _before_and_with(server, use, connections, via)
    time.sleep(RETURN_SECONDS)
    return (after - before) / connections, server.memory_bytes()["rss"] - before


def _before_and_with(server, use, connections, via):
    opened = []
    try:
        _open(opened, server.port, use, via, WARM_CONNECTIONS)
        before = server.memory_bytes()["rss"]
        _open(opened, server.port, use, via, connections)
        after = server.memory_bytes()["rss"]
        _ensure_open(opened)
        return before, after
    finally:
        for connection in opened:
            connection.close()


def _ensure_open(opened):
    """A closed connection needs no memory, so the average would be too low."""
    poll = select.poll()
    for connection in opened:
        poll.register(connection, select.POLLRDHUP)
    ended = len(poll.poll(0))
    if ended:
        raise WrongAnswer(f"{ended:,} of {len(opened):,} idle connections were ended before the "
                          "last was open")


def opener(request):
    """Returns a function that sends the request and reads its response."""
    def use(connection):
        connection.sendall(request)
        if not connection.recv(4096).startswith(b"HTTP/1.1 200 "):
            raise WrongAnswer("the request of an idle connection was not answered with 200")
    return use


def _open(opened, port, use, via, count):
    for _ in range(count):
        connection = via(port)
        opened.append(connection)
        use(connection)

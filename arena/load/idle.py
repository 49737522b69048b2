"""The user-space memory of an idle keep-alive connection.

Must not include the process itself: the first connections are opened before the first reading.
"""

import select
import time
from contextlib import contextmanager

from verify.answers import WrongAnswer, dial
from verify.framing import Reader, read_answer

WARM_CONNECTIONS = 200
# A server may return memory some time after many connections have closed, for all of them at once.
RETURN_SECONDS = 5


def bytes_per_connection(server, use, connections, via=dial):
    """Returns the growth of the server's RSS per connection; each is used once.

    use  called with a new connection
    via  opens it, like dial() of verify/answers.py
    """
    with opened(server, use, connections, via) as (_, before, after):
        return (after - before) / connections


def bytes_used_and_kept(server, use, connections, via=dial):
    """Returns bytes_per_connection(), and the growth of the RSS after all have closed."""
    with opened(server, use, connections, via) as (_, before, after):
        pass
    time.sleep(RETURN_SECONDS)
    return (after - before) / connections, server.memory_bytes()["rss"] - before


@contextmanager
def opened(server, use, connections, via=dial, together=1):
    """Opens the connections and uses each once; they are closed at the end.

    together  number of connections that are opened and used at once
    yields  (the connections, the server's RSS before and after)
    """
    made = []
    try:
        _open(made, server.port, use, via, WARM_CONNECTIONS, together)
        before = server.memory_bytes()["rss"]
        _open(made, server.port, use, via, connections, together)
        after = server.memory_bytes()["rss"]
        ensure_open(made)
        yield made, before, after
    finally:
        for connection in made:
            connection.close()


def ensure_open(connections):
    """A closed connection needs no memory, so the average would be too low."""
    poll = select.poll()
    for connection in connections:
        poll.register(connection, select.POLLRDHUP)
    ended = len(poll.poll(0))
    if ended:
        raise WrongAnswer(f"{ended:,} of {len(connections):,} idle connections were closed by the "
                          "server")


def opener(request):
    """Returns a function that sends the request on all of its connections and reads the responses.
    """
    def use(*connections):
        for connection in connections:
            connection.sendall(request)
        for connection in connections:
            status, _, _ = read_answer(Reader(connection))
            if not status.startswith("HTTP/1.1 200"):
                raise WrongAnswer("the request of an idle connection was not answered with 200")
    return use


def _open(made, port, use, via, count, together):
    for first in range(0, count, together):
        added = [via(port) for _ in range(min(together, count - first))]
        made.extend(added)
        use(*added)

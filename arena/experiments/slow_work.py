"""Experiment 2: ten clients, a new connection for each request, few threads, handlers that wait.

Must not name a contestant: all get the same requests.
"""

from experiments import model
from experiments.model import Ask, Cell, Experiment, Published
from verify.answers import Expected

CLIENTS = 10
ROUND_TRIP_SECONDS = 0.052
BODY = b'{"name":"Ada","count":3}'
_REPLY = Expected(b'{"name":"Ada","count":3,"reply":"received"}', "application/json", closes=True,
                  is_object=True)
_BESIDES_SECONDS = 10
_TIMES_BEST = 3
_WHO = ("Cpp-REST-SDK", "Crow", "httplib", "Pistache", "Restbed", "Restinio")
# (requests, wait in ms, remote): each of _WHO, with 28 threads and with 4
_PUBLISHED = {
    (1000, 0, False): ("3.401 deadlock", "1.536 1.43", "3.015 1.915", "1.059 0.964", "1.333 1.789",
                       "1.025 0.85"),
    (1000, 0, True): ("1:52.476 deadlock", "1:48.248 1:51.183", "3:31.510 6:09.287",
                      "1:49.340 1:51.011", "1:55.122 1:48.880", "1:51.788 1:48.743"),
    (200, 200, False): ("40.281 deadlock", "40.267 1:40.400", "40.359 1:40.723",
                        "40.291 1:42.988", "41.484 1:40.470", "40.279 1:40.318"),
    (200, 200, True): ("1:01.523 deadlock", "1:01.479 1:40.597", "1:22.168 2:54.110",
                       "1:01.558 2:04.855", "1:02.839 1:40.530", "1:01.485 1:40.859"),
    (1000, 200, False): ("3:21.415 deadlock", "3:21.281 8:22.194", "3:21.790 8:23.679",
                         "3:21.381 8:34.710", "3:27.542 8:21.744", "3:21.367 8:21.588"),
    (1000, 200, True): ("5:11.715 deadlock", "5:10.229 8:22.334", "6:51.648 14:31.857",
                        "5:11.299 10:19.625", "5:13.444 8:23.877", "5:11.259 8:22.806"),
}
_QUICK_REQUESTS = 20


def experiment(machine):
    """Twelve cells as published, four with handlers that block, and a short one."""
    cells = [_cell(question, threads, column) for question in _PUBLISHED
             for column, threads in enumerate((28, 4))]
    blocking = [_blocking_cell(200, 200, is_remote, threads)
                for is_remote in (False, True) for threads in (28, 4)]
    return Experiment(
        "slow-work", "2. A REST service with few threads and slow work",
        machine.scale("on a 28-thread Xeon with 10 clients, each request on a connection of its "
                      "own") + " The server has exactly C threads. The limit is N times (t plus "
        "two round trips) if no thread waits.",
        (_short_cell(), *cells, *blocking))


def seconds(text):
    """Returns the seconds of m:ss.ms; None for other text."""
    minutes, _, rest = text.rpartition(":")
    try:
        return int(minutes or 0) * 60 + float(rest)
    except ValueError:
        return None


def _times(question, column):
    return [cell.split()[column] for cell in _PUBLISHED[question]]


def _seconds_max(question, column):
    best = min(s for s in map(seconds, _times(question, column)) if s is not None)
    return max(_TIMES_BEST * best, _BESIDES_SECONDS)


def _title(question, threads):
    requests, delay_ms, is_remote = question
    return (f"N = {requests:,}, t = {delay_ms} ms, C = {threads}, "
            + ("VPN (52 ms round trip)" if is_remote else "local"))


def _id(question, threads):
    requests, delay_ms, is_remote = question
    return f"n{requests}-t{delay_ms}-{'vpn' if is_remote else 'local'}-c{threads}"


def _limit(question):
    requests, delay_ms, is_remote = question
    return requests * (delay_ms / 1000 + (2 * ROUND_TRIP_SECONDS if is_remote else 0)) or None


def _ask(path):
    return Ask(path, _REPLY, method="POST", body=BODY, headers=model.CLOSE)


def _cell(question, threads, column):
    requests, delay_ms, is_remote = question
    published = tuple(Published(who, value, "28-thread Xeon, m:ss.ms")
                      for who, value in zip(_WHO, _times(question, column)))
    return Cell(_id(question, threads), _title(question, threads), _ask("/test"),
                ("test", "close"), kind=model.SLOW, connections=CLIENTS, metric="seconds",
                threads=threads, delay_ms=delay_ms, requests=requests, is_remote=is_remote,
                limit_seconds=_limit(question), seconds_max=_seconds_max(question, column),
                published=published)


def _blocking_cell(requests, delay_ms, is_remote, threads):
    """If the handler blocks, C threads process at most C requests in t."""
    question = (requests, delay_ms, is_remote)
    by_threads = requests * CLIENTS * delay_ms / 1000 / threads
    return Cell(_id(question, threads) + "-blocking",
                _title(question, threads) + ", the handler blocks", _ask("/test/blocking"),
                ("test-blocking", "close"), kind=model.SLOW, connections=CLIENTS,
                metric="seconds", threads=threads, delay_ms=delay_ms, requests=requests,
                is_remote=is_remote, limit_seconds=max(_limit(question), by_threads),
                seconds_max=_seconds_max(question, 0 if threads == 28 else 1))


def _short_cell():
    question = (_QUICK_REQUESTS, 200, False)
    return Cell(_id(question, 4), _title(question, 4) + " (a tenth of the published size)",
                _ask("/test"), ("test", "close"), kind=model.SLOW, connections=CLIENTS,
                metric="seconds", threads=4, delay_ms=200, requests=_QUICK_REQUESTS,
                limit_seconds=_limit(question), seconds_max=3 * _limit(question) + 10,
                is_quick=True)

"""TechEmpower's tests with a database, and HttpArena's async-db and crud.

Must not name a contestant's private flag: all get the same requests and number of connections.
"""

from experiments.model import Ask, Cell, Experiment, both
from load.wrk import HOST, Mixed
from verify import rows
from verify.answers import Expected, request_bytes
from verify.refusals import Refusal, Taken

CONNECTIONS = 64
ITEMS_CONNECTIONS = 256
_RIVALS = ("actix", "axum", "bun", "drogon", "fasthttp", "go-net-http", "lithium", "node")
_MANY, _CACHED = 20, 100
# An invalid number counts as 1, one out of bounds as the nearest bound.
_COUNTS = (("", 1), ("?count=", 1), ("?count=foo", 1), ("?count=0", 1), ("?count=-5", 1),
           ("?count=1", 1), ("?count=20", 20), ("?count=500", 500), ("?count=501", 500))
_JSON = "application/json"


def techempower(machine):
    """Five cells: one query, 20, fortunes, updates, cached ones."""
    return Experiment(
        "database", "4. TechEmpower: with a database", machine.scale("on TechEmpower's machines")
        + " PostgreSQL runs on the load's cores, with a Unix socket; its CPU time is separate. "
        "Several queries are several statements. An update is one statement for all rows.",
        (_cell("query", f"one query, {CONNECTIONS} connections",
               Ask("/db", Expected(b"", _JSON, judge=rows.judge_world))),
         _cell("queries", f"{_MANY} queries, {CONNECTIONS} connections", _counted("/queries")),
         _cell("fortunes", f"fortunes by a template, {CONNECTIONS} connections",
               Ask("/fortunes", Expected(b"", "text/html", judge=rows.judge_fortunes))),
         _cell("updates", f"{_MANY} updates, {CONNECTIONS} connections",
               _counted("/updates", is_stored=False)),
         _cell("cached", f"{_CACHED} cached queries, {CONNECTIONS} connections",
               _counted("/cached-queries", _CACHED))))


def httparena(machine):
    """Two cells: reads of many rows, and a mix of reads, lists, changes and insertions."""
    return Experiment(
        "items", "HttpArena: async-db and crud", machine.scale("on 64 cores with 1,024 and 4,096 "
        "connections, for crud closed after 200 requests each") + f" {ITEMS_CONNECTIONS} "
        "keep-alive connections; PostgreSQL runs on the load's cores. crud is 75 % reads of one "
        "item, cached for 200 ms, 15 % changes, 5 % lists, 5 % additions.",
        (_cell("async-db", f"a range of rows, {ITEMS_CONNECTIONS} connections",
               Ask("/async-db?min=10&max=50&limit=20", _between(10, 50, 20), first=_FIRST_OF_RANGES,
                   mix=tuple(Mixed(1, f"/async-db?min=10&max=50&limit={limit}")
                             for limit in (5, 10, 20, 35, 50))),
               connections=ITEMS_CONNECTIONS),
         _cell("crud", f"reads, lists, changes, additions, {ITEMS_CONNECTIONS} connections",
               Ask("/crud/items/60000", Expected(b"", _JSON, judge=rows.item(60000)),
                   first=_FIRST_OF_CRUD, mix=_CRUD),
               connections=ITEMS_CONNECTIONS)))


def _cell(name, title, ask, connections=CONNECTIONS):
    return Cell(name, title, ask, ("database",), connections=connections, has_database=True,
                bound=both(1.0), bound_over=_RIVALS)


def _request(path, method="GET", body=b""):
    return request_bytes(path, HOST, (), method, body)


def _counted(path, count=_MANY, is_stored=True):
    """Requests this many rows, and before the first measurement all forms of a count."""
    def owed(number):
        return Expected(b"", _JSON, judge=rows.worlds(number, is_stored))
    first = tuple(Taken(path + words, _request(path + words), owed(number))
                  for words, number in _COUNTS)
    if not is_stored:
        first += (rows.Updated(_request(f"{path}?count={count}"), count),)
    return Ask(f"{path}?count={count}", owed(count), first=first)


def _between(least, most, count):
    return Expected(b"", _JSON, judge=rows.items_between(least, most, count))


def _ranged(words, least, most, count):
    path = "/async-db" + words
    return Taken(path, _request(path), _between(least, most, count))


_FIRST_OF_RANGES = (
    _ranged("?min=5&max=80&limit=7", 5, 80, 7), _ranged("?min=20&max=150&limit=18", 20, 150, 18),
    _ranged("?min=100&max=400&limit=33", 100, 400, 33), _ranged("", 10, 50, 50),
    _ranged("?min=9999&max=9999&limit=50", 9999, 9999, 0),
    _ranged("?min=10&max=50&limit=0", 10, 50, 1), _ranged("?min=10&max=50&limit=90", 10, 50, 50))
_FIRST_OF_CRUD = (
    rows.CrudWalk(),
    Refusal("no number as an id", _request("/crud/items/first"), ("4",)),
    Refusal("half an item", _request("/crud/items", "POST", b'{"id": 900002, "name"'), ("4",)),
    Refusal("a price that is text",
            _request("/crud/items/900003", "PUT", b'{"name":"a","price":"b","quantity":1}'),
            ("4",)))
_CRUD = (
    Mixed(15, "/crud/items/{RAND:1:50000}"),
    Mixed(3, "/crud/items/{RAND:1:50000}", "PUT",
          '{"name":"Updated Product","price":200,"quantity":25}'),
    Mixed(1, "/crud/items?category=office&page={RAND:1:10}&limit=10"),
    Mixed(1, "/crud/items", "POST", '{"id":{SEQ:100001},"name":"New Product","category":"test",'
          '"price":150,"quantity":30}'))

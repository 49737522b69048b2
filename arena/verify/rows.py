"""Checks responses with data of the database: their rows must be equal to those in the tables.

Must not require one spelling of escaped characters or whitespace: each project has its own.
"""

import html
import json
import re
import time
from dataclasses import dataclass
from functools import partial

from load import postgres
from load.wrk import HOST
from verify import answers
from verify.answers import request_bytes
from verify.framing import Reader, WrongAnswer, read_answer

_SHOWN_BYTES = 200
_ADDED = "Additional fortune added at request time."
_LATER_SECONDS = 0.3  # entries cached for 200 ms have expired by then


def _read(body):
    try:
        return json.loads(body)
    except ValueError:
        raise WrongAnswer(f"no JSON: {body[:_SHOWN_BYTES]!r}") from None


def _world(found, is_stored):
    if not isinstance(found, dict) or set(found) != {"id", "randomNumber"}:
        raise WrongAnswer(f"a world is {found!r}, not {{id, randomNumber}}")
    for name, value in found.items():
        if type(value) is not int or not 1 <= value <= postgres.WORLDS:
            raise WrongAnswer(f"{name} of a world is {value!r}, not 1 to {postgres.WORLDS}")
    if is_stored and found["randomNumber"] != postgres.number_of(found["id"]):
        raise WrongAnswer(f"world {found['id']} is not as it is stored: {found!r}")


def judge_world(body):
    """Checks one world as it is stored."""
    _world(_read(body), True)


def worlds(count, is_stored=True):
    """Returns a check of a list of `count`; is_stored: numbers must be those of the table."""
    return partial(_judge_worlds, count, is_stored)


def _judge_worlds(count, is_stored, body):
    found = _read(body)
    if not isinstance(found, list) or len(found) != count:
        told = len(found) if isinstance(found, list) else body[:_SHOWN_BYTES]
        raise WrongAnswer(f"{told!r} worlds, not a list of {count}")
    for world in found:
        _world(world, is_stored)
    if count >= 20 and len({world["id"] for world in found}) < count // 2:
        raise WrongAnswer("the worlds are not by chance: half of them are alike")


def judge_fortunes(body):
    """Checks all fortunes and the added one, sorted, with any whitespace and references."""
    text = re.sub(r">\s+<", "><", body.decode("utf-8", "replace").strip())
    rows = sorted([*enumerate(postgres.FORTUNES, 1), (0, _ADDED)], key=lambda row: row[1].encode())
    wanted = ("<!doctype html><html><head><title>Fortunes</title></head><body><table><tr>"
              "<th>id</th><th>message</th></tr>"
              + "".join(f"<tr><td>{number}</td><td>{html.escape(message)}</td></tr>"
                        for number, message in rows) + "</table></body></html>")
    told = re.sub(r"(?i)^<!doctype html>", "<!doctype html>", text)
    told, wanted = _plain(told), _plain(wanted)
    if told != wanted:
        where = next((i for i, (a, b) in enumerate(zip(told, wanted)) if a != b),
                     min(len(told), len(wanted)))
        raise WrongAnswer(f"the fortunes differ at {told[where:where + 60]!r}, where "
                          f"{wanted[where:where + 60]!r} is owed")


def _plain(text):
    """Normalizes optional character references; < > and & must be escaped."""
    for name in ("&quot;", "&#34;", "&#x22;"):
        text = text.replace(name, '"')
    for name in ("&#39;", "&#x27;", "&apos;"):
        text = text.replace(name, "'")
    return re.sub(r"&#(x[0-9a-fA-F]+|\d+);", _unless_markup, text)


def _unless_markup(match):
    """Replaces references that are not necessary (as in ASCII-only HTML)."""
    letter = html.unescape(match[0])
    return match[0] if letter in "<>&" else letter


def _item(found, least=None):
    if not isinstance(found, dict) or type(found.get("id")) is not int:
        raise WrongAnswer(f"no item: {found!r}")
    owed = postgres.item_of(found["id"])
    told = found if least is None else {name: found.get(name) for name in least}
    wanted = owed if least is None else {name: owed[name] for name in least}
    # As texts, because 1 is not equal to true in JSON.
    if json.dumps(told, sort_keys=True) != json.dumps(wanted, sort_keys=True):
        raise WrongAnswer(f"the item is {found!r}, stored is {owed!r}")


def items_between(least, most, count):
    """Returns a check of the response of /async-db."""
    return partial(_judge_between, least, most, count)


def _judge_between(least, most, count, body):
    found = _read(body)
    if not isinstance(found, dict) or set(found) != {"items", "count"}:
        raise WrongAnswer(f"no items and count: {body[:_SHOWN_BYTES]!r}")
    if found["count"] != count or len(found["items"]) != count:
        raise WrongAnswer(f"{len(found['items'])} items and the count {found['count']}, not "
                          f"{count}")
    for item in found["items"]:
        _item(item)
        if not least <= item["price"] <= most:
            raise WrongAnswer(f"the price is {item['price']}, not {least} to {most}")


def item(number):
    """Returns a check of the response of /crud/items/{number}, whose row does not change."""
    return partial(_judge_item, number)


def _judge_item(number, body):
    found = _read(body)
    _item(found)
    if found["id"] != number:
        raise WrongAnswer(f"item {found['id']} instead of {number}")


@dataclass(frozen=True)
class Updated:
    """/updates must store the numbers of its response in the table."""
    request: bytes
    count: int

    def check(self, port, address="127.0.0.1", via=answers.dial):
        """Raises WrongAnswer or OSError."""
        _, _, body = _ask(port, address, via, self.request)
        _judge_worlds(self.count, False, body)
        told = {world["id"]: world["randomNumber"] for world in _read(body)}
        stored = postgres.shared().numbers_of(told)
        if stored != told:
            wrong = next(one for one in told if stored.get(one) != told[one])
            raise WrongAnswer(f"world {wrong} is answered as {told[wrong]} and stored as "
                              f"{stored.get(wrong)}")
        if all(number == postgres.number_of(world) for world, number in told.items()):
            raise WrongAnswer("not one number was changed")


def _ask(port, address, via, request):
    """Returns (status code, headers, body)."""
    with via(port, address=address) as connection:
        connection.sendall(request)
        status, fields, body = read_answer(Reader(connection))
    return int(status.split(" ")[1]), fields, body


class CrudWalk:
    """HttpArena's rules of crud: the list, the cache and its lifetime, changes and insertions.

    Uses items that the load does not.
    """
    _CREATED = 900_001

    def check(self, port, address="127.0.0.1", via=answers.dial):
        """Raises WrongAnswer or OSError."""
        def ask(method, path, body=None, status=200, kept=None):
            return self._asked((port, address, via), method, path, body, status, kept)
        self._check_list(ask)
        ask("GET", "/crud/items/999999", status=404)
        ask("GET", "/crud/items/70042", kept="MISS")
        found = ask("GET", "/crud/items/70042", kept="HIT")
        _judge_item(70042, found)
        time.sleep(_LATER_SECONDS)
        ask("GET", "/crud/items/70042", kept="MISS")
        self._check_changes(ask)

    @staticmethod
    def _asked(where, method, path, body, status, kept):
        content = json.dumps(body).encode() if body is not None else b""
        code, fields, answer = _ask(*where, request_bytes(path, HOST, (), method, content))
        told = (fields.get("x-cache") or [""])[0]
        if code != status:
            raise WrongAnswer(f"{method} {path}: status {code}, not {status}")
        if kept is not None and told != kept:
            raise WrongAnswer(f"{method} {path}: X-Cache is {told!r}, not {kept}")
        return answer

    @staticmethod
    def _check_list(ask):
        for page, limit, owed in ((1, 5, 5), (3, 10, 10), (1, 80, 50)):
            found = _read(ask("GET", f"/crud/items?category=toys&page={page}&limit={limit}"))
            ids = [one["id"] for one in found["items"]]
            told = (found["page"], found["limit"], found["total"], len(ids))
            if told != (page, owed, owed, owed):
                raise WrongAnswer(f"page, limit, total and items are {told}")
            first = (page - 1) * owed
            if ids != [2 + 4 * number for number in range(first, first + owed)]:
                raise WrongAnswer(f"the ids are {ids}")
            for one in found["items"]:
                _item(one, ("category", "active", "tags", "rating"))

    def _check_changes(self, ask):
        made = {"id": self._CREATED, "name": "Bench Test", "category": "test", "price": 25,
                "quantity": 10}
        path = f"/crud/items/{self._CREATED}"
        ask("POST", "/crud/items", made, 201)
        self._compare(_read(ask("GET", path, kept="MISS")), made)
        changed = {"name": "Changed", "price": 30, "quantity": 5}
        ask("PUT", path, changed)
        self._compare(_read(ask("GET", path, kept="MISS")), made | changed)
        ask("GET", path, kept="HIT")
        ask("POST", "/crud/items", made, 201)
        time.sleep(_LATER_SECONDS)
        self._compare(_read(ask("GET", path)), made)
        ask("PUT", "/crud/items/999999", changed, 404)

    @staticmethod
    def _compare(found, owed):
        told = {name: found.get(name) for name in owed}
        if told != owed:
            raise WrongAnswer(f"the item is {told!r}, not {owed!r}")

"""A typed order sent as JSON: without rules, and with rules and five middlewares.

Must not require a project's wording of an error, but each must report all errors.
"""

import copy
import json
from functools import partial

from experiments.model import Ask, Cell, Experiment, both
from load.wrk import HOST
from verify.answers import Expected, request_bytes
from verify.refusals import Fields, Refusal, Taken

CONNECTIONS = 64
CONTENT_BYTES_MAX = 2**20
_RIVALS = ("aeronet", "fastapi", "axum", "drogon")
ORDER = {
    "id": "0f8fad5b-d9cb-469f-a165-70867728950e", "name": "Ada Lovelace",
    "mail": "ada@lovelace.org", "street": "12 St James's Square", "postcode": "10117",
    "city": "Berlin", "country": "DE", "paid_with": "invoice", "tags": ["first", "fragile"],
    "note": "Ring twice.", "is_gift": False,
    "lines": [{"sku": "cog-wheel-12", "count": 40, "cents": 1299},
              {"sku": "axle-3", "count": 2, "cents": 45000},
              {"sku": "card-blank", "count": 1000, "cents": 3}]}
_ANSWER = Expected(b'{"name":"Ada Lovelace","lines":3,"cents":144960}', "application/json",
                   is_object=True)
# One wrong member each, rejected by a type or a rule. Type errors may be reported before rules
# are checked.
_OF_TYPE = (("id", "7"), ("id", "0f8fad5b-d9cb-469f-a165-7086772895zz"), ("paid_with", "cash"),
            ("country", "XX"), ("is_gift", "perhaps"), ("name", 7), ("tags", "first"),
            ("lines", {}))
_OF_RULE = (("name", ""), ("name", "n" * 81), ("mail", "nobody"), ("mail", "@lovelace.org"),
            ("street", ""), ("street", "s" * 121), ("postcode", "1011"), ("postcode", "101170"),
            ("postcode", "1O117"), ("city", ""), ("city", "c" * 81), ("tags", ["a", "a"]),
            ("tags", [str(number) for number in range(9)]), ("note", "n" * 501), ("lines", []),
            ("lines", ORDER["lines"] * 17))
_OF_LINE = (("sku", ""), ("sku", "a" * 33), ("sku", "Axle 3"), ("count", 0), ("count", 1001),
            ("cents", -1), ("cents", 10_000_001), ("count", "many"), ("cents", 0.5))
# All of these at once; each must be reported.
_TOGETHER = {"name": "", "mail": "nobody", "street": "", "postcode": "1011", "city": "",
             "tags": ["a", "a"], "note": "n" * 501}
_HEADERS = (r"content-security-policy: .+", r"x-content-type-options: nosniff",
            r"referrer-policy: .+", r"x-frame-options: deny", r"cross-origin-opener-policy: .+",
            r"cross-origin-resource-policy: .+", r"permissions-policy: .+",
            r"(x-)?ratelimit.*: .*\d.*")


def experiment(machine):
    """Two cells: with types only; with types, rules and middleware."""
    return Experiment(
        "orders", "A typed JSON POST", machine.scale() + " The body is an "
        f"order of twelve members and three lines, {len(_text(ORDER))} bytes. The response has "
        "the number of lines and the total. Before the first measurement, each server must reject "
        "invalid orders and name their members.", (
            _cell("unchecked", "types only, no middleware", _first_of_types),
            _cell("checked", "rules, after five middlewares", _first_of_rules)))


def _cell(name, title, first_of):
    path = f"/{name}"
    return Cell(name, f"{title}, {CONNECTIONS} connections",
                Ask(path, _ANSWER, "POST", _text(ORDER), first=first_of(path)), (name,),
                connections=CONNECTIONS, bound=both(1.0), bound_over=_RIVALS)


def _text(order):
    return json.dumps(order, separators=(",", ":")).encode()


def _request(path, content, headers=()):
    return request_bytes(path, HOST, headers, "POST", content)


def _changed(**members):
    return {**copy.deepcopy(ORDER), **members}


def _with_line(**members):
    order = copy.deepcopy(ORDER)
    order["lines"][1].update(members)
    return order


def _refused(path, title, order, *named):
    """Returns a Refusal: only the named members may be reported. A response that shows the lines
    also shows the members of a line, so these are not checked then.
    """
    inner = () if named == ("lines",) else ORDER["lines"][0]
    right = {*ORDER, *inner} - set(named)
    return Refusal(title, _request(path, _text(order)), ("422",), named, tuple(sorted(right)))


def _of_size(size):
    """Returns a valid order, padded to this size with spaces."""
    text = _text(ORDER)
    return text[:1] + b" " * (size - len(text)) + text[1:]


def _first_of_types(path):
    """Requests that types reject: not an order, not JSON, no JSON content type, or too large."""
    refused, request = partial(_refused, path), partial(_request, path)
    whole = request(_text(ORDER))
    lacking = {name: value for name, value in ORDER.items() if name != "city"}
    return (
        refused("is_gift is a text", _changed(is_gift="perhaps"), "is_gift"),
        refused("a count is a text", _with_line(count="many"), "lines", "count"),
        Refusal("no city", request(_text(lacking)), ("422",), ("city",)),
        Refusal("an unknown member", request(_text(_changed(colour="red"))), ("422",),
                ("colour",)),
        Refusal("half of it", request(_text(ORDER)[:200]), ("400", "422")),
        Refusal("no Content-Type", whole.replace(b"Content-Type: application/json\r\n", b""),
                ("4",)),
        Refusal("Content-Type: text/plain", whole.replace(b"application/json", b"text/plain"),
                ("4",)),
        Refusal("a byte over 1 MiB", request(_of_size(CONTENT_BYTES_MAX + 1)), ("413",)),
        Taken("1 MiB", request(_of_size(CONTENT_BYTES_MAX)), _ANSWER))


def _first_of_rules(path):
    """Further requests that rules or middleware reject, and the headers that middleware adds."""
    refused, request = partial(_refused, path), partial(_request, path)
    return (
        *_first_of_types(path),
        *(refused(f"{name} is {str(value)[:40]!r}", _changed(**{name: value}), name)
          for name, value in _OF_TYPE + _OF_RULE),
        *(refused(f"a line's {name} is {value!r}", _with_line(**{name: value}), "lines", name)
          for name, value in _OF_LINE),
        refused("many at once", _changed(
            **_TOGETHER, lines=[*ORDER["lines"][:2], {"sku": "", "count": 0, "cents": -1}]),
                *_TOGETHER, "lines", "sku", "count", "cents"),
        Taken("no note", request(_text(_changed(note=None))), _ANSWER),
        Refusal("the page of another site", request(
            _text(ORDER), ("Origin: https://elsewhere.example", "Sec-Fetch-Site: cross-site")),
                ("403",)),
        Taken("a page of its own", request(
            _text(ORDER), (f"Origin: http://{HOST}", "Sec-Fetch-Site: same-origin")), _ANSWER),
        Fields(request(_text(ORDER)), _HEADERS, "x-request-id"))

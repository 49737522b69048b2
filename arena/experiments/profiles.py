"""HttpArena's profiles without a database: JSON, compressed JSON, uploads, static files, echo.

Must not name a contestant's private flag: all get the same requests.
"""

from experiments import model
from experiments.model import Ask, Cell, Experiment, both
from load import profiles_dir
from load.wrk import Mixed
from verify import profiles
from verify.answers import Expected
from verify.coded import COMPRESSED, EITHER

CONNECTIONS = 256
UPLOAD_CONNECTIONS = 32
_COUNTS = ((1, 3), (5, 7), (10, 2), (15, 5), (25, 4), (40, 8), (50, 6))
_COMPRESSED_COUNTS = ((25, 4), (40, 8), (50, 6))
_MESSAGE = b"hello"
# A body has up to 20 MiB, and unfinished ones are not counted at the end.
_UPLOAD_SECONDS_LEAST = 4
_RIVALS = ("actix", "aeronet", "axum", "bun", "drogon", "fasthttp", "go-net-http", "lithium",
           "nginx", "node", "uwebsockets")


def experiment(machine):
    """Five cells."""
    return Experiment(
        "profiles", "HttpArena: json, json-compressed, upload, static, echo-ws",
        machine.scale("on 64 cores with 512 to 16,384 connections, for uploads 32 and 256")
        + f" Here {CONNECTIONS} keep-alive connections, {UPLOAD_CONNECTIONS} for uploads. The "
        "figure of compression is the CPU time per request times the square of the bytes per "
        "response, as in HttpArena's score.",
        (_json(), _compressed(), _upload(), _static(), _echo()))


def _cell(name, title, ask, needs, connections=CONNECTIONS, **more):
    return Cell(name, f"{title}, {connections} connections", ask, (needs,),
                connections=connections, bound=both(1.0), bound_over=_RIVALS, **more)


def _path(count, multiplier):
    return f"/json/{count}?m={multiplier}"


def _json():
    return _cell("json", "1 to 50 items as JSON", Ask(
        _path(*_COUNTS[-1]), profiles.items(*_COUNTS[-1]), first=profiles.FIRST_OF_JSON,
        mix=tuple(Mixed(1, _path(*one)) for one in _COUNTS)), "items-json")


def _compressed():
    last = _COMPRESSED_COUNTS[-1]
    return _cell("json-compressed", "25 to 50 items as JSON, gzip or br", Ask(
        _path(*last), profiles.items(*last, COMPRESSED), headers=(profiles.BOTH_CODINGS,),
        first=profiles.FIRST_OF_COMPRESSED,
        mix=tuple(Mixed(1, _path(*one)) for one in _COMPRESSED_COUNTS)), "items-compressed",
        metric="weighed_us")


def _upload():
    least = profiles.UPLOADS[0]
    return _cell("upload", "bodies of 500 KiB to 20 MiB", Ask(
        "/upload", profiles.counted(least), "POST", b"x" * least, (profiles.OCTETS,),
        first=profiles.FIRST_OF_UPLOAD,
        mix=tuple(Mixed(1, "/upload", "POST", body_bytes=size) for size in profiles.UPLOADS)),
        "upload", UPLOAD_CONNECTIONS, seconds_least=_UPLOAD_SECONDS_LEAST)


def _static():
    name = "reset.css"
    return _cell("static", f"{len(profiles_dir.SIZES)} files of a page", Ask(
        f"/static/{name}", profiles.file(name, EITHER), headers=(profiles.OF_BROWSERS,),
        first=profiles.first_of_static(),
        mix=tuple(Mixed(1, f"/static/{name}") for name in profiles_dir.SIZES)), "static")


def _echo():
    return _cell("echo", f"echo of {len(_MESSAGE)} bytes", Ask("/ws", Expected(b"", "")),
                 "websocket", kind=model.WEBSOCKET, message_bytes=len(_MESSAGE))

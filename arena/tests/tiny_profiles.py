"""A server of HttpArena's profiles for the arena's tests: correct, or wrong in the way of its mode.

Must not be fast.
"""

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from load import profiles_dir

# Each mode and the error that the checks of its profile report.
JSON_MODES = {
    "ignores-m": "the item is", "unsorted": "the item is", "one-less": "items and the count",
    "text-total": "the item is", "no-total": "the item is", "no-clamp": "60",
    "strict-m": "m=many", "any-count": "no number as a count", "html": "Content-Type",
    "compresses-unasked": "Content-Encoding is 'gzip', not none"}
COMPRESSED_MODES = {
    "never-compresses": "Content-Encoding is '', not 'gzip' or 'br'", "ignores-m": "the item is",
    "torn": "the body is not gzip", "says-br": "the body is not br",
    "compresses-unasked": "Content-Encoding is 'gzip', not none"}
UPLOAD_MODES = {"trusts-length": "in chunks", "counts-first": "differs", "json": "Content-Type",
                "refuses-large": "413"}
STATIC_MODES = {"byte": "differs", "html": "Content-Type", "finds-all": "a file that is not there",
                "compresses-unasked": "Content-Encoding is 'gzip', not none",
                "stale-form": "differs"}


def _number(text, otherwise):
    try:
        return int(text)
    except ValueError:
        return otherwise


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass

    @property
    def mode(self):
        """How this server fails."""
        return self.server.mode

    def do_GET(self):  # pylint: disable=invalid-name
        """Serves items and files."""
        url = urlsplit(self.path)
        _, area, name = url.path.split("/", 2)
        if area == "json":
            self._items(name, parse_qs(url.query).get("m", ["1"])[0])
        elif name in profiles_dir.SIZES:
            data = profiles_dir.content(name)
            kind = profiles_dir.TYPES[profiles_dir.kind_of(name)]
            kind = "application/javascript" if kind == "text/javascript" else kind
            self._answer(data[:-1] + b"?" if self.mode == "byte" else data, kind,
                         profiles_dir.is_text(name))
        else:
            self._answer(b"", "text/plain", status=200 if self.mode == "finds-all" else 404)

    def _items(self, name, multiplier):
        count, m = _number(name, 1 if self.mode == "any-count" else None), _number(multiplier, 1)
        if count is None or (count > 50 and self.mode == "no-clamp") or \
                (self.mode == "strict-m" and m != _number(multiplier, 0)):
            self._answer(b"", "text/plain", status=404)
            return
        found = [item | {"total": item["price"] * item["quantity"]
                         * (1 if self.mode == "ignores-m" else m)}
                 for item in profiles_dir.items()[:count]]
        if self.mode == "text-total":
            found[0]["total"] = str(found[0]["total"])
        elif self.mode == "no-total":
            del found[-1]["total"]
        elif self.mode == "unsorted":
            found.reverse()
        elif self.mode == "one-less":
            found.pop()
        body = json.dumps({"items": found, "count": len(found)}).encode()
        self._answer(body, "application/json", self.mode != "never-compresses")

    def do_POST(self):  # pylint: disable=invalid-name
        """Counts the bytes of the body."""
        length = self.headers.get("Content-Length")
        got = len(self.rfile.read(int(length)) if length else b"".join(self._chunks()))
        if self.mode == "refuses-large" and got > 1 << 20:
            self._answer(b"", "text/plain", status=413)
            return
        told = {"trusts-length": length or 0, "counts-first": min(got, 65536)}.get(self.mode, got)
        self._answer(str(told).encode(),
                     "application/json" if self.mode == "json" else "text/plain")

    def _chunks(self):
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _answer(self, body, kind, may_compress=False, status=200):
        takes = "gzip" in self.headers.get("Accept-Encoding", "")
        self.send_response(status)
        if may_compress and (takes or self.mode == "compresses-unasked"):
            plain = body[:-1] if self.mode == "stale-form" else body
            body = gzip.compress(plain, 1)
            body = body[:-9] if self.mode == "torn" else body
            self.send_header("Content-Encoding", "br" if self.mode == "says-br" else "gzip")
        self.send_header("Content-Type", "text/html" if self.mode == "html" and status == 200
                         and kind != "text/html" else kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class TinyProfiles:
    """Use as a context manager."""

    def __init__(self, mode="right"):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads, self._server.mode = True, mode
        self.port = self._server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

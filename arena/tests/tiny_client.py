"""A client for the arena's tests: works correctly, or fails in the way of its mode.

    tiny_client.py MODE URL CONNECTIONS SECONDS BODY_BYTES

Must not be fast.
"""

import http.client
import json
import os
import sys
import time
from urllib.parse import urlsplit

OWED = b"Hello, World!"
MODES = ("right", "blind-to-bodies", "blind-to-statuses", "boasts", "forgets-errors", "reconnects",
         "asks-elsewhere", "other-body", "babbles", "dies", "hurries")


def body_of(mode, size):
    """Returns the body to send."""
    body = b'{"text":"' + b"x" * (size - 11) + b'"}' if size else b""
    return body[:-3] + b'y"}' if mode == "other-body" else body


def ask(mode, connection, path, body):
    """Returns (whether the response seems correct, its bytes)."""
    path = path + "?" if mode == "asks-elsewhere" else path
    connection.request("POST" if body else "GET", path, body or None,
                       {"Content-Type": "application/json"} if body else {})
    answer = connection.getresponse()
    content = answer.read()
    is_body_right = content == OWED or mode == "blind-to-bodies"
    if mode == "reconnects":
        connection.close()
    return (answer.status == 200 or mode == "blind-to-statuses") and is_body_right, len(content)


def tally(mode, url, connections, seconds, size):
    """Returns [correct, wrong, bytes], with requests on one connection after the other."""
    body, found = body_of(mode, size), [0, 0, 0]
    kept = [http.client.HTTPConnection(url.hostname, url.port) for _ in range(connections)]
    last = time.monotonic() + (0 if mode == "hurries" else seconds)
    while True:
        for connection in kept:
            is_right, count = ask(mode, connection, url.path, body)
            found[not is_right] += 1
            found[2] += count if is_right else 0
        if time.monotonic() >= last:
            return found


def main():
    """Returns 0, except in the mode that crashes."""
    mode, url, connections, seconds, size = sys.argv[1:]
    began = time.monotonic()
    right, wrong, count = tally(mode, urlsplit(url), int(connections), float(seconds), int(size))
    if mode == "dies":
        print("it is all too much", file=sys.stderr)
        os._exit(7)
    told = {"requests": right + (mode == "boasts"), "bytes": count,
            "errors": 0 if mode == "forgets-errors" else wrong,
            "seconds": 0 if mode == "hurries" else time.monotonic() - began}
    print("very many" if mode == "babbles" else json.dumps(told))


if __name__ == "__main__":
    main()

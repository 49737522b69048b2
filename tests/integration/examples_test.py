#!/usr/bin/env python3
"""Every numbered example is started and called. argv[1]: the build's bin directory, or
that of support.py."""

import json
import pathlib
import selectors
import socket
import sys
import time

import support

JSON = {"Content-Type": "application/json"}


def hello():
    with support.Program("01_hello", "--port", "{port}", "--threads", "1") as service:
        assert service.ask("GET", "/")[2] == b"Hello world"
        assert service.ask("GET", "/hello/Ad%61")[2] == b"Hello Ada"
        assert service.ask("GET", "/add/2/-5")[2] == b"-3"
        status, headers, text = service.ask("GET", "/add/1/x")
        assert status == 400 and headers["Content-Type"] == "application/problem+json", text
        assert json.loads(text)["errors"][0]["pointer"] == "b", text
        assert service.stop() == 0


def orders():
    with support.Program("02_json", "--port", "{port}", "--threads", "1") as service:
        order = {"item": "tea", "count": 3, "paid_with": "card"}
        status, _, text = service.ask("POST", "/orders", json.dumps(order), JSON)
        assert status == 201, text
        assert json.loads(text) == {"item": "tea", "cents": 750, "paid_with": "card"}, text
        order = {"item": "", "count": 0, "paid_with": "gold"}
        status, _, text = service.ask("POST", "/orders", json.dumps(order), JSON)
        pointers = sorted(error["pointer"] for error in json.loads(text)["errors"])
        assert status == 422 and pointers == ["/count", "/item", "/paid_with"], text
        assert service.ask("POST", "/orders", "{", JSON)[0] == 400
        assert service.ask("GET", "/orders")[0] == 405
        assert service.stop() == 0


def read_reply(connection):
    """One response with a Content-Length, from a socket that blocks."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(4096)
    head, body = data.split(b"\r\n\r\n", 1)
    lines = head.split(b"\r\n")
    length = next(int(line[15:]) for line in lines if line.startswith(b"Content-Length:"))
    while len(body) < length:
        body += connection.recv(4096)
    return head, json.loads(body)


def wait_together(port, count):
    """`count` requests at once; the replies, and the seconds they took together."""
    connections = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(count)]
    begin = time.monotonic()
    for connection in connections:
        connection.sendall(b"GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n")
    replies = []
    with selectors.DefaultSelector() as ready:
        for connection in connections:
            ready.register(connection, selectors.EVENT_READ)
        while len(replies) < count:
            for key, _ in ready.select(timeout=30):
                replies.append(read_reply(key.fileobj))
                ready.unregister(key.fileobj)
    seconds = time.monotonic() - begin
    for connection in connections:
        connection.close()
    return replies, seconds


def waiting():
    support.open_files_max()
    count = 1000
    with support.Program("03_async", "--port", "{port}", "--threads", "1") as service:
        replies, seconds = wait_together(service.port, count)
        assert all(head.startswith(b"HTTP/1.1 200") for head, _ in replies)
        at_once = max(body["at_once"] for _, body in replies)
        # One after the other they would take 200 seconds.
        assert 0.2 <= seconds < 10, seconds
        assert at_once > count // 4, at_once
        assert service.stop() == 0
        print(f"  {count} waits of 200 ms on one thread: {seconds:.2f} s, {at_once} at once")


def main():
    if len(sys.argv) > 1:
        support.BIN = pathlib.Path(sys.argv[1]).resolve()
    for check in (hello, orders, waiting):
        check()
        print(f"ok: {check.__name__}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Opens TLS connections one after the other, with one request each, and prints their number.

    handshaker.py --port P --host H --path P --body TEXT --connections N --seconds S --suite NAME
                  [--resumes]

A figure counts only if every handshake was of the requested kind, so each is checked. Needs only
Python; OPENSSL_CONF limits the suites that it offers. Must not check the certificate's name: the
probe does, and the server would wait meanwhile.
"""

import argparse
import hashlib
import json
import socket
import ssl
import statistics
import threading
import time

_TIMEOUT_SECONDS = 10
_ANSWER_BYTES_MAX = 1 << 20
_ERRORS_MAX = 100


class Wrong(Exception):
    """An error of one connection."""


class Counts:
    """The results of all clients."""

    def __init__(self):
        self._lock, self.latencies_ms, self.errors = threading.Lock(), [], {}
        self.certificates = {}  # {SHA-256: [end of the first handshake, begin of the last]}

    def add(self, began, certificate):
        """Counts a correct response."""
        now = time.monotonic()
        with self._lock:
            self.latencies_ms.append((now - began) * 1000)
            known = self.certificates.setdefault(certificate, [now, began])
            known[1] = max(known[1], began)

    def fail(self, what):
        """Counts an error; returns the number of errors."""
        with self._lock:
            self.errors[what] = self.errors.get(what, 0) + 1
            return sum(self.errors.values())


class Client:
    """A client that opens a new connection per request."""

    def __init__(self, options, context):
        self._options, self._context, self._session = options, context, None
        self._request = (f"GET {options.path} HTTP/1.1\r\nHost: {options.host}\r\n"
                         "Connection: close\r\n\r\n").encode()

    def ask(self):
        """Sends a request on a new connection; raises Wrong or OSError. The first gets a
        session. Returns the fingerprint of the server's certificate.
        """
        connection = socket.create_connection(("127.0.0.1", self._options.port), _TIMEOUT_SECONDS)
        # Otherwise the request waits up to 40 ms for the acknowledgement of the handshake's end.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._context.wrap_socket(connection, server_hostname=self._options.host,
                                       session=self._session) as sealed:
            is_resumed, was_asked = sealed.session_reused, self._session is not None
            self._check_suite(sealed)
            certificate = hashlib.sha256(sealed.getpeercert(True)).hexdigest()
            sealed.sendall(self._request)
            self._check_answer(_whole(sealed))
            if self._options.resumes:
                self._session = sealed.session  # a ticket is valid once: each brings the next
        if is_resumed != was_asked:
            raise Wrong("a full handshake, not a resumed one" if was_asked else
                        "a resumed handshake, not a full one")
        return certificate

    def _check_suite(self, sealed):
        if sealed.cipher()[0] != self._options.suite:
            raise Wrong(f"the suite is {sealed.cipher()[0]}")

    def _check_answer(self, answer):
        head, _, body = answer.partition(b"\r\n\r\n")
        status = head.partition(b"\r\n")[0]
        if not status.startswith(b"HTTP/1.1 200"):
            raise Wrong(f"the status line is {status[:40]!r}")
        if body != self._options.body.encode():
            raise Wrong(f"the body is {body[:40]!r}")


def _whole(sealed):
    """Returns all bytes until the end."""
    parts, size = [], 0
    while data := sealed.recv(1 << 16):
        parts.append(data)
        size += len(data)
        if size > _ANSWER_BYTES_MAX:
            raise Wrong("the response does not end")
    return b"".join(parts)


def _run(client, counts, ends_at):
    while (began := time.monotonic()) < ends_at:
        try:
            counts.add(began, client.ask())
        except (Wrong, OSError) as failure:
            if counts.fail(str(failure) or type(failure).__name__) >= _ERRORS_MAX:
                return


def _warm(clients, counts):
    """Gets each client's first session, which is not counted."""
    for client in clients:
        try:
            client.ask()
        except (Wrong, OSError) as failure:
            counts.fail(str(failure) or type(failure).__name__)


def _options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for name, kind in (("port", int), ("host", str), ("path", str), ("body", str),
                       ("connections", int), ("seconds", float), ("suite", str)):
        parser.add_argument(f"--{name}", type=kind, required=True)
    parser.add_argument("--resumes", action="store_true")
    return parser.parse_args()


def _context():
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    return made


def _report(counts, seconds):
    sorted_ms = sorted(counts.latencies_ms)
    def at(share):
        return sorted_ms[min(len(sorted_ms) - 1, int(share * len(sorted_ms)))] if sorted_ms else 0
    return {"requests": len(sorted_ms), "seconds": seconds, "errors": counts.errors,
            "certificates": counts.certificates,
            "p50_ms": at(0.5), "p90_ms": at(0.9), "p99_ms": at(0.99), "max_ms": at(1),
            "avg_ms": statistics.fmean(sorted_ms) if sorted_ms else 0}


def main():
    """Prints one line of JSON."""
    options, counts, context = _options(), Counts(), _context()
    clients = [Client(options, context) for _ in range(options.connections)]
    if options.resumes:
        _warm(clients, counts)
    began = time.monotonic()
    threads = [threading.Thread(target=_run, args=(client, counts, began + options.seconds))
               for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(_report(counts, time.monotonic() - began)))


if __name__ == "__main__":
    main()

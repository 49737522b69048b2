#!/usr/bin/env python3
"""Notes that were acknowledged are there after kill -9 in the middle of writing, and after a plain
restart. argv[1]: the build's bin directory, or that of support.py."""

import http.client
import json
import os
import pathlib
import sqlite3
import sys
import tempfile
import threading

import support

ROUNDS = 6
WRITERS = 4
ACKNOWLEDGED_BEFORE_KILL = 150


class Writers:
    """Threads that add notes as fast as they are acknowledged, and remember which were."""

    def __init__(self, port, round_number):
        self.port = port
        self.round_number = round_number
        self.acknowledged = {}
        self.enough = threading.Event()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.write, args=(i,)) for i in range(WRITERS)]

    def run_until_killed(self, kill):
        for thread in self.threads:
            thread.start()
        assert self.enough.wait(timeout=60), "the writers got nowhere"
        kill()
        for thread in self.threads:
            thread.join(timeout=60)
        return self.acknowledged

    def write(self, number):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        count = 0
        try:
            while True:
                self.add(connection, f"round {self.round_number}, writer {number}, note {count}")
                count += 1
        except (OSError, http.client.HTTPException):
            pass  # killed: what was not acknowledged may be there or not
        finally:
            connection.close()

    def add(self, connection, title):
        body = json.dumps({"title": title, "body": title * 20, "stars": 3})
        connection.request("POST", "/api/v1/notes", body, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        note = json.loads(reply.read())
        assert reply.status == 201, note
        with self.lock:
            self.acknowledged[note["id"]] = title
            if len(self.acknowledged) >= ACKNOWLEDGED_BEFORE_KILL:
                self.enough.set()


def check_file(path):
    with sqlite3.connect(path) as database:
        assert database.execute("pragma integrity_check").fetchone() == ("ok",)


def check_notes(service, acknowledged):
    for number, title in acknowledged.items():
        status, _, text = service.ask("GET", f"/api/v1/notes/{number}")
        assert status == 200, f"the acknowledged note {number} ({title}) is lost: {text}"
        note = json.loads(text)
        assert note["title"] == title and note["body"] == title * 20 and note["stars"] == 3, note


def start(directory):
    """The service over notes.db in that directory."""
    database = {"NOTES_DB": os.path.join(directory, "notes.db")}
    return support.Program("notes", "--port", "{port}", "--threads", "2", environment=database)


def kill(service):
    service.process.kill()
    service.process.wait(support.STOP_SECONDS_MAX)


def main():
    if len(sys.argv) > 1:
        support.BIN = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as directory:
        acknowledged = {}
        for round_number in range(ROUNDS):
            with start(directory) as service:
                writers = Writers(service.port, round_number)
                acknowledged |= writers.run_until_killed(lambda: kill(service))
        with start(directory) as service:
            check_notes(service, acknowledged)
            status, _, text = service.ask("GET", "/api/v1/notes?per_page=1")
            assert status == 200 and json.loads(text)["total"] >= len(acknowledged), text
            assert service.stop() == 0
        check_file(os.path.join(directory, "notes.db"))
        with start(directory) as service:
            check_notes(service, dict(list(acknowledged.items())[-20:]))
    print(f"ok: {len(acknowledged)} acknowledged notes survived {ROUNDS} times kill -9")


if __name__ == "__main__":
    main()

"""Acknowledged notes exist after a restart, and after kill -9 during writes.

Must not test the API and the pages: notes_test.py does.
"""

import http.client
import json
import signal
import sqlite3
import threading
import unittest

from support import NotesCase

ROUNDS = 4
WRITERS = 16
ACKNOWLEDGED_BEFORE_KILL = 600
WAIT_SECONDS_MAX = 60
JSON = {'Content-Type': 'application/json'}


class Writers:
    """Threads that add notes as fast as they are acknowledged, and record the acknowledged ones."""

    def __init__(self, port, round_number):
        self.port = port
        self.round_number = round_number
        self.acknowledged = {}
        self.enough = threading.Event()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.write, args=(i,)) for i in range(WRITERS)]

    def run_until(self, kill):
        """Returns the notes that were acknowledged before and during `kill`."""
        for thread in self.threads:
            thread.start()
        got_somewhere = self.enough.wait(WAIT_SECONDS_MAX)
        kill()
        for thread in self.threads:
            thread.join(WAIT_SECONDS_MAX)
        assert got_somewhere, 'the writers got nowhere'
        return self.acknowledged

    def write(self, number):
        """Adds notes until the service is gone; whether it stored the last one is unknown."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=20)
        count = 0
        try:
            while True:
                self.add(connection, f'round {self.round_number}, writer {number}, note {count}')
                count += 1
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()

    def add(self, connection, title):
        """Posts a note and records its number after the response."""
        connection.request('POST', '/api/v1/notes', note_of(title), JSON)
        reply = connection.getresponse()
        note = json.loads(reply.read())
        assert reply.status == 201, note
        with self.lock:
            self.acknowledged[note['id']] = title
            if len(self.acknowledged) >= ACKNOWLEDGED_BEFORE_KILL:
                self.enough.set()


def note_of(title):
    """Returns the body that adds a note with that title."""
    return json.dumps({'title': title, 'body': title * 20, 'stars': 3})


class Durability(NotesCase):
    def expect(self, service, notes):
        """Expects that each of `notes` (number: title) exists once and completely."""
        for number, title in notes.items():
            status, _, text = service.ask('GET', f'/api/v1/notes/{number}')
            self.assertEqual(status, 200, f'the acknowledged note {number} ({title}) is lost')
            note = json.loads(text)
            self.assertEqual((note['title'], note['body'], note['stars']), (title, title * 20, 3))
        self.assertEqual(len(set(notes.values())), len(notes))

    def test_notes_survive_a_restart(self):
        with self.start() as service:
            status, _, text = service.ask('POST', '/api/v1/notes', note_of('kept'), JSON)
            self.assertEqual(status, 201)
            self.assertEqual(service.stop(), 0)
        with self.start() as service:
            self.expect(service, {json.loads(text)['id']: 'kept'})

    def test_what_was_acknowledged_survives_kills_in_the_middle_of_writes(self):
        acknowledged = {}
        for round_number in range(ROUNDS):
            with self.start() as service:
                writers = Writers(service.port, round_number)
                acknowledged |= writers.run_until(lambda: service.stop(signal.SIGKILL))
        with self.start() as service:
            self.expect(service, acknowledged)
            self.assertEqual(service.stop(), 0)
        with sqlite3.connect(self.database) as database:
            self.assertEqual(database.execute('pragma integrity_check').fetchone(), ('ok',))
            twice = database.execute('select title from notes group by title having count(*) > 1')
            self.assertEqual(twice.fetchall(), [])


if __name__ == '__main__':
    unittest.main()

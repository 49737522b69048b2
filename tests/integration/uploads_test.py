"""Forms and compressed bodies with a real client: valid ones are stored, hostile ones leave no
files.

Must not use internals of the service: only the response and the directory count.
"""

import gzip
import json
import os
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from streaming_test import held_bytes
from support import Program

PROGRAM = '04_uploads'
BOMB_BYTES = 500 << 20
SECONDS_MAX = 60
BODY_SECONDS = 30  # limit for a slow body


def curl(*arguments):
    """Returns (status, body)."""
    told = subprocess.run(['curl', '-sS', '--max-time', str(SECONDS_MAX), '-w', '\n%{http_code}',
                           *arguments], capture_output=True, check=False,
                          timeout=SECONDS_MAX + 10).stdout
    body, _, status = told.rpartition(b'\n')
    return int(status), body


class Uploads(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def start(self):
        """Returns the service with this test's directory."""
        return Program(PROGRAM, '--port', '{port}', '--threads', '1', '--sandbox', 'on',
                       environment={'UPLOADS_DIRECTORY': str(self.directory)})

    def names(self):
        """Returns the names in the directory, including hidden ones."""
        return sorted(entry.name for entry in self.directory.iterdir())

    def test_a_form_is_stored_with_its_files(self):
        photo = os.urandom(3 << 20)
        with self.start() as service, tempfile.NamedTemporaryFile() as source:
            source.write(photo)
            source.flush()
            url = f'http://127.0.0.1:{service.port}/photos'
            status, told = curl('-F', 'title=Sea', '-F',
                                f'photo=@{source.name};filename=../../sea one.jpg', url)
            self.assertEqual(status, 200, told)
            stored = json.loads(told)
            self.assertEqual((stored['title'], stored['photos'][0]['bytes']), ('Sea', len(photo)))
            name = stored['photos'][0]['name']
            self.assertNotIn('/', name)
            self.assertEqual((self.directory / name).read_bytes(), photo)
            self.assertEqual(curl('-F', f'photo=@{source.name};filename={name}', url)[0], 409)
            self.assertEqual(self.names(), [name])

    def test_what_is_no_form_or_too_much_is_refused(self):
        with self.start() as service:
            url = f'http://127.0.0.1:{service.port}/photos'
            self.assertEqual(curl('-d', 'a=b', url)[0], 415)
            self.assertEqual(curl('-F', 'title=' + 'x' * 1000, url)[0], 413)
            self.assertEqual(curl('-H', 'Content-Type: multipart/form-data; boundary=b',
                                  '--data-binary', 'no boundary in it', url)[0], 400)
            self.assertEqual(self.names(), [])

    def test_compressed_bodies_are_decoded_within_a_bound(self):
        with self.start() as service, tempfile.NamedTemporaryFile() as source:
            url = f'http://127.0.0.1:{service.port}/size'
            words = ['-H', 'Content-Encoding: gzip', '--data-binary', f'@{source.name}', url]
            source.write(gzip.compress(b'x' * 100_000))
            source.flush()
            self.assertEqual(curl(*words), (200, b'100000'))
            source.truncate(0)
            source.seek(0)
            source.write(gzip.compress(bytes(BOMB_BYTES)))
            source.flush()
            before = held_bytes(service)
            self.assertEqual(curl(*words)[0], 413)
            self.assertLess(held_bytes(service) - before, 8 << 20)
            self.assertEqual(curl('-H', 'Content-Encoding: gzip', '-d', 'no gzip', url)[0], 400)
            self.assertEqual(curl('-H', 'Content-Encoding: rot13', '-d', 'x', url)[0], 415)

    def test_a_part_without_an_end_leaves_nothing_and_hinders_nobody(self):
        # The other service has no such client, but runs on the same machine at the same time.
        with self.start() as service, service.connect() as endless, self.start() as other:
            endless.sendall(b'POST /photos HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n'
                            b'Content-Type: multipart/form-data; boundary=b\r\n\r\n')
            part = (b'--b\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\n'
                    + bytes(100_000))
            endless.sendall(b'%x\r\n%s\r\n' % (len(part), part))
            trickle = threading.Thread(target=self._trickle, args=(endless,), daemon=True)
            trickle.start()
            worst = {service: 0, other: 0}
            while trickle.is_alive():
                for each in worst:
                    began = time.monotonic()
                    self.assertEqual(each.ask('GET', '/')[0], 200)
                    worst[each] = max(worst[each], time.monotonic() - began)
                time.sleep(0.05)
            self.assertLess(worst[service] - worst[other], 1)
            self.assertIn(b' 408 ', self.answer[:20])
            self.assertEqual(self.names(), [])

    def _trickle(self, connection):
        connection.settimeout(1)
        self.answer = b''
        deadline = time.monotonic() + 3 * BODY_SECONDS
        try:
            while time.monotonic() < deadline:
                connection.sendall(b'1\r\nx\r\n')
                try:
                    self.answer += connection.recv(4096)
                    return
                except TimeoutError:
                    continue
        except OSError:
            return

    def test_a_client_that_leaves_in_the_middle_leaves_nothing(self):
        with self.start() as service:
            with service.connect() as leaving:
                leaving.sendall(b'POST /photos HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n'
                                b'Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n'
                                b'Content-Disposition: form-data; name=f; filename=f\r\n\r\n')
                leaving.sendall(bytes(1 << 20))
                leaving.shutdown(socket.SHUT_RDWR)
            self.assertEqual(service.ask('GET', '/')[0], 200)
            self.assertEqual(self.names(), [])


if __name__ == '__main__':
    unittest.main()

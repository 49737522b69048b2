"""A large text without precompressed files, compressed for a real client: curl.

Must not trust headers alone: the text that curl decodes must equal the file.
"""

import hashlib
import subprocess
import tempfile
import time
import unittest
import zlib
from pathlib import Path

from files_test import curl, field_of, status_of
from streaming_test import held_bytes, peak_bytes
from support import Program

FILE_BYTES = 50_000_000
MEMORY_BYTES_MAX = 32 << 20
OF_THOSE_WHO_LEAVE = 10
READ_BEFORE_LEAVING = 100_000
GIVEN_BACK_BYTES = 12 << 20     # each thread keeps the compressors of four streams
SECONDS_MAX = 100


class CompressedFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.root = Path(directory.name)
        cls.text = cls.root / 'large.txt'
        lines = b''.join(b'%d is not %x.\n' % (n, n * 7919) for n in range(2_500_000))
        cls.text.write_bytes(lines[:FILE_BYTES])
        assert cls.text.stat().st_size == FILE_BYTES
        (cls.root / 'small.txt').write_bytes(b'small')
        cls.sha256 = hashlib.sha256(lines[:FILE_BYTES]).hexdigest()
        cls.first = lines[:100]

    def setUp(self):
        self.program = self.start()
        self.url = f'http://127.0.0.1:{self.program.port}/packed/large.txt'

    def start(self):
        """Returns the service."""
        return self.enterContext(Program('06_files', '--port', '{port}', '--threads', '1',
                                         environment={'FILES_ROOT': str(self.root)}))

    def head_of(self, *arguments):
        """Returns status and headers, without those that differ in each response."""
        ended, head, _ = curl('-H', 'Accept-Encoding: gzip', *arguments, self.url)
        self.assertEqual(ended, 0)
        return [line for line in head.split('\r\n') if not line.startswith('Date:')]

    def test_fifty_megabytes_come_as_they_are_in_little_memory(self):
        with tempfile.NamedTemporaryFile() as got:
            subprocess.run(['curl', '-sS', '--compressed', '-o', got.name, self.url], check=True,
                           timeout=SECONDS_MAX)
            self.assertEqual(hashlib.sha256(Path(got.name).read_bytes()).hexdigest(), self.sha256)
        self.assertLess(peak_bytes(self.program), MEMORY_BYTES_MAX)

    def test_gzip_of_it_is_smaller_and_without_a_length(self):
        ended, head, packed = curl('-H', 'Accept-Encoding: gzip', self.url)
        self.assertEqual((ended, status_of(head)), (0, 200))
        self.assertEqual(field_of(head, 'Content-Encoding'), 'gzip')
        self.assertIsNone(field_of(head, 'Content-Length'))
        self.assertTrue(field_of(head, 'ETag').startswith('W/"'))
        self.assertLess(len(packed), FILE_BYTES / 2)
        plain = zlib.decompress(packed, 16 + zlib.MAX_WBITS)
        self.assertEqual(hashlib.sha256(plain).hexdigest(), self.sha256)

    def test_head_tells_what_get_tells(self):
        # In any order: the ETag of a file that was just written is weak.
        self.assertCountEqual(self.head_of('-I'), self.head_of('-X', 'GET'))

    def test_a_range_is_of_the_file_itself(self):
        ended, head, body = curl('-H', 'Accept-Encoding: gzip, br, zstd', '-r', '0-99', self.url)
        self.assertEqual((ended, status_of(head), body), (0, 206, self.first))
        self.assertIsNone(field_of(head, 'Content-Encoding'))
        self.assertEqual(field_of(head, 'Content-Range'), f'bytes 0-99/{FILE_BYTES}')

    def test_those_who_leave_midway_leave_nothing_and_delay_nobody(self):
        other = self.start()  # without such clients, on the same machine at the same time
        before = held_bytes(self.program)
        leaving = [self.program.connect() for _ in range(OF_THOSE_WHO_LEAVE)]
        for connection in leaving:
            connection.sendall(b'GET /packed/large.txt HTTP/1.1\r\nHost: a\r\n'
                               b'Accept-Encoding: gzip\r\n\r\n')
        worst = {self.program: 0, other: 0}
        for connection in leaving:
            received = 0
            while received < READ_BEFORE_LEAVING:
                received += len(connection.recv(65536))
            for each in worst:
                began = time.monotonic()
                self.assertEqual(each.ask('GET', '/small.txt')[2], b'small')
                worst[each] = max(worst[each], time.monotonic() - began)
            connection.close()
        self.assertLess(worst[self.program] - worst[other], 1)
        self.assertLess(peak_bytes(self.program), MEMORY_BYTES_MAX)
        deadline = time.monotonic() + SECONDS_MAX
        while held_bytes(self.program) - before > GIVEN_BACK_BYTES:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        self.assertEqual(self.program.ask('GET', '/small.txt')[2], b'small')


if __name__ == '__main__':
    unittest.main()

"""eider bench over HTTP/2, against the benchmark service and servers without HTTP/2.

Must not check figures that depend on the machine: only counts.
"""

import json
import tempfile
import unittest
from pathlib import Path

from support import BIN, Program, free_port, run_to_end


def report(*arguments):
    """Returns the exit status and the JSON report."""
    with tempfile.TemporaryDirectory() as directory:
        name = Path(directory) / 'report.json'
        status, said = run_to_end('eider', 'bench', '--no-progress', '--http2', '--json', str(name),
                                  *arguments)
        if not name.exists():
            raise AssertionError(f'no report: {said}')
        return status, json.loads(name.read_text())


@unittest.skipUnless((BIN / 'arena_eider').exists(), 'the measuring service is not built')
class Http2(unittest.TestCase):
    def setUp(self):
        self.tls_port = free_port()
        self.service = Program('arena_eider', '{port}', '1', '--tls-port', str(self.tls_port))
        self.enterContext(self.service)
        self.plain = f'http://127.0.0.1:{self.service.port}'
        self.secure = f'https://127.0.0.1:{self.tls_port}'

    def test_every_request_is_answered_on_one_stream_and_on_many(self):
        for extra in ((), ('--streams', '10'), ('--streams', '4096'), ('-r', '300'),
                      ('-r', '300', '--streams', '4'), ('-t', '2')):
            for origin in (self.plain, self.secure):
                with self.subTest(extra=extra, origin=origin):
                    status, found = report('-k', '-n', '500', '-c', '4', *extra,
                                           origin + '/plaintext')
                    self.assertEqual((status, found['errors']), (0, 0), found['first_error'])
                    self.assertEqual((found['requests'], found['statuses']['success']), (500, 500))
                    self.assertEqual(found['setting']['protocol'], 'HTTP/2')

    def test_statuses_and_contents_of_any_size_come(self):
        status, found = report('-n', '20', '-c', '2', self.plain + '/no/such/page')
        self.assertEqual((status, found['statuses']['client_error']), (0, 20))
        status, found = report('-n', '40', '-c', '2', '--streams', '4',
                               self.plain + '/bytes/1000000')
        self.assertEqual((status, found['requests']), (0, 40))
        self.assertGreater(found['bytes'], 40_000_000)

    def test_bodies_are_sent(self):
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump({'text': 'x' * 200_000}, file)
            file.flush()
            status, found = report('-n', '40', '-c', '2', '--streams', '4',
                                   '--body-file', file.name,
                                   '-H', 'Content-Type: application/json', self.plain + '/test')
        self.assertEqual((status, found['statuses']['success']), (0, 40), found['first_error'])
        self.assertGreater(found['bytes'], 40 * 200_000)

    def test_an_open_loop_uses_as_many_streams_as_it_may(self):
        with Program('arena_eider', '{port}', '1', '--delay-ms', '200') as slow:
            words = ('-r', '100', '-d', '1s', '-c', '1', '-b', '{"text": ""}', '-H',
                     'Content-Type: application/json', f'http://127.0.0.1:{slow.port}/test')
            # Twenty requests wait at the same time on the only connection, for 200 ms each.
            status, found = report('--streams', '100', *words)
            self.assertEqual((status, found['errors'], found['unsent']), (0, 0, 0))
            self.assertEqual(found['requests'], 99)
            self.assertGreaterEqual(found['latency']['min_ms'], 200)
            # One at a time, five per second: the others wait, and their waiting time counts.
            status, found = report('--timeout', '2s', *words)
            self.assertEqual(status, 1)
            self.assertLess(found['requests'], 30)
            self.assertGreater(found['unsent'], 50)
            self.assertGreater(found['latency']['p50_ms'], 1000)

    def test_who_does_not_speak_it_is_named(self):
        with Program('floor_epoll', '{port}', '1') as floor:
            status, found = report('-n', '4', '-c', '2', '-d', '1s',
                                   f'http://127.0.0.1:{floor.port}/')
        self.assertEqual(status, 1)
        self.assertEqual(found['requests'], 0)
        self.assertGreater(found['errors'], 0)


if __name__ == '__main__':
    unittest.main()

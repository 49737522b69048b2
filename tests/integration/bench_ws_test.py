"""eider bench over WebSockets: the benchmark service, python3-websockets, and faulty servers.

Must not check figures that depend on the machine: only counts.
"""

import asyncio
import contextlib
import json
import socket
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from support import BIN, Program, free_port, run_to_end

try:
    import websockets
except ImportError:  # not Debian's python3, which has the package
    sys.path.append('/usr/lib/python3/dist-packages')
    import websockets

START_SECONDS_MAX = 20


def bench(*arguments):
    """Returns exit status and output."""
    return run_to_end('eider', 'bench', '--no-progress', *arguments)


def report(*arguments):
    """Returns the exit status and the JSON report."""
    with tempfile.TemporaryDirectory() as directory:
        name = Path(directory) / 'report.json'
        status, said = bench('--json', str(name), *arguments)
        if not name.exists():
            raise AssertionError(f'no report: {said}')
        return status, json.loads(name.read_text())


class Peer(threading.Thread):
    """A server of python3-websockets, one coroutine `serve(socket)` for each connection."""

    def __init__(self, serve):
        super().__init__(daemon=True)
        self.serve = serve
        self.loop = asyncio.new_event_loop()
        self.is_up = threading.Event()
        self.port = None
        self.stopped = None

    def __enter__(self):
        self.start()
        if not self.is_up.wait(START_SECONDS_MAX):
            raise AssertionError('the server does not come up')
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.stopped.set_result, None)
        self.join(START_SECONDS_MAX)

    def run(self):
        try:
            self.loop.run_until_complete(self._run())
        finally:
            self.loop.close()

    async def _run(self):
        self.stopped = self.loop.create_future()
        serve = self.serve

        async def handle(connection, *_):
            with contextlib.suppress(websockets.ConnectionClosed):
                await serve(connection)

        async with websockets.serve(handle, '127.0.0.1', 0, max_size=None) as server:
            self.port = server.sockets[0].getsockname()[1]
            self.is_up.set()
            await self.stopped


async def echo(connection):
    """Sends every message back."""
    async for message in connection:
        await connection.send(message)


KINDS = ((), ('-p', '16'), ('-t', '2'), ('-r', '300'), ('-r', '300', '-p', '4'),
         ('--backend', 'epoll'),
         ('-p', '4', '--body-bytes', '70000'), ('--body-bytes', '126', '--binary'),
         ('-b', 'ä€😀'), ('-b', ''))


class EchoCase(unittest.TestCase):
    def check(self, url, *extra, count=300):
        """Runs with an echo check: each response must equal its message."""
        status, found = report('-n', str(count), '-c', '4', '--check-echo', *extra, url)
        self.assertEqual((status, found['errors']), (0, 0), found['first_error'])
        self.assertEqual(found['requests'], count)
        self.assertEqual(found['setting']['protocol'], 'WebSocket')
        self.assertEqual(sum(b['count'] for b in found['buckets']), count)


class Peers(EchoCase):
    def test_another_make_answers_every_message(self):
        with Peer(echo) as server:
            for extra in KINDS:
                with self.subTest(extra):
                    self.check(f'ws://127.0.0.1:{server.port}/', *extra)

    def test_it_says_good_bye(self):
        codes = []

        async def note(connection):
            await echo(connection)
            codes.append(connection.close_code)

        with Peer(note) as server:
            self.check(f'ws://127.0.0.1:{server.port}/')
        self.assertEqual(codes, [1000] * 4)

    def test_pings_between_are_answered(self):
        async def ask(connection):
            async for message in connection:
                answered = await connection.ping()
                await connection.send(message)
                await answered

        with Peer(ask) as server:
            self.check(f'ws://127.0.0.1:{server.port}/')

    def test_messages_in_fragments_are_one(self):
        async def cut(connection):
            async for message in connection:
                await connection.send([message[:5], message[5:9], message[9:]])

        with Peer(cut) as server:
            self.check(f'ws://127.0.0.1:{server.port}/')


@unittest.skipUnless((BIN / 'arena_eider').exists(), 'the measuring service is not built')
class Service(EchoCase):
    def setUp(self):
        self.tls_port = free_port()
        self.service = Program('arena_eider', '{port}', '1', '--tls-port', str(self.tls_port))
        self.enterContext(self.service)

    def test_the_service_answers_every_message(self):
        for origin in (f'ws://127.0.0.1:{self.service.port}', f'wss://127.0.0.1:{self.tls_port}'):
            for extra in KINDS:
                with self.subTest(extra=extra, origin=origin):
                    self.check(origin + '/ws', '-k', *extra)

    def test_what_is_no_websocket_is_told(self):
        status, said = bench('-d', '1s', f'ws://127.0.0.1:{self.service.port}/plaintext')
        self.assertEqual(status, 1)
        self.assertIn('did not switch to WebSocket. (status 200)', said)

    def test_text_and_page_count_messages(self):
        with tempfile.TemporaryDirectory() as directory:
            page = Path(directory) / 'a.html'
            status, said = bench('-n', '100', '--html', str(page),
                                 f'ws://127.0.0.1:{self.service.port}/ws')
            self.assertEqual(status, 0, said)
            self.assertRegex(said, r'messages +\d+ a second')
            self.assertIn('"counted":"messages"', page.read_text())


class Errors(unittest.TestCase):
    def find(self, serve, *arguments):
        """Returns the report of a run against a server with errors."""
        with Peer(serve) as server:
            status, found = report('-c', '2', '-d', '60s', *arguments,
                                   f'ws://127.0.0.1:{server.port}/')
        self.assertEqual(status, 1)
        return found

    def test_other_answers_differ_where_that_is_asked(self):
        async def shout(connection):
            async for message in connection:
                await connection.send(message.upper())

        found = self.find(shout, '-n', '20', '--check-echo')
        self.assertEqual((found['requests'], found['errors_by_kind']['differs']), (0, 20))
        with Peer(shout) as server:
            status, found = report('-n', '20', f'ws://127.0.0.1:{server.port}/')
        self.assertEqual((status, found['requests']), (0, 20))

    def test_a_close_is_told_with_its_code(self):
        async def leave(connection):
            await connection.recv()
            await connection.close(4001, 'as you wish')

        found = self.find(leave, '-n', '6')
        self.assertEqual((found['requests'], found['errors_by_kind']['closed']), (0, 6))
        self.assertIn('4001', found['first_error'])
        self.assertIn('as you wish', found['first_error'])
        self.assertGreaterEqual(found['connections_opened'], 6)

    def test_silence_times_out(self):
        async def listen(connection):
            async for _ in connection:
                pass

        found = self.find(listen, '-n', '2', '--timeout', '200ms')
        self.assertEqual(found['errors_by_kind']['timeout'], 2)

    def test_a_handshake_that_never_ends_times_out(self):
        with socket.create_server(('127.0.0.1', 0)) as listener:
            port = listener.getsockname()[1]
            status, said = bench('-c', '1', '--timeout', '200ms', f'ws://127.0.0.1:{port}/')
        self.assertEqual(status, 1)
        self.assertIn('handshake timed out', said)


if __name__ == '__main__':
    unittest.main()

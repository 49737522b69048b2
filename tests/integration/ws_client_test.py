"""The client of examples/08_ws_client against a server of another make (python3-websockets).

Must not test what a broken server does: src/eider/client/ws_client_test.cc does.
"""

import asyncio
import sys
import unittest

from support import BIN

try:
    import websockets
except ImportError:  # another python3 than Debian's, whose package it is
    sys.path.append('/usr/lib/python3/dist-packages')
    import websockets

ANSWER_SECONDS_MAX = 10
PROGRAM = BIN / '08_ws_client'


async def within(awaitable):
    """What it gives, or an error when it takes too long."""
    return await asyncio.wait_for(awaitable, ANSWER_SECONDS_MAX)


async def echo(socket, *_):
    """Everything comes back; "pings" is preceded by some, "leave" ends it."""
    async for message in socket:
        if message == 'pings':
            for payload in ('', 'x' * 125):
                await within(await socket.ping(payload))
        if message == 'leave':
            await socket.close(4001, 'as you wish')
            return
        await socket.send(message)


class Client(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.server = await websockets.serve(echo, '127.0.0.1', 0)
        self.addAsyncCleanup(self.server.wait_closed)
        self.addCleanup(self.server.close)
        port = self.server.sockets[0].getsockname()[1]
        self.program = await self.start(f'ws://127.0.0.1:{port}/')

    async def start(self, url):
        """The client, ended when the test ends."""
        program = await asyncio.create_subprocess_exec(
            PROGRAM, url, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            limit=1 << 22)
        self.addAsyncCleanup(self.finish, program)
        return program

    async def finish(self, program):
        """The end of its input ends it; else it is killed."""
        program.stdin.close()
        try:
            await within(program.wait())
        finally:
            if program.returncode is None:
                program.kill()

    async def hear(self):
        """The next line that it prints."""
        return (await within(self.program.stdout.readline())).decode().rstrip('\n')

    async def say(self, line):
        """One line to its input."""
        self.program.stdin.write(line.encode() + b'\n')
        await within(self.program.stdin.drain())

    async def test_everything_comes_back_as_it_went(self):
        for line in ('', 'hello', 'ä€😀' * 1000, 'x' * 125, 'x' * 126, 'x' * 65536,
                     'y' * 500000):
            await self.say(line)
            self.assertEqual(await self.hear(), line)

    async def test_pings_are_answered_while_it_waits(self):
        await self.say('pings')
        self.assertEqual(await self.hear(), 'pings')

    async def test_it_closes_at_the_end_of_its_input(self):
        self.program.stdin.close()
        self.assertEqual(await self.hear(), 'closed: 1000')
        self.assertEqual(await within(self.program.wait()), 0)

    async def test_the_servers_close_is_told(self):
        await self.say('leave')
        self.assertEqual(await self.hear(), 'closed: 4001')
        self.program.stdin.close()
        self.assertEqual(await within(self.program.wait()), 0)

    async def test_why_there_is_no_connection_is_told(self):
        for url, told in (('wss://127.0.0.1:1/', 'listens'), ('ws://nobody.invalid/', 'nobody'),
                          ('http://127.0.0.1/', 'ws://'), ('ws://127.0.0.1:1/', 'listens')):
            self.program = await self.start(url)
            self.assertIn(told, await self.hear())
            self.assertEqual(await within(self.program.wait()), 1)


if __name__ == '__main__':
    unittest.main()

"""The choice of upstreams by proxy_to with open WebSockets: each one is load while it is open.

Must not rely on which of two idle upstreams is chosen first.
"""

import asyncio
import contextlib
import unittest

import proxy_support
from websocket_test import websockets, within


class Counting:
    """A third-party WebSocket server that counts its connections."""

    def __init__(self):
        self.open = 0
        self.server = None

    async def __aenter__(self):
        self.server = await websockets.serve(self._serve, '127.0.0.1', 0)
        return self

    async def __aexit__(self, *_):
        self.server.close()
        await self.server.wait_closed()

    async def _serve(self, connection, _path=None):
        self.open += 1
        try:
            with contextlib.suppress(websockets.ConnectionClosed):
                async for message in connection:
                    await connection.send(message)
        finally:
            self.open -= 1

    def url(self):
        """Returns its URL."""
        return f'http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}'


async def holds(condition):
    """Waits until the function returns true, with a limit."""
    for _ in range(1000):
        if condition():
            return True
        await asyncio.sleep(0.01)
    return False


class LeastBusy(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.one, self.other = Counting(), Counting()
        for server in (self.one, self.other):
            await server.__aenter__()
        self.front = proxy_support.proxy(self.one.url(), self.other.url(), threads=1)
        await asyncio.to_thread(self.front.__enter__)

    async def asyncTearDown(self):
        await asyncio.to_thread(self.front.__exit__)
        for server in (self.one, self.other):
            await server.__aexit__()

    async def connect(self, count):
        """Returns this number of WebSockets that have sent a message."""
        clients = []
        for _ in range(count):
            client = await within(websockets.connect(f'ws://127.0.0.1:{self.front.port}/'))
            await within(client.send('x'))
            self.assertEqual(await within(client.recv()), 'x')
            clients.append(client)
        return clients

    async def test_open_ones_count_and_closed_ones_do_not(self):
        clients = await self.connect(10)
        self.assertEqual((self.one.open, self.other.open), (5, 5))
        # All connections to one upstream are closed; new ones go there, until both have equally
        # many.
        for client in clients[0::2]:
            await within(client.close())
        fewest = min(self.one, self.other, key=lambda server: server.open)
        self.assertTrue(await holds(lambda: fewest.open == 0))
        clients = clients[1::2] + await self.connect(4)
        self.assertEqual(fewest.open, 4)
        self.assertEqual(self.one.open + self.other.open, 9)
        clients += await self.connect(3)
        self.assertEqual((self.one.open, self.other.open), (6, 6))
        for client in clients:
            await within(client.close())

    async def test_one_that_was_cut_off_does_not_count(self):
        clients = await self.connect(6)
        for client in clients[0::2]:
            client.transport.abort()
        self.assertTrue(await holds(lambda: self.one.open + self.other.open == 3))
        fewest = min(self.one, self.other, key=lambda server: server.open)
        self.assertEqual(fewest.open, 0)
        clients = clients[1::2] + await self.connect(3)
        self.assertEqual(fewest.open, 3)
        for client in clients:
            await within(client.close())

    async def test_an_upstream_that_is_gone_costs_no_websocket(self):
        await self.other.__aexit__()
        clients = await self.connect(8)
        self.assertEqual(self.one.open, 8)
        for client in clients:
            await within(client.close())
        await self.other.__aenter__()


if __name__ == '__main__':
    unittest.main()

"""WebSockets through proxy_to, spoken to by a client of another make (python3-websockets).

Must not test HTTP: proxy_test.py does.
"""

import asyncio
import unittest

import proxy_test
from support import Program
from websocket_test import websockets, within

BIG = 900_000
PAYLOADS = ['', 'hello', 'ä€😀', b'\x00\xff' * 100, 'x' * BIG]


class ThroughTheProxy(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.service = self._entered(Program('07_websocket', '--port', '{port}', '--threads', '1'))
        self.front = self._entered(proxy_test.proxy(proxy_test.url_of(self.service)))

    def _entered(self, program):
        program.__enter__()
        self.addCleanup(program.__exit__)
        return program

    def _url(self, path):
        return f'ws://127.0.0.1:{self.front.port}{path}'

    async def test_messages_come_back_as_they_went_compressed_or_not(self):
        for compression in (None, 'deflate'):
            async with websockets.connect(self._url('/echo'), compression=compression,
                                          max_size=None) as client:
                for payload in PAYLOADS:
                    await within(client.send(payload))
                    self.assertEqual(await within(client.recv()), payload)

    async def test_the_close_handshake_passes_both_ways(self):
        client = await within(websockets.connect(self._url('/echo')))
        await within(client.close(1000, 'enough'))
        self.assertEqual(client.close_code, 1000)
        self.assertEqual(self.front.ask('GET', '/')[0], self.service.ask('GET', '/')[0])

    async def test_an_upstream_that_stops_ends_the_tunnel(self):
        client = await within(websockets.connect(self._url('/echo')))
        self.assertEqual(await asyncio.to_thread(self.service.stop), 0)
        with self.assertRaises(websockets.ConnectionClosed):
            await within(client.recv())
        self.assertEqual(client.close_code, 1001)

    async def test_what_is_no_websocket_upstream_is_answered_as_there(self):
        with self.assertRaises(websockets.InvalidStatusCode) as refused:
            await within(websockets.connect(self._url('/nowhere')))
        self.assertEqual(refused.exception.status_code, 404)

    async def test_nobody_there_is_502(self):
        self.service.stop()
        with self.assertRaises(websockets.InvalidStatusCode) as refused:
            await within(websockets.connect(self._url('/echo')))
        self.assertEqual(refused.exception.status_code, 502)

    async def test_the_proxy_stops_in_order_with_a_tunnel_open(self):
        client = await within(websockets.connect(self._url('/echo')))
        self.assertEqual(await asyncio.to_thread(self.front.stop), 0)
        await within(client.wait_closed())


if __name__ == '__main__':
    unittest.main()

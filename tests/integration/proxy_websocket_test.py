"""WebSockets through proxy_to, with a third-party client (python3-websockets).

Must not test HTTP: proxy_test.py does.
"""

import asyncio
import os
import ssl
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import proxy_test
from client_test import make_certificate
from proxy_support import Scripted
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

    async def test_one_on_which_nobody_speaks_ends(self):
        self.front = self._entered(proxy_test.proxy(proxy_test.url_of(self.service),
                                                    TUNNEL_IDLE='1s'))
        client = await within(websockets.connect(self._url('/echo'), ping_interval=None))
        await within(client.wait_closed())
        self.assertEqual(client.close_code, 1006)

    async def test_the_proxy_stops_in_order_with_a_tunnel_open(self):
        client = await within(websockets.connect(self._url('/echo')))
        self.assertEqual(await asyncio.to_thread(self.front.stop), 0)
        await within(client.wait_closed())


class ToWhereTheProxyAsksToo(unittest.IsolatedAsyncioTestCase):
    """Tunnels use the same settings as the proxy's requests: names, trust, timeouts."""

    def _entered(self, context):
        entered = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return entered

    async def _secure_upstream(self):
        """Returns its port; `self.chosen` contains the ALPN protocols of its connections."""
        self.root = self._entered(tempfile.TemporaryDirectory())
        make_certificate(Path(self.root))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f'{self.root}/cert.pem', f'{self.root}/key.pem')
        context.set_alpn_protocols(['h2', 'http/1.1'])
        self.chosen = []

        async def echo(line, *_):
            secured = line.transport.get_extra_info('ssl_object')
            self.chosen.append(secured.selected_alpn_protocol())
            async for message in line:
                await line.send(message)

        server = await websockets.serve(echo, '127.0.0.1', 0, ssl=context)
        self.addAsyncCleanup(server.wait_closed)
        self.addCleanup(server.close)
        return server.sockets[0].getsockname()[1]

    async def test_over_tls_by_name_though_the_upstream_speaks_http2_too(self):
        port = await self._secure_upstream()
        with mock.patch.dict(os.environ, SSL_CERT_FILE=f'{self.root}/cert.pem'):
            front = self._entered(proxy_test.proxy(f'https://localhost:{port}'))
        async with websockets.connect(f'ws://127.0.0.1:{front.port}/', max_size=None) as client:
            for payload in PAYLOADS:
                await within(client.send(payload))
                self.assertEqual(await within(client.recv()), payload)
        self.assertEqual(self.chosen, ['http/1.1'])

    async def test_a_certificate_that_is_not_trusted_is_502(self):
        port = await self._secure_upstream()
        front = self._entered(proxy_test.proxy(f'https://localhost:{port}'))
        with self.assertRaises(websockets.InvalidStatusCode) as refused:
            await within(websockets.connect(f'ws://127.0.0.1:{front.port}/'))
        self.assertEqual((refused.exception.status_code, self.chosen), (502, []))

    async def test_an_upstream_that_does_not_answer_the_handshake_in_time_is_504(self):
        upstream = self._entered(Scripted(lambda *_: None))
        front = self._entered(proxy_test.proxy(upstream.url()))
        with self.assertRaises(websockets.InvalidStatusCode) as refused:
            await within(websockets.connect(f'ws://127.0.0.1:{front.port}/'))
        self.assertEqual(refused.exception.status_code, 504)
        self.assertEqual(len(upstream.heads), 1)


if __name__ == '__main__':
    unittest.main()

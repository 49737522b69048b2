"""WebSockets of examples/07_websocket, with a third-party client (python3-websockets).

Must not test broken clients: websocket_limits_test.py does.
"""

import asyncio
import sys
import unittest

from support import Program

try:
    import websockets
except ImportError:  # not Debian's python3, which has the package
    sys.path.append('/usr/lib/python3/dist-packages')
    import websockets

ANSWER_SECONDS_MAX = 10
PROGRAM = '07_websocket'


async def within(awaitable):
    """Returns the result, or raises an error after a timeout."""
    return await asyncio.wait_for(awaitable, ANSWER_SECONDS_MAX)


class WebSocketCase(unittest.IsolatedAsyncioTestCase):
    """The example, with two threads."""

    def setUp(self):
        self.program = Program(PROGRAM, '--port', '{port}', '--threads', '2')
        self.program.__enter__()
        self.addCleanup(self.program.__exit__)

    async def connect(self, path, **options):
        """Returns a client that is closed when the test ends."""
        options = {'max_size': None, **options}
        socket = await within(websockets.connect(
            f'ws://127.0.0.1:{self.program.port}{path}', **options))
        self.addAsyncCleanup(socket.close)
        return socket


class Talking(WebSocketCase):
    async def test_everything_comes_back_as_it_went(self):
        socket = await self.connect('/echo')
        for message in ('', 'hello', 'ä€😀' * 1000, b'', bytes(range(256)), 'x' * 1000000,
                        b'y' * 65536):
            await within(socket.send(message))
            self.assertEqual(await within(socket.recv()), message)

    async def test_many_messages_come_back_in_their_order(self):
        socket = await self.connect('/echo')
        for number in range(2000):
            await within(socket.send(str(number)))
        for number in range(2000):
            self.assertEqual(await within(socket.recv()), str(number))

    async def test_fragments_are_one_message(self):
        socket = await self.connect('/echo')
        await within(socket.send(['a', '', 'bc', 'ä' * 50000]))
        self.assertEqual(await within(socket.recv()), 'abc' + 'ä' * 50000)

    async def test_pings_are_answered(self):
        socket = await self.connect('/echo')
        for payload in ('', 'x', 'y' * 125):
            await within(await socket.ping(payload))

    async def test_a_handler_may_talk_without_listening(self):
        socket = await self.connect('/ticks')
        self.assertEqual(await within(socket.recv()), 'tick 1')
        self.assertEqual(await within(socket.recv()), 'tick 2')

    async def test_the_clients_close_is_answered_with_its_code(self):
        for code, answer in ((1000, 1000), (1001, 1001), (4321, 4321)):
            socket = await self.connect('/rooms/a')
            await within(socket.close(code, 'bye'))
            self.assertEqual(socket.close_code, answer)

    async def test_a_message_that_is_too_large_is_refused(self):
        socket = await self.connect('/echo')
        await within(socket.send('x' * (1024 * 1024 + 1)))
        with self.assertRaises(websockets.ConnectionClosed) as closed:
            await within(socket.recv())
        self.assertEqual(closed.exception.rcvd.code, 1009)


class Rooms(WebSocketCase):
    async def test_who_is_in_a_room_hears_what_is_said_there(self):
        ada = await self.connect('/rooms/tea', subprotocols=['ada'])
        ben = await self.connect('/rooms/tea', subprotocols=['ben', 'ada'])
        other = await self.connect('/rooms/coffee')
        self.assertEqual((ada.subprotocol, ben.subprotocol, other.subprotocol),
                         ('ada', 'ada', None))
        self.assertEqual(await within(ada.recv()), 'ada: came in')
        await within(ben.send('hi'))
        for socket in (ada, ben):
            self.assertEqual(await within(socket.recv()), 'ada: hi')
        await within(other.send('alone'))
        self.assertEqual(await within(other.recv()), 'somebody: alone')

    async def test_a_post_reaches_all_of_a_room_on_all_threads(self):
        sockets = [await self.connect('/rooms/tea') for _ in range(20)]
        told, _, count = await asyncio.to_thread(
            self.program.ask, 'POST', '/rooms/tea', 'The kettle is on.')
        self.assertEqual((told, count), (200, b'20'))
        for socket in sockets:
            heard = await within(socket.recv())
            while heard == 'somebody: came in':
                heard = await within(socket.recv())
            self.assertEqual(heard, 'The kettle is on.')

    async def test_who_has_left_is_counted_no_more(self):
        stays = await self.connect('/rooms/tea')
        leaves = await self.connect('/rooms/tea')
        self.assertEqual(await within(stays.recv()), 'somebody: came in')
        await within(leaves.close())
        _, _, count = await asyncio.to_thread(self.program.ask, 'POST', '/rooms/tea', 'x')
        self.assertEqual(count, b'1')


class Beginning(WebSocketCase):
    async def refused(self, **headers):
        """Returns the status of a handshake with these headers instead of the usual ones."""
        with self.assertRaises(websockets.InvalidStatusCode) as refused:
            await self.connect('/echo', extra_headers=headers)
        return refused.exception.status_code

    async def test_foreign_pages_may_not_connect(self):
        self.assertEqual(await self.refused(Origin='https://foe.example'), 403)
        socket = await self.connect('/echo', origin=f'http://127.0.0.1:{self.program.port}')
        await within(socket.send('x'))
        self.assertEqual(await within(socket.recv()), 'x')

    def ask(self, **fields):
        """Sends a hand-written handshake: returns its status, headers and body."""
        good = {'Upgrade': 'websocket', 'Connection': 'Upgrade', 'Sec-WebSocket-Version': '13',
                'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ=='}
        named = {name.replace('_', '-'): value for name, value in fields.items()}
        headers = {name: value for name, value in {**good, **named}.items() if value}
        return self.program.ask('GET', '/echo', None, headers)

    async def test_what_is_no_handshake_is_answered_in_http(self):
        for fields, status in (({'Upgrade': None, 'Connection': None}, 426),
                               ({'Sec_WebSocket_Version': '12'}, 426),
                               ({'Sec_WebSocket_Key': 'short'}, 400),
                               ({'Sec_WebSocket_Key': None}, 400),
                               ({'Sec_WebSocket_Extensions': ';;'}, 400)):
            with self.subTest(fields):
                told, headers, body = await asyncio.to_thread(lambda f=fields: self.ask(**f))
                self.assertEqual(told, status)
                self.assertEqual(headers['Content-Type'], 'application/problem+json')
                self.assertIn(b'"detail"', body)
                if status == 426:
                    self.assertEqual(headers['Sec-WebSocket-Version'], '13')

    async def test_other_routes_go_on_beside(self):
        socket = await self.connect('/echo')
        told, _, _ = await asyncio.to_thread(self.program.ask, 'GET', '/nowhere')
        self.assertEqual(told, 404)
        await within(socket.send('still here'))
        self.assertEqual(await within(socket.recv()), 'still here')


class Stopping(WebSocketCase):
    async def test_a_server_that_stops_says_goodbye(self):
        sockets = [await self.connect(path) for path in ('/echo', '/rooms/tea', '/ticks')]
        stopping = asyncio.create_task(asyncio.to_thread(self.program.stop))
        for socket in sockets:
            with self.assertRaises(websockets.ConnectionClosed) as closed:
                while True:
                    await within(socket.recv())
            self.assertEqual(closed.exception.rcvd.code, 1001)
        self.assertEqual(await within(stopping), 0)


if __name__ == '__main__':
    unittest.main()

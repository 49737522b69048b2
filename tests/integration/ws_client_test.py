"""The client of examples/08_ws_client with third-party servers (python3-websockets; for HTTP/2
python3-h2 and python3-wsproto).

Must not test broken servers: src/eider/client/ws/ws_client_test.cc does.
"""

import asyncio
import sys
import unittest

from support import BIN

try:
    import h2.config
    import websockets
    import wsproto
except ImportError:  # not Debian's python3, which has the packages
    sys.path.append('/usr/lib/python3/dist-packages')
    import h2.config
    import websockets
    import wsproto

import h2.connection
import h2.events
import h2.settings
import wsproto.connection
import wsproto.events

ANSWER_SECONDS_MAX = 10
PROGRAM = BIN / '08_ws_client'


async def within(awaitable):
    """Returns the result, or raises an error after a timeout."""
    return await asyncio.wait_for(awaitable, ANSWER_SECONDS_MAX)


async def echo(socket, *_):
    """Sends every message back; "pings" sends some before, "leave" ends the connection."""
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

    async def start(self, *urls):
        """Starts the client, which is ended with the test."""
        program = await asyncio.create_subprocess_exec(
            PROGRAM, *urls, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            limit=1 << 22)
        self.addAsyncCleanup(self.finish, program)
        return program

    async def finish(self, program):
        """Ends it by closing its input; otherwise it is killed."""
        program.stdin.close()
        try:
            await within(program.wait())
        finally:
            if program.returncode is None:
                program.kill()

    async def hear(self):
        """Returns the next line of its output."""
        return (await within(self.program.stdout.readline())).decode().rstrip('\n')

    async def say(self, line):
        """Writes one line to its input."""
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
        for url, told in (('wss://127.0.0.1:1/', 'was refused'), ('ws://nobody.invalid/', 'nobody'),
                          ('http://127.0.0.1/', 'ws://'), ('ws://127.0.0.1:1/', 'was refused')):
            self.program = await self.start(url)
            self.assertIn(told, await self.hear())
            self.assertEqual(await within(self.program.wait()), 1)


class Http2Echo(asyncio.Protocol):
    """The same over streams of HTTP/2 (RFC 8441); other requests get a page."""

    made = []

    def connection_made(self, transport):
        self.made.append(self)
        self.transport = transport
        self.http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        self.http.local_settings = h2.settings.Settings(
            client=False, initial_values={h2.settings.SettingCodes.ENABLE_CONNECT_PROTOCOL: 1})
        self.http.initiate_connection()
        self.lines = {}
        self.unsent = {}
        self.ending = set()
        self.flush()

    def data_received(self, data):
        for event in self.http.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                self.answer(event.stream_id, dict(event.headers))
            elif isinstance(event, h2.events.DataReceived):
                self.http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                if event.data:  # its end may be in a separate frame
                    self.take(event.stream_id, event.data)
        self.flush()

    def answer(self, stream, head):
        """Sends a page, or accepts a WebSocket."""
        if head.get(b':protocol') == b'websocket':
            self.lines[stream] = wsproto.connection.Connection(
                wsproto.connection.ConnectionType.SERVER)
            self.lines[stream].text = ''
            self.http.send_headers(stream, [(':status', '200')])
        else:
            self.http.send_headers(stream, [(':status', '204')], end_stream=True)

    def take(self, stream, data):
        """Handles frames of a WebSocket."""
        line = self.lines[stream]
        line.receive_data(data)
        for event in line.events():
            if isinstance(event, wsproto.events.TextMessage):
                line.text += event.data
                if event.message_finished:
                    self.reply(stream, line.text)
                    line.text = ''
            elif isinstance(event, wsproto.events.CloseConnection):
                if line.state is not wsproto.connection.ConnectionState.CLOSED:
                    self.say(stream, event.response())
                self.ending.add(stream)

    def reply(self, stream, text):
        """Behaves like `echo`."""
        if text == 'pings':
            self.say(stream, wsproto.events.Ping(b''), wsproto.events.Ping(b'x' * 125))
        if text == 'leave':
            self.say(stream, wsproto.events.CloseConnection(4001, 'as you wish'))
        else:
            self.say(stream, wsproto.events.TextMessage(text))

    def say(self, stream, *events):
        """Sends as the client's windows allow."""
        for event in events:
            self.unsent[stream] = self.unsent.get(stream, b'') + self.lines[stream].send(event)

    def flush(self):
        """Sends as much as there is room for."""
        for stream in list(self.unsent):
            while self.unsent[stream]:
                room = min(self.http.local_flow_control_window(stream),
                           self.http.max_outbound_frame_size)
                if room == 0:
                    break
                self.http.send_data(stream, self.unsent[stream][:room])
                self.unsent[stream] = self.unsent[stream][room:]
        for stream in [each for each in self.ending if not self.unsent.get(each)]:
            self.ending.remove(stream)
            self.http.end_stream(stream)
        self.transport.write(self.http.data_to_send())


class OverHttp2(Client):
    """All on a stream of an existing connection."""

    async def asyncSetUp(self):
        Http2Echo.made.clear()
        server = await asyncio.get_running_loop().create_server(Http2Echo, '127.0.0.1', 0)
        self.addCleanup(server.close)
        at = f'127.0.0.1:{server.sockets[0].getsockname()[1]}/'
        self.program = await self.start(f'ws://{at}', f'http://{at}')
        self.assertEqual(await self.hear(), 'page: 204')

    async def test_it_is_a_stream_of_the_connection_that_was_there(self):
        await self.say('hello')
        self.assertEqual(await self.hear(), 'hello')
        self.assertEqual([len(one.lines) for one in Http2Echo.made], [1])


if __name__ == '__main__':
    unittest.main()

"""WebSockets as streams of HTTP/2 (RFC 8441), with python3-h2 and python3-wsproto as clients.

Must not use the server's code: third-party libraries create frames and messages.
"""

import socket
import ssl
import struct
import sys
import unittest

import http2_frames as by_hand
from support import Program, free_port

try:
    import h2.config
    import wsproto
except ImportError:  # not Debian's python3, which has the packages
    sys.path.append('/usr/lib/python3/dist-packages')
    import h2.config
    import wsproto

import h2.connection
import h2.events
import h2.settings
import wsproto.connection
import wsproto.events

SECONDS_MAX = 20
GOING_AWAY = 1001


class Line:
    """One WebSocket on one stream, with the received messages."""

    def __init__(self, number):
        self.number = number
        self.frames = wsproto.connection.Connection(wsproto.connection.ConnectionType.CLIENT)
        self.status = None
        self.messages = []
        self.part = None
        self.closed = None
        self.is_ended = False
        self.is_reset = False

    def take(self, data):
        """Receives bytes of the stream."""
        self.frames.receive_data(data)
        for event in self.frames.events():
            if isinstance(event, (wsproto.events.TextMessage, wsproto.events.BytesMessage)):
                self.part = event.data if self.part is None else self.part + event.data
                if event.message_finished:
                    self.messages.append(self.part)
                    self.part = None
            elif isinstance(event, wsproto.events.CloseConnection):
                self.closed = event.code


class Client:
    """One HTTP/2 connection with many WebSockets; `with` closes it."""

    def __init__(self, port, context=None):
        self.socket = socket.create_connection(('127.0.0.1', port), SECONDS_MAX)
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname='localhost')
        self.http = h2.connection.H2Connection(h2.config.H2Configuration())
        self.http.initiate_connection()
        self.lines = {}
        self.contents = {}
        self.until(lambda: self.http.remote_settings.enable_connect_protocol)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def flush(self):
        """Sends pending data."""
        self.socket.sendall(self.http.data_to_send())

    def until(self, question):
        """Receives until the function returns true, or the socket times out."""
        self.flush()
        while not question():
            data = self.socket.recv(65536)
            if not data:
                raise AssertionError('the server has closed the connection')
            for event in self.http.receive_data(data):
                self.take(event)
            self.flush()

    def take(self, event):
        """Handles one event of HTTP/2."""
        line = self.lines.get(getattr(event, 'stream_id', None))
        if isinstance(event, h2.events.ResponseReceived) and line:
            line.status = dict(event.headers)[b':status'].decode()
            line.fields = dict(event.headers)
        elif isinstance(event, h2.events.DataReceived):
            self.http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            self.contents.setdefault(event.stream_id, bytearray()).extend(event.data)
            if line and line.status == '200':
                line.take(event.data)
        elif isinstance(event, h2.events.StreamEnded) and line:
            line.is_ended = True
        elif isinstance(event, h2.events.StreamReset) and line:
            line.is_reset = True

    def ask(self, path, *fields):
        """Requests a WebSocket; returns it after the response."""
        number = self.http.get_next_available_stream_id()
        line = self.lines[number] = Line(number)
        self.http.send_headers(number, [
            (':method', 'CONNECT'), (':protocol', 'websocket'), (':scheme', 'http'),
            (':path', path), (':authority', 'localhost'), ('sec-websocket-version', '13'),
            *fields])
        self.until(lambda: line.status)
        return line

    def send(self, line, data, end_stream=False):
        """Sends as much as the windows allow, and the rest later."""
        while data or end_stream:
            room = min(self.http.local_flow_control_window(line.number),
                       self.http.max_outbound_frame_size)
            piece, data = data[:room], data[room:]
            self.http.send_data(line.number, piece, end_stream=end_stream and not data)
            if not data:
                break
            self.until(lambda: self.http.local_flow_control_window(line.number) > 0)
        self.flush()

    def say(self, line, message):
        """Sends one message."""
        event = wsproto.events.Message(data=message)
        self.send(line, line.frames.send(event))

    def close(self, line, code=1000):
        """Sends a close frame, and ends this side of the stream."""
        event = wsproto.events.CloseConnection(code=code, reason='')
        self.send(line, line.frames.send(event))


class Sockets(unittest.TestCase):
    """The HTTP/2 example, unencrypted and over TLS."""

    @classmethod
    def setUpClass(cls):
        cls.tls_port = free_port()
        cls.server = Program('10_http2', '--port', '{port}', '--tls-port', str(cls.tls_port),
                             '--threads', '2')
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def client(self):
        """Connects without encryption."""
        client = Client(self.server.port)
        self.addCleanup(client.socket.close)
        return client

    def echo(self, client):
        """Messages of all sizes are echoed on a new WebSocket; returns it."""
        line = client.ask('/socket')
        self.assertEqual(line.status, '200')
        self.assertNotIn(b'content-length', line.fields)
        self.assertNotIn(b'sec-websocket-accept', line.fields)
        sent = ['', 'hello', 'ä€😀' * 100, bytes(range(256)), 'x' * 1_000_000]
        for message in sent:
            client.say(line, message)
        client.until(lambda: len(line.messages) == len(sent))
        self.assertEqual(line.messages, sent)
        return line

    def test_messages_come_back(self):
        client = self.client()
        line = self.echo(client)
        client.close(line)
        client.until(lambda: line.is_ended)
        self.assertEqual(line.closed, 1000)
        self.assertFalse(line.is_reset)
        self.echo(client)

    def test_messages_come_back_over_tls(self):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols(['h2'])
        with Client(self.tls_port, context) as client:
            self.assertEqual(client.socket.selected_alpn_protocol(), 'h2')
            self.echo(client)

    def test_many_share_a_connection_with_requests(self):
        client = self.client()
        lines = [client.ask('/socket') for _ in range(60)]
        for turn in range(20):
            for line in lines:
                client.say(line, f'{line.number} {turn}')
        number = client.http.get_next_available_stream_id()
        client.http.send_headers(number, [(':method', 'GET'), (':scheme', 'http'), (':path', '/'),
                                          (':authority', 'localhost')], end_stream=True)
        client.until(lambda: number in client.contents)
        client.until(lambda: all(len(line.messages) == 20 for line in lines))
        for line in lines:
            self.assertEqual(line.messages, [f'{line.number} {turn}' for turn in range(20)])
        self.assertEqual(client.contents[number], b'Hello, whatever the version')

    def test_refusals_are_of_http(self):
        client = self.client()
        self.assertEqual(client.ask('/').status, '501')
        self.assertEqual(client.ask('/nowhere').status, '404')
        self.assertEqual(client.ask('/socket', ('origin', 'https://else.example')).status, '403')
        self.assertEqual(client.ask('/ticks').status, '501')
        self.echo(client)

    def test_what_breaks_the_protocol_ends_its_socket_alone(self):
        client = self.client()
        other = client.ask('/socket')
        line = client.ask('/socket')
        client.send(line, b'\x81\x05hello')  # not masked
        client.until(lambda: line.closed)
        self.assertEqual(line.closed, 1002)
        client.say(other, 'still here')
        client.until(lambda: other.messages)

    def test_a_reset_and_a_lost_connection_leave_the_others(self):
        client, lost = self.client(), self.client()
        self.echo(lost)
        lost.socket.close()
        line, other = client.ask('/socket'), client.ask('/socket')
        client.http.reset_stream(line.number, 8)
        client.say(other, 'still here')
        client.until(lambda: other.messages)


class Stopping(unittest.TestCase):
    """With its own server, and hand-written frames: python3-h2 accepts nothing after a GOAWAY."""

    def test_a_server_that_stops_says_goodbye(self):
        opening = by_hand.literal(':protocol', 'websocket') + by_hand.block([
            *by_hand.request_fields('CONNECT', '/socket'), ('sec-websocket-version', '13')])
        with Program('10_http2', '--port', '{port}') as server:
            with by_hand.Client(server.port) as client:
                client.send(by_hand.frame(by_hand.HEADERS, by_hand.END_HEADERS, 1, opening))
                client.frames_until(lambda kind, *_: kind == by_hand.HEADERS)
                server.process.terminate()
                farewell = struct.pack('>H', GOING_AWAY)
                client.frames_until(lambda kind, _, __, payload: kind == by_hand.DATA
                                    and payload[2:4] == farewell)
                close = b'\x88\x82\x00\x00\x00\x00' + farewell
                client.send(by_hand.frame(by_hand.DATA, by_hand.END_STREAM, 1, close))
                self.assertEqual(client.end(), by_hand.NO_ERROR)
                self.assertEqual(server.process.wait(SECONDS_MAX), 0)


if __name__ == '__main__':
    unittest.main()

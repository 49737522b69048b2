"""Sends HTTP/3 requests with aioquic: http3_client.py PORT AUTHORITIES.

A line {"source": …, "requests": [{"method": …, "path": …, "fields": …, "content": …, "until": …}]}
means a connection to example.org at 127.0.0.1 that sends all of them at once. The response is a
line, too. Contents are in base64, with a content-length unless `tells_length` is false. A request
with `until` ends after that number of pieces of content.
"""

import asyncio
import base64
import json
import sys
import time

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection

HOST = 'example.org'
SECONDS_MAX = 30


class Exchange:
    """A request, and its response so far."""

    def __init__(self, asked):
        self.asked = asked
        self.fields = {}
        self.pieces = []
        self.times = []
        self.is_over = asyncio.get_running_loop().create_future()

    def take(self, event):
        """Handles the next event."""
        if isinstance(event, HeadersReceived):
            self.fields |= {name.decode(): value.decode() for name, value in event.headers}
        elif isinstance(event, DataReceived) and event.data:
            self.pieces.append(event.data)
            self.times.append(time.monotonic())
        is_enough = len(self.pieces) == self.asked.get('until')
        if (is_enough or event.stream_ended) and not self.is_over.done():
            self.is_over.set_result(None)

    def told(self):
        """Returns the response for the output line."""
        return {'status': int(self.fields.pop(':status')), 'fields': self.fields,
                'times': self.times,
                'content': base64.b64encode(b''.join(self.pieces)).decode()}


class Connection(QuicConnectionProtocol):
    """An HTTP/3 connection."""

    def __init__(self, quic):
        super().__init__(quic)
        self.h3 = H3Connection(quic)
        self.exchanges = {}

    def quic_event_received(self, event):
        for each in self.h3.handle_event(event):
            if isinstance(each, (HeadersReceived, DataReceived)):
                self.exchanges[each.stream_id].take(each)

    def send(self, asked):
        """Starts a request."""
        stream = self._quic.get_next_available_stream_id()
        self.exchanges[stream] = Exchange(asked)
        content = base64.b64decode(asked.get('content', ''))
        fields = {':method': asked.get('method', 'GET'), ':scheme': 'https', ':authority': HOST,
                  ':path': asked['path'], **asked.get('fields', {})}
        if content and asked.get('tells_length', True):
            fields['content-length'] = str(len(content))
        self.h3.send_headers(stream, [(name.encode(), value.encode())
                                      for name, value in fields.items()],
                             end_stream=not content)
        if content:
            self.h3.send_data(stream, content, end_stream=True)
        return self.exchanges[stream]


async def ask(asked, port, authorities):
    """Runs all requests of a line."""
    configuration = QuicConfiguration(is_client=True, alpn_protocols=H3_ALPN, server_name=HOST)
    configuration.load_verify_locations(cafile=authorities)
    transport, connection = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: Connection(QuicConnection(configuration=configuration)),
        local_addr=(asked.get('source', '127.0.0.1'), 0))
    try:
        connection.connect(('127.0.0.1', port))
        await connection.wait_connected()
        exchanges = [connection.send(one) for one in asked['requests']]
        connection.transmit()
        await asyncio.gather(*(one.is_over for one in exchanges))
        return [one.told() for one in exchanges]
    finally:
        connection.close()
        transport.close()


for line in sys.stdin:
    asking = ask(json.loads(line), int(sys.argv[1]), sys.argv[2])
    print(json.dumps(asyncio.run(asyncio.wait_for(asking, SECONDS_MAX))), flush=True)

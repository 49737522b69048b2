"""Sends HTTP/2 requests on one connection, all streams at once, and checks every response.

Must not be lenient: a stream that is reset, rejected or has another's response is wrong.
"""

import h2.config
import h2.connection
import h2.events
import h2.exceptions

from verify.answers import check_content
from verify.framing import TIMEOUT_SECONDS, WrongAnswer

_RECEIVED_MAX = 1 << 18
_ENDINGS = (h2.events.StreamReset, h2.events.ConnectionTerminated)


class _Stream:
    """The received data of one stream."""

    def __init__(self, expected):
        self.expected, self.fields, self.body, self.is_ended = expected, {}, b"", False


class _Talk:
    """The client's end of one connection."""

    def __init__(self, connection):
        self._connection, self._streams = connection, {}
        self._h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
        self._h2.initiate_connection()

    def ask(self, scheme, host, asked):
        """Sends all requests in one write."""
        for path, expected in asked:
            number = self._h2.get_next_available_stream_id()
            self._streams[number] = _Stream(expected)
            self._h2.send_headers(number, [(":method", "GET"), (":scheme", scheme),
                                           (":authority", host), (":path", path)], end_stream=True)
        self._flush()

    def answers(self):
        """Returns the streams in the order of the requests, each with its complete response."""
        while not all(stream.is_ended for stream in self._streams.values()):
            for event in self._h2.receive_data(self._received()):
                self._take(event)
            self._flush()
        return list(self._streams.values())

    def leave(self):
        """Ends the connection cleanly, without waiting."""
        self._h2.close_connection()
        self._flush()

    def _flush(self):
        self._connection.sendall(self._h2.data_to_send())

    def _received(self):
        try:
            data = self._connection.recv(_RECEIVED_MAX)
        except TimeoutError:
            raise WrongAnswer(f"no complete response within {TIMEOUT_SECONDS} s") from None
        if not data:
            raise WrongAnswer("the connection ended before the response was complete")
        return data

    def _take(self, event):
        if isinstance(event, _ENDINGS):
            raise WrongAnswer(f"HTTP/2: {type(event).__name__}, code {event.error_code!r}")
        stream = self._streams.get(getattr(event, "stream_id", None))
        if isinstance(event, h2.events.ResponseReceived):
            for name, value in event.headers:
                stream.fields.setdefault(name, []).append(value)
        elif isinstance(event, h2.events.DataReceived):
            stream.body += event.data
            self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            stream.is_ended = True


def check(connection, scheme, host, asked, has_clock, required):
    """Sends all requests at once, each on its own stream, and checks each response.

    connection  new; encrypted if necessary
    asked       (path, Expected) of each
    required    names of headers that each response must have in addition to content-type
    returns     the names of the headers that all responses had
    """
    talk = _Talk(connection)
    try:
        talk.ask(scheme, host, asked)
        streams = talk.answers()
        talk.leave()
    except h2.exceptions.H2Error as failure:
        raise WrongAnswer(f"HTTP/2: {failure!r}") from None
    for stream in streams:
        if stream.fields.get(":status") != ["200"]:
            raise WrongAnswer(f":status is {stream.fields.get(':status')}")
        check_content(stream.fields, stream.body, stream.expected, has_clock, required)
    told = [{name for name in stream.fields if not name.startswith(":")} for stream in streams]
    return set.intersection(*told)

"""Hand-written HTTP/2 frames, for tests that send what no real client sends.

Must not check its output, and must not wait without a limit.
"""

import socket
import struct

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY = range(8)
WINDOW_UPDATE, CONTINUATION = 8, 9
PRIORITY_UPDATE = 0x10

END_STREAM = ACK = 0x1
END_HEADERS = 0x4
PADDED = 0x8

NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR = range(4)
STREAM_CLOSED, CANCEL, ENHANCE_YOUR_CALM = 5, 8, 11

INITIAL_WINDOW_SIZE = 4
PREFACE = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'


def frame(kind, flags, stream, payload=b''):
    """One frame."""
    return struct.pack('>I', len(payload))[1:] + struct.pack('>BBI', kind, flags, stream) + payload


def settings(**values):
    """SETTINGS, or with ack=True its acknowledgement. Values by number, such as _4=65535."""
    if values.pop('ack', False):
        return frame(SETTINGS, ACK, 0)
    entries = (struct.pack('>HI', int(key[1:]), value) for key, value in values.items())
    return frame(SETTINGS, 0, 0, b''.join(entries))


def window_update(stream, increment):
    """WINDOW_UPDATE; an increment of 0 is an error."""
    return frame(WINDOW_UPDATE, 0, stream, struct.pack('>I', increment))


def reset(stream, code=CANCEL):
    """RST_STREAM."""
    return frame(RST_STREAM, 0, stream, struct.pack('>I', code))


def ping(payload=b'12345678'):
    """PING."""
    return frame(PING, 0, 0, payload)


def priority(stream, depends_on=0, weight=15):
    """PRIORITY of RFC 7540."""
    return frame(PRIORITY, 0, stream, struct.pack('>IB', depends_on, weight))


def number(value, prefix_bits, first=0):
    """An integer of HPACK (RFC 7541, section 5.1)."""
    limit = (1 << prefix_bits) - 1
    if value < limit:
        return bytes([first | value])
    coded = [first | limit]
    value -= limit
    while value >= 128:
        coded.append(value % 128 + 128)
        value //= 128
    return bytes(coded + [value])


def text(value):
    """A string of HPACK, without Huffman coding."""
    value = value if isinstance(value, bytes) else value.encode()
    return number(len(value), 7) + value


def literal(name, value):
    """A header that is not added to the dynamic table."""
    return b'\x00' + text(name) + text(value)


def remembered(name, value):
    """A header that is added to the dynamic table, with index 62 from now on."""
    return b'\x40' + text(name) + text(value)


def indexed(index):
    """A header that is in a table."""
    return number(index, 7, 0x80)


def request_fields(method='GET', path='/', authority='test', scheme='http'):
    """The pseudo-headers."""
    return [(':method', method), (':scheme', scheme), (':path', path), (':authority', authority)]


def block(fields):
    """A header block of pairs."""
    return b''.join(literal(name, value) for name, value in fields)


def request(stream, path='/', method='GET', fields=(), flags=END_STREAM | END_HEADERS):
    """HEADERS of a whole request."""
    return frame(HEADERS, flags, stream, block(request_fields(method, path) + list(fields)))


class Client:
    """A connection with a started HTTP/2 session; use as a context manager."""

    def __init__(self, port, seconds=10, opening=None):
        self.socket = socket.create_connection(('127.0.0.1', port), timeout=seconds)
        self.received = b''
        self.send(PREFACE + settings() if opening is None else opening)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """Sends all bytes; a closed connection is noticed when reading."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def next_frame(self):
        """Returns (type, flags, stream, payload), or None at the end of the connection."""
        try:
            head = self._take(9)
            payload = self._take(int.from_bytes(head[:3], 'big'))
        except (EOFError, ConnectionResetError):
            return None
        return head[3], head[4], int.from_bytes(head[5:9], 'big') & 0x7FFFFFFF, payload

    def _take(self, count):
        while len(self.received) < count:
            data = self.socket.recv(65536)
            if not data:
                raise EOFError
            self.received += data
        taken, self.received = self.received[:count], self.received[count:]
        return taken

    def frames_until(self, wanted):
        """Returns all frames up to the first one for which wanted(kind, flags, stream, payload) is
        true."""
        frames = []
        while True:
            got = self.next_frame()
            if got is None:
                raise AssertionError(f'the connection ended after {frames[-5:]}')
            frames.append(got)
            if wanted(*got):
                return frames

    def content_of(self, stream):
        """Returns the whole content of a response."""
        frames = self.frames_until(
            lambda kind, flags, of, _: of == stream and kind in (DATA, HEADERS)
            and flags & END_STREAM)
        return b''.join(payload for kind, _, of, payload in frames if kind == DATA and of == stream)

    def reset_of(self, stream):
        """Returns the code with which the server resets the stream."""
        frames = self.frames_until(lambda kind, _, of, __: kind == RST_STREAM and of == stream)
        return int.from_bytes(frames[-1][3], 'big')

    def end(self):
        """Returns the code of the GOAWAY before the server closes; None without a GOAWAY."""
        code = None
        while True:
            try:
                got = self.next_frame()
            except TimeoutError as error:
                raise AssertionError('the connection goes on') from error
            if got is None:
                return code
            if got[0] == GOAWAY:
                code = int.from_bytes(got[3][4:8], 'big')

"""proxy_to between ends that break off, stall or disconnect: a partial response never looks
complete.

Must not depend on speed: limits are far from usual values.
"""

import contextlib
import socket
import threading
import time
import unittest

from proxy_support import (OK, Scripted, SecureProxy, ask, proxy, read_all, resident_kib,
                           wait_for)
from support import free_port

GET = b'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
PART = b'x' * 5000
CHUNK = b'1388\r\n' + PART + b'\r\n'
SIZED = OK + b'Content-Length: 10000\r\n\r\n' + PART
CHUNKED = OK + b'Transfer-Encoding: chunked\r\n\r\n' + CHUNK
WITHIN_A_CHUNK = CHUNKED + b'1388\r\n' + PART[:7]


def breaking_off(answer, pause=0.0, how='end'):
    """Sends these bytes and ends the connection."""
    def script(connection, _head, _rest):
        connection.sendall(answer)
        time.sleep(pause)
        if how == 'reset':
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\1\0\0\0\0\0\0\0')
        return True
    return Scripted(script)


def is_whole(said):
    """Returns whether an HTTP/1.1 client would treat this as a complete response."""
    head, _, content = said.partition(b'\r\n\r\n')
    if b'transfer-encoding: chunked' in head.lower():
        return content.endswith(b'0\r\n\r\n')
    length = next(int(line.split(b':')[1]) for line in head.lower().split(b'\r\n')
                  if line.startswith(b'content-length'))
    return len(content) >= length


class UpstreamsThatDie(unittest.TestCase):
    def test_a_part_never_looks_like_the_whole(self):
        for name, answer in (('sized', SIZED), ('chunked', CHUNKED),
                             ('within a chunk', WITHIN_A_CHUNK)):
            for pause in (0, 0.2):
                for how in ('end', 'reset'):
                    with self.subTest(name, pause=pause, how=how), \
                            breaking_off(answer, pause, how) as service, \
                            proxy(service.url()) as front, front.connect() as client:
                        client.sendall(GET)
                        said, end = read_all(client)
                        self.assertNotEqual(end, 'open')
                        self.assertTrue(said.startswith(b'HTTP/1.1 '), said[:50])
                        if said.startswith(b'HTTP/1.1 200 '):
                            self.assertFalse(is_whole(said))
                        else:
                            self.assertTrue(said.startswith(b'HTTP/1.1 502 '), said[:50])

    def test_nor_for_clients_that_know_only_the_connections_end(self):
        with breaking_off(CHUNKED, 0.2) as service, proxy(service.url()) as front:
            with front.connect() as client:
                client.sendall(b'GET / HTTP/1.0\r\n\r\n')
                said, end = read_all(client)
                self.assertTrue(said.startswith(b'HTTP/1.1 200 '))
                self.assertEqual(end, 'reset', 'an orderly end says that this was all')

    def test_nor_over_http2(self):
        for answer in (SIZED, CHUNKED, WITHIN_A_CHUNK):
            with breaking_off(answer, 0.2) as service, SecureProxy(service.url()) as front:
                said, status = front.curl()
                self.assertEqual(status, 92, 'curl: HTTP/2 stream was not closed cleanly')
                self.assertLess(len(said), 10000)

    def test_before_the_head_is_whole_it_is_502(self):
        for answer in (b'', b'HT', OK, OK + b'Content-Length: 5\r\n'):
            with breaking_off(answer) as service, proxy(service.url()) as front:
                self.assertEqual(front.ask('GET', '/')[0], 502, answer)

    def test_the_next_request_of_the_same_client_is_served(self):
        answers = [SIZED, OK + b'Content-Length: 2\r\n\r\nok']
        def script(connection, _head, _rest):
            connection.sendall(answers.pop(0))
            return True
        with Scripted(script) as service, proxy(service.url()) as front:
            ask(front, GET)
            self.assertEqual(front.ask('GET', '/')[2], b'ok')

    def test_an_end_that_only_the_connection_tells_is_one(self):
        with breaking_off(OK + b'\r\n' + PART) as service, proxy(service.url()) as front:
            self.assertEqual(front.ask('GET', '/')[2], PART)


class UpstreamsThatStall(unittest.TestCase):
    def stalled(self, answer):
        """Returns a server that sends these bytes and nothing more, until the proxy disconnects."""
        self.ends = []
        def script(connection, _head, _rest):
            connection.sendall(answer)
            self.ends.append(read_all(connection)[1])
            return True
        return Scripted(script)

    def test_without_a_head_it_is_504_and_the_upstream_is_left(self):
        for answer in (b'', b'HTTP/1.1 200', b'HTTP/1.1 100 Continue\r\n\r\n'):
            with self.stalled(answer) as service, proxy(service.url()) as front:
                begin = time.monotonic()
                self.assertEqual(front.ask('GET', '/')[0], 504)
                self.assertLess(time.monotonic() - begin, 30)
                self.assertTrue(wait_for(lambda: self.ends))

    def test_within_content_the_client_is_cut_off(self):
        for answer in (SIZED, CHUNKED):
            with self.stalled(answer) as service, proxy(service.url(), SILENCE='1s') as front:
                with front.connect() as client:
                    client.sendall(GET)
                    said, end = read_all(client, 10)
                self.assertNotEqual(end, 'open')
                self.assertFalse(is_whole(said))
                self.assertTrue(wait_for(lambda: self.ends))

    def test_that_takes_no_content_is_504(self):
        gate = threading.Event()
        def script(_connection, _head, _rest):
            gate.wait(20)
            return True
        with Scripted(script) as service, proxy(service.url(), SILENCE='1s') as front:
            with front.connect() as client:
                client.sendall(b'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n')
                said = b''
                with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                    client.settimeout(0.05)
                    deadline = time.monotonic() + 15
                    while not said and time.monotonic() < deadline:
                        with contextlib.suppress(socket.timeout):
                            client.sendall(b'x' * 100000)
                        with contextlib.suppress(socket.timeout):
                            said = client.recv(4096)
            gate.set()
            self.assertTrue(said.startswith(b'HTTP/1.1 504 '), said[:60])
            self.assertLess(resident_kib(front.process), 48 << 10)

    def test_slow_content_is_no_silence(self):
        def script(connection, _head, _rest):
            connection.sendall(OK + b'Content-Length: 6\r\n\r\n')
            for byte in b'slowly':
                time.sleep(0.4)
                connection.sendall(bytes([byte]))
        with Scripted(script) as service, proxy(service.url(), SILENCE='1s') as front:
            self.assertEqual(front.ask('GET', '/')[2], b'slowly')

    def test_slow_clients_are_given_their_time(self):
        received = []
        def script(connection, _head, rest):
            data = rest
            while len(data) < 6:
                data += connection.recv(100)
            received.append(data)
            connection.sendall(OK + b'Content-Length: 0\r\n\r\n')
        with Scripted(script) as service, proxy(service.url(), SILENCE='1s') as front:
            with front.connect() as client:
                client.sendall(b'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'
                               b'Content-Length: 6\r\n\r\n')
                for byte in b'slowly':
                    time.sleep(0.6)
                    client.sendall(bytes([byte]))
                self.assertTrue(read_all(client)[0].startswith(b'HTTP/1.1 200 '))
            self.assertEqual(received, [b'slowly'])


class ClientsThatLeave(unittest.TestCase):
    def left(self, answer, request=GET):
        """Returns how the upstream's connection ends after the client has disconnected."""
        ends = []
        def script(connection, _head, _rest):
            connection.sendall(answer)
            ends.append(read_all(connection, 10)[1])
            return True
        with Scripted(script) as service, proxy(service.url(), SILENCE='60s') as front:
            client = front.connect()
            client.sendall(request)
            self.assertTrue(wait_for(lambda: service.heads))
            if answer:
                client.recv(10)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\1\0\0\0\0\0\0\0')
            client.close()
            self.assertTrue(wait_for(lambda: ends))
        return ends[0]

    def test_before_the_answer_the_upstream_is_left_too(self):
        self.assertIn(self.left(b''), ('end', 'reset'))

    def test_within_the_answer_the_upstream_is_left_too(self):
        self.assertIn(self.left(SIZED), ('end', 'reset'))
        self.assertIn(self.left(CHUNKED), ('end', 'reset'))

    def test_within_their_content_the_upstream_sees_no_end_of_it(self):
        heard = []
        def script(connection, _head, rest):
            heard.append(rest + read_all(connection, 10)[0])
            return True
        for framing, part in ((b'Content-Length: 10\r\n\r\n', b'half!'),
                              (b'Transfer-Encoding: chunked\r\n\r\n', b'5\r\nhalf!\r\n')):
            with Scripted(script) as service, proxy(service.url()) as front:
                with front.connect() as client:
                    client.sendall(b'POST / HTTP/1.1\r\nHost: a\r\n' + framing + part)
                    self.assertTrue(wait_for(lambda: service.heads))
                    time.sleep(0.1)
                self.assertTrue(wait_for(lambda: heard))
                self.assertIn(b'half!', heard[-1])
                self.assertNotIn(b'0\r\n\r\n', heard[-1])
                self.assertLessEqual(len(heard[-1]), len(b'5\r\nhalf!\r\n'))
            heard.clear()


class Elsewhere(unittest.TestCase):
    def test_what_reached_nobody_is_asked_of_the_next_with_its_content(self):
        def script(connection, _head, rest):
            data = rest
            while len(data) < 5:
                data += connection.recv(100)
            connection.sendall(OK + b'Content-Length: 5\r\n\r\n' + data)
        dead = f'http://127.0.0.1:{free_port()}'
        with Scripted(script) as service, proxy(dead, service.url(), threads=1) as front:
            for _ in range(10):
                self.assertEqual(front.ask('POST', '/', b'hello')[2], b'hello')

    def test_what_may_have_been_done_is_done_once(self):
        with breaking_off(b'') as bad, breaking_off(b'') as other, \
                proxy(bad.url(), other.url()) as front:
            self.assertEqual(front.ask('POST', '/', b'hello')[0], 502)
            self.assertEqual(len(bad.heads) + len(other.heads), 1)
            self.assertEqual(front.ask('POST', '/')[0], 502)
            self.assertEqual(len(bad.heads) + len(other.heads), 2)

    def test_retries_end_with_their_budget(self):
        with breaking_off(b'') as bad, breaking_off(b'') as other, \
                proxy(bad.url(), other.url(), threads=1) as front:
            for _ in range(100):
                self.assertEqual(front.ask('GET', '/')[0], 502)
            asked = len(bad.heads) + len(other.heads)
            self.assertGreater(asked, 105)
            self.assertLess(asked, 125, 'ten, and a tenth of the requests')


if __name__ == '__main__':
    unittest.main()

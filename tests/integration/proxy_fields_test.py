"""Changes of a request's headers by proxy_to: its target, Host, and hop-by-hop headers.

Must not test bodies: proxy_test.py and proxy_broken_test.py do.
"""

import socket
import tempfile
import unittest

import http2_frames as h2
from proxy_support import OK, Scripted, answering, ask, proxy, read_all, wait_for

EMPTY = OK + b'Content-Length: 0\r\n\r\n'


def get(path=b'/', *lines, method=b'GET', host=b'shop.example'):
    """Returns a request that ends its connection."""
    return b'\r\n'.join([method + b' ' + path + b' HTTP/1.1', b'Host: ' + host,
                         b'Connection: close', *lines, b'', b''])


class Told(unittest.TestCase):
    """The request that an upstream receives."""

    def told(self, request, base='', answer=EMPTY, **settings):
        """Returns the headers that the upstream received, and the client's response."""
        with answering(answer) as service, proxy(service.url(base), **settings) as front:
            said = ask(front, request)
            return service.heads[0] if service.heads else b'', said


class Host(Told):
    def test_it_is_the_upstreams_own_unless_the_clients_is_kept(self):
        own, _ = self.told(get())
        self.assertRegex(own, rb'\r\nHost: 127\.0\.0\.1:\d+\r\n')
        kept, _ = self.told(get(), PRESERVES_HOST='1')
        self.assertIn(b'\r\nHost: shop.example\r\n', kept)
        for head in (own, kept):
            self.assertEqual(head.lower().count(b'\r\nhost:'), 1)
            self.assertIn(b'\r\nX-Forwarded-Host: shop.example\r\n', head)
            self.assertIn(b'\r\nX-Forwarded-Proto: http\r\n', head)
            self.assertIn(b'\r\nX-Forwarded-For: 127.0.0.1\r\n', head)

    def test_a_port_and_a_literal_address_are_kept_as_they_came(self):
        for host in (b'shop.example:8443', b'[::1]:80', b'SHOP.example'):
            head, _ = self.told(get(host=host), PRESERVES_HOST='1')
            self.assertIn(b'\r\nHost: ' + host + b'\r\n', head)

    def test_who_names_none_is_passed_on_with_the_upstreams(self):
        head, _ = self.told(b'GET / HTTP/1.0\r\n\r\n', PRESERVES_HOST='1')
        self.assertRegex(head, rb'\r\nHost: 127\.0\.0\.1:\d+\r\n')

    def test_the_host_of_an_absolute_target_counts(self):
        head, _ = self.told(get(b'http://other.example/x?y'), PRESERVES_HOST='1')
        self.assertTrue(head.startswith(b'GET /x?y HTTP/1.1\r\nHost: other.example\r\n'), head)

    def test_connections_are_shared_by_all_hosts(self):
        connections = set()
        def script(connection, _head, _rest):
            connections.add(connection.getpeername())
            connection.sendall(EMPTY)
        with Scripted(script) as service, \
                proxy(service.url(), threads=1, PRESERVES_HOST='1') as front:
            for name in range(20):
                front.ask('GET', '/', headers={'Host': f'h{name}.example'})
        self.assertEqual(len(connections), 1)


class UnixPeer(unittest.TestCase):
    def test_the_path_that_it_is_bound_to_writes_no_fields(self):
        with tempfile.TemporaryDirectory() as folder, answering(EMPTY) as service:
            place = f'{folder}/front'
            places = ('--listen', 'unix:' + place, '--listen', '127.0.0.1:{port}')
            with proxy(service.url(), arguments=places) as front:
                front.await_serving()
                for name in ('plain', 'a\r\nX-Role: admin\r\nX-Z: ',
                             'a\r\n\r\nGET admin HTTP\r\n'):
                    with socket.socket(socket.AF_UNIX) as client:
                        client.settimeout(20)
                        client.bind(f'{folder}/{name}')
                        client.connect(place)
                        client.sendall(get())
                        self.assertTrue(read_all(client)[0].startswith(b'HTTP/1.1 200 '))
                self.assertIsNone(front.process.poll())
            self.assertEqual(len(service.heads), 3)
            for head in service.heads:
                self.assertIn(b'\r\nX-Forwarded-For: unknown\r\n', head)
                self.assertNotIn(b'admin', head)


class Target(Told):
    def test_it_goes_on_as_it_came(self):
        for path in (b'/', b'/a%20c?x=%2f;&y', b'/a?', b'/?', b'/a?b?c', b"/~a!$&'()*+,=:@"):
            head, _ = self.told(get(path))
            self.assertTrue(head.startswith(b'GET ' + path + b' HTTP/1.1\r\n'), head)
        for path in (b'/a%2Fb%5cc?x', b'/a;b=c/d%3B', b'/a%252Fb'):
            head, _ = self.told(get(path), ALL_PATHS='1')
            self.assertTrue(head.startswith(b'GET ' + path + b' HTTP/1.1\r\n'), head)

    def test_the_way_up_goes_nowhere_in_any_spelling(self):
        with answering(EMPTY) as service, proxy(service.url('/base')) as front:
            for path in (b'/..;/x', b'/a/..%2f..%2Fx', b'/..%5cx', b'/%2e%2e%3b/x', b'/a%2f..',
                         b'http://a/..;/x'):
                for upgrade in ((), (b'Upgrade: websocket', b'Connection: Upgrade')):
                    said = ask(front, get(path, *upgrade))
                    self.assertTrue(said.startswith(b'HTTP/1.1 404 '), (path, said))
            self.assertEqual(service.heads, [])

    def test_the_upstreams_path_stands_in_front(self):
        for path, sent in ((b'/', b'/base/'), (b'/x?y', b'/base/x?y'), (b'/?y', b'/base/?y')):
            head, _ = self.told(get(path), base='/base/')
            self.assertTrue(head.startswith(b'GET ' + sent + b' HTTP/1.1\r\n'), head)

    def test_an_absolute_target_loses_its_host_only(self):
        for target, sent in ((b'http://a/a', b'/a'), (b'HTTP://shop/', b'/'),
                             (b'http://a/b/a?http://a', b'/b/a?http://a')):
            head, _ = self.told(get(target))
            self.assertTrue(head.startswith(b'GET ' + sent + b' HTTP/1.1\r\n'), head)


class Hops(Told):
    def test_what_connection_names_stays_behind_in_any_spelling(self):
        head, _ = self.told(get(b'/', b'connection: x-one ,X-TWO', b'X-One: 1', b'x-two: 2',
                                b'X-Three: 3', b'Keep-Alive: timeout=5', b'Proxy-Connection: x',
                                b'Proxy-Authorization: Basic eA==', b'Trailer: X-Sum'))
        for stays in (b'x-one', b'x-two', b'keep-alive', b'proxy-', b'trailer', b'connection'):
            self.assertNotIn(stays, head.lower())
        self.assertIn(b'X-Three: 3', head)

    def test_no_client_takes_fields_of_ours_away_by_naming_them(self):
        request = get(b'/', b'Connection: X-Forwarded-For, Host, Via')
        head, _ = self.told(request, PRESERVES_HOST='1')
        for kept in (b'X-Forwarded-For: 127.0.0.1', b'Host: shop.example', b'Via: 1.1 eider'):
            self.assertIn(kept, head)

    def test_names_with_underscores_do_not_stand_in_for_ours(self):
        head, _ = self.told(get(b'/', b'X_Forwarded_For: 6.6.6.6', b'Content_Length: 5',
                                b'transfer_encoding: chunked', b'X_Own: 1'))
        self.assertNotIn(b'_Forwarded', head)
        self.assertNotIn(b'Content_Length', head)
        self.assertNotIn(b'transfer_encoding', head)
        self.assertIn(b'X_Own: 1', head)

    def test_via_grows_on_both_sides(self):
        head, said = self.told(get(b'/', b'Via: 1.0 fred, 1.1 p'),
                               answer=OK + b'Via: 1.1 behind\r\nContent-Length: 0\r\n\r\n')
        self.assertIn(b'\r\nVia: 1.0 fred, 1.1 p, 1.1 eider\r\n', head)
        self.assertIn(b'\r\nVia: 1.1 behind, 1.1 eider\r\n', said)

    def test_te_is_said_anew_where_trailers_are_welcome(self):
        head, _ = self.told(get(b'/', b'TE: deflate;q=0.5, trailers;q=1', b'Connection: TE'))
        self.assertIn(b'\r\nConnection: TE\r\nTE: trailers\r\n', head)
        head, _ = self.told(get(b'/', b'TE: deflate', b'Connection: TE'))
        self.assertNotIn(b'\r\nTE:', head)

    def test_trailers_of_an_answer_arrive_and_their_announcement(self):
        answer = (OK + b'Trailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n'
                  b'3\r\nabc\r\n0\r\nX-Sum: 6\r\n\r\n')
        _, said = self.told(get(), answer=answer)
        self.assertIn(b'\r\nTrailer: X-Sum\r\n', said)
        self.assertTrue(said.endswith(b'3\r\nabc\r\n0\r\nX-Sum: 6\r\n\r\n'), said)

    def test_upgrades_to_what_is_no_websocket_are_not_passed_on(self):
        head, _ = self.told(get(b'/', b'Connection: Upgrade', b'Upgrade: h2c, foo'))
        self.assertNotIn(b'Upgrade', head)

    def test_options_count_their_hops(self):
        head, said = self.told(get(b'/', b'Max-Forwards: 5', method=b'OPTIONS'))
        self.assertIn(b'\r\nMax-Forwards: 4\r\n', head)
        head, said = self.told(get(b'/', b'Max-Forwards: 0', method=b'OPTIONS'))
        self.assertEqual(head, b'')
        self.assertTrue(said.startswith(b'HTTP/1.1 204 '), said)
        self.assertIn(b'\r\nAllow: GET, ', said)
        head, _ = self.told(get(b'/', b'Max-Forwards: 99999999999999999999', method=b'OPTIONS'))
        self.assertIn(b'\r\nMax-Forwards: 4294967294\r\n', head)
        head, _ = self.told(get(b'/', b'Max-Forwards: 0'))
        self.assertIn(b'\r\nMax-Forwards: 0\r\n', head, 'other methods do not count')

    def test_trace_and_connect_go_nowhere(self):
        for line in (b'TRACE / HTTP/1.1\r\n', b'CONNECT a:80 HTTP/1.1\r\n'):
            head, said = self.told(line + b'Host: a:80\r\nConnection: close\r\n\r\n')
            self.assertEqual(head, b'')
            self.assertRegex(said, rb'^HTTP/1\.1 (4|5)\d\d ')


class RequestTrailers(unittest.TestCase):
    """Trailers after a request body (RFC 9110, section 6.5)."""

    def heard(self, client_says):
        """Returns what an upstream receives, up to the end of the body."""
        told = []
        def script(connection, head, rest):
            while not rest.endswith(b'\r\n\r\n'):
                rest += connection.recv(65536)
            told.append((head, rest))
            connection.sendall(EMPTY)
            return True
        with Scripted(script) as service, proxy(service.url()) as front:
            ask(front, b'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'
                b'Transfer-Encoding: chunked\r\n\r\n' + client_says)
        return told

    def test_they_go_on_behind_it(self):
        [(head, content)] = self.heard(b'3\r\nabc\r\n0\r\nX-Sum: 6\r\nx-two:  7 \r\n\r\n')
        self.assertIn(b'chunked', head)
        self.assertEqual(content.lower(), b'3\r\nabc\r\n0\r\nx-sum: 6\r\nx-two: 7\r\n\r\n')

    def test_nothing_does_that_would_mean_something_in_a_head(self):
        [(_, content)] = self.heard(
            b'3\r\nabc\r\n0\r\nHost: b\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n'
            b'Content_Length: 5\r\nAuthorization: x\r\nCookie: a=b\r\nX-Forwarded-For: 1.2.3.4\r\n'
            b'If-Match: x\r\nContent-Type: x\r\nConnection: x-good\r\nX-Original-URL: /x\r\n'
            b'TE: trailers\r\nVia: x\r\nX-Good: 1\r\n\r\n')
        self.assertEqual(content.lower(), b'3\r\nabc\r\n0\r\nx-good: 1\r\n\r\n')

    def test_more_than_there_may_be_is_no_request(self):
        for told in self.heard(b'3\r\nabc\r\n0\r\n' + b'x: ' + b'y' * 9000 + b'\r\n\r\n'):
            self.assertNotIn(b'0\r\n', told[1])


# Trailers that a client could treat as headers, or an intermediary as connection options.
NO_TRAILERS = ('Content-Length', 'Transfer-Encoding', 'Connection', 'Date', 'Content-Type',
               'Keep-Alive', 'Upgrade', 'Proxy-Connection', 'TE', 'X-Hop', 'Set-Cookie', 'Host',
               'Authorization', 'Location', 'WWW-Authenticate', 'Content-Encoding',
               'Content-Range', 'Cache-Control', 'Vary')


class AnswerTrailers(unittest.TestCase):
    """Trailers after a response body (RFC 9110, sections 6.5.1 and 7.6.1)."""

    def test_what_belongs_to_a_head_or_a_hop_is_dropped_and_the_answer_stays_whole(self):
        trailer = ['']
        def script(connection, _head, _rest):
            connection.sendall(OK + b'Connection: X-Hop\r\nTransfer-Encoding: chunked\r\n\r\n'
                               b'3\r\nabc\r\n0\r\n' + trailer[0].encode() + b': 1\r\n\r\n')
        with Scripted(script) as service, proxy(service.url()) as front:
            for trailer[0] in NO_TRAILERS:
                said = ask(front, get(b'/', b'TE: trailers'))
                self.assertTrue(said.endswith(b'\r\n\r\n3\r\nabc\r\n0\r\n\r\n'), said)
            trailer[0] = 'X-Sum'
            self.assertTrue(ask(front, get()).endswith(b'\r\n0\r\nX-Sum: 1\r\n\r\n'))

    def test_over_http2_nothing_stands_in_their_place(self):
        trailer = ['']
        def script(connection, _head, _rest):
            connection.sendall(OK + b'Transfer-Encoding: chunked\r\n\r\n'
                               b'3\r\nabc\r\n0\r\n' + trailer[0].encode() + b': 1\r\n\r\n')
        with Scripted(script) as service, proxy(service.url()) as front:
            for trailer[0] in ('Connection', 'Date', 'Content-Type', 'Set-Cookie'):
                self.assertEqual(answer_frames(front), (1, b'abc'), trailer)
            trailer[0] = 'X-Sum'
            self.assertEqual(answer_frames(front), (2, b'abc'))


def answer_frames(front):
    """Returns (number of HEADERS, body) of a response over HTTP/2 that END_STREAM ends."""
    heads, content = 0, b''
    with front.connect() as client:
        client.settimeout(20)
        client.sendall(h2.PREFACE + h2.settings() + h2.request(1, '/'))
        file = client.makefile('rb')
        while True:
            first = file.read(9)
            payload = file.read(int.from_bytes(first[:3], 'big'))
            if int.from_bytes(first[5:], 'big') != 1:
                continue
            if first[3] not in (h2.HEADERS, h2.DATA):
                raise AssertionError(f'frame of kind {first[3]}')
            heads += first[3] == h2.HEADERS
            content += payload if first[3] == h2.DATA else b''
            if first[4] & h2.END_STREAM:
                return heads, content


POST = (b'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n')


class Consent(unittest.TestCase):
    """Expect: 100-continue (RFC 9110, section 10.1.1)."""

    def test_it_is_not_asked_for_by_the_proxy(self):
        with answering(EMPTY) as service, proxy(service.url()) as front:
            self.assertTrue(ask(front, POST + b'\r\nhello').startswith(b'HTTP/1.1 200 '))
            self.assertNotIn(b'Expect', service.heads[0])

    def test_the_clients_wish_is_passed_on_and_the_upstreams_consent(self):
        heard = []
        def script(connection, _head, _rest):
            connection.sendall(b'HTTP/1.1 100 Continue\r\n\r\n')
            heard.append(connection.recv(100))
            connection.sendall(EMPTY)
        with Scripted(script) as service, proxy(service.url()) as front:
            with front.connect() as client:
                client.sendall(POST + b'Expect: 100-continue\r\n\r\n')
                self.assertEqual(client.recv(100), b'HTTP/1.1 100 Continue\r\n\r\n')
                client.sendall(b'hello')
                self.assertTrue(read_all(client)[0].startswith(b'HTTP/1.1 200 '))
            self.assertIn(b'\r\nExpect: 100-continue\r\n', service.heads[0])
            self.assertEqual(heard, [b'hello'])

    def test_a_refusal_arrives_without_the_content_being_asked_for(self):
        refusal = b'HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno'
        with answering(refusal) as service, proxy(service.url()) as front:
            said = ask(front, POST + b'Expect: 100-continue\r\n\r\n')
            self.assertTrue(said.startswith(b'HTTP/1.1 401 '), said)
            self.assertTrue(said.endswith(b'\r\n\r\nno'), said)

    def test_an_answer_ahead_of_the_content_arrives_at_once(self):
        refusal = b'HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno'
        with answering(refusal) as service, proxy(service.url()) as front:
            with front.connect() as client:
                client.sendall(b'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc')
                client.settimeout(5)
                self.assertTrue(client.recv(4096).startswith(b'HTTP/1.1 413 '))
            self.assertTrue(wait_for(lambda: service.heads))


if __name__ == '__main__':
    unittest.main()

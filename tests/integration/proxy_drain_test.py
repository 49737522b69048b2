"""proxy_to under load while it stops or its upstreams change: every request is counted.

Must not measure speed, and must not count a request as lost that was never started.
"""

import contextlib
import os
import re
import signal
import socket
import threading
import time
import unittest

from proxy_support import Scripted, has_nginx, nginx, proxy, wait_for
from support import Program, free_port

CLIENTS = 16
SECONDS = 2.0
REQUEST = re.compile(rb'(?:GET|POST) /(\w+)')


class Counter:
    """A client that sends requests sequentially on its connection, and records the results."""

    def __init__(self, port, name, method='GET'):
        self.port, self.name, self.method = port, name, method
        self.whole, self.partial, self.refused, self.failed = set(), [], [], []
        self.unanswered = set()
        self.is_over = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        number = 0
        while not self.is_over:
            with contextlib.suppress(OSError):
                with socket.create_connection(('127.0.0.1', self.port), timeout=20) as connection:
                    while not self.is_over and self._ask(connection, f'{self.name}x{number}'):
                        number += 1
            number += 1
            if not self.is_over:
                time.sleep(0.005)

    def _ask(self, connection, name):
        """Sends a request; returns whether the connection serves another one."""
        request = (f'{self.method} /{name} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi'
                   if self.method == 'POST' else f'GET /{name} HTTP/1.1\r\nHost: a\r\n\r\n')
        told = b''
        try:
            connection.sendall(request.encode())
            while not is_whole(told):
                part = connection.recv(65536)
                if not part:
                    break
                told += part
        except OSError as error:
            if told:
                self.failed.append((name, str(error), told))
        if not told:
            self.unanswered.add(name)
        elif not is_whole(told):
            self.partial.append((name, told))
        elif not told.startswith(b'HTTP/1.1 200 '):
            self.refused.append((name, told.split(b'\r\n')[0]))
        else:
            self.whole.add(name)
        return is_whole(told) and b'Connection: close' not in told

    def stop(self):
        """Lets it finish its current request."""
        self.is_over = True
        self.thread.join(30)


def is_whole(told):
    """Returns whether this is one whole response."""
    head, end, content = told.partition(b'\r\n\r\n')
    if b'chunked' in head:
        return content.endswith(b'0\r\n\r\n')
    length = re.search(rb'Content-Length: (\d+)', head)
    return bool(end) and len(content) >= int(length[1] if length else 0)


def counters(port, method='GET', count=CLIENTS):
    """Returns this number of clients."""
    return [Counter(port, f'c{index}', method) for index in range(count)]


class Remembering(Scripted):
    """An upstream that is a little slow, and records its requests."""

    def __init__(self, port=0, pause=0.002):
        self.pause = pause
        super().__init__(self._answer, port)

    def _answer(self, connection, head, _rest):
        time.sleep(self.pause)
        name = REQUEST.search(head)[1]
        if name.endswith((b'3', b'7')):  # some are chunked
            connection.sendall(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
                               b'5\r\nhello\r\n')
            time.sleep(self.pause)
            connection.sendall(b'5\r\nthere\r\n0\r\n\r\n')
        else:
            connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')

    def names(self):
        """Returns the names of all requests so far."""
        return {REQUEST.search(head)[1].decode() for head in self.heads}


class StoppingProxy(unittest.TestCase):
    def test_whatever_reached_the_upstream_is_answered_whole(self):
        for method in ('GET', 'POST'):
            with Remembering() as service, proxy(service.url()) as front:
                clients = counters(front.port, method)
                time.sleep(SECONDS / 2)
                self.assertEqual(front.stop(), 0)
                for client in clients:
                    client.stop()
                whole = set().union(*(client.whole for client in clients))
                self.assertGreater(len(whole), 100)
                for client in clients:
                    self.assertEqual((client.partial, client.refused, client.failed), ([], [], []))
                self.assertEqual(service.names() - whole, set(), 'asked, and never answered')

    def test_a_request_that_waits_is_answered_before_it_ends(self):
        with Remembering(pause=1.0) as service, proxy(service.url()) as front:
            clients = counters(front.port, count=4)
            self.assertTrue(wait_for(lambda: len(service.heads) == 4))
            self.assertEqual(front.stop(), 0)
            for client in clients:
                client.stop()
                self.assertEqual(len(client.whole), 1)

    def test_nobody_can_connect_any_more(self):
        with Remembering(pause=0.5) as service, proxy(service.url()) as front:
            client = Counter(front.port, 'c')
            self.assertTrue(wait_for(lambda: service.heads))
            front.process.send_signal(signal.SIGTERM)
            self.assertTrue(wait_for(lambda: not can_connect(front.port)))
            self.assertEqual(front.process.wait(20), 0)
            client.stop()
            self.assertEqual(len(client.whole), 1)


def can_connect(port):
    """Returns whether a server listens."""
    with contextlib.suppress(OSError):
        socket.create_connection(('127.0.0.1', port), timeout=1).close()
        return True
    return False


class ChangingUpstreams(unittest.TestCase):
    """One of two upstreams stops and restarts while the other stays."""

    @contextlib.contextmanager
    def unharmed(self, url, count=CLIENTS):
        """Clients send requests during this block; each gets a 200."""
        with Remembering(pause=0) as stays, \
                proxy(url, stays.url(), HEALTH='/plaintext') as front:
            self.stays = stays
            self.clients = [Plain(front.port, f'c{index}') for index in range(count)]
            yield
            for client in self.clients:
                client.stop()
            for client in self.clients:
                self.assertEqual((client.partial, client.refused, client.failed,
                                  client.unanswered), ([], [], [], set()))

    def served_by_the_other(self):
        """Returns how many requests went to the other upstream."""
        return sum(len(client.whole) for client in self.clients) - len(self.stays.heads)

    def load(self):
        """Waits until the other upstream is under load."""
        before = self.served_by_the_other()
        self.assertTrue(
            wait_for(lambda: self.served_by_the_other() > before + 50),
            f'{before} then, {self.served_by_the_other()} now, {len(self.stays.heads)} by the '
            'other; of the clients ' + ', '.join(
                f'{len(client.whole)} whole {len(client.unanswered)} unanswered '
                f'{client.partial[-1:]} {client.refused[-1:]} {client.failed[-1:]} '
                f'{client.thread.is_alive()}' for client in self.clients))

    def test_eiders_that_drain_and_come_back_cost_no_request(self):
        port = free_port()
        with self.unharmed(f'http://127.0.0.1:{port}'):
            for _ in range(3):
                with AtPort(port) as goes:
                    self.load()
                    self.assertEqual(goes.stop(), 0)
                time.sleep(SECONDS / 6)

    @unittest.skipUnless(has_nginx(), 'no nginx')
    def test_nginx_that_quits_gracefully_costs_no_request(self):
        with nginx('keepalive_requests 50; location / { return 200 "hello"; }') as (port, folder), \
                self.unharmed(f'http://127.0.0.1:{port}'):
            self.load()
            with open(f'{folder}/pid', encoding='ascii') as file:
                os.kill(int(file.read()), signal.SIGQUIT)
            self.assertTrue(wait_for(lambda: not can_connect(port)))
            time.sleep(SECONDS / 6)

    def test_one_that_is_killed_costs_none_that_may_be_repeated(self):
        port = free_port()
        with self.unharmed(f'http://127.0.0.1:{port}', count=8):
            for _ in range(3):
                with AtPort(port) as goes:
                    self.load()
                    goes.process.kill()
                time.sleep(SECONDS / 6)


class AtPort(Program):
    """The benchmark service on a known port."""

    def __init__(self, port):
        super().__init__('arena_eider', str(port), '1')
        self.port = port


class Plain(Counter):
    """Requests paths of the benchmark service."""

    def _ask(self, connection, name):
        return super()._ask(connection, 'plaintext?' + name)


if __name__ == '__main__':
    unittest.main()

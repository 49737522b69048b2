"""Three machines with HAProxy in front: one dies and one is disconnected under load.

Acknowledged data exists, including sessions, and messages reach all subscribers. Must not use
internals of the machines: only what clients see counts.
"""

import asyncio
import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from network_support import PATH, Machine, enter_own_network
from redis_support import RedisServer

try:
    import websockets
except ImportError:  # not Debian's python3, which has the package
    sys.path.append('/usr/lib/python3/dist-packages')
    import websockets

PROGRAM = '29_processes'
PASSWORD = 'a-secret-of-the-run'
FRONT = 8000
BACK = 8080
MACHINES = 3
LISTENERS = 9
WRITERS = 4
QUIET_SECONDS = 1.5
READY_SECONDS_MAX = 60
SETTLED_SECONDS_MAX = 60
SECONDS_MAX = 240

HAPROXY = f"""
global
  maxconn 1000
defaults
  mode http
  timeout connect 500ms
  timeout client 60s
  timeout server 2s
  timeout tunnel 60s
  retries 2
  option redispatch 1
frontend front
  bind 127.0.0.1:{FRONT}
  default_backend machines
backend machines
  balance roundrobin
  option httpchk GET /health
  default-server inter 200ms fastinter 100ms fall 2 rise 2 check on-marked-down shutdown-sessions
"""


def setUpModule():
    enter_own_network()


class Writer(threading.Thread):
    """A browser that writes notes one after the other, and records the acknowledged ones."""

    def __init__(self, name):
        super().__init__(daemon=True)
        self.browser = name
        self.acknowledged = {}  # by number
        self.refused = 0
        self.cookie = {}
        self.is_over = threading.Event()

    def run(self):
        count = 0
        while not self.is_over.is_set():
            count += 1
            self.write(f'{self.browser} {count}')
            time.sleep(0.01)

    def write(self, text):
        try:
            status, headers, body = ask('POST', '/notes', text, self.cookie)
        except (OSError, http.client.HTTPException):
            status = 0
        if status != 201:
            self.refused += 1  # it may have been stored anyway
            return
        if 'set-cookie' in headers:
            self.cookie = {'Cookie': headers['set-cookie'].partition(';')[0]}
        note = json.loads(body)
        assert note['text'] == text
        self.acknowledged[note['id']] = text


class Listener:
    """A page that follows /live, reconnects, and reads the missed messages."""

    def __init__(self):
        self.seen = {}
        self.pushed = {}
        self.is_open = False
        self.is_over = False

    async def run(self):
        while not self.is_over:
            try:
                async with websockets.connect(f'ws://127.0.0.1:{FRONT}/live', open_timeout=2,
                                              ping_interval=None, close_timeout=1) as line:
                    await self.read()
                    self.is_open = True
                    async for message in line:
                        await self.hear(json.loads(message))
            except (OSError, asyncio.TimeoutError, AssertionError,
                    http.client.HTTPException, websockets.WebSocketException):
                pass
            self.is_open = False
            await asyncio.sleep(0.05)

    async def end(self, task):
        self.is_over = True  # the awaited code may swallow a cancellation
        task.cancel()
        await asyncio.wait([task])

    async def hear(self, message):
        if message.get('is_gap'):
            await self.read()
        else:
            self.pushed[message['id']] = message['text']
            self.seen[message['id']] = message['text']

    async def read(self):
        status, _, body = await asyncio.to_thread(ask, 'GET', '/notes')
        assert status == 200, status
        self.seen.update(enumerate(json.loads(body), 1))


def ask(method, path, body=None, headers=None, host='127.0.0.1', port=FRONT):
    """Sends one request on a new connection; returns (status, headers by lower-case name, body)."""
    connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        connection.request(method, path, body, headers or {})
        reply = connection.getresponse()
        fields = {name.lower(): value for name, value in reply.getheaders()}
        return reply.status, fields, reply.read()
    finally:
        connection.close()


class Processes(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.redis = self.enterContext(RedisServer(PASSWORD, '0.0.0.0'))
        self.machines = []
        for number in range(1, MACHINES + 1):
            where = f'redis://:{PASSWORD}@10.77.{number}.1:{self.redis.port}'
            self.machines.append(self.enterContext(Machine(
                number, PROGRAM, '--port', str(BACK), '--host', '0.0.0.0', '--threads', '2',
                environment={'REDIS': where})))
        self.start_haproxy()

    def start_haproxy(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        lines = [f'  server {machine.cable} {machine.address}:{BACK}'
                 for machine in self.machines]
        file = Path(directory, 'haproxy.cfg')
        file.write_text(HAPROXY + '\n'.join(lines) + '\n')
        process = subprocess.Popen(['haproxy', '-db', '-f', str(file)], env={'PATH': PATH},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

    def is_healthy(self, machine):
        try:
            return ask('GET', '/health', host=machine.address, port=BACK)[0] == 204
        except OSError:
            return False

    async def until(self, is_so, seconds_max, what):
        deadline = time.monotonic() + seconds_max
        while not is_so():
            self.assertLess(time.monotonic(), deadline, what)
            await asyncio.sleep(0.05)

    def start_load(self):
        self.writers = [Writer(f'writer {number}') for number in range(WRITERS)]
        self.listeners = [Listener() for _ in range(LISTENERS)]
        for listener in self.listeners:
            self.addAsyncCleanup(listener.end, asyncio.ensure_future(listener.run()))
        for writer in self.writers:
            writer.start()
            self.addCleanup(writer.is_over.set)

    def acknowledged(self):
        return {number: text for writer in self.writers
                for number, text in dict(writer.acknowledged).items()}

    def all_pushed(self, wanted):
        return all(wanted.keys() <= listener.pushed.keys() for listener in self.listeners)

    def all_open(self):
        return all(listener.is_open for listener in self.listeners)

    async def check_pushes(self, what):
        """Without faults of the machines, each message reaches all without further requests."""
        await self.until(self.all_open, SETTLED_SECONDS_MAX, f'all are connected, {what}')
        before = self.acknowledged()
        await asyncio.sleep(QUIET_SECONDS)

        def news():
            return {number: text for number, text in self.acknowledged().items()
                    if number not in before}
        await self.until(lambda: len(news()) > 20, SETTLED_SECONDS_MAX, f'notes exist, {what}')
        wanted = news()
        await self.until(lambda: self.all_pushed(wanted), SETTLED_SECONDS_MAX,
                         f'all hear all, {what}')

    async def test_a_machine_that_dies_and_one_that_is_cut_off_lose_nothing(self):
        async with asyncio.timeout(SECONDS_MAX):
            await self.load_and_faults()
        self.check_nothing_is_lost()

    async def load_and_faults(self):
        await self.until(lambda: all(map(self.is_healthy, self.machines)), READY_SECONDS_MAX,
                         'all machines are well')
        self.start_load()
        await self.check_pushes('ahead of the faults')
        self.machines[0].process.kill()
        await asyncio.sleep(1)
        self.machines[1].cut()
        await asyncio.sleep(2)
        await self.check_pushes('with one machine')
        self.machines[1].mend()
        await self.until(lambda: self.is_healthy(self.machines[1]), SETTLED_SECONDS_MAX,
                         'the machine that was cut off is well')
        await self.check_pushes('with two machines')
        await self.check_machine_hears(self.machines[1])
        await self.end_load()

    async def check_machine_hears(self, machine):
        async with websockets.connect(f'ws://{machine.address}:{BACK}/live') as line:
            message = json.loads(await asyncio.wait_for(line.recv(), 5))
            self.assertIn('text', message)

    async def end_load(self):
        for writer in self.writers:
            writer.is_over.set()
        for writer in self.writers:
            await asyncio.to_thread(writer.join)
        wanted = self.acknowledged()
        await self.until(lambda: all(wanted.items() <= listener.seen.items()
                                     for listener in self.listeners),
                         SETTLED_SECONDS_MAX, 'all have seen all that was acknowledged')

    def check_nothing_is_lost(self):
        kept = dict(enumerate(json.loads(ask('GET', '/notes')[2]), 1))
        for writer in self.writers:
            with self.subTest(writer.browser):
                self.assertGreater(len(writer.acknowledged), 50)
                self.assertLessEqual(writer.acknowledged.items(), kept.items())
                status, _, mine = ask('GET', '/mine', headers=writer.cookie)
                self.assertEqual(status, 200)
                self.assertEqual(writer.acknowledged.keys() - set(json.loads(mine)), set())
        self.assertLess(sum(writer.refused for writer in self.writers),
                        len(self.acknowledged()) / 4)


if __name__ == '__main__':
    unittest.main()

"""Runs as the only process of a kernel that knows TLS: a service's answers, byte for byte.

Must not run anywhere else: it mounts, loads modules, and switches its machine off at the end.
"""

import contextlib
import ctypes
import errno
import json
import os
import re
import select
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import traceback
import unittest
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
FINIT_MODULE = 313  # x86-64
POWER_OFF = 0x4321FEDC
SECONDS_MAX = 30
FILE_BYTES = 2_000_003
PORT, TLS_PORT = 8080, 8443
CONTENT = bytes(range(251)) * (FILE_BYTES // 251 + 1)
CONTENT = CONTENT[:FILE_BYTES]
BIN, MODULES, CERTIFICATES = (Path(word) for word in sys.argv[1:4])
KERNEL_NEEDS = ('tls', 'ctr', 'gcm', 'ghash-generic', 'chacha_generic', 'poly1305_generic',
                'chacha20poly1305')
UPDATE_KEYS = b'K\n'  # openssl s_client: a KeyUpdate that asks for one in return
UPDATE_MINE = b'k\n'  # and one that does not


def mount(kind, place, data=''):
    """A file system of the kernel's own."""
    Path(place).mkdir(exist_ok=True)
    if LIBC.mount(kind.encode(), place.encode(), kind.encode(), 0, data.encode()) != 0:
        raise OSError(ctypes.get_errno(), place)


def load(module):
    """A module, and first those that it needs."""
    needs = dict(line.split(':') for line in (MODULES / 'modules.dep').read_text().splitlines())
    path = next(name for name in needs if name.endswith(f'/{module}.ko'))
    for name in [*reversed(needs[path].split()), path]:
        with open(MODULES / name, 'rb') as file:
            if LIBC.syscall(FINIT_MODULE, file.fileno(), b'', 0) != 0:
                if ctypes.get_errno() != errno.EEXIST:
                    raise OSError(ctypes.get_errno(), name)


def prepare():
    """What a machine has before its services start."""
    mount('proc', '/proc')
    mount('sysfs', '/sys')
    mount('tmpfs', '/dev/shm')
    os.environ.update(TMPDIR='/dev/shm', PATH='/usr/sbin:/usr/bin:/sbin:/bin', HOME='/dev/shm')
    tempfile.tempdir = '/dev/shm'
    subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)


def encrypted_by_the_kernel():
    """Connections that the kernel has taken over until now."""
    told = Path('/proc/net/tls_stat').read_text()
    return int(re.search(r'TlsTxSw\s+(\d+)', told)[1])


class Service:
    """The measuring service with TLS and files."""

    def __init__(self, backend):
        self.files = tempfile.mkdtemp()
        (Path(self.files) / 'large').write_bytes(CONTENT)
        (Path(self.files) / 'small').write_bytes(CONTENT[:1000])
        self.said = tempfile.NamedTemporaryFile()
        self.process = subprocess.Popen(
            [BIN / 'arena_eider', str(PORT), '2', '--backend', backend, '--files', self.files,
             '--tls-port', str(TLS_PORT), '--cert', CERTIFICATES / 'one.pem', '--key',
             CERTIFICATES / 'one.key'], stdout=self.said, stderr=self.said)
        deadline = time.monotonic() + SECONDS_MAX
        while True:
            try:
                socket.create_connection(('127.0.0.1', TLS_PORT), SECONDS_MAX).close()
                return
            except OSError as failure:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise AssertionError(self.words()) from failure
                time.sleep(0.05)

    def words(self):
        """What it has said."""
        return Path(self.said.name).read_text()

    def stop(self):
        """Its exit status."""
        self.process.terminate()
        return self.process.wait(SECONDS_MAX)


def trust(version=ssl.TLSVersion.TLSv1_3, ciphers=None):
    """A client's settings."""
    context = ssl.create_default_context(cafile=CERTIFICATES / 'one.pem')
    context.check_hostname = False
    context.minimum_version = context.maximum_version = version
    if ciphers:
        context.set_ciphers(ciphers)
    return context


class Client:
    """One connection that asks HTTP/1.1 by hand; without close_notify its end is an error."""

    def __init__(self, context, session=None, receive_bytes=0):
        raw = socket.socket()
        if receive_bytes:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        raw.settimeout(SECONDS_MAX)
        raw.connect(('127.0.0.1', TLS_PORT))
        self.secure = context.wrap_socket(raw, session=session, suppress_ragged_eofs=False)
        self.came = b''

    def send(self, path, *fields):
        """A request."""
        lines = [f'GET {path} HTTP/1.1', 'Host: localhost', *fields, '', '']
        self.secure.sendall('\r\n'.join(lines).encode())

    def more(self):
        """Whether something came before the peer's end."""
        piece = self.secure.recv(65536)
        self.came += piece
        return piece != b''

    def take(self, count):
        """Exactly so many bytes."""
        while len(self.came) < count and self.more():
            pass
        taken, self.came = self.came[:count], self.came[count:]
        return taken

    def answer(self):
        """Status and body of the next one."""
        while b'\r\n\r\n' not in self.came and self.more():
            pass
        head, self.came = self.came.split(b'\r\n\r\n', 1)
        count = int(re.search(rb'(?i)\ncontent-length: *(\d+)', head)[1])
        return int(head.split()[1]), self.take(count)

    def ask(self, path, *fields):
        """A request and its answer."""
        self.send(path, *fields)
        return self.answer()


def read_until(pipe, is_enough):
    """What a program wrote, until that holds or its end."""
    said = b''
    deadline = time.monotonic() + SECONDS_MAX
    while not is_enough(said) and time.monotonic() < deadline:
        if select.select([pipe], [], [], 1)[0]:
            piece = pipe.read(65536)
            if not piece:
                break
            said += piece
    return said


class Checks:
    """For each backend; the service is started once."""

    backend = ''

    @classmethod
    def setUpClass(cls):
        cls.service = Service(cls.backend)

    @classmethod
    def tearDownClass(cls):
        status = cls.service.stop()
        if status != 0:
            raise AssertionError(f'exit status {status}: {cls.service.words()}')

    def setUp(self):
        self.before = encrypted_by_the_kernel()

    def assert_taken_over(self, connections):
        """So many, since the test began."""
        self.assertEqual(encrypted_by_the_kernel() - self.before, connections)

    def test_it_says_so(self):
        self.assertIn('files are encrypted by the kernel', self.service.words())

    def test_small_answers_are_not_handed_over(self):
        client = Client(trust())
        for _ in range(3):
            self.assertEqual(client.ask('/files/small'), (200, CONTENT[:1000]))
            self.assertEqual(client.ask('/plaintext'), (200, b'Hello, World!'))
        self.assert_taken_over(0)

    def talk(self, context):
        """All kinds of answers on one connection."""
        client = Client(context)
        self.assertEqual(client.ask('/plaintext'), (200, b'Hello, World!'))
        self.assertEqual(client.ask('/files/large'), (200, CONTENT))
        for _ in range(20):
            self.assertEqual(client.ask('/plaintext'), (200, b'Hello, World!'))
        self.assertEqual(client.ask('/bytes/1000000'), (200, b'x' * 1_000_000))
        self.assertEqual(client.ask('/files/large', 'Range: bytes=99999-400000'),
                         (206, CONTENT[99999:400001]))
        self.assertEqual(client.ask('/files/small'), (200, CONTENT[:1000]))
        self.assertEqual(client.ask('/files/large'), (200, CONTENT))
        self.assertEqual(client.ask('/nowhere')[0], 404)

    def test_all_answers_of_tls13_arrive_as_they_left(self):
        self.talk(trust())
        self.assert_taken_over(1)

    def test_all_answers_of_tls12_arrive_as_they_left_with_each_cipher(self):
        for cipher in ('ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384',
                       'ECDHE-ECDSA-CHACHA20-POLY1305'):
            self.talk(trust(ssl.TLSVersion.TLSv1_2, cipher))
        self.assert_taken_over(3)

    def test_the_first_answer_may_be_a_file_and_many_may_be_asked_for_at_once(self):
        client = Client(trust())
        for _ in range(3):
            client.send('/files/large')
            client.send('/plaintext')
        for _ in range(3):
            self.assertEqual(client.answer(), (200, CONTENT))
            self.assertEqual(client.answer(), (200, b'Hello, World!'))
        self.assert_taken_over(1)

    def test_the_end_is_announced_behind_all_of_it_to_slow_clients_too(self):
        for receive_bytes in (0, 4096):
            client = Client(trust(), receive_bytes=receive_bytes)
            client.send('/files/large', 'Connection: close')
            time.sleep(0.3)
            self.assertEqual(client.answer(), (200, CONTENT))
            self.assertFalse(client.more(), 'close_notify, not just an end')
        self.assert_taken_over(2)

    def test_sessions_are_resumed_and_handed_over_again(self):
        context = trust()
        first = Client(context)
        self.assertEqual(first.ask('/files/large'), (200, CONTENT))
        again = Client(context, first.secure.session)
        self.assertEqual(again.ask('/files/large'), (200, CONTENT))
        self.assertTrue(again.secure.session_reused)
        self.assert_taken_over(2)

    def test_a_websocket_goes_on_over_the_kernel(self):
        client = Client(trust())
        self.assertEqual(client.ask('/files/large'), (200, CONTENT))
        client.send('/ws', 'Connection: Upgrade', 'Upgrade: websocket',
                    'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==')
        while b'\r\n\r\n' not in client.came and client.more():
            pass
        head, client.came = client.came.split(b'\r\n\r\n', 1)
        self.assertIn(b' 101 ', head)
        for word in (b'a', b'hello' * 20):
            client.secure.sendall(bytes([0x81, 0x80 | len(word), 0, 0, 0, 0]) + word)
            self.assertEqual(client.take(2 + len(word)), bytes([0x81, len(word)]) + word)

    def test_many_clients_at_once(self):
        clients = [Client(trust()) for _ in range(10)]
        for client in clients:
            client.send('/files/large', 'Range: bytes=0-999999')
        for client in clients:
            self.assertEqual(client.answer(), (206, CONTENT[:1_000_000]))
        self.assert_taken_over(10)

    def test_curl_gets_files_over_each_protocol(self):
        for words in (['--http1.1', '--tls-max', '1.2'], ['--http1.1', '--tlsv1.3'], ['--http2']):
            said = subprocess.run(
                ['curl', '-sS', '--max-time', '20', '--cacert', CERTIFICATES / 'one.pem', *words,
                 f'https://localhost:{TLS_PORT}/files/large'], capture_output=True, check=True)
            self.assertEqual(said.stdout, CONTENT, words)

    def update_keys(self, command):
        """A file, new keys of the client, and a second request. Returns what s_client wrote."""
        file = b'GET /files/large HTTP/1.1\r\nHost: a\r\nRange: bytes=0-99999\r\n\r\n'
        small = b'GET /plaintext HTTP/1.1\r\nHost: a\r\n\r\n'
        with subprocess.Popen(
                ['openssl', 's_client', '-connect', f'127.0.0.1:{TLS_PORT}', '-tls1_3', '-CAfile',
                 CERTIFICATES / 'one.pem'], bufsize=0, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as client:
            client.stdin.write(file)
            said = read_until(client.stdout, lambda said: len(said) > 100_000)
            client.stdin.write(command)
            said += read_until(client.stdout, lambda said: b'KEYUPDATE' in said)
            with contextlib.suppress(BrokenPipeError):  # it has been told to go
                client.stdin.write(small)
            said += read_until(client.stdout, lambda said: b'Hello, World!' in said)
            client.kill()
        return said[100_000:]

    def test_new_keys_of_the_client_are_followed(self):
        self.assertIn(b'Hello, World!', self.update_keys(UPDATE_MINE))
        self.assert_taken_over(1)

    def test_a_client_that_wants_new_keys_from_the_kernel_is_told_that_it_cannot(self):
        said = self.update_keys(UPDATE_KEYS)
        self.assertNotIn(b'Hello, World!', said)
        self.assertIn(b'alert internal error', said)
        self.assert_taken_over(1)


class OverEpoll(Checks, unittest.TestCase):
    backend = 'epoll'


class OverUring(Checks, unittest.TestCase):
    backend = 'io_uring'


class Results(unittest.TextTestResult):
    """Tells the host of each test in a line."""

    def tell(self, test, outcome):
        """One line of JSON."""
        print('RESULT', json.dumps({'test': test.id().split('.', 1)[1], 'outcome': outcome}),
              flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.tell(test, 'ok')


def main():
    """Every test; the last line says that none was left out."""
    prepare()
    for module in KERNEL_NEEDS:
        load(module)
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules['__main__'])
    outcome = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=Results).run(suite)
    print('GUEST', 'PASSED' if outcome.wasSuccessful() else 'FAILED', outcome.testsRun, flush=True)


if __name__ == '__main__':
    try:
        main()
    except BaseException:  # pylint: disable=broad-exception-caught
        traceback.print_exc(file=sys.stdout)
    sys.stdout.flush()
    os.sync()
    LIBC.reboot(POWER_OFF)

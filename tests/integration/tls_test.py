"""TLS of the benchmark service with curl, openssl s_client and Python's own client.

Must trust only the certificates created here, and must not leave files.
"""

import http.client
import json
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
import zlib
from pathlib import Path

from support import Program, free_port

PROGRAM = 'arena_eider'
SECONDS_MAX = 20
NEW = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days',
       '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']


def run(*command, given=b''):
    """Returns its output, including errors."""
    return subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, timeout=SECONDS_MAX).stdout.decode(errors='replace')


def make_certificate(folder, name):
    """Creates NAME.pem and NAME.key; the certificate is self-signed."""
    made = subprocess.run(['openssl', *NEW, '-keyout', f'{folder}/{name}.key', '-out',
                           f'{folder}/{name}.pem'], capture_output=True, check=False,
                          timeout=SECONDS_MAX)
    if made.returncode != 0:
        raise AssertionError(made.stderr.decode())


class Secure(unittest.TestCase):
    """A service with one certificate for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix='eider_tls_')
        make_certificate(cls.folder, 'one')
        cls.tls_port = free_port()
        cls.service = Program(PROGRAM, '{port}', '2', '--tls-port', str(cls.tls_port), '--cert',
                              f'{cls.folder}/one.pem', '--key', f'{cls.folder}/one.key')
        cls.service.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.service.__exit__()
        shutil.rmtree(cls.folder)

    def url(self, path='/json'):
        """Returns the URL with TLS."""
        return f'https://localhost:{self.tls_port}{path}'

    def curl(self, *words, path='/json'):
        """Returns the output of curl."""
        return run('curl', '-sS', '--max-time', '15', '--cacert', f'{self.folder}/one.pem', *words,
                   self.url(path))

    def s_client(self, *words, given=b''):
        """Returns the output of s_client."""
        return run('openssl', 's_client', '-connect', f'127.0.0.1:{self.tls_port}', '-CAfile',
                   f'{self.folder}/one.pem', *words, given=given)


class Defaults(Secure):
    def test_curl_is_served_over_each_version_and_protocol(self):
        for words in (['--tls-max', '1.2'], ['--tlsv1.3'], ['--http1.1'], ['--http2'],
                      ['--no-alpn']):
            self.assertIn('Hello, World!', self.curl(*words), words)

    def test_old_versions_are_refused(self):
        for version in ('-tls1', '-tls1_1'):
            said = self.s_client(version, '-cipher', 'ALL:@SECLEVEL=0')
            self.assertIn('alert protocol version', said)
            self.assertIn('Cipher is (NONE)', said)

    def test_suites_without_forward_secrecy_are_refused(self):
        for suite in ('AES128-GCM-SHA256', 'AES256-SHA', 'ECDHE-ECDSA-AES128-SHA',
                      'DHE-RSA-AES128-GCM-SHA256', 'aNULL', 'eNULL'):
            said = self.s_client('-tls1_2', '-cipher', f'{suite}:@SECLEVEL=0')
            self.assertIn('Cipher is (NONE)', said, suite)

    def test_the_servers_choice_of_suites_comes_first(self):
        said = self.s_client('-tls1_2', '-cipher',
                             'ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256')
        self.assertIn('Cipher is ECDHE-ECDSA-AES128-GCM-SHA256', said)

    def test_three_groups_are_agreed_on_and_no_other(self):
        for group, is_accepted in (('X25519', True), ('P-256', True), ('P-384', True),
                                   ('P-521', False), ('X448', False)):
            said = self.s_client('-groups', group)
            self.assertEqual('Cipher is TLS_AES' in said, is_accepted, group)

    def test_nothing_is_compressed_and_no_early_data_taken(self):
        said = self.s_client('-tls1_3', '-ign_eof', given=b'GET /json HTTP/1.0\r\n\r\n')
        self.assertIn('Compression: NONE', said)
        self.assertIn('Max Early Data: 0', said)

    def test_renegotiation_is_refused(self):
        said = self.s_client('-tls1_2', '-legacy_renegotiation', given=b'R\n')
        self.assertIn('Secure Renegotiation IS supported', said)
        self.assertIn('no renegotiation', said)

    def test_a_client_without_our_protocols_is_refused(self):
        self.assertIn('alert no application protocol', self.s_client('-alpn', 'spdy/3'))

    def test_plain_http_is_no_tls_and_the_service_goes_on(self):
        with socket.create_connection(('127.0.0.1', self.tls_port), SECONDS_MAX) as client:
            client.sendall(b'GET /json HTTP/1.1\r\nHost: a\r\n\r\n')
            self.assertNotIn(b'Hello', client.recv(4096))
        self.assertIn('Hello, World!', self.curl())


class Resumption(Secure):
    def resume(self, version):
        """Saves a session, and then resumes it."""
        saved = f'{self.folder}/session'
        ask = b'GET /json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
        self.s_client(version, '-ign_eof', '-sess_out', saved, given=ask)
        return self.s_client(version, '-ign_eof', '-sess_in', saved, given=ask)

    def test_sessions_are_resumed_in_both_versions(self):
        for version in ('-tls1_2', '-tls1_3'):
            said = self.resume(version)
            self.assertIn('Reused, TLSv1', said)
            self.assertIn('Hello, World!', said)

    def test_every_worker_reads_every_ticket(self):
        said = self.s_client('-tls1_2', '-reconnect')
        self.assertEqual(len(re.findall('^Reused', said, re.MULTILINE)), 5, said)


class Data(Secure):
    def test_megabytes_arrive_as_they_left(self):
        body = bytes(range(251)) * 200_000
        sent = Path(self.folder) / 'body'
        sent.write_bytes(body)
        for version in ('1.2', '1.3'):
            told = self.curl('--http1.1', '--tls-max', version, '--data-binary', f'@{sent}',
                             path='/checksum')
            self.assertEqual(json.loads(told), {'bytes': len(body), 'crc32': zlib.crc32(body)})

    def test_megabytes_are_streamed_to_the_client(self):
        for version in ('1.2', '1.3'):
            told = self.curl('--http1.1', '--tls-max', version, '-o', f'{self.folder}/got',
                             path='/stream/50000000')
            self.assertEqual(told, '')
            got = (Path(self.folder) / 'got').read_bytes()
            self.assertEqual(got, b'x' * 50_000_000)

    def test_every_cut_of_the_first_flight_is_served(self):
        trust = ssl.create_default_context(cafile=f'{self.folder}/one.pem')
        for cut in range(1, 300, 23):
            self.assertIn(b'Hello, World!', self.ask_in_pieces(trust, cut), cut)

    def ask_in_pieces(self, trust, cut):
        """Sends one request, with every flight in pieces of `cut` bytes."""
        came, goes = ssl.MemoryBIO(), ssl.MemoryBIO()
        secure = trust.wrap_bio(came, goes, server_hostname='localhost')
        ask = b'GET /json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
        with socket.create_connection(('127.0.0.1', self.tls_port), SECONDS_MAX) as raw:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for step in (secure.do_handshake, lambda: secure.write(ask), lambda: read_all(secure)):
                outcome = drive(raw, came, goes, step, cut)
        return outcome


def read_all(secure):
    """Returns everything until the service's close_notify."""
    answer = b''
    while True:
        piece = secure.read(65536)
        if not piece:
            return answer
        answer += piece
        if b'Hello, World!' in answer:
            return answer


def drive(raw, came, goes, step, cut):
    """Calls `step` until it needs no more data from the socket."""
    while True:
        try:
            outcome, is_done = step(), True
        except ssl.SSLWantReadError:
            outcome, is_done = None, False
        while goes.pending:
            raw.sendall(goes.read(cut))
        if is_done:
            return outcome
        came.write(raw.recv(65536))


class Reload(Secure):
    def serial(self):
        """Returns the certificate for new connections."""
        return ssl.get_server_certificate(('127.0.0.1', self.tls_port), timeout=SECONDS_MAX)

    def exchange(self, name):
        """Replaces the certificate, like a renewal by certbot."""
        make_certificate(self.folder, name)
        for kind in ('key', 'pem'):
            shutil.move(f'{self.folder}/{name}.{kind}', f'{self.folder}/one.{kind}')

    def await_change(self, old):
        """Waits until new connections get another certificate than `old`."""
        deadline = time.monotonic() + SECONDS_MAX
        while self.serial() == old:
            self.assertLess(time.monotonic(), deadline, 'the certificate stays the old one')
            time.sleep(0.1)

    def test_a_new_certificate_is_shown_and_nothing_is_lost_under_load(self):
        load = Load(self.tls_port)
        with load:
            for round_number in range(3):
                old = self.serial()
                self.exchange(f'round{round_number}')
                self.await_change(old)
        self.assertEqual(load.failures, [])
        self.assertGreater(load.answers, 100)
        self.assertGreater(load.connections, 10)

    def test_a_wrong_file_keeps_the_old_certificate(self):
        old = self.serial()
        pem = Path(self.folder) / 'one.pem'
        whole = pem.read_bytes()
        pem.write_bytes(whole[:100])
        try:
            deadline = time.monotonic() + SECONDS_MAX
            while 'stays in use' not in self.service.said():  # new connections trigger the check
                self.assertEqual(self.serial(), old)
                self.assertLess(time.monotonic(), deadline, self.service.said())
                time.sleep(0.1)
            self.assertEqual(self.serial(), old)
        finally:
            pem.write_bytes(whole)


class Load:
    """Persistent and new connections that send requests until the end; counts responses and
    failures."""

    THREADS = 3
    ASKED_PER_CONNECTION = 10

    def __init__(self, port):
        self.port, self.answers, self.connections, self.failures = port, 0, 0, []
        self.is_ending = threading.Event()
        self.threads = [threading.Thread(target=self.work) for _ in range(self.THREADS)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_ending.set()
        for thread in self.threads:
            thread.join(SECONDS_MAX)

    def work(self):
        """Opens connections one after another."""
        trust = ssl.create_default_context()
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
        while not self.is_ending.is_set():
            client = http.client.HTTPSConnection('127.0.0.1', self.port, timeout=SECONDS_MAX,
                                                 context=trust)
            try:
                self.ask(client)
            except (OSError, http.client.HTTPException) as failure:
                self.failures.append(repr(failure))
            finally:
                client.close()

    def ask(self, client):
        """Sends several requests on one connection."""
        self.connections += 1
        for _ in range(self.ASKED_PER_CONNECTION):
            client.request('GET', '/json')
            reply = client.getresponse()
            if reply.status != 200 or b'Hello, World!' not in reply.read():
                self.failures.append(f'answered {reply.status}')
            self.answers += 1


class WithoutACertificate(unittest.TestCase):
    def test_one_is_made_and_said_so(self):
        port = free_port()
        with Program(PROGRAM, '{port}', '1', '--tls-port', str(port)) as service:
            said = run('curl', '-sS', '-k', '--max-time', '15', f'https://localhost:{port}/json')
            self.assertIn('Hello, World!', said)
            self.assertIn('only for development', service.said())
            said = run('curl', '-sS', '--max-time', '15', f'https://localhost:{port}/json')
            self.assertRegex(said, 'self.signed certificate')

    def test_a_missing_file_is_named(self):
        port = free_port()
        with self.assertRaisesRegex(AssertionError, 'none.pem cannot be read'):
            with Program(PROGRAM, '{port}', '1', '--tls-port', str(port), '--cert',
                         '/nowhere/none.pem', '--key', '/nowhere/none.key'):
                self.fail('it must not start')


if __name__ == '__main__':
    unittest.main()

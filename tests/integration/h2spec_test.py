"""h2spec, the conformance tests for HTTP/2, with a port: no test may fail.

Must run only the pinned version, from Go's module proxy.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

import http2_frames as h2
from support import ROOT, Program, free_port

PINNED = Path(__file__).resolve().parent / 'h2spec'  # with libraries that Debian's Go compiles
CASES_MIN = 145
FOLDER = ROOT / 'build/cache/h2spec'
BUILD_SECONDS_MAX = 300
RUN_SECONDS_MAX = 180

# RFC 9113, 3.4 allows a client to start with HTTP/2 only if it knows that the server supports it,
# and this port supports HTTP/1.1, too: bytes other than the preface are HTTP/1.1, and RFC 9112, 3
# requires an error response before the connection is closed. h2spec reads the text of the response
# as the header of a frame and does not see the close. After ALPN has selected h2, there is no such
# ambiguity.
WRONG_ON_PLAIN_PORTS = {'Sends invalid connection preface'}


def h2spec():
    """Returns the program, built once."""
    program = FOLDER / 'h2spec'
    if not program.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name in ('go.mod', 'go.sum'):
            shutil.copy(PINNED / name, FOLDER)
        subprocess.run(['go', 'build', '-o', program, 'github.com/summerwind/h2spec/cmd/h2spec'],
                       cwd=FOLDER, env={**os.environ, 'GOFLAGS': '-mod=mod'},
                       check=True, timeout=BUILD_SECONDS_MAX)
    return program


def run(port, *flags):
    """Returns the names of the cases that passed, and of those that failed with their messages."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / 'report.xml'
        subprocess.run([h2spec(), '--strict', '-h', '127.0.0.1', '-p', str(port), '-j', report,
                        *flags], check=False, timeout=RUN_SECONDS_MAX,
                       stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        cases = list(xml.parse(report).iter('testcase'))
    failed = {case.get('classname'): ''.join(case.itertext()).strip() for case in cases
              if len(case) != 0}
    return {case.get('classname') for case in cases} - set(failed), failed, len(cases)


@unittest.skipUnless(shutil.which('go') or (FOLDER / 'h2spec').exists(), 'go builds h2spec')
class PlainPort(unittest.TestCase):
    """The port for unencrypted HTTP/1.1 and HTTP/2. Subclasses test other ports."""

    arguments = ()
    flags = ()
    excused = WRONG_ON_PLAIN_PORTS

    def target_port(self, server):
        """Returns the port for h2spec."""
        return server.port

    def test_no_case_fails(self):
        """All cases except those shown to be wrong above."""
        with Program('10_http2', '--port', '{port}', '--threads', '1', *self.arguments) as server:
            _, failed, count = run(self.target_port(server), *self.flags)
        self.assertGreaterEqual(count, CASES_MIN)
        self.assertEqual({name: why for name, why in failed.items() if name not in self.excused},
                         {})


class TlsPort(PlainPort):
    """The port on which ALPN has selected HTTP/2, with a certificate for the test."""

    tls_port = free_port()
    arguments = ('--tls-port', str(tls_port))
    flags = ('--tls', '--insecure')
    excused = frozenset()

    def target_port(self, server):
        return self.tls_port


class InvalidPreface(unittest.TestCase):
    """The replacement for the excluded case."""

    def test_is_answered_by_an_error_and_the_end(self):
        """The response has the only version that such a client may use."""
        with Program('10_http2', '--port', '{port}', '--threads', '1') as server:
            client = h2.Client(server.port, opening=b'INVALID CONNECTION PREFACE\r\n\r\n')
            answer = b''
            while data := client.socket.recv(65536):
                answer += data
            client.socket.close()
        self.assertRegex(answer, rb'^HTTP/1\.1 (400|501) ')


if __name__ == '__main__':
    unittest.main()

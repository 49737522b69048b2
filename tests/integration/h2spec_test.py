"""h2spec, the conformance tests for HTTP/2, against a port: nothing may fail.

Must not run another version than the pinned one, which Go's proxy has.
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

# RFC 9113, 3.4 lets a client begin with HTTP/2 only when it knows that the server speaks it, and
# this port speaks HTTP/1.1 too: bytes that are not the preface are HTTP/1.1, and RFC 9112, 3 has
# them answered with an error before the connection is closed. h2spec takes the answer's text for a
# frame's head and does not see the close. Where ALPN has agreed on h2 there is no such doubt.
WRONG_ON_PLAIN_PORTS = {'Sends invalid connection preface'}


def h2spec():
    """The program, built once."""
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
    """The names of the cases that passed, and of those that did not with what was said."""
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
    """The port that speaks HTTP/1.1 and HTTP/2 in the clear. Subclasses: other kinds of ports."""

    arguments = ()
    flags = ()
    excused = WRONG_ON_PLAIN_PORTS

    def target_port(self, server):
        """Where h2spec connects."""
        return server.port

    def test_no_case_fails(self):
        """All but those that are shown to be wrong above."""
        with Program('10_http2', '--port', '{port}', '--threads', '1', *self.arguments) as server:
            _, failed, count = run(self.target_port(server), *self.flags)
        self.assertGreaterEqual(count, CASES_MIN)
        self.assertEqual({name: why for name, why in failed.items() if name not in self.excused},
                         {})


class TlsPort(PlainPort):
    """The port where ALPN has agreed on HTTP/2, with a certificate made for the test."""

    tls_port = free_port()
    arguments = ('--tls-port', str(tls_port))
    flags = ('--tls', '--insecure')
    excused = frozenset()

    def target_port(self, server):
        return self.tls_port


class InvalidPreface(unittest.TestCase):
    """What stands in for the case that is excused."""

    def test_is_answered_by_an_error_and_the_end(self):
        """In the only version that such a client may speak."""
        with Program('10_http2', '--port', '{port}', '--threads', '1') as server:
            client = h2.Client(server.port, opening=b'INVALID CONNECTION PREFACE\r\n\r\n')
            answer = b''
            while data := client.socket.recv(65536):
                answer += data
            client.socket.close()
        self.assertRegex(answer, rb'^HTTP/1\.1 (400|501) ')


if __name__ == '__main__':
    unittest.main()

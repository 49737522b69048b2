"""Starts a built program on a free port and communicates with it, for the tests in this folder.

Must not leave a program running, and must not wait without a limit.
"""

import contextlib
import fcntl
import html
import http.client
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BIN = Path(os.environ.get('EIDER_BIN', ROOT / 'build/release/bin'))
START_SECONDS_MAX = 60
PORTS = range(20000, 32000)
STOP_SECONDS_MAX = 60
ANSWER_SECONDS_MAX = 60
NPM_SECONDS_MAX = 120


def project_version():
    """Returns the version of the tree."""
    text = (ROOT / 'CMakeLists.txt').read_text()
    return re.search(r'project\(eider VERSION (\S+)', text)[1]


def free_port():
    """Returns a port on which no program listens, and which no other test gets for a long time.

    The kernel does not use these ports for outgoing connections, so the port stays free until it is
    used, also across restarts of a program.
    """
    with open(Path(tempfile.gettempdir(), f'eider-test-port-{os.getuid()}'), 'a+',
              encoding='ascii') as last:
        fcntl.flock(last, fcntl.LOCK_EX)
        last.seek(0)
        port = int(last.read() or PORTS[0])
        while True:
            port = port + 1 if port + 1 in PORTS else PORTS[0]
            with socket.socket() as probe, contextlib.suppress(OSError):
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(('127.0.0.1', port))
                last.truncate(0)
                last.write(str(port))
                return port


def open_files_max():
    """Raises the limit of this process (its children inherit it) and returns it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 20000 if hard == resource.RLIM_INFINITY else min(hard, 20000)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


class Program:
    """A running program; {port} in its arguments becomes its port. Use as a context manager."""

    def __init__(self, name, *arguments, environment=None):
        self.port = free_port()
        self.command = [str(BIN / name), *(word.format(port=self.port) for word in arguments)]
        self.environment = {**os.environ, **(environment or {})}
        self.errors = tempfile.TemporaryFile()
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen(self.command, env=self.environment,
                                        stdin=subprocess.DEVNULL, stdout=self.errors,
                                        stderr=self.errors)
        try:
            self._await_listening()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.errors.close()

    def _await_listening(self):
        deadline = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(f'{self.command} ended: {self.said()}')
            try:
                self.connect().close()
                return
            except OSError:
                time.sleep(0.01)
        raise AssertionError(f'{self.command} does not listen: {self.said()}')

    def await_serving(self):
        """Waits until it reports that it serves: on all of its addresses."""
        deadline = time.monotonic() + START_SECONDS_MAX
        while 'Eider serves on ' not in self.said():
            if time.monotonic() > deadline:
                raise AssertionError(f'{self.command} does not serve: {self.said()}')
            time.sleep(0.01)

    def said(self):
        """Returns its output so far."""
        # Without a seek: the program writes at the same offset, and would overwrite its output.
        file = self.errors.fileno()
        return os.pread(file, os.fstat(file).st_size, 0).decode(errors='replace')

    def connect(self):
        """Returns a new connection."""
        return socket.create_connection(('127.0.0.1', self.port), timeout=ANSWER_SECONDS_MAX)

    def ask(self, method, path, body=None, headers=None):
        """Sends one request on a new connection; returns (status, headers, body)."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=ANSWER_SECONDS_MAX)
        try:
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            return reply.status, dict(reply.getheaders()), reply.read()
        finally:
            connection.close()

    def stop(self, how=signal.SIGTERM):
        """Sends the signal and returns the exit status."""
        self.process.send_signal(how)
        return self.process.wait(STOP_SECONDS_MAX)


def run_to_end(name, *arguments, environment=None):
    """Returns exit status and output of a program that must end by itself."""
    ended = subprocess.run([BIN / name, *arguments], env={**os.environ, **(environment or {})},
                           stdin=subprocess.DEVNULL, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                           timeout=STOP_SECONDS_MAX)
    return ended.returncode, ended.stdout


def make_environment(name):
    """Returns the directory of a virtual environment with the packages pinned in
    NAME_requirements.txt; created once."""
    directory = ROOT / f'build/{name}-venv'
    requirements = Path(__file__).with_name(f'{name}_requirements.txt')
    wanted = requirements.read_text()
    marker = directory / 'requirements.txt'
    if not marker.exists() or marker.read_text() != wanted:
        venv.create(directory, with_pip=True, clear=True)
        subprocess.run([directory / 'bin/python3', '-m', 'pip', 'install', '-q',
                        '--disable-pip-version-check', '-r', requirements], check=True)
        marker.write_text(wanted)
    return directory


def make_packages(given, name):
    """Returns build/NAME with the packages of GIVEN/package-lock.json; created once, without
    running their scripts."""
    directory = ROOT / 'build' / name
    marker = directory / 'node_modules/package-lock.json'
    wanted = (given / 'package-lock.json').read_text()
    if not marker.exists() or marker.read_text() != wanted:
        directory.mkdir(parents=True, exist_ok=True)
        for file in ('package.json', 'package-lock.json'):
            shutil.copy(given / file, directory)
        ended = subprocess.run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'],
                               cwd=directory, text=True, check=False, timeout=NPM_SECONDS_MAX,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
        if ended.returncode != 0:
            raise AssertionError(f'npm ci ended with {ended.returncode}:\n{ended.stdout}')
        marker.write_text(wanted)
    return directory


def receive_until(connection, end):
    """Returns all bytes up to and including `end`."""
    received = b''
    while not received.endswith(end):
        data = connection.recv(65536)
        if not data:
            raise AssertionError(f'the connection ended after {received[-200:]!r}')
        received += data
    return received


def token_of(program, path='/'):
    """Returns the values that a form on that page requires: the pair of the hidden field, the
    cookies."""
    _, headers, page = program.ask('GET', path)
    field = re.search(r'name="([^"]+)" value="([^"]+)"', page.decode())
    return {field[1]: html.unescape(field[2])}, {'Cookie': headers['Set-Cookie'].split(';')[0]}


class NotesCase(unittest.TestCase):
    """Tests of the notes service, each with its own database."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.database = Path(directory.name) / 'notes.db'

    def start(self):
        """Returns the service with this test's database."""
        return Program('notes', '--port', '{port}', '--threads', '2',
                       environment={'NOTES_DATABASE_FILE': str(self.database)})

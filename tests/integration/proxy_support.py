"""Upstreams with scripted behavior, and clients that see every byte, for proxy_*_test.py.

Must not wait without a limit.
"""

import contextlib
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time

from support import ANSWER_SECONDS_MAX, Program, free_port

SECONDS_MAX = ANSWER_SECONDS_MAX
OK = b'HTTP/1.1 200 OK\r\n'


class Listening:
    """A server on a free port, with a thread for each connection, which calls `_serve`."""

    def __init__(self, port=0):
        self.listener = socket.create_server(('127.0.0.1', port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def url(self, path=''):
        """Returns its URL."""
        return f'http://127.0.0.1:{self.port}{path}'

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()


class Scripted(Listening):
    """A server that calls `script(connection, head, rest)` for the headers of each request.

    The connection ends when the script returns a true value, or its client disconnects.
    """

    def __init__(self, script, port=0):
        self.script = script
        self.heads = []
        super().__init__(port)

    def _serve(self, connection):
        with contextlib.suppress(OSError, ValueError), connection:
            connection.settimeout(SECONDS_MAX)
            data = b''
            while part := connection.recv(65536):
                data += part
                while b'\r\n\r\n' in data:
                    head, data = data.split(b'\r\n\r\n', 1)
                    self.heads.append(head + b'\r\n\r\n')
                    if self.script(connection, head + b'\r\n\r\n', data):
                        return
                    if b'Content-Length: 0' not in head and b'Content-Length' in head:
                        data = b''


def answering(answer):
    """Returns a server that responds to each request with these bytes."""
    def script(connection, _head, _rest):
        connection.sendall(answer)
    return Scripted(script)


def proxy(*urls, arguments=(), threads=2, **settings):
    """Returns the proxy example in front of these upstreams."""
    return Program('11_proxy', '--port', '{port}', '--threads', str(threads), *arguments,
                   environment={f'PROXY_{name}': value for name, value in
                                {'UPSTREAMS': ','.join(urls), **settings}.items()})


def read_all(connection, seconds=SECONDS_MAX):
    """Returns (bytes up to the end of the connection, how it ended: 'end', 'reset' or 'open')."""
    connection.settimeout(seconds)
    told = b''
    try:
        while part := connection.recv(65536):
            told += part
    except ConnectionResetError:
        return told, 'reset'
    except socket.timeout:
        return told, 'open'
    return told, 'end'


def ask(program, request, seconds=SECONDS_MAX):
    """Returns all bytes until the connection ends."""
    with program.connect() as connection:
        connection.sendall(request)
        return read_all(connection, seconds)[0]


def wait_for(condition, seconds=SECONDS_MAX):
    """Returns whether the function returns true within the timeout."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


class SecureProxy:
    """The example with TLS and HTTP/2 in front of its upstreams; use as a context manager."""

    def __init__(self, *urls, **settings):
        self.tls_port = free_port()
        self.program = proxy(*urls, arguments=('--tls-port', str(self.tls_port)), **settings)

    def __enter__(self):
        self.program.__enter__()
        return self

    def __exit__(self, *_):
        self.program.__exit__()

    def url(self, path='/'):
        """Returns the URL with TLS."""
        return f'https://127.0.0.1:{self.tls_port}{path}'

    def curl(self, *words, path='/', given=b'', version='--http2'):
        """Returns the output of curl, and its exit status."""
        ended = subprocess.run(['curl', '-sS', '-k', version, '--max-time', '60', *words,
                                self.url(path)], input=given, capture_output=True, check=False,
                               timeout=SECONDS_MAX + 60)
        return ended.stdout, ended.returncode

    def connect(self, protocols=('http/1.1',)):
        """Returns a TLS connection to it."""
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols(list(protocols))
        plain = socket.create_connection(('127.0.0.1', self.tls_port), timeout=SECONDS_MAX)
        return context.wrap_socket(plain)


NGINX = shutil.which('nginx') or '/usr/sbin/nginx'


@contextlib.contextmanager
def nginx(server):
    """Runs nginx with one server block; yields its port and its folder, which contains
    access.log."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        with open(f'{folder}/nginx.conf', 'w', encoding='utf-8') as file:
            file.write(nginx_settings(folder, port, server))
        with subprocess.Popen([NGINX, '-p', folder, '-e', 'stderr', '-c', f'{folder}/nginx.conf'],
                              stdin=subprocess.DEVNULL) as process:
            try:
                if not wait_for(lambda: listens(port)):
                    raise AssertionError('nginx does not listen')
                yield port, folder
            finally:
                process.terminate()


def nginx_settings(folder, port, server):
    """Returns a configuration with one process and no files outside of the folder."""
    folders = ' '.join(f'{name}_temp_path {folder}/{name};' for name in
                       ('client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'))
    return f'''daemon off; master_process off; pid {folder}/pid; error_log stderr crit;
        events {{ }}
        http {{ access_log {folder}/access.log; {folders}
          server {{ listen 127.0.0.1:{port}; {server.replace('FOLDER', folder)} }} }}'''


def listens(port):
    """Returns whether a server listens."""
    with contextlib.suppress(OSError):
        socket.create_connection(('127.0.0.1', port), timeout=1).close()
        return True
    return False


def resident_kib(process):
    """Returns its peak memory."""
    with open(f'/proc/{process.pid}/status', encoding='ascii') as file:
        return int(next(line for line in file if line.startswith('VmHWM')).split()[1])


def has_nginx():
    """Returns whether nginx is installed."""
    return os.path.exists(NGINX)

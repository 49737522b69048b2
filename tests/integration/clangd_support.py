"""A client of clangd, like an editor: it opens files and collects their diagnostics."""

import json
import os
import subprocess
import tempfile
import urllib.parse
from pathlib import Path


class Clangd:
    """A running clangd 19 in a folder. Use as a context manager.

    The folder's `.clangd` applies. The index of the standard library, which only completion uses,
    is disabled: creating it takes as long as the diagnostics of a file.
    """

    def __init__(self, folder):
        self.config = tempfile.TemporaryDirectory()
        config = Path(self.config.name, 'clangd/config.yaml')
        config.parent.mkdir()
        config.write_text('Index:\n  StandardLibrary: No\n', encoding='utf-8')
        self.process = subprocess.Popen(
            ['clangd-19', '--background-index=false', '--log=error'], cwd=folder,
            env={**os.environ, 'XDG_CONFIG_HOME': self.config.name},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._send('initialize', {'processId': None, 'rootUri': folder.as_uri(),
                                  'capabilities': {}}, id=1)
        while self._receive().get('id') != 1:
            pass
        self._send('initialized', {})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.config.cleanup()

    def diagnostics(self, file):
        """Opens a file and returns its diagnostics as texts."""
        self._send('textDocument/didOpen', {'textDocument': {
            'uri': file.as_uri(), 'languageId': 'cpp', 'version': 1, 'text': file.read_text()}})
        while True:
            heard = self._receive()
            if heard.get('method') == 'textDocument/publishDiagnostics':
                opened = urllib.parse.urlparse(heard['params']['uri']).path
                if Path(urllib.parse.unquote(opened)) == file:
                    return [f'{file.name}:{one["range"]["start"]["line"] + 1}: {one["message"]}'
                            for one in heard['params']['diagnostics']]

    def _send(self, method, params, **more):
        body = json.dumps({'jsonrpc': '2.0', 'method': method, 'params': params, **more}).encode()
        self.process.stdin.write(b'Content-Length: %d\r\n\r\n%b' % (len(body), body))
        self.process.stdin.flush()

    def _receive(self):
        size = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b':')
            if name.lower() == b'content-length':
                size = int(value)
        if size == 0:
            raise AssertionError('clangd has ended')
        return json.loads(self.process.stdout.read(size))

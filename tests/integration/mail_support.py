"""Starts mail_server.py for the scripts in this folder, and reads the mails that it received.

Must not wait without a limit.
"""

import base64
import email
import email.policy
import json
import subprocess
import time
from pathlib import Path

from support import free_port, make_environment

SECONDS_MAX = 20


def make_certificate(directory):
    """Returns a self-signed certificate for this machine's names, and its key."""
    certificate, key = directory / 'certificate.pem', directory / 'key.pem'
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2',
                    '-subj', '/CN=localhost', '-addext',
                    'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out',
                    certificate], check=True, stderr=subprocess.DEVNULL)
    return certificate, key


class MailServer:
    """A running server. Use as a context manager."""

    def __init__(self, port=None, **wish):
        self.port = port or free_port()
        python = make_environment('mail') / 'bin/python3'
        wish = {name: str(value) if isinstance(value, Path) else value
                for name, value in wish.items()}
        self.process = subprocess.Popen(
            [python, '-B', Path(__file__).with_name('mail_server.py'),
             json.dumps({'port': self.port, **wish})],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._read()

    def _read(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError('the mail server has ended')
        return json.loads(line)

    def ask(self, **what):
        """Returns its state: mails, connections, started mails."""
        self.process.stdin.write(json.dumps(what) + '\n')
        self.process.stdin.flush()
        return self._read()

    def be(self, manner):
        """Sets the behavior from now on."""
        self.ask(manner=manner)

    def mails(self):
        """Returns the accepted mails."""
        return self.ask()['mails']

    def await_mails(self, count):
        """Waits for this number of mails, and returns them."""
        return until(lambda: (mails := self.mails()) and len(mails) >= count and mails,
                     f'{count} mails')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def until(question, what, seconds=SECONDS_MAX):
    """Calls the function until its result is true, and returns that."""
    deadline = time.monotonic() + seconds
    while not (answer := question()):
        if time.monotonic() > deadline:
            raise AssertionError(f'waited in vain for {what}')
        time.sleep(0.05)
    return answer


def read(mail):
    """Returns the message as parsed by Python's email, which must report no defects."""
    message = email.message_from_bytes(base64.b64decode(mail['content']),
                                       policy=email.policy.default)
    for part in message.walk():
        assert not part.defects, part.defects
    return message

"""Keys and settings for `ssh shop.test` to an sshd that a test has started.

Must not read or write files of the user: each call names files of a folder.
"""

import shutil
import subprocess
import time

SSHD = shutil.which('sshd', path='/usr/sbin:/usr/bin')
SECONDS_MAX = 30


class SshFiles:
    """The files of both ends. `key.config` is accepted, `wrong.config` is not.

    listen  address of the future sshd; it may not exist yet
    """

    def __init__(self, place, address, port, listen=None):
        self.place = place
        self.address = address
        self.port = port
        for name in ('host', 'key', 'wrong'):
            subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', place / name],
                           check=True, timeout=60)
        shutil.copy(place / 'key.pub', place / 'authorized')
        (place / 'tools').mkdir()
        (place / 'sshd_config').write_text(
            f'ListenAddress {listen or address}\nPort {port}\nHostKey {place}/host\n'
            f'AuthorizedKeysFile {place}/authorized\nStrictModes no\nUsePAM no\n'
            f'PasswordAuthentication no\nPidFile none\nLogLevel ERROR\n'
            f'SetEnv PATH={place}/tools:/usr/bin:/bin\n')
        kind, key, _ = (place / 'host.pub').read_text().split()
        (place / 'known').write_text(f'[{address}]:{port} {kind} {key}\n'
                                     f'{address} {kind} {key}\n')
        for name in ('key', 'wrong'):
            self.write_config(name, port, name)

    def write_config(self, name, port, key):
        (self.place / f'{name}.config').write_text(
            f'Host shop.test\nHostName {self.address}\nPort {port}\nIdentitiesOnly yes\n'
            f'IdentityFile {self.place}/{key}\nUserKnownHostsFile {self.place}/known\n'
            'GlobalKnownHostsFile /dev/null\n')

    @property
    def command(self):
        return [SSHD, '-D', '-e', '-f', str(self.place / 'sshd_config')]

    def wait_for(self, process):
        """Waits until that sshd responds."""
        deadline = time.monotonic() + SECONDS_MAX
        while process.poll() is None and time.monotonic() < deadline:
            scan = subprocess.run(['ssh-keyscan', '-p', str(self.port), self.address], check=False,
                                  capture_output=True, timeout=60)
            if scan.stdout:
                return
            time.sleep(0.02)
        raise AssertionError('sshd does not answer')

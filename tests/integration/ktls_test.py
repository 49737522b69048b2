"""Files that the kernel encrypts: the service under a kernel that knows TLS, in one process.

The kernel is Debian's User Mode Linux: it sees the machine's files and may write
none. Must not need privileges, nor a kernel module of the machine.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import BIN
from tls_test import make_certificate

KERNEL = shutil.which('linux.uml')
MODULES = sorted(Path('/usr/lib/uml/modules').glob('*/modules.dep'))
SECONDS_MAX = 200  # some 20 on cores that are not shared
TESTS_MIN = 24
TAIL_BYTES = 6000


def boot(folder, command):
    """What a kernel's first process wrote until it switched the machine off."""
    first = Path(folder) / 'first'
    first.write_text(f'#!/bin/sh\nexec {command}\n')
    first.chmod(0o755)
    with subprocess.Popen(
            [KERNEL, 'mem=512M', 'root=/dev/root', 'rootfstype=hostfs', 'rootflags=/', 'ro',
             'quiet', 'con=null', 'con0=null,fd:1', f'umid={Path(folder).name}',
             f'uml_dir={folder}', f'init={first}'],
            env={**os.environ, 'TMPDIR': folder}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as machine:
        try:
            return machine.communicate(timeout=SECONDS_MAX)[0].decode(errors='replace')
        except subprocess.TimeoutExpired:
            os.killpg(machine.pid, signal.SIGKILL)  # its processes are processes here
            return machine.communicate()[0].decode(errors='replace') + '\nit did not end in time'


@unittest.skipUnless(KERNEL and MODULES, 'User Mode Linux is not installed (user-mode-linux)')
class UnderAKernelWithTls(unittest.TestCase):
    def test_every_answer_is_right_and_the_kernel_has_encrypted_it(self):
        with tempfile.TemporaryDirectory(prefix='eider_ktls_') as folder:
            make_certificate(folder, 'one')
            guest = Path(__file__).with_name('ktls_guest.py')
            said = boot(folder, f'{sys.executable} -B {guest} {BIN.resolve()} {MODULES[-1].parent}'
                                f' {folder}')
        self.assertIn('GUEST PASSED', said, said[-TAIL_BYTES:])
        self.assertGreaterEqual(int(said.split('GUEST PASSED')[1].split()[0]), TESTS_MIN)


if __name__ == '__main__':
    unittest.main()

"""Machines of a test run: this process in its own network, and programs in others next to it.

Must leave nothing behind: no namespace has a name, so each one ends with its last process.
"""

import ctypes
import os
import shutil
import subprocess
import time
import unittest
from pathlib import Path

from support import BIN

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
SECONDS_MAX = 10
PATH = os.environ.get('PATH', '') + ':/usr/sbin:/sbin'


def run(*command):
    """Runs a command, which must succeed."""
    ended = subprocess.run([shutil.which(command[0], path=PATH), *command[1:]], text=True,
                           timeout=SECONDS_MAX, stdout=subprocess.PIPE, check=False,
                           stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    if ended.returncode != 0:
        raise AssertionError(f'{" ".join(map(str, command))}: {ended.stdout}')


def enter_own_network():
    """Moves this process and its children to their own network; raises SkipTest with the reason if
    that is not possible. Call it once, before any thread is started."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWNET) != 0:
        if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
            raise unittest.SkipTest('no network namespaces can be made here: '
                                    f'{os.strerror(ctypes.get_errno())} (run as root, or allow '
                                    'unprivileged user namespaces)')
        Path('/proc/self/setgroups').write_text('deny')
        Path('/proc/self/uid_map').write_text(f'0 {user} 1')
        Path('/proc/self/gid_map').write_text(f'0 {group} 1')
    run('ip', 'link', 'set', 'lo', 'up')


class Machine:
    """A program in its own network, with one cable to this one. Use as a context manager.

    address  its own; `gateway` is that of this end
    """

    def __init__(self, number, program, *arguments, environment=None):
        self.cable = f'to{number}'
        self.gateway = f'10.77.{number}.1'
        self.address = f'10.77.{number}.2'
        self.command = ['unshare', '--net', str(BIN / program), *arguments]
        self.environment = {**os.environ, **(environment or {})}
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen(self.command, env=self.environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        try:
            self._connect()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def _connect(self):
        own, its = (f'/proc/{pid}/ns/net' for pid in ('self', self.process.pid))
        deadline = time.monotonic() + SECONDS_MAX
        while os.readlink(own) == os.readlink(its):
            if time.monotonic() > deadline:
                raise AssertionError(f'{self.command} has no network of its own')
            time.sleep(0.01)
        run('ip', 'link', 'add', self.cable, 'type', 'veth', 'peer', 'name', 'cable', 'netns',
            str(self.process.pid))
        run('ip', 'addr', 'add', f'{self.gateway}/30', 'dev', self.cable)
        run('ip', 'link', 'set', self.cable, 'up')
        within = ('nsenter', '--net', '-t', str(self.process.pid), 'ip')
        run(*within, 'addr', 'add', f'{self.address}/30', 'dev', 'cable')
        run(*within, 'link', 'set', 'cable', 'up')

    def cut(self):
        """Drops everything from now on, silently."""
        run('ip', 'link', 'set', self.cable, 'down')

    def mend(self):
        """Restores the connection."""
        run('ip', 'link', 'set', self.cable, 'up')

"""Starts a contestant on its own cores, watches it and ends it cleanly.

Must not know its requests: they belong to workloads and experiments.
"""

import ctypes
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

from load import process

START_SECONDS_MAX = 20
STOP_SECONDS_MAX = 15
_TOLD_CHARACTERS_MAX = 300
_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


class ServerFailed(Exception):
    """The contestant did not start, crashed, or did not exit cleanly."""


@dataclass(frozen=True)
class Manners:
    """How a program is started and ended.

    environment    additional variables
    folder         working directory; None: the current one
    ends_with      signal for a clean exit
    is_exit_clean  whether status 0 is expected after it
    reloads_with   signal after which it reads its certificate again; empty: it needs none
    """
    environment: dict = field(default_factory=dict)
    folder: object = None
    ends_with: str = "SIGTERM"
    is_exit_clean: bool = True
    reloads_with: str = ""


class Server:
    """One running contestant. Use as a context manager."""

    def __init__(self, name, command, port, cores, manners=Manners()):
        self.name, self.command, self.port, self.cores = name, command, port, cores
        self.manners, self.process = manners, None
        self._told = None

    def __enter__(self):
        self._told = tempfile.TemporaryFile()
        try:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=self._told, start_new_session=True, cwd=self.manners.folder,
                env={**os.environ, **self.manners.environment},
                preexec_fn=self._settle)
        except OSError as failure:
            self._told.close()
            raise ServerFailed(f"cannot be started: {failure}") from None
        try:
            self._await_listening()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _settle(self):
        """Runs in the child: sets its cores, and ends it if the arena is killed."""
        os.sched_setaffinity(0, self.cores)
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def __exit__(self, *_):
        self.kill()
        self.process.wait()
        self._told.close()

    def kill(self):
        """Kills it and its children, even if it has ended itself."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def told(self):
        """Returns the end of its standard error."""
        self._told.seek(0)
        text = self._told.read().decode(errors="replace").strip()
        return text[-_TOLD_CHARACTERS_MAX:]

    def ensure_alive(self, seconds=0):
        """Raises ServerFailed if the process has ended, or ends within this time."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return
        else:
            raise ServerFailed(f"the server ended in the middle ({self._ending()})")

    def _ending(self):
        status = self.process.returncode
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
        return f"{how}: {self.told()}" if self.told() else how

    def stop(self):
        """Sends its signal; raises ServerFailed unless it exits in time, as its Manners require."""
        self.ensure_alive()
        self.process.send_signal(getattr(signal, self.manners.ends_with))
        try:
            status = self.process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            raise ServerFailed(f"did not leave within {STOP_SECONDS_MAX} s of "
                               f"{self.manners.ends_with}") from None
        if status != 0 and self.manners.is_exit_clean:
            raise ServerFailed(f"left with {self._ending()} after {self.manners.ends_with}")

    def reload(self):
        """Sends the signal after which it reads its certificate again, if it needs one."""
        if self.manners.reloads_with:
            self.process.send_signal(getattr(signal, self.manners.reloads_with))

    def _await_listening(self):
        deadline = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise ServerFailed(f"ended at once with {self._ending()}")
            if process.is_listening(self.process.pid, self.port):
                return
            time.sleep(0.01)
        raise ServerFailed(f"does not listen on port {self.port} after {START_SECONDS_MAX} s")

    def cpu_ns(self):
        """Returns (time on a core, time waiting for one) of the process tree, in nanoseconds."""
        return process.cpu_ns(self.process.pid)

    def memory_bytes(self):
        """Returns {"rss": …, "pss": …} of the whole process tree."""
        return process.memory_bytes(self.process.pid)

    def sockets(self):
        """Returns the number of open sockets of each process of the tree."""
        return process.socket_counts(self.process.pid)

"""Starts a contestant on its own cores and says what it costs: exact CPU time, memory, its end.

Must not know what is asked of it: that is wrk.py and workloads.py.
"""

import os
import signal
import socket
import subprocess
import time

START_SECONDS_MAX = 10
STOP_SECONDS_MAX = 15


class ServerFailed(Exception):
    """The contestant did not start, died, or did not leave cleanly."""


def process_tree(pid):
    """pid and all its descendants."""
    found, queue = [], [pid]
    while queue:
        current = queue.pop()
        found.append(current)
        for task in _listdir(f"/proc/{current}/task"):
            children = _read(f"/proc/{current}/task/{task}/children")
            queue.extend(int(child) for child in children.split())
    return found


def _listdir(path):
    try:
        return os.listdir(path)
    except OSError:
        return []


def _read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except OSError:
        return ""


class Server:
    """One running contestant. Use as a context manager."""

    def __init__(self, name, command, port, cores):
        self.name, self.command, self.port, self.cores = name, command, port, cores
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=lambda: os.sched_setaffinity(0, self.cores))
        try:
            self._await_listening()
        except BaseException:
            self.process.kill()
            raise
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def stop(self):
        """SIGTERM; raises ServerFailed unless it leaves with status 0 in time."""
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            raise ServerFailed(f"did not leave within {STOP_SECONDS_MAX} s of SIGTERM") from None
        if status != 0:
            raise ServerFailed(f"left with status {status} after SIGTERM")

    def _await_listening(self):
        deadline = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                told = self.process.stderr.read().decode(errors="replace").strip()
                raise ServerFailed(f"ended at once with status {self.process.returncode}: {told}")
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.01)
        raise ServerFailed(f"does not listen on port {self.port}")

    def cpu_ns(self):
        """(time on a core, time spent waiting for one) of the process tree, in nanoseconds."""
        ran = waited = 0
        for pid in process_tree(self.process.pid):
            for task in _listdir(f"/proc/{pid}/task"):
                fields = _read(f"/proc/{pid}/task/{task}/schedstat").split()
                if fields:
                    ran += int(fields[0])
                    waited += int(fields[1])
        return ran, waited

    def memory_bytes(self):
        """{"rss": …, "pss": …} of the whole process tree."""
        total = {"rss": 0, "pss": 0}
        for pid in process_tree(self.process.pid):
            for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
                key, _, value = line.partition(":")
                if key.lower() in total:
                    total[key.lower()] += int(value.split()[0]) * 1024
        return total

"""Two network namespaces with a delay of 26 ms in each direction: experiment 2's "across a VPN".

Must not route anywhere else: the namespaces have only loopback and this connection.
"""

import contextlib
import itertools
import json
import os
import select
import signal
import subprocess
import time
from pathlib import Path

from network import namespaces
from network.namespaces import NetworkFailed

_ROOT = Path(__file__).resolve().parents[2]
_DEVICE = "vpn0"
_CLIENT_ADDRESS = "10.208.52.1"
_SERVER_ADDRESS = "10.208.52.2"
_QUEUE_PACKETS = 10000
_START_SECONDS_MAX = 5
_STOP_SECONDS_MAX = 5
_LISTEN_SECONDS_MAX = 10
_LISTENING = "0A"  # TCP_LISTEN in /proc/net/tcp
_numbers = itertools.count(1)


def bridge_program():
    """Returns the path of the bridge; raises NetworkFailed with the build command if missing."""
    directory = os.environ.get("EIDER_BIN") or _ROOT / "build/release/bin"
    program = Path(directory) / "delay_bridge"
    if not os.access(program, os.X_OK):
        raise NetworkFailed(f"{program} is not built: cmake --preset release && "
                            "cmake --build build/release --target delay_bridge")
    return program


class Vpn:
    """Use as a context manager, from a thread that outlives it: the bridge ends with its thread.

    server_namespace, client_namespace  their names
    server_address                      address of the server for the client
    carried                             after the end: the bridge's report of its traffic
    """

    def __init__(self, delay_ms=26):
        number = next(_numbers)
        self.delay_ms = delay_ms
        self.server_namespace = namespaces.name_of("server", number)
        self.client_namespace = namespaces.name_of("client", number)
        self.server_address = _SERVER_ADDRESS
        self.carried = {}
        self._bridge = None

    def __enter__(self):
        impossible = namespaces.why_impossible()
        if impossible:
            raise NetworkFailed(impossible)
        program = bridge_program()
        namespaces.remove_leftovers()
        try:
            for name in (self.server_namespace, self.client_namespace):
                namespaces.ip("netns", "add", name)
            self._start_bridge(program)
            self._configure(self.client_namespace, _CLIENT_ADDRESS, _SERVER_ADDRESS)
            self._configure(self.server_namespace, _SERVER_ADDRESS, _CLIENT_ADDRESS)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_):
        self._remove()

    @staticmethod
    def command(namespace, argv):
        """Returns the command line that runs `argv` in the namespace, with the same pid."""
        return [namespaces.ip_program(), "netns", "exec", namespace, *(str(a) for a in argv)]

    def await_listening(self, port, seconds_max=_LISTEN_SECONDS_MAX):
        """Waits until a socket listens on this port of the server's side; raises NetworkFailed.

        Reads the kernel's table, so that the server gets no connection.
        """
        deadline = time.monotonic() + seconds_max
        while time.monotonic() < deadline:
            if port in self._listening_ports():
                return
            time.sleep(0.02)
        raise NetworkFailed(f"no program listens on port {port} of the VPN's server side "
                            f"after {seconds_max} s")

    def _listening_ports(self):
        ports = set()
        command = self.command(self.server_namespace, ["cat", "/proc/net/tcp", "/proc/net/tcp6"])
        told = subprocess.run(command, capture_output=True, text=True, check=False,
                              timeout=_LISTEN_SECONDS_MAX).stdout
        for line in told.splitlines():
            fields = line.split()
            if len(fields) > 3 and fields[3] == _LISTENING:
                ports.add(int(fields[1].rpartition(":")[2], 16))
        return ports

    def _start_bridge(self, program):
        self._bridge = subprocess.Popen(
            [program, self.client_namespace, self.server_namespace, _DEVICE,
             str(round(self.delay_ms * 1000))],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True)  # after Ctrl-C, the loads end before it
        ready, _, _ = select.select([self._bridge.stdout], [], [], _START_SECONDS_MAX)
        line = self._bridge.stdout.readline() if ready else ""
        if line.strip() != "ready":
            self._bridge.kill()
            told = self._bridge.communicate()[1].strip()
            self._bridge = None
            raise NetworkFailed(told or f"the bridge is not ready after {_START_SECONDS_MAX} s")

    @staticmethod
    def _configure(namespace, own, other):
        def ip(*arguments):
            namespaces.ip("-n", namespace, *arguments)
        ip("link", "set", "lo", "up")
        ip("link", "set", _DEVICE, "txqueuelen", str(_QUEUE_PACKETS), "addrgenmode", "none")
        ip("address", "add", own, "peer", other, "dev", _DEVICE)
        ip("link", "set", _DEVICE, "up")

    def _remove(self):
        with contextlib.ExitStack() as steps:  # each runs even if others fail
            for name in (self.server_namespace, self.client_namespace):
                steps.callback(namespaces.remove, name)
            if self._bridge is not None:
                self._stop_bridge()

    def _stop_bridge(self):
        bridge, self._bridge = self._bridge, None
        bridge.send_signal(signal.SIGTERM)
        try:
            told, _ = bridge.communicate(timeout=_STOP_SECONDS_MAX)
            self.carried = json.loads(told or "{}")
        except (subprocess.TimeoutExpired, json.JSONDecodeError):
            bridge.kill()
            bridge.communicate()

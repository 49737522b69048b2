"""The VPN of the arena: its delay, its isolation, and that all of it is removed.

Must not need anything except root and the arena's programs; else it reports what is missing.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from load import eider_bench
from network import namespaces, vpn
from network.namespaces import NetworkFailed
from network.vpn import Vpn

ROUND_TRIP_MS = 52
PORT = 7801
SERVER = f"""
import socket
listening = socket.create_server(("0.0.0.0", {PORT}), backlog=64)
while True:
    connection, _ = listening.accept()
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nOK")
    connection.close()
"""
DIES = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from network.vpn import Vpn
with Vpn() as line:
    print(line.server_namespace, line.client_namespace, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def why_not():
    """Returns why these tests cannot run."""
    impossible = namespaces.why_impossible()
    if impossible:
        return impossible
    try:
        vpn.bridge_program()
        eider_bench.ensure_built()
    except (NetworkFailed, eider_bench.NotBuilt) as failure:
        return str(failure)
    return ""


def run(command):
    """Returns (status, output)."""
    ended = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def ours():
    """Returns the namespaces that this process has made."""
    return [name for name in namespaces.listed() if f"_{os.getpid()}_" in name]


@unittest.skipIf(why_not(), why_not())
class Across(unittest.TestCase):
    """Traffic across the connection."""

    def measure(self, delay_ms, patience):
        """Returns the report of 20 sequential requests, and the bridge's report of its traffic.

        patience  how often a median over the limit is measured again: other work on the machine can
                  only delay responses
        """
        with Vpn(delay_ms) as line:
            command = line.command(line.server_namespace, [sys.executable, "-c", SERVER])
            with subprocess.Popen(command) as server:
                try:
                    line.await_listening(PORT)
                    for _ in range(patience):
                        report = eider_bench.sequential(
                            line.server_address, PORT, 1, 20, "/", None, 5, None,
                            namespace=line.client_namespace, expect_body="OK")
                        if report.p50_ms < 4 * delay_ms + 3:
                            break
                finally:
                    server.kill()
        self.assertEqual((report.requests, report.error_count), (20, 0))
        return report, line.carried

    def test_a_request_takes_two_round_trips(self):
        report, carried = self.measure(delay_ms=ROUND_TRIP_MS / 2, patience=3)
        self.assertAlmostEqual(report.p50_ms, 2 * ROUND_TRIP_MS, delta=3)
        self.assertGreaterEqual(report.seconds, 20 * 2 * (ROUND_TRIP_MS - 1) / 1000)
        self.assertEqual(carried["dropped"], [0, 0])
        self.assertGreater(min(carried["sent"]), 60)

    def test_the_delay_is_the_one_asked_for(self):
        report, _ = self.measure(delay_ms=5, patience=5)
        self.assertAlmostEqual(report.p50_ms, 20, delta=3)

    def test_nothing_leads_outside(self):
        with Vpn() as line:
            for name in (line.server_namespace, line.client_namespace):
                ip = [namespaces.ip_program(), "-n", name]
                self.assertNotEqual(run([*ip, "route", "get", "192.0.2.1"])[0], 0)
                links = run([*ip, "-o", "link"])[1].splitlines()
                self.assertEqual(len(links), 2, links)

    def test_two_at_once_do_not_meet(self):
        with Vpn() as first, Vpn() as second:
            self.assertNotEqual(first.server_namespace, second.server_namespace)
            self.assertEqual(len(ours()), 4)

    def test_a_port_without_a_listener_is_told(self):
        with Vpn() as line:
            with self.assertRaisesRegex(NetworkFailed, "no program listens on port 7802"):
                line.await_listening(7802, seconds_max=0.1)


@unittest.skipIf(why_not(), why_not())
class Afterwards(unittest.TestCase):
    """All of it is removed."""

    def tearDown(self):
        self.assertEqual(ours(), [])

    def test_an_error_inside_leaves_nothing(self):
        with self.assertRaises(ZeroDivisionError):
            with Vpn():
                raise ZeroDivisionError

    def test_what_still_runs_inside_is_ended(self):
        with Vpn() as line:
            command = line.command(line.server_namespace, ["sleep", "60"])
            left = subprocess.Popen(command)  # pylint: disable=consider-using-with
            time.sleep(0.1)
        self.assertEqual(left.wait(5), -signal.SIGKILL)

    def test_a_bridge_that_cannot_start_leaves_nothing(self):
        with mock.patch.object(vpn, "_DEVICE", "a/bad/name"):
            with self.assertRaisesRegex(NetworkFailed, "a/bad/name"):
                with Vpn():
                    pass

    def test_a_killed_run_loses_its_bridge_and_the_next_removes_the_rest(self):
        arena = str(Path(vpn.__file__).resolve().parents[1])
        ended = subprocess.run([sys.executable, "-c", DIES, arena], capture_output=True, text=True,
                               timeout=10, check=False)
        self.assertEqual(ended.returncode, -signal.SIGKILL, ended.stderr)
        left = ended.stdout.split()
        self.assertEqual(len(left), 2)
        self.assertTrue(set(left) <= set(namespaces.listed()))
        self.assertTrue(self.device_goes(left[0]), "the bridge outlived its run")
        with Vpn():
            self.assertFalse(set(left) & set(namespaces.listed()))

    @staticmethod
    def device_goes(name):
        """Whether the bridge's device disappears within some seconds: it does with the process."""
        for _ in range(100):
            if "vpn0" not in run([namespaces.ip_program(), "-n", name, "-o", "link"])[1]:
                return True
            time.sleep(0.02)
        return False


class Refusals(unittest.TestCase):
    """Missing requirements are reported in one line, with the solution."""

    def test_without_the_capability(self):
        with mock.patch.object(namespaces, "_has", lambda _: False):
            with self.assertRaisesRegex(NetworkFailed, "CAP_NET_ADMIN.*run as root"):
                with Vpn():
                    pass

    def test_without_ip(self):
        with mock.patch.object(namespaces.shutil, "which", lambda *_, **__: None):
            with self.assertRaisesRegex(NetworkFailed, "apt-get install iproute2"):
                namespaces.ip_program()

    def test_without_the_bridge(self):
        with tempfile.TemporaryDirectory() as empty:
            with mock.patch.dict(os.environ, {"EIDER_BIN": empty}):
                with self.assertRaisesRegex(NetworkFailed, "--target delay_bridge"):
                    vpn.bridge_program()


if __name__ == "__main__":
    unittest.main()

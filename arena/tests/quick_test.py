"""arena/quick measures a request and idle connections of the real service, and writes both.

Must not test speed: a second of one contestant on a busy machine proves nothing.
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ARENA = Path(__file__).resolve().parent.parent
CONTESTANT = "eider epoll"


class Quick(unittest.TestCase):
    def test_a_workload_and_idle_connections_are_measured_and_written(self):
        with tempfile.TemporaryDirectory() as directory:
            output = Path(directory, "samples.json")
            ended = subprocess.run(
                [sys.executable, ARENA / "quick", "--only", "plaintext,idle,sockets",
                 "--rounds", "1", "--seconds", "1", "--idle", "50",
                 "--contestant", CONTESTANT, "--output", output],
                capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            results = json.loads(output.read_text(encoding="utf-8"))
        self.assertEqual(len(results["workloads"]["plaintext"]["samples"]), 1)
        for kind in ("idle", "sockets"):
            self.assertEqual(len(results["idle_bytes"][kind][CONTESTANT]), 1)
            self.assertEqual(len(results["kept_bytes"][kind][CONTESTANT]), 1)


if __name__ == "__main__":
    unittest.main()

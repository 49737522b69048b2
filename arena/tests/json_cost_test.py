"""arena_json reads and writes the same values with each library, and prints a row for each."""

import re
import subprocess
import unittest
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "build/release/bin/arena_json"
SPEED = r"\d+ · \d+\.\d\d ±\d+ %"


class JsonCost(unittest.TestCase):
    def test_each_library_has_a_row_for_each_size(self):
        ended = subprocess.run([PROGRAM, "--rounds", "1", "--megabytes", "0.001"],
                               capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        rows = re.findall(rf"^\| (\d+) \| (\S+).* \| {SPEED} \| (?:{SPEED}|–) \|$",
                          ended.stdout, re.MULTILINE)
        for library in ("Eider", "simdjson"):
            sizes = [int(size) for size, name in rows if name == library]
            self.assertEqual(len(sizes), 3, ended.stdout)
            self.assertLess(sizes[0], 1000)
            self.assertGreater(sizes[2], 800_000)


if __name__ == "__main__":
    unittest.main()

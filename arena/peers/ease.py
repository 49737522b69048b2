"""The ease table: what a hello world costs with each peer, measured when the peer is set up.

Must not estimate: what is not measured is null.
"""

import json
import re
import resource
import subprocess
import tempfile
from pathlib import Path

from peers import building
from peers.manifest import filled

SECONDS_MAX = 120
_BASELINE = "".join(f"#include <{name}>\n" for name in
                    ("iostream", "string", "vector", "functional")) + "int main() {}\n"
_COMMENT = re.compile(r"^\s*(//|#(?!include|\[)|/\*|\*|--)")
_CLOSURE = ("apt-cache", "depends", "--recurse", "--no-recommends", "--no-suggests",
            "--no-conflicts", "--no-breaks", "--no-replaces", "--no-enhances")


def lines_of(text):
    """Lines that are neither blank nor only a comment."""
    return sum(1 for line in text.splitlines() if line.strip() and not _COMMENT.match(line))


def _children_seconds():
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _baseline_seconds():
    """CPU time of compiling and linking a file with four standard headers."""
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "baseline.cc"
        source.write_text(_BASELINE)
        before = _children_seconds()
        subprocess.run(["g++", "-O2", "-o", f"{directory}/out", str(source)], check=True,
                       capture_output=True, timeout=SECONDS_MAX)
        return _children_seconds() - before


def _stripped_bytes(program):
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "stripped"
        ended = subprocess.run(["strip", "-o", str(copy), str(program)], capture_output=True,
                               check=False, timeout=SECONDS_MAX)
        return (copy if ended.returncode == 0 else program).stat().st_size


def _packages_pulled(peer):
    """How many Debian packages its packages bring with all that they depend on."""
    if "depends_on" in peer.data:
        return peer.data["depends_on"]
    packages = peer.data.get("packages", ())
    if not packages:
        return None
    try:
        told = subprocess.run([*_CLOSURE, *packages], capture_output=True, text=True, check=True,
                              timeout=SECONDS_MAX).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    names = {line.strip() for line in told.splitlines() if re.match(r"\w", line)}
    return len(names - set(packages))


def measure(peer, prefix, log_path):
    """One row of the table; BuildFailed when its hello world does not build."""
    row = {"name": peer.name, "licence": peer.licence, "hello_lines": None,
           "packages_pulled": _packages_pulled(peer), "build_seconds": None,
           "compile_ratio": None, "binary_bytes": None}
    source = peer.build.get("hello_source")
    if source:
        path = peer.folder / filled([source], peer)[0]
        row["hello_lines"] = lines_of(path.read_text()) if path.is_file() else None
    steps = peer.build.get("hello")
    if steps:
        before = _children_seconds()
        row["build_seconds"] = round(building.run_steps(peer, steps, prefix, log_path), 2)
        spent = _children_seconds() - before
        if peer.language == "C++":
            row["compile_ratio"] = round(spent / _baseline_seconds(), 2)
        program = peer.out / "hello"
        row["binary_bytes"] = _stripped_bytes(program) if program.is_file() else None
    return row


def saved(peer):
    """The row that setup measured, or None."""
    try:
        return json.loads((peer.out / "ease.json").read_text())
    except (OSError, ValueError):
        return None


def save(peer, row):
    """Keeps the row beside what was built."""
    (peer.out / "ease.json").write_text(json.dumps(row) + "\n")

"""The ease table: the cost of hello world with each peer, measured at its setup.

Must not estimate: values that are not measured are null.
"""

import json
import re
import resource
import statistics
import subprocess
import tempfile
from pathlib import Path

from peers import building, pulled
from peers.manifest import filled

SECONDS_MAX = 120
ROUNDS = 3
_BASELINE = "".join(f"#include <{name}>\n" for name in
                    ("iostream", "string", "vector", "functional")) + "int main() {}\n"
_HASH_COMMENTS = (".conf", ".py", ".sh", ".toml", ".yaml")
_BLOCK_COMMENT = re.compile(r"^\s*/\*.*?\*/", re.DOTALL | re.MULTILINE)
_COMPILER = re.compile(r"(.*-)?(c|g|clang)\+\+(-[0-9.]+)?")
_SOURCE = re.compile(r".*\.(cc|cpp|cxx)")
_COMPILE_FLAG = re.compile(r"-(std=|O|D|I|U|f|m|W(?!l,)|pthread|isystem).*")
_WITH_VALUE = ("-I", "-D", "-U", "-isystem")


def lines_of(text, suffix):
    """Returns the number of lines that are neither blank nor only a comment."""
    mark = "#" if suffix in _HASH_COMMENTS else "//"
    if mark == "//":
        text = _BLOCK_COMMENT.sub("", text)
    stripped = (line.strip() for line in text.splitlines())
    return sum(1 for line in stripped if line and not line.startswith(mark))


def compile_command(step):
    """Returns (compiler and flags, source) of a step that compiles one C++ file, else None."""
    if not _COMPILER.fullmatch(Path(step[0]).name):
        return None
    flags, sources, words = [step[0]], [], iter(step[1:])
    for word in words:
        if word in _WITH_VALUE:
            flags += [word, next(words, "")]
        elif _COMPILE_FLAG.fullmatch(word):
            flags.append(word)
        elif _SOURCE.fullmatch(word):
            sources.append(word)
    return (flags, sources[0]) if len(sources) == 1 else None


def _compile_seconds(flags, source, target, folder):
    """Returns the CPU time of compiling one file without linking."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["env", "CCACHE_DISABLE=1", *flags, "-c", str(source), "-o", str(target)],
                   cwd=folder, check=True, capture_output=True, timeout=SECONDS_MAX)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def compile_ratio(steps, folder):
    """Returns the CPU time of compiling hello world divided by that of four standard headers.

    Both use the same flags and alternate; returns the median of the rounds' ratios. None if no step
    compiles one file.
    """
    found = next(filter(None, map(compile_command, steps)), None)
    if found is None:
        return None
    flags, source = found
    with tempfile.TemporaryDirectory() as directory:
        baseline, target = Path(directory) / "baseline.cc", Path(directory) / "out.o"
        baseline.write_text(_BASELINE)
        ratios = []
        for _ in range(ROUNDS):
            bare = _compile_seconds(flags, baseline, target, folder)
            ratios.append(_compile_seconds(flags, source, target, folder) / bare)
    return round(statistics.median(ratios), 2)


def _stripped_bytes(program):
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "stripped"
        ended = subprocess.run(["strip", "-o", str(copy), str(program)], capture_output=True,
                               check=False, timeout=SECONDS_MAX)
        return (copy if ended.returncode == 0 else program).stat().st_size


def _build_cold(peer, steps, prefix, log_path):
    """Returns (seconds of building hello world in an empty folder, its stripped size).

    Results of an earlier build would make the build too fast.
    """
    with tempfile.TemporaryDirectory() as out:
        # Compiler caches are in other folders, and would make the second build too fast.
        cold = ["env", "CCACHE_DISABLE=1", f"GOCACHE={out}/go-cache"]
        commands = [[*cold, *filled(step, peer, out=out, prefix=prefix)] for step in steps]
        seconds = round(building.run_steps(peer, commands, prefix, log_path), 2)
        program = Path(out) / "hello"
        return seconds, _stripped_bytes(program) if program.is_file() else None


def measure(peer, prefix, log_path):
    """Returns one row of the table; raises BuildFailed if its hello world does not build."""
    row = {"name": peer.name, "licence": peer.licence, "hello_lines": None,
           "packages_pulled": pulled.count(peer), "build_seconds": None,
           "compile_ratio": None, "binary_bytes": None}
    source = peer.build.get("hello_source")
    if source:
        path = peer.folder / filled([source], peer, prefix=prefix)[0]
        row["hello_lines"] = lines_of(path.read_text(), path.suffix) if path.is_file() else None
    steps = peer.build.get("hello")
    if steps:
        row["build_seconds"], row["binary_bytes"] = _build_cold(peer, steps, prefix, log_path)
        row["compile_ratio"] = compile_ratio(
            [filled(step, peer, prefix=prefix) for step in steps], peer.folder)
    return row


def saved(peer):
    """Returns the row that setup measured, or None."""
    try:
        return json.loads((peer.out / "ease.json").read_text())
    except (OSError, ValueError):
        return None


def save(peer, row):
    """Saves the row in the build folder."""
    (peer.out / "ease.json").write_text(json.dumps(row) + "\n")

#!/usr/bin/env python3
"""Counts the lines of the four trackers, by file and kind: code, comments, blank.

A line with only a comment is a comment; one of code followed by a comment is code. Docstrings of
Python are comments. Templates, SQL files and manifests are counted separately from the program.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = {
    "eider": [ROOT / "examples/tracker", ROOT / "tests/examples/tracker_test.cc"],
    "fastapi": [ROOT / "arena/tracker/fastapi"],
    "axum": [ROOT / "arena/tracker/axum"],
    "drogon": [ROOT / "arena/tracker/drogon"],
}
SOURCES = {".cc": "//", ".h": "//", ".rs": "//", ".py": "#"}
BESIDE = {".html", ".css", ".csp", ".sql", ".toml", ".in", ".json"}


def kinds(path):
    """Returns (code, comments, blank) of a source."""
    text = path.read_text()
    if path.suffix == ".py":
        text = re.sub(
            r'(?m)^(\s*)"""(.*?)"""$',
            lambda m: "\n".join("#" for _ in m[0].split("\n")),
            text,
            flags=re.S,
        )
    lines = [line.strip() for line in text.splitlines()]
    blank = sum(not line for line in lines)
    comments = sum(line.startswith(SOURCES[path.suffix]) for line in lines)
    return len(lines) - blank - comments, comments, blank


def files_of(places):
    for place in places:
        yield from (
            [place] if place.is_file() else sorted(p for p in place.rglob("*") if p.is_file())
        )


def main():
    for name, places in PROGRAMS.items():
        total, beside, tests = [0, 0, 0], 0, 0
        for path in files_of(places):
            if any(part in ("target", "build", "__pycache__") for part in path.parts):
                continue
            if path.name == "admin.cc":
                continue  # the others have no admin pages
            if path.suffix in SOURCES:
                found = kinds(path)
                is_test = "test" in path.name
                tests += sum(found) if is_test else 0
                total = [a + b for a, b in zip(total, found)]
                if "-v" in sys.argv:
                    print(f"  {path.name:24}{found[0]:5}{found[1]:5}{found[2]:5}")
            elif path.suffix in BESIDE or path.name == "CMakeLists.txt":
                beside += len(path.read_text().splitlines())
        if sum(total):
            print(
                f"{name:8} all {sum(total):5}: code {total[0]:5}, comments {total[1]:4}, "
                f"blank {total[2]:4}; "
                f"tests of these {tests:4}; templates, SQL, manifests {beside:4}"
            )


if __name__ == "__main__":
    main()

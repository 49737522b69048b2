"""Installs oha, a load generator that distributions do not package, from crates.io.

Must not replace one that is already in PATH.
"""

import shutil
import subprocess

from peers.manifest import ARENA

NAME = "oha"
VERSION = "1.16.0"
_FOLDER = ARENA / "build" / NAME
_SECONDS_MAX = 1800


class NotInstalled(Exception):
    """oha is missing; has the reason and the solution."""


def program():
    """Returns its path: in PATH, or where `install` put it; None if it is missing."""
    return shutil.which(NAME) or shutil.which(NAME, path=_FOLDER / "bin")


def install(say):
    """Builds it once; raises NotInstalled if that fails."""
    if program():
        return
    if shutil.which("cargo") is None:
        raise NotInstalled("cargo is missing: install Rust (https://rustup.rs)")
    say(f"{NAME}: building {VERSION} from crates.io")
    try:
        ended = subprocess.run(
            ["cargo", "install", NAME, "--version", VERSION, "--locked", "--root", str(_FOLDER)],
            capture_output=True, text=True, check=False, timeout=_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"cargo did not end within {_SECONDS_MAX} s") from None
    if ended.returncode != 0:
        raise NotInstalled("cargo said: " + ended.stderr.strip()[-300:])

"""Installs a peer's dependencies, builds its adapter and measures hello world; remembers the state.

Must not rebuild an unchanged peer, except Eider's own.
"""

import hashlib
import json
import shutil
import subprocess

from peers import building, ease, found, packages
from peers.manifest import ARENA, filled
from peers.schema import CLIENT

_COMMON, _ASKING = ARENA / "apps/common", ARENA / "apps/asking"


class SetupFailed(Exception):
    """A peer cannot take part; has the reason and the solution."""


def fingerprint(peer, prefix):
    """Returns a hash of the adapter's and the shared files, and of the prefix."""
    digest = hashlib.sha256(prefix.encode())
    for folder in (peer.folder, _COMMON, *([_ASKING] if CLIENT in peer.cases else ())):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(folder)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _stamp(peer):
    return peer.out / "ready.json"


def prefix_of(peer):
    """Returns the prefix that the user named at setup, or ""."""
    try:
        return json.loads(_stamp(peer).read_text()).get("prefix", "")
    except (OSError, ValueError):
        return ""


def is_ready(peer, prefix=None):
    """True if it was set up and has not changed since."""
    prefix = prefix_of(peer) if prefix is None else prefix
    try:
        stamp = json.loads(_stamp(peer).read_text())
    except (OSError, ValueError):
        return False
    return stamp.get("fingerprint") == fingerprint(peer, prefix)


def _missing_commands(peer):
    return [name for name in peer.data.get("needs_commands", ()) if not shutil.which(name)]


def _ensure_needed(peer, prefix, say):
    if peer.origin == "yours":
        absent = found.why_absent(peer, prefix)
        if absent:
            raise SetupFailed(absent)
    lacking = packages.missing(peer.data.get("packages", ()))
    if lacking:
        say(f"{peer.name}: installing {' '.join(lacking)}")
        try:
            packages.ensure(lacking)
        except packages.PackagesMissing as failure:
            raise SetupFailed(str(failure)) from None
    missing = _missing_commands(peer)
    if missing:
        raise SetupFailed(f"the program{'s' if len(missing) > 1 else ''} {', '.join(missing)} "
                          "must be there: install it and see that it is on PATH")


def build(peer, prefix, say):
    """Runs its build steps; raises SetupFailed with the end of the log."""
    steps = peer.build.get("steps", ())
    peer.out.mkdir(parents=True, exist_ok=True)
    log_path = peer.out / "setup.log"
    try:
        if steps:
            say(f"{peer.name}: building")
            building.run_steps(peer, steps, prefix, log_path)
    except building.BuildFailed as failure:
        raise SetupFailed(str(failure)) from None


def _measure_ease(peer, prefix, say):
    """If hello world does not build, only its row of the ease table is missing."""
    if peer.is_floor:
        return
    try:
        ease.save(peer, ease.measure(peer, prefix, peer.out / "setup.log"))
    except (building.BuildFailed, OSError, subprocess.SubprocessError) as failure:
        say(f"{peer.name}: its hello world is not in the ease table: {failure}")


def set_up(peer, prefix, say):
    """Sets up one peer completely. Raises SetupFailed."""
    _stamp(peer).unlink(missing_ok=True)
    peer.out.mkdir(parents=True, exist_ok=True)
    (peer.out / "setup.log").write_bytes(b"")
    _ensure_needed(peer, prefix, say)
    build(peer, prefix, say)
    _measure_ease(peer, prefix, say)
    _stamp(peer).write_text(json.dumps({"fingerprint": fingerprint(peer, prefix),
                                        "prefix": prefix}) + "\n")


def version_of(peer):
    """Returns the output of its version_command, or the version in the manifest."""
    command = peer.data.get("version_command")
    if command:
        try:
            told = subprocess.run(filled(command, peer), cwd=peer.folder, text=True, timeout=60,
                                  capture_output=True, check=True).stdout.strip()
            return told.splitlines()[0] if told else peer.version
        except (OSError, subprocess.SubprocessError):
            pass
    return peer.version

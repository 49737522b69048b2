"""The number of dependencies of a peer's library, according to the registry's own program.

Must not estimate or download anything: None if the number is not certain.
"""

import os
import subprocess
from pathlib import Path

SECONDS_MAX = 120
# Simulates that no package is installed, so that the result is the same on every machine.
_SIMULATED = ("apt-get", "--simulate", "--no-install-recommends", "-o",
              "Dir::State::status=/dev/null", "-o", "Debug::NoLocking=1", "install")
_COMPILER = "g++"
_INSTALLERS = ("pip", "setuptools")
_TREE = ("cargo", "tree", "--locked", "--offline", "--edges", "normal", "--prefix", "none")


def _lines(command, folder=None):
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True,
                          stdin=subprocess.DEVNULL, timeout=SECONDS_MAX,
                          env={**os.environ, "LC_ALL": "C"}).stdout
    return told.splitlines()


def _installed_with(packages):
    return {line.split()[1] for line in _lines([*_SIMULATED, *packages])
            if line.startswith("Inst ")}


def debian(peer):
    """Counts packages in addition to a C++ compiler, without the library itself."""
    packages = peer.data.get("packages", ())
    if not packages:
        return None
    found = _installed_with([_COMPILER, *packages]) - _installed_with([_COMPILER])
    is_packaged = peer.origin == "distribution"  # else the library is built from source with them
    return len(found - set(packages)) if is_packaged else len(found)


def _crates(lines):
    """Returns {(name, version)} of cargo's tree; the rest of a line is location and repetition."""
    return {tuple(line.split()[:2]) for line in lines if line.strip()}


def crates(peer):
    """Counts the dependencies of the crate that has the peer's version."""
    direct = _crates(_lines([*_TREE, "--depth", "1"], peer.folder))
    library = [name for name, version in direct if version == f"v{peer.version}"]
    if len(library) != 1:
        return None
    package = f"{library[0]}@{peer.version}"
    return len(_crates(_lines([*_TREE, "--package", package], peer.folder))) - 1


def go_modules(peer):
    """Counts the modules of hello world, without itself and the library."""
    source = Path(peer.build.get("hello_source", "hello.go"))
    form = "{{with .Module}}{{.Path}} {{.Version}}{{end}}"
    told = _lines(["go", "list", "-deps", "-f", form, f"./{source.parent}"], peer.folder)
    versions = [fields[1] for fields in map(str.split, set(told)) if len(fields) == 2]
    return len(versions) - 1 if f"v{peer.version}" in versions else None


def npm_packages(peer):
    """Counts the dependencies of the installed package."""
    told = _lines(["npm", "ls", "--all", "--parseable", "--prefix", str(peer.out)], peer.out)
    found = [line for line in told if "node_modules" in line]
    return len(found) - 1 if found else None


def wheels(peer):
    """Counts the packages in its environment, without the library and the installers."""
    told = _lines([str(peer.out / "venv/bin/python"), "-m", "pip", "list", "--format", "freeze",
                   "--disable-pip-version-check"], peer.out)
    return len({line.partition("==")[0] for line in told} - {*_INSTALLERS, peer.name})


_ASKED = {"distribution": debian, "ours": debian, "yours": debian, "crates.io": crates,
          "go": go_modules, "npm": npm_packages, "pypi": wheels}


def count(peer):
    """Returns the number in the manifest, else the determined one, else None."""
    if "depends_on" in peer.data:
        return peer.data["depends_on"]
    try:
        return _ASKED[peer.origin](peer)
    except (OSError, subprocess.SubprocessError):
        return None

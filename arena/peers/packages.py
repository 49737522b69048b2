"""Debian packages: finds missing ones and installs them like ./run and ./test.

Must not change installed ones, and must not prompt for a password.
"""

import subprocess

from peers.manifest import ROOT

INSTALL_SECONDS_MAX = 1200
_IS_DEBIAN = '. tools/setup.sh; is_debian'
_INSTALL = '. tools/setup.sh; install_debian "$@"'
_ELEVATION = '. tools/setup.sh; elevation'


class PackagesMissing(Exception):
    """Has the missing packages and the command that installs them."""


def _shell(script, *words, seconds_max=60):
    return subprocess.run(["bash", "-c", script, "setup", *words], cwd=ROOT, text=True,
                          capture_output=True, timeout=seconds_max, check=False)


def missing(packages):
    """Returns the packages that are not installed; all if the system does not use dpkg."""
    found = []
    for package in packages:
        try:
            asked = subprocess.run(["dpkg-query", "-W", "-f", "${Status}", package], text=True,
                                   capture_output=True, check=False, timeout=60)
            if "ok installed" not in asked.stdout:
                found.append(package)
        except FileNotFoundError:
            return list(packages)
    return found


def ensure(packages):
    """Installs missing packages; raises PackagesMissing if that is not possible here."""
    lacking = missing(packages)
    if not lacking:
        return
    by_hand = "apt-get install " + " ".join(lacking)
    if _shell(_IS_DEBIAN).returncode != 0:
        raise PackagesMissing("this system is not Debian: install the packages that Debian calls "
                              f"{' '.join(lacking)}")
    if _shell(_ELEVATION).returncode != 0:
        raise PackagesMissing(f"not root, and no sudo that works without a password: run "
                              f"'{by_hand}' by hand, then start again")
    ended = _shell(_INSTALL, *lacking, seconds_max=INSTALL_SECONDS_MAX)
    if ended.returncode != 0:
        last = ended.stderr.strip().splitlines()[-1:] or ["no reason was given"]
        raise PackagesMissing(f"'{by_hand}' failed: {last[0]}")

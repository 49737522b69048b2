"""Network namespaces of one run: their names, what runs in them, and how they go again.

Must not touch a namespace that this arena did not make: every name says whose it is.
"""

import os
import re
import shutil
import signal
import subprocess

_PREFIX = "eider_vpn"
_NAME = re.compile(rf"^{_PREFIX}_(\d+)_(\d+)_\w+$")
_SECONDS_MAX = 10
_TUN = "/dev/net/tun"
_CAP_NET_ADMIN = 12
_CAP_SYS_ADMIN = 21


class NetworkFailed(Exception):
    """No network: says what is missing and the mend."""


def ip_program():
    """The path of iproute2's ip, which users' PATH often lacks."""
    found = shutil.which("ip", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not found:
        raise NetworkFailed("the VPN case needs the program ip: apt-get install iproute2")
    return found


def why_impossible():
    """Why no namespace can be made here, in one line; "" when it can."""
    missing = [name for name, bit in (("CAP_NET_ADMIN", _CAP_NET_ADMIN),
                                      ("CAP_SYS_ADMIN", _CAP_SYS_ADMIN)) if not _has(bit)]
    if missing:
        return (f"the VPN case needs {' and '.join(missing)} to make network namespaces: "
                "run as root (in a container with --privileged)")
    if not os.path.exists(_TUN):
        return (f"the VPN case needs {_TUN}: modprobe tun "
                "(in a container: --device /dev/net/tun)")
    try:
        ip_program()
    except NetworkFailed as failure:
        return str(failure)
    return ""


def _has(capability):
    with open("/proc/self/status", encoding="ascii") as file:
        effective = re.search(r"^CapEff:\s*(\w+)", file.read(), re.MULTILINE)
    return bool(int(effective[1], 16) >> capability & 1)


def ip(*arguments):
    """Runs ip and returns what it printed; NetworkFailed says what it said."""
    command = [ip_program(), *arguments]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS_MAX,
                               check=False)
    except subprocess.TimeoutExpired:
        raise NetworkFailed(f"{' '.join(command)}: no end within {_SECONDS_MAX} s") from None
    if ended.returncode != 0:
        raise NetworkFailed(f"{' '.join(command)}: {ended.stderr.strip()}")
    return ended.stdout


def _started_at(pid):
    """When the process began, in the kernel's ticks, so that a reused pid is told apart."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[19])
    except OSError:
        return None


def name_of(role, number):
    """A name that no other living run uses: the `number`th pair of this process."""
    return f"{_PREFIX}_{os.getpid()}_{_started_at(os.getpid())}_{number}{role}"


def listed():
    """The names of all namespaces that ip knows."""
    return [line.split()[0] for line in ip("netns", "list").splitlines() if line.strip()]


def remove_leftovers():
    """Removes the namespaces of runs whose process has died."""
    for name in listed():
        found = _NAME.match(name)
        if found and _started_at(int(found[1])) != int(found[2]):
            remove(name)


def remove(name):
    """Ends what still runs in a namespace of ours and removes it; one that is gone is fine."""
    if name not in listed():
        return
    for pid in ip("netns", "pids", name).split():
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            pass
    ip("netns", "delete", name)

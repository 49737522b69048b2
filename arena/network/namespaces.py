"""Network namespaces of one run: their names, their processes and their removal.

Must not change other namespaces: every name contains the run that has made it.
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
    """There is no network; has the reason and the solution."""


def ip_program():
    """Returns the path of iproute2's ip, whose directory is often missing in users' PATH."""
    found = shutil.which("ip", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not found:
        raise NetworkFailed("the VPN case needs the program ip: apt-get install iproute2")
    return found


def why_impossible():
    """Returns why namespaces cannot be made here, in one line; "" if they can."""
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
    """Runs ip and returns its output; raises NetworkFailed with its error."""
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
    """Returns the start time of the process in the kernel's ticks, to detect a reused pid."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[19])
    except OSError:
        return None


def name_of(role, number):
    """Returns a name that no other running arena uses: of the `number`th pair of this process."""
    return f"{_PREFIX}_{os.getpid()}_{_started_at(os.getpid())}_{number}{role}"


def listed():
    """Returns the names of all namespaces that ip lists."""
    return [line.split()[0] for line in ip("netns", "list").splitlines() if line.strip()]


def remove_leftovers():
    """Removes the namespaces of runs whose process has ended."""
    for name in listed():
        found = _NAME.match(name)
        if found and _started_at(int(found[1])) != int(found[2]):
            remove(name)


def remove(name):
    """Ends all processes in a namespace of this arena and removes it, if it still exists."""
    if name not in listed():
        return
    for pid in ip("netns", "pids", name).split():
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            pass
    ip("netns", "delete", name)

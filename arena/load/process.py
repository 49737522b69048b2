"""The cost of a process tree according to the kernel: exact CPU time, memory, listening sockets.

Must not start or end a process.
"""

import os
import time

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_CHILD_TIMES = slice(13, 15)  # cutime and cstime among the fields after the name
_LISTENING = "0A"
_INODE = 9  # field of /proc/PID/net/tcp


def listdir(path):
    """Returns the names in a directory; empty if it does not exist any more."""
    try:
        return os.listdir(path)
    except OSError:
        return []


def read(path):
    """Returns the text of a file; empty if it does not exist any more."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def process_tree(pid):
    """Returns pid and all its descendants."""
    found, queue = [], [pid]
    while queue:
        current = queue.pop()
        found.append(current)
        for task in listdir(f"/proc/{current}/task"):
            children = read(f"/proc/{current}/task/{task}/children")
            queue.extend(int(child) for child in children.split())
    return found


def _schedstat_ns(pid):
    ran = waited = 0
    for task in listdir(f"/proc/{pid}/task"):
        fields = read(f"/proc/{pid}/task/{task}/schedstat").split()
        if fields:
            ran += int(fields[0])
            waited += int(fields[1])
    return ran, waited


def _clock_ns(pid):
    """Returns the sum of schedstat including threads that have ended; 0 if the process is gone."""
    try:
        return time.clock_gettime_ns(~pid << 3 | 2)  # clock_getcpuclockid(3), CPUCLOCK_SCHED
    except OSError:
        return 0


def _ended_children_ns(pid):
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return sum(int(ticks) for ticks in fields[_CHILD_TIMES]) * _TICK_NS


def cpu_ns(pid):
    """Returns (time on a core, time spent waiting for one) of the process tree, in nanoseconds.

    Threads and children that have ended are included; such children only in ticks, the rest
    exactly.
    """
    ran = waited = 0
    for each in process_tree(pid):
        ran_now, waited_now = _schedstat_ns(each)
        ran += max(ran_now, _clock_ns(each)) + _ended_children_ns(each)
        waited += waited_now
    return ran, waited


def memory_bytes(pid):
    """Returns {"rss": …, "pss": …} of the whole process tree."""
    total = {"rss": 0, "pss": 0}
    for each in process_tree(pid):
        for line in read(f"/proc/{each}/smaps_rollup").splitlines():
            key, _, value = line.partition(":")
            if key.lower() in total:
                total[key.lower()] += int(value.split()[0]) * 1024
    return total


def _listeners(pid, port):
    """Returns the inodes of the sockets that listen on the port in the process's namespace."""
    found = set()
    for table in ("tcp", "tcp6"):
        for line in read(f"/proc/{pid}/net/{table}").splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                found.add(fields[_INODE])
    return found


def is_listening(pid, port):
    """Whether a TCP socket listens on the port in the network namespace of the process."""
    return bool(_listeners(pid, port))


def _sockets(pid):
    """Returns the inodes of the process's open sockets."""
    found = set()
    for name in listdir(f"/proc/{pid}/fd"):
        try:
            kind, _, inode = os.readlink(f"/proc/{pid}/fd/{name}").partition(":")
        except OSError:
            continue
        if kind == "socket":
            found.add(inode.strip("[]"))
    return found


def owns_listener(pid, port):
    """Whether a socket of the process tree listens on the port."""
    listening = _listeners(pid, port)
    return any(listening & _sockets(each) for each in process_tree(pid))


def socket_counts(pid):
    """Returns the number of open sockets of each process of the tree."""
    return [len(_sockets(each)) for each in process_tree(pid)]

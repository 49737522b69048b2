"""One server with a number of threads under load: requests per second, and the CPU time of each
thread.

Must not print: cli/scaling_command.py does.
"""

import os
from dataclasses import dataclass

from load import process, wrk
from load.outcome import GeneratorFailed
from load.server import Server

THREADS_MAX = 128
_PATIENCE_SECONDS = 15


@dataclass(frozen=True)
class Placing:
    """The cores of a measurement.

    is_shared  no core is left for the load: server and load share all cores
    """
    threads: int
    server_cores: tuple
    load_cores: tuple
    is_shared: bool


def thread_counts(cores, most=THREADS_MAX):
    """Returns 1, 2, 4 … and the number of cores, up to `most`."""
    most = min(cores, most, THREADS_MAX)
    counts = [1]
    while counts[-1] * 2 < most:
        counts.append(counts[-1] * 2)
    return counts if most == 1 else [*counts, most]


def place(threads, usable):
    """Returns a Placing with one core per thread for the server, and the rest for the load."""
    rest = tuple(usable[threads:])
    if rest:
        return Placing(threads, tuple(usable[:threads]), rest, False)
    return Placing(threads, tuple(usable), tuple(usable), True)


def thread_times(pid):
    """Returns {thread: nanoseconds on a core} of a process."""
    times = {}
    for task in process.listdir(f"/proc/{pid}/task"):
        fields = process.read(f"/proc/{pid}/task/{task}/schedstat").split()
        if fields:
            times[task] = int(fields[0])
    return times


def shares(before, after, threads):
    """Returns (least, most) CPU time of the busiest `threads` threads; 1.0 is an equal share."""
    used = sorted((time - before.get(task, 0) for task, time in after.items()), reverse=True)
    used = used[:threads] + [0] * (threads - len(used))
    average = sum(used) / threads
    return (used[-1] / average, used[0] / average) if average else (0.0, 0.0)


def serial_share(speedup, threads):
    """Returns the serial share of the work, according to Amdahl's law (Karp-Flatt metric)."""
    return (1 / speedup - 1 / threads) / (1 - 1 / threads)


def measure(command, port, path, connections, seconds, placing):
    """Returns the figures of a new server; raises ServerFailed or GeneratorFailed.

    command      with {port} and {threads}
    connections  per thread of the server
    """
    words = [word.format(port=port, threads=placing.threads) for word in command]
    load = wrk.Load(path, connections * placing.threads, seconds)
    with Server("server", words, port, set(placing.server_cores)) as server:
        ran, _ = server.cpu_ns()
        before = thread_times(server.process.pid)
        generator = wrk.start(load, port, set(placing.load_cores))
        try:
            report = wrk.finish(generator, seconds + _PATIENCE_SECONDS)
        finally:
            if generator.poll() is None:
                generator.kill()
                generator.wait()
            generator.stdout.close()
        after = thread_times(server.process.pid)
        ran_after, _ = server.cpu_ns()
        server.ensure_alive()
    if report.errors or not report.requests:
        raise GeneratorFailed(report.errors or "no request got a response")
    least, most = shares(before, after, placing.threads)
    return {"threads": placing.threads, "server_cores": len(placing.server_cores),
            "load_cores": len(placing.load_cores), "is_shared": placing.is_shared,
            "per_second": report.per_second, "p99_ms": report.p99_ms,
            "cpu_us": (ran_after - ran) / 1000 / report.requests,
            "least_share": least, "most_share": most}


def usable_cores():
    """Returns the cores that this process may use."""
    return sorted(os.sched_getaffinity(0))

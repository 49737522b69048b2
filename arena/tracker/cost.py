#!/usr/bin/env python3
"""The cost of a request of each tracker: CPU time of the server with wrk, in alternating rounds.

usage: cost.py ROUNDS NAME=COMMAND...     {port} and {folder} in commands, as for behaviour.py
"""

import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

from behaviour import PASSWORD, Server

SECONDS, CONNECTIONS = 3, 16


def descendants(pid):
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid] + [p for child in children for p in descendants(int(child))]


def cpu_seconds(pid):
    ticks = 0
    for each in descendants(pid):
        fields = pathlib.Path(f"/proc/{each}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def resident_mib(pid):
    texts = [pathlib.Path(f"/proc/{each}/status").read_text() for each in descendants(pid)]
    return (
        sum(int(found[1]) for text in texts if (found := re.search(r"VmRSS:\s+(\d+)", text))) / 1024
    )


def microseconds_each(server, cookie, path, post):
    """Returns the server's CPU time per request with a response."""
    lines = [f'wrk.headers["Cookie"] = "{cookie}"']
    if post:
        lines += [
            'wrk.method = "POST"',
            f"wrk.body = '{post}'",
            'wrk.headers["Content-Type"] = "application/json"',
        ]
    script = server.folder / "ask.lua"
    script.write_text("\n".join(lines))
    before = cpu_seconds(server.process.pid)
    told = subprocess.run(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}", "-s", script, server.url + path],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    if "Non-2xx" in told:
        raise SystemExit(f"{server.command}: {path}: {told}{server.log_text()[-1000:]}")
    return (
        (cpu_seconds(server.process.pid) - before)
        / int(re.search(r"(\d+) requests in", told)[1])
        * 1e6
    )


def main():
    servers, cookies = {}, {}
    for word in sys.argv[2:]:
        name, command = word.split("=", 1)
        server = servers[name] = Server(shlex.split(command), tempfile.mkdtemp(prefix="tracker-"))
        client = server.client()
        client.post(
            "/api/signup", json={"name": "ann", "email": "ann@example.org", "password": PASSWORD}
        ).raise_for_status()
        client.post("/api/issues", json={"title": "one"}).raise_for_status()
        cookies[name] = "; ".join(f"{c.name}={c.value}" for c in client.cookies.jar)
        print(f"{name}: {resident_mib(server.process.pid):.0f} MiB")
    asked = {
        "GET /api/issues/1": ("/api/issues/1", None),
        "POST /api/issues": (
            "/api/issues",
            '{"title":"Spelling","body":"two ls","priority":4,"labels":["docs"]}',
        ),
    }
    try:
        for what, (path, post) in asked.items():
            found = {name: [] for name in servers}
            for _ in range(int(sys.argv[1])):
                for name, server in servers.items():
                    found[name].append(microseconds_each(server, cookies[name], path, post))
            first = next(iter(servers))
            for name, times in found.items():
                ratios = [mine / base for mine, base in zip(times, found[first])]
                print(
                    f"{what} {name}: {statistics.median(times):.0f} µs of CPU "
                    f"({min(times):.0f} to {max(times):.0f}), "
                    f"{statistics.median(ratios):.2f} of {first}"
                )
    finally:
        for server in servers.values():
            server.stop()


if __name__ == "__main__":
    main()

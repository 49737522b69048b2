#!/usr/bin/env python3
"""Makes a synthetic results folder from a seed, to try the report with; --large for the eye.

Must not name a real contestant besides Eider and the floors: the figures are invented.
"""

import argparse
import json
import random
from pathlib import Path

SEED = 20240607
SMALL = Path(__file__).resolve().parent / "data/report_synthetic"
PEERS = (
    # name, title, language, CPU divided by the floor's
    ("amber", "Amber", "C++", 1.12), ("birch", "Birch", "C++", 1.21),
    ("cobalt", "Cobalt", "C", 1.01),
    ("dune", "Dune", "Rust", 1.17), ("ember-web-toolkit", "Ember Web Toolkit, embedded edition",
                                     "C++", 15.1),
    ("fjord", "Fjord", "Go", 1.58), ("garnet", "Garnet", "JavaScript", 1.30),
    ("heron", "Heron", "C", 1.22), ("iris-http", "iris-http", "C++", 1.34),
    ("jade", "Jade", "Rust", 1.13), ("krill", "Krill", "Zig", 1.09),
    ("lumen", "Lumen", "C++", 2.05),
    ("moss", "Moss", "C++", 4.99), ("nova", "Nova", "JavaScript", 3.20),
)
_FLOORS = (("floor-epoll", 1.0), ("floor-uring", 0.96))
_EIDER = (("eider-epoll", 1.02), ("eider-uring", 0.975))
_BOUND = {"eider-epoll": 1.03, "eider-uring": 0.98}


def contestants(count):
    """Returns the list of contestants with `count` peers."""
    rows = [{"name": name, "title": name.replace("-", " "), "language": "C++", "licence": "MIT",
             "origin": "distribution", "version": "1.0", "note": "bare loop, parses nothing",
             "is_floor": True} for name, _ in _FLOORS]
    rows += [{"name": name, "title": name.replace("eider-", "Eider, "), "language": "C++",
              "licence": "MIT", "origin": "distribution", "version": "0.1.0",
              "note": "one loop per thread", "is_floor": False} for name, _ in _EIDER]
    rows += [{"name": name, "title": title, "language": language, "licence": "BSD-3-Clause",
              "origin": "npm" if language == "JavaScript" else "distribution",
              "version": "3.2.1", "does_not_send": ["server"],
              "note": "as its own documentation says, logging off",
              "is_floor": False} for name, title, language, _ in PEERS[:count]]
    return rows


def cell(name, title, metric="per_second", bound=None, **more):
    """Returns one cell of run.json, with a command."""
    return {"id": name, "title": title, "metric": metric, "bound": bound, "published": [],
            "command": f"wrk -t1 -c64 -d3s --latency http://127.0.0.1:18401/{name}", **more}


def _published(who, value):
    return {"who": who, "value": value, "note": "two 32-core Synthetic 9000, all threads"}


def experiments(is_large):
    """Returns every experiment of the arena, or three of them."""
    counts = (10, 100, 1000, 10000)
    made = [{"id": "scalability", "title": "Scalability of a small response", "cells": [
        cell(f"c{count}", f"{count:,} connections",
             published=[_published("Amber (64 threads)", "315k"), _published("Unknown", "54k")],
             bound=_BOUND if count == 1000 else None)
        for count in (counts if is_large else counts[1:3])]}]
    made.append({"id": "slow-work", "title": "Few threads, slow work", "cells": [
        cell(f"n{requests}t{wait}{place}c{threads}",
             f"N={requests} t={wait} {place} C={threads}", "seconds",
             {"eider-epoll": 1.02, "eider-uring": 1.02} if wait or place == "VPN" else None)
        for requests, wait in ((1000, 0), (200, 200), (1000, 200)) for place in ("local", "VPN")
        for threads in (28, 4)][None if is_large else 5:None if is_large else 6]})
    made.append({"id": "idle", "title": "Idle connections", "cells": [
        cell("idle", "one idle keep-alive connection", "bytes", {"eider-epoll": 300})]})
    if not is_large:
        return made
    closes = [(count, keeps) for count in counts[1:] for keeps in ("keep-alive", "close")]
    made += [
        {"id": "tail", "title": "Throughput and tail at 800 connections",
         "cells": [cell("c800", "800 connections", bound=_BOUND)]},
        {"id": "techempower", "title": "TechEmpower", "cells": [
            cell("plaintext", "plaintext, pipelined 16 deep", bound={"eider-epoll": 1.12}),
            cell("json", "JSON", bound={"eider-epoll": 1.05})]},
        {"id": "nginx", "title": "Against nginx", "cells": [
            cell(f"c{count}-{keeps}", f"{count:,} connections, {keeps}",
                 published=[_published("Birch", "561/552"), _published("Heron", "330/329")])
            for count, keeps in closes]},
        {"id": "floor", "title": "Against the floor", "cells": [
            cell("plaintext", "plaintext, 64 connections", "cpu_us", _BOUND),
            cell("routes", "two typed parameters among 200 routes, five middlewares", "cpu_us",
                 {"eider-epoll": 1.12, "eider-uring": 1.12})]},
        {"id": "churn", "title": "A new connection per request",
         "cells": [cell("new", "64 at a time", "cpu_us", _BOUND)]},
        {"id": "bodies", "title": "Bodies", "cells": [
            cell(size, f"{size}") for size in ("1 KiB", "64 KiB", "1 MiB")]},
        {"id": "workers", "title": "Threads against processes", "cells": [
            cell("threads", "100 threads", "bytes"), cell("processes", "100 processes", "bytes")]},
        {"id": "open-loop", "title": "Latency at a fixed rate",
         "cells": [cell("rate", "20,000 requests per second", "p99_ms")]},
        {"id": "extra", "title": "An experiment that the report does not know",
         "cells": [cell("one", "the only case"), cell("none", "a case that was not measured")]},
    ]
    return made


def _blank(experiment, where, name, number):
    return {"experiment": experiment["id"], "cell": where["id"], "contestant": name,
            "round": number, "cpu_us": None, "per_second": None, "avg_ms": None, "p50_ms": None,
            "p90_ms": None, "p99_ms": None, "max_ms": None, "seconds": None, "rss_bytes": None,
            "pss_bytes": None, "waited": 0.0, "requests": None, "errors": None, "wrong": ""}


def _fill_load(row, cost, shift, chance):
    base = 2.4 * shift
    row["cpu_us"] = base * cost * chance.gauss(1, 0.012)
    row["per_second"] = min(370000, 0.985e6 / row["cpu_us"]) * chance.gauss(1, 0.01)
    row["p50_ms"] = 64e3 / row["per_second"] * chance.gauss(1, 0.03)
    row["avg_ms"] = row["p50_ms"] * 1.1
    row["p90_ms"] = row["p50_ms"] * chance.uniform(1.3, 1.7)
    row["p99_ms"] = row["p90_ms"] * chance.uniform(1.4, 2 + cost / 4)
    row["max_ms"] = row["p99_ms"] * chance.uniform(1.5, 12)
    row["rss_bytes"] = int(3e6 * cost ** 2 * chance.gauss(1, 0.02))
    row["pss_bytes"] = int(row["rss_bytes"] * 0.93)
    row["requests"], row["errors"] = int(row["per_second"] * 3), 0


def _fill(row, where, cost, chance):
    if where["metric"] == "seconds":
        counts = [int(word.partition("=")[2]) for word in where["title"].split() if "=" in word]
        trips = 0.104 if "VPN" in where["title"] else 0
        row["seconds"] = counts[0] * (counts[1] / 1000 + trips) * chance.uniform(1, 1.01) + 0.4
        if cost > 1.1 and counts[2] == 4 and counts[1]:
            row["seconds"] *= 2.5
        row["requests"], row["errors"] = counts[0] * 10, 0
    elif where["metric"] == "bytes":
        row["pss_bytes"] = int(260 * cost ** 4 * chance.gauss(1, 0.02))
    else:
        _fill_load(row, cost, 6.5 if "close" in where["id"] or where["id"] == "new" else 1, chance)
    row["waited"] = chance.choice([0.0, 0.01, 0.02, 0.02, 0.12])


def samples(run, costs, chance):
    """Returns every sample, contestants alternating within each round."""
    made = []
    for experiment in run["experiments"]:
        for where in experiment["cells"]:
            if where["id"] == "none":
                continue
            for number in range(run["rounds"]):
                for name, cost in costs:
                    row = _blank(experiment, where, name, number)
                    _fill(row, where, cost, chance)
                    made.append(row)
    return made


def spoil(made):
    """Makes a contestant wrong in every round of a cell, another in one."""
    for row in made:
        if (row["experiment"], row["contestant"]) == ("scalability", "birch"):
            row["wrong"] = "body differs at byte 7: expected b'World', got b'<World>'"
        if (row["experiment"], row["contestant"], row["round"]) == ("slow-work", "amber", 1):
            row["wrong"] = "deadlock: no response for 60 s"


def make(is_large, seed):
    """Returns (run, samples)."""
    chance = random.Random(seed)
    count = len(PEERS) if is_large else 3
    listed = contestants(count)
    ease = [{"name": row["name"], "licence": row["licence"],
             "hello_lines": chance.randint(6, 60), "packages_pulled": chance.randint(0, 40),
             "build_seconds": chance.uniform(1, 300) if not row["is_floor"] else None,
             "compile_ratio": chance.uniform(1.5, 30), "binary_bytes": chance.randint(2**17, 2**23)}
            for row in listed]
    run = {"schema": 1, "synthetic": True, "started": "2000-01-01T00:00:00Z",
           "ended": "2000-01-01T00:30:00Z", "kind": "full" if is_large else "quick",
           "machine": {"cpu": "SYNTHETIC (no machine)", "cores": 2, "kernel": "0.0.0",
                       "memory_bytes": 2**33, "distribution": "SYNTHETIC"},
           "cores": {"server": [0], "load": [1]}, "rounds": 5 if is_large else 3, "seconds": 3,
           "command": "./arena/run run --full --cores 0:1", "contestants": listed,
           "left_out": [{"name": "opal", "case": "scalability",
                         "why": "not found: no opal.h and no --prefix opal=path"},
                        {"name": "amber", "case": "slow-work/blocking",
                         "why": "its adapter has no timer"},
                        {"name": "quartz", "case": "all", "why": "it does not build"}],
           "notes": [{"name": "birch", "case": "idle/idle", "what": "did not end on SIGTERM"}],
           "generators": ["wrk"],
           "ease": ease, "experiments": experiments(is_large)}
    costs = [*_FLOORS, *_EIDER, *((name, cost) for name, _, _, cost in PEERS[:count])]
    made = samples(run, costs, chance)
    spoil(made)
    return run, made


def files(is_large, seed):
    """Returns {file name: text} of the folder."""
    run, made = make(is_large, seed)
    lines = [json.dumps({key: round(value, 4) if isinstance(value, float) else value
                         for key, value in row.items()}) for row in made]
    return {"run.json": json.dumps(run, indent=1) + "\n", "samples.jsonl": "\n".join(lines) + "\n"}


def main():
    """Writes the folder."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SMALL)
    parser.add_argument("--large", action="store_true", help="18 contestants, 12 experiments")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, text in files(options.large, options.seed).items():
        (options.folder / name).write_text(text)
        print(options.folder / name)


if __name__ == "__main__":
    main()

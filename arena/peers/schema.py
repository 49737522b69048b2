"""The keys of a peer.toml and their types, and error messages with the correct form.

Must not read a file: peers/manifest.py does.
"""

import difflib

ORIGINS = ("distribution", "npm", "crates.io", "go", "pypi", "yours", "ours")
CASES = ("plaintext", "json", "hello-html", "form", "test", "test-blocking", "labels", "users",
         "routes", "bodies", "close", "held", "held-apart", "pipelined", "processes", "websocket",
         "room", "events", "stream", "upload", "echo", "files", "items-json", "items-compressed",
         "static", "tls", "http2", "http2-tls", "renewal", "proxy", "tunnel", "unchecked",
         "checked", "client", "database", "jobs")
CLIENT = "client"  # the case of clients
JOBS = "jobs"  # the case of job queues, which have no other case
ENDS = ("SIGTERM", "SIGINT", "SIGQUIT")
RELOADS = ("SIGHUP",)
# How a peer becomes several processes: its THREADS are processes, several programs share the port,
# or its arguments have {processes}.
BY_THREADS, BY_COPIES, BY_ARGUMENTS = PROCESSES_BY = ("threads", "copies", "arguments")

TEXT, FLAG, COUNT, TEXTS, COMMANDS, TABLE, TABLES = (
    "a text", "true or false", "a whole number above 0", 'a list of texts, e.g. ["g++"]',
    'a list of commands, each a list of texts, e.g. [["make", "-j2"]]', "a table", "tables [[…]]")

# key: (type, whether it is required)
TOP = {
    "name": (TEXT, True), "title": (TEXT, True), "language": (TEXT, True),
    "licence": (TEXT, True), "origin": (TEXT, True), "version": (TEXT, True),
    "version_command": (TEXTS, False), "needs_commands": (TEXTS, False),
    "packages": (TEXTS, False), "depends_on": (COUNT, False), "note": (TEXT, False),
    "is_floor": (FLAG, False), "find": (TABLE, False), "build": (TABLE, False),
    "run": (TABLE, False), "client": (TABLE, False), "jobs": (TABLE, False),
    "serves": (TABLE, True),
    "case": (TABLE, False),
    "contestant": (TABLES, False),
}
TABLE_KEYS = {
    "find": {"header": (TEXT, False), "cmake": (TEXT, False)},
    "build": {"steps": (COMMANDS, False), "seconds_max": (COUNT, False), "hello": (COMMANDS, False),
              "hello_source": (TEXT, False), "is_repeated": (FLAG, False)},
    "run": {"command": (TEXTS, False), "environment": (TABLE, False), "ends_with": (TEXT, False),
            "is_exit_clean": (FLAG, False), "reloads_with": (TEXT, False),
            "processes_by": (TEXT, False)},
    "client": {"command": (TEXTS, True)},
    "jobs": {"left": (TEXT, True)},
    "serves": {"cases": (TEXTS, True), "headers": (TEXTS, False),
               "max_connections": (COUNT, False), "is_close_announced": (FLAG, False),
               "is_typed": (FLAG, False)},
    "contestant": {"name": (TEXT, True), "title": (TEXT, True), "note": (TEXT, False),
                   "command": (TEXTS, False), "arguments": (TEXTS, False)},
    "case": {"arguments": (TEXTS, False), "environment": (TABLE, False)},
}


def _are_texts(value):
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_FITS = {
    TEXT: lambda value: isinstance(value, str),
    FLAG: lambda value: isinstance(value, bool),
    COUNT: lambda value: type(value) is int and value >= 0,
    TEXTS: _are_texts,
    COMMANDS: lambda value: isinstance(value, list) and all(_are_texts(v) and v for v in value),
    TABLE: lambda value: isinstance(value, dict),
    TABLES: lambda value: isinstance(value, list) and all(isinstance(v, dict) for v in value),
}


def near(name, known):
    """Returns the end of an error about an unknown name: the closest name, or all of them."""
    close = difflib.get_close_matches(str(name), known, 1)
    return f"did you mean {close[0]}?" if close else "there are: " + ", ".join(known)


def _table_faults(where, table, keys):
    faults = []
    for key, value in table.items():
        if key not in keys:
            faults.append(f"{where}{key}: is not known; {near(key, list(keys))}")
        elif not _FITS[keys[key][0]](value):
            faults.append(f"{where}{key}: is {value!r}; it must be {keys[key][0]}")
    return faults + [f"{where}{key}: is missing; write {kind} there"
                     for key, (kind, is_required) in keys.items()
                     if is_required and key not in table]


def _word_faults(where, word, known):
    return [] if word in known else [f"{where}: {word!r} is not known; {near(word, known)}"]


def _choice_faults(data):
    faults = _word_faults("origin", data["origin"], ORIGINS)
    for case in data["serves"]["cases"]:
        faults += _word_faults("[serves] cases", case, CASES)
    for case in data.get("case", {}):
        faults += _word_faults("[case]", case, CASES)
    for key, known in (("ends_with", ENDS), ("reloads_with", RELOADS),
                       ("processes_by", PROCESSES_BY)):
        faults += _word_faults(f"[run] {key}", data.get("run", {}).get(key, known[0]), known)
    if data["origin"] == "yours" and not data.get("find"):
        faults.append('[find]: is missing; origin "yours" needs header = "…" or cmake = "…"')
    return faults + _start_faults(data)


def _start_faults(data):
    """Servers and clients have start commands; a peer that is only a client needs no server."""
    faults, cases = [], set(data["serves"]["cases"])
    starts = [data.get("run", {}), *data.get("contestant", [])]
    if cases != {CLIENT} and not any(start.get("command") for start in starts):
        faults.append("[run] command: is missing; say how it is started, e.g. "
                      '["{out}/app", "{port}", "{threads}", "{delay_ms}"]')
    if (CLIENT in cases) != ("client" in data):
        faults.append("[client]: goes with the case client; both or none, e.g. command = "
                      '["{out}/client", "{url}", "{connections}", "{seconds}", "{body_bytes}"]')
    if (JOBS in cases) != ("jobs" in data) or (JOBS in cases and len(cases) > 1):
        faults.append("[jobs]: goes with the case jobs alone; write left = a query for the number "
                      "of unfinished jobs")
    return faults


def faults_of(data):
    """Returns the errors of a peer.toml, one line each: key, error and solution."""
    faults = _table_faults("", data, TOP)
    if faults:
        return faults
    for name in ("find", "build", "run", "client", "jobs", "serves"):
        if name in data:
            faults += _table_faults(f"[{name}] ", data[name], TABLE_KEYS[name])
    for case, table in data.get("case", {}).items():
        if not isinstance(table, dict):
            faults.append(f"[case] {case}: is {table!r}; write [case.{case}] arguments = […]")
        else:
            faults += _table_faults(f"[case.{case}] ", table, TABLE_KEYS["case"])
    for number, table in enumerate(data.get("contestant", []), 1):
        faults += _table_faults(f"[[contestant]] {number}: ", table, TABLE_KEYS["contestant"])
    return faults or _choice_faults(data)

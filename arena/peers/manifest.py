"""Reads the peer.toml of every contestant: name, build, start and end.

Must not install, build, start or guess anything: an error names file, key and solution.
"""

import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from peers import schema

ARENA = Path(__file__).resolve().parent.parent
ROOT = ARENA.parent
BUILD = ARENA / "build"
BUILD_SECONDS_MAX = 600
_PLACEHOLDER = re.compile(r"(?<!\$)\{([a-z_]+)\}")
_IN_COMMANDS = ("out", "prefix", "root", "bin", "folder", "port", "threads", "processes",
                "delay_ms", "routes", "middlewares", "files", "profiles", "tls_port", "cert", "key",
                "upstream", "database", "database_connections")
_OF_CLIENTS = ("url", "connections", "seconds", "body_bytes")
_IN_JOBS = ("out", "prefix", "root", "bin", "folder", "database")
_IN_CLIENTS = ("out", "prefix", "root", "bin", "folder", *_OF_CLIENTS)


class ManifestError(Exception):
    """A peer.toml is wrong; has the file, the key and the solution."""


@dataclass(frozen=True)
class Contestant:
    """One row of the tables: a peer, or one of several ways to start it.

    command, client  how it is started as a server and as a client; () if it is not one
    """
    name: str
    title: str
    peer: "Peer"
    command: tuple
    note: str = ""
    client: tuple = ()

    @property
    def is_floor(self):
        """True for the minimal servers to which ratios refer."""
        return self.peer.is_floor


@dataclass
class Peer:
    """One peer.toml. `data` contains the tables that only setup reads."""
    name: str
    title: str
    language: str
    licence: str
    origin: str
    version: str
    folder: Path
    cases: tuple
    headers: tuple
    note: str = ""
    is_floor: bool = False
    data: dict = field(default_factory=dict)
    contestants: list = field(default_factory=list)

    @property
    def out(self):
        """The build folder."""
        return BUILD / self.name

    @property
    def build(self):
        """The [build] table."""
        return self.data.get("build", {})

    @property
    def run(self):
        """The [run] table."""
        return self.data.get("run", {})

    @property
    def is_job_queue(self):
        """True if only `./arena/run jobs` measures this peer."""
        return schema.JOBS in self.cases

    @property
    def is_built_each_time(self):
        """True for Eider's own: built before each run, so that the measured program is up to
        date.
        """
        return self.build.get("is_repeated", False)

    def case_table(self, case):
        """Returns [case.<case>], or {}."""
        return self.data.get("case", {}).get(case, {})


def programs_folder():
    """Returns the folder of Eider's own programs: EIDER_BIN, or the release build."""
    return Path(os.environ.get("EIDER_BIN") or ROOT / "build/release/bin").resolve()


def are_programs_given():
    """True if the user has set the folder of Eider's programs, so that they are not built."""
    return bool(os.environ.get("EIDER_BIN"))


def filled(words, peer, **values):
    """Replaces {out}, {root}, {bin}, {folder}, {prefix} and `values` in the words."""
    known = {"out": peer.out, "root": ROOT, "bin": programs_folder(), "folder": peer.folder,
             "prefix": "", **values}
    def value(match):
        return str(known[match[1]]) if match[1] in known else match[0]
    return [_PLACEHOLDER.sub(value, word) for word in words]


def _contestants(peer):
    given = peer.data.get("contestant") or [{"name": peer.name, "title": peer.title}]
    for one in given:
        more = one.get("arguments", ())
        command = (*one.get("command", peer.run.get("command", ())), *more)
        client = peer.data.get("client", {}).get("command", ())
        note = one.get("note", peer.note)
        peer.contestants.append(Contestant(one["name"], one["title"], peer, command, note,
                                           (*client, *more) if client else ()))


def _command_faults(peer):
    faults = []
    for contestant in peer.contestants:
        if set(peer.cases) != {schema.CLIENT}:
            faults += _server_faults(contestant)
        if contestant.client:
            faults += _word_faults("[client]", contestant.client, _IN_CLIENTS, _OF_CLIENTS)
    return faults


def _server_faults(contestant):
    if not contestant.command:
        return [f"[[contestant]] {contestant.name}: has no command and [run] has none"]
    if contestant.peer.is_job_queue:
        return _word_faults("[run]", contestant.command, _IN_JOBS, ("database",))
    return _word_faults("[run]", contestant.command, _IN_COMMANDS, ("port",))


def _word_faults(table, command, known, needed):
    """Returns errors in the placeholders of a command."""
    found = _PLACEHOLDER.findall(" ".join(command))
    faults = [f"{table} command: {{{name}}} is not known; {schema.near(name, list(known))}"
              for name in found if name not in known]
    return faults + [f"{table} command: has no {{{name}}}; the arena chooses it, put it in"
                     for name in needed if name not in found]


def _name_faults(data, folder):
    name = data.get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9-]+", name):
        return [f"name: is {name!r}, but may have only a-z, 0-9 and -"]
    if name != folder.name:
        return [f"name: is {name!r} in the folder {folder.name!r}; they must be equal"]
    return []


def shown(path):
    """Returns the path relative to the project, if it is inside."""
    path = Path(path)
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def _refuse(path, faults):
    if faults:
        raise ManifestError("\n".join(f"{shown(path)}: {fault}" for fault in faults))


def read(path):
    """Returns the Peer of one peer.toml; raises ManifestError if it is invalid."""
    path = Path(path)
    try:
        data = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as failure:
        raise ManifestError(f"{shown(path)}: cannot be read: {failure}") from None
    _refuse(path, schema.faults_of(data) or _name_faults(data, path.parent))
    peer = Peer(folder=path.parent.resolve(), cases=tuple(data["serves"]["cases"]),
                headers=tuple(name.lower() for name in data["serves"].get("headers", ())),
                note=data.get("note", ""), is_floor=data.get("is_floor", False), data=data,
                **{key: data[key] for key in
                   ("name", "title", "language", "licence", "origin", "version")})
    _contestants(peer)
    _refuse(path, _command_faults(peer))
    return peer


def manifest_paths(arena=ARENA):
    """Returns the manifests: floors first, then Eider's, then the others by name."""
    apps = sorted((arena / "apps").glob("*/peer.toml"),
                  key=lambda path: (path.parent.name != "eider", path.parent.name))
    floor = arena / "floor/peer.toml"
    return ([floor] if floor.exists() else []) + apps


def read_all(arena=ARENA):
    """Returns (every valid Peer, the errors of the others as texts)."""
    peers, faults, seen = [], [], {}
    for path in manifest_paths(arena):
        try:
            peer = read(path)
            for contestant in peer.contestants:
                if contestant.name in seen:
                    raise ManifestError(f"{shown(path)}: [[contestant]] name: {contestant.name!r} "
                                        f"is taken by {seen[contestant.name]}; choose another")
            seen.update((contestant.name, shown(path)) for contestant in peer.contestants)
            peers.append(peer)
        except ManifestError as failure:
            faults.append(str(failure))
    return peers, faults

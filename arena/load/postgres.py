"""A separate PostgreSQL of the arena: its directory, user, tables and CPU time.

Must not affect a running one: it listens only on a Unix socket in its own directory.
"""

import atexit
import ctypes
import glob
import os
import pwd
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from load import process
from load.server import ServerFailed
from peers import packages

NAME = "postgres"
USER = DATABASE = "arena"
WORLDS, ITEMS = 10_000, 100_000
CATEGORIES = ("electronics", "office", "toys", "garden")
FORTUNES = (
    "fortune: No such file or directory",
    "A computer scientist is someone who fixes things that aren't broken.",
    "After enough decimal places, nobody gives a damn.",
    "A bad random number generator: 1, 1, 1, 1, 1, 4.33e+67, 1, 1, 1",
    "A computer program does what you tell it to do, not what you want it to do.",
    "Emacs is a nice operating system, but I prefer UNIX. — Tom Christaensen",
    "Any program that runs right is obsolete.",
    "A list is only as strong as its weakest link. — Donald Knuth",
    "Feature: A bug with seniority.",
    "Computers make very fast, very accurate mistakes.",
    '<script>alert("This should not be displayed in a browser alert box.");</script>',
    "フレームワークのベンチマーク")
_PORT = 5432  # part of the socket's name only
_START_SECONDS_MAX, _SECONDS_MAX = 30, 120
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)
_SETTINGS = ("listen_addresses=", "fsync=off", "synchronous_commit=off", "max_connections=300",
             "shared_buffers=256MB", "max_wal_size=4GB")
_MEND = "./arena/run setup postgres"


class NotInstalled(Exception):
    """PostgreSQL is missing; has the reason and the solution."""


def number_of(world):
    """Returns the number in the table world for an ID, before updates."""
    return world * 7919 % WORLDS + 1


def item_of(item):
    """Returns the row of the table items for an ID, before changes."""
    return {"id": item, "name": f"Item {item}", "category": CATEGORIES[item % 4],
            "price": item * 37 % 500 + 1, "quantity": item % 100, "active": item % 3 != 0,
            "tags": ["fast", "new"] if item % 2 else ["plain"],
            "rating": {"score": item % 101, "count": item % 1000}}


def tables_sql():
    """Returns the statements that make all tables, with the rows of number_of and item_of."""
    def quoted(text):
        return "'" + text.replace("'", "''") + "'"
    fortunes = ", ".join(f"({number}, {quoted(text)})" for number, text in enumerate(FORTUNES, 1))
    categories = ", ".join(quoted(name) for name in CATEGORIES)
    return f"""begin;
drop table if exists world, fortune, items;
create table world(id int primary key, randomnumber int not null);
insert into world select i, i * 7919 % {WORLDS} + 1 from generate_series(1, {WORLDS}) as i;
create table fortune(id int primary key, message text not null);
insert into fortune values {fortunes};
create table items(id int primary key, name text not null, category text not null,
  price int not null, quantity int not null, active boolean not null, tags jsonb not null,
  rating_score int not null, rating_count int not null);
insert into items select i, 'Item ' || i, (array[{categories}])[i % 4 + 1],
  (i * 37) % 500 + 1, i % 100, i % 3 <> 0,
  case when i % 2 = 1 then '["fast", "new"]'::jsonb else '["plain"]'::jsonb end,
  i % 101, i % 1000 from generate_series(1, {ITEMS}) as i;
commit;
vacuum analyze;
"""


def program(name):
    """Returns the newest installed version; its bare name if the distribution has it in PATH."""
    def version(path):
        return float(Path(path).parts[-3])
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=version)
    return found[-1] if found else name


def account():
    """Returns {} or the user of the server, which does not start as root."""
    if os.geteuid() != 0:
        return {}
    try:
        found = pwd.getpwnam("postgres")
    except KeyError:
        raise ServerFailed(f"PostgreSQL is not installed: {_MEND}") from None
    return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}


class Postgres:
    """A running cluster in a temporary directory. Use as a context manager.

    where  libpq keywords for clients
    """

    def __init__(self, cores=None, settings=()):
        self._cores, self._process = cores, None
        self._settings = (*_SETTINGS, *settings)
        self._folder = tempfile.TemporaryDirectory(prefix="arena_postgres_")
        self._inner = Path(self._folder.name) / "pg"
        self.where = f"host={self._inner} port={_PORT} user={USER} dbname={DATABASE}"

    def __enter__(self):
        try:
            self._make()
            self._start()
            self.run("postgres", f"create database {DATABASE}")
            self.fill()
        except (OSError, subprocess.SubprocessError) as failure:
            self.__exit__()
            told = getattr(failure, "stderr", "") or failure
            raise ServerFailed(f"PostgreSQL does not start ({told}): {_MEND}") from None
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()
            self._process = None
        self._folder.cleanup()

    def _make(self):
        owner = account()
        os.chmod(self._folder.name, 0o711)
        self._inner.mkdir()
        if owner:
            os.chown(self._inner, owner["user"], owner["group"])
        subprocess.run([program("initdb"), "-D", str(self._inner / "data"), "-U", USER, "-A",
                        "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"],
                       check=True, capture_output=True, text=True, timeout=_SECONDS_MAX, cwd="/",
                       **owner)

    def _start(self):
        settings = [word for one in self._settings for word in ("-c", one)]
        with open(Path(self._folder.name) / "log", "wb") as log:
            self._process = subprocess.Popen(
                [program("postgres"), "-D", str(self._inner / "data"), "-k", str(self._inner),
                 "-p", str(_PORT), *settings], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd="/", start_new_session=True, preexec_fn=self._settle, **account())
        deadline = time.monotonic() + _START_SECONDS_MAX
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                log = (Path(self._folder.name) / "log").read_text(errors="replace")
                raise ServerFailed(f"PostgreSQL does not start: {log[-300:].strip()}")
            time.sleep(0.02)

    def _settle(self):
        """Runs in the child as the server's user: sets its cores and ends it with the arena."""
        if self._cores:
            os.sched_setaffinity(0, self._cores)
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)

    def _is_ready(self):
        return process.read(self._inner / "data/postmaster.pid").rstrip().endswith("ready")

    def run(self, database, sql):
        """Returns the output of psql for the statements: a line per row, columns separated by |."""
        ended = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", str(self._inner), "-p",
             str(_PORT), "-U", USER, "-d", database], input=sql, check=True, capture_output=True,
            text=True, timeout=_SECONDS_MAX, cwd="/")
        return ended.stdout

    def fill(self):
        """Creates all tables again, in their original state."""
        self.run(DATABASE, tables_sql())

    def numbers_of(self, worlds):
        """Returns {id: number} as stored now."""
        listed = ", ".join(str(int(world)) for world in worlds)
        rows = self.run(DATABASE, f"select id, randomnumber from world where id in ({listed})")
        return dict(tuple(map(int, row.split("|"))) for row in rows.splitlines())

    def cpu_ns(self):
        """Returns the CPU time of all of its processes; of ended ones in ticks."""
        return process.cpu_ns(self._process.pid)[0]


_shared = []


def shared(cores=None):
    """Returns the PostgreSQL of this run; the first call starts it, on these cores.

    Raises ServerFailed, with the solution.
    """
    if not _shared:
        _shared.append(Postgres(cores).__enter__())
        atexit.register(_end)
    return _shared[0]


def _end():
    while _shared:
        _shared.pop().__exit__()


def install(say):
    """Installs it and makes its tables once; raises NotInstalled if that is not possible."""
    try:
        packages.ensure(["postgresql"])
        with Postgres() as made:
            counts = made.run(DATABASE, "select count(*) from world; select count(*) from fortune; "
                              "select count(*) from items")
    except (packages.PackagesMissing, ServerFailed) as failure:
        raise NotInstalled(str(failure)) from None
    world, fortune, items = counts.split()
    say(f"{NAME}: its tables have {world} worlds, {fortune} fortunes and {items} items; each run "
        "makes its own")

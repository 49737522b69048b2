"""./arena/run setup: installs and builds the named peers, or all.

Must not stop at the first failure: the others are set up anyway.
"""

import sys

from cli import choosing
from load import postgres
from peers import oha, setup

_BESIDE = {oha.NAME: oha, postgres.NAME: postgres}  # programs that are not peers


def say(text):
    """Prints progress."""
    print(text, file=sys.stderr, flush=True)


def add(commands):
    """Adds the command and its options."""
    parser = commands.add_parser(
        "setup", help="install and build peers", description="Installs the packages of the peers, "
        "and builds their adapters. Peers of origin 'yours' are built when their library is found. "
        "The load generator oha and the database postgres are installed only if they are named.")
    parser.add_argument("peers", nargs="*", metavar="peer", help="only these (all)")
    parser.add_argument("--prefix", action="append", metavar="name=path",
                        help="where the library of a peer is installed (repeatable)")
    parser.add_argument("--again", action="store_true", help="build also what is set up already")
    parser.set_defaults(run=run)


def run(options):
    """Returns 0 if every named peer is set up; without names, failures are allowed."""
    peers = choosing.read_peers()
    prefixes = choosing.prefixes_of(options.prefix, peers)
    names = [name for name in options.peers if name not in _BESIDE]
    chosen = choosing.peers_named(names, peers) if options.peers else peers
    failed = _install([name for name in options.peers if name in _BESIDE])
    for number, peer in enumerate(chosen, 1):
        say(f"[{number}/{len(chosen)}] {peer.name}")
        prefix = prefixes.get(peer.name)
        if setup.is_ready(peer, prefix) and not options.again:
            continue
        try:
            setup.set_up(peer, prefix if prefix is not None else setup.prefix_of(peer), say)
        except setup.SetupFailed as failure:
            failed.append(peer.name)
            say(f"{peer.name} left out: {failure}")
    ready = [name for name in (*(peer.name for peer in chosen), *set(options.peers) - set(names))
             if name not in failed]
    print(f"set up: {', '.join(ready) or 'none'}")
    if failed:
        print(f"not set up: {', '.join(failed)}")
    return 1 if failed and options.peers else 0


def _install(names):
    """Returns the names of programs that could not be set up."""
    failed = []
    for name in names:
        try:
            _BESIDE[name].install(say)
        except (oha.NotInstalled, postgres.NotInstalled) as failure:
            failed.append(name)
            say(f"{name} left out: {failure}")
    return failed

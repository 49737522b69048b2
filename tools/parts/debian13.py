"""Debian 13 in a directory below build/: builds everything with g++ 14 and runs tests there.

Must not leave a mount or a process: each command runs in its own namespaces, which end with it.
"""

import os
import re
import shutil
import socket
import sys
import urllib.request
from pathlib import Path

if __name__ == '__main__':
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from parts import commands, programs, statics, units
from parts.build import ENVIRONMENT, Tree
from parts.outcome import Outcome, tail

SUITE = 'trixie'
PRESET = 'debian13'
USUAL_MIRROR = 'http://deb.debian.org/debian'
SOURCES = Path('/etc/apt/sources.list.d/debian.sources')
MIRROR_SECONDS_MAX = 30
MAKE_SECONDS_MAX = 1200
INSIDE_SECONDS_MAX = 3600
# Packages for tests in addition to the group `build` of tools/packages.txt.
TESTED_WITH = ('ca-certificates', 'ccache', 'curl', 'git', 'libgtest-dev', 'lld', 'make',
               'mariadb-server', 'nginx-light', 'openssl', 'postgresql', 'python3', 'redis-server',
               'sqlite3')
# Short scripts that use PostgreSQL, MariaDB, Redis, nginx and OpenSSL.
SCRIPTS = ('files_test.py', 'migrations_test.py', 'postgres_test.py', 'proxy_test.py',
           'redis_test.py', 'tls_test.py')
# Layers whose tests run under qemu: the core, the protocols, JSON, and the event loop.
ARM64_LAYERS = ('base', 'reflect', 'kinds', 'json', 'http', 'http/h1', 'http/h2', 'http/ws',
                'route', 'runtime', 'server', 'process', 'app', 'handlers', 'life', 'settings')
# Packages of architecture "all": the installed one serves arm64 too.
HEADERS_ALONE = ('libcli11-dev',)
# Arguments: the directory of Debian 13, the sources, the compiler cache, then the command to run.
ENTER = '''set -e
inside=$1 sources=$2 cache=$3; shift 3
mount -t proc proc "$inside/proc"
mount --rbind /sys "$inside/sys"
mount --rbind /dev "$inside/dev"
mount -t tmpfs tmpfs "$inside/tmp"
for place in "$sources" "$cache"; do
  mkdir -p "$place" "$inside$place"
  mount --bind "$place" "$inside$place"
done
cp /etc/resolv.conf "$inside/etc/resolv.conf"
exec chroot "$inside" sh -c 'cd "$0"; exec "$@"' "$sources" "$@"
'''


def check(outcome, root):
    """Builds and tests everything in Debian 13."""
    debian = made(outcome, root)
    if debian:
        debian.run(outcome, 'test')


def check_arm64(outcome, root):
    """Builds for arm64 in a copy where arm64 libraries replace those of this machine."""
    debian = made(outcome, root)
    if debian:
        debian.run(outcome, 'tools')
        other = Debian13(root, 'arm64')
        other.copy(debian)
        other.make(arm64_packages(root))
        other.run(outcome, 'arm64')


def made(outcome, root):
    """Returns the directory with all packages for `check`, or None if the part is skipped."""
    debian = Debian13(root)
    why = debian.reason_to_skip()
    if why:
        outcome.skip('Debian 13', why)
        return None
    debian.make([*packages_to_build(root), *TESTED_WITH])
    return debian


def packages_to_build(root):
    """Returns the Debian packages of the group `build` in tools/packages.txt."""
    lines = (root / 'tools/packages.txt').read_text(encoding='utf-8').splitlines()
    return [line.split()[1] for line in lines if line.startswith('build ')]


def arm64_packages(root):
    """Returns a compiler, an emulator and libraries; a trailing minus removes the amd64 package."""
    libraries = [name for name in [*packages_to_build(root), 'libgtest-dev']
                 if name.endswith('-dev') and name not in HEADERS_ALONE]
    return ['g++-aarch64-linux-gnu', 'qemu-user', *(f'{name}:arm64' for name in libraries),
            *(f'{name}:amd64-' for name in libraries)]


def mirror(sources=SOURCES):
    """Returns the URL of the Debian mirror that this machine uses."""
    found = re.search(r'^URIs:\s*(\S+/debian)/?$',
                      sources.read_text(encoding='utf-8') if sources.exists() else '',
                      re.MULTILINE)
    return found[1] if found else USUAL_MIRROR


class Debian13:
    """The directory with Debian 13. It is created once and then reused."""

    def __init__(self, root, name='debian'):
        self.root = root
        self.directory = root / 'build' / PRESET / name
        self.stamp = self.directory.with_suffix('.packages')  # the list of installed packages

    def reason_to_skip(self):
        """Returns why this machine cannot use it, or None if it can."""
        if os.geteuid() != 0:
            return 'needs root, for chroot and mount'
        if not commands.run([*namespaces(), 'true'], 10).is_good:
            return 'this machine does not allow new mount namespaces'
        if self.stamp.exists():
            return None
        if not shutil.which('debootstrap'):
            return 'needs debootstrap'
        try:
            urllib.request.urlopen(f'{mirror()}/dists/{SUITE}/Release',
                                   timeout=MIRROR_SECONDS_MAX).close()
        except OSError as failure:
            return f'the package mirror {mirror()} cannot be reached: {failure}'
        return None

    def copy(self, other):
        """Creates this directory as a copy of `other`, unless it exists."""
        if not self.stamp.exists():
            shutil.rmtree(self.directory, ignore_errors=True)
            done(['cp', '-a', '--reflink=auto', other.directory, self.directory])
            self.stamp.write_text(other.stamp.read_text(encoding='utf-8'), encoding='utf-8')

    def make(self, packages):
        """Creates the directory, or installs missing packages."""
        installed = set(self.stamp.read_text(encoding='utf-8').split()
                        if self.stamp.exists() else ())
        if installed.issuperset(packages):
            return
        if not installed:
            shutil.rmtree(self.directory, ignore_errors=True)  # the rest of an interrupted run
            self.directory.mkdir(parents=True)
            done(['debootstrap', '--variant=minbase', SUITE, self.directory, mirror()])
            # Packages start no service. dpkg skips fsync: after a power failure the directory can
            # be created again.
            policy = self.directory / 'usr/sbin/policy-rc.d'
            policy.write_text('#!/bin/sh\nexit 101\n', encoding='utf-8')
            policy.chmod(0o755)
            (self.directory / 'etc/dpkg/dpkg.cfg.d/unsafe').write_text('force-unsafe-io\n',
                                                                       encoding='utf-8')
        if any(name.endswith(':arm64') for name in packages):
            done(self.inside('dpkg', '--add-architecture', 'arm64'))
        done(self.inside('apt-get', 'update'))
        done(self.inside('apt-get', 'install', '-y', '--no-install-recommends', *packages))
        self.stamp.write_text(' '.join(sorted(installed.union(packages))), encoding='utf-8')

    def run(self, outcome, what):
        """Runs this file's `main` inside and adds its outcome."""
        found = self.stamp.with_name('outcome.json')
        found.unlink(missing_ok=True)
        ended = commands.run(self.inside('python3', 'tools/parts/debian13.py', what, str(found)),
                             INSIDE_SECONDS_MAX, self.root, ENVIRONMENT)
        if not ended.is_good or not found.exists():
            outcome.fail(f'Debian 13: {what}', tail(ended.output))
            return
        inner = Outcome.read(found)
        outcome.add(inner)
        outcome.notes += inner.notes

    def inside(self, *command):
        """Returns the command line that runs `command` inside."""
        return [*namespaces(), 'sh', '-c', ENTER, 'sh', str(self.directory), str(self.root),
                cache_directory(), 'env', 'DEBIAN_FRONTEND=noninteractive', 'LANG=C.UTF-8',
                'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root',
                f'CCACHE_DIR={cache_directory()}', *command]


def namespaces():
    """Returns the prefix of a command whose mounts and processes end with it."""
    return ['unshare', '--mount', '--pid', '--fork', '--kill-child']


def cache_directory():
    """Returns the directory of this machine's compiler cache."""
    return os.environ.get('CCACHE_DIR') or str(Path.home() / '.cache/ccache')


def done(command):
    """Runs the command; raises RuntimeError if it fails."""
    ended = commands.run(command, MAKE_SECONDS_MAX)
    if not ended.is_good:
        raise RuntimeError(f'{command[-1]}\n{tail(ended.output)}')


def test(outcome, root):
    """Builds everything with g++ 14 and runs unit tests, the cases of misuse, some scripts and
    programs that use the installed package."""
    tree = Tree(root, PRESET)
    tree.build()
    statics.check_misuse(outcome, root, 'g++')
    units.run(outcome, tree)
    programs.run_scripts(outcome, tree, SCRIPTS)
    with programs.installed(outcome, tree) as places:
        if places:
            programs.check_builds(outcome, *places, [('testing', 'g++', kind)
                                                     for kind in ('Debug', 'Release')])


def tools(_, root):
    """Builds the programs that a cross build runs on this machine."""
    Tree(root, PRESET).build('bin/eider', 'bin/eider-assets')


def arm64(outcome, root):
    """Builds the core and the examples, runs the tests of ARM64_LAYERS and requests one example."""
    tree = Tree(root, 'arm64')
    tree.build('examples/all', *(f'bin/{layer.replace("/", "_")}_test' for layer in ARM64_LAYERS))
    units.run(outcome, tree, ARM64_LAYERS)
    outcome.check('01_hello answers', hello_faults(tree))


def hello_faults(tree):
    """Returns the errors of a request to the first example, which the emulator runs."""
    with socket.create_server(('127.0.0.1', 0)) as free:
        port = free.getsockname()[1]
    program = commands.begin([*tree.command('01_hello'), '--port', str(port)], tree.root, {})
    try:
        ended = commands.run(['curl', '-sS', '--retry', '60', '--retry-connrefused',
                              '--retry-delay', '1', f'http://127.0.0.1:{port}/'], 120)
    finally:
        commands.end(program)
    return [] if ended.is_good and 'Hello' in ended.output else [tail(ended.output)]


WHAT = {'test': test, 'tools': tools, 'arm64': arm64}


def main():
    """Runs inside. Arguments: a key of WHAT, and the file for the outcome."""
    what, found = sys.argv[1:]
    root = Path.cwd()
    outcome = Outcome()
    try:
        WHAT[what](outcome, root)
    except Exception as failure:  # noqa: `Debian13.run` outside reports it
        outcome.fail(f'Debian 13: {what}', f'{type(failure).__name__}: {failure}')
    outcome.save(found)


if __name__ == '__main__':
    main()

"""Debian 13 below build/: when the part is skipped, installed packages, and leftover mounts.

Must not fetch anything: the directory and the commands inside are created here.
"""

import io
import json
import os
import subprocess
import tempfile
import time
import unittest
import urllib.error
from pathlib import Path
from unittest import mock

from parts import commands, debian13
from parts.commands import Ended
from parts.outcome import Outcome

DEB822 = """Types: deb
# http://snapshot.example/archive/debian/20250520T000000Z
URIs: http://mirror.example/pool/debian
Suites: bookworm bookworm-updates

Types: deb
URIs: http://mirror.example/pool/debian-security
"""


class Place(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        self.debian = debian13.Debian13(self.root)

    def patch(self, *place, **changes):
        """Applies a patch until the test ends."""
        patch = mock.patch.object(*place, **changes)
        self.addCleanup(patch.stop)
        return patch.start()


class Skipped(Place):
    """One line contains the reason, and nothing fails."""

    def setUp(self):
        super().setUp()
        self.patch(os, 'geteuid', return_value=0)
        self.run = self.patch(commands, 'run', return_value=Ended(0, ''))
        self.patch(debian13.shutil, 'which', return_value='/usr/sbin/debootstrap')
        self.open = self.patch(debian13.urllib.request, 'urlopen', return_value=io.BytesIO())

    def reasons(self):
        """Returns the reason why the part is skipped."""
        outcome = Outcome()
        with mock.patch.object(debian13.Debian13, 'make', side_effect=AssertionError('made')):
            debian13.check(outcome, self.root)
        self.assertEqual(outcome.failures, [])
        return [why for _, why in outcome.skipped]

    def test_without_root(self):
        os.geteuid.return_value = 1000
        self.assertEqual(self.reasons(), ['needs root, for chroot and mount'])

    def test_without_mount_namespaces(self):
        self.run.return_value = Ended(1, 'unshare: Operation not permitted')
        self.assertEqual(self.reasons(), ['this machine does not allow new mount namespaces'])

    def test_without_debootstrap(self):
        debian13.shutil.which.return_value = None
        self.assertEqual(self.reasons(), ['needs debootstrap'])

    def test_without_the_mirror(self):
        for failure in (urllib.error.URLError('no route'), TimeoutError('too late'),
                        ConnectionResetError('reset')):
            self.open.side_effect = failure
            [reason] = self.reasons()
            self.assertRegex(reason, r'^the package mirror \S+ cannot be reached: ')

    def test_not_when_the_directory_is_made_already(self):
        self.open.side_effect = urllib.error.URLError('no route')
        self.debian.stamp.parent.mkdir(parents=True)
        self.debian.stamp.write_text('g++')
        self.assertIsNone(self.debian.reason_to_skip())

    def test_not_when_all_is_there(self):
        self.assertIsNone(self.debian.reason_to_skip())


class Made(Place):
    """Installs once; later runs install only missing packages."""

    def setUp(self):
        super().setUp()
        self.begun = []

        def run(command, *_):
            self.begun.append(' '.join(map(str, command)))
            if command[0] == 'debootstrap':
                for name in ('usr/sbin', 'etc/dpkg/dpkg.cfg.d'):
                    (self.debian.directory / name).mkdir(parents=True)
            return Ended(100 if 'unknown' in command else 0, '')
        self.patch(commands, 'run', side_effect=run)

    def test_the_first_time(self):
        self.debian.make(['g++', 'libssl-dev:arm64'])
        self.assertIn('debootstrap --variant=minbase trixie', self.begun[0])
        self.assertTrue(self.begun[1].endswith('dpkg --add-architecture arm64'))
        self.assertTrue(self.begun[2].endswith('apt-get update'))
        self.assertTrue(self.begun[3].endswith('--no-install-recommends g++ libssl-dev:arm64'))

    def test_again(self):
        self.debian.make(['g++', 'curl'])
        self.begun.clear()
        self.debian.make(['curl'])
        self.assertEqual(self.begun, [])
        self.debian.make(['curl', 'git'])
        self.assertTrue(self.begun[-1].endswith('--no-install-recommends curl git'))
        self.debian.make(['g++', 'git'])
        self.assertEqual(len(self.begun), 2)

    def test_a_failure_is_repeated_by_the_next_run(self):
        with self.assertRaises(RuntimeError):
            self.debian.make(['unknown'])
        self.begun.clear()
        self.debian.make(['g++'])
        self.assertIn('debootstrap', self.begun[0])

    def test_packages_are_from_the_list(self):
        (self.root / 'tools').mkdir()
        (self.root / 'tools/packages.txt').write_text('# build: x\nbuild  g++  gcc\n'
                                                      'test   curl  curl\nbuild  cmake  cmake\n')
        self.assertEqual(debian13.packages_to_build(self.root), ['g++', 'cmake'])

    def test_for_arm64_libraries_replace_those_of_this_machine(self):
        (self.root / 'tools').mkdir()
        (self.root / 'tools/packages.txt').write_text(
            'build  g++  x\nbuild  libcli11-dev  x\nbuild  libssl-dev  x\n')
        self.assertEqual(debian13.arm64_packages(self.root), [
            'g++-aarch64-linux-gnu', 'qemu-user', 'libssl-dev:arm64', 'libgtest-dev:arm64',
            'libssl-dev:amd64-', 'libgtest-dev:amd64-'])

    def test_a_copy_has_what_the_other_has(self):
        other = debian13.Debian13(self.root, 'arm64')
        self.debian.make(['g++'])
        self.begun.clear()
        other.copy(self.debian)
        other.copy(self.debian)
        other.make(['g++'])
        self.assertEqual(self.begun, [
            f'cp -a --reflink=auto {self.debian.directory} {other.directory}'])

    def test_the_mirror_is_that_of_the_machine(self):
        sources = self.root / 'debian.sources'
        self.assertEqual(debian13.mirror(sources), debian13.USUAL_MIRROR)
        sources.write_text(DEB822)
        self.assertEqual(debian13.mirror(sources), 'http://mirror.example/pool/debian')
        sources.write_text('URIs: http://mirror.example/debian/\n')
        self.assertEqual(debian13.mirror(sources), 'http://mirror.example/debian')


class Run(Place):
    """The part reports the outcome of the run inside."""

    def outcome_of(self, ended, inner=None):
        """Returns the outcome of the part if the run inside ends in this way."""
        self.debian.stamp.parent.mkdir(parents=True)

        def run(command, *_):
            if inner is not None:
                Path(command[-1]).write_text(json.dumps(vars(inner)))
            return ended
        self.patch(commands, 'run', side_effect=run)
        outcome = Outcome()
        self.debian.run(outcome, 'test')
        return outcome

    def test_counts_and_failures_are_added(self):
        inner = Outcome()
        inner.ok(3)
        inner.fail('a_test: A.b', 'wrong')
        inner.skip('c', 'no d')
        inner.notes.append('slowest: e')
        outcome = self.outcome_of(Ended(0, ''), inner)
        self.assertEqual((outcome.passed, outcome.failures, outcome.skipped, outcome.notes),
                         (3, [['a_test: A.b', 'wrong']], [['c', 'no d']], ['slowest: e']))

    def test_one_that_breaks_off_has_failed(self):
        outcome = self.outcome_of(Ended(None, 'compiling\n(ended after 3600 s)'))
        self.assertEqual(outcome.failures[0][1], 'compiling\n(ended after 3600 s)')

    def test_one_without_an_outcome_has_failed(self):
        self.assertEqual(len(self.outcome_of(Ended(0, '')).failures), 1)


@unittest.skipUnless(os.geteuid() == 0 and
                     commands.run([*debian13.namespaces(), 'true'], 10).is_good,
                     'needs root and mount namespaces')
class Namespaces(Place):
    """Mounts and processes end with the command, however it ends."""

    def setUp(self):
        super().setUp()
        for name in ('proc', 'sys', 'dev', 'tmp', 'etc'):
            (self.debian.directory / name).mkdir(parents=True)
        self.patch(debian13, 'cache_directory', return_value=str(self.root / 'cache'))
        # Without a shell in the chroot: commands run outside of it instead.
        self.patch(debian13, 'ENTER', new=debian13.ENTER.partition('exec chroot')[0] + '"$@"')

    def assert_nothing_is_left(self):
        self.assertNotIn(str(self.debian.directory), Path('/proc/self/mounts').read_text())

    def test_after_success_and_failure(self):
        seen = commands.run(self.debian.inside('cat', '/proc/self/mounts'), 20)
        self.assertIn(f'{self.debian.directory}/proc', seen.output)
        self.assert_nothing_is_left()
        self.assertFalse(commands.run(self.debian.inside('false'), 20).is_good)
        self.assert_nothing_is_left()

    def test_after_its_time_is_over(self):
        mark = time.monotonic_ns()
        ended = commands.run(self.debian.inside(
            'sh', '-c', f'setsid sleep 1000.{mark} & sleep 1000.{mark}'), 1)
        self.assertIsNone(ended.status)
        self.assert_nothing_is_left()
        self.assertEqual(subprocess.run(['pgrep', '-f', f'^sleep 1000.{mark}'], check=False,
                                        capture_output=True).stdout, b'')


if __name__ == '__main__':
    unittest.main()

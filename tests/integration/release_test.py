"""packaging/release: the tarball, its SBOM, the checksums and the signature.

Must not build the library from the tarball, which packages_test.py shows for other packages.
"""

import json
import re
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

from support import ROOT

STEP_SECONDS_MAX = 120


class Release(unittest.TestCase):
    """One release by a key of its own, made twice."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.place = Path(cls.directory.name)
        cls.key = cls.place / 'key'
        subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', cls.key], check=True)
        cls.folders = [cls.place / name for name in ('one', 'two')]
        for folder in cls.folders:
            status, said = cls.release('--key', cls.key, '--output', folder)
            if status != 0:
                raise AssertionError(said)
        version = re.search(r'project\(eider VERSION (\S+)', (ROOT / 'CMakeLists.txt').read_text())
        cls.name = f'eider-{version[1]}'

    @classmethod
    def release(cls, *words):
        """(exit code, output) of the command."""
        ended = subprocess.run([ROOT / 'packaging/release', *words], cwd=cls.place, text=True,
                               check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               timeout=STEP_SECONDS_MAX)
        return ended.returncode, ended.stdout

    def verified(self, sums):
        """Whether the signature is one of these checksums by the key."""
        signers = self.place / 'signers'
        signers.write_text(f'release@eider {self.key.with_suffix(".pub").read_text()}')
        ended = subprocess.run(
            ['ssh-keygen', '-Y', 'verify', '-f', signers, '-I', 'release@eider', '-n', 'file',
             '-s', self.folders[0] / 'SHA256SUMS.sig'], input=sums, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return ended.returncode == 0

    def test_two_runs_make_the_same_bytes(self):
        names = sorted(file.name for file in self.folders[0].iterdir())
        self.assertEqual(names, ['SHA256SUMS', 'SHA256SUMS.sig', f'{self.name}.cdx.json',
                                 f'{self.name}.tar.gz'])
        for name in names:
            one, two = ((folder / name).read_bytes() for folder in self.folders)
            self.assertEqual(one, two, name)

    def test_the_tarball_has_the_files_of_the_commit(self):
        with tarfile.open(self.folders[0] / f'{self.name}.tar.gz') as tar:
            names = {name for name in tar.getnames() if tar.getmember(name).isfile()
                     or tar.getmember(name).issym()}
        listed = subprocess.run(['git', '-C', ROOT, 'ls-tree', '-r', '-z', '--name-only', 'HEAD'],
                                check=True, text=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(names, {f'{self.name}/{name}' for name in listed.split('\0') if name})

    def test_the_checksums_are_right_and_signed(self):
        subprocess.run(['sha256sum', '--check', '--strict', '--quiet', 'SHA256SUMS'], check=True,
                       cwd=self.folders[0])
        sums = (self.folders[0] / 'SHA256SUMS').read_bytes()
        self.assertTrue(self.verified(sums))
        self.assertFalse(self.verified(sums.replace(b'a', b'b')))

    def test_the_sbom_lists_each_library_with_its_component(self):
        bill = json.loads((self.folders[0] / f'{self.name}.cdx.json').read_text())
        self.assertEqual(('CycloneDX', '1.5'), (bill['bomFormat'], bill['specVersion']))
        needed = {one['name']: one['properties'][0]['value'] for one in bill['components']}
        self.assertEqual('core', needed['simdjson'])
        self.assertEqual('tls', needed['openssl'])
        self.assertEqual('postgres', needed['libpq'])
        self.assertNotIn('cli11', needed)  # is needed for the build only
        self.assertEqual([one['bom-ref'] for one in bill['components']],
                         bill['dependencies'][0]['dependsOn'])

    def test_a_wrong_call_says_how_it_is_done(self):
        self.assertRegex(self.release()[1], 'one of the arguments --key --unsigned is required')
        status, said = self.release('--key', 'none')
        self.assertEqual(2, status)
        self.assertIn('there is no key none. Create one with ssh-keygen -t ed25519', said)
        status, said = self.release('--unsigned', '--output', self.place / 'x', 'no-such-tag')
        self.assertEqual(1, status)
        self.assertIn('packaging/release: git exited with status 128', said)


if __name__ == '__main__':
    unittest.main()

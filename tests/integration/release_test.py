"""packaging/release: the tarball, its SBOM, the checksums and the signature.

Must not build the library from the tarball; packages_test.py does so for other packages.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from support import ROOT

STEP_SECONDS_MAX = 120


def part_of(library):
    """Returns which component needs it, and how."""
    return library['component'], library['use']


class Release(unittest.TestCase):
    """One release with its own key, created twice."""

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
        """Returns (exit code, output) of the command."""
        ended = subprocess.run([ROOT / 'packaging/release', *words], cwd=cls.place, text=True,
                               check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               timeout=STEP_SECONDS_MAX)
        return ended.returncode, ended.stdout

    def verified(self, sums):
        """Returns whether the key has signed these checksums."""
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
        needed = {one['name']: {each['name'].removeprefix('eider:'): each['value']
                                for each in one['properties']} for one in bill['components']}
        self.assertEqual(('core', 'linked'), part_of(needed['simdjson']))
        self.assertEqual(('tls', 'linked'), part_of(needed['openssl']))
        self.assertEqual(('postgres', 'linked'), part_of(needed['libpq']))
        self.assertEqual(('core', 'compiled in'), part_of(needed['cli11']))
        self.assertEqual(('swagger', 'compiled in'), part_of(needed['swagger-ui-dist']))
        self.assertRegex(needed['swagger-ui-dist']['versions'], r'^\d+\.\d+\.\d+$')
        self.assertEqual([one['bom-ref'] for one in bill['components']],
                         bill['dependencies'][0]['dependsOn'])

    def test_a_wrong_call_says_how_it_is_done(self):
        self.assertRegex(self.release()[1], 'one of the arguments --key --unsigned is required')
        status, said = self.release('--key', 'none')
        self.assertEqual(2, status)
        self.assertIn('there is no key none. Create one with ssh-keygen -t ed25519', said)
        status, said = self.release('--unsigned', '--output', self.place / 'x', 'no-such-tag')
        self.assertEqual(1, status)
        self.assertIn('packaging/release: git exited with status 128: fatal: Needed a single '
                      'revision', said)
        status, said = self.release('--unsigned', '--output', self.key)
        self.assertEqual(1, status)
        self.assertIn('File exists', said)

    def test_an_annotated_tag_and_the_settings_of_git_do_not_matter(self):
        clone = self.place / 'clone'
        settings = self.place / 'gitconfig'
        settings.write_text('[core]\nautocrlf = true\n[tar]\numask = 0077\n[user]\nname = a\n'
                            'email = a@example.org\n[safe]\ndirectory = *\n')
        environment = {**os.environ, 'GIT_CONFIG_GLOBAL': str(settings)}
        for words in (['git', 'clone', '-q', '--no-checkout', ROOT, clone],
                      ['git', '-C', clone, 'tag', '-a', 'v0', '-m', 'a release', 'HEAD']):
            subprocess.run(words, check=True, env=environment)
        (clone / 'packaging').mkdir()
        copy = clone / 'packaging/release'
        copy.write_bytes((ROOT / 'packaging/release').read_bytes())
        subprocess.run([sys.executable, copy, '--unsigned', '--output', self.place / 'tag', 'v0'],
                       check=True, env=environment, stdout=subprocess.DEVNULL)
        self.assertEqual((self.folders[0] / 'SHA256SUMS').read_bytes(),
                         (self.place / 'tag/SHA256SUMS').read_bytes())

    def test_a_signature_of_an_earlier_release_does_not_stay(self):
        folder = self.place / 'again'
        self.release('--key', self.key, '--output', folder)
        self.assertEqual(0, self.release('--unsigned', '--output', folder)[0])
        self.assertFalse((folder / 'SHA256SUMS.sig').exists())

    def test_the_reason_for_a_missing_signature_is_in_the_message(self):
        no_key = self.place / 'no-key'
        no_key.write_text('not a key\n')
        no_key.chmod(0o600)
        status, said = self.release('--key', no_key, '--output', self.place / 'unsigned')
        self.assertEqual(1, status)
        self.assertRegex(said, r'packaging/release: ssh-keygen exited with status \d+: \S+')
        self.assertFalse((self.place / 'unsigned/SHA256SUMS.sig').exists())


if __name__ == '__main__':
    unittest.main()

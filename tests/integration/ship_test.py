"""`eider package` and `eider deploy`, and their errors: a program, and one with a database, are
built, packed, run in an empty root, and deployed to a real sshd on this machine.

Must need only a shell on the target machine; systemd is simulated. The usual case, and rollback
under load, are in way_test.py.
"""

import contextlib
import gzip
import hashlib
import http.client
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tarfile
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from project_support import STEP_SECONDS_MAX, Installed, environment
from ssh_support import SSHD, SshFiles
from support import free_port

MAIN = r'''#include <eider/eider.h>
#include <eider/middleware.h>

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

// What it does is told by a file of its release, so that one program is all releases.
int main(int argc, char** argv) {
  std::string mode = "none";
  const char* const file = std::getenv("MODE_FILE");
  std::ifstream(file == nullptr ? "current/assets/mode" : file) >> mode;
  if (mode == "broken") {
    return 3;
  }
  if (mode == "late") {
    sleep(10);
  }
  eider::App app;
  eider::serve_health(app);
  app.get("/mode", [mode] { return mode; });
  app.check("mode", [mode] {
    if (mode == "sick") {
      throw std::runtime_error("sick");
    }
  });
  return app.run(argc, argv);
}
'''
CMAKE = '''cmake_minimum_required(VERSION 3.25)
project(shop VERSION 0.1.0 LANGUAGES CXX)
find_package(eider 0.1 REQUIRED COMPONENTS core)
add_executable(shop main.cc)
target_link_libraries(shop PRIVATE eider::core)
eider_project(shop)
'''
# The second project, which stores notes.
NOTES_MAIN = r'''#include <eider/database.h>
#include <eider/eider.h>
#include <eider/middleware.h>
#include <eider/sqlite.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "shop_migrations.h"

using Notes = std::vector<std::string>;
using eider::Database;
using eider::State;
using eider::Task;

int main(int argc, char** argv) {
  std::string query;
  std::ifstream file("current/assets/query");
  std::getline(file, query);
  const Database database = eider::open_sqlite("shop.db");
  eider::App app;
  app.state(database);
  app.add_module<eider::SchemaModule>(
      database, shop_migrations(),
      eider::MigrateOptions{.accepts_newer = std::getenv("ACCEPTS_NEWER") != nullptr});
  eider::serve_health(app);
  app.post("/notes/{text}", [](std::string text, State<Database> db) -> Task<> {
    co_await db->exec("insert into notes(text) values ($1)", text);
  });
  app.get("/notes", [query](State<Database> db) -> Task<Notes> {
    co_return co_await db->all<std::string>(eider::db::RuntimeSql{query});
  });
  app.check("query", [query](State<Database> db) -> Task<> {
    co_await db->all<std::string>(eider::db::RuntimeSql{query});
  });
  return app.run(argc, argv);
}
'''
NOTES_CMAKE = CMAKE.replace('COMPONENTS core', 'COMPONENTS core sqlite').replace(
    'eider::core', 'eider::core eider::sqlite') + 'eider_migrations(shop DIRECTORY migrations)\n'
TABLE = 'create table notes(id integer primary key, text text not null);\n'
SHARED = None


class Shared(Installed):
    """One prefix and two projects for all tests."""

    def __enter__(self):
        super().__enter__()
        self.shop = Path(self.place.name, 'shop')
        (self.shop / 'assets').mkdir(parents=True)
        (self.shop / 'CMakeLists.txt').write_text(CMAKE)
        (self.shop / 'main.cc').write_text(MAIN)
        (self.shop / 'LICENSE').write_text('Nobody may.\n')
        self.notes = Path(self.place.name, 'notes')
        self.write_notes('select text from notes', TABLE)
        (self.notes / 'CMakeLists.txt').write_text(NOTES_CMAKE)
        (self.notes / 'main.cc').write_text(NOTES_MAIN)
        return self

    def write_notes(self, query, *migrations):
        """A release that reads its notes in this way, with that schema."""
        for folder in ('assets', 'migrations'):
            shutil.rmtree(self.notes / folder, ignore_errors=True)
            (self.notes / folder).mkdir(parents=True)
        (self.notes / 'assets/query').write_text(query)
        for number, text in enumerate(migrations, 1):
            (self.notes / f'migrations/{number:04}_step.sql').write_text(text)

    def package(self, mode, *words):
        """Packs the project; returns the archive, from the last line of the output."""
        (self.shop / 'assets/mode').write_text(mode)
        status, said, errors = eider('package', *words)
        if status != 0:
            raise AssertionError(said + errors)
        return self.shop / said.strip()


def setUpModule():
    global SHARED  # pylint: disable=global-statement
    SHARED = unittest.enterModuleContext(Shared())


def eider(*words, place=None, **changes):
    """Returns the exit code and output of the command in that project, with a fixed time."""
    return SHARED.eider(*words, place=place or SHARED.shop,
                        **{'SOURCE_DATE_EPOCH': '1700000000', **changes})


def ask(port, path, method='GET'):
    """Returns (status, content), or nothing without a response."""
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=10)
    with contextlib.closing(connection), contextlib.suppress(OSError):
        connection.request(method, path)
        reply = connection.getresponse()
        return reply.status, reply.read().decode()
    return None


def until(is_so, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError(f'in vain: {what()}')
        time.sleep(0.02)


@contextlib.contextmanager
def running(words, port, **more):
    """Runs a program that responds on that port, and ends it afterwards."""
    with subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, **more) as process:
        try:
            until(lambda: ask(port, '/livez') or process.poll() is not None,
                  lambda: 'nobody answers')
            yield process
        finally:
            process.terminate()


class Packages(unittest.TestCase):
    def setUp(self):
        self.place = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_an_archive_runs_from_anywhere_with_its_own_libraries(self):
        package = SHARED.package('one', '--output', self.place)
        self.assertRegex(package.name, r'^shop-0\.1\.0-linux-(amd64|arm64)\.tar\.gz$')
        with tarfile.open(package) as archive:
            names = archive.getnames()
            for member in archive:
                self.assertEqual((member.uid, member.gid, member.uname, member.mtime),
                                 (0, 0, '', 1700000000), member.name)
            archive.extractall(self.place)  # noqa: S202, created by this test
        self.assertEqual(names, sorted(names))
        root = self.place / package.name.removesuffix('.tar.gz')
        for file in ('bin/shop', 'lib/libstdc++.so.6', 'assets/mode', 'licenses/LICENSE',
                     'licenses/libstdc++6', 'sbom.cdx.json'):
            self.assertTrue((root / file).is_file(), file)
        self.assertEqual([each for each in os.listdir(root / 'lib')
                          if re.match(r'ld-linux|lib(c|m|pthread|dl|resolv)\.so', each)], [])
        moved = self.place / 'somewhere else'
        root.rename(moved)
        port = free_port()
        env = {'EIDER_PORT': str(port), 'MODE_FILE': str(moved / 'assets/mode')}
        with running([moved / 'bin/shop'], port, env=env) as process:
            self.assertEqual(ask(port, '/mode'), (200, 'one'))
            maps = Path(f'/proc/{process.pid}/maps').read_text()
        own = set(os.listdir(moved / 'lib'))
        for line in set(re.findall(r'/\S.*\.so.*$', maps, re.MULTILINE)):
            name = Path(line).name
            self.assertEqual(name in own, line.startswith(str(moved)), line)
        self.assertEqual({name for name in own if str(moved / 'lib' / name) not in maps}, set())

    def test_built_again_elsewhere_it_is_the_same_and_tells_no_folder(self):
        elsewhere = self.place / "the second's, elsewhere/shop"
        shutil.copytree(SHARED.notes, elsewhere, ignore=shutil.ignore_patterns('build'))
        made = []
        for project in (SHARED.notes, elsewhere):
            shutil.rmtree(project / 'build/packages', ignore_errors=True)
            for kind in ('tar', 'oci'):
                status, _, errors = eider('package', '--format', kind, place=project)
                self.assertEqual(status, 0, errors)
            program = (project / 'build/package/shop').read_bytes()
            self.assertFalse(str(project).encode() in program)  # too long for a message
            packages = project / 'build/packages'
            made.append({str(file.relative_to(packages)): hashlib.sha256(file.read_bytes()).digest()
                         for file in packages.rglob('*') if file.is_file()})
        self.assertEqual(made[0], made[1])
        self.assertIn('shop-0.1.0-oci/index.json', made[0])

    def test_the_time_of_a_commit_is_read_whatever_git_shows_in_addition(self):
        project = self.place / 'shop'
        shutil.copytree(SHARED.shop, project, ignore=shutil.ignore_patterns('build'))
        git = ['git', '-C', project, '-c', 'user.name=a', '-c', 'user.email=a@shop.test']
        date = {'GIT_AUTHOR_DATE': '1600000000 +0000', 'GIT_COMMITTER_DATE': '1600000000 +0000'}
        for words in (['init', '-q'], ['add', '.'], ['commit', '-q', '-m', 'one']):
            subprocess.run([*git, *words], check=True, env={**os.environ, **date})
        status, said, errors = eider('package', place=project, SOURCE_DATE_EPOCH='', GIT_TRACE='1')
        self.assertEqual(status, 0, errors)
        with tarfile.open(project / said.strip()) as archive:
            self.assertEqual({one.mtime for one in archive}, {1600000000})

    def test_what_is_packed_is_told_to_programs(self):
        path = SHARED.package('one').relative_to(SHARED.shop)
        status, said, _ = eider('package', '--json')
        digest = hashlib.sha256((SHARED.shop / path).read_bytes()).hexdigest()
        self.assertEqual((status, json.loads(said)), (0, {
            'name': 'shop', 'version': '0.1.0', 'path': str(path), 'sha256': digest}))

    def test_another_release_is_another_package(self):
        first = SHARED.package('one').read_bytes()
        self.assertNotEqual(first, SHARED.package('two', '--output', self.place).read_bytes())

    def test_the_bill_names_each_library_its_package_and_digest(self):
        with tarfile.open(SHARED.package('one')) as archive:
            names = archive.getnames()
            bill = json.load(archive.extractfile(
                next(each for each in names if each.endswith('/sbom.cdx.json'))))
            self.assertEqual((bill['bomFormat'], bill['specVersion']), ('CycloneDX', '1.5'))
            self.assertEqual(bill['metadata']['component']['name'], 'shop')
            files = {}
            for component in bill['components']:
                if component['name'] == 'eider':
                    continue
                version = subprocess.run(
                    ['dpkg-query', '-W', '-f=${Version}\n', component['name']], text=True,
                    capture_output=True, check=True).stdout.split()
                self.assertIn(component['version'], version)
                self.assertRegex(component['purl'], r'^pkg:deb/[a-z]+/[A-Za-z0-9%.-]+@\S+\?arch=')
                for file in component['components']:
                    files[file['name']] = file['hashes'][0]['content']
            packed = [each for each in names if '/lib/' in each]
            self.assertEqual(sorted(files), sorted(Path(each).name for each in packed))
            for each in packed:
                content = archive.extractfile(each).read()
                self.assertEqual(hashlib.sha256(content).hexdigest(), files[Path(each).name])
        refs = [each['bom-ref'] for each in bill['components']]
        self.assertEqual(bill['dependencies'], [{'ref': 'program', 'dependsOn': refs}])
        self.assertEqual(len(set(refs)), len(refs))

    def test_an_image_is_read_by_skopeo_and_runs_in_an_empty_root(self):
        image = SHARED.package('one', '--format', 'oci', '--output', self.place)
        self.assertEqual(image.name, 'shop-0.1.0-oci')
        index = (image / 'index.json').read_bytes()
        SHARED.package('one', '--format', 'oci', '--output', self.place)
        self.assertEqual(index, (image / 'index.json').read_bytes())  # it contains all digests
        for blob in (image / 'blobs/sha256').iterdir():
            self.assertEqual(hashlib.sha256(blob.read_bytes()).hexdigest(), blob.name)
        manifest = self.check_image(image)
        layer = image / 'blobs/sha256' / manifest['layers'][0]['digest'].removeprefix('sha256:')
        root = self.place / 'root'
        with tarfile.open(fileobj=io.BytesIO(gzip.decompress(layer.read_bytes()))) as archive:
            self.assertEqual(archive.getmember('./tmp').mode, 0o1777)
            archive.extractall(root)  # noqa: S202, created by this test
        port = free_port()
        space = [] if os.getuid() == 0 else ['unshare', '--user', '--map-root-user']
        if subprocess.run([*space, 'true'], check=False, capture_output=True).returncode:
            self.skipTest('no namespaces here')
        with running([*space, 'chroot', root, '/bin/shop', '--port', port], port,
                     env={'PATH': os.environ['PATH'], 'MODE_FILE': '/assets/mode'}):
            self.assertEqual(ask(port, '/mode'), (200, 'one'))

    def check_image(self, image):
        """Copies the image with skopeo; returns the manifest."""
        if not shutil.which('skopeo'):
            self.skipTest('skopeo is not installed')
        def skopeo(*words):
            return json.loads(subprocess.run(['skopeo', *words, f'oci:{image}'], check=True,
                                             capture_output=True, timeout=60).stdout)
        about = skopeo('inspect')
        self.assertEqual((about['Os'], about['Labels']['org.opencontainers.image.version'],
                          about['Created']), ('linux', '0.1.0', '2023-11-14T22:13:20Z'))
        config = skopeo('inspect', '--config')['config']
        self.assertEqual((config['Entrypoint'], config['User'], config['StopSignal']),
                         (['/bin/shop'], '10001:10001', 'SIGTERM'))
        self.assertIn('EIDER_LISTEN=0.0.0.0:8080', config['Env'])
        # All blobs are copied, and each one is verified with its digest.
        subprocess.run(['skopeo', 'copy', '-q', f'oci:{image}', f'dir:{self.place}/copied'],
                       check=True, capture_output=True, timeout=60)
        return skopeo('inspect', '--raw')

    def assert_fails(self, status, said, *words, **more):
        """Expects that nothing is packed, with this reason."""
        ended, out, errors = eider('package', *words, **more)
        self.assertEqual((ended, out, errors.splitlines()[-1:]), (status, '', [said]))

    def test_hidden_and_private_files_are_not_published(self):
        public = Path(SHARED.shop, 'public')
        self.addCleanup(shutil.rmtree, public)
        for name in ('.env', '.git/config', 'a/.htpasswd', '.well-known/security.txt', 'a/b.txt'):
            file = public / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text('text')
            file.chmod(0o600 if name == '.env' else 0o644)
        package = SHARED.package('hidden', '--output', self.place)
        with tarfile.open(package) as archive:
            names = [name.partition('/')[2] for name in archive.getnames()
                     if '/public/' in name]
        self.assertEqual(sorted(names), ['public/.well-known', 'public/.well-known/security.txt',
                                         'public/a', 'public/a/b.txt'])
        Path(public, 'a/key.pem').write_text('text')
        Path(public, 'a/key.pem').chmod(0o600)
        self.assert_fails(1, 'eider package: only you can read public/a/key.pem, but a package '
                             'is readable for everyone. Move the file out of the folder, or '
                             'run: chmod a+r public/a/key.pem', '--output', self.place)

    def test_what_cannot_be_packed_is_told(self):
        for words, status, said in (
                (('--format', 'zip'), 2, '--format must be tar or oci, not zip; see eider '
                                         'package --help'),
                (('x',), 2, 'unexpected argument x; see eider package --help'),
                (('--output', '/proc/nowhere'), 1, 'cannot write in /proc/nowhere'),
                (('--with', '../prefix'), 1, '../prefix is outside of the project folder and '
                                             'cannot be packaged'),
                (('--with', 'nothing'), 1, f'nothing does not exist in {SHARED.shop}')):
            self.assert_fails(status, f'eider package: {said}', *words)
        self.assert_fails(1, 'eider package: SOURCE_DATE_EPOCH must be a number of seconds '
                             'since 1970, not today', SOURCE_DATE_EPOCH='today')
        image = self.place / 'shop-0.1.0-oci'
        image.mkdir()
        self.assert_fails(1, f'eider package: {image} exists and is not an image. Delete it',
                          '--format', 'oci', '--output', self.place)
        self.assertEqual(os.listdir(self.place), [image.name])


class Sshd(SshFiles):
    """A separate sshd on a port of this machine. Use as a context manager."""

    def __init__(self, place):
        super().__init__(place, '127.0.0.1', free_port())
        self.write_config('nowhere', free_port(), 'key')

    def __enter__(self):
        if os.getuid() == 0:
            os.makedirs('/run/sshd', exist_ok=True)  # required by sshd for its chroot
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        try:
            self.wait_for(self.process)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class Deploying(unittest.TestCase):
    """A folder for deployments, on the test's own sshd."""

    @classmethod
    def setUpClass(cls):
        place = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.sshd = cls.enterClassContext(Sshd(place))

    def setUp(self):
        place = self.enterContext(tempfile.TemporaryDirectory())
        # With all characters that a shell could interpret.
        self.there = Path(place, "it's $(touch hit) `id` \"a\" ; & |*")
        self.there.mkdir()
        self.port = free_port()
        (self.there / 'shop.toml').write_text(f'[server]\nport = {self.port}\n')
        self.addCleanup(self.stop)

    def stop(self):
        with contextlib.suppress(OSError, ValueError):
            pid = self.pid()
            os.kill(pid, signal.SIGTERM)
            until(lambda: not Path(f'/proc/{pid}/exe').exists() or
                  '\tZ' in Path(f'/proc/{pid}/status').read_text(), lambda: f'{pid} does not end')

    def pid(self):
        return int((self.there / 'shop.pid').read_text())

    def send(self, *words, config='key', **changes):
        return eider('deploy', 'shop.test', '--dir', self.there, *words, '--', '-F',
                     self.sshd.place / f'{config}.config', **changes)

    def current(self):
        return Path(os.readlink(self.there / 'current')).name


@unittest.skipUnless(SSHD, 'sshd is not installed')
class Deployed(Deploying):
    def deploy(self, mode, *words, **more):
        (SHARED.shop / 'assets/mode').write_text(mode)
        return self.send(*words, **more)

    def deployed(self, mode, *words, **changes):
        """Deploys; returns the output. The service must run."""
        status, said, errors = self.deploy(mode, *words, **changes)
        self.assertEqual(status, 0, said + errors)
        self.assertEqual(ask(self.port, '/mode'), (200, mode))
        self.assertEqual(ask(self.port, '/readyz')[0], 200)
        return said

    def test_a_first_release_that_fails_leaves_nothing_that_runs(self):
        status, _, errors = self.deploy('broken')
        self.assertEqual(status, 1)
        self.assertIn('eider deploy: the program did not start; end of its log:\n', errors)
        self.assertTrue(
            errors.endswith('there was no previous release, so nothing serves\n'), errors)
        self.assertFalse((self.there / 'current').is_symlink())
        self.assertEqual((self.there / 'shop.log').stat().st_mode & 0o077, 0, 'links may be in it')
        # Other processes are left alone, whatever the pid file contains.
        other = self.enterContext(subprocess.Popen(['sleep', '600']))
        self.addCleanup(other.kill)
        (self.there / 'shop.pid').write_text(f'{other.pid}\n')
        self.deployed('one')
        self.assertIsNone(other.poll())

    def test_one_that_comes_too_late_does_not_take_over(self):
        self.deployed('one')
        before = self.current()
        begun = time.monotonic()
        status, _, errors = self.deploy('late', '--within', '2')
        self.assertEqual(status, 1)
        self.assertIn('no result within 2 s', errors)
        self.assertTrue(errors.endswith(f'rolled back: releases/{before} serves\n'), errors)
        while time.monotonic() < begun + 13:
            self.assertEqual(ask(self.port, '/mode'), (200, 'one'))
            time.sleep(0.2)

    def test_a_health_check_without_a_response_ends_with_the_time_limit(self):
        self.deployed('one')
        before = self.current()
        silent = self.enterContext(socket.create_server(('127.0.0.1', 0)))
        begun = time.monotonic()
        status, _, errors = self.deploy('two', '--within', '5', '--health',
                                        f'http://127.0.0.1:{silent.getsockname()[1]}/')
        self.assertEqual(status, 1)
        self.assertLess(time.monotonic() - begun, 60)
        self.assertIn(' does not respond: set the URL with --health URL', errors)
        self.assertTrue(errors.endswith(f'rolled back: releases/{before} serves\n'), errors)

    def test_the_one_before_may_take_longer_than_the_new_one_had(self):
        self.deployed('late')
        before, answers = self.current(), set()
        with ThreadPoolExecutor() as pool:
            deploying = pool.submit(self.deploy, 'sick', '--within', '5')
            while not deploying.done():
                answers.add(ask(self.port, '/mode'))
                time.sleep(0.05)
        status, said, errors = deploying.result()
        self.assertEqual(status, 1)
        self.assertEqual(said.count(' replaced '), 2, said + errors)
        self.assertEqual((self.current(), answers), (before, {(200, 'late'), (200, 'sick')}))

    def test_the_last_five_releases_stay(self):
        releases = self.there / 'releases'
        for age in range(1, 8):
            (releases / f'old-{age}').mkdir(parents=True)
            os.utime(releases / f'old-{age}', (1e9 - age, 1e9 - age))
        (self.there / 'current').symlink_to('releases/old-7')
        said = self.deployed('one')
        self.assertEqual(sorted(os.listdir(releases)),
                         [self.current(), 'old-1', 'old-2', 'old-3', 'old-4', 'old-7'])
        self.assertIn('removed releases/old-5\nremoved releases/old-6\n', said)

    def test_a_release_is_told_to_programs(self):
        told = {'host': 'shop.test', 'directory': str(self.there)}
        status, said, errors = self.deploy('one', '--dry-run', '--json')
        release = json.loads(said).pop('release')
        self.assertEqual((status, json.loads(said)),
                         (0, {**told, 'release': release, 'is_dry_run': True}), errors)
        self.assertIn('would switch ', errors)
        said = self.deployed('one', '--json')
        self.assertEqual(json.loads(said), {**told, 'release': release, 'is_dry_run': False})
        said = self.deployed('two', '--json')
        self.assertEqual(json.loads(said), {**told, 'release': self.current(),
                                            'replaced': release, 'is_dry_run': False})
        status, said, errors = self.deploy('broken', '--json')
        self.assertEqual((status, said), (1, ''))
        self.assertTrue(errors.endswith(f'rolled back: releases/{self.current()} serves\n'), errors)

    def test_a_dry_run_and_a_command_that_fails_change_nothing(self):
        before = sorted(os.listdir(self.there))
        status, said, errors = self.deploy('one', '--dry-run', '--before', 'false')
        self.assertEqual(status, 0, errors)
        self.assertRegex(said, (
            r'^packed \S+\nwould copy [0-9.]+ MiB to shop\.test, and unpack it to releases/\S+\n'
            r'would run false\nwould switch .*/current from nothing to releases/\S+\n'
            r'would upgrade the running process, or start one\n'
            r'would check the health of the service, and roll back if the service is not '
            r'ready within 60 s\n$'))
        self.assertEqual(sorted(os.listdir(self.there)), before)
        status, _, errors = self.deploy('one', '--before', 'test -x "$RELEASE/bin/shop" && exit 7')
        self.assertEqual(status, 1)
        self.assertTrue(
            errors.endswith('exited with status 7: the release was not activated\n'), errors)
        self.assertFalse((self.there / 'current').is_symlink())
        self.assertIn('done: echo x > made\n', self.deployed('one', '--before', 'echo x > made'))
        self.assertTrue((self.there / 'made').exists())
        self.assertEqual(list((self.there / 'incoming').iterdir()), [])
        self.assertFalse(any(Path(place, 'hit').exists() for place in
                             (self.there, self.there.parent, SHARED.shop, Path.home())))

    def test_variables_are_read_as_by_systemd_and_are_no_shell_code(self):
        url = 'postgres://shop:s3$HOME@db/shop?sslmode=require&connect_timeout=5'
        (self.there / 'env').write_text(
            f'# for both\n\nTRIED_URL={url}\nTRIED_NOTE="a \'b\' \\"c\\"\n  d"\n'
            "TRIED_ONE='$(touch hit) \\'\nno variable; touch hit\nTRIED_LAST=x y")
        self.deployed('one', '--before', 'printf "%s" "$TRIED_URL" >url')
        self.assertEqual((self.there / 'url').read_text(), url)
        environ = Path(f'/proc/{self.pid()}/environ').read_text().split('\0')
        self.assertEqual(sorted(each for each in environ if each.startswith('TRIED_')), [
            'TRIED_LAST=x y', 'TRIED_NOTE=a \'b\' "c"\n  d', 'TRIED_ONE=$(touch hit) \\',
            f'TRIED_URL={url}'])
        self.assertFalse((self.there / 'hit').exists())

    def test_who_cannot_be_reached_or_lets_nobody_in_is_told(self):
        for config, why in (('nowhere', 'Connection refused'), ('wrong', 'Permission denied')):
            status, said, errors = self.deploy('one', config=config)
            self.assertEqual((status, said), (1, ''))  # before the build
            self.assertIn(why, errors)
            self.assertTrue(errors.endswith(
                'eider deploy: cannot connect to shop.test with ssh (see above). Set up key '
                'login, so that ssh shop.test works without a password\n'), errors)
        self.assertEqual(os.listdir(self.there), ['shop.toml'])

    def ssh_that(self, does):
        """Returns a PATH whose ssh manipulates the upload in this way."""
        tools = Path(self.enterContext(tempfile.TemporaryDirectory()))
        tool = tools / 'ssh'
        tool.write_text("#!/bin/sh\ncase $* in *\"eider-deploy 'take'\"*)\n"
                        f'{does} | {shutil.which("ssh")} "$@"; exit;;\nesac\n'
                        f'exec {shutil.which("ssh")} "$@"\n')
        tool.chmod(0o755)
        return f'{tools}:{os.environ["PATH"]}'

    def test_an_upload_that_breaks_off_leaves_nothing(self):
        status, _, errors = self.deploy('one', PATH=self.ssh_that('head -c 100000'))
        self.assertEqual(status, 1)
        self.assertTrue(
            errors.endswith('eider deploy: the package was not copied completely\n'), errors)
        self.assertEqual(list((self.there / 'incoming').iterdir()), [])
        stalled = self.ssh_that('(head -c 100000; exec sleep 600)')
        command = [SHARED.command, 'deploy', 'shop.test', '--dir', self.there, '--',
                   '-F', self.sshd.place / 'key.config']
        with subprocess.Popen(command, cwd=SHARED.shop, env=environment(PATH=stalled),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            part = self.there / 'incoming'
            until(lambda: any(each.stat().st_size == 100000 for each in part.iterdir()),
                  lambda: list(part.iterdir()))
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(STEP_SECONDS_MAX), 130)
        until(lambda: not list(part.iterdir()), lambda: list(part.iterdir()))
        self.deployed('one')

    def test_two_do_not_deploy_at_once(self):
        flock = ['flock', '--no-fork', self.there / '.deploying', 'sh', '-c',
                 'echo; exec sleep 600']
        holder = self.enterContext(subprocess.Popen(flock, stdout=subprocess.PIPE))
        self.addCleanup(holder.kill)
        holder.stdout.readline()
        status, _, errors = self.deploy('one')
        self.assertEqual(status, 1)
        self.assertRegex(errors, 'eider deploy: another deployment to .* is running\n$')

    def test_a_unit_is_reloaded_where_there_is_one(self):
        """Simulates the required commands of systemctl."""
        tool = self.sshd.place / 'tools/systemctl'
        place = self.there.as_posix().replace("'", "'\\''")
        tool.write_text(f"""#!/bin/sh
there='{place}'
pid=$(cat "$there/unit.pid" 2>/dev/null)
echo "$*" >>"$there/asked"
case $* in
  cat*) exit 0 ;;
  *ExecStart*) echo "{{ path=$there/current/bin/shop ; }}" ;;
  *MainPID*) echo "${{pid:-0}}" ;;
  *CanReload*) echo yes ;;
  is-active*) kill -0 "$pid" 2>/dev/null ;;
  reload*) kill -USR2 "$pid" ;;
  restart*) cd "$there" && setsid current/bin/shop --config shop.toml --pid-file unit.pid \\
      >/dev/null 2>&1 9>&- &
    for i in $(seq 600); do [ -s "$there/unit.pid" ] && exit; sleep 0.05; done; exit 1 ;;
esac
""")
        tool.chmod(0o755)
        self.addCleanup(tool.unlink)
        (self.there / 'shop.pid').symlink_to('unit.pid')
        if os.getuid() != 0:
            self.skipTest('only root may restart units')
        self.assertRegex(self.deployed('one'), r'systemd runs process \d+\n')
        self.deployed('two')
        before = self.current()
        status, _, errors = self.deploy('sick', '--within', '3')
        self.assertEqual(status, 1)
        self.assertTrue(errors.endswith(f'rolled back: releases/{before} serves\n'), errors)
        self.assertEqual(ask(self.port, '/mode'), (200, 'two'))
        asked = (self.there / 'asked').read_text().splitlines()
        self.assertEqual(asked.count('restart shop.service'), 1)
        self.assertEqual(asked.count('reload shop.service'), 3)

    def test_words_that_are_not_understood(self):
        health = '--health must be a URL such as http://127.0.0.1:8080/readyz, unix:/PATH or none'
        no_url = 'The URL does not start with http:// or https://.'
        for words, said in (((), 'no host given. Example: eider deploy shop.example'),
                            (('-oProxyCommand=x',), 'unknown option -oProxyCommand'),
                            (('a b',), '"a b" is not a valid host'),
                            (('a', '--dir', 'srv'),
                             '--dir must be an absolute path of a folder on HOST, not "srv"'),
                            (('a', '--dir', '/a\nb'),
                             '--dir must be an absolute path of a folder on HOST, not "/a\\nb"'),
                            (('a', '--health', '/readyz'), f'{health}, not "/readyz": {no_url}'),
                            (('a', '--health', 'localhost:80'),
                             f'{health}, not "localhost:80": {no_url}'),
                            (('a', '--health', 'http://a:x/'),
                             f'{health}, not "http://a:x/": '
                             "The URL's port must be a number from 1 to 65535."),
                            (('a', '--health', "http://a/'"), f'{health}, not "http://a/\'"'),
                            (('a', '--health', 'unix:x'), f'{health}, not "unix:x"'),
                            (('a', '--within', '0'), '--within must be 1 to 3600 seconds, not '
                                                     '0')):
            self.assertEqual(eider('deploy', *words), (
                2, '', f'eider deploy: {said}; see eider deploy --help\n'))

    def test_its_unit_is_one_that_systemd_takes(self):
        status, unit, _ = eider('deploy', '--print-unit', '--dir', '/srv/a+shop')
        self.assertEqual(status, 0)
        self.assertIn('ExecStart=/srv/a+shop/current/bin/shop --config /srv/a+shop/shop.toml\n',
                      unit)
        self.assertEqual(eider('deploy', '--print-unit', '--dir', '/srv/a shop')[0], 1)
        if not shutil.which('systemd-analyze'):
            self.skipTest('systemd is not installed')
        file = Path(self.enterContext(tempfile.TemporaryDirectory()), 'shop.service')
        # Its program must exist.
        file.write_text(unit.replace('/srv/a+shop/current/bin/shop', '/bin/true'))
        ended = subprocess.run(['systemd-analyze', 'verify', '--man=no', file], text=True,
                               check=False, capture_output=True, timeout=60)
        self.assertEqual((ended.returncode, ended.stderr.replace(str(file), '')), (0, ''))


@unittest.skipUnless(SSHD, 'sshd is not installed')
class Migrated(Deploying):
    """Releases with migrations."""

    STARS = 'alter table notes add column stars integer not null default 5;\n'
    TEXTS = 'select text from notes'
    TEXTS_AND_STARS = "select text || ' ' || stars from notes"
    NOT_THERE = 'select colour from notes'

    def release(self, *words_of_notes):
        SHARED.write_notes(*words_of_notes)
        return self.send('--within', '5', place=SHARED.notes)

    def released(self, *words_of_notes):
        status, said, errors = self.release(*words_of_notes)
        self.assertEqual(status, 0, said + errors)
        self.assertEqual(ask(self.port, '/readyz')[0], 200)

    def not_released(self, *words_of_notes):
        """Returns the messages about a release."""
        status, _, errors = self.release(*words_of_notes)
        self.assertEqual(status, 1, errors)
        return errors

    def assert_notes(self, *notes):
        status, content = ask(self.port, '/notes')
        self.assertEqual((status, json.loads(content)), (200, list(notes)))

    def test_each_release_migrates_and_one_that_cannot_leaves_all_as_it_was(self):
        def compiled():
            return [os.stat(SHARED.notes / 'build/package/CMakeFiles/shop.dir' / name).st_mtime_ns
                    for name in ('cmake_pch.hxx.pch', 'main.cc.o')]
        self.released(self.TEXTS, TABLE)
        compiled_at = compiled()
        self.assertLess(ask(self.port, '/notes/kept', 'POST')[0], 300)
        self.assert_notes('kept')
        self.released(self.TEXTS_AND_STARS, TABLE, self.STARS)
        self.assert_notes('kept 5')
        before, process = self.current(), self.pid()
        errors = self.not_released(
            self.TEXTS, TABLE, self.STARS,
            "update notes set text = 'lost';\ninsert into nowhere values (1);\n")
        self.assertRegex(errors, (
            'eider deploy: the new process did not start: .*\n'
            f'eider deploy: rolled back: releases/{before} serves\n$'))
        self.assertIn('0003_step.sql:2: [failed]', (self.there / 'shop.log').read_text())
        self.assertEqual((self.current(), self.pid()), (before, process))
        self.assertLess(ask(self.port, '/notes/more', 'POST')[0], 300)
        self.assert_notes('kept 5', 'more 5')
        self.released(self.TEXTS, TABLE, self.STARS, 'delete from notes where id = 2;\n')
        self.assert_notes('kept')
        # CMake has run again for each migration, but nothing else was recompiled.
        self.assertEqual(compiled(), compiled_at)

    def test_one_that_has_migrated_serves_on_where_the_one_before_refuses_its_schema(self):
        self.released(self.TEXTS, TABLE)
        before = self.current()
        errors = self.not_released(self.NOT_THERE, TABLE, self.STARS)
        self.assertTrue(errors.endswith(
            f'eider deploy: releases/{before} did not start either: releases/{self.current()}, '
            'which is not ready, continues to serve\n'), errors)
        self.assertNotEqual(self.current(), before)
        self.assertEqual(ask(self.port, '/readyz')[0], 503)
        self.released(self.TEXTS, TABLE, self.STARS)

    def test_one_that_accepts_a_newer_schema_is_gone_back_to(self):
        (self.there / 'env').write_text('ACCEPTS_NEWER=1\n')
        self.released(self.TEXTS, TABLE)
        before = self.current()
        errors = self.not_released(self.NOT_THERE, TABLE, self.STARS)
        self.assertTrue(errors.endswith(f'rolled back: releases/{before} serves\n'), errors)
        self.assertEqual(self.current(), before)
        self.assert_notes()


if __name__ == '__main__':
    unittest.main()

"""`eider new --with`: files for CI and deployment, each checked by its own linter.

The linters come from PyPI and from Go modules; a test is skipped if they cannot be downloaded. Must
not need a network otherwise: schemas are in the packages.
"""

import itertools
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from functools import cache
from pathlib import Path

from project_support import STEP_SECONDS_MAX, Installed
from support import ROOT, make_environment

INSTALLED = Installed()
NAMES = ('github', 'gitlab', 'docker', 'compose', 'kubernetes')
LIBRARY_NAMES = ('github', 'gitlab')
WRITTEN = {'github': '.github/workflows/ci.yml', 'gitlab': '.gitlab-ci.yml', 'docker': 'Dockerfile',
           'compose': 'compose.yml', 'kubernetes': 'deploy/kubernetes.yml'}
ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12'
GO_SECONDS_MAX = 400


def setUpModule():
    """One prefix for all tests."""
    unittest.enterModuleContext(INSTALLED)


@cache
def linter(name):
    """Returns the path of a linter from PyPI."""
    try:
        return make_environment('deployment') / 'bin' / name
    except subprocess.CalledProcessError as failed:
        raise unittest.SkipTest(f'the linters cannot be fetched: {failed}') from failed


@cache
def actionlint():
    """Returns the path of actionlint, which Go builds once."""
    program = ROOT / 'build/go-tools/actionlint'
    if not program.exists():
        if shutil.which('go') is None:
            raise unittest.SkipTest('go is not installed')
        ended = subprocess.run(['go', 'install', ACTIONLINT], text=True, check=False,
                               env={**os.environ, 'GOBIN': str(program.parent)},
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               timeout=GO_SECONDS_MAX)
        if ended.returncode != 0:
            raise unittest.SkipTest(f'actionlint cannot be fetched: {ended.stdout[-300:]}')
    return program


def kinds():
    """Yields each kind of project with all names that it accepts."""
    yield from itertools.product(('service', 'web', 'realtime'), (NAMES,))
    yield 'library', LIBRARY_NAMES


class Place(unittest.TestCase):
    """Each test has its own folder."""

    def setUp(self):
        self.place = Path(tempfile.mkdtemp(dir=INSTALLED.place.name))

    def made(self, kind, name, *words):
        """Returns the project that `eider new` has created."""
        status, _, errors = INSTALLED.eider('new', kind, name, *words, place=self.place)
        self.assertEqual((status, errors), (0, ''))
        return self.place / name

    def written(self, project):
        """Returns the names of --with whose files the project has."""
        return {name for name, file in WRITTEN.items() if (project / file).exists()}

    def assert_good(self, *command):
        """Expects that a linter reports nothing."""
        ended = subprocess.run([str(word) for word in command], text=True, check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               timeout=STEP_SECONDS_MAX)
        self.assertEqual(0, ended.returncode, f'{command}\n{ended.stdout}')

    def assert_bad(self, *command):
        """Expects that a linter reports an error."""
        with self.assertRaises(AssertionError):
            self.assert_good(*command)


class Chosen(Place):
    """The files that --with selects."""

    def test_without_the_option_there_are_a_workflow_and_a_dockerfile(self):
        self.assertEqual({'github', 'docker'}, self.written(self.made('service', 'shop')))
        self.assertEqual({'github'}, self.written(self.made('library', 'counts')))

    def test_the_list_replaces_the_default(self):
        for index, (words, expected) in enumerate((
                (['--with', 'gitlab'], {'gitlab'}),
                (['--with=gitlab,docker'], {'gitlab', 'docker'}),
                (['--with', 'gitlab', '--with', 'github,gitlab'], {'github', 'gitlab'}),
                (['--with', 'none'], set()),
                (['--with', 'compose'], {'compose', 'docker'}),
                (['--with', 'kubernetes,docker,compose'], {'kubernetes', 'compose', 'docker'}))):
            with self.subTest(words):
                project = self.made('service', f'shop{index}', *words)
                self.assertEqual(expected, self.written(project))
                self.assertEqual('docker' in expected, (project / '.dockerignore').exists())

    def test_an_error_lists_the_names(self):
        allowed = 'github, gitlab, docker, compose, kubernetes, none'
        for kind, listed, said in (
                ('service', 'jenkins', f"unknown name 'jenkins' in --with. Names: {allowed}"),
                ('service', '', f"unknown name '' in --with. Names: {allowed}"),
                ('web', 'docker,', f"unknown name '' in --with. Names: {allowed}"),
                ('service', 'none,github', '--with none excludes other names'),
                ('library', 'docker', '--with docker is not for a library. Names: github, gitlab, '
                                      'none')):
            with self.subTest(listed):
                ended = INSTALLED.eider('new', kind, 'shop', '--with', listed, place=self.place)
                self.assertEqual((2, '', f'eider new: {said}; see eider new --help\n'), ended)
                self.assertFalse((self.place / 'shop').exists())

    def test_the_help_describes_each_name(self):
        help_text = INSTALLED.eider('new', '--help', place=self.place)[1]
        for name in (*NAMES, 'none'):
            self.assertRegex(help_text, rf'(?m)^{name} +[A-Z]')

    def test_names_that_dns_does_not_accept_are_changed(self):
        project = self.made('service', 'my_shop', '--with', 'kubernetes')
        text = (project / 'deploy/kubernetes.yml').read_text()
        self.assertIn('  name: "my-shop"\n', text)
        self.assertNotIn('my_shop', text)
        self.assertIn('/bin/my_shop"]', (project / 'Dockerfile').read_text())


class Linted(Place):
    """Each file satisfies the linter of its system, and a wrong file does not."""

    def test_yaml(self):
        for kind, names in kinds():
            project = self.made(kind, f'my-{kind}', '--with', ','.join(names))
            files = [project / WRITTEN[name] for name in names if name != 'docker']
            self.assert_good(linter('yamllint'), '-d', '{extends: default, rules: {document-start: '
                             'disable, truthy: disable, line-length: {max: 130}, braces: disable, '
                             'comments-indentation: disable}}', *files)

    def test_github(self):
        project = self.made('service', 'shop', '--with', 'github')
        workflow = project / WRITTEN['github']
        self.assert_good(linter('check-jsonschema'), '--builtin-schema',
                         'vendor.github-workflows', workflow)
        self.assert_good(actionlint(), workflow)
        workflow.write_text(workflow.read_text().replace('matrix.compiler', 'matrix.compilers'))
        self.assert_bad(actionlint(), workflow)

    def test_docker(self):
        for kind, names in kinds():
            project = self.made(kind, f'my-{kind}', '--with', ','.join(names))
            files = [file for file in (project / 'Dockerfile', project / '.devcontainer/Dockerfile')
                     if file.exists()]
            self.assert_good(linter('hadolint'), *files)
        files[0].write_text('FROM debian\nRUN cd /tmp\n')
        self.assert_bad(linter('hadolint'), files[0])

    def test_gitlab(self):
        pipeline = self.made('library', 'counts', '--with', 'gitlab') / WRITTEN['gitlab']
        command = (linter('check-jsonschema'), '--builtin-schema', 'vendor.gitlab-ci',
                   '--data-transform', 'gitlab-ci', pipeline)
        self.assert_good(*command)
        pipeline.write_text(pipeline.read_text().replace('  script:', '  scripts:'))
        self.assert_bad(*command)

    def test_compose(self):
        compose = self.made('service', 'shop', '--with', 'compose') / WRITTEN['compose']
        command = (linter('check-jsonschema'), '--builtin-schema', 'vendor.compose-spec', compose)
        self.assert_good(*command)
        compose.write_text(compose.read_text().replace('healthcheck:', 'healthchecks:'))
        self.assert_bad(*command)

    def test_kubernetes(self):
        manifests = self.made('service', 'shop', '--with', 'kubernetes') / WRITTEN['kubernetes']
        command = (linter('kubernetes-validate'), '--strict', '-k', '1.34', manifests)
        self.assert_good(*command)
        manifests.write_text(manifests.read_text().replace('periodSeconds', 'periodSecond'))
        self.assert_bad(*command)


class Sound(Place):
    """Properties that the linters do not check."""

    def test_the_pod_has_time_for_its_shutdown_and_no_privileges(self):
        project = self.made('web', 'shop', '--with', 'kubernetes')
        text = (project / WRITTEN['kubernetes']).read_text()

        def number(pattern):
            return int(re.search(pattern, text)[1])
        self.assertGreater(number(r'terminationGracePeriodSeconds: (\d+)'),
                           number(r'sleep: \{seconds: (\d+)') +
                           number(r'EIDER_DRAIN_SECONDS, value: "(\d+)"'))
        for line in ('runAsNonRoot: true', 'allowPrivilegeEscalation: false',
                     'readOnlyRootFilesystem: true', 'capabilities: {drop: [ALL]}',
                     'httpGet: {path: /livez', 'httpGet: {path: /readyz', 'limits: {cpu:'):
            self.assertIn(line, text)

    @unittest.skipUnless(os.geteuid() == 0, 'only root can change the root folder')
    def test_the_program_runs_in_the_folder_that_becomes_the_image(self):
        # Runs the commands of the Dockerfile with a program of this machine, in a separate folder.
        text = (self.made('service', 'shop') / 'Dockerfile').read_text()
        command = re.search(r'(?s)RUN (mkdir -p /image .*?)\n\n', text)[1].replace('\\\n', '')
        image = self.place / 'image'
        command = re.sub(r'(?<![\w.])/image', str(image), command)
        command = command.replace('build/release/shop', str(INSTALLED.command))
        command = command.replace(f'{INSTALLED.command} {image}{INSTALLED.command}',
                                  f'{INSTALLED.command} {image}/bin/shop')
        self.assert_good('bash', '-o', 'pipefail', '-c', command)
        self.assertEqual(0o1777, (image / 'tmp').stat().st_mode & 0o7777)
        self.assertTrue((image / 'etc/ssl/certs/ca-certificates.crt').exists())
        ended = subprocess.run(['chroot', '--userspec=10001:10001', image, '/bin/shop',
                                '--version'], text=True, capture_output=True, check=False,
                               timeout=STEP_SECONDS_MAX)
        self.assertEqual((0, ''), (ended.returncode, ended.stderr))
        self.assertRegex(ended.stdout, r'^eider \d')
        self.assertFalse((image / 'bin/sh').exists())

    def test_containers_are_used_by_the_other_files_as_they_are(self):
        project = self.made('service', 'shop', '--with', 'compose,kubernetes')
        text = (project / 'Dockerfile').read_text()
        user = re.search(r'USER (\d+):(\d+)', text)
        manifests = (project / WRITTEN['kubernetes']).read_text()
        self.assertIn(f'runAsUser: {user[1]}', manifests)
        port = re.search(r'EXPOSE (\d+)', text)[1]
        self.assertIn(f'containerPort: {port}', manifests)
        self.assertIn(f':{port}"]', (project / WRITTEN['compose']).read_text())


if __name__ == '__main__':
    unittest.main()

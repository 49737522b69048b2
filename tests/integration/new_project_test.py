"""`eider new` and the commands within a project, from an installed prefix, as for a new user.

Must not set up anything in addition to `cmake --install`: the commands must find what they need.
"""

import itertools
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from project_support import STEP_SECONDS_MAX, Installed, environment
from support import ROOT

NO_PROJECT = ('found no project here or above: no CMakeLists.txt with project(…) that uses '
              'eider. Create one with eider new NAME\n')
SYNTAX = ['g++', '-std=c++23', '-Wall', '-Wextra', '-Werror', '-fsyntax-only']
INSTALLED = Installed()


def setUpModule():
    """One prefix for all tests."""
    unittest.enterModuleContext(INSTALLED)


def eider(*words, place, **changes):
    """Returns the exit code and output of the command in that folder."""
    return INSTALLED.eider(*words, place=place, **changes)


class Place(unittest.TestCase):
    """Each test has its own folder."""

    def setUp(self):
        self.place = Path(tempfile.mkdtemp(dir=INSTALLED.place.name))

    def assert_fails(self, status, said, *words, place=None, **changes):
        """Expects this exit code and exactly this message, after the name of the command."""
        ended, _, errors = eider(*words, place=place or self.place, **changes)
        self.assertEqual((ended, errors), (status, f'eider {words[0]}: {said}'))

    def made(self, *words):
        """Returns the project that `eider new` has created."""
        status, _, errors = eider('new', *words, place=self.place)
        self.assertEqual((status, errors), (0, ''))
        return self.place / words[-1]

    def assert_is_asked(self, project, name):
        """Expects that the program lists its options, routes, document and settings instead of
        serving, in a folder without files of the project."""
        self.assertEqual(eider('routes', place=project)[0], 0)  # builds it
        program = project / 'build/dev' / name
        for word, holds in (('--help', '--openapi'), ('--routes', 'GET /livez'),
                            ('--openapi', '"openapi"'), ('--print-config', '[server]')):
            ended = subprocess.run([program, word], cwd=self.place, text=True, check=False,
                                   capture_output=True, timeout=STEP_SECONDS_MAX)
            self.assertEqual((ended.returncode, ended.stderr), (0, ''), (name, word))
            self.assertIn(holds, ended.stdout)
        self.assertEqual(eider('openapi', 'document', place=project)[0], 0)


class Programs(Place):
    """The program of a project."""

    def test_finds_its_prefix_once(self):
        prefix = str(INSTALLED.prefix)
        said = eider('doctor', place=self.place, CMAKE_PREFIX_PATH=prefix)[1]
        self.assertIn(f'in {prefix}\n', said)

    def test_of_a_service_without_tests_is_built_and_its_tests_are_missed(self):
        project = self.made('service', 'bare')
        (project / 'tests/notes_test.cc').unlink()
        # Tests are not built for it: this one does not compile.
        (project / 'tests/broken_test.cc').write_text('#error "not compiled"\n')
        self.assert_is_asked(project, 'bare')
        (project / 'tests/broken_test.cc').unlink()
        status, said, errors = eider('test', place=project)
        self.assertNotEqual(status, 0)
        self.assertIn('No tests were found', said + errors)


class Added(Place):
    """`eider add` creates files, changes as little as possible, and reports both."""

    def add(self, *words, place):
        """Returns the output; the command must succeed."""
        status, said, errors = eider('add', *words, place=place)
        self.assertEqual((status, errors), (0, ''))
        return said

    def test_what_is_added_compiles_and_passes(self):
        shop = self.made('web', 'my-shop')
        before = (shop / 'src/app.cc').read_text()
        self.assertEqual(self.add('module', 'book-orders', place=shop), (
            'made src/book_orders.cc\nmade src/book_orders.h\nmade tests/book_orders_test.cc\n'
            'changed src/app.cc\n'))
        self.assertEqual(self.add('route', 'get', '/hello/{name}', place=shop / 'tests'),
                         'changed src/app.cc\n')
        self.assertEqual(self.add('page', 'about', place=shop), (
            'made pages/about.html\nmade src/about.cc\nmade src/about.h\nchanged src/app.cc\n'))
        self.assertEqual(self.add('test', 'prices', place=shop), 'made tests/prices_test.cc\n')
        new = set((shop / 'src/app.cc').read_text().splitlines()) - set(before.splitlines())
        self.assertEqual(new, {
            '#include "about.h"', '#include "book_orders.h"', '  add_about(app);',
            '  add_book_orders(app);',
            '  app.get("/hello/{name}", [](const std::string& name) { return name; });'})
        self.assertEqual(eider('fmt', '--check', place=shop)[:2], (0, ''))
        status, _, errors = eider('test', '--preset', 'nope', place=shop)
        self.assertEqual((status, errors), (
            1, 'eider test: there is no preset nope in CMakePresets.json. Built-in presets: '
               'dev, release, asan, tsan\n'))
        status, said, errors = eider('test', place=shop)
        self.assertEqual(status, 0, said + errors)
        self.assertRegex(said, r'Guests\.are_added_by_the_form_and_listed .*Passed')
        self.assertRegex(said, r'BookOrders\.answers .*Passed[^$]*Prices\.answers .*Passed')
        self.assertRegex(eider('routes', place=shop)[1], r'(?m)^GET /about .*about\.cc:\d+$')
        self.assert_is_asked(shop, 'my-shop')

    def test_a_component_is_found_and_linked_once(self):
        shop = self.made('shop')
        self.assertEqual(self.add('component', 'sqlite', place=shop), 'changed CMakeLists.txt\n')
        self.assertEqual(self.add('component', 'sqlite', place=shop),
                         'sqlite is already a component of the project\n')
        cmake = (shop / 'CMakeLists.txt').read_text()
        self.assertIn('find_package(eider 0.1 REQUIRED COMPONENTS core sqlite)', cmake)
        self.assertIn('PUBLIC eider::core eider::sqlite)', cmake)
        self.assertIn('unknown component mysql. Components: ',
                      eider('add', 'component', 'mysql', place=shop)[2])

    def test_a_migration_is_the_next_file(self):
        shop = self.made('shop')
        self.assertIn('0001_orders.sql', self.add('migration', 'orders', place=shop))
        self.assertIn('0002_prices.sql', self.add('migration', 'prices', place=shop))
        self.assertEqual(len(list((shop / 'migrations').iterdir())), 2)

    def test_what_cannot_be_added_is_told_and_changes_nothing(self):
        shop = self.made('shop')
        before = {path: path.read_bytes() for path in shop.rglob('*') if path.is_file()}
        for status, said, *words in (
                (1, 'src/notes.cc already exists, and is not overwritten', 'module', 'notes'),
                (1, 'the project has no templates. Call eider_views(target DIRECTORY pages) in '
                    'CMakeLists.txt, and add_views(app, …); see a project of eider new '
                    'web', 'page', 'x'),
                (2, 'class is reserved in C++ or CMake. Choose another name, such as '
                    'my-class', 'module', 'class'),
                (2, "src/time.h would be included instead of the system's <time.h>. Choose "
                    "another name, such as my-time", 'module', 'time'),
                (2, "src/string.h would be included instead of the system's <string.h>. Choose "
                    "another name, such as my-string", 'page', 'string'),
                (2, 'fetch is not a method. Use GET, POST, PUT, PATCH or DELETE',
                 'route', 'FETCH', '/'),
                (2, "{x-y} of /a/{x-y} is not a valid path: the name of a path parameter can have "
                    "letters, digits and '_', and must not start with a digit",
                 'route', 'GET', '/a/{x-y}'),
                (2, '/"); is not a valid path. Example: /notes/{id}', 'route', 'GET', '/");'),
                (2, 'class cannot be the name of a parameter in C++. Choose another name, such '
                    'as id',
                 'route', 'GET', '/x/{class}'),
                (2, '/{id}/b/{id} is not a valid path: two path parameters have the same name',
                 'route', 'GET', '/{id}/b/{id}'),
                (2, 'x( is not the name of a component. Example: sqlite', 'component', 'x('),
                (2, 'cannot add modul. Choose one of module, page, route, test, migration, '
                    'component; see eider add --help', 'modul', 'x'),
                (2, 'a module needs exactly one name; see eider add --help', 'module')):
            self.assert_fails(status, said + '\n', 'add', *words, place=shop)
        self.assertEqual(before, {path: path.read_bytes() for path in shop.rglob('*')
                                  if path.is_file()})

    def test_an_app_without_the_mark_is_left_alone(self):
        shop = self.made('shop')
        app = shop / 'src/app.cc'
        text = app.read_text().replace('// `eider add`', '// it')
        app.write_text(text)
        status, _, errors = eider('add', 'route', 'GET', '/x', place=shop)
        self.assertEqual(status, 1)
        self.assertIn('app.get("/x", [] { return std::string("Hello"); });', errors)
        self.assertEqual(app.read_text(), text)
        self.assert_fails(1, 'src/app.cc has no line "// `eider add` puts its lines above this '
                          'one.". Put the line back where the app is created\n',
                          'add', 'module', 'prices', place=shop)
        self.assertEqual([*shop.rglob('prices*')], [])

    def test_a_library_has_no_app_to_add_to(self):
        counts = self.made('library', 'counts')
        for what, *words in (('module', 'prices'), ('route', 'GET', '/prices')):
            self.assert_fails(1, f'there is no src/app.cc: a {what} cannot be added to a '
                                 'library\n', 'add', what, *words, place=counts)
        self.assertEqual([*counts.rglob('prices*')], [])


class Agents(Place):
    """AGENTS.md describes for agents how to work in a project."""

    def test_each_kind_of_project_has_it(self):
        for kind in 'service', 'web', 'realtime', 'library':
            with self.subTest(kind=kind):
                text = (self.made(kind, f'{kind}-x') / 'AGENTS.md').read_text()
                self.assertIn(f'`{kind}-x` is ', text)
                self.assertIn('eider test', text)
                self.assertNotRegex(text, r'@\w+@')


class LaidOut(Place):
    """`eider fmt` formats C++ sources."""

    def test_what_is_none_is_told_and_left_alone(self):
        shop = self.made('shop')
        text = (shop / 'README.md').read_text()
        for named in 'README.md', 'src':
            self.assert_fails(1, f'{named} is not a C++ source, such as .cc or .h\n', 'fmt',
                              'src/app.cc', named, place=shop)
        self.assert_fails(2, '--json requires --check; see eider fmt --help\n', 'fmt',
                          '--json', place=shop)
        self.assert_fails(1, 'src/none.cc does not exist\n', 'fmt', 'src/none.cc', place=shop)
        self.assertEqual((shop / 'README.md').read_text(), text)

    @unittest.skipUnless(shutil.which('clang-format-19'), 'clang-format 19 is not installed')
    def test_what_is_laid_out_otherwise_is_told_to_programs(self):
        shop = self.made('shop')
        self.assertEqual(eider('fmt', '--check', '--json', place=shop), (
            0, '{"files":6,"unformatted":[]}\n', ''))
        (shop / 'src/wrong.h').write_text('int  x;\n')
        self.assertEqual(eider('fmt', '--check', '--json', place=shop), (
            3, '{"files":7,"unformatted":["src/wrong.h"]}\n',
            'eider fmt: 1 of 7 files are not formatted. Run eider fmt\n'))


class Profiled(Place):
    """`eider build --pgo` compiles with a recorded load."""

    def setUp(self):
        super().setUp()
        (self.place / 'load').mkdir()
        (self.place / 'load/requests.txt').write_text(
            'GET /hello/ada\n{"path": "/", "body": [1]}\n')
        (self.place / 'CMakeLists.txt').write_text(
            'cmake_minimum_required(VERSION 3.25)\nproject(shop LANGUAGES CXX)\n'
            'find_package(eider REQUIRED COMPONENTS core)\nadd_executable(shop main.cc)\n'
            'target_link_libraries(shop PRIVATE eider::core)\n')
        (self.place / 'main.cc').write_text(
            '#include <eider/eider.h>\n#include <eider/json.h>\n#include <unistd.h>\n'
            '#include <cstdlib>\n\n'
            'int main(int argc, char** argv) {\n  const std::string how = std::getenv("HOW");\n'
            '  if (how == "broken") {\n    (void)!write(2, "no disk\\n", 8);\n    return 7;\n  }\n'
            '  if (how == "rude") std::atexit([] { _exit(0); });\n  eider::App app;\n'
            '  app.get("/hello/{name}", [](std::string name) { return "Hello " + name; });\n'
            '  app.post("/", [](eider::Json<std::vector<int>> all) { return std::move(*all); });\n'
            '  return app.run(argc, argv);\n}\n')

    def test_it_serves_the_load_and_is_compiled_again_by_that(self):
        program = self.place / 'build/pgo/shop'
        for how, said in (('broken', 'exited with status 7 before it was ready:\nno disk\n'),
                          ('rude', 'wrote no profile. It must return from main')):
            status, _, errors = eider('build', '--pgo', place=self.place, HOW=how)
            self.assertEqual(status, 1, errors)
            self.assertIn(f'eider build: build/pgo/shop {said}', errors)
            self.assertFalse(program.exists())
        status, said, errors = eider('build', '--pgo', '--', '--threads', '1', place=self.place,
                                     HOW='well')
        self.assertEqual(status, 0, said + errors)
        self.assertRegex(said, r'under the load of load/requests\.txt for 3 s\n'
                               r'\d{3,} requests got a response, 0 of them 4xx or 5xx\n')
        self.assertRegex(said, r'A request costs [\d.]+ of the CPU time in build/release '
                               r'\([\d.]+ to [\d.]+ in 5 rounds\): [\d.]+ µs '
                               r'instead of [\d.]+')
        self.assertIn('the installed library is unchanged', said)
        self.assertIn('-fprofile-use', (self.place / 'build/pgo/build.ninja').read_text())
        self.assertNotIn(b'profraw', program.read_bytes())


class OtherKinds(Place):
    """Each kind is a project that compiles with both compilers and passes its tests."""

    def assert_compiles(self, project, *flags):
        """Compiles with g++ without a warning; all sources at once, so that headers are parsed
        once."""
        sources = [*project.glob('src/*.cc'), *project.glob('tests/*.cc')]
        ended = subprocess.run([*SYNTAX, *flags, f'-I{INSTALLED.prefix}/include',
                                f'-I{project}/src', f'-I{project}/include', '-x', 'c++', '-'],
                               text=True, check=False, capture_output=True,
                               input=''.join(f'#include "{source}"\n' for source in sources),
                               timeout=STEP_SECONDS_MAX)
        self.assertEqual(ended.returncode, 0, ended.stderr[:4000])

    def assert_passes(self, project, test):
        """The unchanged project."""
        status, said, errors = eider('test', place=project)
        self.assertEqual(status, 0, said + errors)
        self.assertRegex(said, rf'{test} .*Passed')

    def test_a_realtime_compiles_with_both_and_passes(self):
        project = self.made('realtime', 'talk')
        self.assert_passes(project, r'Talk\.is_sent_to_all_clients')
        made, = project.glob('build/dev/**/talk_assets.h')
        self.assert_compiles(project, f'-I{made.parent}')
        self.assert_is_asked(project, 'talk')

    def test_a_library_compiles_with_both_and_passes(self):
        project = self.made('library', 'counts')
        self.assertFalse((project / 'Dockerfile').exists())
        self.assert_compiles(project)
        self.assert_passes(project, r'Routes\.count')
        self.assert_is_tested_again(project / 'tests/counts_test.cc', 'count', 'still_count')

    def assert_is_tested_again(self, file, test, renamed):
        """Runs with --watch, until the test of the file has been renamed."""
        heard = queue.SimpleQueue()
        running = self.enterContext(subprocess.Popen(
            [INSTALLED.command, 'test', '--watch'], cwd=file.parent, text=True, env=environment(),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
        self.addCleanup(running.kill)
        threading.Thread(target=lambda: [heard.put(line) for line in running.stdout]).start()

        def assert_says(pattern):
            while not re.search(pattern, heard.get(timeout=STEP_SECONDS_MAX)):
                pass

        assert_says(rf'Routes\.{test} .*Passed')
        assert_says('waiting for a source to be saved')
        file.write_text(file.read_text().replace(f', {test})', f', {renamed})'))
        assert_says(rf'Routes\.{renamed} .*Passed')
        assert_says('waiting for a source to be saved')
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(STEP_SECONDS_MAX), 130)


FAULTY = """#include <gtest/gtest.h>
#include <thread>

TEST(It, overruns) {
  volatile int* const x = new int[2];
  volatile int at = 2;
  x[at] = 1;
  delete[] x;
}

TEST(It, races) {
  int x = 0;
  std::thread other([&x] { ++x; });
  ++x;
  other.join();
}
"""


class Checked(Place):
    """`eider check` finds errors that a plain build does not show."""

    def test_sanitizers_find_it(self):
        project = self.made('library', 'counts')
        (project / 'CMakeLists.txt').write_text(
            'cmake_minimum_required(VERSION 3.25)\nproject(counts LANGUAGES CXX)\n'
            'find_package(eider REQUIRED)\nfind_package(GTest REQUIRED)\ninclude(GoogleTest)\n'
            'enable_testing()\nadd_executable(counts_test tests/counts_test.cc)\n'
            'target_link_libraries(counts_test GTest::gtest_main)\n'
            'gtest_discover_tests(counts_test DISCOVERY_MODE PRE_TEST)\n')
        (project / 'tests/counts_test.cc').write_text(FAULTY)
        for words, found in ((['overruns'], 'AddressSanitizer: heap-buffer-overflow'),
                             (['races', '--thread'], 'ThreadSanitizer: data race')):
            status, said, _ = eider('check', *words, place=project)
            self.assertEqual(status, 8, said)
            self.assertIn(found, said)


class Elsewhere(Place):
    """Files for CI and images, in which Eider is built."""

    def installs(self, project, **changes):
        """Returns (exit code, output, called programs) of its script on a machine without tools."""
        path, log = self.place / 'bin', self.place / 'log'
        path.mkdir()
        for name in ('apt-get', 'cmake', 'git'):
            (path / name).write_text(f'#!/bin/sh\necho "{name} $*" >> {log}\n')
            (path / name).chmod(0o755)
        with (path / 'git').open('a') as git:
            git.write('for last; do :; done\nmkdir "$last/tools"\n'
                      f'cp {ROOT}/tools/packages.txt "$last/tools"\n')
        ended = subprocess.run(['sh', 'install-eider.sh'], cwd=project, text=True, check=False,
                               env=environment(PATH=f'{path}:{os.environ["PATH"]}', **changes),
                               capture_output=True, timeout=STEP_SECONDS_MAX)
        shutil.rmtree(path)
        return ended.returncode, ended.stderr, log.read_text() if log.exists() else ''

    def test_eider_is_built_there_as_its_sources_allow(self):
        project = self.made('library', 'counts')
        status, errors, called = self.installs(project, EIDER_REPOSITORY='')
        self.assertNotEqual(status, 0)
        self.assertIn('EIDER_REPOSITORY: is not set. Set it to the URL', errors)
        self.assertEqual(called, '')
        status, errors, called = self.installs(project, EIDER_REPOSITORY='there',
                                               EIDER_VERSION='v1')
        self.assertEqual((status, errors), (0, ''))
        self.assertIn('git clone --depth 1 --branch v1 there /', called)
        self.assertRegex(called, 'apt-get install .* clang-19 .* libsimdjson-dev .*')
        self.assertRegex(called, r'cmake --install \S+ --prefix /usr/local\n$')
        options = ''.join(file.read_text() for file in (
            ROOT / 'CMakeLists.txt', *(ROOT / 'cmake').glob('*.cmake')))
        for option in re.findall(r'-D(\w+)=', called):
            self.assertIn(f'option({option} ', options)
        self.assertIn('"name": "release"', (ROOT / 'CMakePresets.json').read_text())

    def test_ci_runs_commands_that_there_are(self):
        text = (self.made('shop') / '.github/workflows/ci.yml').read_text()
        try:
            import yaml  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest('python3-yaml is not installed')
        job = yaml.safe_load(text)['jobs']['test']
        steps = [step['run'] for step in job['steps'] if 'run' in step]
        self.assertIn('sudo -E sh install-eider.sh', steps)
        commands = [step.split()[1] for step in steps if step.startswith('eider ')]
        self.assertEqual(commands, ['fmt', 'test', 'check'])
        self.assertEqual(job['strategy']['matrix']['compiler'], ['clang++-19', 'g++-14'])

    def test_an_image_is_made_of_what_is_there(self):
        for kind in ('service', 'web', 'realtime'):
            project = self.made(kind, f'my-{kind}')
            text = (project / 'Dockerfile').read_text()
            stages = re.findall(r'(?m)^FROM \S+ AS (\w+)$', text)
            self.assertTrue(set(re.findall('--from=([a-z]+)', text)) <= set(stages))
            for source in re.findall(r'(?m)^COPY (?!--)(\S+) ', text):
                self.assertTrue((project / source).exists(), source)
            self.assertIn(f'add_executable(my-{kind} ', (project / 'CMakeLists.txt').read_text())
            presets = json.loads((project / 'CMakePresets.json').read_text())
            for preset in re.findall(r'--preset (\w+)', text):
                for each in ('configurePresets', 'buildPresets'):
                    self.assertIn(preset, [one['name'] for one in presets[each]])


class Names(Place):
    """Invalid names are reported with a valid one; no file is overwritten."""

    def test_a_name_that_cannot_be_is_told_with_one_that_can(self):
        for name, why in (('Shop', 'names start with a lowercase letter. Choose another name, '
                                   'such as shop'),
                          ('9lives', 'names start with a lowercase letter. Choose another name, '
                                     'such as app-9lives'),
                          ('a b', 'names consist of lowercase letters, digits, - and _. Choose '
                                  'another name, such as a-b'),
                          ('../up', 'names cannot be paths. Choose another name, such as up'),
                          ('a-_b', 'names cannot have two of - and _ in a row, or at the end. '
                                   'Choose another name, such as a-b'),
                          ('shop_', 'names cannot have two of - and _ in a row, or at the end. '
                                    'Choose another name, such as shop'),
                          ('pg_shop', 'PostgreSQL reserves names of roles that start with pg_. '
                                      'Choose another name, such as shop'),
                          ('', 'names have 1 to 64 characters. Choose another name, such as '
                               'shop'),
                          ('class', 'class is reserved in C++ or CMake. Choose another name, '
                                    'such as my-class'),
                          ('co-await', 'co-await is reserved in C++ or CMake. Choose another '
                                       'name, such as my-co-await'),
                          ('test', 'test is reserved in C++ or CMake. Choose another name, such '
                                   'as my-test')):
            self.assert_fails(2, why + '\n', 'new', 'service', name)
        self.assertEqual(list(self.place.iterdir()), [])

    def test_a_name_of_c_is_none_for_a_project_and_one_for_a_part_of_it(self):
        for name in ('errno', 'link', 'time', 'index', 'clock', 'stdout', 'uint', 'abi'):
            self.assert_fails(2, f'{name} is reserved in C++ or CMake. Choose another name, '
                                 f'such as my-{name}\n',
                              'new', 'service', name)
        self.assertEqual(eider('add', 'module', 'clock', place=self.made('shop'))[0], 0)

    def test_words_that_are_not_understood_are_told(self):
        more = '; see eider new --help\n'
        self.assert_fails(2, 'no name given. Example: eider new shop' + more, 'new')
        self.assert_fails(2, 'no name given. Example: eider new web shop; for a service called '
                             'web: eider new --kind service web' + more, 'new', 'web')
        self.assert_fails(2, 'unknown kind wbe. Kinds: service, web, realtime, library'
                          + more, 'new', 'wbe', 'x')
        self.assert_fails(2, 'unknown option --her (did you mean --here?)' + more,
                          'new', 'x', '--her')
        self.assert_fails(2, '--kind requires a value (KIND)' + more,
                          'new', 'x', '--kind')
        self.assert_fails(2, 'unexpected argument c; expected: KIND and NAME' + more,
                          'new', 'web', 'b', 'c')

    def test_what_is_there_stays(self):
        shop = self.place / 'shop'
        shop.mkdir()
        self.assert_fails(1, 'shop already exists. Choose another name, or create the project '
                             'in that folder: cd shop && eider new --here\n', 'new', 'shop')
        (shop / 'README.md').write_text('mine')
        self.assert_fails(1, 'README.md already exists, and is not overwritten\n',
                          'new', '--here', place=shop)
        self.assertEqual([path.name for path in shop.iterdir()], ['README.md'])
        (shop / 'README.md').unlink()
        self.assertEqual(eider('new', 'library', '--here', place=shop)[0], 0)
        (self.place / 'note').write_text('mine')  # a file, not a folder
        self.assert_fails(1, 'note already exists. Choose another name\n', 'new', 'note')
        self.assertTrue((shop / 'include/shop/shop.h').exists())

    def test_a_full_disk_leaves_nothing_behind(self):
        script = (f'mount -t tmpfs -o size=16k tmpfs {self.place} || exit 77; cd {self.place}; '
                  f'{INSTALLED.command} new shop; echo "$? $(ls | wc -l)"')
        ended = subprocess.run(['unshare', '-m', 'sh', '-c', script], text=True, check=False,
                               capture_output=True, timeout=STEP_SECONDS_MAX)
        if ended.returncode != 0:
            self.skipTest('no file system may be mounted here')
        self.assertIn('No space left on device', ended.stderr)
        self.assertEqual(ended.stdout, '1 0\n')


class Lacking(Place):
    """Missing tools are reported with the package to install."""

    def test_a_folder_without_a_project(self):
        for command in ('build', 'test', 'check', 'fmt', 'routes'):
            self.assert_fails(1, NO_PROJECT, command)
            self.assert_fails(1, NO_PROJECT.replace('project here', 'project in no/such'), command,
                              '--project', 'no/such')
        self.assert_fails(2, 'unknown option --wacth (did you mean --watch?); see eider test '
                             '--help\n',
                          'test', '--wacth')
        self.assert_fails(2, '--format must be tar or oci, not zip; see eider package --help\n',
                          'package', '--format', 'zip')

    def test_a_target_that_the_build_has_not_is_told_with_those_that_it_has(self):
        status, said, errors = eider('build', 'nothing', place=self.made('shop'))
        self.assertEqual(status, 1)
        self.assertIn('eider build: there is no target nothing; targets: shop, shop_app, '
                      'shop_test\n', said + errors)

    def programs(self, *names):
        """Returns a folder for PATH with only these programs."""
        path = self.place / 'bin'
        path.mkdir()
        for name in names:
            (path / name).symlink_to(shutil.which(name))
        return str(path)

    def test_a_machine_without_cmake_ninja_or_a_compiler(self):
        shop = self.made('shop')
        missing = 'build tools are missing. Run: apt install'
        self.assert_fails(1, f'{missing} cmake ninja-build clang-19\n', 'build',
                          place=shop, PATH=self.programs())
        for name in ('cmake', 'ninja'):
            Path(self.place, 'bin', name).symlink_to(shutil.which(name))
        self.assert_fails(1, 'no compiler was found: install clang 19 (apt install clang-19), '
                             'or g++ 13 or later\n', 'build', place=shop,
                          PATH=str(self.place / 'bin'))
        self.assert_fails(1, 'CXX is cl.exe, but there is no such compiler\n', 'build',
                          place=shop, CXX='cl.exe')


class Stopped(Place):
    """Ctrl-C ends the started programs, and their children."""

    def test_nothing_is_left_behind(self):
        shop = self.made('shop')
        path = self.place / 'bin'
        path.mkdir()
        for name in 'cmake', 'clang-format-19':
            (path / name).write_text('#!/bin/sh\nsetsid sleep 1000 & echo $! > sleeping\nwait\n')
            (path / name).chmod(0o755)
        for words, how in itertools.product((['test'], ['fmt', '--check'], ['fmt']),
                                            (signal.SIGINT, signal.SIGTERM)):
            with subprocess.Popen([INSTALLED.command, *words], cwd=shop, text=True,
                                  env=environment(PATH=f'{path}:{os.environ["PATH"]}'),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as running:
                note = shop / 'sleeping'
                deadline = time.monotonic() + 60
                while not (note.exists() and note.read_text().endswith('\n')):
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.01)
                running.send_signal(how)
                self.assertEqual(running.wait(STEP_SECONDS_MAX), 130)
                self.assertFalse(Path('/proc', note.read_text().strip()).exists())
                note.unlink()


if __name__ == '__main__':
    unittest.main()

#!/usr/bin/env python3
"""The packages for Debian, Conan and vcpkg: their contents, and a program that is built with them.

Must not install them: they are unpacked. The pinned Conan is in build/conan-venv.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
# pylint: disable=wrong-import-position
from support import BIN, make_environment, project_version

ROOT = Path(__file__).resolve().parents[2]
TREE = Path(BIN).parent
STEP_SECONDS_MAX = 400


def done(*command, **more):
    """Returns the output of the command; raises if it fails."""
    ended = subprocess.run([str(word) for word in command], text=True, check=False,
                           timeout=STEP_SECONDS_MAX,
                           **{'stdout': subprocess.PIPE, 'stderr': subprocess.STDOUT, **more})
    if ended.returncode != 0:
        raise AssertionError(f'{command}: {ended.returncode}\n{ended.stdout}')
    return ended.stdout


def made(directory, tree=TREE):
    """Returns the packages of the tree by name, created with a fixed time, and without compressing
    20 MB."""
    done('cpack', '-G', 'DEB', '-B', directory, '-D', 'CPACK_DEBIAN_COMPRESSION_TYPE=none',
         cwd=tree, env={**os.environ, 'SOURCE_DATE_EPOCH': '1700000000'})
    return {file.name.partition('_')[0]: file for file in Path(directory).glob('*.*deb')}


class DebianPackages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.packages = made(Path(cls.directory.name, 'made'))
        cls.root = Path(cls.directory.name, 'root')
        for package in cls.packages.values():
            done('dpkg-deb', '-x', package, cls.root)

    def field(self, package, name):
        """Returns a value of its control file."""
        return done('dpkg-deb', '-f', self.packages[package], name).strip()

    def test_there_is_one_for_programs_and_one_with_the_command(self):
        self.assertEqual({'libeider-dev', 'eider'}, set(self.packages))
        for package in self.packages:
            self.assertEqual(project_version(), self.field(package, 'Version'))

    def test_libraries_of_programs_are_asked_for_by_name_and_version(self):
        self.assertRegex(self.field('eider', 'Depends'), r'libc6 \(>= 2.*libssl3(t64)? \(>= 3')
        self.assertRegex(self.field('libeider-dev', 'Depends'), 'libsimdjson-dev, liburing-dev')

    def test_what_only_a_component_needs_is_recommended(self):
        recommended = self.field('libeider-dev', 'Recommends')
        for library in ('libpq-dev', 'libssl-dev', 'zlib1g-dev', 'pkg-config', 'eider (= '):
            self.assertIn(library, recommended)
        self.assertNotIn('libcli11-dev', recommended)

    def test_the_command_runs_from_where_it_was_unpacked(self):
        self.assertRegex(done(self.root / 'usr/bin/eider', '--version'), r'^eider \d')

    def test_a_program_is_built_by_pkg_config_alone(self):
        files = next(self.root.rglob('eider-core.pc')).parent
        env = {**os.environ, 'PKG_CONFIG_PATH': str(files)}
        flags = done('pkg-config', '--cflags', '--libs', 'eider-core', env=env).split()
        program = Path(self.directory.name, 'program')
        done('g++', '-std=c++23', ROOT / 'tests/install/core.cc', '-o', program, *flags)
        self.assertIn('outside', done(program))

    def test_liburing_is_linked_by_its_path(self):
        files = next(self.root.rglob('eider-core.cmake'))
        self.assertIn('eider::uring', files.read_text())

    def test_pkg_config_knows_all_that_each_component_stands_on(self):
        files = next(self.root.rglob('eider-core.pc')).parent
        env = {**os.environ, 'PKG_CONFIG_PATH': str(files)}
        components = sorted(file.stem for file in files.glob('*.pc'))
        self.assertGreater(len(components), 15)
        for component in components:
            with self.subTest(component):
                self.assertIn('-leider_core', done('pkg-config', '--libs', component, env=env))


SMALL = f"""cmake_minimum_required(VERSION 3.25)
project(eider VERSION {project_version()} LANGUAGES CXX)
file(WRITE eider.cc "int main() {{}}")
add_executable(eider eider.cc)
install(TARGETS eider COMPONENT tool)
install(FILES eider.cc DESTINATION include COMPONENT dev)
include({ROOT}/cmake/EiderPackage.cmake)
"""


class SmallPackages(unittest.TestCase):
    """How a tree is packed, with the settings for the command. A program of one line is packed,
    because building or packing the whole tree again takes too long."""

    def test_made_again_they_are_the_same_and_debug_information_has_a_package_of_its_own(self):
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, 'CMakeLists.txt').write_text(SMALL)
            Path(directory, 'tools').symlink_to(ROOT / 'tools')
            build, root = Path(directory, 'build'), Path(directory, 'root')
            done('cmake', '-S', directory, '-B', build, '-DCMAKE_BUILD_TYPE=RelWithDebInfo',
                 '-DCMAKE_INSTALL_PREFIX=/usr')
            done('cmake', '--build', build)
            packages, again = (made(Path(directory, name), build) for name in ('made', 'again'))
            self.assertEqual({'libeider-dev', 'eider', 'eider-dbgsym'}, set(packages))
            for name in ('libeider-dev', 'eider'):
                self.assertEqual(packages[name].read_bytes(), again[name].read_bytes(), name)
            for package in packages.values():
                done('dpkg-deb', '-x', package, root)
            found, = (root / 'usr/lib/debug/.build-id').rglob('*.debug')
            self.assertIn('.debug_info', done('readelf', '-SW', found))
            self.assertNotIn('.debug_info', done('readelf', '-SW', root / 'usr/bin/eider'))
            self.assertIn(f'Build ID: {found.parent.name}{found.stem}',
                          done('readelf', '-n', root / 'usr/bin/eider'))


class MissingPrograms(unittest.TestCase):
    def test_cpack_names_a_program_that_it_needs(self):
        programs = ('dpkg-shlibdeps', 'file')
        for missing in programs:
            with self.subTest(missing), tempfile.TemporaryDirectory() as path:
                for name in set(programs) - {missing}:
                    Path(path, name).symlink_to(shutil.which(name))
                with self.assertRaises(AssertionError) as failed:
                    done(shutil.which('cpack'), '-G', 'DEB', '-B', path, '-D',
                         'CMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF', cwd=TREE, env={'PATH': path})
                said = ' '.join(str(failed.exception).split())
                self.assertIn(f'cpack needs {missing} to find', said)
                self.assertIn('apt install dpkg-dev file', said)


# A version of each library that the recipe requires, as in ConanCenter.
CONAN_LIBRARIES = {
    'argon2': '20190702', 'brotli': '1.1.0', 'c-ares': '1.34.5', 'cli11': '2.5.0', 'fmt': '11.1.4',
    'icu': '74.2', 'libcurl': '8.12.1', 'libnghttp2': '1.61.0', 'libpq': '17.5',
    'libpsl': '0.21.5', 'libqrencode': '4.1.1', 'liburing': '2.8',
    'mariadb-connector-c': '3.4.3', 'openssl': '3.4.1', 'simdjson': '3.12.3', 'sqlite3': '3.49.1',
    'tomlplusplus': '3.4.0', 'zlib': '1.3.1', 'zstd': '1.5.7'}

# In one process: Conan takes longer to start than to export a recipe.
EXPORT = """import json, sys
from conan.api.conan_api import ConanAPI
from conan.cli.cli import Cli
cli = Cli(ConanAPI())
cli.add_commands()
for name, version in json.loads(sys.argv[1]).items():
    cli.run(['export', 'tests/conan/system', '--name', name, '--version', version])
"""


class ConanPackage(unittest.TestCase):
    """The recipe with an empty cache and without a network: recipes without files represent the
    packages of ConanCenter, and the libraries are those of the system. Instead of a build of the
    whole library, the tree that was built is packaged."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.home = Path(cls.directory.name, 'home')
        cls.conan('profile', 'detect')
        cls.conan('remote', 'disable', '*')
        cls.run_conan('bin/python3', '-c', EXPORT, json.dumps(CONAN_LIBRARIES))

    @classmethod
    def conan(cls, *words):
        """The output of Conan, with the compiler of the tree."""
        return cls.run_conan('bin/conan', *words)

    @classmethod
    def run_conan(cls, program, *words):
        """The output of a program in Conan's environment."""
        return done(make_environment('conan') / program, *words, cwd=ROOT, env={
            **os.environ, 'CONAN_HOME': str(cls.home), 'CC': 'clang-19', 'CXX': 'clang++-19'})

    def graph(self, *words):
        """The names of the packages that the recipe requires, and why it is invalid."""
        said = done(make_environment('conan') / 'bin/conan', 'graph', 'info', '.', '--format=json',
                    '-s', 'compiler.cppstd=23', *words, cwd=ROOT, stderr=subprocess.DEVNULL,
                    env={**os.environ, 'CONAN_HOME': str(self.home)})
        nodes = json.loads(said)['graph']['nodes']
        return ({node['name'] for key, node in nodes.items() if key != '0'},
                nodes['0'].get('info_invalid'))

    def test_each_component_requires_its_libraries(self):
        needed = {'simdjson', 'liburing', 'cli11', 'fmt', 'tomlplusplus'}
        none = ('-o', '&:sqlite=False', '-o', '&:testing=False')
        self.assertEqual((needed | {'sqlite3'}, None), self.graph())
        self.assertEqual((needed, None), self.graph(*none))
        self.assertEqual((needed | {'argon2', 'libcurl', 'openssl'}, None),
                         self.graph(*none, '-o', '&:accounts=True'))
        self.assertEqual((needed | {'c-ares', 'libpq', 'openssl'}, None),
                         self.graph(*none, '-o', '&:postgres=True'))
        every = [word for name in conan_components() for word in ('-o', f'&:{name}=True')]
        self.assertEqual((set(CONAN_LIBRARIES), None), self.graph(*every))

    def test_other_systems_and_old_compilers_are_rejected(self):
        for settings, said in ((('-s', 'os=Windows'), 'Eider needs Linux, not Windows'),
                               (('-s', 'compiler=clang', '-s', 'compiler.version=18'),
                                'Eider needs gcc 13 or clang 19, or later, not clang 18')):
            self.assertEqual(said, self.graph(*settings)[1])

    def test_a_program_outside_is_built_by_it(self):
        directory = self.directory.name
        Path(directory, 'build').mkdir()
        Path(directory, 'build/Release').symlink_to(TREE.resolve())
        options = ('-of', directory, '-s', 'compiler.cppstd=23')
        self.conan('install', '.', *options, '--build=missing')
        self.assertIn('{"message":"packed"}', self.conan(
            'export-pkg', '.', *options,
            '-c', f'tools.cmake.cmake_layout:test_folder={directory}/outside'))
        user = shutil.copytree(ROOT / 'tests/conan', Path(directory, 'user'))
        (user / 'conanfile.py').unlink()
        page = (ROOT / 'docs/get-started/install.md').read_text()
        (user / 'conanfile.txt').write_text(re.search(r'(?s)```ini\n(.*?)```', page)[1])
        self.conan('install', user, '-s', 'compiler.cppstd=23')
        done('cmake', '--preset', 'conan-release', '-DCMAKE_CXX_COMPILER=clang++-19', cwd=user)
        done('cmake', '--build', '--preset', 'conan-release', cwd=user)
        self.assertIn('packed', done(user / 'build/Release/outside'))


def conan_components():
    """The table of components in the recipe."""
    text = (ROOT / 'conanfile.py').read_text()
    return ast.literal_eval(re.search(r'(?s)\nCOMPONENTS = (\{.*?\n\})\n', text)[1])


class ConanRecipe(unittest.TestCase):
    def test_it_exports_all_folders_that_the_library_is_built_from(self):
        exported = re.search(r'exports_sources = \(([^)]*)\)', (ROOT / 'conanfile.py').read_text())
        for folder in ('cli', 'cmake', 'include', 'src'):
            self.assertIn(f"'{folder}/*'", exported[1])

    def test_its_components_are_those_of_the_wings(self):
        declared = wing_components()
        self.assertEqual({name: sorted(bases) for name, bases in declared.items()},
                         {name: sorted(bases)
                          for name, (bases, _) in conan_components().items()})


def wing_components():
    """Returns the packaged components except the core, with the components that they are based
    on."""
    bases = {}
    for wing in sorted((ROOT / 'src/eider').glob('*/wing.cmake')):
        for name, words in re.findall(r'(?m)^eider_component\((\w+)([^)]*)', wing.read_text()):
            declared = re.search(r'BASES ([\w ]+)', words)
            bases.setdefault(name, set()).update(declared[1].split() if declared else ())
    return {name: bases[name] for name in sorted(bases.keys() - {'core', 'swagger'})}


IN_A_CLONE = unittest.skipUnless((ROOT / '.git').exists(), 'the source code has no history')


class PartOfABuild(unittest.TestCase):
    def build_block(self, page, command, files, *options):
        """Configures the project of the page that uses this CMake command, and tests that it builds
        the components that it names, and no more."""
        block, = (one for one in re.findall(r'(?s)```cmake\n(.*?)```', (ROOT / page).read_text())
                  if command in one)
        for word, value in (('URL', ROOT.as_uri()), ('TAG', 'HEAD')):
            block = re.sub(rf'\b{word}\b', value, block)
        with tempfile.TemporaryDirectory() as directory:
            for name, text in {'CMakeLists.txt': block, 'main.cc': 'int main() {}\n',
                               **files}.items():
                path = Path(directory, name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            build = Path(directory, 'build')
            done('cmake', '-S', directory, '-B', build, '-G', 'Ninja',
                 '-DCMAKE_CXX_COMPILER=clang++-19', *options)
            targets = done('ninja', '-C', build, '-t', 'targets', 'all')
            self.assertIn('\nservice: CXX_EXECUTABLE_LINKER', targets)
            inputs = done('ninja', '-C', build, '-t', 'query', 'service')
        self.assertIn('libeider_core.a', inputs)
        self.assertIn('libeider_sqlite.a', inputs)
        self.assertNotIn('libeider_client.a', targets)
        self.assertNotIn('01_hello', targets)

    def test_fetch_content_builds_from_a_folder(self):
        self.build_block('docs/get-started/use-in-cmake.md', 'FetchContent_Declare', {},
                         '-DFETCHCONTENT_FULLY_DISCONNECTED=ON',
                         f'-DFETCHCONTENT_SOURCE_DIR_EIDER={ROOT}')

    @IN_A_CLONE
    def test_fetch_content_builds_from_a_clone(self):
        self.build_block('docs/get-started/install.md', 'FetchContent_Declare', {})

    @IN_A_CLONE
    def test_cpm_builds_from_a_clone(self):
        if not os.environ.get('CPM_CMAKE'):
            self.skipTest('CPM_CMAKE does not name a copy of CPM.cmake (it is in no registry)')
        self.build_block('docs/get-started/install.md', 'CPMAddPackage',
                         {'cmake/CPM.cmake': Path(os.environ['CPM_CMAKE']).read_text()},
                         '-DCPM_SOURCE_CACHE=')


class VcpkgPort(unittest.TestCase):
    """vcpkg itself is not in a registry: the port is compared with the components, with the order
    of its lists, and with the features that vcpkg required in a manual test."""

    def test_features_are_the_components_and_stand_on_what_these_do(self):
        port = json.loads((ROOT / 'packaging/vcpkg/eider/vcpkg.json').read_text())
        bases = wing_components()
        self.assertEqual(list(bases), list(port['features']))
        for name in bases:
            own = [one['features'] for one in port['features'][name].get('dependencies', [])
                   if isinstance(one, dict)]
            self.assertEqual([sorted(bases[name])] if bases[name] else [], own, name)

    def test_its_lists_are_in_the_order_of_format_manifest(self):
        port = json.loads((ROOT / 'packaging/vcpkg/eider/vcpkg.json').read_text())
        for part in (port, *port['features'].values()):
            names = [one if isinstance(one, str) else one['name']
                     for one in part.get('dependencies', [])]
            self.assertEqual(sorted(names), names)

    def test_all_components_of_a_feature_are_built_and_the_command_where_it_can_be(self):
        port = (ROOT / 'packaging/vcpkg/eider/portfile.cmake').read_text()
        self.assertIn('"-DEIDER_COMPONENTS=${FEATURES}"', port)
        with tempfile.TemporaryDirectory() as build:
            done('cmake', '-S', ROOT, '-B', build, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Release',
                 '-DCMAKE_CXX_COMPILER=clang++-19', '-DEIDER_TESTS=OFF', '-DEIDER_EXAMPLES=OFF',
                 '-DEIDER_COMPONENTS=core;client;views')
            targets = done('ninja', '-C', build, '-t', 'targets', 'all')
        self.assertIn('libeider_client.a', targets)
        self.assertNotIn('libeider_cli.a', targets)

    def test_its_version_is_the_projects(self):
        port = json.loads((ROOT / 'packaging/vcpkg/eider/vcpkg.json').read_text())
        self.assertEqual(project_version(), port['version'])


if __name__ == '__main__':
    unittest.main()

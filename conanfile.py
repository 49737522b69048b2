"""Eider as a Conan package: `conan create . -o "eider/*:postgres=True" --build=missing`."""

from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps
from conan.tools.scm import Version

COMPILERS = {'gcc': '13', 'clang': '19'}
# Each component except the core: the components that it depends on, and its libraries, as named in
# ConanCenter.
COMPONENTS = {
    'accounts': (['mail', 'passwords', 'tls'], []),
    'admin': (['views'], []),
    'client': (['net', 'http2', 'compress'], ['libpsl/[>=0.21 <1]']),
    'compress': ([], ['zlib/[>=1.2.13 <2]', 'brotli/[>=1.0.9 <2]', 'zstd/[>=1.5.4 <2]']),
    'dashboard': ([], []),
    'eventlog': (['client', 'jobs'], []),
    'http2': ([], ['libnghttp2/[>=1.52 <2]']),
    'jobs': ([], []),
    'jwt': (['client'], []),
    'locale': ([], ['icu/[>=72 <80]']),
    'mail': (['jobs'], ['libcurl/[>=7.88 <9]']),
    'mariadb': (['net'], ['mariadb-connector-c/[>=3.3 <4]']),
    'net': (['tls'], ['c-ares/[>=1.18 <2]']),
    'oauth': (['jwt'], []),
    'otlp': (['client'], []),
    'passkeys': (['tls'], []),
    'passwords': ([], ['argon2/[>=20171227]']),
    'postgres': (['net'], ['libpq/[>=15 <19]']),
    'proxy': (['client'], []),
    'qr': ([], ['libqrencode/[>=4.1 <5]']),
    'redis': (['net'], []),
    'sqlite': ([], ['sqlite3/[>=3.40 <4]']),
    'storage': (['client'], []),
    'testing': ([], []),
    'tls': ([], ['openssl/[>=3 <4]']),
    'views': ([], []),
}
CORE = ['simdjson/[>=3.0 <5]', 'liburing/[>=2.3 <3]']
# Needed only to build the library and the command `eider`.
BUILDING = ['cli11/[>=2.1 <3]', 'tomlplusplus/[>=3.3 <4]', 'fmt/[>=9.1 <13]']


class Eider(ConanFile):
    """The library with the selected components, and with the command if jobs, proxy and views
    are among them."""

    name = 'eider'
    description = 'A C++23 web application framework for Linux'
    license = 'MIT'
    topics = ('http', 'web', 'framework', 'websocket', 'openapi')
    package_type = 'static-library'
    settings = 'os', 'compiler', 'build_type', 'arch'
    options = {'fPIC': [True, False], **{name: [True, False] for name in COMPONENTS}}
    default_options = {'fPIC': True, **{name: name in ('sqlite', 'testing') for name in COMPONENTS}}
    exports = 'CMakeLists.txt'  # the version is read from it
    exports_sources = ('CMakeLists.txt', 'LICENSE', 'cmake/*', 'include/*', 'src/*', 'cli/*',
                       'tools/packages.txt')
    test_package_folder = 'tests/conan'

    def set_version(self):
        """Reads the version of the project."""
        text = load(self, Path(self.recipe_folder, 'CMakeLists.txt'))
        self.version = text.partition('project(eider VERSION ')[2].split()[0]

    def requirements(self):
        """Requires the libraries: those of components are linked by programs, others are not."""
        libraries = [one for name in self._components() for one in COMPONENTS[name][1]]
        for one in CORE + libraries:
            self.requires(one, transitive_headers=True, transitive_libs=True)
        for one in BUILDING:
            self.requires(one, visible=False)

    def layout(self):
        """Uses the folders that are usual for CMake."""
        cmake_layout(self)

    def validate(self):
        """Rejects systems and compilers that Eider does not support."""
        if self.settings.os != 'Linux':
            raise ConanInvalidConfiguration(f'Eider needs Linux, not {self.settings.os}')
        compiler = str(self.settings.compiler)
        if compiler not in COMPILERS or (
                Version(self.settings.compiler.version) < COMPILERS[compiler]):
            raise ConanInvalidConfiguration(
                f'Eider needs gcc 13 or clang 19, or later, not {compiler} '
                f'{self.settings.compiler.version}')
        check_min_cppstd(self, 23)

    def generate(self):
        """Writes the files with which CMake finds the libraries."""
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # no file next to the sources
        toolchain.cache_variables['EIDER_COMPONENTS'] = ';'.join(['core', *self._components()])
        for left_out in ('EIDER_TESTS', 'EIDER_EXAMPLES'):
            toolchain.cache_variables[left_out] = 'OFF'
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        """Builds the archives, and the command if its components are selected."""
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        """Installs the files of `cmake --install`."""
        copy(self, 'LICENSE', self.source_folder, Path(self.package_folder, 'licenses'))
        CMake(self).install()

    def package_info(self):
        """Makes find_package(eider COMPONENTS core …) use the files of the package."""
        self.cpp_info.set_property('cmake_find_mode', 'none')
        self.cpp_info.builddirs = [str(file.parent.relative_to(self.package_folder)) for file in
                                   Path(self.package_folder).rglob('eider-config.cmake')]

    def _components(self):
        """Returns the selected components and their dependencies, in the order of the table."""
        waiting = [name for name in COMPONENTS if self.options.get_safe(name)]
        found = set(waiting)
        while waiting:
            bases = set(COMPONENTS[waiting.pop()][0]) - found
            found |= bases
            waiting += bases
        return [name for name in COMPONENTS if name in found]

"""Eider as a Conan package: `conan create . -o "eider/*:components=postgres;tls"`."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt


class Eider(ConanFile):
    """The library with the components asked for; their libraries are the distribution's."""

    name = 'eider'
    description = 'A C++23 web application framework for Linux'
    license = 'MIT'
    topics = ('http', 'web', 'framework', 'websocket', 'openapi')
    package_type = 'static-library'
    settings = 'os', 'compiler', 'build_type', 'arch'
    options = {'components': ['ANY'], 'fPIC': [True, False]}
    default_options = {'components': 'core;testing;sqlite', 'fPIC': True}
    exports = 'CMakeLists.txt', 'tools/packages.txt'  # read by the recipe itself
    exports_sources = ('CMakeLists.txt', 'LICENSE', 'cmake/*', 'include/*', 'src/*', 'cli/*',
                       'tools/packages.txt')
    test_package_folder = 'tests/conan'

    def set_version(self):
        """The project's own."""
        text = load(self, Path(self.recipe_folder, 'CMakeLists.txt'))
        self.version = text.partition('project(eider VERSION ')[2].split()[0]

    def layout(self):
        """CMake's usual."""
        cmake_layout(self)

    def validate(self):
        """The standard that its headers are written in."""
        check_min_cppstd(self, 23)

    def system_requirements(self):
        """What a build needs, by the names of Debian."""
        lines = load(self, Path(self.recipe_folder, 'tools/packages.txt')).splitlines()
        Apt(self).install([line.split()[1] for line in lines
                           if line.startswith('build ') and '-dev ' in line])

    def generate(self):
        """How CMake is called."""
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # no file beside the sources
        toolchain.cache_variables['EIDER_COMPONENTS'] = str(self.options.components)
        for left_out in ('EIDER_TESTS', 'EIDER_EXAMPLES'):
            toolchain.cache_variables[left_out] = 'OFF'
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        """The archives, and the command where its components are among those asked for."""
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        """What `cmake --install` leaves."""
        copy(self, 'LICENSE', self.source_folder, Path(self.package_folder, 'licenses'))
        CMake(self).install()

    def package_info(self):
        """Its own package for CMake finds it: find_package(eider COMPONENTS core …)."""
        self.cpp_info.set_property('cmake_find_mode', 'none')
        self.cpp_info.builddirs = [str(file.parent.relative_to(self.package_folder)) for file in
                                   Path(self.package_folder).rglob('eider-config.cmake')]

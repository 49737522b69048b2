"""A library of the system in place of a package of ConanCenter, for tests without a network.

Layering: has a name and a version only; CMake and pkg-config find the library in the system.
"""

from conan import ConanFile


class System(ConanFile):
    """`conan export . --name zlib --version 1.2.13`."""

    def package_info(self):
        """Has no files, so that CMake searches the system."""
        self.cpp_info.set_property('cmake_find_mode', 'none')
        self.cpp_info.set_property('pkg_config_name', 'none')
        self.cpp_info.bindirs = self.cpp_info.includedirs = self.cpp_info.libdirs = []

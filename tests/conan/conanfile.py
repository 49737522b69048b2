"""A program outside, which Conan gives the package and nothing else."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.gnu import PkgConfigDeps


class Outside(ConanFile):
    """tests/install/core.cc by the package."""

    settings = 'os', 'compiler', 'build_type', 'arch'

    def requirements(self):
        """The package that is tried."""
        self.requires(self.tested_reference_str)

    def layout(self):
        """CMake's usual."""
        cmake_layout(self)

    def generate(self):
        """How CMake is called."""
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # no file beside the sources
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        """The program."""
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        """It ends well."""
        if can_run(self):
            self.run(str(Path(self.build_folder, 'outside')), env='conanrun')

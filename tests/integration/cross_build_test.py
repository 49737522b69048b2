#!/usr/bin/env python3
"""A cross build runs programs of this machine: those of EIDER_HOST_TOOLS, or those in PATH.

Must not compile anything: it reads the build steps that CMake has generated.
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

CMAKE = Path(__file__).resolve().parents[2] / 'cmake'
PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(shop CXX)
include("{CMAKE}/EiderAssets.cmake")
include("{CMAKE}/EiderViews.cmake")
include("{CMAKE}/EiderMigrations.cmake")
foreach(name eider eider_assets_command)
  add_executable(${{name}} main.cc)
endforeach()
add_executable(eider::assets_command ALIAS eider_assets_command)
add_library(eider::views INTERFACE IMPORTED)
add_executable(shop main.cc)
eider_assets(shop DIRECTORY assets)
eider_views(shop FILES page.html)
eider_migrations(shop DIRECTORY migrations)
"""
CROSS = ('-DCMAKE_SYSTEM_NAME=Linux', '-DCMAKE_SYSTEM_PROCESSOR=aarch64')


class CrossBuild(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)
        for name, text in {'CMakeLists.txt': PROJECT, 'main.cc': 'int main() {}', 'page.html': '',
                           'assets/a.css': '', 'migrations/1_a.sql': ''}.items():
            path = self.place / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)

    def tools(self, *names):
        """Returns a directory with programs of those names."""
        directory = self.place / 'tools'
        directory.mkdir()
        for name in names:
            (directory / name).write_text('#!/bin/sh\n')
            (directory / name).chmod(0o755)
        return directory

    def configure(self, *options, **changes):
        return subprocess.run(
            ['cmake', '-S', '.', '-B', 'out', '-G', 'Ninja', *options], cwd=self.place, text=True,
            capture_output=True, check=False, timeout=100, env={**os.environ, **changes})

    def steps(self, *options, **changes):
        """Returns the start of each command for assets, templates and migrations."""
        ended = self.configure(*options, **changes)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        lines = (self.place / 'out/build.ninja').read_text().splitlines()
        commands = [line.rpartition(' && ')[2] for line in lines if line.startswith('  COMMAND = ')]
        return [next(one for one in commands if mark in one)
                for mark in ('/assets ', ' views ', ' db embed ')
                if any(mark in one for one in commands)]

    def assert_all_start_with(self, start, steps):
        self.assertEqual(len(steps), 3, steps)
        for step in steps:
            self.assertTrue(step.startswith(start), step)

    def test_uses_the_tools_of_the_directory(self):
        tools = self.tools('eider', 'eider-assets')
        self.assert_all_start_with(f'{tools}/eider',
                                   self.steps(*CROSS, f'-DEIDER_HOST_TOOLS={tools}'))

    def test_uses_the_tools_on_the_path(self):
        tools = self.tools('eider', 'eider-assets')
        self.assert_all_start_with(f'{tools}/eider', self.steps(
            *CROSS, PATH=f'{tools}:{os.environ["PATH"]}'))

    def test_with_an_emulator_it_runs_what_it_has_built(self):
        emulator = self.tools('emulator') / 'emulator'
        self.assert_all_start_with(f'{emulator} {self.place}/out/eider', self.steps(
            *CROSS, f'-DCMAKE_CROSSCOMPILING_EMULATOR={emulator}'))

    def test_another_build_runs_what_it_has_built(self):
        self.assert_all_start_with(f'{self.place}/out/eider', self.steps())

    def test_names_the_tool_that_is_missing_and_the_option(self):
        tools = self.tools('eider')
        ended = self.configure(*CROSS, f'-DEIDER_HOST_TOOLS={tools}', PATH='/usr/bin:/bin')
        self.assertNotEqual(ended.returncode, 0)
        message = ' '.join(ended.stderr.split())
        self.assertIn('A cross build runs eider-assets on this machine', message)
        self.assertIn('-DEIDER_HOST_TOOLS=DIR', message)


if __name__ == '__main__':
    unittest.main()

"""Configures and builds the presets that the parts need.

Must not build anything that no part requested: time is limited.
"""

import contextlib
import os
import re
from pathlib import Path

from parts import commands
from parts.outcome import tail

BUILD_SECONDS_MAX = 2400
# Without this sloppiness, ccache does not cache files that use precompiled headers.
ENVIRONMENT = {'CCACHE_SLOPPINESS': 'pch_defines,time_macros', 'CLICOLOR_FORCE': '0',
               'NINJA_STATUS': '[%f/%t] '}


class BuildFailed(Exception):
    """Contains the end of the output."""


class Ahead:
    """Builds the trees of later parts at low priority while earlier parts wait.

    It finishes a build that it has started, because an interrupted compilation is repeated. Two
    builds in one tree would break it, so a part calls `await_tree` before it builds its own.
    """

    def __init__(self):
        self._trees, self._process = [], None

    def plan(self, trees):
        """Sets the trees to build, in order: each a preset and its targets (no targets: all)."""
        self._trees = list(trees)

    def go_on(self, root, built):
        """Starts the build of the tree after `built`, at the lowest priority for the process and
        for its scheduling group."""
        presets = [preset for preset, *_ in self._trees]
        if built in presets:
            del self._trees[:presets.index(built) + 1]
        if self._trees and not self._is_at_work():
            preset, *targets = self._trees[0]
            self._process = commands.begin(
                ['nice', '-n', '19', 'sh', '-c', 'echo 19 >/proc/$$/autogroup; '
                 f'cmake --preset {preset} && ninja -C build/{preset} -k 0 {" ".join(targets)}'],
                root, ENVIRONMENT)

    def await_tree(self, preset):
        """Waits until the tree is built, if its build is running."""
        if self._is_at_work() and self._trees[0][0] == preset:
            with contextlib.suppress(OSError):  # raising the priority needs privileges
                os.setpriority(os.PRIO_PROCESS, self._process.pid, 0)
                Path(f'/proc/{self._process.pid}/autogroup').write_text('0', 'utf-8')
            commands.wait(self._process, BUILD_SECONDS_MAX)

    def stop(self):
        """Stops the running build; files that are built already stay."""
        if self._process is not None:
            commands.end(self._process)
            self._process = None

    def _is_at_work(self):
        return self._process is not None and self._process.poll() is None


AHEAD = Ahead()


class Tree:
    """The build directory of one preset."""

    def __init__(self, root, preset):
        self.root, self.preset = root, preset
        self.directory = root / 'build' / preset

    @property
    def bin(self):
        """The directory of the programs."""
        return self.directory / 'bin'

    def configure(self):
        """Configures the tree, after which its targets are known."""
        AHEAD.await_tree(self.preset)
        ended = commands.run(['cmake', '--preset', self.preset], 300, self.root, ENVIRONMENT)
        if not ended.is_good:
            raise BuildFailed('configuring failed\n' + tail(ended.output))

    def build(self, *targets):
        """Configures, then builds the targets (default: all)."""
        self.configure()
        ended = commands.run(['ninja', '-C', self.directory, '-k', '0', *targets],
                             BUILD_SECONDS_MAX, self.root, ENVIRONMENT)
        if not ended.is_good:
            raise BuildFailed('the build failed\n' + _failures(ended.output))
        AHEAD.go_on(self.root, self.preset)

    def targets(self, pattern):
        """Returns the names of the programs in the configured tree that match."""
        ended = commands.run(['ninja', '-C', self.directory, '-t', 'targets', 'all'], 60, self.root,
                             ENVIRONMENT)
        return sorted(set(re.findall(rf'^bin/({pattern}):', ended.output, re.MULTILINE)))

    def command(self, program):
        """Returns the command that runs the program; in a cross build, it starts the emulator."""
        cache = self.directory / 'CMakeCache.txt'
        found = re.search(r'^CMAKE_CROSSCOMPILING_EMULATOR:\w+=(.+)$',
                          cache.read_text(encoding='utf-8') if cache.exists() else '', re.MULTILINE)
        return [*(found[1].split(';') if found else ()), self.bin / program]

    def has(self, program):
        """Returns whether the program is built."""
        return os.access(self.bin / program, os.X_OK)


def _failures(output):
    """Returns ninja's output for the failed steps, without the commands themselves."""
    kept, is_failing = [], False
    for line in output.splitlines():
        if line.startswith('FAILED: '):
            is_failing = True
            kept.append(line)
        elif re.match(r'\[\d+/\d+\] |ninja: ', line):
            is_failing = False
        elif is_failing and len(line) < 400:
            kept.append(line)
    return '\n'.join(kept[:80]) or tail(output)

"""Configures and builds the presets that the parts need.

Must not build what a part did not ask for: time is bounded.
"""

import contextlib
import os
import re
from pathlib import Path

from parts import commands
from parts.outcome import tail

BUILD_SECONDS_MAX = 2400
# Precompiled headers keep their use of the cache only with these.
ENVIRONMENT = {'CCACHE_SLOPPINESS': 'pch_defines,time_macros', 'CLICOLOR_FORCE': '0',
               'NINJA_STATUS': '[%f/%t] '}


class BuildFailed(Exception):
    """With the end of the output."""


class Ahead:
    """Builds the trees of later parts while earlier ones wait, in what processor time is left.

    What it has begun it ends, since a compilation that is broken off is done twice. Two builds in
    one tree would break it: `await_tree` is called before a part builds its own.
    """

    def __init__(self):
        self._trees, self._process = [], None

    def plan(self, trees):
        """What parts will build, in order: each a preset and its targets, of which none are all."""
        self._trees = list(trees)

    def go_on(self, root, built):
        """Begins the tree behind `built`, at the lowest priority: also among sessions."""
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
        """Waits until that tree is built, if it is the one at work."""
        if self._is_at_work() and self._trees[0][0] == preset:
            with contextlib.suppress(OSError):  # to raise it takes rights
                os.setpriority(os.PRIO_PROCESS, self._process.pid, 0)
                Path(f'/proc/{self._process.pid}/autogroup').write_text('0', 'utf-8')
            commands.wait(self._process, BUILD_SECONDS_MAX)

    def stop(self):
        """Ends what it builds; what is built already stays."""
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
        """Where the programs are."""
        return self.directory / 'bin'

    def configure(self):
        """Makes the tree know its targets."""
        AHEAD.await_tree(self.preset)
        ended = commands.run(['cmake', '--preset', self.preset], 300, self.root, ENVIRONMENT)
        if not ended.is_good:
            raise BuildFailed('configuring failed\n' + tail(ended.output))

    def build(self, *targets):
        """Configures, then builds the targets (all of them when none is named)."""
        self.configure()
        ended = commands.run(['ninja', '-C', self.directory, '-k', '0', *targets],
                             BUILD_SECONDS_MAX, self.root, ENVIRONMENT)
        if not ended.is_good:
            raise BuildFailed('the build failed\n' + _failures(ended.output))
        AHEAD.go_on(self.root, self.preset)

    def targets(self, pattern):
        """The names of the programs whose name matches, as the configured tree knows them."""
        ended = commands.run(['ninja', '-C', self.directory, '-t', 'targets', 'all'], 60, self.root,
                             ENVIRONMENT)
        return sorted(set(re.findall(rf'^bin/({pattern}):', ended.output, re.MULTILINE)))

    def command(self, program):
        """The command that runs the program: in a cross build, the emulator runs it."""
        cache = self.directory / 'CMakeCache.txt'
        found = re.search(r'^CMAKE_CROSSCOMPILING_EMULATOR:\w+=(.+)$',
                          cache.read_text(encoding='utf-8') if cache.exists() else '', re.MULTILINE)
        return [*(found[1].split(';') if found else ()), self.bin / program]

    def has(self, program):
        """Whether the program is built."""
        return os.access(self.bin / program, os.X_OK)


def _failures(output):
    """What ninja said of the steps that failed, without the commands themselves."""
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

"""Configures and builds the presets that the parts need.

Must not build what a part did not ask for: time is bounded.
"""

import os
import re

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

    Two builds in one tree would break it: `stop` ends this one before a part builds its own.
    """

    def __init__(self):
        self._presets, self._process = [], None

    def plan(self, presets):
        """The presets that parts will build, in order."""
        self._presets = list(presets)

    def go_on(self, root, built):
        """Begins the tree behind `built`, at the lowest priority: also among sessions."""
        if built in self._presets:
            del self._presets[:self._presets.index(built) + 1]
        if self._presets:
            preset = self._presets[0]
            self._process = commands.begin(
                ['nice', '-n', '19', 'sh', '-c', 'echo 19 >/proc/$$/autogroup; '
                 f'cmake --preset {preset} && ninja -C build/{preset} -k 0'],
                root, ENVIRONMENT)

    def stop(self):
        """Ends what it builds; what is built already stays."""
        if self._process is not None:
            commands.end(self._process)
            self._process = None


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
        AHEAD.stop()
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

"""Configures and builds the presets that the parts need.

Must not build anything that no part requested: time is limited.
"""

import contextlib
import os
import re
import threading
from dataclasses import dataclass
from pathlib import Path

from parts import commands
from parts.outcome import tail

BUILD_SECONDS_MAX = 2400
# Without this sloppiness, ccache does not cache files that use precompiled headers.
ENVIRONMENT = {'CCACHE_SLOPPINESS': 'pch_defines,time_macros', 'CCACHE_PREFIX': commands.FASTER,
               'CLICOLOR_FORCE': '0', 'NINJA_STATUS': '[%f/%t] '}


class BuildFailed(Exception):
    """Contains the end of the output."""


@dataclass
class Step:
    """A step that can run in advance: a tree or a part, and the command that builds or runs it."""
    name: str
    command: list


def building(preset, *targets):
    """Returns the step that builds a tree (no targets: all)."""
    return Step(preset, ['sh', '-c', f'cmake --preset {preset} && '
                         f'ninja -C build/{preset} -k 0 -j {commands.JOBS} {" ".join(targets)}'])


class Ahead:
    """Runs later steps one after the other at low priority, while earlier parts wait.

    Two builds in one tree would break it, so a part calls `await_step` before it builds its own.
    """

    def __init__(self):
        self._steps, self._root, self._process = [], None, None
        self._changed = threading.Condition()

    def plan(self, root, steps):
        """Sets the steps to run, in order; `go_on` starts the first."""
        self._root, self._steps = root, list(steps)

    def go_on(self):
        """Starts the first step that has not ended, unless one is running. After its end, the next
        one starts."""
        with self._changed:
            if self._steps and self._process is None:
                # The lowest priority for the process and for its scheduling group.
                self._process = commands.begin(
                    ['nice', '-n', '19', 'sh', '-c', 'echo 19 >/proc/$$/autogroup; exec "$@"', 'sh',
                     *self._steps[0].command], self._root, ENVIRONMENT)
                threading.Thread(target=self._await_end, args=(self._process,), daemon=True).start()

    def await_step(self, name):
        """Waits until the step has ended if it is running; otherwise it will not run."""
        with self._changed:
            if self._process is None or self._steps[0].name != name:
                self._steps = [step for step in self._steps if step.name != name]
                return
            process = self._process
        with contextlib.suppress(OSError):  # raising the priority needs privileges
            os.setpriority(os.PRIO_PROCESS, process.pid, 0)
            Path(f'/proc/{process.pid}/autogroup').write_text('0', 'utf-8')
        commands.wait(process, BUILD_SECONDS_MAX)
        with self._changed:
            self._changed.wait_for(lambda: self._process is not process)

    def stop(self):
        """Stops the running step, which `go_on` repeats; files that are built already stay."""
        with self._changed:
            process, self._process = self._process, None
        if process is not None:
            commands.end(process)

    def _await_end(self, process):
        process.wait()
        with self._changed:
            if self._process is not process:
                return  # it was stopped
            self._process = None
            del self._steps[0]
            self._changed.notify_all()
            self.go_on()  # with the lock: no step starts after `stop`


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
        AHEAD.await_step(self.preset)
        ended = commands.run(['cmake', '--preset', self.preset], 300, self.root, ENVIRONMENT)
        if not ended.is_good:
            raise BuildFailed('configuring failed\n' + tail(ended.output))

    def build(self, *targets):
        """Configures, then builds the targets (default: all)."""
        self.configure()
        # By default ninja starts two jobs more than there are cores. On two cores, compilers that
        # take turns need 6 % more processor time.
        ended = commands.run(['ninja', '-C', self.directory, '-k', '0', '-j', commands.JOBS,
                              *targets],
                             BUILD_SECONDS_MAX, self.root, ENVIRONMENT)
        if not ended.is_good:
            raise BuildFailed('the build failed\n' + _failures(ended.output))

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

#!/usr/bin/env python3
"""Runs all tests of the repository, part by part. The last line is: N passed, N failed."""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from parts import commands, debian13, pages, programs, statics, tidy, units
from parts.build import AHEAD, Step, Tree, building
from parts.outcome import Outcome, Teller

ROOT = Path(__file__).resolve().parent.parent
TSAN = ('tsan', 'tests/all')  # without the components that its tests do not use


@dataclass
class Part:
    """One part of the run: its name, its description, and whether --quick and the full run have it.

    `builds` is the tree that the part needs, a preset and its targets (no targets: all). It is
    built in advance, while earlier parts wait. A part that is_compilation runs in advance as well,
    after all trees: its result does not depend on the speed of the machine.
    """
    name: str
    what: str
    run: Callable
    is_quick: bool = False
    builds: tuple = ()
    is_full: bool = True
    is_compilation: bool = False


def packages(outcome, _):
    """Installs the packages of the tests. Those for a build are installed before, by ./test."""
    ended = subprocess.run(  # with the terminal: sudo may ask for a password
        ['bash', '-c', '. tools/setup.sh; '
         'ensure_packages_once build/.test_packages build quick test'], check=False)
    outcome.check('packages', ['see above'] if ended.returncode else [])


def unit(outcome, options):
    """Builds the library as users do and runs its unit tests. The full run has them in other
    parts."""
    tree = Tree(ROOT, 'unit')
    tree.build()
    units.run(outcome, tree, options.layer)


def with_asan(outcome, options):
    """Runs all unit tests with the address and undefined-behavior sanitizers."""
    tree = Tree(ROOT, 'asan')
    tree.build()
    units.run(outcome, tree, options.layer)


def with_tsan(outcome, options):
    """Runs the tests of layers that use several threads with the thread sanitizer."""
    tree = Tree(ROOT, 'tsan')
    tree.build(*TSAN[1:])
    units.run(outcome, tree, options.layer)


def fuzz(outcome, options):
    """Runs every fuzzer for a limited time. With --fuzz-seconds, a preset with faster fuzzers."""
    tree = Tree(ROOT, 'fuzz' if options.fuzz_seconds else 'asan')
    tree.configure()
    fuzzers = tree.targets(r'\w+_fuzz')
    if fuzzers:
        tree.build(*fuzzers)
    programs.run_fuzzers(outcome, tree, fuzzers, options.fuzz_seconds)


def installed(outcome, _):
    """Builds projects outside of the tree with the installed package."""
    tree = Tree(ROOT, 'release')
    tree.build()
    programs.check_installed(outcome, tree)


def integration(outcome, _):
    """Runs scripts that start the built programs."""
    tree = Tree(ROOT, 'release')
    tree.build()
    programs.run_scripts(outcome, tree)


def arena(outcome, _):
    """Runs the tests of the load and benchmark tools."""
    tree = Tree(ROOT, 'release')
    tree.build()
    programs.check_arena(outcome, ROOT)


def with_tidy(outcome, options):
    """Runs clang-tidy."""
    tree = Tree(ROOT, 'release')
    if not options.save:  # in advance, the run has built it
        tree.build()  # clang-tidy reads precompiled headers and compiled templates
    tidy.check_tidy(outcome, tree)


PARTS = [
    Part('packages', 'what the tests need is installed', packages),
    Part('layers', 'includes look down', lambda o, _: statics.check_layers(o, ROOT), True),
    Part('sizes', 'files, functions, lines', lambda o, _: statics.check_sizes(o, ROOT), True),
    Part('format', 'layout by clang-format', lambda o, _: statics.check_format(o, ROOT), True),
    Part('tools', "the checkers' own tests", lambda o, _: statics.check_tools(o, ROOT), True),
    Part('unit', 'every unit test by clang 19', unit, True, is_full=False),
    Part('debian13', 'g++ 14: everything, on Debian 13',
         lambda o, _: debian13.check(o, ROOT)),
    Part('arm64', 'tests built for arm64, under qemu',
         lambda o, _: debian13.check_arm64(o, ROOT), is_full=False),
    Part('integration', 'programs and examples, called', integration, builds=('release',)),
    Part('arena', 'what measures is tested too', arena),
    Part('docs', 'the language and the first program of each page',
         lambda o, _: pages.check(o, ROOT), True),
    Part('install', 'an outside project finds the package', installed),
    Part('asan', 'address and undefined behavior', with_asan, builds=('asan',)),
    Part('tsan', 'threads', with_tsan, builds=TSAN),
    Part('fuzz', 'every fuzzer, bounded', fuzz),
    Part('tidy', 'mistakes that clang-tidy finds', with_tidy, builds=('release',),
         is_compilation=True),
    Part('misuse', 'must not compile', lambda o, _: statics.check_misuse(o, ROOT, statics.CLANG),
         True, is_compilation=True),
    Part('snippets', 'what the pages show compiles',
         lambda o, _: statics.check_snippets(o, ROOT), is_compilation=True),
    Part('alone', 'each public header compiles by itself',
         lambda o, _: statics.check_alone(o, ROOT), is_compilation=True),
]


def read_options():
    """Reads the command line."""
    parts = '\n'.join(f'  {part.name:<12} {part.what}{runs_of(part)}' for part in PARTS)
    parser = argparse.ArgumentParser(
        prog='./test', description=__doc__, epilog='parts (default: the full run):\n' + parts,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('part', nargs='*', help='run only these parts')
    parser.add_argument('--quick', action='store_true',
                        help='only the parts for the inner loop: under two minutes once built')
    parser.add_argument('--layer', action='append', metavar='LAYER',
                        help='only the unit tests of this layer, e.g. json or http/h1 (repeatable)')
    parser.add_argument('--fuzz-seconds', type=int, metavar='N',
                        help='look for new inputs for so long with each fuzzer; without it, '
                             'each makes the same ones every time')
    parser.add_argument('--save', metavar='FILE', help=argparse.SUPPRESS)  # of a part in advance
    options_of_time(parser)
    options = parser.parse_args()
    unknown = set(options.part) - {part.name for part in PARTS}
    if unknown:
        parser.error(f'no part {", ".join(sorted(unknown))}; there are: '
                     + ', '.join(part.name for part in PARTS))
    return options


def runs_of(part):
    """Returns which runs have the part, or '' if only the full run has it."""
    if part.is_quick:
        return '  (quick)' if part.is_full else '  (only --quick)'
    return '' if part.is_full else '  (only when named)'


def options_of_time(parser):
    """Adds the option for a run with a time limit."""
    parser.add_argument('--end-within', type=float, metavar='MINUTES',
                        help='end then, and say what was left out: for a run whose time is '
                             'bounded, on a machine that is slow that day')


def chosen(options):
    """Returns the parts to run."""
    if options.part:
        return [part for part in PARTS if part.name in ('packages', *options.part)]
    return [part for part in PARTS if (part.is_quick if options.quick else part.is_full)]


def steps_ahead(parts, directory):
    """Returns what can run in advance: the trees that parts need, then the parts that compile.
    They save their outcomes in the directory."""
    trees = dict.fromkeys(part.builds for part in parts if part.builds)
    return [*(building(*tree) for tree in trees),
            *(Step(part.name, [sys.executable, __file__, part.name, '--save',
                               str(saved(part, directory))])
              for part in parts if part.is_compilation)]


def saved(part, directory):
    """Returns the file with the outcome of a part that ran in advance."""
    return Path(directory, f'{part.name}.json')


def run_part(part, outcome, options, directory):
    """Runs a part, or reads its outcome if it has run in advance."""
    AHEAD.go_on()
    if part.is_compilation:
        AHEAD.await_step(part.name)
        if saved(part, directory).exists():
            outcome.add(Outcome.read(saved(part, directory)))
            outcome.notes.append('it ran at low priority in parallel with earlier parts')
            return
    part.run(outcome, options)


def run_in_advance(part, options):
    """Runs a part at low priority and saves its outcome."""
    commands.extend_limits()
    outcome = Outcome()
    part.run(outcome, options)
    outcome.save(options.save)


def main():
    """Runs the chosen parts; returns 1 if anything failed, 130 on Ctrl-C or SIGTERM."""
    options = read_options()
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends the running programs, too
    parts = chosen(options)
    if options.save:
        return run_in_advance(parts[-1], options)
    teller = Teller()
    if options.end_within:
        commands.end_within(options.end_within * 60)
    with tempfile.TemporaryDirectory() as directory:
        AHEAD.plan(ROOT, steps_ahead(parts[1:], directory))
        try:
            for part in parts:
                teller.run(part.name, part.what,
                           lambda o, part=part: run_part(part, o, options, directory))
                if part.run is packages and teller.total.failures:
                    break
        except KeyboardInterrupt:
            print('\ninterrupted: the other parts did not run')
            teller.finish()
            return 130
        finally:
            AHEAD.stop()
    return teller.finish()


if __name__ == '__main__':
    sys.exit(main())

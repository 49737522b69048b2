"""The result of a part of the test run, and its output.

Must not decide what counts as a failure: the parts do.
"""

import json
import resource
import sys
import time
from pathlib import Path

from parts.commands import OutOfTime
from parts.standstill import Standstill

_TAIL_LINES = 60
_LAST_WORDS_LINES = 8


class Outcome:
    """The counts of one part, with the details of every failure."""

    def __init__(self):
        self.passed = 0
        self.failures = []  # (name, details)
        self.skipped = []  # (name, why)
        self.unsteady = []  # (name, the output of the first run)
        self.notes = []  # lines that are always printed

    def ok(self, count=1):
        """Adds `count` passed tests."""
        self.passed += count

    def fail(self, name, details=''):
        """Adds a failure; `details` is its output."""
        self.failures.append((name, details))

    def skip(self, name, why):
        """Adds a test that could not run on this machine, with the reason that it gives."""
        self.skipped.append((name, why))

    def passed_alone(self, name, details):
        """Adds a test that failed in parallel with others and passed alone. It is reported,
        because the cause may be a rare bug."""
        self.passed += 1
        self.unsteady.append((name, details))

    def check(self, name, faults):
        """Adds one check, which passes if `faults` is empty."""
        if faults:
            self.fail(name, '\n'.join(faults))
        else:
            self.ok()

    def save(self, path):
        """Writes it to a file, for `read` in another process."""
        Path(path).write_text(json.dumps(vars(self)), encoding='utf-8')

    @classmethod
    def read(cls, path):
        """Returns the outcome that another process saved."""
        outcome = cls()
        vars(outcome).update(json.loads(Path(path).read_text(encoding='utf-8')))
        return outcome

    def add(self, other):
        """Adds the counts of another outcome, but not its notes."""
        self.passed += other.passed
        self.failures += other.failures
        self.skipped += other.skipped
        self.unsteady += other.unsteady


def tail(text, lines=_TAIL_LINES):
    """Returns the last lines of an output."""
    return '\n'.join(text.rstrip().splitlines()[-lines:])


def last_words(details):
    """Returns the last lines with text, each shortened to 200 characters."""
    lines = [line.strip() for line in details.splitlines() if line.strip(' \t-=')]
    return [line[:200] for line in lines[-_LAST_WORDS_LINES:]]


def cpu_seconds():
    """Returns the CPU time of this process and its ended children.

    The elapsed time of a part differs: it can wait, or another tree can be built meanwhile.
    """
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


class Teller:
    """Prints which part runs, its result and its duration to standard output."""

    def __init__(self):
        self.total = Outcome()

    def run(self, name, what, part):
        """Runs `part(Outcome)`. An exception counts as a failure, except OutOfTime."""
        is_terminal = sys.stdout.isatty()
        print(f'{name:<12} {what} …', end='' if is_terminal else '\n', flush=True)
        outcome, begin, cpu = Outcome(), time.monotonic(), cpu_seconds()
        with Standstill() as machine:
            try:
                part(outcome)
            except OutOfTime:
                outcome.skip('what is left of it', 'the time of the run is over')
            except Exception as fault:  # noqa: the run continues and reports the exception
                outcome.fail(name, f'{type(fault).__name__}: {fault}')
        outcome.notes += machine.notes
        seconds = time.monotonic() - begin
        print('\r\033[K' * is_terminal + f'{name:<12} {outcome.passed} passed, '
              f'{len(outcome.failures)} failed  ({what}, {seconds:.1f} s, '
              f'{cpu_seconds() - cpu:.0f} s of CPU time)', flush=True)
        for note in outcome.notes:
            print(f'  {note}')
        for title, why in outcome.skipped:
            print(f'  skipped {name}: {title}: {why}')
        for word, found in (('FAILED', outcome.failures), ('UNSTEADY', outcome.unsteady)):
            for title, details in found:
                print(f'  {word} {name}: {title}')
                for line in details.splitlines():
                    print(f'    {line}')
        sys.stdout.flush()
        self.total.add(outcome)

    def finish(self):
        """Prints the last lines and returns the exit status."""
        # Repeat the failures: some systems keep only the last lines of a log.
        for name, details in self.total.failures[:20]:
            print(f'FAILED {name}')
            for line in last_words(details):
                print(f'  {line}')
        also = ''.join(f', {len(found)} {word}' for word, found in
                       (('skipped', self.total.skipped), ('unsteady', self.total.unsteady))
                       if found)
        print(f'{self.total.passed} passed, {len(self.total.failures)} failed{also}')
        return 1 if self.total.failures or not self.total.passed else 0

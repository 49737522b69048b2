"""What a part of the test run found, and how it is told.

Must not decide what is a failure: the parts do.
"""

import resource
import sys
import time

from parts.commands import OutOfTime
from parts.standstill import Standstill

_TAIL_LINES = 60
_LAST_WORDS_LINES = 8


class Outcome:
    """Counts of one part, with the details of every failure."""

    def __init__(self):
        self.passed = 0
        self.failures = []  # (name, details)
        self.skipped = []  # (name, why)
        self.unsteady = []  # (name, what the first run said)
        self.notes = []  # lines that are told whatever was found

    def ok(self, count=1):
        """So many more passed."""
        self.passed += count

    def fail(self, name, details=''):
        """One failed; `details` are what its output says."""
        self.failures.append((name, details))

    def skip(self, name, why):
        """One could not run on this machine; `why` is its own word."""
        self.skipped.append((name, why))

    def passed_alone(self, name, details):
        """One failed among others and passed when it ran alone; told, as it may be a rare fault."""
        self.passed += 1
        self.unsteady.append((name, details))

    def check(self, name, faults):
        """One check that passes when it has no faults."""
        if faults:
            self.fail(name, '\n'.join(faults))
        else:
            self.ok()

    def add(self, other):
        """The counts of another outcome too."""
        self.passed += other.passed
        self.failures += other.failures
        self.skipped += other.skipped
        self.unsteady += other.unsteady


def tail(text, lines=_TAIL_LINES):
    """The last lines of an output."""
    return '\n'.join(text.rstrip().splitlines()[-lines:])


def last_words(details):
    """The last lines that say something, each in bounds."""
    lines = [line.strip() for line in details.splitlines() if line.strip(' \t-=')]
    return [line[:200] for line in lines[-_LAST_WORDS_LINES:]]


def cpu_seconds():
    """Of this process and those that have ended: a part may also wait, or build the next tree."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


class Teller:
    """Says on standard output which part runs, what it found and how long it took."""

    def __init__(self):
        self.total = Outcome()

    def run(self, name, what, part):
        """Runs `part(Outcome)`; an exception of it counts as a failure, but for its time's end."""
        is_terminal = sys.stdout.isatty()
        print(f'{name:<12} {what} …', end='' if is_terminal else '\n', flush=True)
        outcome, begin, cpu = Outcome(), time.monotonic(), cpu_seconds()
        with Standstill() as machine:
            try:
                part(outcome)
            except OutOfTime:
                outcome.skip('what is left of it', 'the time of the run is over')
            except Exception as fault:  # noqa: the run goes on, and says what happened
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
        """The last lines; the exit status."""
        # Again, as a log may be kept by its last lines alone.
        for name, details in self.total.failures[:20]:
            print(f'FAILED {name}')
            for line in last_words(details):
                print(f'  {line}')
        also = ''.join(f', {len(found)} {word}' for word, found in
                       (('skipped', self.total.skipped), ('unsteady', self.total.unsteady))
                       if found)
        print(f'{self.total.passed} passed, {len(self.total.failures)} failed{also}')
        return 1 if self.total.failures or not self.total.passed else 0

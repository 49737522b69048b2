"""Changes files again and again while a load runs, and checks that the server notices.

Must not judge the responses of the load: the generator does.
"""

import dataclasses
import threading
import time
from pathlib import Path

from load import versions
from verify import answers
from verify.framing import WrongAnswer

SEEN_SECONDS_MAX = 2
_FILE_SECONDS = 0.05


class Nothing:
    """No changes. Use as a context manager around the load."""

    def __init__(self, *_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def figures(self, _report):
        """Returns the figures of the changes; raises WrongAnswer if the server missed one."""
        return {}


class _Repeated(Nothing):
    """Calls change() in a thread, every few seconds."""

    def __init__(self, every_seconds):
        super().__init__()
        self._every, self._ending = every_seconds, threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ending.set()
        self._thread.join()

    def _run(self):
        while not self._ending.wait(self._every):
            self.change()

    def change(self):
        """Makes one change."""
        raise NotImplementedError


class Files(_Repeated):
    """Replaces the file of the cell's path by its next version, 20 times per second."""

    def __init__(self, step, one):
        super().__init__(_FILE_SECONDS)
        cell = step.cell
        self._name, self._version = Path(cell.ask.path).stem, 0
        self._request, self._expected, self._port = cell.ask.request(), cell.ask.expected, \
            one.server.port

    def change(self):
        """Replaces the file."""
        self._version = (self._version + 1) % versions.COUNT
        versions.publish(self._name, self._version)

    def figures(self, _report):
        """Replaces it once more, and returns the time until this version is served."""
        self.change()
        began, body = time.monotonic(), versions.bodies(self._name)[self._version]
        wanted = dataclasses.replace(self._expected, body=body, judge=None)
        while True:
            seconds = time.monotonic() - began
            try:
                answers.check(self._port, self._request, 1, wanted, False, ())
                return {"seen_ms": seconds * 1000}
            except WrongAnswer:
                if seconds > SEEN_SECONDS_MAX:
                    raise WrongAnswer("the replaced file is still served after "
                                      f"{SEEN_SECONDS_MAX} s") from None


_KNOWN = {"": Nothing, "file": Files}


def of(step, one):
    """Returns the changes during a load of the step's cell on this contestant."""
    return _KNOWN[step.cell.changes](step, one)

"""Changes files again and again while a load runs, and checks that the server notices.

Must not judge the responses of the load: the generator does.
"""

import dataclasses
import threading
import time
from pathlib import Path

from load import certificates, versions
from verify import answers
from verify.framing import WrongAnswer

SEEN_SECONDS_MAX = 2
_FILE_SECONDS, _LOOK_SECONDS = 0.05, 0.05
_UNSEEN = f"the new certificate is not used within {SEEN_SECONDS_MAX} s"


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


class Certificates(_Repeated):
    """Replaces the certificate and its key twice, after a third and two thirds of the load."""

    def __init__(self, step, one):
        super().__init__(step.seconds / certificates.COUNT)
        self._server, self._via, self._at = one.server, one.probe.via, []
        self._numbers = [(certificates.current() + more) % certificates.COUNT
                         for more in range(certificates.COUNT)]

    def __enter__(self):
        """Waits until the server uses the current files: others may have been measured since."""
        self._server.reload()
        ends_at = time.monotonic() + SEEN_SECONDS_MAX
        while self._used() != certificates.fingerprint(self._numbers[0]):
            if time.monotonic() > ends_at:
                raise WrongAnswer(_UNSEEN)
            time.sleep(_LOOK_SECONDS)
        return super().__enter__()

    def _used(self):
        with self._via(self._server.port) as connection:
            return certificates.of_der(connection.getpeercert(True))

    def change(self):
        """Replaces both files, and tells the server if it needs a signal."""
        if len(self._at) < certificates.COUNT - 1:
            self._at.append(time.monotonic())
            certificates.replace(self._numbers[len(self._at)])
            self._server.reload()

    def figures(self, report):
        """Returns the longest time until a new certificate was used."""
        known = [certificates.fingerprint(number) for number in self._numbers]
        if set(report.certificates) - set(known):
            raise WrongAnswer("a handshake had a certificate that was never installed")
        delays = []
        for at, before, after in zip(self._at, known, known[1:]):
            first, last = report.certificates.get(after), report.certificates.get(before)
            if first is None or first[0] - at > SEEN_SECONDS_MAX:
                raise WrongAnswer(_UNSEEN)
            if last is not None and last[1] - at > SEEN_SECONDS_MAX:
                raise WrongAnswer("the replaced certificate is still used after "
                                  f"{SEEN_SECONDS_MAX} s")
            delays.append(first[0] - at)
        return {"seen_ms": max(delays) * 1000} if delays else {}


_KNOWN = {"": Nothing, "file": Files, "certificate": Certificates}


def of(step, one):
    """Returns the changes during a load of the step's cell on this contestant."""
    return _KNOWN[step.cell.changes](step, one)

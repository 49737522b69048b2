"""The documentation site for its tests: built once for each script, and shown by a browser.

Python packages are in build/site-venv, axe-core (npm) in build/site-axe.
"""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import webdriver
from support import ROOT, make_packages

BUILD_SECONDS_MAX = 150
PAGES = ('index.html', 'guides/application/middleware.html', 'tutorial/bookstore.html',
         'names.html',
         'headers/eider/eider.html', 'arena/index.html', 'arena/2026-11-21-two-cores.html',
         'get-started/comparison.html', 'get-started/install.html',
         'source/examples/12_guards/main.cc.html')


def build(*words, root=ROOT, **environment):
    """Returns the status and the output of docs/build."""
    ended = subprocess.run([root / 'docs/build', *words], cwd='/', text=True, check=False,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=BUILD_SECONDS_MAX,
                           env={**os.environ, **environment})
    return ended.returncode, ended.stdout


def files_of(folder):
    """Returns {name: bytes} of all files in a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob('*')) if path.is_file()}


def make_site(*words, name='site'):
    """Returns the folder of a new site, which is removed with its parent after the tests."""
    held = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(held.cleanup)
    site = Path(held.name, name)
    status, output = build('--output', site, *words, PYTHONHASHSEED='1')
    assert status == 0, output
    return site


@contextlib.contextmanager
def served(folder, *words):
    """Builds a site and serves it; yields its address."""
    with subprocess.Popen([ROOT / 'docs/build', '--output', folder, '--serve', '0', *words],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, 'PYTHONHASHSEED': '2', 'TZ': 'Asia/Tokyo'}) as process:
        try:
            output = ''
            for line in process.stdout:
                output += line
                if address := re.search(r'http://127\.0\.0\.1:\d+/', line):
                    yield address[0]
                    return
            raise AssertionError(output)
        finally:
            process.terminate()


class Shown(unittest.TestCase):
    """Pages of a folder in a browser. Tests define folder()."""

    @classmethod
    def folder(cls):
        """The folder to serve."""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen(
            [ROOT / 'build/site-venv/bin/python3', '-m', 'http.server', '0', '--bind', '127.0.0.1',
             '--directory', cls.folder()], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env={**os.environ, 'PYTHONUNBUFFERED': '1'})
        cls.addClassCleanup(cls._stop)
        cls.base = re.search(r'http://127\.0\.0\.1:\d+/', cls.server.stdout.readline())[0]
        cls.browser = cls.enterClassContext(webdriver.Browser())

    @classmethod
    def _stop(cls):
        cls.server.terminate()
        cls.server.wait(20)
        cls.server.stdout.close()

    def resize(self, width):
        """Sets the width of the window."""
        self.browser.tools('Emulation.setDeviceMetricsOverride', width=width, height=800,
                           deviceScaleFactor=1, mobile=width < 600)

    def show(self, name, width=1200, scheme='light'):
        """Opens a page of the site in a window of that width."""
        self.resize(width)
        self.browser.tools('Emulation.setEmulatedMedia',
                           features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        self.browser.open(self.base + name)

    def axe_faults(self):
        """Returns the errors that axe-core finds on the current page."""
        if shutil.which('npm') is None:
            self.skipTest('npm is not installed')
        try:
            packages = make_packages(Path(__file__).with_name('axe'), 'site-axe')
        except (AssertionError, subprocess.TimeoutExpired):
            self.skipTest('npm cannot install axe-core')
        axe = (packages / 'node_modules/axe-core/axe.min.js').read_text()
        self.browser.run(f'{axe};window.axe = axe;')
        return self.browser.command('POST', '/execute/async', {'args': [], 'script': """
            axe.run(document, {resultTypes: ['violations']}).then((result) =>
              arguments[0](result.violations.map((each) => `${each.help}: ${each.nodes[0].html}`)));
            """})

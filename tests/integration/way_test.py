"""The steps of a new user: from an installed prefix to a service on another machine, which is
monitored, upgraded under load, and rolled back when its next release is broken.

Must not set up anything in addition to `cmake --install`, and must not lose a request. Prints the
seconds of each command at the end.
"""

import contextlib
import http.client
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from network_support import Machine, enter_own_network, run
from project_support import STEP_SECONDS_MAX, Installed, environment
from ssh_support import SSHD, SshFiles
from support import free_port
from upgrade_test import Load, is_alive, until

IS_ROOT = os.getuid() == 0  # before entering a namespace in which every user is root
MIDDLEWARE = '#include <eider/middleware.h>\n'
RUN = 'return eider::run_app("shop", argc, argv, shop::make_app);'
SICK = """return eider::run_app("shop", argc, argv, [] {
    eider::App app = shop::make_app();
    app.check("stock", [] { throw std::runtime_error("nobody has counted it"); });
    return app;
  });"""


def setUpModule():
    """This machine is the user's; the service gets another one."""
    enter_own_network()


def change(file, old, new):
    text = file.read_text()
    if old not in text:
        raise AssertionError(f'{file} has no {old}')
    file.write_text(text.replace(old, new))


def ask(address, port, path):
    """Returns (status, content), or nothing without a response."""
    connection = http.client.HTTPConnection(address, port, timeout=60)
    with contextlib.closing(connection), contextlib.suppress(OSError):
        connection.request('GET', path)
        reply = connection.getresponse()
        return reply.status, reply.read().decode()
    return None


class Way(unittest.TestCase):
    def setUp(self):
        self.seconds = {}
        self.addCleanup(self.tell)
        with self.step('cmake --install'):
            self.installed = self.enterContext(Installed())
        self.shop = Path(self.installed.place.name, 'shop')

    def tell(self):
        print('\n'.join(f'{taken:6.1f} s {name}' for name, taken in self.seconds.items()),
              file=sys.stderr)

    @contextlib.contextmanager
    def step(self, name):
        """Measures the seconds of a step; steps with the same name are added."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0) + time.monotonic() - began

    def eider(self, *words, place=None, named=None):
        """Returns (exit code, standard output, standard error)."""
        with self.step(named or f'eider {words[0]}'):
            return self.installed.eider(*words, place=place or self.shop)

    def done(self, *words, **more):
        """Returns the output; the command must succeed."""
        status, said, errors = self.eider(*words, **more)
        self.assertEqual(status, 0, said + errors)
        return said

    def test_a_service_is_made_tried_built_deployed_watched_and_upgraded(self):
        self.done('new', 'service', 'shop', place=self.installed.place.name)
        self.assertIn('100% tests passed', self.done('test', place=self.shop / 'src'))
        self.assertIn(str(self.installed.prefix),
                      (self.shop / 'build/dev/CMakeCache.txt').read_text())
        self.check_outputs()
        self.check_layout()
        self.check_faults_in_tests()
        self.develop()
        self.build()
        if not (IS_ROOT and SSHD):
            self.skipTest('the way ends at eider package: only root starts an sshd for others, '
                          'and it has to be installed')
        with Host(Path(self.enterContext(tempfile.TemporaryDirectory()))) as host:
            self.deploy(host)
            with self.assert_nothing_lost(host):
                self.upgrade(host)
                self.take_back(host)
            self.watch(host)

    def check_outputs(self):
        """Output for other programs contains nothing else."""
        routes = self.done('routes')
        self.assertRegex(routes.splitlines()[0], r'^GET /notes .*notes\.cc:\d+$')
        self.assertEqual(self.done('routes', '--program', 'build/dev/shop'), routes)
        self.assertEqual(self.done('openapi', 'document')[:11], '{"openapi":')
        self.assertEqual(self.eider('openapi', 'document', '--out', '/dev/full')[0], 1)

    def check_layout(self):
        """Formatted files stay unchanged; others are reported and formatted."""
        if not shutil.which('clang-format-19'):
            return
        self.assertEqual(self.done('fmt', '--check'), '')
        source = self.shop / 'src/main.cc'
        good = source.read_text()
        source.write_text(good.replace('  ', ' ').replace('int argc', 'int  argc'))
        self.assertEqual(self.eider('fmt', '--check'), (
            3, 'src/main.cc\n', 'eider fmt: 1 of 6 files are not formatted. Run eider fmt\n'))
        self.assertEqual(self.done('fmt'), '')
        self.assertEqual(source.read_text(), good)

    def check_faults_in_tests(self):
        """A test name without a match, a failing test, and one that does not compile."""
        named = 'eider test, with mistakes'
        self.assertEqual(self.eider('test', 'nothing', named=named)[0], 8)
        test = self.shop / 'tests/wrong_test.cc'
        test.write_text('#include <gtest/gtest.h>\nTEST(It, fails) { EXPECT_EQ(1, 2); }\n')
        status, said, _ = self.eider('test', 'It', named=named)
        self.assertEqual(status, 8, said)
        self.assertIn('Expected equality of these values', said)
        test.write_text('int x = "a";\n')
        status, _, errors = self.eider('test', named=named)
        self.assertEqual((status, errors), (
            1, 'eider test: the build failed (see above)\n'))
        test.unlink()

    def develop(self):
        """An added route appears while `eider dev` runs, and so does an error until it is fixed."""
        app, port = self.shop / 'src/app.cc', free_port()
        said = self.enterContext(tempfile.TemporaryFile())
        with subprocess.Popen([self.installed.command, 'dev', '--port', str(port)], cwd=self.shop,
                              env=environment(), stdin=subprocess.DEVNULL, stdout=said,
                              stderr=said) as dev:
            try:
                with self.step('eider dev, until it answers'):
                    until(lambda: ask('127.0.0.1', port, '/notes') == (200, '[]'), lambda: 'dev',
                          STEP_SECONDS_MAX)
                self.assertEqual(self.done('add', 'route', 'GET', '/version'),
                                 'changed src/app.cc\n')
                change(app, MIDDLEWARE, MIDDLEWARE + '#include <eider/telemetry.h>\n')
                change(app, 'eider::serve_health(app);',
                       'eider::serve_health(app);\n  eider::serve_metrics(app);')
                change(app, '"Hello"', '"one"')
                with self.step('eider dev, from a save to its answer'):
                    until(lambda: ask('127.0.0.1', port, '/version') == (200, 'one'),
                          lambda: 'what is saved', STEP_SECONDS_MAX)
                change(app, '"one"', '"one')
                until(lambda: (ask('127.0.0.1', port, '/version') or [0])[0] == 503,
                      lambda: 'the mistake')
                change(app, '"one)', '"one")')
                until(lambda: ask('127.0.0.1', port, '/version') == (200, 'one'), lambda: 'a mend')
            finally:
                dev.send_signal(signal.SIGINT)
            self.assertEqual(dev.wait(STEP_SECONDS_MAX), 0)

    def build(self):
        cmake = self.shop / 'CMakeLists.txt'
        good = cmake.read_text()
        cmake.write_text('nonsense()\n' + good)
        status, _, errors = self.eider('build', named='eider build, with a mistake')
        self.assertEqual(status, 1)
        self.assertIn('Unknown CMake command "nonsense"', errors)
        self.assertTrue(errors.endswith(
            '\neider build: CMake could not configure the project (see above)\n'), errors)
        cmake.write_text(good)
        self.done('build')
        self.assertIn('/version', self.done('routes', '--program', 'build/release/shop'))
        self.assertRegex(self.done('package'), r'build/packages/shop-0\.1\.0-linux-\w+\.tar\.gz\n$')

    def deploy(self, host):
        """The first deployment, to an empty machine."""
        said = self.done(*host.deployment(), named='eider deploy, the first time')
        self.assertRegex(said, (
            r'^packed shop-0\.1\.0-linux-\w+\.tar\.gz\ncopied \S+ to shop\.test\n'
            rf'unpacked releases/{host.current()}\nswitched current to releases/{host.current()}\n'
            rf'started process {host.pid()}\nready: http://127\.0\.0\.1:8080/readyz\n$'))
        self.assertEqual(host.ask('/version'), (200, 'one'))

    @contextlib.contextmanager
    def assert_nothing_lost(self, host):
        """Clients get responses meanwhile, over persistent and new connections."""
        url = f'http://{host.machine.address}:8080/notes'
        with Load(url, '-c', '8', rate=400) as kept, \
                Load(url, '-c', '4', '-H', 'Connection: close', rate=100) as new:
            yield
            for load in kept, new:
                status, report, said = load.end()
                self.assertEqual((status, *map(report.get, ('errors', 'unsent', 'first_error'))),
                                 (0, 0, 0, ''), said)
                self.assertGreater(report['requests'], 100)

    def upgrade(self, host):
        """With an unknown setting, the old process keeps serving; without it, the new one
        serves."""
        first, process = host.current(), host.pid()
        change(self.shop / 'src/app.cc', '"one"', '"two"')
        good = host.settings.read_text()
        host.settings.write_text(good + 'prot = 80\n')
        status, _, errors = self.eider(*host.deployment(),
                                       named='eider deploy, of what does not start')
        self.assertEqual(status, 1)
        self.assertRegex(errors, (
            'eider deploy: the new process did not start: .*the process exited with status 2.*\n'
            f'eider deploy: rolled back: releases/{first} serves\n$'))
        self.assertEqual((host.current(), host.pid(), host.ask('/version')),
                         (first, process, (200, 'one')))
        host.settings.write_text(good)
        said = self.done(*host.deployment(), named='eider deploy, of a new version')
        self.assertNotIn('took', said)  # it was uploaded before
        self.assertIn(f'process {host.pid()} replaced {process}\n', said)
        self.assertEqual(host.ask('/version'), (200, 'two'))
        process = host.pid()
        with self.step('eider upgrade, there'):
            said = host.ssh(self.installed.command, 'upgrade', '--pid-file', host.file)
        # The new process writes its id after it has been confirmed.
        until(lambda: said == f'process {host.pid()} replaced {process}\n', lambda: said)

    def take_back(self, host):
        """A release that starts but is never ready is replaced by the previous one."""
        before = host.current()
        change(self.shop / 'src/main.cc', RUN, SICK)
        change(self.shop / 'src/main.cc', '#include', '#include <stdexcept>\n\n#include')
        status, said, errors = self.eider(*host.deployment('--within', '10'),
                                          named='eider deploy, of what is not ready')
        self.assertEqual(status, 1)
        self.assertRegex(said, (rf'\nswitched current back to releases/{before}\n'
                                rf'process {host.pid()} replaced \d+\n$'), errors)
        self.assertTrue(errors.endswith(
            'eider deploy: http://127.0.0.1:8080/readyz returns 503: not ready; the '
            'log names the failed check\n'
            f'eider deploy: rolled back: releases/{before} serves\n'), errors)
        self.assertEqual((host.current(), host.ask('/version')), (before, (200, 'two')))

    def watch(self, host):
        """The metrics for Prometheus, and the readiness for load balancers."""
        self.assertEqual(host.ask('/readyz')[0], 200)
        with self.step('a scrape'):
            status, numbers = host.ask('/metrics')
        self.assertEqual(status, 200)
        series = r'^http_requests_total{method="GET",route="/notes",status="200"} (\d+)$'
        answered = re.search(series, numbers, re.MULTILINE)
        self.assertIsNotNone(answered, numbers)
        self.assertGreater(int(answered[1]), 0)
        if shutil.which('promtool'):
            ended = subprocess.run(['promtool', 'check', 'metrics'], input=numbers, text=True,
                                   capture_output=True, check=False, timeout=60)
            self.assertEqual((ended.returncode, ended.stdout + ended.stderr), (0, ''))


class Host:
    """A machine with an sshd and a folder for releases. Use as a context manager."""

    def __init__(self, place):
        self.files = SshFiles(place, '10.77.1.2', 22, listen='0.0.0.0')
        self.machine = Machine(1, *self.files.command)
        self.there = place / 'shop'
        self.there.mkdir()
        self.file = self.there / 'shop.pid'
        self.settings = self.there / 'shop.toml'
        self.settings.write_text('[server]\nlisten = ["0.0.0.0:8080"]\n')
        self.options = ['-F', place / 'key.config']

    def __enter__(self):
        os.makedirs('/run/sshd', exist_ok=True)  # required by sshd for its chroot
        self.machine.__enter__()
        try:
            process = self.machine.process
            run('nsenter', '--net', '-t', str(process.pid), 'ip', 'link', 'set', 'lo', 'up')
            self.files.wait_for(process)
        except BaseException:
            self.machine.__exit__()
            raise
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError, ValueError):
            pid = self.pid()
            os.kill(pid, signal.SIGTERM)
            until(lambda: not is_alive(pid), lambda: f'{pid} does not end')
        self.machine.__exit__()

    def deployment(self, *words):
        return ['deploy', 'shop.test', '--dir', self.there, *words, '--', *self.options]

    def pid(self):
        return int(self.file.read_text())

    def current(self):
        return Path(os.readlink(self.there / 'current')).name

    def ask(self, path):
        return ask(self.machine.address, 8080, path)

    def ssh(self, *words):
        """Returns the output of that command on the machine."""
        return subprocess.run(['ssh', *self.options, 'shop.test', *words], check=True, text=True,
                              timeout=60, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout


if __name__ == '__main__':
    unittest.main()

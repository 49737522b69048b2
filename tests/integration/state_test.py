"""The state that a process reports at SIGUSR1 while it waits, is stuck, stops, or is upgraded.

A blocked loop must not prevent the report.
"""

import contextlib
import http.client
import json
import os
import signal
import stat
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support import Program
from upgrade_test import children, setUpModule as adopt_orphans

PROGRAM = '33_inside'
SECONDS_MAX = 30
LONG_MS = 60_000
GET = 'GET {} HTTP/1.1\r\nHost: x\r\n\r\n'


def setUpModule():
    adopt_orphans()


def wait_for(is_there):
    """Calls the function until its result is true, and returns that."""
    deadline = time.monotonic() + SECONDS_MAX
    while time.monotonic() < deadline:
        found = is_there()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError('it has not come')


class SilentService(ThreadingHTTPServer):
    """Responds only when it is allowed to."""

    daemon_threads = True

    def __init__(self):
        super().__init__(('127.0.0.1', 0), SilentHandler)
        self.may_go = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def authority(self):
        return f'127.0.0.1:{self.server_address[1]}'


class SilentHandler(BaseHTTPRequestHandler):
    def log_message(self, format, *args):
        """Logs nothing."""

    def do_GET(self):
        self.server.may_go.wait(SECONDS_MAX)
        self.close_connection = True


class State(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = Path(directory.name) / 'state.json'

    def start(self, *arguments, environment=None):
        program = Program(PROGRAM, '--port', '{port}', '--state-file', str(self.file), *arguments,
                          environment=environment)
        program.__enter__()
        self.addCleanup(program.__exit__)
        return program

    def send(self, program, path, head=GET):
        """Sends a request without reading its response."""
        connection = program.connect()
        self.addCleanup(connection.close)
        connection.sendall(head.format(path).encode())
        return connection

    def told(self, process, file=None):
        """Returns the current report."""
        file = file or self.file
        file.unlink(missing_ok=True)

        def asked():
            """A process that has not started yet does not handle the signal."""
            os.kill(process, signal.SIGUSR1)
            time.sleep(0.05)
            return file.exists() and file.read_text()
        return json.loads(wait_for(asked))

    def requests(self, program, count):
        """Waits for this number of requests in progress, and returns their routes."""
        def all_of_them():
            state = self.told(program.process.pid)
            found = {one['route']: one for loop in state['server']['loops']
                     for one in loop['requests_in_flight']}
            return found if len(found) == count else None
        return wait_for(all_of_them)

    def test_each_request_tells_what_it_waits_for_and_nothing_secret(self):
        service = SilentService()
        self.addCleanup(service.server_close)
        self.addCleanup(service.shutdown)
        self.addCleanup(service.may_go.set)
        program = self.start('--threads', '2', '--stock',
                             f'http://{service.authority}/key?token=secret')
        self.send(program, f'/wait/{LONG_MS}?token=secret')
        self.send(program, '/count/987654321')
        self.send(program, '/stock')
        self.send(program, f'/report/{LONG_MS}')
        self.send(program, '/upload', 'POST {} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc')
        found = self.requests(program, 5)
        text = self.file.read_text()
        for secret in ('secret', '987654321', 'token', 'key'):
            self.assertNotIn(secret, text)
        waits = {route: [(one['what'], one['text']) for one in request['waits_for']]
                 for route, request in found.items()}
        self.assertEqual(waits['/wait/{ms}'], [('sleep', '')])
        self.assertEqual(waits['/stock'], [('request', f'GET http://{service.authority}')])
        self.assertEqual(waits['/report/{ms}'], [('thread', '')])
        self.assertEqual(waits['/upload'], [('client', 'to send a body')])
        [(what, sql)] = waits['/count/{to}']
        self.assertEqual(what, 'statement')
        self.assertIn('i < $1', sql)
        for request in found.values():
            self.assertEqual(request['peer'], '127.0.0.1')
            self.assertEqual(request['stage'], 'handled')
            self.assertGreaterEqual(request['seconds'], 0)
        self.assertRegex(found['/wait/{ms}']['id'], '^[0-9a-f]{16}$')
        state = json.loads(text)
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        self.assertEqual(state['server']['process'], program.process.pid)
        connections = [loop['connections'] for loop in state['server']['loops']]
        self.assertEqual(sum(one['http1'] for one in connections), 5)
        self.assertEqual(sum(one['busy'] for one in connections), 5)
        databases = [one for one in state['resources'] if one['kind'] == 'database']
        self.assertEqual([one['numbers']['busy'] for one in databases], [1])

    def test_what_goes_on_in_the_background_tells_what_it_waits_for(self):
        program = self.start('--threads', '2')

        def asleep():
            state = self.told(program.process.pid)
            found = [one for loop in state['server']['loops'] for one in loop['background']
                     if one['name'] == 'cleaning']
            return found if found and [one['what'] for one in found[0]['waits_for']] == [
                'sleep'] else None
        [cleaning] = wait_for(asleep)
        self.assertGreaterEqual(cleaning['seconds'], cleaning['waits_for'][0]['seconds'])

    def test_a_request_that_goes_on_is_told_to_the_log_with_what_it_waits_for(self):
        program = self.start('--threads', '1')
        self.send(program, f'/report/{LONG_MS}?token=secret')
        wait_for(lambda: 'slow request still running' in program.said())
        [line] = [each for each in program.said().splitlines() if 'still running' in each]
        told = json.loads(line)
        self.assertEqual([told['level'], told['method'], told['route'], told['address']],
                         ['warning', 'GET', '/report/{ms}', '127.0.0.1'])
        self.assertGreaterEqual(told['milliseconds'], 2000)
        self.assertRegex(told['waits_for'], r'^thread \(\d\.\d s\)$')
        self.assertRegex(told['request_id'], '^[0-9a-f]{16}$')

    def test_a_loop_that_stands_still_is_told_with_what_it_runs_and_where(self):
        program = self.start('--threads', '1', '--log-stuck-seconds', '1')
        self.send(program, f'/block/{LONG_MS}')
        wait_for(lambda: 'is blocked for' in program.said())
        [loop] = self.told(program.process.pid)['server']['loops']
        self.assertFalse(loop['is_responsive'])
        self.assertEqual(loop['stuck']['route'], '/block/{ms}')
        self.assertGreaterEqual(loop['stuck']['seconds'], 1)
        self.assertTrue(any(PROGRAM in frame for frame in loop['stuck']['stack']))
        self.assertIn('in GET /block/{ms}', program.said())
        self.assertIn(f'({PROGRAM}+0x', program.said())
        self.assertEqual(program.said().count('is blocked for'), 1)

    def test_what_stands_still_behind_a_wait_is_told_with_its_request(self):
        program = self.start('--threads', '1', '--log-stuck-seconds', '1')
        self.send(program, f'/block-later/{LONG_MS}')
        wait_for(lambda: 'is blocked for' in program.said())
        self.assertRegex(program.said(), r'in GET /block-later/\{ms\} \(request [0-9a-f]{16}\)')

    def test_loops_beside_one_that_stands_still_go_on_and_tell(self):
        program = self.start('--threads', '2')
        self.send(program, f'/block/{LONG_MS}')
        state = wait_for(lambda: next(
            (state for state in [self.told(program.process.pid)]
             if not all(loop['is_responsive'] for loop in state['server']['loops'])), None))
        self.assertEqual(sorted(loop['is_responsive'] for loop in state['server']['loops']),
                         [False, True])

    def test_each_worker_writes_its_own_and_none_ends_by_it(self):
        program = self.start('--workers', '2')
        wait_for(lambda: 'serves on' in program.said())
        before = sorted(children(program.process.pid))
        for _ in range(20):  # service managers may also send it to all processes at once
            for process in (program.process.pid, *map(int, before)):
                os.kill(process, signal.SIGUSR1)
        files = [self.file.with_name(f'{self.file.name}.{number}') for number in (0, 1)]
        states = [json.loads(wait_for(lambda: file.exists() and file.read_text()))
                  for file in files]
        self.assertEqual([state['server']['worker'] for state in states], [0, 1])
        self.assertEqual(sorted(str(state['server']['process']) for state in states), before)
        self.assertEqual(sorted(children(program.process.pid)), before)
        # The workers can be faster than the supervisor's own line.
        wait_for(lambda: 'Workers: 0 (process ' in program.said())
        self.assertEqual(program.stop(), 0)  # all of them have written their report

    def test_it_is_told_while_the_process_stops(self):
        program = self.start('--threads', '2', '--drain-seconds', '20')
        self.send(program, f'/wait/{LONG_MS}')
        self.requests(program, 1)
        program.process.send_signal(signal.SIGTERM)
        state = wait_for(lambda: next(
            (state for state in [self.told(program.process.pid)]
             if state['server']['is_stopping']), None))
        self.assertEqual(sum(loop['in_flight'] for loop in state['server']['loops']), 1)

    def test_it_is_told_by_both_processes_of_an_upgrade(self):
        program = self.start('--threads', '1', '--drain-seconds', '20')
        self.send(program, f'/wait/{LONG_MS}')
        self.requests(program, 1)
        asked = 0

        def successor():
            nonlocal asked
            if program.said().count('has not finished starting') == asked:
                os.kill(program.process.pid, signal.SIGUSR2)
                asked += 1
            return 'took over' in program.said()
        wait_for(successor)
        [new] = [int(one) for one in children(program.process.pid)]
        self.addCleanup(lambda: os.kill(new, signal.SIGKILL))
        states = [self.told(process) for process in (program.process.pid, new)]
        self.assertEqual([one['server']['process'] for one in states], [program.process.pid, new])
        self.assertEqual([sum(loop['in_flight'] for loop in one['server']['loops'])
                          for one in states], [1, 0])

    def test_a_thousand_requests_are_told_by_their_number_and_the_oldest(self):
        program = self.start('--threads', '1')
        for _ in range(1000):
            self.send(program, f'/wait/{LONG_MS}')
        [loop] = wait_for(lambda: next(
            (loops for loops in [self.told(program.process.pid)['server']['loops']]
             if loops[0]['in_flight'] == 1000), None))
        ages = [one['seconds'] for one in loop['requests_in_flight']]
        self.assertEqual(len(ages), 100)
        self.assertEqual(ages, sorted(ages, reverse=True))

    def test_requests_that_end_meanwhile_are_told_or_not(self):
        program = self.start('--threads', '2')
        done = threading.Event()

        def load():
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection = http.client.HTTPConnection('127.0.0.1', program.port, timeout=10)
                while not done.is_set():
                    connection.request('GET', '/wait/1')
                    connection.getresponse().read()
        threads = [threading.Thread(target=load) for _ in range(8)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(20):
                self.told(program.process.pid)
        finally:
            done.set()
            for thread in threads:
                thread.join()
        self.assertEqual(program.stop(), 0)

    def test_without_an_option_it_is_written_where_the_service_manager_says(self):
        directory = self.file.parent
        program = Program(PROGRAM, '--port', '{port}', environment={
            'RUNTIME_DIRECTORY': f'{directory}:/nowhere'})
        with program:
            state = self.told(program.process.pid,
                              directory / f'eider-state-{program.process.pid}.json')
            self.assertEqual(state['server']['process'], program.process.pid)

    def test_a_place_that_cannot_be_written_to_is_told_to_the_log(self):
        program = Program(PROGRAM, '--port', '{port}', '--state-file', '/nowhere/state.json')
        with program:
            wait_for(lambda: os.kill(program.process.pid, signal.SIGUSR1)
                     or 'cannot be written to /nowhere/state.json' in program.said())
            self.assertEqual(program.stop(), 0)

    def test_a_link_is_neither_followed_nor_written_to(self):
        precious = self.file.with_name('precious')
        precious.write_text('kept')
        self.file.symlink_to(precious)
        self.file.with_name('state.json.new').symlink_to(precious)
        program = self.start()
        wait_for(lambda: os.kill(program.process.pid, signal.SIGUSR1)
                 or not self.file.is_symlink())
        self.assertEqual(precious.read_text(), 'kept')


if __name__ == '__main__':
    unittest.main()

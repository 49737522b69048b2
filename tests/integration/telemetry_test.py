"""The telemetry of a running service: its log, its metrics for Prometheus, its spans in a
collector.

Faulty collectors must not affect clients of the service.
"""

import base64
import json
import os
import re
import shutil
import socket
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support import Program, free_port, make_environment

PROGRAM = '31_telemetry'
SECONDS_MAX = 30
PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
FLOOD_BYTES = 1_000_000_000


def wait_for(is_there):
    """Calls the function until its result is true, and returns that."""
    deadline = time.monotonic() + SECONDS_MAX
    while time.monotonic() < deadline:
        found = is_there()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError('it has not come')


class Oracle:
    """A process of telemetry_oracle.py."""

    def __init__(self):
        python = make_environment('telemetry') / 'bin/python3'
        self.process = subprocess.Popen(
            [python, '-B', Path(__file__).with_name('telemetry_oracle.py')],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def read(self, path, text):
        """Returns the message as a dictionary."""
        self.process.stdin.write(json.dumps({'path': path, 'text': text}) + '\n')
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if 'error' in answer:
            raise AssertionError(f'{answer["error"]}: {text}')
        return answer['read']

    def close(self):
        """Ends it."""
        self.process.stdin.close()
        self.process.wait(SECONDS_MAX)
        self.process.stdout.close()


class Collector(ThreadingHTTPServer):
    """Stores received data; paths other than OTLP's are a service that returns its request
    headers."""

    daemon_threads = True

    def __init__(self):
        super().__init__(('127.0.0.1', 0), CollectorHandler)
        self.manner = 'good'
        self.asked = 0
        self.kept = []
        self.may_go = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        """The URL of the server."""
        return f'http://127.0.0.1:{self.server_address[1]}'

    def texts(self, path):
        """Returns the texts that were sent to that path."""
        return [text for at, text in list(self.kept) if at == path]

    def handle_error(self, request, client_address):
        """A disconnected client is not an error here."""


class CollectorHandler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, format, *args):
        """Logs nothing."""

    def answer(self, status, text=b'{}', headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.answer(200, json.dumps(dict(self.headers)).encode())

    def do_POST(self):
        text = self.rfile.read(int(self.headers['Content-Length'])).decode()
        server = self.server
        server.asked += 1
        if server.manner == 'good':
            server.kept.append((self.path, text))
            self.answer(200, b'{"partialSuccess":{}}')
        elif server.manner == 'busy once':
            server.manner = 'good'
            self.answer(429, headers=[('Retry-After', '0')])
        elif server.manner == 'wrong':
            self.answer(500, b'x' * 1000)
        elif server.manner == 'closes':
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        elif server.manner == 'hangs':
            server.may_go.wait(SECONDS_MAX)
            self.close_connection = True
        elif server.manner == 'floods':
            self.send_response(200)
            self.send_header('Content-Length', str(FLOOD_BYTES))
            self.end_headers()
            piece = b' ' * 1_000_000
            for _ in range(FLOOD_BYTES // len(piece)):
                self.wfile.write(piece)


def attributes(span):
    """Returns names and values of any type."""
    return {one['key']: next(iter(one['value'].values())) for one in span['attributes']}


class Telemetry(unittest.TestCase):
    """One program, one collector."""

    def setUp(self):
        self.collector = Collector()
        self.addCleanup(self.collector.server_close)
        self.addCleanup(self.collector.shutdown)
        self.addCleanup(self.collector.may_go.set)
        self.metrics_port = free_port()

    def start(self, *arguments):
        program = Program(PROGRAM, '--port', '{port}', '--threads', '2', '--metrics',
                          f'127.0.0.1:{self.metrics_port}', '--collector', self.collector.url,
                          *arguments)
        program.__enter__()
        self.addCleanup(program.__exit__)
        program.await_serving()
        return program

    def scraped(self):
        with urllib.request.urlopen(f'http://127.0.0.1:{self.metrics_port}/metrics',
                                    timeout=SECONDS_MAX) as reply:
            return reply.read().decode()

    def test_each_line_of_the_log_is_json_with_the_request_and_its_trace(self):
        program = self.start()
        status, headers, _ = program.ask('POST', '/orders/7/pay', b'', {'traceparent': PARENT})
        self.assertEqual(status, 200)
        program.ask('GET', '/fails', None, {'traceparent': PARENT})
        program.ask('GET', '/nowhere?token=x', None)
        self.assertEqual(program.stop(), 0)
        lines = [json.loads(line) for line in program.said().splitlines()]
        by_message = {line['message']: line for line in lines}
        paid = by_message['paid']
        self.assertEqual(paid['order'], 7)
        self.assertEqual(paid['card_token'], '***')
        self.assertEqual(paid['request_id'], headers['X-Request-Id'])
        self.assertEqual(paid['trace_id'], PARENT[3:35])
        failed = [line for line in lines if line['level'] == 'error']
        self.assertEqual(len(failed), 1)
        self.assertIn('the card\nis\x1b[31m no more', failed[0]['message'])
        self.assertEqual(failed[0]['trace_id'], PARENT[3:35])
        requests = [line for line in lines if line['message'] == 'request']
        self.assertEqual([line['status'] for line in requests], [200, 500, 404])
        self.assertTrue(requests[2]['target'].endswith('?hidden'))

    def test_its_port_is_the_next_programs_by_an_upgrade(self):
        program = self.start()
        asked = 0

        def is_taken():
            """Repeats the request as long as the program reports that it has not started yet."""
            nonlocal asked
            if program.said().count('has not finished starting') == asked:
                os.kill(program.process.pid, signal.SIGUSR2)
                asked += 1
            return 'took over' in program.said()
        wait_for(is_taken)
        found = re.findall(r'Process (\d+) took over', program.said())
        self.assertTrue(found, program.said())
        upgraded = int(found[-1])
        self.assertNotEqual(upgraded, program.process.pid)
        try:
            self.assertEqual(program.process.wait(SECONDS_MAX), 0)
            self.assertIn('http_requests_in_flight', self.scraped())
        finally:
            os.kill(upgraded, signal.SIGTERM)

    def test_spans_are_read_by_the_messages_of_opentelemetry(self):
        oracle = Oracle()
        self.addCleanup(oracle.close)
        program = self.start('--stock', self.collector.url + '/stock')
        program.ask('POST', '/orders/7/pay', b'', {'traceparent': PARENT, 'tracestate': 'a=1'})
        _, _, told = program.ask('GET', '/stock', None, {'traceparent': PARENT})
        program.ask('GET', '/fails')
        # All pending data is sent before the end.
        self.assertEqual(program.stop(), 0)
        spans = []
        for text in self.collector.texts('/v1/traces'):
            for resource in oracle.read('/v1/traces', text)['resourceSpans']:
                self.assertEqual(attributes(resource['resource'])['service.name'], 'shop')
                spans += [span for scope in resource['scopeSpans'] for span in scope['spans']]
        by_name = {span['name']: span for span in spans}
        self.assertEqual(len(spans), 7, list(by_name))
        server = by_name['POST /orders/{id}/pay']
        card = by_name['charge the card']
        self.assertEqual(server['kind'], 'SPAN_KIND_SERVER')
        self.assertEqual(server['traceState'], 'a=1')
        self.assertEqual(attributes(server)['http.response.status_code'], '200')
        self.assertEqual(card['parentSpanId'], server['spanId'])
        for name in ('insert', 'select'):
            self.assertEqual(by_name[name]['parentSpanId'], card['spanId'])
            self.assertEqual(by_name[name]['traceId'], server['traceId'])
        self.assertEqual(attributes(by_name['insert'])['db.query.text'],
                         'insert or ignore into paid(id) values($1)')
        asked = by_name['GET']
        self.assertEqual(asked['kind'], 'SPAN_KIND_CLIENT')
        self.assertEqual(asked['parentSpanId'], by_name['GET /stock']['spanId'])
        given = {name.lower(): value for name, value in json.loads(told).items()}['traceparent']
        self.assertEqual(given[3:35], PARENT[3:35])
        self.assertNotEqual(given[36:52], PARENT[36:52])
        self.assertEqual(by_name['GET /fails']['status']['code'], 'STATUS_CODE_ERROR')
        metrics = wait_for(lambda: self.collector.texts('/v1/metrics'))
        names = {metric['name'] for text in metrics
                 for resource in oracle.read('/v1/metrics', text)['resourceMetrics']
                 for scope in resource['scopeMetrics'] for metric in scope['metrics']}
        self.assertLessEqual({'orders_paid_total', 'http_request_duration_seconds',
                              'eider_db_seconds', 'http_requests_in_flight'}, names)

    def test_lines_of_the_log_are_read_by_the_messages_of_opentelemetry(self):
        oracle = Oracle()
        self.addCleanup(oracle.close)
        program = self.start()
        program.ask('POST', '/orders/7/pay', b'', {'traceparent': PARENT})
        program.ask('GET', '/fails')
        self.assertEqual(program.stop(), 0)
        records = [record for text in self.collector.texts('/v1/logs')
                   for resource in oracle.read('/v1/logs', text)['resourceLogs']
                   for scope in resource['scopeLogs'] for record in scope['logRecords']]
        by_body = {record['body']['stringValue']: record for record in records}
        paid = by_body['paid']
        self.assertEqual((paid['severityNumber'], paid['severityText']),
                         ('SEVERITY_NUMBER_INFO', 'info'))
        told = attributes(paid)
        self.assertEqual((told['order'], told['card_token']), ('7', '***'))
        self.assertEqual(len(told['request_id']), 16)
        # Byte values of the messages are Base64 in their JSON.
        self.assertEqual(base64.b64decode(paid['traceId']).hex(), PARENT[3:35])
        fault = next(one for body, one in by_body.items() if 'the card' in body)
        self.assertEqual(fault['severityNumber'], 'SEVERITY_NUMBER_ERROR')
        self.assertLess(abs(int(paid['timeUnixNano']) / 1e9 - time.time()), 60)

    def check_service(self, manner):
        """The program responds immediately while the collector misbehaves, and counts the
        losses."""
        program = self.start()
        self.collector.manner = manner
        for number in range(200):
            self.assertEqual(program.ask('POST', f'/orders/{number}/pay', b'')[0], 200)
        for name in ('eider_spans_total', 'eider_log_exported_total'):
            dropped = name + '{outcome="dropped"} '
            wait_for(lambda: int(self.scraped().split(dropped)[1].split('\n')[0]) > 0)
        self.assertEqual(program.ask('POST', '/orders/7/pay', b'')[0], 200)
        resident = int(Path(f'/proc/{program.process.pid}/statm').read_text('ascii').split()[1])
        self.assertLess(resident * os.sysconf('SC_PAGESIZE'), 200_000_000)
        self.assertEqual(program.stop(), 0)

    def test_a_collector_that_hangs_is_not_felt(self):
        self.check_service('hangs')

    def test_a_collector_that_fails_is_not_felt(self):
        self.check_service('wrong')

    def test_a_collector_that_closes_is_not_felt(self):
        self.check_service('closes')

    def test_a_collector_that_sends_a_gigabyte_is_not_felt(self):
        self.check_service('floods')

    def test_a_collector_that_is_busy_is_asked_again(self):
        program = self.start()
        self.collector.manner = 'busy once'
        program.ask('POST', '/orders/7/pay', b'')
        wait_for(lambda: self.collector.texts('/v1/traces'))
        self.assertIn('eider_spans_total{outcome="dropped"} 0\n', self.scraped())

    @unittest.skipUnless(shutil.which('promtool'), 'prometheus is not installed')
    def test_numbers_are_as_promtool_wants_them(self):
        program = self.start()
        program.ask('POST', '/orders/7/pay', b'')
        program.ask('GET', '/nowhere')
        text = self.scraped()
        checked = subprocess.run(['promtool', 'check', 'metrics'], input=text, text=True,
                                 capture_output=True, check=False, timeout=SECONDS_MAX)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ''), text)

    def test_connections_and_pools_are_counted(self):
        program = self.start()
        program.ask('POST', '/orders/7/pay', b'')
        kept = program.connect()
        self.addCleanup(kept.close)
        kept.sendall(b'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n')
        kept.recv(1)
        numbers = wait_for(lambda: next(
            (found for found in [dict(line.rsplit(' ', 1) for line in self.scraped().splitlines()
                                      if not line.startswith('#'))]
             if found['eider_connections{protocol="http/1.1"}'] == '1'), None))
        self.assertEqual(numbers['eider_connections{protocol="h2"}'], '0')
        self.assertGreaterEqual(int(numbers['eider_connections_accepted_total']), 2)
        self.assertEqual(numbers['http_requests_in_flight'], '0')
        self.assertEqual(numbers['eider_db_connections{database="shop"}'], '1')
        self.assertEqual(numbers['eider_db_connections_busy{database="shop"}'], '0')
        self.assertEqual(numbers['eider_db_waiting{database="shop"}'], '0')

    def test_requests_that_wait_are_counted_until_their_clients_have_left(self):
        with socket.create_server(('127.0.0.1', 0)) as silent:
            program = self.start('--stock', f'http://127.0.0.1:{silent.getsockname()[1]}/stock')
            with program.connect() as asking:
                asking.sendall(b'GET /stock HTTP/1.1\r\nHost: x\r\n\r\n')
                wait_for(lambda: 'http_requests_in_flight 1\n' in self.scraped())
            wait_for(lambda: 'http_requests_in_flight 0\n' in self.scraped())

    @unittest.skipUnless(shutil.which('prometheus'), 'prometheus is not installed')
    def test_prometheus_scrapes_them(self):
        program = self.start()
        for _ in range(3):
            program.ask('POST', '/orders/7/pay', b'')
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        settings = Path(folder.name, 'prometheus.yml')
        settings.write_text('global: {scrape_interval: 200ms}\nscrape_configs:\n- job_name: shop\n'
                            f'  static_configs: [{{targets: ["127.0.0.1:{self.metrics_port}"]}}]\n')
        port = free_port()
        prometheus = subprocess.Popen(
            ['prometheus', f'--config.file={settings}', f'--storage.tsdb.path={folder.name}/data',
             f'--web.listen-address=127.0.0.1:{port}'], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

        def end():
            prometheus.terminate()
            prometheus.wait(SECONDS_MAX)

        self.addCleanup(end)

        def asked(query):
            try:
                with urllib.request.urlopen(f'http://127.0.0.1:{port}/api/v1/query?query={query}',
                                            timeout=SECONDS_MAX) as reply:
                    found = json.load(reply)['data']['result']
            except OSError:
                return None
            return found and found[0]['value'][1]

        self.assertEqual(wait_for(lambda: asked('orders_paid_total')), '3')
        self.assertEqual(
            wait_for(lambda: asked('http_requests_total%7Broute=%22/orders/%7Bid%7D/pay%22%7D')),
            '3')
        self.assertEqual(wait_for(lambda: asked('up')), '1')


if __name__ == '__main__':
    unittest.main()

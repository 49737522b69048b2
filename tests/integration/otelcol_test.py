"""Spans, metrics and log lines, received by OpenTelemetry's collector.

The collector forwards them as JSON to a server of this test. It is not built here, because that
takes minutes: it is the installed one, that of EIDER_TEST_OTELCOL=/path/to/otelcol, or the one
built with the command in otelcol.yaml.
"""

import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.request
from pathlib import Path

from support import ANSWER_SECONDS_MAX, ROOT, STOP_SECONDS_MAX, Program, free_port
from telemetry_test import PARENT, PROGRAM, Collector, attributes, wait_for

MANIFEST = Path(__file__).with_name('otelcol.yaml')
OTELCOL = (os.environ.get('EIDER_TEST_OTELCOL') or shutil.which('otelcol') or
           shutil.which(ROOT / 'build/otelcol/otelcol'))
TO_BUILD = re.search(r'go run .*', MANIFEST.read_text())[0]
PATHS = ('/v1/traces', '/v1/metrics', '/v1/logs')
INTERNAL, SERVER, CLIENT = 1, 2, 3
CUMULATIVE = 2
INFO, ERROR = 9, 17
STATUS_ERROR = 2
SPANS = 6  # of the three requests, a manual one, and two statements


def fetch(url, content=None):
    """Returns the text of the response; nothing while the server is not ready."""
    request = urllib.request.Request(url, content, {'Content-Type': 'application/json'})
    try:
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS_MAX) as reply:
            return reply.read().decode()
    except OSError:
        return None


class Otelcol:
    """The collector, which forwards received data to `url`."""

    def __init__(self, url):
        self.port = free_port()
        self.numbers_port = free_port()
        reader = {'pull': {'exporter': {'prometheus': {'host': '127.0.0.1',
                                                       'port': self.numbers_port}}}}
        pipeline = {'receivers': ['otlp'], 'exporters': ['otlp_http']}
        settings = {
            'receivers': {'otlp': {'protocols': {'http': {'endpoint': f'127.0.0.1:{self.port}'}}}},
            'exporters': {'otlp_http': {'endpoint': url, 'encoding': 'json',
                                        'compression': 'none',
                                        # in the order of arrival
                                        'sending_queue': {'num_consumers': 1}}},
            'service': {'pipelines': {path.removeprefix('/v1/'): pipeline for path in PATHS},
                        'telemetry': {'metrics': {'level': 'detailed', 'readers': [reader]}}}}
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [OTELCOL, '--config', 'yaml:' + json.dumps(settings)], stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log)

    def said(self):
        """Returns its log so far."""
        return os.pread(self.log.fileno(), 1 << 20, 0).decode()

    def await_ready(self):
        """Waits until each kind of data was accepted once, so that the first data of Eider is not
        delayed."""
        for path in PATHS:
            wait_for(lambda: self.process.poll() is not None or
                     fetch(f'http://127.0.0.1:{self.port}{path}', b'{}'))
        if self.process.poll() is not None:
            raise AssertionError(f'{OTELCOL} does not serve: {self.said()}')

    def numbers(self):
        """Returns its own metrics, by series."""
        text = fetch(f'http://127.0.0.1:{self.numbers_port}/metrics')
        return dict(line.rsplit(' ', 1) for line in text.splitlines() if not line.startswith('#'))

    def stop(self):
        """Forwards pending data before it ends."""
        self.process.terminate()
        return self.process.wait(STOP_SECONDS_MAX)

    def close(self):
        """Ends it in any state."""
        self.process.kill()
        self.process.wait(STOP_SECONDS_MAX)
        self.log.close()


@unittest.skipUnless(OTELCOL, "needs OpenTelemetry's collector: otelcol, installed or named by "
                     f'EIDER_TEST_OTELCOL=/path/to/otelcol, or built by: {TO_BUILD}')
class Taken(unittest.TestCase):
    """One run of the program, and the data that the collector read from it."""

    @classmethod
    def setUpClass(cls):
        behind = Collector()
        cls.addClassCleanup(behind.server_close)
        cls.addClassCleanup(behind.shutdown)
        cls.otelcol = Otelcol(behind.url)
        cls.addClassCleanup(cls.otelcol.close)
        cls.otelcol.await_ready()
        metrics_port = free_port()
        program = cls.enterClassContext(Program(
            PROGRAM, '--port', '{port}', '--threads', '2', '--metrics', f'127.0.0.1:{metrics_port}',
            '--collector', f'http://127.0.0.1:{cls.otelcol.port}'))
        program.ask('POST', '/orders/7/pay', b'', {'traceparent': PARENT, 'tracestate': 'a=1'})
        program.ask('GET', '/fails')
        program.ask('GET', '/n%C3%A4chste?token=x')

        def scraped():
            text = fetch(f'http://127.0.0.1:{metrics_port}/metrics')
            settled = re.findall(r'^eider_spans_total\{.*\} (\d+)$', text, re.M)
            return text if sum(map(int, settled)) == SPANS else None

        cls.scraped = wait_for(scraped)
        cls.ended = program.stop()
        cls.numbers = cls.otelcol.numbers()
        cls.otelcol_ended = cls.otelcol.stop()
        cls.read = {path: [json.loads(text) for text in behind.texts(path)] for path in PATHS}

    def items(self, path, kind, inner, members):
        """Returns all items of a kind, each with the program's resource."""
        resources = [one for message in self.read[path] for one in message[f'resource{kind}']]
        for resource in resources:
            self.assertEqual(attributes(resource['resource']), {'service.name': 'shop'})
        return [item for resource in resources for scope in resource[f'scope{inner}']
                for item in scope[members]]

    def spans(self):
        """Returns spans by name."""
        return {span['name']: span for span in self.items('/v1/traces', 'Spans', 'Spans', 'spans')}

    def metrics(self):
        """Returns the last metric of each name."""
        return {metric['name']: metric
                for metric in self.items('/v1/metrics', 'Metrics', 'Metrics', 'metrics')}

    def test_nothing_is_refused(self):
        self.assertEqual((self.ended, self.otelcol_ended), (0, 0))
        self.assertNotRegex(self.otelcol.said(), r'\t(warn|error)\t')
        for kind in ('spans', 'metric_points', 'log_records'):
            taken = {how: sum(float(value) for name, value in self.numbers.items()
                              if name.startswith(f'otelcol_receiver_{how}_{kind}'))
                     for how in ('accepted', 'refused', 'failed')}
            self.assertGreaterEqual(taken.pop('accepted'), SPANS if kind == 'spans' else 1)
            self.assertEqual(taken, {'refused': 0, 'failed': 0}, kind)
        # Unreadable data would have another status code.
        answers = [re.search(r'status_code="(\d+)"', name)[1] for name in self.numbers
                   if re.match(r'http_server_request_duration\w*_count{', name)]
        self.assertEqual(set(answers), {'200'})
        for name in ('eider_spans_total', 'eider_log_exported_total'):
            for outcome in ('dropped', 'rejected'):
                self.assertIn(f'{name}{{outcome="{outcome}"}} 0\n', self.scraped)

    def test_spans_have_name_kind_parent_and_attributes(self):
        spans = self.spans()
        server, card, insert = (spans[name] for name in (
            'POST /orders/{id}/pay', 'charge the card', 'insert'))
        self.assertEqual([(span['kind'], span['parentSpanId'], span['traceId'], span['traceState'])
                          for span in (server, card, insert)],
                         [(SERVER, PARENT[36:52], PARENT[3:35], 'a=1'),
                          (INTERNAL, server['spanId'], PARENT[3:35], 'a=1'),
                          (CLIENT, card['spanId'], PARENT[3:35], 'a=1')])
        told = attributes(server)
        self.assertEqual(
            (told['http.request.method'], told['http.route'], told['url.path'],
             told['http.response.status_code'], told['network.protocol.version']),
            ('POST', '/orders/{id}/pay', '/orders/7/pay', '200', '1.1'))
        self.assertEqual(attributes(insert)['db.query.text'],
                         'insert or ignore into paid(id) values($1)')
        times = [int(one[end]) for end in ('startTimeUnixNano', 'endTimeUnixNano')
                 for one in ((server, card) if end.startswith('s') else (card, server))]
        self.assertEqual(times, sorted(times))
        self.assertEqual(spans['GET /fails']['status']['code'], STATUS_ERROR)
        self.assertEqual(server['status'], {})
        self.assertNotIn('http.route', attributes(spans['GET']))  # without a route

    def test_metrics_have_kind_and_unit(self):
        metrics = self.metrics()
        paid = metrics['orders_paid_total']
        self.assertEqual((paid['sum']['isMonotonic'], paid['sum']['aggregationTemporality'],
                          [point['asDouble'] for point in paid['sum']['dataPoints']]),
                         (True, CUMULATIVE, [1]))
        self.assertIn('gauge', metrics['http_requests_in_flight'])
        self.assertEqual({name: metrics[name].get('unit') for name in (
            'http_request_duration_seconds', 'http_response_bytes_total',
            'process_cpu_seconds_total', 'orders_paid_total')},
            {'http_request_duration_seconds': 's', 'http_response_bytes_total': 'By',
             'process_cpu_seconds_total': 's', 'orders_paid_total': None})

    def test_a_histogram_has_the_buckets_that_prometheus_is_told(self):
        spread = self.metrics()['http_request_duration_seconds']['histogram']
        self.assertEqual(spread['aggregationTemporality'], CUMULATIVE)
        point = next(one for one in spread['dataPoints'] if attributes(one) ==
                     {'method': 'POST', 'route': '/orders/{id}/pay'})
        self.assertLess(int(point['startTimeUnixNano']), int(point['timeUnixNano']))
        series = r'^http_request_duration_seconds_%s\{method="POST",route="/orders/\{id\}/pay"'
        scraped = re.findall(series % 'bucket' + r',le="(.*)"} (\d+)$', self.scraped, re.M)
        bounds = [*point['explicitBounds'], float('inf')]
        counts = itertools.accumulate(int(count) for count in point['bucketCounts'])
        self.assertEqual(list(zip(bounds, counts, strict=True)),
                         [(float(bound), int(count)) for bound, count in scraped])
        self.assertEqual(point['count'], '1')
        self.assertAlmostEqual(
            point['sum'], float(re.search(series % 'sum' + '} (.*)$', self.scraped, re.M)[1]))

    def test_lines_have_severity_message_fields_and_trace(self):
        spans = self.spans()
        lines = self.items('/v1/logs', 'Logs', 'Logs', 'logRecords')
        paid = next(line for line in lines if line['body'] == {'stringValue': 'paid'})
        self.assertEqual((paid['severityNumber'], paid['severityText']), (INFO, 'info'))
        self.assertEqual((paid['traceId'], paid['spanId']),
                         (PARENT[3:35], spans['charge the card']['spanId']))
        self.assertEqual((attributes(paid)['order'], attributes(paid)['card_token']), ('7', '***'))
        failed = next(line for line in lines if line['severityNumber'] == ERROR)
        self.assertIn('the card\nis\x1b[31m no more', failed['body']['stringValue'])
        self.assertEqual((failed['traceId'], failed['spanId']),
                         tuple(spans['GET /fails'][name] for name in ('traceId', 'spanId')))


if __name__ == '__main__':
    unittest.main()

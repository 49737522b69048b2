"""Third-party event loops and C libraries in handlers: Boost.Asio, and librdkafka with its mock
cluster.

Must not depend on times: tests wait for states.
"""

import ctypes
import ctypes.util
import json
import socket
import socketserver
import threading
import time
import unittest

from support import BIN, Program

STATE_SECONDS_MAX = 60
LIBRARY = ctypes.util.find_library('rdkafka')
PRODUCER = 0
TEXT_BYTES_MAX = 512


def is_built(name):
    """Returns whether the library of this example was found by the build."""
    return (BIN / name).exists()


def await_state(is_reached, program):
    """Waits until the function returns true."""
    deadline = time.monotonic() + STATE_SECONDS_MAX
    while not is_reached():
        if time.monotonic() > deadline:
            raise AssertionError(f'the state was not reached: {program.said()}')
        time.sleep(0.01)


def leave(connection):
    """Disconnects immediately."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\1\0\0\0\0\0\0\0')
    connection.close()


class LineEcho(socketserver.StreamRequestHandler):
    """Sends back one line."""

    def handle(self):
        self.wfile.write(self.rfile.readline())


class Asio(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not is_built('35_asio'):
            raise unittest.SkipTest('Boost.Asio was not found when the examples were built')

    def setUp(self):
        self.program = self.enterContext(Program(
            '35_asio', '--port', '{port}', '--threads', '2', '--drain-seconds', '0'))

    def get(self, path):
        status, _, body = self.program.ask('GET', path)
        return status, body.decode()

    def running(self):
        return self.get('/running')[1]

    def wait_without_end(self):
        """Returns a connection whose request waits for a timer of an hour."""
        connection = self.program.connect()
        connection.sendall(b'GET /wait/3600000 HTTP/1.1\r\nHost: x\r\n\r\n')
        return connection

    def test_a_handler_waits_for_a_timer_of_asio(self):
        self.assertEqual(self.get('/wait/1'), (200, 'waited\n'))
        await_state(lambda: self.running() == '0', self.program)

    def test_a_handler_uses_a_connection_of_asio(self):
        server = self.enterContext(socketserver.ThreadingTCPServer(('127.0.0.1', 0), LineEcho))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        path = f'/echo/{server.server_address[1]}?text='
        for number in range(20):
            self.assertEqual(self.get(f'{path}line{number}'), (200, f'line{number}\n'))

    def test_an_error_of_asio_is_an_error_response(self):
        with socket.socket() as unused:
            unused.bind(('127.0.0.1', 0))
            status, body = self.get(f'/echo/{unused.getsockname()[1]}?text=x')
        self.assertEqual(status, 503)
        self.assertIn('Connection refused', body)

    def test_a_disconnect_cancels_the_operation(self):
        connections = [self.wait_without_end() for _ in range(10)]
        await_state(lambda: self.running() == '10', self.program)
        for connection in connections:
            leave(connection)
        await_state(lambda: self.running() == '0', self.program)
        self.assertEqual(self.get('/wait/1'), (200, 'waited\n'))

    def test_operations_may_finish_while_clients_disconnect(self):
        began = self.wait_without_end()  # shows that operations have started
        await_state(lambda: self.running() == '1', self.program)
        began.close()
        for number in range(300):
            connection = self.program.connect()
            connection.sendall(f'GET /wait/{number % 4} HTTP/1.1\r\nHost: x\r\n\r\n'.encode())
            leave(connection)
        await_state(lambda: self.running() == '0', self.program)
        self.assertEqual(self.program.stop(), 0)

    def test_shutdown_with_an_unfinished_operation(self):
        connection = self.wait_without_end()
        self.addCleanup(connection.close)
        await_state(lambda: self.running() == '1', self.program)
        self.assertEqual(self.program.stop(), 0, self.program.said())


class MockCluster:
    """A broker that librdkafka runs in this process. It speaks the protocol of Kafka over TCP."""

    def __init__(self, topic):
        self.library = ctypes.CDLL(LIBRARY)
        for name in ('rd_kafka_new', 'rd_kafka_conf_new', 'rd_kafka_mock_cluster_new'):
            getattr(self.library, name).restype = ctypes.c_void_p
        self.library.rd_kafka_mock_cluster_bootstraps.restype = ctypes.c_char_p
        text = ctypes.create_string_buffer(TEXT_BYTES_MAX)
        conf = ctypes.c_void_p(self.library.rd_kafka_conf_new())
        self.library.rd_kafka_conf_set(conf, b'log_level', b'0', text, TEXT_BYTES_MAX)
        self.client = ctypes.c_void_p(
            self.library.rd_kafka_new(PRODUCER, conf, text, TEXT_BYTES_MAX))
        if not self.client:
            raise AssertionError(text.value.decode())
        self.cluster = ctypes.c_void_p(self.library.rd_kafka_mock_cluster_new(self.client, 1))
        self.brokers = self.library.rd_kafka_mock_cluster_bootstraps(self.cluster).decode()
        self.library.rd_kafka_mock_topic_create(self.cluster, topic.encode(), 1, 1)

    def set_up(self, is_up):
        """Starts or stops the broker; its connections end."""
        change = 'rd_kafka_mock_broker_set_up' if is_up else 'rd_kafka_mock_broker_set_down'
        getattr(self.library, change)(self.cluster, 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.library.rd_kafka_mock_cluster_destroy(self.cluster)
        self.library.rd_kafka_destroy(self.client)


class Kafka(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not is_built('36_kafka') or LIBRARY is None:
            raise unittest.SkipTest('librdkafka was not found when the examples were built')

    def setUp(self):
        self.cluster = self.enterContext(MockCluster('events'))
        self.program = self.enterContext(Program(
            '36_kafka', '--port', '{port}', '--threads', '1', '--drain-seconds', '0',
            '--brokers', self.cluster.brokers))

    def post(self, text):
        """Returns (status, document)."""
        status, _, body = self.program.ask('POST', '/events', text)
        return status, json.loads(body)

    def waiting(self):
        return self.program.ask('GET', '/waiting')[2].decode()

    def post_without_end(self, text):
        """Returns a connection whose request waits for a broker that is down."""
        connection = self.program.connect()
        connection.sendall(b'POST /events HTTP/1.1\r\nHost: x\r\n'
                           + f'Content-Length: {len(text)}\r\n\r\n{text}'.encode())
        await_state(lambda: self.waiting() == '1', self.program)
        return connection

    def events(self):
        return json.loads(self.program.ask('GET', '/events')[2])

    def test_the_response_has_the_place_in_the_topic(self):
        for number in range(20):
            self.assertEqual(self.post(f'event {number}'),
                             (200, {'partition': 0, 'offset': number}))

    def test_a_background_task_consumes_the_events(self):
        sent = [f'event {number}' for number in range(20)]
        for text in sent:
            self.assertEqual(self.post(text)[0], 200)
        await_state(lambda: self.events() == sent, self.program)
        self.assertEqual(self.post('later')[0], 200)
        await_state(lambda: self.events() == [*sent, 'later'], self.program)
        self.assertEqual(self.program.stop(), 0, self.program.said())

    def test_a_report_may_follow_the_end_of_its_request(self):
        self.cluster.set_up(False)
        leave(self.post_without_end('first'))
        self.assertEqual(self.waiting(), '1')
        self.cluster.set_up(True)
        self.assertEqual(self.post('second'), (200, {'partition': 0, 'offset': 1}))
        self.assertEqual(self.waiting(), '0')
        self.assertEqual(self.program.stop(), 0, self.program.said())

    def test_shutdown_without_a_broker(self):
        self.cluster.set_up(False)
        connection = self.post_without_end('x')
        self.addCleanup(connection.close)
        self.assertEqual(self.program.stop(), 0, self.program.said())


if __name__ == '__main__':
    unittest.main()

"""A dashboard without a guard is hidden from all proxies, and needs a token on this machine.

Must not test what the dashboard shows: dashboard_browser_test.py does.
"""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from proxy_support import has_nginx, listens, nginx, wait_for
from support import Program, free_port

HAPROXY = shutil.which('haproxy') or '/usr/sbin/haproxy'
PAGES = ('/_eider/', '/_eider/state.json', '/_eider/dashboard.js')
LINK = re.compile(r'Dashboard: http://localhost:(\d+)(/_eider/\?token=([\w-]+))')


def inside(*arguments, **environment):
    """Returns the example with a dashboard."""
    return Program('33_inside', '--port', '{port}', *arguments, environment=environment)


@contextlib.contextmanager
def haproxy(upstream):
    """Starts HAProxy as at the start of its manual: mode http, and no header about the client."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, 'haproxy.cfg').write_text(f"""
defaults
  mode http
  timeout connect 60s
  timeout client 60s
  timeout server 60s
frontend front
  bind 127.0.0.1:{port}
  default_backend back
backend back
  server one 127.0.0.1:{upstream}
""", encoding='utf-8')
        with subprocess.Popen([HAPROXY, '-db', '-f', f'{folder}/haproxy.cfg'],
                              stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                if not wait_for(lambda: listens(port)):
                    raise AssertionError('haproxy does not listen')
                yield port
            finally:
                process.terminate()


def ask(service, path, **headers):
    """Returns status and body for a request to localhost."""
    status, _, body = service.ask('GET', path, None, {'Host': 'localhost', **headers})
    return status, body


class Front:
    """A server that already listens on this port."""

    ask = Program.ask

    def __init__(self, port):
        self.port = port


class Proxies(unittest.TestCase):
    def assert_hidden(self, port):
        front = Front(port)
        for host in ('localhost', '127.0.0.1', f'127.0.0.1:{port}', 'shop.example'):
            for path in PAGES:
                self.assertEqual(ask(front, path, Host=host)[0], 403, (host, path))

    @unittest.skipUnless(os.path.exists(HAPROXY), 'no haproxy')
    def test_haproxy_shows_it_to_nobody(self):
        with inside() as service, haproxy(service.port) as port:
            self.assertEqual(ask(Front(port), '/wait/1')[0], 200)
            self.assert_hidden(port)

    @unittest.skipUnless(has_nginx(), 'no nginx')
    def test_nginx_with_keep_alive_shows_it_to_nobody(self):
        with inside() as service, \
                nginx(f'''location / {{ proxy_pass http://127.0.0.1:{service.port};
                      proxy_http_version 1.1; proxy_set_header Connection ""; }}''') as (port, _):
            self.assertEqual(ask(Front(port), '/wait/1')[0], 200)
            self.assert_hidden(port)


class Link(unittest.TestCase):
    def link(self, service):
        """Returns the link in the log."""
        found = []
        self.assertTrue(wait_for(lambda: found.append(LINK.search(service.said())) or found[-1]))
        self.assertEqual(int(found[-1][1]), service.port)
        return found[-1][2], found[-1][3]

    def test_the_log_has_a_link_that_opens_it(self):
        with inside() as service:
            path, token = self.link(service)
            self.assertEqual(ask(service, PAGES[0])[0], 403)
            self.assertEqual(ask(service, path)[0], 303)
            cookie = {'Cookie': f'eider_dashboard={token}'}
            for page in PAGES:
                self.assertEqual(ask(service, page, **cookie)[0], 200, page)
            self.assertNotIn('no guard', service.said())

    def test_all_workers_have_the_same_token(self):
        with inside('--workers', '3') as service:
            _, token = self.link(service)
            for _ in range(12):
                self.assertEqual(ask(service, PAGES[1], Authorization=f'Bearer {token}')[0], 200)
            self.assertEqual(len(LINK.findall(service.said())), 1)

    def test_a_server_for_other_machines_warns(self):
        with inside('--host', '0.0.0.0') as service:
            self.assertTrue(wait_for(lambda: 'The dashboard has no guard' in service.said()))


if __name__ == '__main__':
    unittest.main()

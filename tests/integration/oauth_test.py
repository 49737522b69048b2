"""Logins of 22_openid with oidc-provider, a certified provider, in a real browser and without one.

Must not use other machines; npm installs the pinned provider of the lock file.
"""

import re
import shutil
import socket
import subprocess
import time
import unittest
import urllib.parse
from pathlib import Path

import webdriver
from support import START_SECONDS_MAX, STOP_SECONDS_MAX, Program, free_port, make_packages

GIVEN = Path(__file__).with_name('oidc_provider')
SECRET = 'a secret: & more'


class Provider:
    """A process of provider.mjs for a client at `origin`."""

    def __init__(self, packages, port, origin, *callback):
        shutil.copy(GIVEN / 'provider.mjs', packages)
        self.process = subprocess.Popen(['node', 'provider.mjs', str(port), origin, *callback],
                                        cwd=packages, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + START_SECONDS_MAX
        while True:
            try:
                socket.create_connection(('127.0.0.1', port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.stop()
                    raise AssertionError('the provider does not listen') from None
                time.sleep(0.05)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(STOP_SECONDS_MAX)


@unittest.skipUnless(shutil.which('npm'), 'npm is not installed')
class Logins(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.packages = make_packages(GIVEN, 'oidc-provider')

    def setUp(self):
        port = free_port()
        self.program = Program('22_openid', '--port', '{port}', '--threads', '2',
                               '--issuer', f'http://127.0.0.1:{port}', '--client-id', 'notes',
                               environment={'OPENID_CLIENT_SECRET': SECRET})
        # With another host name than the provider's, so that they are different sites.
        self.origin = f'http://localhost:{self.program.port}'
        self.provider = Provider(self.packages, port, self.origin)
        self.addCleanup(self.provider.stop)
        self.program.__enter__()
        self.addCleanup(self.program.__exit__)

    def open_browser(self):
        if not webdriver.is_installed():
            self.skipTest('chromium and its driver are not installed')
        browser = webdriver.Browser()
        self.addCleanup(browser.__exit__, None, None, None)
        return browser

    def log_in(self, browser, name, path='/me'):
        """Opens a page that requires a login, and returns to it through the provider."""
        browser.open(self.origin + path)
        browser.find('input[name=login]').type(name)
        browser.find('input[name=password]').type('any')
        browser.find('button[type=submit]').click()
        browser.until(lambda: not browser.find_all('input[name=login]'), 'the next page')
        if browser.address() != self.origin + path:
            browser.find('button[type=submit]').click()  # accepts the consent page
        browser.until(lambda: browser.address() == self.origin + path, path)

    def callbacks(self, browser):
        """Returns the URLs of the provider's redirects that the browser followed."""
        asked = [event['request']['url'] for event in browser.told('Network.requestWillBeSent')]
        return [url for url in asked if url.startswith(self.origin + '/login/callback')]

    @staticmethod
    def query_of(url):
        return urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)

    @staticmethod
    def text(browser):
        return browser.find('body').text()

    def session(self, browser):
        cookies = browser.tools('Network.getCookies', urls=[self.origin])['cookies']
        return {cookie['name']: cookie['value'] for cookie in cookies}

    def test_a_person_logs_in_and_out(self):
        browser = self.open_browser()
        self.log_in(browser, 'ann', '/me?page=2')
        self.assertTrue(self.text(browser).endswith(' ann'), self.text(browser))
        self.assertEqual(list(self.session(browser)), ['session'])
        browser.open(self.origin + '/')
        self.assertIn('Hello, <b>ann</b>.', self.text(browser))
        browser.find('button').click()
        browser.find('button[name=logout]').click()
        browser.until(lambda: browser.address() == self.origin + '/', 'the way home')
        self.assertIn('guest', self.text(browser))
        browser.open(self.origin + '/me')
        browser.find('input[name=login]')  # the user is also logged out at the provider

    def test_an_answer_counts_once_and_in_its_browser(self):
        browser = self.open_browser()
        self.log_in(browser, 'ann')
        answer = self.callbacks(browser)[-1]
        before = self.session(browser)
        browser.open(answer)
        self.assertIn('not started in this browser', self.text(browser))
        self.assertEqual(self.session(browser), before)
        status, fields, _ = self.program.ask('GET', answer[len(self.origin):])
        self.assertEqual(status, 400)
        self.assertNotIn('Set-Cookie', fields)

    def test_a_person_says_no(self):
        browser = self.open_browser()
        browser.open(self.origin + '/me')
        browser.find('input[name=login]')
        browser.find('a[href$="/abort"]').click()
        browser.until(lambda: '/login/callback' in browser.address(), 'the way back')
        self.assertIn('The login was declined.', self.text(browser))
        self.assertEqual(self.session(browser), {})

    def test_an_answer_with_another_state_is_none(self):
        browser = self.open_browser()
        self.log_in(browser, 'ann')
        answer = self.callbacks(browser)[-1]
        browser.tools('Network.clearBrowserCookies')
        browser.open(self.origin + '/login')
        browser.find('input[name=login]')
        browser.open(re.sub('state=[^&]*', 'state=' + 'A' * 43, answer))
        self.assertIn('not started in this browser', self.text(browser))
        self.assertNotIn('session', self.session(browser))

    def test_a_code_for_another_login_is_refused_by_both(self):
        browser = self.open_browser()
        self.log_in(browser, 'eve')
        code = self.query_of(self.callbacks(browser)[-1])['code'][0]
        browser.tools('Network.clearBrowserCookies')
        browser.open(self.origin + '/login')
        browser.find('input[name=login]')
        asked = [event['request']['url'] for event in browser.told('Network.requestWillBeSent')]
        own = next(url for url in reversed(asked) if '/auth?' in url)
        answer = {'code': code, 'state': self.query_of(own)['state'][0],
                  'iss': own[:own.index('/auth?')]}
        browser.open(f'{self.origin}/login/callback?' + urllib.parse.urlencode(answer))
        self.assertIn('Log in again', self.text(browser))
        self.assertNotIn('session', self.session(browser))

    def test_a_login_begins_with_a_challenge_that_the_provider_demands(self):
        status, fields, _ = self.program.ask('GET', '/login?next=//evil.example',
                                             headers={'Host': self.origin[7:]})
        self.assertEqual(status, 302)
        query = self.query_of(fields['Location'])
        self.assertEqual(query['redirect_uri'], [self.origin + '/login/callback'])
        self.assertEqual(query['code_challenge_method'], ['S256'])
        self.assertIn('HttpOnly', fields['Set-Cookie'])

    def test_a_login_in_the_clear_begins_on_this_machine_alone(self):
        for host in ('evil.example', '10.0.0.1:80', 'localhost.evil.example'):
            status, fields, _ = self.program.ask('GET', '/login', headers={'Host': host})
            self.assertEqual((status, fields.get('Location')), (500, None), host)

    def test_a_provider_that_is_gone_is_told_as_such(self):
        self.provider.stop()
        status, fields, body = self.program.ask('GET', '/login',
                                                headers={'Host': self.origin[7:]})
        self.assertEqual(status, 503)
        self.assertIn('Retry-After', fields)
        self.assertIn(b'is not available', body)
        self.assertEqual(self.program.ask('GET', '/')[0], 200)


if __name__ == '__main__':
    unittest.main()

"""Sessions of a real server, with cookies like in a browser.

Must not use internals of the service: only its responses count.
"""

import http.cookies
import unittest
import urllib.parse

from support import Program

PROGRAM = '18_sessions'
FORM = 'application/x-www-form-urlencoded'


class Browser:
    """Stores cookies."""

    def __init__(self, program):
        self.program = program
        self.cookies = {}

    def ask(self, method, path, form=None):
        """Returns (status, Location or None, body)."""
        fields = {'Cookie': '; '.join(f'{name}={value}' for name, value in self.cookies.items())}
        body = None
        if form is not None:
            fields['Content-Type'] = FORM
            body = urllib.parse.urlencode(form).encode()
        status, headers, content = self.program.ask(method, path, body, fields)
        for name, value in headers.items():
            if name.lower() == 'set-cookie':
                self.keep(value)
        return status, headers.get('Location'), content.decode()

    def keep(self, set_cookie):
        for name, morsel in http.cookies.SimpleCookie(set_cookie).items():
            if morsel['max-age'] == '0':
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = morsel.coded_value


class Sessions(unittest.TestCase):
    def setUp(self):
        self.program = Program(PROGRAM, '--port', '{port}').__enter__()
        self.addCleanup(self.program.__exit__, None, None, None)
        self.browser = Browser(self.program)

    def home(self, browser=None):
        return (browser or self.browser).ask('GET', '/')[2]

    def test_a_cart_is_kept_and_a_message_shown_once(self):
        self.assertEqual(self.home(), 'Hello, stranger: 0 in your cart.\n')
        self.assertEqual(self.browser.cookies, {})
        self.assertEqual(self.browser.ask('POST', '/cart/tea')[:2], (303, '/'))
        self.assertEqual(self.home(),
                         'info: tea is in your cart.\nHello, stranger: 1 in your cart.\n')
        self.assertEqual(self.home(), 'Hello, stranger: 1 in your cart.\n')
        self.assertEqual(self.home(Browser(self.program)), 'Hello, stranger: 0 in your cart.\n')

    def test_a_login_changes_the_id_and_a_logout_ends_it(self):
        self.browser.ask('POST', '/cart/tea')
        self.home()
        before = dict(self.browser.cookies)
        self.assertEqual(self.browser.ask('POST', '/login', {'name': 'ann', 'next': '/me'})[:2],
                         (303, '/me'))
        within = dict(self.browser.cookies)
        self.assertNotEqual(before, within)
        self.assertEqual(self.home(), 'Hello, Ann: 1 in your cart.\n')
        thief = Browser(self.program)
        thief.cookies = before
        self.assertEqual(self.home(thief), 'Hello, stranger: 0 in your cart.\n')
        self.browser.ask('POST', '/logout')
        self.assertEqual(self.home(), 'info: Good bye.\nHello, stranger: 0 in your cart.\n')
        thief.cookies = within
        self.assertEqual(thief.ask('GET', '/me')[0], 401)

    def test_a_login_leads_to_no_other_host(self):
        answer = self.browser.ask('POST', '/login', {'name': 'ann', 'next': '//evil.example'})
        self.assertEqual(answer[:2], (303, '/'))

    def test_handlers_are_for_whom_they_say(self):
        self.assertEqual(self.browser.ask('GET', '/admin')[0], 401)
        self.browser.ask('POST', '/login', {'name': 'bob'})
        self.assertEqual(self.browser.ask('GET', '/me')[2], 'Bob\n')
        self.assertEqual(self.browser.ask('GET', '/admin')[0], 403)
        self.browser.ask('POST', '/login', {'name': 'ann'})
        self.assertEqual(self.browser.ask('GET', '/admin')[2], 'Welcome, administrator Ann.\n')


if __name__ == '__main__':
    unittest.main()

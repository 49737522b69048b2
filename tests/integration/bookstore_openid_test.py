"""The bookstore's logins with oidc-provider, a certified provider, in a real browser.

Must not use other machines; npm installs the pinned provider of the lock file.
"""

import shutil
import unittest

import webdriver
from bookstore_browser_test import ENTER, TAB, press, tab_to
from bookstore_shop import Shop, Visitor
from oauth_test import GIVEN, SECRET, Provider
from support import free_port, make_packages


@unittest.skipUnless(shutil.which('npm'), 'npm is not installed')
@unittest.skipUnless(webdriver.is_installed(), 'chromium and its driver are not installed')
class OpenId(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.packages = make_packages(GIVEN, 'oidc-provider')

    def setUp(self):
        port = free_port()
        shop = Shop('--openid-issuer', f'http://127.0.0.1:{port}', '--openid-client-id', 'notes',
                    '--openid-name', 'Example ID',
                    environment={'BOOKSTORE_OPENID_CLIENT_SECRET': SECRET})
        self.origin = f'http://localhost:{shop.port}'
        provider = Provider(self.packages, port, self.origin, '/login/openid/callback')
        self.addCleanup(provider.stop)
        self.shop = self.enterContext(shop)
        self.browser = self.enterContext(webdriver.Browser())

    def begin(self, path='/account'):
        self.browser.open(f'{self.origin}/login?next={path}')
        self.browser.find('#by-openid').click()
        self.browser.until(lambda: self.browser.find_all('input[name=login]'), 'the provider')

    def log_in(self, name, path='/account', ends=None):
        self.begin(path)
        self.browser.find('input[name=login]').type(name)
        self.browser.find('input[name=password]').type('any')
        self.browser.find('button[type=submit]').click()
        self.browser.until(lambda: not self.browser.find_all('input[name=login]'), 'the next page')
        if not self.browser.address().startswith(self.origin):
            self.browser.find('button[type=submit]').click()  # accepts the consent page
        end = self.origin + (ends or path)
        self.browser.until(lambda: self.browser.address() == end, end)

    def text(self):
        return self.browser.run('return document.body.innerText')

    def account(self):
        """Returns the address on the account page."""
        self.browser.open(self.origin + '/account')
        return self.browser.find('main dd').text()

    def test_a_stranger_gets_an_account_of_the_verified_address(self):
        self.log_in('ann', '/orders')
        self.assertEqual('ann@example.org', self.account())
        self.browser.find('#logout').click()
        self.browser.until(lambda: 'You have logged out.' in self.text(), 'the way out')
        self.browser.tools('Network.clearBrowserCookies')
        self.log_in('ann')
        self.assertEqual('ann@example.org', self.account())

    def test_it_leads_to_the_account_that_the_address_has_and_tells_its_owner(self):
        known = Visitor(self.shop)
        self.assertEqual(303, known.sign_up('Bobby', 'bob@example.org')[0])
        self.log_in('bob')
        self.assertEqual('Bobby', self.browser.find('h1').text())
        self.browser.until(lambda: 'with another service' in self.shop.said(), 'a letter')

    def test_the_keyboard_alone_is_enough(self):
        self.browser.open(f'{self.origin}/login?next=/account')
        tab_to(self.browser, '#by-openid')
        press(self.browser, ENTER)
        self.browser.until(lambda: self.browser.find_all('input[name=login]'), 'the provider')
        press(self.browser, 'dora' + TAB + 'any' + ENTER)
        self.browser.until(lambda: not self.browser.find_all('input[name=login]'), 'the next page')
        if not self.browser.address().startswith(self.origin):
            tab_to(self.browser, 'button[type=submit]')
            press(self.browser, ENTER)
        end = self.origin + '/account'
        self.browser.until(lambda: self.browser.address() == end, end)
        self.assertEqual('dora@example.org', self.account())

    def test_an_address_that_is_not_verified_leads_to_no_account(self):
        known = Visitor(self.shop)
        self.assertEqual(303, known.sign_up('Una', 'una@example.org')[0])
        self.log_in('una', ends='/login')
        self.assertIn('has not verified', self.text())
        self.browser.open(self.origin + '/account')
        self.browser.until(lambda: '/login' in self.browser.address(), 'the login')

    def test_who_says_no_is_told_so_on_the_login_page(self):
        self.begin()
        self.browser.find('a[href$="/abort"]').click()
        self.browser.until(lambda: self.browser.address().startswith(self.origin), 'the way back')
        self.assertIn('You were not logged in.', self.text())
        self.browser.find('#by-openid')

    def test_the_button_needs_no_script_and_fits_each_width(self):
        for width in (360, 768, 1600):
            self.browser.tools('Emulation.setDeviceMetricsOverride', width=width, height=900,
                               deviceScaleFactor=1, mobile=width < 600)
            self.browser.open(self.origin + '/login')
            self.assertEqual('Log in with Example ID', self.browser.find('#by-openid').text())
            wide = self.browser.run('return document.documentElement.scrollWidth')
            self.assertLessEqual(wide, width)
        self.browser.tools('Emulation.setScriptExecutionDisabled', value=True)
        self.log_in('cay')
        self.assertIn('cay@example.org', self.browser.find('main dd').text())


if __name__ == '__main__':
    unittest.main()

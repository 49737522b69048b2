#!/usr/bin/env python3
"""Users with browsers in the bookstore: they search, sign up, buy, and edit; with a mouse, only
with the keyboard, without scripts, in light and dark mode, on phones and wide screens.
argv[1]: the build's bin directory, or that of support.py. EIDER_SCREENSHOTS: directory for
screenshots.
Needs chromium and chromedriver; reports if they are missing.
"""

import base64
import contextlib
import hashlib
import hmac
import os
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

import support
import webdriver
from bookstore_shop import ADMIN, PNG, Shop, Visitor

TAB, ENTER, SPACE = '\ue004', '\ue007', ' '
WIDTHS = (360, 768, 1600)

# WCAG 2.2, 1.4.3: a contrast of 4.5 to 1, for large text 3 to 1; lists text with less.
CONTRAST = """
const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
  .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const ground = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = parse(getComputedStyle(at).backgroundColor);
    if (colour.length === 3 || colour[3] === 1) return colour;
  }
  return [255, 255, 255];
};
const poor = [];
for (const element of document.querySelectorAll("body *")) {
  const says = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const isSeen = element.checkVisibility() && !element.disabled && !element.matches(".skip");
  if (!says || !isSeen) continue;
  const style = getComputedStyle(element);
  const pair = [light(parse(style.color)), light(ground(element))].sort((a, b) => b - a);
  const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
  const size = parseFloat(style.fontSize);
  const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
  if (ratio < least) poor.push(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
}
return poor;
"""


def address_of(shop, path='/'):
    return f'http://localhost:{shop.port}{path}'


def fill(browser, **fields):
    for name, text in fields.items():
        element = browser.find(f'main [name="{name}"]')
        element.clear()
        element.type(text)


def send(browser, selector='main .stack button'):
    browser.find(selector).click()


def says(browser, text):
    """Waits until the page contains the text."""
    return browser.until(lambda: text in browser.run('return document.body.innerText'), text)


def sign_up(browser, shop, name):
    mail = f'{name.lower()}@example.org'
    browser.open(address_of(shop, '/signup'))
    fill(browser, email=mail)
    send(browser)
    says(browser, 'Check your email')
    browser.open(address_of(shop, '/confirm#' + shop.token(mail)))
    browser.until(lambda: '#' not in browser.address(), 'the token to go')
    fill(browser, name=name, password='a long password')
    send(browser)
    says(browser, 'Welcome!')


def log_in(browser, shop, mail, password):
    browser.open(address_of(shop, '/login'))
    fill(browser, email=mail, password=password)
    send(browser)
    browser.until(lambda: browser.find_all('#logout'), 'the login')


def log_out(browser):
    browser.find('#logout').click()
    says(browser, 'You have logged out.')


def looks_and_searches(browser, shop):
    browser.open(address_of(shop))
    assert len(browser.find_all('.book')) == 12
    browser.find('[rel=next]').click()
    browser.until(lambda: len(browser.find_all('.book')) == 2, 'the second page')
    browser.find('#q').type('varga')
    send(browser, '.filters button')
    browser.until(lambda: len(browser.find_all('.book')) == 1, 'one book')
    browser.find('.book h2 a').click()
    assert browser.find('h1').text() == 'What Birds Know of Magnets'


def buys(browser, shop):
    sign_up(browser, shop, 'Ada')
    browser.open(address_of(shop, '/books/6'))
    send(browser, '[data-buys]')
    says(browser, 'The book is in your cart.')
    assert browser.find('#cart-count').text() == '1'
    browser.find('a[href="/checkout"]').click()
    fill(browser, name='Ada', street='Side Street 1', city='Town')
    send(browser)
    says(browser, 'your order is placed')
    assert 'The Patient Glacier' in browser.find('main').text()


def reviews(browser, shop):
    browser.open(address_of(shop, '/books/6'))
    browser.find('main [name="stars"][value="5"]').click()
    browser.find('main [name="text"]').type('<b>Cold</b> & good')
    send(browser)
    says(browser, 'Thank you for your review.')
    assert '<b>Cold</b> & good' in browser.find('.review').text()
    log_out(browser)


def sees_the_stock_change_in_two_windows(browser, shop):
    browser.open(address_of(shop, '/books/9'))
    browser.until(lambda: browser.run('return document.documentElement.dataset.live'), 'the feed')
    before = int(browser.find('.stock output').text())
    with webdriver.Browser() as other:
        other.open(address_of(shop, '/?q=Plain'))
        other.until(lambda: other.run('return document.documentElement.dataset.live'), 'the feed')
        buyer = Visitor(shop)
        assert buyer.sign_up('Bob', 'bob@example.org')[0] == 303
        assert buyer.send('/cart/9/more', {'count': 3}, '/books/9')[0] == 303
        assert buyer.order()[0] == 303
        for each in (browser, other):
            each.until(lambda each=each: each.find('.stock output').text() == str(before - 3),
                       'the stock')


def edits_as_an_administrator(browser, shop):
    """Without scripts: a new book with an error, a change, a deletion, and the audit log."""
    assert Visitor(shop).be_admin()[0] == 303
    log_in(browser, shop, *ADMIN)
    browser.tools('Emulation.setScriptExecutionDisabled', value=True)
    browser.open(address_of(shop, '/admin/books'))
    browser.find('a[href="/admin/books/new"]').click()
    fill(browser, title='Tides', author='Mara Quill', isbn='9783161484101', year='2020',
         price_cents='1050', stock='4')
    browser.find('[name=genre] option[value=novel]').click()
    send(browser, '#record button')
    browser.until(lambda: browser.find_all('.errors'), 'the errors')
    assert 'ISBN of 13 digits' in browser.find('main').text()
    fill(browser, isbn='9783161484100')
    send(browser, '#record button')
    says(browser, '“Tides” was created.')
    fill(browser, q='tides')
    send(browser, '.filters button')
    says(browser, '1 record')
    browser.find('tbody th a').click()
    fill(browser, stock='5')
    send(browser, '#record button')
    says(browser, '“Tides” was changed.')
    fill(browser, q='tides')
    send(browser, '.filters button')
    says(browser, '1 record')
    browser.find('[name=key]').click()
    browser.find('[formaction$="/delete"]').click()
    says(browser, 'Do you want to delete these records?')
    send(browser, 'main button.primary')
    says(browser, '“Tides” was deleted.')
    browser.find('a[href="/admin/log"]').click()
    says(browser, 'delete Books Tides')
    assert len(browser.find_all('.log > li')) >= 3
    browser.tools('Emulation.setScriptExecutionDisabled', value=False)


def edits_by_keyboard_alone(browser, shop):
    browser.open(address_of(shop, '/admin/books'))
    tab_to(browser, '#q')
    press(browser, 'glacier' + ENTER)
    says(browser, '1 record')
    tab_to(browser, 'tbody th a')
    press(browser, ENTER)
    browser.until(lambda: browser.find_all('#record'), 'the form')
    tab_to(browser, '#record button')
    press(browser, ENTER)
    browser.until(lambda: browser.find_all('caption'), 'the list')
    tab_to(browser, '[name=key]')
    press(browser, SPACE)
    assert browser.run('return document.querySelector("[name=key]").checked')


def pauses_a_queue(browser, shop):
    code, said, *_ = support.run_to_end('eider', 'jobs', 'pause', 'reports', '--database',
                                        str(shop.database))
    assert code == 0, said
    browser.open(address_of(shop, '/admin/jobs/'))
    for action, other in (('resume', 'pause'), ('pause', 'resume')):
        browser.find(f'[action$="/{action}"] button').click()
        browser.until(lambda its=other: browser.find_all(f'[action$="/{its}"]'), 'the change')
        browser.until(lambda its=action: f'queue reports was {its}d by ' in shop.said(), 'the log')


def uploads_a_cover(browser, shop):
    browser.open(address_of(shop, '/books/2'))
    with tempfile.NamedTemporaryFile(suffix='.png') as picture:
        picture.write(PNG)
        picture.flush()
        browser.find('[type=file]').type(picture.name)
        send(browser, '#cover-form button')
        says(browser, 'The cover was saved.')
    wide = 'return [...document.images].map((image) => image.complete && image.naturalWidth)[0]'
    browser.until(lambda: browser.run(wide) == 1, 'the picture')
    with tempfile.NamedTemporaryFile(suffix='.png') as page:
        page.write(b'<script>alert(1)</script>')
        page.flush()
        browser.find('[type=file]').type(page.name)
        send(browser, '#cover-form button')
        says(browser, 'A cover must be a')
    log_out(browser)


def changes_the_language(browser, shop):
    browser.open(address_of(shop, '/books/1'))
    browser.find('button[value=de]').click()
    browser.until(lambda: browser.run('return document.documentElement.lang') == 'de', 'German')
    assert browser.address().endswith('/books/1')
    assert '18,90' in browser.find('.price').text()
    browser.find('button[value=en]').click()
    browser.until(lambda: browser.run('return document.documentElement.lang') == 'en', 'English')


def press(browser, keys):
    """Sends keys to the focused element."""
    actions = [{'type': kind, 'value': key} for key in keys for kind in ('keyDown', 'keyUp')]
    browser.command('POST', '/actions', {'actions': [{'type': 'key', 'id': 'keys',
                                                      'actions': actions}]})


def tab_to(browser, selector):
    """Moves the focus with the tab key; the focused element must be visible."""
    for _ in range(80):
        press(browser, TAB)
        if browser.run(f'return document.activeElement.matches({selector!r})'):
            outline = browser.run('return getComputedStyle(document.activeElement).outlineStyle')
            assert outline != 'none', f'{selector} does not show its focus'
            return
    raise AssertionError(f'{selector} cannot be reached by the keyboard')


def works_by_keyboard_alone(browser, shop):
    browser.open(address_of(shop))
    press(browser, TAB)
    assert browser.run('return document.activeElement.className') == 'skip'
    press(browser, ENTER)
    tab_to(browser, '#q')
    press(browser, 'salt' + ENTER)
    browser.until(lambda: len(browser.find_all('.book')) == 1, 'one book')
    tab_to(browser, '.book h2 a')
    press(browser, ENTER)
    browser.until(lambda: browser.find_all('[data-buys]'), 'the book')
    tab_to(browser, '[data-buys]')
    press(browser, SPACE)
    says(browser, 'The book is in your cart.')


def works_without_scripts(browser, shop):
    browser.tools('Emulation.setScriptExecutionDisabled', value=True)
    browser.open(address_of(shop, '/books/10'))
    send(browser, '[data-buys]')
    says(browser, 'The book is in your cart.')
    browser.find('a[href="/checkout"]').click()
    browser.until(lambda: '/login' in browser.address(), 'the login')
    fill(browser, email='ada@example.org', password='a long password')
    send(browser)
    browser.until(lambda: '/checkout' in browser.address(), 'the checkout')
    fill(browser, name='Ada', street='Side Street 1', city='Town')
    send(browser)
    says(browser, 'your order is placed')
    browser.tools('Emulation.setScriptExecutionDisabled', value=False)
    log_out(browser)


def logs_in_by_a_passkey(browser, shop):
    with browser.authenticator() as keys:
        log_in(browser, shop, 'ada@example.org', 'a long password')
        browser.open(address_of(shop, '/account'))
        send(browser, '#add-passkey button')
        browser.until(lambda: keys.credentials() and browser.find_all('.lines form'), 'a passkey')
        browser.until(lambda: 'A passkey was added' in shop.said(), 'the letter to the owner')
        log_out(browser)
        browser.open(address_of(shop, '/login?next=%2Forders'))
        send(browser, '#by-passkey button')
        browser.until(lambda: browser.address().endswith('/orders'), 'the orders')
        log_out(browser)
        browser.open(address_of(shop, '/address#the-token-of-a-link'))
        browser.until(lambda: '/login' in browser.address(), 'the login')
        send(browser, '#by-passkey button')
        browser.until(lambda: browser.address().endswith('/address'), 'the form, and no token')
        taken = browser.run('return document.querySelector("[name=token]").value')
        assert taken == 'the-token-of-a-link', taken
        browser.open(address_of(shop, '/account'))
        send(browser, '.lines form button')
        browser.until(lambda: not browser.find_all('.lines form'), 'no passkey any more')
        log_out(browser)


def let_logins_be_long_ago(shop):
    with contextlib.closing(sqlite3.connect(shop.database)) as database, database:
        database.execute('update eider_sessions set began = began - 601, '
                         'authenticated = authenticated - 601')


def shows_anew_who_he_is(browser, shop):
    """Logs in with a password and with a passkey; each time the user returns to the intended
    page."""
    with browser.authenticator() as keys:
        log_in(browser, shop, 'ada@example.org', 'a long password')
        browser.open(address_of(shop, '/account'))
        let_logins_be_long_ago(shop)
        send(browser, '#add-passkey button')
        browser.until(lambda: browser.address().endswith('/login?next=%2Faccount'), 'the login')
        says(browser, 'Please confirm your identity.')
        fill(browser, email='ada@example.org', password='a long password')
        send(browser)
        browser.until(lambda: browser.address().endswith('/account'), 'the account')
        send(browser, '#add-passkey button')
        browser.until(lambda: keys.credentials() and browser.find_all('.lines form'), 'a passkey')
        let_logins_be_long_ago(shop)
        browser.open(address_of(shop, '/password'))
        browser.until(lambda: browser.address().endswith('/login?next=%2Fpassword'), 'the login')
        send(browser, '#by-passkey button')
        browser.until(lambda: browser.address().endswith('/password'), 'the form')
        fill(browser, old_password='a long password', password='another long password')
        let_logins_be_long_ago(shop)
        send(browser)
        browser.until(lambda: browser.address().endswith('/login?next=%2Fpassword'), 'the login')
        send(browser, '#by-passkey button')
        browser.until(lambda: browser.address().endswith('/password'), 'the form')
        let_logins_be_long_ago(shop)
        browser.open(address_of(shop, '/account'))
        send(browser, '#add-passkey button')  # with the existing passkey, without leaving the page
        says(browser, 'This authenticator already has a passkey for you.')
        browser.open(address_of(shop, '/account'))
        send(browser, '.lines form button')
        browser.until(lambda: not browser.find_all('.lines form'), 'no passkey any more')
        log_out(browser)


def keeps_a_link_through_its_login(browser, shop):
    """The link to another address requires a login."""
    log_in(browser, shop, 'ada@example.org', 'a long password')
    browser.open(address_of(shop, '/new-address'))
    fill(browser, email='ada@example.net', password='a long password')
    send(browser)
    says(browser, 'Check your email')
    token = shop.token('ada@example.net')
    log_out(browser)
    browser.open(address_of(shop, '/address#' + token))
    browser.until(lambda: '/login' in browser.address(), 'the login')
    fill(browser, email='ada@example.org', password='wrong')
    send(browser)
    says(browser, 'Log in')
    browser.until(lambda: browser.find_all('main .errors'), 'the refusal')
    fill(browser, email='ada@example.org', password='a long password')
    send(browser)
    browser.until(lambda: browser.address().endswith('/address'), 'the form, and no token')
    send(browser)
    says(browser, 'The email address was changed.')
    log_out(browser)


def code_of(secret, step=None):
    """Returns the code of an authenticator app (RFC 6238), computed without the library."""
    key = base64.b32decode(secret.replace(' ', ''))
    step = int(time.time()) // 30 if step is None else step
    tag = hmac.digest(key, struct.pack('>Q', step), 'sha1')
    number, = struct.unpack_from('>I', tag, tag[-1] & 15)
    return f'{(number & 0x7FFFFFFF) % 1000000:06}'


def next_code(secret, used):
    """Returns an unused code; a code is also valid in the step before its own."""
    step = int(time.time()) // 30
    while (code := code_of(secret, step)) in used:
        step += 1
    used.add(code)
    return code


def scanned(browser):
    """Returns the text of the QR code on the page, as a scanner reads it from the screen in dark
    mode."""
    if not shutil.which('zbarimg'):
        print('skipped: zbarimg is not installed, so no QR code is scanned')
        return None
    dark = {'name': 'prefers-color-scheme', 'value': 'dark'}
    browser.tools('Emulation.setEmulatedMedia', features=[dark])
    shot = browser.tools('Page.captureScreenshot', captureBeyondViewport=True)
    browser.tools('Emulation.setEmulatedMedia', features=[])
    with tempfile.NamedTemporaryFile(suffix='.png') as file:
        file.write(base64.b64decode(shot['data']))
        file.flush()
        return subprocess.run(['zbarimg', '--quiet', '--raw', file.name], text=True, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()


def logs_in_in_two_steps(browser, shop):
    """Without scripts: turns it on, logs in with the app and with a recovery code, turns it off."""
    browser.tools('Emulation.setScriptExecutionDisabled', value=True)
    used = set()
    log_in(browser, shop, 'bob@example.org', 'a long password')
    browser.find('a.me').click()
    browser.find('a[href="/account/two-factor"]').click()
    assert browser.find_all('.qr svg title')
    secret = browser.find('#secret').text()
    uri = scanned(browser)
    assert uri is None or f'secret={secret.replace(" ", "")}&' in uri, uri
    fill(browser, code='000000')
    send(browser)
    browser.until(lambda: browser.find_all('main .errors'), 'the refusal')
    assert browser.find('#secret').text() == secret
    fill(browser, code=next_code(secret, used))
    send(browser)
    says(browser, 'Two-factor authentication is on.')
    recovery = [each.text() for each in browser.find_all('.codes code')]
    assert len(set(recovery)) == 10, recovery
    log_out(browser)
    browser.open(address_of(shop, '/login?next=%2Forders'))
    fill(browser, email='bob@example.org', password='a long password')
    send(browser)
    browser.until(lambda: '/two-factor?next=' in browser.address(), 'the second step')
    assert not browser.find_all('#logout'), 'logged in after the first step'
    fill(browser, code='123456')
    send(browser)
    browser.until(lambda: browser.find_all('main .errors'), 'the refusal')
    fill(browser, code=next_code(secret, used))
    send(browser)
    browser.until(lambda: browser.address().endswith('/orders'), 'the orders')
    log_out(browser)
    browser.open(address_of(shop, '/login'))
    fill(browser, email='bob@example.org', password='a long password')
    send(browser)
    browser.until(lambda: '/two-factor' in browser.address(), 'the second step')
    fill(browser, code=recovery[3].upper())
    send(browser)
    browser.until(lambda: browser.find_all('#logout'), 'the login')
    browser.open(address_of(shop, '/account/two-factor'))
    says(browser, 'Recovery codes left: 9')
    send(browser, '#turn-off button')
    says(browser, 'Two-factor authentication is off.')
    log_out(browser)
    browser.tools('Emulation.setScriptExecutionDisabled', value=False)
    for notice in ('was turned on', 'A recovery code was used', 'was turned off'):
        browser.until(lambda told=notice: told in shop.said(), f'the mail: {notice}')
    assert secret.replace(' ', '') not in shop.said()


def logs_in_by_a_mailed_link(browser, shop):
    """A scanner opened the link before; the page needs no script."""
    browser.tools('Emulation.setScriptExecutionDisabled', value=True)
    browser.open(address_of(shop, '/login'))
    browser.find('a[href="/login/mail"]').click()
    fill(browser, email='bob@example.org')
    send(browser)
    says(browser, 'If this account exists')
    link = shop.login_link('bob@example.org')
    for _ in range(3):
        with urllib.request.urlopen(address_of(shop, link)) as page:
            assert page.status == 200
    token = link.split('=')[1]
    browser.open(address_of(shop, link))
    browser.find('#login-link').click()
    browser.until(lambda: '/login?next=' in browser.address(), 'the login page')
    assert token not in browser.address(), browser.address()
    browser.open(address_of(shop, link))
    says(browser, 'bob@example.org')
    assert not browser.find_all('#logout')
    send(browser)
    browser.until(lambda: browser.address().endswith('/account'), 'the account')
    log_out(browser)
    browser.open(address_of(shop, link))
    says(browser, 'This link was already used')
    browser.tools('Emulation.setScriptExecutionDisabled', value=False)
    requests = [line for line in shop.said().splitlines() if '"GET /' in line]
    assert not any(token in line for line in requests), requests


def makes_a_key_for_a_program(browser, shop):
    log_in(browser, shop, 'bob@example.org', 'a long password')
    browser.open(address_of(shop, '/account/api-keys'))
    fill(browser, name='<b>till</b>')
    send(browser)
    browser.until(lambda: browser.find_all('#api-key'), 'the key')
    key = browser.find('#api-key').text()
    browser.until(lambda: 'An API key was created' in shop.said(), 'the mail to the owner')
    program = Visitor(shop, Authorization=f'Bearer {key}', Accept='application/json')
    status, orders = program.json('GET', '/api/orders')
    assert status == 200, orders
    assert program.json('GET', '/account/api-keys')[0] == 401
    browser.open(address_of(shop, '/account/api-keys'))
    text = browser.find('main').text()
    assert '<b>till</b>' in text and key not in text, text
    assert 'Last used:' in text, text
    send(browser, '.lines form button')
    says(browser, 'You have no API keys.')
    assert program.json('GET', '/api/orders')[0] == 401
    log_out(browser)


def picture(browser, name):
    folder = os.environ.get('EIDER_SCREENSHOTS')
    if folder:
        shot = browser.tools('Page.captureScreenshot', captureBeyondViewport=True)
        pathlib.Path(folder, name + '.png').write_bytes(base64.b64decode(shot['data']))


def looks_right(browser, shop):
    """Nothing overflows, and text is readable in light and dark mode, at each width."""
    log_in(browser, shop, *ADMIN)
    browser.open(address_of(shop, '/books/1'))
    send(browser, '[data-buys]')
    pages = ('/', '/books/6', '/cart', '/checkout', '/account', '/admin/', '/admin/books',
             '/admin/books/record/1', '/admin/books/new', '/admin/users', '/admin/log',
             '/admin/jobs/', '/orders', '/login', '/signup', '/confirm', '/password', '/nothing',
             '/account/two-factor', '/account/api-keys', '/login/mail', '/login/link?token=x')
    for scheme in ('light', 'dark'):
        feature = {'name': 'prefers-color-scheme', 'value': scheme}
        browser.tools('Emulation.setEmulatedMedia', features=[feature])
        for width in WIDTHS:
            browser.tools('Emulation.setDeviceMetricsOverride', width=width, height=900,
                          deviceScaleFactor=1, mobile=width < 600)
            for path in pages:
                browser.open(address_of(shop, path))
                browser.find('h1')
                wide = browser.run('return document.documentElement.scrollWidth')
                assert wide <= width, f'{path} is {wide} pixels wide at {width}'
                poor = browser.run(CONTRAST)
                assert not poor, f'{path}, {scheme}: {poor}'
                picture(browser, f'{path.strip("/").replace("/", "-") or "shelf"}-{scheme}-{width}')
    browser.tools('Emulation.clearDeviceMetricsOverride')
    browser.tools('Emulation.setEmulatedMedia', features=[])


def breaks_no_policy(browser, shop):
    """None of these pages violated its Content-Security-Policy."""
    browser.open(address_of(shop))
    browser.run('window.broken = []; addEventListener("securitypolicyviolation", '
                '(event) => broken.push(event.violatedDirective))')
    for path in ('/', '/books/1', '/admin/books', '/admin/books/record/1', '/admin/jobs/',
                 '/account/two-factor', '/docs'):
        browser.tools('Log.enable')
        browser.open(address_of(shop, path))
        told = browser.told('Log.entryAdded')
        assert not [each for each in told if each['entry']['source'] == 'security'], told


CHECKS = [
    looks_and_searches,
    buys,
    reviews,
    sees_the_stock_change_in_two_windows,
    edits_as_an_administrator,
    edits_by_keyboard_alone,
    pauses_a_queue,
    uploads_a_cover,
    changes_the_language,
    works_by_keyboard_alone,
    works_without_scripts,
    logs_in_by_a_passkey,
    shows_anew_who_he_is,
    keeps_a_link_through_its_login,
    logs_in_in_two_steps,
    logs_in_by_a_mailed_link,
    makes_a_key_for_a_program,
    looks_right,
    breaks_no_policy,
]


def main():
    if not webdriver.is_installed():
        print('skipped: chromium and chromedriver are not installed')
        return
    if len(sys.argv) > 1:
        support.BIN = pathlib.Path(sys.argv[1]).resolve()
    with Shop(environment={'BOOKSTORE_TWO_FACTOR_KEY': 'a key of at least 32 bytes, for tests'}) \
            as shop, webdriver.Browser() as browser:
        for check in CHECKS:
            check(browser, shop)
            print(f'ok: {check.__name__}')
        assert shop.stop() == 0


if __name__ == '__main__':
    main()

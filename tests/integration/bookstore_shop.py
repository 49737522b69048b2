"""The bookstore as a running program, and visitors who keep its cookies: for the scripts in this
folder.

Must not use internals of the service: only its responses count.
"""

import html
import http.client
import http.cookies
import json
import re
import tempfile
import time
import urllib.parse
from pathlib import Path

from support import ANSWER_SECONDS_MAX, ROOT, Program

ADMIN = ('admin@bookstore.example', 'a password for tests')
PNG = bytes.fromhex('89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de000000'
                    '0c4944415408d763f8cfc0000003010100c9fe92ef0000000049454e44ae426082')


class Shop(Program):
    """The service with its own database."""

    def __init__(self, *arguments, logins=10000, environment=None):
        self.directory = tempfile.TemporaryDirectory()
        self.database = Path(self.directory.name) / 'shop.db'
        self.taken = {}
        super().__init__('bookstore', '--port', '{port}', '--threads', '2',
                         '--database-file', str(self.database),
                         '--public-url', 'http://localhost:{port}',
                         '--admin-mail', ADMIN[0].title(),
                         '--logins-per-minute', str(logins), '--requests-per-minute', '100000',
                         '--languages', str(ROOT / 'examples/bookstore/languages'), *arguments,
                         environment=environment)

    def token(self, mail):
        """Returns the token of the last link that was mailed to the address; waits for it."""
        deadline = time.monotonic() + ANSWER_SECONDS_MAX
        while time.monotonic() < deadline:
            found = re.findall(rf'mail to {re.escape(mail)}:[^#]*?#([\w-]{{43}})', self.said())
            if len(found) > self.taken.get(mail, 0):
                self.taken[mail] = len(found)
                return found[-1]
            time.sleep(0.05)
        raise AssertionError(f'no link for {mail}: {self.said()}')

    def login_link(self, mail):
        """Returns the path of the last link that was mailed to the address; waits for it."""
        deadline = time.monotonic() + ANSWER_SECONDS_MAX
        while time.monotonic() < deadline:
            found = re.findall(rf'mail to {re.escape(mail)}:[^\n]*?'
                               r'(/login/link\?token=[\w-]{43})',
                               self.said())
            if len(found) > self.taken.get('link to ' + mail, 0):
                self.taken['link to ' + mail] = len(found)
                return found[-1]
            time.sleep(0.05)
        raise AssertionError(f'no login link for {mail}: {self.said()}')

    def start(self):
        """Restarts it with the same database."""
        super().__enter__()

    def __exit__(self, *_):
        super().__exit__()
        self.directory.cleanup()


class Visitor:
    """Stores cookies, and sends the headers of a browser."""

    def __init__(self, shop, **fields):
        self.shop = shop
        self.cookies = {}
        self.fields = {'Accept': 'text/html', 'Sec-Fetch-Site': 'same-origin', **fields}

    def ask(self, method, path, body=None, **fields):
        """Returns (status, headers, text)."""
        fields = {**self.fields, **fields}
        if self.cookies:
            fields['Cookie'] = '; '.join(f'{name}={value}' for name, value in self.cookies.items())
        connection = http.client.HTTPConnection('127.0.0.1', self.shop.port,
                                                timeout=ANSWER_SECONDS_MAX)
        try:
            connection.request(method, path, body, fields)
            reply = connection.getresponse()
            self.keep(reply.headers.get_all('Set-Cookie') or ())
            headers = {name.lower(): value for name, value in reply.getheaders()}
            return reply.status, headers, reply.read().decode(errors='replace')
        finally:
            connection.close()

    def keep(self, lines):
        """Stores the cookies."""
        for line in lines:
            for name, morsel in http.cookies.SimpleCookie(line).items():
                if morsel['max-age'] == '0':
                    self.cookies.pop(name, None)
                else:
                    self.cookies[name] = morsel.coded_value

    def get(self, path, **fields):
        return self.ask('GET', path, **fields)

    def token(self, page='/'):
        """Returns the token of the forms on that page."""
        text = self.get(page)[2]
        return html.unescape(re.search(r'name="csrf_token" value="([^"]*)"', text).group(1))

    def send(self, path, form, page='/', **fields):
        """Sends the form of the page, with its token."""
        pairs = {'csrf_token': self.token(page), **form}
        return self.ask('POST', path, urllib.parse.urlencode(pairs).encode(),
                        **{'Content-Type': 'application/x-www-form-urlencoded', **fields})

    def action(self, page, beginning):
        """Returns the action of the form on that page with this beginning, with the values that it
        was shown with."""
        found = re.search(rf'action="({beginning}[^"]*)"', self.get(page)[2])
        return html.unescape(found.group(1))

    def order(self, **form):
        """Orders the contents of the cart."""
        address = {'name': 'B', 'street': 'S', 'city': 'T', **form}
        return self.send(self.action('/checkout', '/checkout'), address)

    def upload(self, path, name, content, kind='image/png'):
        """Sends a form with one file."""
        body = (f'--limit\r\nContent-Disposition: form-data; name="cover"; filename="{name}"\r\n'
                f'Content-Type: {kind}\r\n\r\n').encode() + content + b'\r\n--limit--\r\n'
        return self.ask('POST', path, body,
                        **{'Content-Type': 'multipart/form-data; boundary=limit'})

    def json(self, method, path, value=None, **fields):
        """Returns (status, value)."""
        body = None if value is None else json.dumps(value).encode()
        status, _, text = self.ask(method, path, body, Accept='application/json',
                                   **{'Content-Type': 'application/json', **fields})
        return status, json.loads(text) if text else None

    def log_in(self, mail, password, **form):
        return self.send('/login', {'email': mail, 'password': password, 'next': '/', **form},
                         '/login')

    def sign_up(self, name, mail, password='a long password'):
        """Signs up with the link in the mail."""
        told = self.send('/signup', {'email': mail})
        if told[0] != 303:
            return told
        return self.send('/confirm', {'name': name, 'password': password,
                                      'token': self.shop.token(mail)})

    def be_admin(self):
        """The first call signs the administrator up."""
        if ADMIN[0] in self.shop.taken:
            return self.log_in(*ADMIN)
        return self.sign_up('Admin', *ADMIN)

"""A mail server (aiosmtpd) that is controlled by JSON objects on its input, one per line.

Must not run by itself: mail_support.py starts it, in the environment of mail_requirements.txt.
"""

import asyncio
import base64
import json
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

USER, PASSWORD = b'shop', b'open sesame'
MANNERS = {'refuse': '550 5.1.1 no such user', 'refuse-data': '554 5.6.0 not such content',
           'later': '451 4.3.0 not now', 'later-data': '452 4.3.1 no room',
           'wants-login': '550 5.7.1 log in first', 'refuse-sender': '550 5.1.8 no such domain'}


class Handler:
    """Stores received mails."""

    def __init__(self):
        self.manner = 'good'
        self.mails = []
        self.connections = set()
        self.begun = 0

    async def handle_MAIL(self, _server, session, envelope, address, options):
        self.connections.add(session.peer)
        self.begun += 1
        if self.manner in ('wants-login', 'refuse-sender'):
            return MANNERS[self.manner]
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return '250 OK'

    async def handle_RCPT(self, _server, _session, envelope, address, _options):
        if self.manner in ('refuse', 'later'):
            return MANNERS[self.manner]
        envelope.rcpt_tos.append(address)
        return '250 OK'

    async def handle_DATA(self, server, session, envelope):
        if self.manner in MANNERS:
            return MANNERS[self.manner]
        if self.manner == 'slow':
            await asyncio.sleep(4)
        if self.manner == 'hang':
            await asyncio.sleep(3600)
        if self.manner == 'drop':
            server.transport.abort()
            return '250 never seen'
        self.mails.append({
            'sender': envelope.mail_from, 'recipients': envelope.rcpt_tos,
            'is_encrypted': session.ssl is not None,
            'user': getattr(session.auth_data, 'login', b'').decode(),
            'content': base64.b64encode(envelope.original_content).decode()})
        if self.manner == 'drop-behind':
            server.transport.abort()
        return '250 taken'


class Server(Controller):
    """Runs as its arguments specify: encrypted, with a login, or neither."""

    def __init__(self, handler, wish):
        context = None
        if wish.get('certificate'):
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(wish['certificate'], wish['key'])
        self.options = {}
        if wish.get('start_tls'):
            self.options = {'tls_context': context, 'require_starttls': True}
        if wish.get('login'):
            self.options.update(authenticator=check, auth_required=True,
                                auth_require_tls=context is not None)
            self.options['auth_exclude_mechanism'] = wish.get('without', [])
        super().__init__(handler, hostname='127.0.0.1', port=wish['port'],
                         ssl_context=context if wish.get('smtps') else None)

    def factory(self):
        return SMTP(self.handler, ident='eider test', data_size_limit=64 << 20, **self.options)


def check(_server, _session, _envelope, _mechanism, data):
    good = isinstance(data, LoginPassword) and (data.login, data.password) == (USER, PASSWORD)
    return AuthResult(success=good, handled=False, auth_data=data if good else None)


def main():
    handler = Handler()
    server = Server(handler, json.loads(sys.argv[1]))
    server.start()
    print(json.dumps({'ready': True}), flush=True)
    for line in sys.stdin:
        handler.manner = json.loads(line).get('manner', handler.manner)
        print(json.dumps({'mails': handler.mails, 'connections': len(handler.connections),
                          'begun': handler.begun}), flush=True)
    server.stop()


if __name__ == '__main__':
    main()

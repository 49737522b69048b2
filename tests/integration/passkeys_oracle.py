"""Signs up and logs in at a program with keys created here, correctly and incorrectly, and lets
py_webauthn check the same responses. argv: the program's port. Prints a line of JSON for each: the
case, whether the program accepted it, whether py_webauthn did.

Must not know which is correct: both are called.
"""

import base64
import hashlib
import http.client
import json
import os
import sys

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers.exceptions import WebAuthnException

PORT = int(sys.argv[1])
ORIGIN = f'http://localhost:{PORT}'
PARTY = 'localhost'
PRESENT, VERIFIED, ELIGIBLE, COPIED, CREDENTIAL = 0x01, 0x04, 0x08, 0x10, 0x40
USUAL = PRESENT | VERIFIED


def text_of(data):
    return base64.urlsafe_b64encode(data).decode().rstrip('=')


def bytes_of(text):
    return base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))


class Key:
    """A key pair of one COSE algorithm."""

    def __init__(self, algorithm):
        self.algorithm = algorithm
        self.pair = {-7: lambda: ec.generate_private_key(ec.SECP256R1()),
                     -8: ed25519.Ed25519PrivateKey.generate,
                     -257: lambda: rsa.generate_private_key(65537, 2048)}[algorithm]()

    def cose(self):
        public = self.pair.public_key()
        if self.algorithm == -8:
            members = {1: 1, 3: -8, -1: 6, -2: public.public_bytes_raw()}
        elif self.algorithm == -7:
            numbers = public.public_numbers()
            members = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, 'big'),
                       -3: numbers.y.to_bytes(32, 'big')}
        else:
            numbers = public.public_numbers()
            members = {1: 3, 3: -257, -1: numbers.n.to_bytes(256, 'big'), -2: b'\x01\x00\x01'}
        return cbor2.dumps(members, canonical=True)

    def sign(self, data):
        if self.algorithm == -8:
            return self.pair.sign(data)
        if self.algorithm == -7:
            return self.pair.sign(data, ec.ECDSA(hashes.SHA256()))
        return self.pair.sign(data, padding.PKCS1v15(), hashes.SHA256())


class Browser:
    """Stores cookies."""

    def __init__(self):
        self.cookies = {}

    def post(self, path, body):
        """Returns (status, the JSON of the response or None)."""
        connection = http.client.HTTPConnection('127.0.0.1', PORT, timeout=20)
        fields = {'Content-Type': 'application/json', 'Host': f'localhost:{PORT}',
                  'Cookie': '; '.join(f'{name}={value}' for name, value in self.cookies.items())}
        connection.request('POST', '/passkeys/' + path, json.dumps(body), fields)
        reply = connection.getresponse()
        for name, value in reply.getheaders():
            if name.lower() == 'set-cookie':
                cookie, value = value.split(';')[0].split('=', 1)
                self.cookies[cookie] = value
        content = reply.read()
        connection.close()
        return reply.status, json.loads(content) if content else None


class Authenticator:
    """One credential; its values can be changed by name."""

    def __init__(self, algorithm=-7):
        self.key = Key(algorithm)
        self.identity = os.urandom(32)
        self.handle = None

    @staticmethod
    def client_data(kind, options, said):
        data = {'type': said.get('type', kind), 'challenge': options['challenge'],
                'origin': ORIGIN, 'crossOrigin': False}
        return json.dumps({**data, **said.get('client', {})}).encode()

    @staticmethod
    def front(said, more=0):
        party = said.get('party', PARTY).encode()
        return (hashlib.sha256(party).digest() + bytes([said.get('flags', USUAL) | more]) +
                said.get('counter', 0).to_bytes(4, 'big'))

    def envelope(self, response):
        identity = text_of(self.identity)
        return {'id': identity, 'rawId': identity, 'type': 'public-key', 'response': response}

    def create(self, options, said):
        self.handle = options['user']['id']
        client = self.client_data('webauthn.create', options, said)
        data = (self.front(said, CREDENTIAL) + bytes(16) +
                len(self.identity).to_bytes(2, 'big') + self.identity +
                said.get('key', self.key.cose()))
        statement = {}
        if said.get('format') == 'packed':
            signed = said.get('signer', self.key).sign(data + hashlib.sha256(client).digest())
            statement = {'alg': self.key.algorithm, 'sig': signed}
        whole = {'fmt': said.get('format', 'none'), 'attStmt': statement, 'authData': data}
        return self.envelope({'clientDataJSON': text_of(client), 'transports': ['usb'],
                              'attestationObject': text_of(cbor2.dumps(whole, canonical=True))})

    def get(self, options, said):
        client = self.client_data('webauthn.get', options, said)
        data = self.front(said)
        signed = said.get('signer', self.key).sign(data + hashlib.sha256(client).digest())
        if 'flip' in said:
            signed = signed[:-1] + bytes([signed[-1] ^ 1])
        return self.envelope({'clientDataJSON': text_of(client),
                              'authenticatorData': text_of(data), 'signature': text_of(signed),
                              'userHandle': self.handle})


def judged(call):
    try:
        return call()
    except (WebAuthnException, ValueError):
        return None


def told(case, ours, theirs):
    print(json.dumps({'case': case, 'ours': ours, 'theirs': theirs is not None}), flush=True)


def sign_up(name, authenticator, said):
    """Returns (browser, the result of py_webauthn or None)."""
    browser = Browser()
    status, begun = browser.post('registration/options', {'name': name})
    assert status == 200, begun
    credential = authenticator.create(begun['publicKey'], said)
    status, _ = browser.post('registration', {'credential': credential, 'ticket': begun['ticket']})
    theirs = judged(lambda: verify_registration_response(
        credential=credential, expected_challenge=bytes_of(begun['publicKey']['challenge']),
        expected_rp_id=PARTY, expected_origin=ORIGIN, require_user_verification=True))
    return status == 204, theirs


def log_in(authenticator, said, known, counter):
    browser = Browser()
    _, begun = browser.post('login/options', {})
    credential = authenticator.get(begun['publicKey'], said)
    status, _ = browser.post('login', {'credential': credential, 'ticket': begun['ticket']})
    theirs = judged(lambda: verify_authentication_response(
        credential=credential, expected_challenge=bytes_of(begun['publicKey']['challenge']),
        expected_rp_id=PARTY, expected_origin=ORIGIN, credential_public_key=known,
        credential_current_sign_count=counter, require_user_verification=True))
    return status == 204, theirs


def registrations():
    other = Key(-7)
    yield 'none', {}
    yield 'packed', {'format': 'packed'}
    yield 'packed by another', {'format': 'packed', 'signer': other}
    yield 'eligible', {'flags': USUAL | ELIGIBLE}
    yield 'copied', {'flags': USUAL | ELIGIBLE | COPIED}
    yield 'copied and not eligible', {'flags': USUAL | COPIED}
    yield 'not present', {'flags': VERIFIED}
    yield 'not verified', {'flags': PRESENT}
    yield 'type', {'type': 'webauthn.get'}
    yield 'origin', {'client': {'origin': 'http://evil.example'}}
    yield 'challenge', {'client': {'challenge': 'AAAA'}}
    yield 'party', {'party': 'evil.example'}


def logins():
    yield 'again', {'counter': 5}
    yield 'counter as before', {'counter': 5}
    yield 'counter below', {'counter': 4}
    yield 'another key', {'counter': 6, 'signer': Key(-7)}
    yield 'a bit of the signature', {'counter': 6, 'flip': True}
    yield 'not present', {'counter': 6, 'flags': VERIFIED}
    yield 'not verified', {'counter': 6, 'flags': PRESENT}
    yield 'type', {'counter': 6, 'type': 'webauthn.create'}
    yield 'origin', {'counter': 6, 'client': {'origin': 'http://evil.example'}}
    yield 'challenge', {'counter': 6, 'client': {'challenge': 'AAAA'}}
    yield 'party', {'counter': 6, 'party': 'evil.example'}
    yield 'at last', {'counter': 6}


def main():
    for number, (case, said) in enumerate(registrations()):
        told('registration: ' + case, *sign_up(f'r{number}', Authenticator(), said))
    for algorithm in (-7, -8, -257):
        authenticator = Authenticator(algorithm)
        ours, known = sign_up(f'a{algorithm}', authenticator, {'counter': 1})
        told(f'registration by {algorithm}', ours, known)
        counter = 1
        for case, said in logins():
            ours, theirs = log_in(authenticator, said, known.credential_public_key, counter)
            told(f'login by {algorithm}: {case}', ours, theirs)
            counter = theirs.new_sign_count if theirs else counter


main()

"""PyJWT in its own environment: verifies and creates tokens, with one line of JSON in each
direction.

Must not know the program: it gets keys and tokens, and reports their contents.
"""

import base64
import json
import sys

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

KEYS = {'RS256': rsa.generate_private_key(65537, 2048),
        'PS384': rsa.generate_private_key(65537, 2048),
        'ES256': ec.generate_private_key(ec.SECP256R1()),
        'ES384': ec.generate_private_key(ec.SECP384R1()),
        'ES512': ec.generate_private_key(ec.SECP521R1()),
        'EdDSA': ed25519.Ed25519PrivateKey.generate()}


def check(asked):
    """Returns the claims of a token, verified with a key of a set, or with a secret."""
    if 'secret' in asked:
        key = asked['secret']
    else:
        kid = jwt.get_unverified_header(asked['token'])['kid']
        key = jwt.PyJWKSet.from_dict(asked['jwks'])[kid].key
    return jwt.decode(asked['token'], key, algorithms=[asked['alg']], audience=asked['audience'],
                      issuer=asked['issuer'])


def sign(asked):
    """Returns a token with these claims."""
    if 'secret' in asked:
        return jwt.encode(asked['claims'], asked['secret'], asked['alg'])
    return jwt.encode(asked['claims'], KEYS[asked['alg']], asked['alg'],
                      headers={'kid': f'their-{asked["alg"]}'})


def jwks(_):
    """Returns the public parts of KEYS."""
    keys = []
    for name, key in KEYS.items():
        writer = {'R': jwt.algorithms.RSAAlgorithm, 'P': jwt.algorithms.RSAAlgorithm,
                  'E': jwt.algorithms.ECAlgorithm}[name[0]]
        if name == 'EdDSA':
            writer = jwt.algorithms.OKPAlgorithm
        jwk = json.loads(writer.to_jwk(key.public_key()))
        jwk.pop('key_ops', None)
        keys.append({**jwk, 'kid': f'their-{name}', 'alg': name, 'use': 'sig'})
    # Sets also contain keys that are not for signatures.
    keys.append({'kty': 'oct', 'kid': 'secret', 'alg': 'HS256',
                 'k': base64.urlsafe_b64encode(b'k' * 32).decode().rstrip('=')})
    return {'keys': keys}


for line in sys.stdin:
    wish = json.loads(line)
    print(json.dumps({'check': check, 'sign': sign, 'jwks': jwks}[wish['do']](wish)), flush=True)

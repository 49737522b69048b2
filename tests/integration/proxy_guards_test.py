"""A guard of a group decides about each request that a real upstream would assign to that group.

Must not test unchanged parts: proxy_fields_test.py does.
"""

import unittest

from proxy_support import ask, has_nginx, nginx, proxy

SITE = 'location / { return 200 "public"; } location /admin { return 200 "SECRET"; }'


def get(path, *lines):
    """Returns a request that ends its connection."""
    return b'\r\n'.join([b'GET ' + path + b' HTTP/1.1', b'Host: shop.example', b'Connection: close',
                         *lines, b'', b''])


@unittest.skipUnless(has_nginx(), 'no nginx')
class Guards(unittest.TestCase):
    def test_no_spelling_of_a_guarded_path_reaches_nginx_without_the_key(self):
        paths = (b'/admin', b'/admin/', b'/admin?x', b'/admin/secret', b'/admin%2Fsecret',
                 b'/admin%2fsecret', b'/admin;a=b/secret', b'/admin%3Ba/secret', b'/admin%5Csecret',
                 b'/admin\\secret', b'/admin%252Fsecret', b'/%61dmin/secret', b'/%2561dmin/secret',
                 b'//admin/secret', b'/./admin/secret', b'/x/../admin', b'/x/%2e%2e/admin',
                 b'/x/..%2fadmin', b'/x%2f..%2fadmin', b'/x/..;/admin', b'/%2Fadmin', b'/%2e/admin',
                 b'/admin%00', b'/admin%0a', b'/admin%c0%afsecret', b'/admin#x', b'/x//../admin',
                 b'http://shop.example/admin', b'http://shop.example/admin%2Fsecret')
        with nginx(SITE) as (port, _), \
                proxy(f'http://127.0.0.1:{port}', ADMIN_KEY='a-key-of-the-test') as front:
            self.assertIn(b'public', ask(front, get(b'/x')))
            for path in paths:
                said = ask(front, get(path))
                self.assertNotIn(b'SECRET', said, path)
                self.assertRegex(said, rb'^HTTP/1.1 40[014] ', path)
            for path in (b'/admin', b'/admin/secret'):
                said = ask(front, get(path, b'Authorization: Bearer a-key-of-the-test'))
                self.assertIn(b'SECRET', said, path)


if __name__ == '__main__':
    unittest.main()

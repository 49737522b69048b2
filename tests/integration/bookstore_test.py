#!/usr/bin/env python3
"""The bookstore for visitors, for the staff and for attackers.

Must not use internals of the service: only its responses count.
"""

import concurrent.futures
import html
import json
import re
import unittest
import urllib.parse

from bookstore_shop import PNG, Shop, Visitor
from support import ROOT, run_to_end

SHOP = None
HERE = ROOT / 'examples/bookstore'


class ShopCase(unittest.TestCase):
    """Tests that share a shop."""

    @classmethod
    def setUpClass(cls):
        global SHOP
        SHOP = Shop().__enter__()
        cls.addClassCleanup(SHOP.__exit__)


def visitor(**fields):
    return Visitor(SHOP, **fields)


def customer(name):
    """Returns a signed-up visitor with that name."""
    made = visitor()
    status, _, text = made.sign_up(name.title(), f'{name}@example.org')
    assert status == 303, text
    return made


def at_once(count, call):
    """Returns the results of `call` for 0, 1, …, each on its own thread."""
    with concurrent.futures.ThreadPoolExecutor(count) as threads:
        return list(threads.map(call, range(count)))


def admin():
    made = visitor()
    assert made.be_admin()[0] == 303
    return made


def new_book(isbn, **members):
    return {'title': 'Tides', 'author': 'Mara Quill', 'isbn': isbn, 'genre': 'novel', 'year': 2020,
            'price_cents': 1000, 'stock': 3, 'summary': 'Of the sea.', **members}


def seen_in(visitor_, address):
    """Returns the version of a record in its form."""
    return seen_of(visitor_.get(address)[2])


def seen_of(page):
    """Returns the version that a page was shown with."""
    return html.unescape(re.search(r'name="_seen" value="([^"]*)"', page).group(1))


def delete_book(staff, number):
    """Deletes with the admin pages, which ask for confirmation; returns the status."""
    page = staff.send('/admin/books/delete', {'key': number})[2]
    return staff.send('/admin/books/delete',
                      {'key': number, 'confirm': 'yes', '_seen': seen_of(page)})[0]


class Pages(ShopCase):
    def test_the_shelf_is_searched_filtered_sorted_and_paged(self):
        reader = visitor()
        self.assertIn('14 books', reader.get('/')[2])
        self.assertIn('1 book<', reader.get('/?q=glacier&genre=&sort=title&price_max=')[2])
        cheap = reader.get('/?sort=cheapest')[2]
        self.assertLess(cheap.index('Small Hours'), cheap.index('Rain, Counted'))
        self.assertIn('rel="next"', reader.get('/')[2])
        self.assertIn('rel="prev"', reader.get('/?page=2')[2])
        self.assertEqual(400, reader.get('/?page=0')[0])
        self.assertIn('14 books', reader.get('/?fbclid=x&utm_source=news')[2])

    def test_somebody_buys_without_a_script(self):
        buyer = customer('buyer')
        before = buyer.json('GET', '/api/books/9')[1]['stock']
        self.assertEqual(303, buyer.send('/cart/9/more', {'count': 2}, '/books/9')[0])
        self.assertIn('Plain Functions', buyer.get('/cart')[2])
        status, _, text = buyer.order(name='', street='Side Street')
        self.assertEqual(422, status)
        self.assertIn('value="Side Street"', text)
        status, headers, _ = buyer.order()
        self.assertEqual(303, status)
        self.assertIn('79.80', buyer.get(headers['location'])[2])
        self.assertEqual(before - 2, buyer.json('GET', '/api/books/9')[1]['stock'])
        self.assertIn('is empty', buyer.get('/cart')[2])

    def test_nobody_buys_more_than_there_are(self):
        buyer = customer('greedy')
        buyer.send('/cart/14/more', {'count': 90}, '/books/14')
        self.assertIn('Only 2 copies are available.', buyer.get('/cart')[2])
        page = buyer.get('/books/14')[2]
        self.assertIn('2 in your cart', page)
        self.assertRegex(page, r'data-buys="14"[^>]* disabled')
        other = customer('quicker')
        other.send('/cart/14/more', {'count': 1}, '/books/14')
        self.assertEqual(303, other.order()[0])
        status, _, text = buyer.order()
        self.assertEqual(422, status)
        self.assertIn('There are not enough copies of Otto Counts the Stairs.', text)

    def test_no_number_of_books_changes_no_cart(self):
        buyer = visitor()
        buyer.send('/cart/9/more', {'count': 2}, '/books/9')
        for path, count in (('/cart/9', 'abc'), ('/cart/9/more', '-1'),
                            ('/cart/9/more', '2147483647')):
            buyer.send(path, {'count': count}, '/books/9')
            self.assertIn('not a valid number of books', buyer.get('/cart')[2])
            self.assertIn('79.80', buyer.get('/cart')[2])

    def test_a_cart_of_a_stranger_is_his_behind_the_login(self):
        customer('owner')
        buyer = visitor()
        buyer.send('/cart/9/more', {'count': 2}, '/books/9')
        self.assertEqual(303, buyer.log_in('owner@example.org', 'a long password')[0])
        self.assertIn('79.80', buyer.get('/cart')[2])

    def test_a_login_leads_back_to_all_of_an_address(self):
        page = visitor().get('/?q=a&sort=author&page=1')[2]
        link = html.unescape(re.search(r'href="([^"]*)" id="login-link"', page).group(1))
        self.assertEqual('/login?next=%2F%3Fq%3Da%26sort%3Dauthor%26page%3D1', link)
        page = visitor().get(link)[2]
        self.assertIn('name="next" value="/?q=a&amp;sort=author&amp;page=1"', page)

    def test_a_language_is_chosen_and_kept(self):
        reader = visitor()
        self.assertIn('lang="en"', reader.get('/')[2])
        self.assertEqual(303, reader.send('/language', {'language': 'de', 'next': '/?q=a'})[0])
        self.assertIn('<html lang="de">', reader.get('/')[2])
        self.assertEqual(422, reader.send('/language', {'language': 'tlh', 'next': '/'})[0])

    def test_an_error_is_a_page_of_the_shop_in_the_readers_language(self):
        status, _, text = visitor(**{'Accept-Language': 'de'}).get('/nothing')
        self.assertEqual(404, status)
        self.assertIn('<html lang="de">', text)
        self.assertRegex(text, r'href="/assets/bookstore\.\w+\.css"')
        self.assertIn('Umsehen', text)

    def test_every_text_has_its_german(self):
        known = set(re.findall(r'^msgid "(.+)"$', (HERE / 'languages/de.po').read_text(), re.M))
        said = set()
        for page in HERE.glob('pages/**/*.html'):
            said |= set(re.findall(r'"([^"]+)" \| tr\(', page.read_text()))
        for source in HERE.glob('*/*.cc'):
            said |= set(re.findall(r'(?:\.text|\btr)\(\s*"([^"]+)"\)', source.read_text()))
            said |= set(re.findall(r'\.(?:submit|title) = "([^"]+)"', source.read_text()))
        for header in HERE.glob('*/*.h'):
            said |= set(re.findall(r'\.(?:label|hint) = "([^"]+)"', header.read_text()))
        said -= {'ISBN'}
        self.assertEqual(set(), said - known)


class Orders(ShopCase):
    def test_two_clicks_are_one_order(self):
        buyer = customer('clicker')
        buyer.send('/cart/9/more', {'count': 1}, '/books/9')
        token, action = buyer.token('/checkout'), buyer.action('/checkout', '/checkout')
        form = urllib.parse.urlencode({'csrf_token': token, 'name': 'B', 'street': 'S',
                                       'city': 'T'}).encode()
        kind = {'Content-Type': 'application/x-www-form-urlencoded'}
        told = at_once(4, lambda _: buyer.ask('POST', action, form, **kind))
        told.append(buyer.ask('POST', action, form, **kind))
        self.assertEqual({303}, {status for status, _, _ in told})
        self.assertEqual(1, len({headers['location'] for _, headers, _ in told}))
        self.assertEqual(1, len(buyer.json('GET', '/api/orders')[1]))

    def test_nobody_pays_what_he_has_not_seen(self):
        boss, buyer = admin(), customer('careful')
        book = boss.json('POST', '/api/books', new_book('9780306406164'))[1]
        buyer.send(f'/cart/{book["id"]}/more', {'count': 2})
        action = buyer.action('/checkout', '/checkout')
        tag = boss.get(f'/api/books/{book["id"]}')[1]['etag']
        self.assertEqual(200, boss.json('PUT', f'/api/books/{book["id"]}', new_book(
            '9780306406164', price_cents=1500), **{'If-Match': tag})[0])
        address = {'name': 'B', 'street': 'S', 'city': 'T'}
        status, _, text = buyer.send(action, address)
        self.assertEqual(422, status)
        self.assertIn('The total has changed.', text)
        self.assertIn('30.00', text)
        again = html.unescape(re.search(r'action="(/checkout[^"]*)"', text).group(1))
        self.assertEqual(303, buyer.send(again, address)[0])

    def test_what_is_not_sold_is_in_no_cart(self):
        boss, buyer = admin(), customer('late')
        self.assertEqual(404, buyer.send('/cart/4711/more', {'count': 1})[0])
        self.assertEqual(404, buyer.send('/cart/4711', {'count': 1})[0])
        self.assertIn('is empty', buyer.get('/cart')[2])
        book = boss.json('POST', '/api/books', new_book('9780306406171'))[1]['id']
        for number in (book, 9):
            buyer.send(f'/cart/{number}/more', {'count': 1})
        action = buyer.action('/checkout', '/checkout')
        self.assertEqual(303, delete_book(boss, book))
        status, _, text = buyer.send(action, {'name': 'B', 'street': 'S', 'city': 'T'})
        self.assertEqual(422, status)
        self.assertIn('A book is no longer sold.', text)
        self.assertRegex(text, r'id="cart-count">1<')
        self.assertEqual(303, buyer.order()[0])


class Roles(ShopCase):
    def test_each_role_may_what_it_may(self):
        pages = ('/account', '/orders', '/admin/books', '/admin/users')
        self.assertEqual([303] * 4, [visitor().get(page)[0] for page in pages])
        reader = customer('reader')
        self.assertEqual([200, 200, 403, 403], [reader.get(page)[0] for page in pages])
        self.assertEqual([200] * 4, [admin().get(page)[0] for page in pages])

    def test_an_administrator_makes_staff_who_keep_books_and_nothing_else(self):
        clerk, boss = customer('clerk'), admin()
        page = boss.get('/admin/users?q=clerk%40example.org')[2]
        number = re.search(r'/admin/users/record/(\d+)', page).group(1)
        self.assertEqual(303, boss.send('/admin/users/action/staff', {'key': number})[0])
        self.assertEqual(200, clerk.get('/admin/books')[0])
        self.assertEqual(403, clerk.get('/admin/users')[0])
        self.assertEqual(403, clerk.get('/admin/log')[0])
        self.assertEqual(403, clerk.send('/admin/users/action/admin', {'key': number})[0])
        self.assertEqual(404, boss.send('/admin/users/action/bogus', {'key': number})[0])
        page = boss.get('/admin/users?f.role=admin')[2]
        own = re.search(r'/admin/users/record/(\d+)', page).group(1)
        status, _, text = boss.send('/admin/users/action/customer', {'key': own})
        self.assertEqual(409, status)
        self.assertIn('At least one user must be', text)
        self.assertIn('The role was changed.', boss.get('/admin/log')[2])

    def test_staff_edit_books_by_forms(self):
        boss = admin()
        self.assertIn('Death of a Proofreader', boss.get('/admin/books')[2])
        form = new_book('9783161484100', title='A <b>bold</b> book')
        status, headers, text = boss.send('/admin/books/new', form, '/admin/books/new')
        self.assertEqual(303, status, text)
        page = boss.get(headers['location'])[2]
        self.assertIn('“A &lt;b&gt;bold&lt;/b&gt; book” was created.', page)
        self.assertIn('already taken', boss.send('/admin/books/new', form)[2])
        address = re.search(r'href="(/admin/books/record/\d+)">\d+</a></th><td>A &lt;b',
                            page).group(1)
        wrong = {**form, '_seen': seen_in(boss, address), 'isbn': '9783161484101', 'year': 'soon'}
        status, _, text = boss.send(address, wrong)
        self.assertEqual(422, status)
        self.assertEqual(2, text.count('aria-invalid="true"'))
        self.assertIn('value="soon"', text)
        self.assertEqual(303, delete_book(boss, address.rsplit('/', 1)[1]))
        self.assertEqual(404, boss.get(address)[0])

    def test_an_edit_does_not_overwrite_a_sale(self):
        boss, buyer = admin(), customer('meanwhile')
        book = boss.json('POST', '/api/books', new_book('9780306406188', stock=5))[1]
        address = f'/admin/books/record/{book["id"]}'
        seen = seen_in(boss, address)
        buyer.send(f'/cart/{book["id"]}/more', {'count': 2})
        self.assertEqual(303, buyer.order()[0])
        form = new_book('9780306406188', stock=5, summary='Of the land.')
        status, _, text = boss.send(address, {**form, '_seen': seen})
        self.assertEqual(409, status)
        self.assertIn('The database now contains: 3', text)
        self.assertIn('Of the land.', text)
        self.assertEqual(3, boss.json('GET', f'/api/books/{book["id"]}')[1]['stock'])
        seen = html.unescape(re.search(r'name="_seen" value="([^"]*)"', text).group(1))
        self.assertEqual(303, boss.send(address, {**form, 'stock': 3, '_seen': seen})[0])
        changed = boss.json('GET', f'/api/books/{book["id"]}')[1]
        self.assertEqual((3, 'Of the land.'), (changed['stock'], changed['summary']))


class Api(ShopCase):
    def test_the_document_and_its_pages_are_served(self):
        status, document = visitor().json('GET', '/openapi.json')
        self.assertEqual(200, status)
        self.assertIn('/api/books/{id}/reviews', document['paths'])
        code, printed = run_to_end('bookstore', '--openapi')
        self.assertEqual(0, code)
        self.assertEqual(document, json.loads(printed))
        self.assertEqual(200, visitor().get('/docs')[0])

    def test_faults_are_told_in_german(self):
        status, problem = visitor(**{'Accept-Language': 'de'}).json(
            'POST', '/api/users/confirmed', {'name': '', 'token': '', 'password': 'a long one'})
        self.assertEqual(422, status)
        self.assertEqual({'/name', '/token'}, {fault['pointer'] for fault in problem['errors']})
        self.assertEqual('Die Eingabe ist nicht gültig.', problem['detail'])

    def test_the_last_copy_is_sold_once(self):
        status, book = admin().json('POST', '/api/books', new_book('9780306406157', stock=1))
        self.assertEqual(201, status, book)
        buyers = [customer(f'racer{number}') for number in range(4)]
        order = {'address': {'name': 'R', 'street': 'S', 'city': 'T'},
                 'lines': [{'book_id': book['id'], 'count': 1}]}
        told = at_once(4, lambda number: buyers[number].json('POST', '/api/orders', order)[0])
        self.assertEqual([201, 409, 409, 409], sorted(told))

    def test_health_and_metrics_are_told(self):
        self.assertEqual('ok\n', visitor().get('/health')[2])
        visitor().get('/books/1')
        self.assertIn('route="/books/{id}",status="200"', admin().get('/admin/metrics')[2])
        self.assertEqual(303, visitor().get('/admin/metrics')[0])
        self.assertEqual(403, customer('curious').get('/admin/metrics')[0])


class People(ShopCase):
    def test_an_address_is_confirmed_ahead_of_an_account(self):
        stranger = visitor()
        self.assertEqual(303, stranger.send('/signup', {'email': 'new@example.org'})[0])
        self.assertIn('we have sent you a link', stranger.get('/')[2])
        form = {'name': 'New', 'password': 'a long password', 'token': 'made-up'}
        status, _, text = stranger.send('/confirm', form)
        self.assertEqual(410, status)
        self.assertIn('This link was already used or has expired', text)
        token = SHOP.token('new@example.org')
        self.assertEqual(422, stranger.send('/confirm', {**form, 'token': token,
                                                         'password': 'short'})[0])
        self.assertEqual(303, stranger.send('/confirm', {**form, 'token': token})[0])
        self.assertIn('new@example.org', stranger.get('/account')[2])
        self.assertEqual(410, visitor().send('/confirm', {**form, 'token': token})[0])

    def test_a_forgotten_password_is_chosen_anew_and_ends_all_logins(self):
        owner = customer('forgetful')
        self.assertEqual(303, visitor().send('/forgotten', {'email': 'forgetful@example.org'})[0])
        other = visitor()
        form = {'password': 'another password', 'token': SHOP.token('forgetful@example.org')}
        self.assertEqual(303, other.send('/reset', form)[0])
        self.assertEqual(200, other.get('/account')[0])
        self.assertEqual(303, owner.get('/account')[0])
        self.assertEqual(401, visitor().log_in('forgetful@example.org', 'a long password')[0])

    def test_password_and_address_are_changed_by_their_owner(self):
        owner, thief = customer('mover'), visitor()
        thief.cookies = dict(owner.cookies)
        form = {'old_password': 'wrong', 'password': 'another password'}
        self.assertEqual(401, owner.send('/password', form)[0])
        form['old_password'] = 'a long password'
        self.assertEqual(303, owner.send('/password', form)[0])
        self.assertEqual(303, thief.get('/account')[0])
        form = {'email': 'moved@example.org', 'password': 'another password'}
        self.assertEqual(303, owner.send('/new-address', form)[0])
        token = SHOP.token('moved@example.org')
        self.assertEqual(303, owner.send('/address', {'token': token})[0])
        self.assertIn('moved@example.org', owner.get('/account')[2])
        self.assertEqual(303, owner.send('/logout/everywhere', {})[0])
        self.assertEqual(303, owner.get('/account')[0])

    def test_pages_of_an_account_are_its_owners(self):
        for page in ('/password', '/new-address', '/address'):
            self.assertEqual(303, visitor().get(page)[0])


class Uploads(ShopCase):
    def test_a_cover_is_served_as_the_picture_that_it_is(self):
        boss = admin()
        self.assertEqual(303, boss.upload('/covers/2', 'cover.html', PNG, 'text/html')[0])
        status, headers, _ = visitor().get('/covers/2')
        self.assertEqual((200, 'image/png', 'nosniff'),
                         (status, headers['content-type'], headers['x-content-type-options']))
        self.assertIn('sandbox', headers['content-security-policy'])
        self.assertIn('src="/covers/2"', visitor().get('/books/2')[2])

    def test_a_page_that_is_called_a_picture_is_refused(self):
        boss = admin()
        for content in (b'<script>alert(1)</script>', b'<svg xmlns="http://www.w3.org/2000/svg"/>',
                        b'GIF89a<script>', b''):
            boss.upload('/covers/3', 'cover.png', content)
        self.assertEqual(404, visitor().get('/covers/3')[0])

    def test_what_is_too_large_is_refused(self):
        self.assertEqual(413, admin().upload('/covers/3', 'a.png', PNG + bytes(2_000_000))[0])
        self.assertEqual(404, visitor().get('/covers/3')[0])

    def test_a_cover_is_a_books(self):
        self.assertEqual(404, admin().upload('/covers/4711', 'a.png', PNG)[0])
        self.assertEqual(404, visitor().get('/covers/4711')[0])

    def test_a_cover_is_for_staff_to_change(self):
        self.assertEqual(403, customer('painter').upload('/covers/3', 'a.png', PNG)[0])


class Attacks(ShopCase):
    def test_a_form_of_another_site_changes_nothing(self):
        victim = customer('victim')
        form = urllib.parse.urlencode({'count': 5}).encode()
        kind = {'Content-Type': 'application/x-www-form-urlencoded'}
        for fields in ({'Sec-Fetch-Site': 'cross-site'}, {'Sec-Fetch-Site': 'same-site'},
                       {'Sec-Fetch-Site': '', 'Origin': 'https://evil.example'},
                       {'Sec-Fetch-Site': 'same-origin'}):  # the last one: without a token
            self.assertEqual(403, victim.ask('POST', '/cart/1/more', form, **kind, **fields)[0])
        self.assertIn('is empty', victim.get('/cart')[2])

    def test_a_script_of_another_site_changes_nothing(self):
        victim = customer('victim2')
        order = json.dumps({'address': {'name': 'V', 'street': 'S', 'city': 'T'},
                            'lines': [{'book_id': 1, 'count': 1}]}).encode()
        for kind in ('text/plain', 'application/json'):
            fields = {'Content-Type': kind, 'Sec-Fetch-Site': 'cross-site'}
            self.assertEqual(403, victim.ask('POST', '/api/orders', order, **fields)[0])
        self.assertNotIn('access-control-allow-origin', victim.get('/api/me')[1])

    def test_the_token_of_another_session_is_none(self):
        victim, thief = customer('victim3'), customer('thief')
        form = urllib.parse.urlencode({'count': 5, 'csrf_token': thief.token()}).encode()
        self.assertEqual(403, victim.ask('POST', '/cart/1/more', form, **{
            'Content-Type': 'application/x-www-form-urlencoded'})[0])

    def test_a_planted_session_is_not_logged_in(self):
        thief = visitor()
        thief.send('/cart/1/more', {'count': 1}, '/books/1')
        victim = visitor()
        victim.cookies = dict(thief.cookies)
        self.assertEqual(303, victim.sign_up('Fixed', 'fixed@example.org')[0])
        self.assertNotEqual(thief.cookies['session'], victim.cookies['session'])
        self.assertEqual(303, thief.get('/account')[0])
        self.assertEqual(200, victim.get('/account')[0])

    def test_a_stolen_cookie_ends_with_the_logout(self):
        victim, thief = customer('victim4'), visitor()
        thief.cookies = dict(victim.cookies)
        self.assertEqual(200, thief.get('/account')[0])
        self.assertEqual(303, victim.send('/logout', {})[0])
        self.assertEqual(303, thief.get('/account')[0])

    def test_a_login_leads_to_pages_of_the_shop_alone(self):
        targets = ('//evil.example', 'https://evil.example', '/\\evil.example',
                   '/\t/evil.example', 'javascript:alert(1)')
        customer('opened')
        for target in targets:
            status, headers, _ = visitor().log_in('opened@example.org', 'a long password',
                                                  next=target)
            self.assertEqual((303, '/'), (status, headers['location']), target)
            page = visitor().get('/login?next=' + urllib.parse.quote(target))[2]
            self.assertNotIn('evil.example', re.search('<main.*</main', page, re.S).group(), target)

    def test_what_people_write_is_no_template_and_no_markup(self):
        writer = customer('writer')
        text = '{{ frame.csrf_token }}{% raw %}</textarea><script>alert(1)</script>'
        form = {'stars': 1, 'text': text}
        self.assertEqual(303, writer.send('/books/4/reviews', form, '/books/4')[0])
        page = visitor().get('/books/4')[2]
        self.assertIn('{{ frame.csrf_token }}{% raw %}&lt;/textarea&gt;&lt;script&gt;', page)
        self.assertNotIn('<script>alert', page)
        self.assertNotIn('<script>alert', visitor().get(
            '/?q=' + urllib.parse.quote('"><script>alert(1)</script>'))[2])

    def test_every_answer_says_what_pages_may_do(self):
        for path in ('/', '/nothing', '/login', '/docs', '/api/books', '/assets/nothing.css'):
            headers = visitor().get(path)[1]
            self.assertEqual('nosniff', headers['x-content-type-options'], path)
            self.assertIn("'self'", headers['content-security-policy'], path)
            self.assertNotIn("'unsafe-eval'", headers['content-security-policy'], path)

    def test_passwords_are_not_tried_for_long(self):
        customer('guessed')
        told = [visitor().log_in('guessed@example.org', f'wrong {number}')[0]
                for number in range(8)]
        self.assertEqual([401] * 5, told[:5])
        self.assertIn(429, told)

    def test_it_tells_nobody_which_addresses_have_accounts(self):
        customer('hidden')
        known = visitor().log_in('hidden@example.org', 'wrong')
        unknown = visitor().log_in('nobody@example.org', 'wrong')
        self.assertEqual(known[0], unknown[0])
        self.assertEqual(re.sub('hidden|nobody|value="[^"]*"', '', known[2]),
                         re.sub('hidden|nobody|value="[^"]*"', '', unknown[2]))


class Life(unittest.TestCase):
    def test_it_stops_cleanly_and_keeps_what_it_was_told(self):
        with Shop() as shop:
            self.assertEqual(303, Visitor(shop).sign_up('Keeper', 'keeper@example.org')[0])
            self.assertEqual(0, shop.stop())
            shop.start()
            self.assertEqual(303, Visitor(shop).log_in('keeper@example.org', 'a long password')[0])

    def test_it_does_not_begin_with_what_cannot_be(self):
        for option, wrong in (('--mail-from', 'nobody'), ('--trusted-proxies', '10.0.0.0/33')):
            code, told = run_to_end('bookstore', option, wrong, '--database-file', ':memory:')
            self.assertNotEqual(0, code)
            self.assertIn(wrong, told)

    def test_a_trusted_proxy_says_whose_requests_are_counted(self):
        with Shop('--trusted-proxies', '127.0.0.1', logins=2) as shop:
            def told(address):
                return Visitor(shop, **{'X-Forwarded-For': address}).log_in('a@b.example', 'no')[0]
            self.assertEqual([401, 401, 429], [told('192.0.2.1') for _ in range(3)])
            self.assertEqual(401, told('192.0.2.2'))


if __name__ == '__main__':
    unittest.main()

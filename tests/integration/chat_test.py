"""The chat as a process: messages over its sockets, presence, history and rejections.

Must not test pages in a browser: chat_browser_test.py does.
"""

import asyncio
import json
import os
import re
import sys
import unittest
import urllib.parse

from support import Program

try:
    import websockets
except ImportError:  # only Debian's own Python has it
    if not os.path.exists('/usr/bin/python3') or 'CHAT_TEST_AGAIN' in os.environ:
        raise
    os.environ['CHAT_TEST_AGAIN'] = '1'
    os.execv('/usr/bin/python3', ['/usr/bin/python3', *sys.argv])

KEPT = 100
SECONDS_MAX = 20
AT_ONCE = 10


class Page:
    """A WebSocket client that behaves like a page."""

    def __init__(self, socket):
        self.socket = socket

    async def hear(self, *kinds):
        """Returns the next message of these types; others are skipped."""
        while True:
            heard = json.loads(await asyncio.wait_for(self.socket.recv(), SECONDS_MAX))
            if not kinds or heard['type'] in kinds:
                return heard

    async def send(self, kind, **members):
        await self.socket.send(json.dumps({'type': kind, **members}))

    async def join(self, name, **more):
        """Returns the response: Welcome or Refused."""
        key = more.pop('key', f'the key of {name:>16}')
        await self.send('Join', name=name, key=key, **more)
        return await self.hear('Welcome', 'Refused')

    async def say(self, text, ref='a'):
        """Returns the response: the own message, or Refused."""
        await self.send('Say', text=text, ref=ref)
        while True:
            heard = await self.hear('Message', 'Refused')
            if heard['ref'] == ref:
                return heard

    async def close_code(self):
        """Waits for the end."""
        await asyncio.wait_for(self.socket.wait_closed(), SECONDS_MAX)
        return self.socket.close_code


class ChatCase(unittest.IsolatedAsyncioTestCase):
    """Each test has its own service with several threads."""

    def setUp(self):
        self.service = Program('chat', '--port', '{port}', '--threads', '3')
        self.service.__enter__()
        self.addCleanup(self.service.__exit__)

    async def asyncSetUp(self):
        asyncio.get_running_loop().set_debug(False)  # otherwise it logs each slow iteration

    async def connect(self, room='tea', **options):
        """Returns a connection that has not joined."""
        address = f'ws://127.0.0.1:{self.service.port}/ws/{room}'
        socket = await asyncio.wait_for(websockets.connect(address, max_queue=None, **options),
                                        SECONDS_MAX)
        self.addAsyncCleanup(socket.close)
        return Page(socket)

    async def enter(self, name, room='tea', **more):
        """Returns a page of that user, and its Welcome."""
        page = await self.connect(room)
        welcome = await page.join(name, **more)
        self.assertEqual(welcome['type'], 'Welcome', welcome)
        return page, welcome

    async def fill(self, count, room='tea'):
        """Posts that number of messages, with as many users as the rate limit requires; returns the
        ids."""
        ids = []
        for first in range(0, count, AT_ONCE):
            page, _ = await self.enter(f'author {first}', room)
            for number in range(first, min(first + AT_ONCE, count)):
                said = await page.say(f'text {number}', f'ref {number}')
                ids.append(said['id'])
            await page.socket.close()
        return ids


class Talk(ChatCase):
    async def test_all_hear_what_one_says_exactly_as_it_was(self):
        text = '<b>"bold"</b> & \'größer\' 🎉\n\tsecond line \u202e'
        pages = [(await self.enter(f'person {number}'))[0] for number in range(6)]
        said = await pages[2].say('  ' + text + ' x \n', 'mark')
        self.assertEqual((said['text'], said['name']), (text + ' x', 'person 2'))
        for page in pages[:2] + pages[3:]:
            self.assertEqual(await page.hear('Message'), said)

    async def test_rooms_do_not_hear_each_other(self):
        tea, _ = await self.enter('Ada', 'tea')
        coffee, welcome = await self.enter('Ada', 'coffee', key='another key of Ada')
        self.assertEqual(welcome['messages'], [])
        await tea.say('in the tea room')
        said = await coffee.say('in the coffee room')
        self.assertEqual(said['text'], 'in the coffee room')
        self.assertEqual((await tea.say('again', 'b'))['text'], 'again')

    async def test_who_speaks_in_one_go_is_heard_in_order(self):
        speaker, _ = await self.enter('Ada')
        listener, _ = await self.enter('Bob')
        for number in range(AT_ONCE):
            await speaker.send('Say', text=str(number), ref='r')
        heard = [await listener.hear('Message') for _ in range(AT_ONCE)]
        self.assertEqual([each['text'] for each in heard], [str(n) for n in range(AT_ONCE)])
        ids = [each['id'] for each in heard]
        self.assertEqual(ids, list(range(ids[0], ids[0] + AT_ONCE)))

    async def test_many_who_speak_at_once_lose_nothing(self):
        pages = [(await self.enter(f'person {number}'))[0] for number in range(12)]
        await asyncio.gather(*(page.send('Say', text='x', ref=f'{number}-{index}')
                               for number, page in enumerate(pages) for index in range(8)))
        for page in pages:
            heard = [await page.hear('Message') for _ in range(96)]
            self.assertEqual(len({each['ref'] for each in heard}), 96)
            ids = sorted(each['id'] for each in heard)
            self.assertEqual(ids, list(range(ids[0], ids[0] + 96)))

    async def test_others_see_who_is_writing(self):
        writer, _ = await self.enter('Ada')
        reader, _ = await self.enter('Bob')
        await writer.send('Write')
        self.assertEqual((await reader.hear('Writes'))['name'], 'Ada')
        await writer.send('Say', text='done', ref='r')
        heard = await writer.hear('Message', 'Writes')
        self.assertEqual(heard['type'], 'Message')


class Presence(ChatCase):
    async def test_coming_and_leaving_is_told(self):
        ada, welcome = await self.enter('Ada')
        self.assertEqual(welcome['presence']['members'], ['Ada'])
        bob, welcome = await self.enter('Bob')
        self.assertEqual(welcome['presence']['members'], ['Ada', 'Bob'])
        news = await ada.hear('Presence')
        self.assertEqual((news['members'], news['joined']), (['Ada', 'Bob'], 'Bob'))
        await bob.socket.close()
        gone = await ada.hear('Presence')
        self.assertEqual((gone['members'], gone['left']), (['Ada'], 'Bob'))
        self.assertGreater(gone['version'], news['version'])

    async def test_a_connection_that_breaks_is_a_leaving_too(self):
        ada, _ = await self.enter('Ada')
        bob, _ = await self.enter('Bob')
        bob.socket.transport.abort()
        while (await ada.hear('Presence')).get('left') != 'Bob':
            pass

    async def test_a_second_page_of_a_person_is_no_news(self):
        watcher, _ = await self.enter('Bob')
        first, _ = await self.enter('Ada')
        self.assertEqual((await watcher.hear('Presence'))['joined'], 'Ada')
        second, welcome = await self.enter('Ada')
        self.assertEqual(welcome['presence']['members'], ['Bob', 'Ada'])
        await first.socket.close()
        said = await second.say('still here')
        self.assertEqual(await watcher.hear(), said)

    async def test_a_name_is_taken_as_long_as_somebody_has_it(self):
        first, _ = await self.enter('Ada')
        page = await self.connect()
        for name in ('Ada', 'ada', ' ADA '):
            refused = await page.join(name, key='not the key of her')
            self.assertEqual(refused['type'], 'Refused', name)
            self.assertIn('name', refused['text'])
        await page.send('Say', text='let me', ref='x')
        self.assertEqual((await page.hear())['text'], 'Join first.')
        await first.socket.close()
        await first.close_code()
        for _ in range(100):  # until the service has noticed
            answer = await page.join('Ada', key='not the key of her')
            if answer['type'] == 'Welcome':
                return
            page = await self.connect()
        self.fail('the name stays taken')

    async def test_the_lobby_lists_rooms_with_people(self):
        self.assertEqual(json.loads(self.service.ask('GET', '/rooms')[2]), [])
        await self.enter('Ada', 'tea')
        await self.enter('Bob', 'tea')
        await self.enter('Ada', 'coffee')
        self.assertEqual(json.loads(self.service.ask('GET', '/rooms')[2]),
                         [{'name': 'coffee', 'people': 1}, {'name': 'tea', 'people': 2}])


class History(ChatCase):
    async def test_who_comes_later_gets_what_was_said(self):
        ids = await self.fill(3)
        _, welcome = await self.enter('late')
        self.assertEqual([each['id'] for each in welcome['messages']], ids)
        self.assertEqual([each['text'] for each in welcome['messages']],
                         ['text 0', 'text 1', 'text 2'])
        self.assertEqual((welcome['next_id'], welcome['has_gap']), (ids[-1] + 1, False))

    async def test_only_the_last_are_kept(self):
        ids = await self.fill(KEPT + 7)
        _, welcome = await self.enter('late')
        self.assertEqual([each['id'] for each in welcome['messages']], ids[7:])

    async def test_a_welcome_is_bounded_and_holds_the_newest(self):
        page, _ = await self.enter('Ada')
        ids = [(await page.say('\u20ac' * 1000, f'ref {number}'))['id'] for number in range(8)]
        _, welcome = await self.enter('late')
        self.assertEqual([each['id'] for each in welcome['messages']], ids[3:])
        self.assertFalse(welcome['has_gap'])
        for asked, missed, has_gap in ((ids[3], ids[3:], False), (ids[2], ids[3:], True)):
            back, welcome = await self.enter('back', next_id=asked)
            self.assertEqual([each['id'] for each in welcome['messages']], missed)
            self.assertEqual(welcome['has_gap'], has_gap)
            await back.socket.close()

    async def test_who_comes_back_gets_what_it_missed(self):
        ids = await self.fill(6)
        for asked, missed, has_gap in ((ids[3], ids[3:], False), (ids[5] + 1, [], False),
                                       (ids[0], ids, False), (ids[0] - 1, ids, True),
                                       (ids[5] + 2, ids, True), (0, ids, True), (-5, ids, True)):
            with self.subTest(asked=asked - ids[0]):
                page, welcome = await self.enter('Ada', next_id=asked)
                self.assertEqual([each['id'] for each in welcome['messages']], missed)
                self.assertEqual(welcome['has_gap'], has_gap)
                await page.socket.close()

    async def test_ids_go_on_when_the_service_starts_again(self):
        ids = await self.fill(2)
        self.assertEqual(self.service.stop(), 0)
        with Program('chat', '--port', '{port}') as again:
            self.service = again
            page, welcome = await self.enter('Ada', next_id=ids[-1] + 1)
            self.assertEqual((welcome['messages'], welcome['has_gap']), ([], True))
            self.assertGreater((await page.say('new'))['id'], ids[-1])


class Limits(ChatCase):
    async def test_what_does_not_fit_is_named(self):
        join = {'type': 'Join', 'name': 'Ada', 'key': 'k' * 16}
        cases = [('{', None), ('[]', None), ('null', None), ('{}', None), ('{"type":"Say"}', None),
                 ('{"type":"Sing"}', None), (json.dumps({**join, 'colour': 'red'}), '/colour'),
                 (json.dumps({**join, 'name': ''}), '/name'),
                 (json.dumps({**join, 'name': 'n' * 25}), '/name'),
                 (json.dumps({**join, 'name': '  \t '}), 'visible'),
                 (json.dumps({**join, 'name': 'a\nb'}), 'visible'),
                 *((json.dumps({**join, 'name': name}), 'visible')
                   for name in ('A\u200bda', '\u202eadA', 'Ada\ufe0f', 'Ada\u00a0B', 'A  B',
                                'A\u00adda', 'A\u2066da', 'Ada\U000e0041', '\u3164')),
                 (json.dumps({**join, 'key': 'short'}), '/key'),
                 (json.dumps({**join, 'next_id': 'x'}), '/next_id')]
        for index, (sent, named) in enumerate(cases):
            if index % 10 == 0:  # a client with too many rejections is disconnected
                page = await self.connect()
            with self.subTest(sent=sent):
                await page.socket.send(sent)
                refused = await page.hear()
                self.assertEqual(refused['type'], 'Refused')
                self.assertIn(named or '', refused['text'])
        self.assertEqual((await page.join('\u00c5da Z\u00fc\u4e2d \U0001f600'))['type'], 'Welcome')

    async def test_texts_have_a_length(self):
        page, _ = await self.enter('Ada')
        for text in ('', '   \n', 'x' * 1001):
            await page.send('Say', text=text, ref='r')
            self.assertEqual((await page.hear('Refused', 'Message'))['type'], 'Refused', text)
        self.assertEqual((await page.say('🎉' * 1000, 's'))['text'], '🎉' * 1000)

    async def test_the_largest_text_can_be_escaped_as_one_likes(self):
        page, _ = await self.enter('Ada')
        escaped = '\\ud83c\\udf89' * 1000
        await page.socket.send('{"type":"Say","ref":"r","text":"' + escaped + '"}')
        self.assertEqual((await page.hear('Message'))['text'], '🎉' * 1000)

    async def test_a_message_beyond_all_texts_ends_the_connection(self):
        page, _ = await self.enter('Ada')
        await page.send('Say', text='x' * 20000, ref='r')
        self.assertEqual(await page.close_code(), 1009)

    async def test_who_is_too_fast_is_told_and_heard_again_later(self):
        page, _ = await self.enter('Ada')
        answers = [await page.say(str(number), str(number)) for number in range(AT_ONCE + 5)]
        kinds = [each['type'] for each in answers]
        self.assertEqual(kinds[:AT_ONCE], ['Message'] * AT_ONCE)
        self.assertIn('Refused', kinds)
        refused = answers[kinds.index('Refused')]
        self.assertIn('fast', refused['text'])
        for number in range(100):
            answer = await page.say('later', f'again {number}')
            if answer['type'] == 'Message':
                return
            await asyncio.sleep(0.2)
        self.fail('never heard again')

    async def test_who_does_not_stop_is_cut_off(self):
        for sent in ('{', json.dumps({'type': 'Write'}), b'\0\1'):
            page = await self.connect()
            for _ in range(40):
                try:
                    await page.socket.send(sent)
                except websockets.ConnectionClosed:
                    break
            self.assertEqual(await page.close_code(), 1008, sent)

    async def test_who_connects_has_to_join(self):
        silent = await self.connect()
        joined, _ = await self.enter('Ada')
        self.assertEqual(await silent.close_code(), 1008)
        self.assertEqual((await joined.say('still here'))['text'], 'still here')

    async def test_rooms_are_as_many_as_they_may_be(self):
        pages = [(await self.enter('Ada', f'room-{number}'))[0] for number in range(100)]
        page = await self.connect('one-more')
        refused = await page.join('Ada')
        self.assertEqual(refused['type'], 'Refused')
        self.assertIn('rooms', refused['text'])
        await pages[7].socket.close()
        for _ in range(100):  # until the service has noticed
            if (await page.join('Ada'))['type'] == 'Welcome':
                return
            page = await self.connect('one-more')
        self.fail('no room became free')

    async def test_a_room_has_so_many_people(self):
        for number in range(100):
            await self.enter(f'person {number}')
        page = await self.connect()
        self.assertIn('The room is full', (await page.join('one more'))['text'])


class WithoutScript(ChatCase):
    """A browser without scripts: pages, forms, and a cookie."""

    def visit(self, cookies, room='tea'):
        """Returns the page, and the token of its form."""
        status, headers, page = self.service.ask('GET', f'/r/{room}',
                                                 headers={'Cookie': cookies} if cookies else None)
        self.assertEqual(status, 200)
        given = [value.split(';')[0] for name, value in headers.items() if name == 'Set-Cookie']
        return page.decode(), '; '.join(filter(None, [cookies, *given]))

    def post(self, cookies, page, room='tea', **fields):
        token = re.search(r'name="csrf_token" value="([^"]+)"', page).group(1)
        content = urllib.parse.urlencode({'csrf_token': token, **fields})
        status, headers, _ = self.service.ask(
            'POST', f'/r/{room}', content.encode(),
            headers={'Cookie': cookies, 'Content-Type': 'application/x-www-form-urlencoded'})
        given = [value.split(';')[0] for name, value in headers.items() if name == 'Set-Cookie']
        return status, '; '.join([cookies, *given])

    async def test_what_a_form_says_is_heard_and_shown_as_text(self):
        listener, _ = await self.enter('Bob')
        page, cookies = self.visit('')
        self.assertIn('Bob', page)
        status, cookies = self.post(cookies, page, name=' Ada ', text='<b>hello</b>\n')
        self.assertEqual(status, 303)
        heard = await listener.hear('Message')
        self.assertEqual((heard['name'], heard['text']), ('Ada', '<b>hello</b>'))
        page, cookies = self.visit(cookies)
        self.assertIn('&lt;b&gt;hello&lt;/b&gt;', page)
        self.assertIn('value="Ada"', page)
        self.assertNotIn('role="alert">Some', page)

    async def test_a_form_says_something_without_coming_or_leaving(self):
        _, before = await self.enter('Bob')
        page, cookies = self.visit('')
        self.assertEqual(self.post(cookies, page, name='Ada', text='hello')[0], 303)
        _, after = await self.enter('Cay')
        self.assertEqual([said['name'] for said in after['messages']], ['Ada'])
        self.assertEqual(after['presence']['version'], before['presence']['version'] + 1)

    async def test_the_name_of_somebody_who_is_here_is_theirs(self):
        bob, _ = await self.enter('Bob')
        page, cookies = self.visit('')
        status, cookies = self.post(cookies, page, name='bob', text='I am not Bob')
        self.assertEqual(status, 303)
        page, _ = self.visit(cookies)
        self.assertIn('This name is already in use.', page)
        self.assertNotIn('I am not Bob', page)
        self.assertEqual((await bob.say('I am'))['text'], 'I am')

    async def test_a_form_of_another_site_is_refused(self):
        page, cookies = self.visit('')
        _, other = self.visit('')
        for given in ('', other):
            self.assertEqual(self.post(given, page, name='Ada', text='x')[0], 403)
        status, _ = self.post(cookies, page, name='A\u200bda', text='x')
        self.assertEqual(status, 422)


class Doors(ChatCase):
    async def test_only_rooms_can_be_connected_to(self):
        for room in ('Tea', 'tea%20room', '-tea', 'a--b', 'x' * 33, 'gr%C3%B6n', '%21'):
            with self.subTest(room=room):
                with self.assertRaises(websockets.InvalidStatusCode) as caught:
                    await self.connect(room)
                self.assertEqual(caught.exception.status_code, 404)

    async def test_pages_of_other_sites_cannot_connect(self):
        with self.assertRaises(websockets.InvalidStatusCode) as caught:
            await self.connect(origin='https://elsewhere.example')
        self.assertEqual(caught.exception.status_code, 403)
        own = await self.connect(origin=f'http://127.0.0.1:{self.service.port}')
        self.assertEqual((await own.join('Ada'))['type'], 'Welcome')

    async def test_names_lead_to_the_room_that_is_meant(self):
        for path, location in (('/go?room=Tea+%26+Cake%21', '/r/tea-cake'), ('/go?room=+', '/'),
                               ('/r/Tea%20Room', '/r/tea-room'), ('/r/%21', '/'),
                               ('/r/' + 'x' * 40, '/r/' + 'x' * 32)):
            with self.subTest(path=path):
                status, headers, _ = self.service.ask('GET', path)
                self.assertEqual((status, headers.get('Location')), (303, location))

    async def test_pages_may_load_only_what_is_served_here(self):
        _, _, room = self.service.ask('GET', '/r/tea')
        named = re.findall(r'"(/assets/[^"]+)"', room.decode())
        self.assertEqual(len({name.rsplit('.', 1)[1] for name in named}), 3)  # css, svg, js
        loaded = ('/', '/r/tea', *named, '/assets/lobby.js', '/assets/log.js',
                  '/assets/connection.js')
        for path in loaded:
            with self.subTest(path=path):
                status, headers, body = self.service.ask('GET', path)
                self.assertEqual(status, 200)
                self.assertIn("default-src 'none'", headers['Content-Security-Policy'])
                self.assertEqual(headers['X-Content-Type-Options'], 'nosniff')
                self.assertNotIn(b'://', body.replace(b'http://www.w3.org/2000/svg', b''))

    async def test_open_rooms_do_not_hold_up_the_end(self):
        page, _ = await self.enter('Ada')
        self.assertEqual(await asyncio.to_thread(self.service.stop), 0)
        self.assertEqual(await page.close_code(), 1001)


if __name__ == '__main__':
    unittest.main()

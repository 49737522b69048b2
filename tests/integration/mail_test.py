"""Mails of a real process to a real mail server that hangs, disconnects, rejects and restarts.

Must not wait without a limit; the pinned aiosmtpd is in build/mail-venv.
"""

import base64
import collections
import email.utils
import json
import signal
import tempfile
import unittest
from pathlib import Path

from mail_support import MailServer, make_certificate, read, until
from support import Program, free_port

PROGRAM = '25_mail'
QUICK = ('--first-pause-ms', '100')
MAIL = {'to': 'ann@example.org', 'subject': 'Hello', 'text': 'Hello, Ann!\n'}
HOSTILE = ['a\r\nBcc: eve@example.org', 'a\nb', 'a\rb', 'a\0b', '\x7f']


def plain(part):
    """Returns the text of a part, with Python's line ends."""
    return part.get_content().replace('\r\n', '\n')


class Service(Program):
    """The program with its own database."""

    def __init__(self, directory, url, *more, name='mails', seconds=3,
                 reply_seconds=None, password='open sesame'):
        super().__init__(PROGRAM, '--port', '{port}', '--threads', '2', '--database-file',
                         str(directory / f'{name}.db'), '--smtp-url', url, '--smtp-seconds',
                         str(seconds), '--reply-seconds',
                         str(reply_seconds or min(seconds, 60)), *QUICK, *more,
                         environment={'MAIL_SMTP_PASSWORD': password})

    def post(self, **mail):
        """Returns (status, body)."""
        status, _, body = self.ask('POST', '/mails', json.dumps({**MAIL, **mail}),
                                   {'Content-Type': 'application/json'})
        return status, body.decode()

    def counts(self):
        return json.loads(self.ask('GET', '/counts')[2])

    def await_count(self, name, least):
        return until(lambda: self.counts()[name] >= least, f'{least} {name}: {self.said()}')


class MailCase(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def server(self, **wish):
        server = MailServer(**wish)
        self.addCleanup(server.__exit__)
        return server

    def service(self, server, *more, scheme='smtp', **wish):
        service = Service(self.directory, f'{scheme}://127.0.0.1:{server.port}', *more, **wish)
        self.addCleanup(service.__exit__)
        return service.__enter__()


class Messages(MailCase):
    def send(self, **mail):
        server = self.server()
        service = self.service(server)
        status, name = service.post(**mail)
        self.assertEqual(status, 200, name)
        taken = server.await_mails(1)[0]
        return name, taken, read(taken)

    def test_a_plain_one_is_what_pythons_email_reads(self):
        name, taken, message = self.send(from_name='Shop, Ltd.')
        self.assertEqual(taken['sender'], 'no-reply@shop.example')
        self.assertEqual(taken['recipients'], ['ann@example.org'])
        self.assertEqual(message['Subject'], 'Hello')
        self.assertEqual(message['Message-ID'], f'<{name}>')
        self.assertEqual(message['Auto-Submitted'], 'auto-generated')
        self.assertEqual(message['From'].addresses[0].display_name, 'Shop, Ltd.')
        self.assertLess(abs(message['Date'].datetime.timestamp() - email.utils.time.time()), 300)
        self.assertEqual(plain(message), MAIL['text'])

    def test_other_scripts_both_ways_and_files_come_back_as_they_were(self):
        subject = 'Grüße aus Köln – 日本語の件名はとても長いので折り返されます 🦆 ' + 'wort ' * 20 + 'x'
        text = 'Zeile mit äöü\n.\n..punkt\nFrom here\n' + 'lang ' * 60 + '\nende \n'
        html = '<p>' + 'ö' * 500 + '</p>\n'
        files = [{'name': 'Übersicht & "mehr" – ' + 'lang' * 20 + '.txt', 'content': 'Inhalt ä\n'},
                 {'name': 'plain.bin', 'content': '\u0001\u0002'}]
        _, taken, message = self.send(subject=subject, text=text, html=html, files=files,
                                      from_name='Jörg "J" Müller')
        self.assertEqual(message['Subject'], subject)
        self.assertEqual(message['From'].addresses[0].display_name, 'Jörg "J" Müller')
        self.assertEqual(plain(message.get_body(('plain',))), text)
        self.assertEqual(plain(message.get_body(('html',))), html)
        attachments = list(message.iter_attachments())
        self.assertEqual([one.get_filename() for one in attachments],
                         [one['name'] for one in files])
        self.assertEqual([one.get_content().decode() for one in attachments],
                         [one['content'] for one in files])
        for line in base64.b64decode(taken['content']).split(b'\r\n'):
            self.assertLessEqual(len(line), 78, line)
            self.assertTrue(line.isascii(), line)

    def test_no_value_gets_a_field_or_a_recipient_of_its_own(self):
        server = self.server()
        service = self.service(server)
        for text in HOSTILE:
            for where in ('subject', 'from_name', 'to'):
                self.assertEqual(service.post(**{where: text})[0], 422, (where, text))
            self.assertEqual(service.post(files=[{'name': text, 'content': ''}])[0], 422, text)
        self.assertEqual(service.post(text='a\r\n.\r\nMAIL FROM:<eve@example.org>\r\n')[0], 200)
        taken = server.await_mails(1)
        self.assertEqual(len(taken), 1)
        self.assertEqual(plain(read(taken[0])), 'a\n.\nMAIL FROM:<eve@example.org>\n')


class Delivery(MailCase):
    def test_several_go_over_one_connection(self):
        server = self.server()
        service = self.service(server)
        for index in range(10):
            self.assertEqual(service.post(subject=f'mail {index}')[0], 200)
        self.assertEqual(len(server.await_mails(10)), 10)
        self.assertEqual(server.ask()['connections'], 1)

    def test_start_tls_and_a_login(self):
        certificate, key = make_certificate(self.directory)
        for without in ([], ['PLAIN']):
            server = self.server(certificate=certificate, key=key, start_tls=True, login=True,
                                 without=without)
            self.service(server, '--smtp-start-tls', '--smtp-ca-file', str(certificate),
                         '--smtp-user', 'shop',
                         name=f'tls{len(without)}').post()
            taken = server.await_mails(1)[0]
            self.assertTrue(taken['is_encrypted'])
            self.assertEqual(taken['user'], 'shop')

    def test_smtps(self):
        certificate, key = make_certificate(self.directory)
        server = self.server(certificate=certificate, key=key, smtps=True)
        self.service(server, '--smtp-ca-file', str(certificate), scheme='smtps').post()
        self.assertTrue(read(server.await_mails(1)[0])['Subject'])

    def test_nothing_goes_to_a_server_without_tls_or_with_another_certificate(self):
        certificate, key = make_certificate(self.directory)
        plain = self.server()
        service = self.service(plain, '--smtp-start-tls')
        service.post()
        service.await_count('retried', 2)
        self.assertEqual((plain.mails(), plain.ask()['begun']), ([], 0))
        unknown = self.server(certificate=certificate, key=key, smtps=True)
        service = self.service(unknown, scheme='smtps', name='unknown')
        service.post()
        service.await_count('retried', 2)
        self.assertEqual(unknown.ask()['begun'], 0)

    def test_a_wrong_password_loses_no_mail(self):
        server = self.server(login=True)
        service = self.service(server, '--smtp-user', 'shop', password='wrong')
        service.post()
        service.await_count('retried', 2)
        self.assertEqual(service.counts()['dead'], 0)

    def test_a_server_that_wants_a_login_or_offers_none_loses_no_mail(self):
        user = ('--smtp-user', 'shop')
        for name, manner, more in [('without', 'wants-login', ()), ('none', 'refuse', user),
                                   ('both', 'refuse-data', user)]:
            server = self.server()
            server.be(manner)
            service = self.service(server, *more, name=name)
            service.post()
            service.await_count('retried', 2)
            server.be('good')
            self.assertEqual(len(server.await_mails(1)), 1, name)
            self.assertEqual(service.counts()['dead'], 0, name)

    def test_a_recipient_that_is_refused_behind_a_login_is_dead_at_once(self):
        certificate, key = make_certificate(self.directory)
        server = self.server(certificate=certificate, key=key, start_tls=True, login=True)
        service = self.service(server, '--smtp-start-tls', '--smtp-ca-file', str(certificate),
                               '--smtp-user', 'shop')
        for index in range(2):
            server.be('good')
            service.post()
            server.await_mails(index + 1)
            server.be('refuse')
            service.post()
            service.await_count('dead', index + 1)
        self.assertEqual(service.counts()['retried'], 0)
        # The rejected mails were sent over the connection on which another mail had logged in.
        self.assertEqual(server.ask()['connections'], 2)

    def test_what_is_temporary_is_tried_again(self):
        server = self.server()
        service = self.service(server)
        for index, manner in enumerate(['later', 'later-data', 'drop', 'hang']):
            server.be(manner)
            _, name = service.post()
            service.await_count('retried', index + 1)
            server.be('good')
            taken = server.await_mails(index + 1)
            self.assertEqual(read(taken[index])['Message-ID'], f'<{name}>', manner)
        self.assertEqual(service.counts()['dead'], 0)

    def test_a_server_that_thinks_for_long_gets_a_mail_once(self):
        server = self.server()
        server.be('slow')
        service = self.service(server, seconds=3, reply_seconds=30)
        service.post()
        self.assertEqual(len(server.await_mails(1)), 1)
        until(lambda: service.counts()['sent'] == 1, 'a mail that was sent')
        self.assertEqual((service.counts()['retried'], len(server.mails())), (0, 1))

    def test_what_is_refused_for_good_is_dead_at_once(self):
        server = self.server()
        service = self.service(server)
        for index, manner in enumerate(['refuse', 'refuse-data', 'refuse-sender']):
            server.be(manner)
            _, name = service.post()
            service.await_count('dead', index + 1)
            self.assertIn(name, service.said())
        self.assertEqual(service.counts()['retried'], 0)
        self.assertIn('550 5.1.1 no such user', service.said())
        self.assertIn('554 5.6.0 not such content', service.said())
        self.assertNotIn('ann@example.org', service.said())

    def test_a_server_that_comes_later_gets_what_waited(self):
        port = free_port()
        service = Service(self.directory, f'smtp://127.0.0.1:{port}').__enter__()
        self.addCleanup(service.__exit__)
        service.post()
        service.await_count('retried', 1)
        self.assertEqual(len(self.server(port=port).await_mails(1)), 1)


class Ends(MailCase):
    def test_a_server_that_hangs_does_not_hold_up_the_end(self):
        server = self.server()
        server.be('hang')
        service = self.service(server, seconds=600)
        service.post()
        until(lambda: server.ask()['begun'] == 1, 'a mail that was begun')
        self.assertEqual(service.stop(), 0)

    def test_a_mail_is_sent_once_although_the_process_is_stopped_again_and_again(self):
        server = self.server()
        names = []
        for _ in range(3):
            service = self.service(server)
            names += [service.post()[1] for _ in range(5)]
            self.assertEqual(service.stop(), 0)
        self.service(server)
        taken = server.await_mails(len(names))
        self.assertEqual(sorted(f'<{name}>' for name in names),
                         sorted(read(mail)['Message-ID'] for mail in taken))

    def test_none_is_lost_by_a_kill_and_what_comes_twice_has_one_name(self):
        server = self.server()
        names = []
        for _ in range(4):
            service = self.service(server, '--lease-seconds', '8')
            names += [service.post()[1] for _ in range(10)]
            server.await_mails(len(names) - 9)  # during sending
            service.stop(signal.SIGKILL)
        service = self.service(server, '--lease-seconds', '8')
        until(lambda: service.counts()['waiting'] == 0, 'an empty outbox')
        ids = [read(mail)['Message-ID'] for mail in server.mails()]
        self.assertEqual(set(ids), {f'<{name}>' for name in names})
        # A kill can repeat a mail that is being sent: one for each kill.
        self.assertLessEqual(len(ids) - len(names), 4)

    def test_a_mail_whose_process_was_killed_with_it_goes_by_another(self):
        server = self.server()
        server.be('hang')
        service = self.service(server, '--lease-seconds', '8')
        _, name = service.post()
        until(lambda: server.ask()['begun'] == 1, 'a mail that was begun')
        service.stop(signal.SIGKILL)
        server.be('good')
        self.service(server, '--lease-seconds', '8')
        self.assertEqual(read(server.await_mails(1)[0])['Message-ID'], f'<{name}>')

    def test_two_processes_on_one_database_send_each_mail_once(self):
        server = self.server()
        both = [self.service(server), self.service(server)]
        names = [both[index % 2].post()[1] for index in range(40)]
        until(lambda: both[0].counts()['waiting'] == 0, 'an empty outbox')
        taken = collections.Counter(read(mail)['Message-ID'] for mail in server.mails())
        self.assertEqual(taken, {f'<{name}>': 1 for name in names})
        sent = [service.counts()['sent'] for service in both]
        self.assertEqual(sum(sent), 40)


class Files(MailCase):
    def test_in_development_each_is_a_file(self):
        service = Program(PROGRAM, '--port', '{port}', '--database-file',
                          str(self.directory / 'mails.db'), '--mail-files',
                          str(self.directory / 'sent'), '--sandbox', 'on')
        self.addCleanup(service.__exit__)
        service.__enter__()
        service.ask('POST', '/mails', json.dumps(MAIL), {'Content-Type': 'application/json'})
        [path] = until(lambda: list((self.directory / 'sent').glob('*.eml')), 'a file')
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        message = read({'content': base64.b64encode(path.read_bytes()).decode()})
        self.assertEqual(plain(message), MAIL['text'])


if __name__ == '__main__':
    unittest.main()

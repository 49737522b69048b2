"""Messages of programs that are started incorrectly or cannot start.

Must not use internals of the program: only its output, its exit code and its listening addresses
count.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BIN, ROOT, Program, free_port, run_to_end

PLAIN = '01_hello'
SECURE = '10_http2'
MISUSED = 2
NOT_STARTED = 1
# The codes of the page; tools/docs_test.py compares them with the program.
CODES = re.findall(r'^\| `([a-z-]+)` \|', (ROOT / 'docs/reference/error-codes.md').read_text().
                   partition('## Startup errors')[2], re.MULTILINE)


class OpenApiDiff(unittest.TestCase):
    """`--openapi` prints a document, and `eider openapi diff` compares two of them."""

    def compare(self, older, newer, *options):
        with tempfile.TemporaryDirectory() as directory:
            files = [Path(directory) / name for name in ('older.json', 'newer.json')]
            for file, document in zip(files, (older, newer)):
                file.write_text(document)
            return run_to_end('eider', 'openapi', 'diff', *options, *files)

    def test_a_printed_document_breaks_nothing_of_itself(self):
        status, document = run_to_end('14_openapi', '--openapi', '--port', '1')
        self.assertEqual((status, json.loads(document)['openapi']), (0, '3.1.1'))
        self.assertEqual(run_to_end('14_openapi', '--openapi'), (0, document))
        self.assertEqual(self.compare(document, document), (0, ''))

    def test_what_breaks_is_told_by_line_and_exit_code(self):
        _, older = run_to_end('14_openapi', '--openapi')
        newer = json.loads(older)
        del newer['paths']['/bookings']['get']
        newer['components']['schemas']['NewBooking']['required'].append('price')
        self.assertEqual(self.compare(older, json.dumps(newer)), (3, (
            '/paths/~1bookings/get: the method was removed\n/components/schemas/NewBooking: in '
            'requests: "price" is now required\n')))

    def test_what_breaks_is_told_to_programs(self):
        _, older = run_to_end('14_openapi', '--openapi')
        newer = json.loads(older)
        del newer['paths']['/bookings']['get']
        status, said = self.compare(older, json.dumps(newer), '--json')
        self.assertEqual((status, json.loads(said)), (3, {'breaks': [
            {'pointer': '/paths/~1bookings/get', 'what': 'the method was removed'}]}))
        self.assertEqual(self.compare(older, older, '--json'), (0, '{"breaks":[]}\n'))
        self.assertEqual(self.compare(older, older, '--jsn'), (
            2, 'eider openapi diff: unknown option --jsn (did you mean --json?)\n'))

    def test_a_document_may_come_by_the_standard_input(self):
        _, document = run_to_end('14_openapi', '--openapi')
        with tempfile.NamedTemporaryFile('w') as file:
            file.write(document)
            file.flush()
            ended = subprocess.run([BIN / 'eider', 'openapi', 'diff', file.name, '-'],
                                   input=document, text=True, timeout=30, check=False)
            self.assertEqual(ended.returncode, 0)

    def test_what_is_no_document_is_told(self):
        status, said = self.compare('{"openapi": "3.1.1", "paths": {}}', '[]')
        self.assertEqual(status, 1)
        self.assertIn('newer.json is not an OpenAPI document', said)
        status, said = self.compare('{', '{}')
        self.assertEqual(status, 1)
        self.assertIn('older.json is not JSON', said)
        self.assertEqual(run_to_end('eider', 'openapi', 'diff', 'one'),
                         (2, 'eider openapi diff: two files are required, OLD and NEW\n'))


class EiderCommands(unittest.TestCase):
    """`eider` finds its commands by name, and suggests similar ones."""

    def test_the_list_has_each_command_with_a_line_and_the_exit_codes(self):
        for words in (('--help',), ('-h',), ('help',)):
            status, said = run_to_end('eider', *words)
            self.assertEqual(status, 0)
            for name in ('bench', 'db', 'openapi', 'views'):
                self.assertRegex(said, rf'(?m)^{name} +\w')
            self.assertIn('Exit codes: 0 ', said)

    def test_an_unknown_command_is_told_with_the_one_that_was_meant(self):
        self.assertEqual(run_to_end('eider', 'benhc'), (
            2, 'eider: unknown command benhc (did you mean bench?). Run eider --help for a '
               'list\n'))
        self.assertEqual(run_to_end('eider', 'launch'), (
            2, 'eider: unknown command launch. Run eider --help for a list\n'))

    def test_help_is_the_same_in_front_and_behind(self):
        for name in ('bench', 'db', 'openapi', 'views'):
            status, said = run_to_end('eider', name, '--help')
            self.assertEqual((status, run_to_end('eider', 'help', name)), (0, (0, said)))
            self.assertIn('eider ' + name, said)

    def test_each_help_has_an_example(self):
        listed = re.findall(r'(?m)^([a-z]+)  +\w', run_to_end('eider', '--help')[1])
        self.assertIn('views', listed)
        for words in (*([name] for name in listed),
                      *(['openapi', action] for action in ('document', 'client', 'diff'))):
            self.assertRegex(run_to_end('eider', *words, '--help')[1],
                             rf'(?m)^  (\S.*)?eider {" ".join(words)}\b', words)

    def test_an_action_of_db_is_needed_and_known(self):
        actions = ('Actions: new, status, up, down, seed, structs, check, header, '
                   'snapshot, shell, embed; see eider db --help\n')
        self.assertEqual(run_to_end('eider', 'db'), (2, 'eider db: no action given. ' + actions))
        self.assertEqual(run_to_end('eider', 'db', 'foo'),
                         (2, 'eider db: unknown action foo. ' + actions))

    def test_an_action_of_openapi_is_needed_and_known(self):
        self.assertEqual(run_to_end('eider', 'openapi'), (
            2, 'eider openapi: no action given. Actions: document, client and diff\n'))
        self.assertEqual(run_to_end('eider', 'openapi', 'dif'), (
            2, 'eider openapi: unknown action dif. Actions: document, client and diff\n'))
        self.assertEqual(run_to_end('eider', 'openapi', 'diff', 'one'),
                         (2, 'eider openapi diff: two files are required, OLD and NEW\n'))


class Help(unittest.TestCase):
    """The help of each command."""

    def test_it_has_the_exit_codes_and_is_asked_for_by_either_word(self):
        listed = re.findall(r'(?m)^([a-z]+)  +\S', run_to_end('eider', '--help')[1])
        self.assertIn('bench', listed)
        actions = [['openapi', each] for each in ('document', 'client', 'diff')]
        for words in [['db', 'up'], *actions, *([each] for each in listed)]:
            status, said = run_to_end('eider', *words, '--help')
            self.assertEqual((status, said), run_to_end('eider', *words, '-h'), words)
            self.assertEqual(status, 0, words)
            self.assertIn('\nExit codes: 0 ', said, words)


class OpenApiDocument(unittest.TestCase):
    """`eider openapi document` of an existing program."""

    def test_what_is_no_document_is_not_written(self):
        with tempfile.NamedTemporaryFile('w+') as file:
            file.write('kept')
            file.flush()
            for program, said in (('/bin/true', 'the program did not print an OpenAPI document'),
                                  ('/bin/echo', 'the program did not print an OpenAPI document'),
                                  (BIN / PLAIN, f'{BIN / PLAIN} --openapi exited with status 2')):
                status, told = run_to_end('eider', 'openapi', 'document', '--program', program,
                                          '--out', file.name)
                self.assertEqual(status, 1)
                self.assertIn(f'eider openapi document: {said}. Use run_app in main, or call '
                              'serve_openapi(app)\n',
                              told)
                self.assertEqual(Path(file.name).read_text(), 'kept')

    def test_a_program_is_a_file_and_none_of_path(self):
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / 'true').symlink_to(BIN / '14_openapi')
            ended = subprocess.run([BIN / 'eider', 'openapi', 'document', '--program', 'true'],
                                   cwd=directory, capture_output=True, text=True, timeout=30,
                                   check=False)
        self.assertEqual((ended.returncode, ended.stderr), (0, ''))
        self.assertEqual(json.loads(ended.stdout)['openapi'], '3.1.1')


class Equals(unittest.TestCase):
    """`--option=value` is the same as `--option value` for all commands."""

    def test_each_command_takes_it(self):
        with tempfile.TemporaryDirectory() as directory:
            place = Path(directory)
            self.assertEqual(run_to_end('eider', 'db', 'new', 'x', f'--migrations={place}/m')[0], 0)
            self.assertTrue((place / 'm/0001_x.sql').exists())
            self.assertEqual(run_to_end('eider', 'db', 'up', '--to=x'),
                             (2, 'eider db: --to must be a number, not x\n'))
            (place / 'a.json').write_text(run_to_end('14_openapi', '--openapi')[1])
            self.assertEqual(run_to_end('eider', 'openapi', 'client', '--language=typescript',
                                        f'--out={place}/a.ts', place / 'a.json'), (0, ''))
            self.assertIn('generated by `eider openapi client`', (place / 'a.ts').read_text())
            (place / 'a.html').write_text('<p>')
            self.assertEqual(run_to_end('eider', 'views', f'--root={place}', f'--out={place}/out',
                                        'a.html'), (0, ''))
            self.assertTrue((place / 'out/a.html.h').exists())


class Routes(unittest.TestCase):
    """`eider routes` of an existing program."""

    def test_they_are_listed_for_people_and_for_programs(self):
        status, said = run_to_end('eider', 'routes', '--program', BIN / PLAIN)
        self.assertEqual((status, said), run_to_end(PLAIN, '--routes'))
        status, said = run_to_end('eider', 'routes', '--json', '--program', BIN / PLAIN)
        listed = json.loads(said)
        self.assertRegex(listed['routes'][0].pop('where'), r'^01_hello\.cc:\d+$')
        self.assertEqual(status, 0)
        self.assertEqual(listed['rewrites'], [])
        self.assertEqual(listed['routes'][0], {
            'method': 'GET', 'path': '/', 'middleware': ['handler'], 'body_bytes_max': 1 << 20})

    def test_a_program_without_any_is_told(self):
        for words in ((), ('--json',)):
            status, said = run_to_end('eider', 'routes', *words, '--program', '/bin/true')
            self.assertEqual(status, 1)
            self.assertIn('the program listed no routes', said)

    def test_what_is_no_list_is_not_passed_on_as_one(self):
        status, said = run_to_end('eider', 'routes', '--json', '--program', '/bin/echo')
        self.assertEqual((status, said), (
            1, 'eider routes: the program printed a line that is not a route: --routes\n'))


class Explain(unittest.TestCase):
    """`eider explain`: the codes of startup errors."""

    def test_a_code_is_explained(self):
        status, told = run_to_end('eider', 'explain', 'port-in-use')
        self.assertEqual(status, 0)
        self.assertRegex(told, r'\Aport-in-use\n\nCause: .+\nFix: .+\n\Z')

    def test_all_codes_are_listed_without_one(self):
        status, told = run_to_end('eider', 'explain')
        self.assertEqual(status, 0)
        self.assertEqual([line.split()[0] for line in told.splitlines()], CODES)

    def test_other_words_are_no_code(self):
        status, told = run_to_end('eider', 'explain', 'port')
        self.assertEqual((status, told), (
            MISUSED, 'eider explain: port is not a code. Run eider explain for a list\n'))
        status, told = run_to_end('eider', 'explain', 'port-in-use', 'more')
        self.assertEqual((status, told), (
            MISUSED, 'eider explain: expected one code, found 2\n'))


class Unwritten(unittest.TestCase):
    """If standard output cannot be written, the command fails: half a document would pass for a
    whole one."""

    def test_a_full_disk_is_told_and_fails(self):
        for name, *words in (('14_openapi', '--openapi'), (PLAIN, '--routes'), (PLAIN, '--help'),
                             ('eider', '--help'), ('eider', '--version'),
                             ('eider', 'openapi', 'diff', '--help'), ('eider', 'bench', '--help')):
            with self.subTest(name=name, words=words), open('/dev/full', 'w') as full:
                ended = subprocess.run([BIN / name, *words], stdout=full, stderr=subprocess.PIPE,
                                       text=True, check=False, timeout=30)
                self.assertEqual(ended.returncode, 1, ended.stderr)
                self.assertIn('No space left on device', ended.stderr)


class Misused(unittest.TestCase):
    def assert_told(self, said, *words, program=PLAIN, environment=None):
        """Expects that a program with these arguments ends as misused, with exactly this message
        and a code."""
        status, told = run_to_end(program, *words, environment=environment)
        self.assertEqual(status, MISUSED, told)
        code, _, rest = told.partition(']: ')
        self.assertIn(code.removeprefix('error['), CODES)
        self.assertEqual(rest, said + '; see --help\n')

    def test_an_unknown_option_is_named_with_the_one_that_was_meant(self):
        self.assert_told('--thread is not an option (did you mean --threads?)', '--thread', '3')
        self.assert_told('--prot is not an option (did you mean --port?)', '--prot=80')
        self.assert_told('--writers is not an option', '--writers', '3')
        self.assert_told("'8080' is not an option", '8080')

    def test_a_value_out_of_range_is_told_with_the_range(self):
        self.assert_told("--port must be between 0 and 65535, not '65536'", '--port', '65536')
        self.assert_told("--threads must be between 1 and 1024, not '0'", '--threads', '0')
        self.assert_told("--backend must be auto, epoll or io_uring, not 'poll'",
                         '--backend', 'poll')

    def test_an_option_is_given_once_and_with_a_value(self):
        self.assert_told("--port is given more than once, but has only one value: '1' or '2'",
                         '--port', '1', '--port', '2')
        self.assert_told('--port requires a value (PORT)', '--port')

    def test_the_environment_is_blamed_for_what_it_says(self):
        self.assert_told("EIDER_PORT must be an integer, not 'http'",
                         environment={'EIDER_PORT': 'http'})
        self.assert_told("EIDER_LISTEN must be HOST:PORT, [IPV6]:PORT, unix:/path or systemd, "
                         "not '8080'", environment={'EIDER_LISTEN': '127.0.0.1:0,8080'})

    def test_help_names_every_option_with_its_variable(self):
        status, said = run_to_end(PLAIN, '--port', 'wrong', '--help-all')
        self.assertEqual(status, 0)
        for name in ('host', 'port', 'listen', 'tls-port', 'listen-tls', 'cert', 'key',
                     'proxy-protocol', 'share-port', 'threads', 'backend', 'shutdown-delay-seconds',
                     'drain-seconds'):
            self.assertIn(f'  --{name} ', said)
            self.assertIn('EIDER_' + name.upper().replace('-', '_'), said)

    def test_routes_are_listed_in_place_of_serving(self):
        status, said = run_to_end(PLAIN, '--routes')
        self.assertEqual(status, 0)
        self.assertRegex(said, r'(?m)^GET /  +handler  +1 MiB  01_hello\.cc:\d+$')


    def test_a_range_is_the_same_whatever_breaks_it(self):
        for threads in ('0', '-1', '1025', '99999999999'):
            self.assert_told(f"--threads must be between 1 and 1024, not '{threads}'",
                             '--threads', threads)

    def test_an_address_with_half_its_brackets_is_none(self):
        for place in ('[::1', '[::1:80', '::1:80', '::1]:80', '[:80', ':80', '[::1]x:80'):
            for option in ('--listen', '--listen-tls'):
                self.assert_told(f'{option} must be HOST:PORT, [IPV6]:PORT, unix:/path or '
                                 f"systemd, not '{place}'", option, place)

    def test_a_certificate_that_nobody_is_shown_is_told_with_the_mend(self):
        said = ('--cert and --key require an address for TLS: '
                'add --tls-port or --listen-tls')
        for words in (('--cert', 'a.pem'), ('--key', 'a.pem'), ('--cert', 'a', '--key', 'b')):
            self.assert_told(said, *words)
            self.assert_told(said, *words, program=SECURE)
        self.assert_told(said, environment={'EIDER_CERT': 'a.pem'})

    def test_words_from_outside_make_no_line_of_their_own(self):
        self.assert_told("--port must be an integer, not '1?X: y'", '--port', '1\nX: y')


class EveryExample(unittest.TestCase):
    """The responses of all examples to invalid arguments."""

    SERVERS = ('01_hello', '02_json', '03_async', '04_uploads', '05_events', '06_files',
               '07_websocket', '10_http2', '11_proxy', '12_guards', '13_clock', '14_openapi',
               '15_middleware', '16_languages', '18_sessions', '21_forms', 'chat',
               'notes')
    CLIENTS = ('08_ws_client', '09_client')
    # Options that an example requires at startup.
    NEEDED = {'PROXY_UPSTREAMS': 'http://127.0.0.1:1', 'OPENID_ISSUER': 'http://127.0.0.1:1',
              'OPENID_CLIENT_ID': 'shop'}

    def assert_refused(self, status, program, *words, environment=None):
        """Expects that it ends with this status, and a reason in one line."""
        ended, said = run_to_end(program, *words, environment=environment)
        self.assertEqual((ended, said.count('\n')), (status, 1), (program, words, said))
        self.assertNotIn('terminate called', said)

    def test_a_wrong_word_ends_with_2_and_one_line(self):
        for program in self.SERVERS:
            for words in (('--threads', 'x'), ('--listen', '[::1'), ('--port', '-1'), ('--nope',),
                          ('word',), ('--cert', 'a.pem')):
                self.assert_refused(MISUSED, program, *words)
        self.assert_refused(MISUSED, '08_ws_client')

    def test_help_is_no_fault(self):
        for program in (*self.SERVERS, *self.CLIENTS):
            status, said = run_to_end(program, '--help')
            self.assertEqual(status, 0, program)
            self.assertIn(program if program in self.CLIENTS else '--threads', said)

    def test_each_lists_its_options_its_routes_its_settings_and_its_document(self):
        for path in sorted(Path(ROOT, 'examples').glob('*')):
            program = path.stem
            if not (path.suffix == '.cc' or (path / 'main.cc').exists()) or program in self.CLIENTS:
                continue
            with self.subTest(program), tempfile.TemporaryDirectory() as place:
                help_text = self.said_in(place, program, '--help')
                self.assertIn('--print-config', help_text)
                self.assertNotIn('missing in this list', help_text)
                self.assertRegex(self.said_in(place, program, '--routes'), r'(?m)^[A-Z]+ /')
                self.assertIn('[server]', self.said_in(place, program, '--print-config'))
                if '--openapi ' in help_text:
                    self.assertIn('openapi', json.loads(self.said_in(place, program, '--openapi')))

    def said_in(self, place, program, word):
        """Returns its standard output in that working directory; it must end with 0."""
        ended = subprocess.run([(BIN / program).absolute(), word], cwd=place, text=True,
                               check=False, capture_output=True, stdin=subprocess.DEVNULL,
                               timeout=60,
                               env={**os.environ, **self.NEEDED})
        self.assertEqual((ended.returncode, ended.stderr), (0, ''), (program, word))
        return ended.stdout

    def test_a_directory_of_a_program_is_found_in_its_package_from_any_other(self):
        for folder in ('languages', 'bin/languages', 'share/16_languages/languages', None):
            with self.subTest(folder), tempfile.TemporaryDirectory() as place:
                package = Path(place, 'package')
                program = package / 'bin/16_languages'
                program.parent.mkdir(parents=True)
                shutil.copy(BIN / program.name, program)
                if folder:
                    shutil.copytree(ROOT / 'examples/16_languages/languages', package / folder)
                ended = subprocess.run([program, '--directory', 'languages', '--routes'], cwd=place,
                                       text=True, check=False, capture_output=True, timeout=60)
                self.assertEqual(ended.returncode, 0 if folder else 1, ended.stderr)
                if not folder:
                    self.assertIn(f'the directory does not exist (searched: {place}/languages, '
                                  f'{package}/bin/languages, {package}/languages, '
                                  f'{package}/share/16_languages/languages)', ended.stderr)

    def test_options_of_modules_are_options_of_the_program(self):
        with tempfile.TemporaryDirectory() as place:
            for words in (['--migrations-at-start', 'false'], ['--migrations-at-start=false']):
                ended = subprocess.run([(BIN / 'notes').absolute(), *words, '--print-config'],
                                       cwd=place, text=True, check=False, capture_output=True,
                                       timeout=60)
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertIn('at_start = false  # --migrations-at-start', ended.stdout)

    def test_a_wrong_upstream_ends_the_proxy_with_2_and_one_line(self):
        for url in ('', 'x', 'http://', 'ftp://a', 'http://a:99999', 'http://a\r\nX: y'):
            self.assert_refused(MISUSED, '11_proxy', '--port', '0', '--upstreams', url)
        self.assert_refused(MISUSED, '11_proxy', '--port', '0')
        self.assert_refused(MISUSED, '11_proxy', environment={'PROXY_UPSTREAMS': 'http://a,x'})

    def test_a_health_path_that_no_request_has_is_refused(self):
        self.assert_refused(MISUSED, '11_proxy', '--upstreams', 'http://127.0.0.1:1',
                            '--port', '0', '--health', '/a b\r\nX: y')

    def test_a_missing_directory_ends_with_1_and_one_line(self):
        self.assert_refused(NOT_STARTED, '06_files', '--root', '/none')
        self.assert_refused(NOT_STARTED, '10_http2', '--files', '/none')
        self.assert_refused(NOT_STARTED, '16_languages', '--directory', '/none')
        self.assert_refused(NOT_STARTED, '10_http2', environment={'HTTP2_FILES': '/none'})
        self.assert_refused(NOT_STARTED, 'notes', '--database-file', '/none/notes.db')

    def test_the_client_asks_nobody_by_wrong_numbers(self):
        url = 'http://127.0.0.1:1/'
        for words in (('load', url, 'x', 'x'), ('load', url, '0', '1'), ('load', url, '1', '-1'),
                      ('load', url, '1', '1s'), ('send', url, '-1'), ('send', url, 'x'),
                      ('send', url, '99999999999999999999999'), ('order', url, 'tea', 'x'),
                      ('get',), ('--http2',), ()):
            self.assert_refused(MISUSED, '09_client', *words)


class Environment(unittest.TestCase):
    def test_it_says_where_to_listen_unless_the_command_line_does(self):
        port = free_port()
        with Program(PLAIN, '--port', '{port}', '--threads', '1',
                     environment={'EIDER_PORT': str(port), 'EIDER_THREADS': 'none'}) as told:
            self.assertEqual(told.ask('GET', '/')[0], 200)
        with tempfile.TemporaryDirectory() as directory:
            path = f'{directory}/app.sock'
            told = Program(PLAIN)
            told.environment['EIDER_LISTEN'] = f'127.0.0.1:{told.port},unix:{path}'
            with told:
                self.assertEqual(told.ask('GET', '/')[0], 200)
                with socket.socket(socket.AF_UNIX) as other:
                    other.connect(path)


class NotStarted(unittest.TestCase):
    def assert_not_started(self, program, words, *said):
        """Expects that it ends by itself with all of these messages."""
        status, told = run_to_end(program, *words)
        self.assertEqual(status, NOT_STARTED, told)
        for each in said:
            self.assertIn(each, told)

    def test_a_busy_port_is_named_with_the_mend(self):
        for threads in ('1', '2'):
            with socket.create_server(('127.0.0.1', 0)) as busy:
                port = str(busy.getsockname()[1])
                self.assert_not_started(
                    PLAIN, ['--port', port, '--threads', threads], f'127.0.0.1 port {port}',
                    'the address is in use', 'Stop the program that listens there',
                    ' code=port-in-use')

    def test_a_missing_certificate_is_named(self):
        with tempfile.TemporaryDirectory() as directory:
            missing = f'{directory}/none.pem'
            self.assert_not_started(SECURE, ['--port', '0', '--tls-port', '0', '--cert', missing,
                                             '--key', missing],
                                    missing, 'No such file or directory',
                                    ' code=certificate-not-readable')

    def test_a_program_without_tls_says_how_it_learns_it(self):
        self.assert_not_started(PLAIN, ['--tls-port', '0', '--port', '0'], 'add_tls',
                                ' code=tls-not-supported')

    def test_a_path_that_no_socket_can_have_is_told_with_the_mend(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assert_not_started(PLAIN, ['--listen', f'unix:{directory}/none/app.sock'],
                                    f'{directory}/none/app.sock', 'Create the directory first')
            self.assert_not_started(PLAIN, ['--listen', 'unix:/' + 'x' * 200],
                                    'unix:/run/app.sock')
            kept = Path(directory) / 'kept.txt'
            kept.write_text('mine')
            self.assert_not_started(PLAIN, ['--listen', f'unix:{kept}'], 'the address is in use')
            self.assertEqual(kept.read_text(), 'mine')

    @unittest.skipIf(os.geteuid() == 0, 'root may write anywhere')
    def test_a_directory_that_takes_no_file_is_told(self):
        with tempfile.TemporaryDirectory() as directory:
            os.chmod(directory, 0o500)
            self.assert_not_started(PLAIN, ['--listen', f'unix:{directory}/app.sock'],
                                    'not permitted', 'let this process write there')


if __name__ == '__main__':
    unittest.main()

"""The documentation site in a browser: its look, its search, and its use by keyboard."""

import json
import unittest

import webdriver
from site_support import PAGES, Shown, make_site
from support import project_version

WIDTHS = (390, 768, 1280)
AXE_PAGES = ('index.html', 'guides/application/middleware.html', 'headers/eider/middleware.html',
             'get-started/install.html', 'pages.html')

# Tasks in the words of readers, each with the page that must be the first result.
TASKS = {
    'paginate a list': 'guides/apis/pagination.html',
    'protect a route by role': 'guides/users/protecting-routes.html',
    'rotate logs': 'operations/logging.html',
    'serve https': 'operations/tls.html',
    'upload file': 'guides/requests/file-uploads.html',
    'jwt': 'guides/users/jwt.html',
    'cors': 'guides/application/security-headers-and-cors.html',
    'graceful shutdown': 'operations/deployment.html',
    'docker': 'operations/containers.html',
    'env variables': 'operations/configuration.html',
    'unit test handler': 'guides/testing/testing.html',
    'websocket chat': 'tutorial/chat.html',
    'postgres pool size': 'guides/data/postgresql.html',
    'migrations rollback': 'guides/data/migrations.html',
    'rate limit per ip': 'guides/application/rate-limiting-and-timeouts.html',
    'redirect http to https': 'operations/tls.html',
    'cancel request': 'concepts/coroutines.html',
    'server timeout': 'operations/limits-and-timeouts.html',
    'custom 404 page': 'guides/responses/error-pages.html',
    'openapi client': 'guides/apis/generated-clients.html',
    'csrf': 'guides/pages/csrf.html',
    'template loop': 'guides/pages/template-syntax.html',
    'cache response': 'guides/responses/http-caching.html',
    'background task': 'guides/application/background-tasks.html',
    'metrics prometheus': 'operations/metrics-and-traces.html',
    'validate json': 'guides/requests/validation.html',
    'read a cookie': 'guides/requests/cookies.html',
    'serve static files': 'guides/responses/static-files.html',
    'hot reload': 'get-started/live-reload.html',
    'login with google': 'guides/users/openid-connect.html',
    'hash password': 'guides/users/passwords.html',
    'health check': 'operations/health-checks.html',
    'run behind nginx': 'operations/nginx.html',
    'systemd service': 'operations/systemd.html',
    'max body size': 'operations/limits-and-timeouts.html',
    'call another api': 'guides/network/http-client.html',
    'cron job': 'guides/data/schedules.html',
    'progress bar': 'guides/data/long-jobs.html',
    'job queue': 'guides/data/jobs.html',
    'database transaction': 'guides/data/transactions.html',
    'bulk insert': 'guides/data/bulk-loading.html',
    'select query': 'guides/data/databases.html',
    'gzip': 'guides/responses/compression.html',
    'install': 'get-started/install.html',
    'conan': 'get-started/install.html',
    'hello world': 'get-started/first-steps.html',
    'path parameter': 'guides/requests/routing.html',
    'query string': 'tutorial/03-query-parameters.html',
    'return json': 'guides/apis/json-api.html',
    'return 404': 'guides/responses/error-handling.html',
    'download file': 'guides/responses/static-files.html',
    'stream response': 'guides/responses/streaming.html',
    'dependency injection': 'guides/application/dependency-injection.html',
    'session timeout': 'guides/users/sessions.html',
    'too many open files': 'operations/systemd.html',
    'port already in use': 'operations/ports-and-addresses.html',
    'compile times': 'performance/compile-times.html',
    'swagger ui': 'guides/apis/openapi.html',
    'multiple threads': 'concepts/threads-and-event-loops.html',
    'change port': 'operations/ports-and-addresses.html',
    'unix socket': 'operations/ports-and-addresses.html',
    'rest api': 'guides/apis/json-api.html',
    'sanitize html': 'guides/pages/template-syntax.html',
    'windows': 'get-started/faq.html',
    'async': 'guides/application/async.html',
    'form validation': 'guides/pages/html-forms.html',
    'reset password': 'guides/users/accounts.html',
    'log format': 'operations/logging.html',
    'get client ip': 'operations/trusted-proxies.html',
    'flamegraph': 'performance/profiling.html',
    'read headers': 'reference/handler-parameters.html',
    'set header': 'reference/handler-results.html',
    '404': 'guides/responses/error-handling.html',
    'set cookie': 'guides/requests/cookies.html',
    'oauth': 'guides/users/openid-connect.html',
    'uuid': 'guides/requests/custom-types.html',
    'admin panel': 'guides/pages/admin.html',
    'presigned url': 'guides/data/file-storage.html',
    'ip whitelist': 'guides/application/request-filters.html',
    'query builder': 'guides/data/record-queries.html',
    'reverse proxy': 'guides/network/reverse-proxy.html',
    'broadcast': 'guides/realtime/pub-sub.html',
}
# Searches of new users, each with the page or folder of one of the first three results. The first
# 15 found nothing in an earlier version of the site, the next five only unrelated pages.
SEARCHES = {
    'pagination': 'guides/apis/pagination.html',
    'dependency injection': 'guides/application/dependency-injection.html',
    'graceful shutdown': 'operations/deployment.html',
    'i18n': 'guides/pages/internationalization.html',
    'orm': 'guides/data/records.html',
    'cron': 'guides/data/schedules.html',
    'mock': 'guides/testing/fakes.html',
    'kubernetes': 'operations/containers.html',
    'quickstart': 'get-started/first-steps.html',
    'faq': 'get-started/faq.html',
    'troubleshooting': 'get-started/troubleshooting.html',
    'segfault': 'operations/compiler-hardening.html',
    'global state': 'guides/application/shared-state.html',
    'graphql': 'guides/apis/',
    'http3': 'operations/http3.html',
    'error handling': 'guides/responses/error-handling.html',
    'logging': 'operations/logging.html',
    'authorization': 'guides/users/protecting-routes.html',
    'json': 'guides/apis/json-api.html',
    'middleware': 'guides/application/middleware.html',
    'environment variables': 'operations/configuration.html',
    'connect to postgres': 'guides/data/postgresql.html',
    'password hashing': 'guides/users/passwords.html',
    'run in docker': 'operations/containers.html',
    'websockets': 'guides/realtime/websocket.html',
    'send an email': 'guides/users/email.html',
}

SITE = None  # shared by all tests


def setUpModule():
    global SITE
    if not webdriver.is_installed():
        raise unittest.SkipTest('chromium and chromedriver are not installed')
    SITE = make_site()


class Site(Shown):
    @classmethod
    def folder(cls):
        return SITE

    def ground(self):
        return self.browser.run('return getComputedStyle(document.body).backgroundColor')

    def search(self, text):
        """Returns {entries, corrected, isPartial, pages} of a search on the open page."""
        return self.browser.command('POST', '/execute/async', {'args': [text], 'script': """
            const [text, done] = arguments;
            (window.testIndex ??= fetch(document.body.dataset.top + 'search.json')
              .then((response) => response.json())).then((index) => {
                const found = (window.testFind ??= makeSearch(index))(text);
                done({...found, pages: [...new Set(found.entries.map(
                  (entry) => index.pages[index.entries[entry][0]][0]))]});
              }).catch((error) => done({entries: [], pages: [`${error}`]}));"""})

    def test_no_page_is_wider_than_its_window(self):
        for name in PAGES:
            self.show(name)
            for width in (360, 768, 1600):
                with self.subTest(name, width=width):
                    self.resize(width)
                    over = self.browser.run(
                        'const page = document.documentElement;'
                        'return page.scrollWidth - page.clientWidth')
                    self.assertLessEqual(over, 0)

    def test_axe_core_finds_no_fault(self):
        for name, width, scheme in [(name, width, scheme) for name in AXE_PAGES
                                    for width, scheme in ((390, 'dark'), (1280, 'light'))]:
            with self.subTest(name, width=width, scheme=scheme):
                self.show(name, width, scheme)
                self.assertEqual(self.axe_faults(), [])

    def test_axe_core_finds_no_fault_in_search_results(self):
        for width, scheme in ((390, 'dark'), (1280, 'light')):
            with self.subTest(width=width, scheme=scheme):
                self.show('guides/requests/cookies.html', width, scheme)
                self.browser.find('.search-open').click()
                self.browser.find('dialog.search[open] input').type('middelware')
                self.browser.find('#site-found mark')
                self.assertEqual(self.axe_faults(), [])

    def test_searches_find_their_page(self):
        self.show('index.html')
        for text, address in SEARCHES.items():
            with self.subTest(text):
                found = self.search(text)
                self.assertTrue(found['entries'])
                self.assertTrue([page for page in found['pages'][:3] if page.startswith(address)],
                                found['pages'][:3])

    def test_searches_for_tasks_find_their_page_first(self):
        self.show('index.html')
        for text, address in TASKS.items():
            with self.subTest(text):
                self.assertEqual(self.search(text)['pages'][:1], [address])

    def test_the_search_corrects_misspelled_words(self):
        self.show('index.html')
        for text, corrected in {'middelware': 'middleware', 'websokcet': 'websocket',
                                'dependancy injection': 'dependency injection'}.items():
            with self.subTest(text):
                self.assertEqual(self.search(text)['corrected'], corrected)

    def test_the_search_falls_back_to_some_of_the_words(self):
        self.show('index.html')
        found = self.search('websocket qqqqqq')
        self.assertTrue(found['isPartial'])
        self.assertIn('guides/realtime/websocket.html', found['pages'][:3])

    def test_colors_follow_the_system_and_the_button(self):
        self.show('guides/application/middleware.html', scheme='light')
        light = self.ground()
        self.show('guides/application/middleware.html', scheme='dark')
        dark = self.ground()
        self.assertNotEqual(light, dark)
        self.browser.find('.theme').click()
        self.assertEqual(self.ground(), light)
        self.show('guides/responses/error-handling.html', scheme='dark')  # the choice is kept
        self.assertEqual(self.ground(), light)
        self.browser.find('.theme').click()
        self.browser.find('.theme').click()
        self.assertEqual(self.ground(), dark)

    def test_paper_is_light(self):
        self.show('guides/application/middleware.html', scheme='light')
        light = self.ground()
        self.show('guides/application/middleware.html', scheme='dark')
        self.browser.run("document.documentElement.dataset.colors = 'dark'")
        self.browser.tools('Emulation.setEmulatedMedia', media='print',
                           features=[{'name': 'prefers-color-scheme', 'value': 'dark'}])
        printed = self.ground()
        self.browser.tools('Emulation.setEmulatedMedia', media='')
        self.assertEqual(printed, light)

    def test_the_keyboard_opens_the_search_and_its_first_result(self):
        self.show('guides/application/middleware.html')
        self.browser.find('body').type('/')
        self.browser.find('dialog.search[open] input').type('rate_limit')
        self.browser.find('#site-found a')
        self.browser.until(lambda: 'rate_limit' in self.browser.find('#site-found mark').text(),
                           'the name that was typed')
        first = self.browser.run("return document.querySelector('#site-found a').href")
        self.browser.find('dialog.search input').type('\ue007')  # Enter
        self.browser.until(lambda: self.browser.address() == first, 'the page that was found')
        self.assertTrue(self.browser.find('h1').text())

    def test_the_search_reports_no_results(self):
        self.show('index.html', 360)
        self.browser.find('.search-open').click()
        self.browser.find('dialog.search[open] input').type('nobodyhaseverwrittenthis')
        self.browser.until(lambda: 'No results for' in self.browser.find('.status').text(),
                           'the status')

    def test_the_menu_covers_a_narrow_page(self):
        self.show('guides/application/middleware.html', 390)
        shown = "return getComputedStyle(document.querySelector('.side')).display"
        top = "return document.querySelector('h1').getBoundingClientRect().top"
        before = self.browser.run(top)
        self.assertEqual(self.browser.run(shown), 'none')
        self.browser.find('.menu-button').click()
        self.assertEqual(self.browser.run(shown), 'block')
        self.assertEqual(self.browser.run(top), before)
        self.assertTrue(self.browser.find('.side [aria-current=page]').text())

    def test_the_menu_of_a_narrow_page_shows_the_current_page_and_scrolls_to_the_last(self):
        bottom = "document.querySelector('%s').getBoundingClientRect().bottom"
        for width in (390, 768):
            with self.subTest(width=width):
                self.show('guides/application/middleware.html', width)
                self.browser.find('.menu-button').click()
                current = self.browser.run('return ' + bottom % '.side [aria-current]')
                self.assertTrue(0 < current < 800, current)
                self.browser.run("document.querySelector('.side').scrollTo(0, 1e6)")
                last = self.browser.run('return ' + bottom % '.side details:last-child')
                self.assertLess(last, 800)

    def test_the_keyboard_opens_and_closes_the_menu(self):
        self.show('guides/application/middleware.html', 768)
        shown = "return getComputedStyle(document.querySelector('.side')).display"
        self.browser.run("document.querySelector('.menu-state').focus()")
        for key, display in ((' ', 'block'), ('\ue00c', 'none'), ('\ue007', 'block')):
            self.browser.find('.menu-state').type(key)
            self.assertEqual(self.browser.run(shown), display)

    def test_get_started_is_on_the_first_screen(self):
        for width in WIDTHS:
            with self.subTest(width=width):
                self.show('index.html', width)
                bottom = self.browser.run(
                    "return document.querySelector('.ways .main').getBoundingClientRect().bottom")
                self.assertLess(bottom, 800)
                self.assertEqual(self.browser.find('.ways .main').text(), 'Get started')

    def without_scripts(self):
        """Disables scripts on pages opened from now on, until the end of the test."""
        self.browser.tools('Emulation.setScriptExecutionDisabled', value=True)
        self.addCleanup(self.browser.tools, 'Emulation.setScriptExecutionDisabled', value=False)

    def test_pages_work_without_scripts(self):
        self.without_scripts()
        self.show('guides/application/middleware.html')
        self.assertTrue(self.browser.find('h1').text())
        hidden = self.browser.find('.theme')
        self.assertEqual(hidden.text(), '')
        self.assertEqual(self.browser.find('.version').text(), project_version())

    def shown_tabs(self):
        """Returns the headings of the tabs with visible text."""
        return self.browser.run("""
            return [...document.querySelectorAll('.tab')]
              .filter((tab) => tab.querySelector('p, pre').checkVisibility())
              .map((tab) => tab.querySelector('h2').id)""")

    def show_tabs(self, *where):
        """Opens the page with tabs, without an earlier choice."""
        self.show('index.html')
        self.browser.run('localStorage.clear()')
        self.show(*where or ('get-started/install.html',))

    def test_tabs_show_one_section_and_follow_the_mouse(self):
        for width in WIDTHS:
            with self.subTest(width=width):
                self.show_tabs('get-started/install.html', width)
                self.assertEqual(self.shown_tabs(), ['from-source'])
                self.browser.find('[role=tab]:nth-child(5)').click()
                self.assertEqual(self.shown_tabs(), ['conan'])

    def test_tabs_follow_the_keyboard(self):
        self.show_tabs()
        self.browser.run("document.querySelector('[role=tab]').focus()")
        for key, shown in (('\ue014', 'debian-packages'), ('\ue012', 'from-source'),
                           ('\ue012', 'docker'), ('\ue014', 'from-source'), ('\ue010', 'docker'),
                           ('\ue011', 'from-source')):
            self.browser.find('[role=tab]:focus').type(key)
            self.assertEqual(self.shown_tabs(), [shown])
            self.assertEqual(self.browser.run("""
                return [document.activeElement.getAttribute('aria-selected'),
                  document.getElementById(document.activeElement.getAttribute('aria-controls'))
                    .querySelector('h2').id,
                  document.querySelectorAll('[role=tab][tabindex="0"]').length]"""),
                             ['true', shown, 1])
        self.browser.find('[role=tab]:focus').type('\ue004')  # Tab leaves the list
        self.assertEqual(self.browser.run('return document.activeElement.role'), 'tabpanel')
        self.assertEqual(len(self.browser.find_all('[role=tabpanel][tabindex="0"]')), 1)

    def test_tabs_remember_the_choice(self):
        self.show_tabs()
        self.browser.find('[role=tab]:nth-child(6)').click()
        self.show('get-started/install.html')
        self.assertEqual(self.shown_tabs(), ['vcpkg'])

    def test_a_link_to_a_heading_shows_its_tab(self):
        self.show_tabs('get-started/install.html#conan')
        self.assertEqual(self.shown_tabs(), ['conan'])
        self.browser.run("location.hash = '#docker'")
        self.browser.until(lambda: self.shown_tabs() == ['docker'], 'the tab')
        self.show('get-started/install.html')  # following a link does not change the choice
        self.assertEqual(self.shown_tabs(), ['from-source'])

    def test_all_tabs_are_shown_on_paper_and_without_scripts(self):
        self.show_tabs()
        self.browser.tools('Emulation.setEmulatedMedia', media='print')
        printed = self.shown_tabs()
        self.assertFalse(self.browser.run(
            "return document.querySelector('[role=tablist]').checkVisibility()"))
        self.browser.tools('Emulation.setEmulatedMedia', media='')
        self.assertEqual(len(printed), 7)
        self.without_scripts()
        self.show('get-started/install.html')
        self.assertEqual(len([each for each in self.browser.find_all('.tab h2') if each.text()]), 7)
        self.assertEqual(self.browser.find_all('[role=tablist]'), [])

    def test_without_versions_only_the_version_is_shown(self):
        self.show('get-started/faq.html')
        self.browser.until(lambda: self.browser.run("""
            return performance.getEntriesByType('resource')
              .some((each) => each.name.endsWith('/versions.json') && each.responseEnd)"""),
                           'the request for versions.json')
        self.assertEqual(self.browser.find('.version').text(), project_version())
        self.assertEqual(self.browser.find_all('.version details'), [])


class Versions(Shown):
    """An old version and the latest one, published next to each other."""
    OLD = '0.0.9'

    @classmethod
    def folder(cls):
        old = make_site('--version', cls.OLD, '--address', f'https://eider.example/{cls.OLD}',
                        name=cls.OLD)
        (old.parent / 'latest').symlink_to(SITE)
        cls.old = old
        cls.published = old.parent / 'versions.json'
        return old.parent

    def publish(self, latest, *others):
        """Writes versions.json."""
        self.published.write_text(json.dumps({'latest': latest, 'versions': [latest, *others]}))

    def setUp(self):
        self.publish(project_version(), self.OLD)
        self.browser.tools('Network.setCacheDisabled', cacheDisabled=True)

    def test_the_keyboard_opens_the_same_page_of_another_version(self):
        for width in WIDTHS:
            with self.subTest(width=width):
                self.show('latest/get-started/faq.html', width)
                self.browser.find('.version summary').type('\ue007')  # Enter
                self.assertEqual([each.text() for each in self.browser.find_all('.version a')],
                                 [f'{project_version()} (latest)', self.OLD])
                self.browser.find('.version li:last-child a').type('\ue007')
                address = f'{self.base}{self.OLD}/get-started/faq.html'
                self.browser.until(lambda: self.browser.address() == address, address)
                self.assertEqual(self.browser.find('.version summary').text(), self.OLD)

    def test_escape_closes_the_versions(self):
        self.show('latest/index.html')
        summary = self.browser.find('.version summary')
        summary.type('\ue007')
        self.browser.find('.version [open] li:last-child a').type('\ue00c')  # Escape
        self.assertEqual(self.browser.find_all('.version [open]'), [])
        self.assertEqual(self.browser.run('return document.activeElement.tagName'), 'SUMMARY')

    def test_a_page_that_a_version_lacks_leads_to_its_home_page(self):
        page = self.old / 'get-started/faq.html'
        page.rename(page.with_suffix('.kept'))
        self.addCleanup(page.with_suffix('.kept').rename, page)
        self.show('latest/get-started/faq.html')
        self.browser.find('.version summary').click()
        self.browser.until(lambda: self.browser.run(
            "return document.querySelector('.version li:last-child a').href") ==
            f'{self.base}{self.OLD}/', 'the link to the home page')

    def test_old_versions_link_to_the_latest(self):
        self.show(f'{self.OLD}/get-started/faq.html')
        self.assertEqual(self.browser.find('.outdated').text(), f'This page is about Eider '
                         f'{self.OLD}. Open it for {project_version()}, the latest version.')
        self.browser.find('.outdated a').click()
        self.browser.until(lambda: self.browser.address().endswith('/latest/get-started/faq.html'),
                           'the latest version')
        self.browser.find('.version summary')
        self.assertEqual(self.browser.find_all('.outdated'), [])

    def test_canonical_links_lead_to_the_latest(self):
        for name, to in (('get-started/faq.html', 'get-started/faq.html'), ('index.html', ''),
                         ('howto/rules.html', 'guides/requests/validation.html')):
            with self.subTest(name):
                self.assertIn(f'rel="canonical" href="https://eider.example/latest/{to}"',
                              (self.old / name).read_text())
        self.assertIn(f'(https://eider.example/{self.OLD}/get-started/faq.md)',
                      (self.old / 'llms.txt').read_text())
        self.assertFalse((self.old / 'sitemap.xml').exists())

    def test_a_version_that_is_no_folder_is_rejected(self):
        self.publish(project_version(), '../../other')
        self.show('latest/index.html')
        self.browser.until(lambda: self.browser.run("""
            return performance.getEntriesByType('resource')
              .some((each) => each.name.endsWith('/versions.json') && each.responseEnd)"""),
                           'the request for versions.json')
        self.browser.run("return document.querySelector('h1').textContent")
        self.assertEqual(self.browser.find_all('.version details'), [])

    def test_axe_core_finds_no_fault_in_the_versions(self):
        for width, scheme in ((390, 'dark'), (1280, 'light')):
            with self.subTest(width=width, scheme=scheme):
                self.show(f'{self.OLD}/get-started/faq.html', width, scheme)
                self.browser.find('.version summary').click()
                self.assertEqual(self.axe_faults(), [])


if __name__ == '__main__':
    unittest.main()

#!/usr/bin/env python3
"""A developer saves templates, and a browser shows them; an attacker writes to the guest book.
argv[1]: the build's bin directory, or that of support.py.
Needs chromium and chromedriver; reports if they are missing.
"""

import pathlib
import shutil
import sys
import tempfile
import time
import urllib.parse

import support
import webdriver

PATIENCE = 10
PAGES = support.ROOT / "examples/17_templates/pages"
HOSTILE = {"name": "<b>Eve</b>", "text": "\"'><img src=x onerror=window.hit=1><script>window.hit=1"
                                         "</script>{{ title }}",
           "home": "javascript:window.hit=1"}


def address_of(service):
    return f"http://127.0.0.1:{service.port}/"


def heading(browser):
    return browser.run("const h = document.querySelector('h1'); return h && h.textContent")


def shows_what_is_saved(browser, service, pages):
    browser.open(address_of(service))
    assert heading(browser) == "Guest book", heading(browser)
    page = pages / "book.html"
    text = page.read_text()
    for turn in range(3):
        page.write_text(text.replace("<h1>{{ title }}</h1>", f"<h1>Turn {turn}</h1>"))
        began = time.monotonic()
        browser.until(lambda wanted=f"Turn {turn}": heading(browser) == wanted, "a saved page",
                      PATIENCE)
        print(f"saved and shown within {time.monotonic() - began:.2f} s")
    page.write_text(text)
    browser.until(lambda: heading(browser) == "Guest book", "the page as it was", PATIENCE)


def says_what_is_wrong_and_goes_on(browser, service, pages):
    page = pages / "book.html"
    text = page.read_text()
    page.write_text(text.replace("{{ title }}", "{{ titel }}"))
    browser.until(lambda: heading(browser) == "A template has an error", "the error", PATIENCE)
    told = browser.find("pre").text()
    assert "book.html:5:21: unknown member titel in BookPage; did you mean title?" in told, told
    page.write_text(text)
    browser.until(lambda: heading(browser) == "Guest book", "the mended page", PATIENCE)


def runs_nothing_of_a_guest(browser, service, _):
    status, _, answer = service.ask("POST", "/entries", urllib.parse.urlencode(HOSTILE),
                                    {"Content-Type": "application/x-www-form-urlencoded"})
    assert status == 303, answer
    browser.open(address_of(service))
    article = browser.find("article").text()
    assert HOSTILE["name"] in article and HOSTILE["text"] in article, article
    browser.find("article a").click()
    assert browser.run("return window.hit") is None
    assert browser.find_all("article b, article img, article script")[1:] == []


def is_the_same_in_production(service, production):
    for each in (service, production):
        each.ask("POST", "/entries", urllib.parse.urlencode(HOSTILE),
                 {"Content-Type": "application/x-www-form-urlencoded"})
    for path in ("/", "/entries"):
        pages = [each.ask("GET", path)[2].decode() for each in (service, production)]
        walked, _, tag = pages[0].partition('<script src="/_eider/reload.js"')
        _, _, rest = tag.partition("></script>")
        assert "_eider" not in pages[1]
        assert walked + rest == pages[1], pages
    assert production.ask("GET", "/_eider/reload")[0] == 404


def main():
    if len(sys.argv) > 1:
        support.BIN = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as directory:
        pages = pathlib.Path(directory) / "pages"
        shutil.copytree(PAGES, pages)
        arguments = ("17_templates", "--port", "{port}")
        with support.Program(*arguments, "--development", "--templates", str(pages)) as service, \
                support.Program(*arguments) as production:
            is_the_same_in_production(service, production)
            print("ok: is_the_same_in_production")
            assert production.stop() == 0
        with support.Program(*arguments, "--development", "--templates", str(pages)) as service:
            if not webdriver.is_installed():
                print("skipped: chromium and chromedriver are not installed")
                return
            with webdriver.Browser() as browser:
                for check in (shows_what_is_saved, says_what_is_wrong_and_goes_on,
                              runs_nothing_of_a_guest):
                    check(browser, service, pages)
                    print(f"ok: {check.__name__}")
                # An open event stream does not delay the shutdown.
                assert service.stop() == 0


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A user with a browser writes notes, reads, edits, stars and deletes them, with SQLite and with
PostgreSQL.
argv[1]: the build's bin directory, or that of support.py.
Needs chromium and chromedriver; reports if they are missing.
"""

import os
import pathlib
import sys
import tempfile
import urllib.parse

import support
import webdriver
from postgres_support import PostgresServer

# Harmful if it were parsed as markup.
TITLE = "Tea & <b>cake</b> \"now\" 'here'"
BODY = "</textarea><script>document.title = 'taken over'</script>\nsecond line – größer"


ENTER = "\ue007"


def address_of(service, path="/"):
    return f"http://127.0.0.1:{service.port}{path}"


def write_note(browser, title, body):
    browser.find("#title").type(title)
    browser.find("#body").type(body)
    browser.find(".composer .primary").click()
    browser.until(lambda: "#note-" in browser.address(), "the note to be added")


def reads_back_what_was_written(browser, service):
    browser.open(address_of(service))
    assert "first note is yours" in browser.find(".empty").text()
    write_note(browser, TITLE, BODY)
    assert browser.find(".note h2").text() == TITLE
    assert browser.find(".note .text").text() == BODY
    assert browser.command("GET", "/title") == "Notes"


def refuses_an_empty_title_and_keeps_the_text(browser, service):
    browser.open(address_of(service))
    browser.find("#body").type("typed for nothing?")
    browser.find("#title").type("   ")
    browser.find(".composer .primary").click()
    assert browser.find("#title-error").text() == "Give the note a title."
    assert browser.find("#body").value() == "typed for nothing?"


def gives_and_takes_stars(browser, service):
    browser.open(address_of(service))
    browser.find_all(".stars button")[3].click()
    browser.until(lambda: len(browser.find_all(".stars .lit")) == 4, "four stars")
    browser.find_all(".stars button")[3].click()
    browser.until(lambda: len(browser.find_all(".stars .lit")) == 0, "no stars")


def edits(browser, service):
    browser.open(address_of(service))
    browser.find(".note h2 a").click()
    body = browser.find("#body")
    assert body.value() == BODY
    title = browser.find("#title")
    assert title.value() == TITLE
    title.clear()
    title.type("Another title")
    browser.find(".choice input[value='2']").click()
    browser.find(".primary").click()
    browser.until(lambda: "#note-" in browser.address(), "the note to be saved")
    assert browser.find(".note h2").text() == "Another title"
    assert browser.find(".note .text").text() == BODY
    assert len(browser.find_all(".stars .lit")) == 2


def counts_requests_live(browser, service):
    browser.open(address_of(service))
    before = int(browser.find("#requests").text())
    for _ in range(5):
        service.ask("GET", "/api/v1/notes")
    browser.until(lambda: int(browser.find("#requests").text()) >= before + 5, "the live counter")


def follows_light_and_dark(browser, service):
    browser.open(address_of(service))
    browser.follows_light_and_dark()


def fits(browser, service, width):
    for path in ("/", "/notes/1"):
        browser.open(address_of(service, path))
        browser.find(".card")
        wide = browser.run("return document.documentElement.scrollWidth")
        assert wide <= width, f"{path} is {wide} pixels wide"


def fits_a_large_screen(browser, service):
    for width in (768, 1600):
        browser.tools("Emulation.setDeviceMetricsOverride",
                      width=width, height=900, deviceScaleFactor=1, mobile=False)
        fits(browser, service, width)
    browser.tools("Emulation.clearDeviceMetricsOverride")


def is_used_by_keyboard_and_without_script(browser, service):
    browser.tools("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(address_of(service))
    browser.find("#title").type("   ")
    browser.find("#body").type("by keyboard")
    browser.find("#title").type(ENTER)
    assert browser.find("#title-error").text() == "Give the note a title."
    browser.find("#title").type("Typed" + ENTER)
    browser.until(lambda: "#note-" in browser.address(), "the note to be added")
    assert "Added" in browser.find(".message").text()
    assert browser.find(".note h2").text() == "Typed"
    assert browser.find(".note .text").text() == "by keyboard"
    browser.find(".note summary").type(ENTER)
    browser.find(".note .danger").type(ENTER)
    browser.until(lambda: "Deleted" in browser.find(".message").text(), "the note to be gone")
    browser.tools("Emulation.setScriptExecutionDisabled", value=False)


def fits_a_phone(browser, service):
    browser.tools(
        "Emulation.setDeviceMetricsOverride",
        width=360, height=740, deviceScaleFactor=2, mobile=True,
    )
    fits(browser, service, 360)
    browser.tools("Emulation.clearDeviceMetricsOverride")


def deletes_after_asking(browser, service):
    browser.open(address_of(service))
    count = len(browser.find_all(".note"))
    assert browser.run("return document.querySelector('.note .danger').checkVisibility()") is False
    browser.find(".note summary").click()
    browser.find(".note .danger").click()
    browser.until(lambda: len(browser.find_all(".note")) == count - 1, "the note to be gone")


def turns_pages(browser, service):
    token, cookie = support.token_of(service)
    for number in range(13):
        form = urllib.parse.urlencode({"title": f"Note {number}", "body": "", **token})
        kind = {"Content-Type": "application/x-www-form-urlencoded", **cookie}
        assert service.ask("POST", "/notes", form, kind)[0] == 303
    browser.open(address_of(service))
    assert len(browser.find_all(".note")) == 12
    browser.find(".pager a[rel=next]").click()
    browser.until(lambda: "page=2" in browser.address(), "the second page")
    assert len(browser.find_all(".note")) >= 1


CHECKS = [
    reads_back_what_was_written,
    refuses_an_empty_title_and_keeps_the_text,
    gives_and_takes_stars,
    edits,
    counts_requests_live,
    follows_light_and_dark,
    fits_a_phone,
    fits_a_large_screen,
    is_used_by_keyboard_and_without_script,
    deletes_after_asking,
    turns_pages,
]


def start(database):
    """Returns the service with that database, which its migrations create."""
    return support.Program("notes", "--port", "{port}", environment=database)


def uses(browser, database, name):
    """Runs all steps, and then checks the data after a restart of the service."""
    with start(database) as service:
        for check in CHECKS:
            check(browser, service)
            print(f"ok: {check.__name__} ({name})")
        assert service.stop() == 0
    with start(database) as service:
        browser.open(address_of(service))
        assert len(browser.find_all(".note")) == 12
        assert service.stop() == 0
        print(f"ok: the notes are there after a restart ({name})")


def main():
    if not webdriver.is_installed():
        print("skipped: chromium and chromedriver are not installed")
        return
    if len(sys.argv) > 1:
        support.BIN = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as directory, PostgresServer() as server:
        file = os.path.join(directory, "notes.db")
        for name, database in (("SQLite", {"NOTES_DATABASE_FILE": file}),
                               ("PostgreSQL", {"NOTES_DATABASE": server.where})):
            with webdriver.Browser() as browser:
                uses(browser, database, name)


if __name__ == "__main__":
    main()

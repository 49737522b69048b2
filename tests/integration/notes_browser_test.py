#!/usr/bin/env python3
"""A person with a browser writes notes, reads them back, edits, stars and deletes them.
argv[1]: the build's bin directory, or that of support.py.
Needs chromium and chromedriver; says so when they are missing."""

import os
import pathlib
import sys
import tempfile

import support
import webdriver

# What would do harm if it were taken as markup.
TITLE = "Tea & <b>cake</b> \"now\" 'here'"
BODY = "</textarea><script>document.title = 'taken over'</script>\nsecond line – größer"


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
    assert browser.find("#title-fault").text() == "Give it a title."
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


def fits_a_phone(browser, service):
    browser.tools(
        "Emulation.setDeviceMetricsOverride",
        width=360, height=740, deviceScaleFactor=2, mobile=True,
    )
    for path in ("/", "/notes/1"):
        browser.open(address_of(service, path))
        browser.find(".card")
        wide = browser.run("return document.documentElement.scrollWidth")
        assert wide <= 360, f"{path} is {wide} pixels wide"
    browser.tools("Emulation.clearDeviceMetricsOverride")


def deletes_after_asking(browser, service):
    browser.open(address_of(service))
    count = len(browser.find_all(".note"))
    assert browser.run("return document.querySelector('.note .danger').checkVisibility()") is False
    browser.find(".note summary").click()
    browser.find(".note .danger").click()
    browser.until(lambda: len(browser.find_all(".note")) == count - 1, "the note to be gone")


def turns_pages(browser, service):
    for number in range(13):
        form = f"title=Note+{number}&body="
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
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
    deletes_after_asking,
    turns_pages,
]


def start(directory):
    """The service over notes.db in that directory."""
    database = {"NOTES_DATABASE_FILE": os.path.join(directory, "notes.db")}
    return support.Program("notes", "--port", "{port}", environment=database)


def main():
    if not webdriver.is_installed():
        print("skipped: chromium and chromedriver are not installed")
        return
    if len(sys.argv) > 1:
        support.BIN = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as directory, webdriver.Browser() as browser:
        with start(directory) as service:
            for check in CHECKS:
                check(browser, service)
                print(f"ok: {check.__name__}")
            assert service.stop() == 0
        with start(directory) as service:
            browser.open(address_of(service))
            assert len(browser.find_all(".note")) == 12
            assert service.stop() == 0
            print("ok: the notes are there after a restart")


if __name__ == "__main__":
    main()

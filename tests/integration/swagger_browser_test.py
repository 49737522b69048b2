#!/usr/bin/env python3
"""A user reads the pages of Swagger UI for the notes' API in a browser, and tries the API there.
argv[1]: the build's bin directory, or that of support.py.
Needs chromium and chromedriver, and notes built with the component swagger; reports if they are
missing.
"""

import base64
import json
import os
import pathlib
import sys
import tempfile

import support
import webdriver

GROUND = "return getComputedStyle(document.documentElement).backgroundColor"


def address_of(service):
    return f"http://127.0.0.1:{service.port}/docs"


def requested(browser):
    """Returns the URLs that the browser has requested since the last call."""
    return [event["request"]["url"] for event in browser.told("Network.requestWillBeSent")]


def shows_each_operation(browser, service):
    browser.open(address_of(service))
    browser.find(".opblock-summary")
    assert browser.find(".title").text().startswith("Notes"), browser.find(".title").text()
    told = [each.text() for each in browser.find_all(".opblock-summary-description")]
    assert told == ["Lists notes", "Adds a note", "Finds a note", "Replaces a note",
                    "Removes a note"], told


def asks_nobody_else(browser, service):
    requested(browser)
    browser.open(address_of(service))
    browser.find(".opblock-summary")
    asked = requested(browser)
    own = f"http://127.0.0.1:{service.port}/"
    assert any(url.startswith(own + "docs/swagger-ui-bundle.") for url in asked), asked
    assert all(url.startswith((own, "data:")) for url in asked), asked


def keeps_to_its_policy(browser, service):
    listen = """window.refused = [];
        document.addEventListener('securitypolicyviolation',
            event => window.refused.push(event.violatedDirective + ' ' + event.blockedURI));"""
    browser.tools("Page.addScriptToEvaluateOnNewDocument", source=listen)
    browser.open(address_of(service))
    browser.find(".opblock-post .opblock-summary-control").click()
    browser.find(".opblock-post .opblock-body")
    refused = browser.run("return window.refused")
    assert refused == [], refused


def tries_the_example_out(browser, service):
    browser.open(address_of(service))
    browser.find(".opblock-post .opblock-summary-control").click()
    browser.find(".opblock-post .try-out__btn").click()
    example = json.loads(browser.find(".opblock-post textarea").value())
    assert example == {"title": "Milk", "body": "Two bottles.", "stars": 3}, example
    browser.find(".opblock-post .execute").click()
    answer = ".opblock-post .live-responses-table .response .response-col_status"
    status = browser.find(answer).text()
    assert status.startswith("201"), status
    found = json.loads(service.ask("GET", "/api/v1/notes/1")[2])
    assert found["title"] == "Milk", found


def follows_light_and_dark(browser, service):
    browser.open(address_of(service))
    browser.find(".opblock-summary")
    grounds = []
    for scheme in ("light", "dark"):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        browser.tools("Emulation.setEmulatedMedia", features=[feature])
        browser.until(lambda wanted=scheme: wanted == (
            "dark" if browser.run("return document.documentElement.classList"
                                  ".contains('dark-mode')") else "light"), scheme)
        grounds.append(browser.run(GROUND))
        keep_picture(browser, scheme)
    browser.tools("Emulation.setEmulatedMedia", features=[])
    assert grounds[0] != grounds[1], grounds


def keep_picture(browser, name):
    """Stores a screenshot, if EIDER_PICTURES names a directory."""
    directory = os.environ.get("EIDER_PICTURES")
    if directory:
        picture = base64.b64decode(browser.command("GET", "/screenshot"))
        (pathlib.Path(directory) / f"swagger_{name}.png").write_bytes(picture)


CHECKS = [shows_each_operation, asks_nobody_else, keeps_to_its_policy, tries_the_example_out,
          follows_light_and_dark]


def main():
    if not webdriver.is_installed():
        print("skipped: chromium and chromedriver are not installed")
        return
    if len(sys.argv) > 1:
        support.BIN = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as directory, webdriver.Browser() as browser:
        database = {"NOTES_DATABASE_FILE": os.path.join(directory, "notes.db")}
        with support.Program("notes", "--port", "{port}", environment=database) as service:
            if service.ask("GET", "/docs")[0] == 404:
                print("skipped: notes is built without the component swagger (EIDER_SWAGGER)")
                return
            for check in CHECKS:
                check(browser, service)
                print(f"ok: {check.__name__}")
            assert service.stop() == 0


if __name__ == "__main__":
    main()

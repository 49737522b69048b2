#!/usr/bin/env python3
"""The chat over HTTPS in a browser: page and WebSocket share one HTTP/2 connection (RFC 8441).
argv[1]: the build's bin directory, or that of support.py.
Needs chromium and chromedriver; reports if they are missing. Must not store screenshots.
"""

import pathlib
import sys

import support
import webdriver
from chat_browser_test import ENTER, people, say, texts


def enter(browser, port, name):
    browser.open(f"https://localhost:{port}/r/tea")
    browser.find("#name").type(name + ENTER)
    browser.until(lambda: "Connected" in browser.find("#state").text(), f"{name} to be let in")


def check(ada, bob, port):
    enter(ada, port, "Ada")
    enter(bob, port, "Bob")
    ada.until(lambda: people(ada) == ["Ada (you)", "Bob"], "Bob among the people")
    say(ada, "Hello Bob")
    bob.until(lambda: "Hello Bob" in texts(bob), "the message")
    versions = ada.run("return performance.getEntries().map((e) => e.nextHopProtocol || '')")
    assert "h2" in versions and "http/1.1" not in versions, versions
    # As reported by the browser: 200 means a stream of an existing HTTP/2 connection, 101 a new
    # connection. Counting connections is not reliable, because the browser opens spare ones.
    opened = ada.told("Network.webSocketHandshakeResponseReceived")
    assert [each["response"]["status"] for each in opened] == [200], opened


def main():
    if not webdriver.is_installed():
        print("skipped: chromium and chromedriver are not installed")
        return
    if len(sys.argv) > 1:
        support.BIN = pathlib.Path(sys.argv[1]).resolve()
    port = support.free_port()
    with webdriver.Browser() as ada, webdriver.Browser() as bob:
        with support.Program("chat", "--port", "{port}", "--tls-port", str(port)) as service:
            check(ada, bob, port)
            print("ok: a WebSocket shares the connection of its page")
            assert service.stop() == 0


if __name__ == "__main__":
    main()

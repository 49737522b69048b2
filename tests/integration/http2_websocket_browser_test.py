#!/usr/bin/env python3
"""The chat over HTTPS in a browser: page and WebSocket share one HTTP/2 connection (RFC 8441).
argv[1]: the build's bin directory, or that of support.py.
Needs chromium and chromedriver; says so when they are missing. Must not keep pictures of pages."""

import pathlib
import sys

import support
import webdriver
from chat_browser_test import ENTER, people, say, texts

ESTABLISHED = "01"


def connections_to(port):
    """How many of them this machine's clients have, as the kernel lists them."""
    ending = f":{port:04X}"
    count = 0
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in pathlib.Path(table).read_text(encoding="ascii").splitlines()[1:]:
            _, _, remote, state = line.split()[:4]
            count += remote.endswith(ending) and state == ESTABLISHED
    return count


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
    count = connections_to(port)
    assert count == 2, f"{count} connections of two browsers: the sockets have their own"


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

#!/usr/bin/env python3
"""A user signs up, logs in, enters wrong passwords, resets the password, changes the address and
logs out everywhere, in a browser.
argv[1]: the build's bin directory, or that of support.py.
Needs chromium and chromedriver; reports if they are missing.
"""

import email
import email.policy
import pathlib
import re
import sys
import tempfile
import urllib.parse
import urllib.request

import support
import webdriver

ANN = "ann@example.org"
NEW = "ann@new.example.org"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Person:
    """A user with a browser and a mailbox."""

    def __init__(self, browser, service, mails):
        self.browser, self.service, self.mails = browser, service, mails
        self.seen = set()

    def open(self, path):
        self.browser.open(f"http://localhost:{self.service.port}{path}")

    def fill(self, path, **fields):
        """Opens the page and sends its form."""
        self.open(path)
        self.send(**fields)

    def send(self, **fields):
        for name, value in fields.items():
            self.browser.find(f"[name={name}]").type(value)
        self.browser.find("form button").click()

    def text(self):
        """Returns the text of the current page; elements of the previous one may already be
        gone."""
        return self.browser.run("const m = document.querySelector('main'); "
                                "return m ? m.innerText : ''")

    def says(self, text):
        return self.browser.until(lambda: text in self.text(), text)

    def link(self, to=ANN):
        """Returns the link in the next mail with one."""
        def look():
            for path in sorted(set(self.mails.glob("*.eml")) - self.seen):
                message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
                self.seen.add(path)
                found = re.search(r"http://\S+#\S+", message.get_content())
                if found:
                    assert message["To"] == to, message["To"]
                    return found[0]
            return None
        return self.browser.until(look, "a mail with a link")


def signs_up_and_confirms(person):
    person.fill("/sign-up", email=ANN)
    person.says("Look into your mailbox.")
    link = person.link()
    # A program that opens all links of mails before their readers must not use them up.
    for _ in range(3):
        with urllib.request.urlopen(link) as reply:
            assert reply.status == 200
    person.browser.open(link)
    person.browser.until(lambda: "#" not in person.browser.address(), "an address without a token")
    assert person.browser.find("[name=token]").value() == link.partition("#")[2]
    # A rejected form does not use the link up.
    person.send(password="short")
    person.says("at least 8 characters")
    person.browser.open("about:blank")
    person.browser.open(link)
    person.browser.until(lambda: "#" not in person.browser.address(), "an address without a token")
    person.send(password="correct horse")
    person.says("You have an account: log in.")
    return link


def logs_in(person, password, email=ANN):
    person.fill("/log-in", email=email, password=password)
    person.says(f"Hello, {email}")


def moves(person, password):
    """Opens the link to another address without a login: it leads to the login page and back."""
    person.fill("/new-address", email=NEW, password=password)
    person.says("Look into the new mailbox.")
    link = person.link(NEW)
    person.open("/")
    person.browser.find("#log-out").click()
    person.says("Hello, guest")
    person.browser.open(link)
    person.browser.until(lambda: "/log-in" in person.browser.address(), "a login")
    person.send(email=ANN, password=password)
    person.browser.until(lambda: person.browser.address().endswith("/address"),
                         "an address without a token")
    assert person.browser.find("[name=token]").value() == link.partition("#")[2]
    person.browser.find("form button").click()
    person.says(f"Hello, {NEW}")
    return link


def is_slowed_down(person):
    for _ in range(12):
        person.fill("/log-in", email=ANN, password="wrong wrong")
        person.browser.until(lambda: person.browser.find_all("main .error"), "an answer")
        if "is wrong" not in person.text():
            return
    raise AssertionError("guesses are not slowed down")


def resets(person):
    person.fill("/forgotten", email=ANN)
    person.says("If there is an account")
    link = person.link()
    person.browser.open(link)
    person.browser.until(lambda: "#" not in person.browser.address(), "an address without a token")
    person.send(password="battery staple")
    person.says("You have a new password: log in.")
    # A link is valid only once.
    person.browser.open("about:blank")
    person.browser.open(link)
    person.browser.until(lambda: "#" not in person.browser.address(), "an address without a token")
    person.send(password="hacked hacked")
    person.says("was already used")
    return link


def other_device(service, password):
    """Returns the cookie of a program that has logged in."""
    _, headers, _ = service.ask("POST", "/log-in", urllib.parse.urlencode(
        {"email": ANN, "password": password}), FORM)
    assert "session=" in headers.get("Set-Cookie", ""), headers
    return headers["Set-Cookie"].split(";")[0]


def is_in(service, cookie):
    return f"Hello, {ANN}".encode() in service.ask("GET", "/", None, {"Cookie": cookie})[2]


def run(browser, service, mails):
    person = Person(browser, service, mails)
    links = [signs_up_and_confirms(person)]
    logs_in(person, "correct horse")
    thief = other_device(service, "correct horse")
    assert is_in(service, thief)
    browser.find("#log-out").click()
    person.says("Hello, guest")
    assert is_in(service, thief)
    print("ok: signs up, confirms, logs in and out")
    is_slowed_down(person)
    print("ok: is slowed down")
    links.append(resets(person))
    assert not is_in(service, thief), "a reset ends all sessions"
    logs_in(person, "battery staple")
    print("ok: resets")
    other = other_device(service, "battery staple")
    person.open("/")
    browser.find("#everywhere").click()
    person.says("Hello, guest")
    assert not is_in(service, other)
    print("ok: logs out everywhere")
    logs_in(person, "battery staple")
    links.append(moves(person, "battery staple"))
    print("ok: moves")
    said = service.said()
    for link in links:
        assert link.partition("#")[2] not in said, "a token is in the log"
    assert "POST /reset" in said and "password=" not in said
    print("ok: no token is in the log")


def main():
    if len(sys.argv) > 1:
        support.BIN = pathlib.Path(sys.argv[1]).resolve()
    if not webdriver.is_installed():
        print("skipped: chromium and chromedriver are not installed")
        return
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        mails = directory / "mails"
        port = support.free_port()
        service = support.Program("24_accounts", "--port", str(port), "--origin",
                                  f"http://localhost:{port}", "--database-file",
                                  str(directory / "accounts.db"), "--mail-files", str(mails))
        service.port = port
        with service, webdriver.Browser() as browser:
            run(browser, service, mails)
            assert service.stop() == 0


if __name__ == "__main__":
    main()

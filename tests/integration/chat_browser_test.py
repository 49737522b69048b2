#!/usr/bin/env python3
"""Two users with a browser each meet in a room, talk, lose their connection and reconnect.
argv[1]: the build's bin directory, or that of support.py.
Needs chromium and chromedriver; reports if they are missing. Must not store screenshots.
"""

import pathlib
import sys

import support
import webdriver

# Harmful if it were parsed as markup.
TEXT = "<img src=x onerror=\"document.title = 'taken over'\"> & 'größer' 🎉"
ENTER = "\ue007"


def address_of(service, path="/r/tea"):
    return f"http://127.0.0.1:{service.port}{path}"


def enter(browser, service, name):
    browser.open(address_of(service))
    browser.find("#name").type(name + ENTER)
    browser.until(lambda: "Connected" in browser.find("#state").text(), f"{name} to be let in")


def texts(browser):
    """Returns the texts of the messages on the page, in order."""
    return browser.run("return [...document.querySelectorAll('.message .text')]"
                       ".map((text) => text.textContent)")


def people(browser):
    return browser.run("return [...document.querySelectorAll('#people span:last-child')]"
                       ".map((name) => name.textContent)")


def notes(browser):
    return browser.run("return [...document.querySelectorAll('.note')].map((n) => n.textContent)")


def say(browser, text):
    """Types a text; inserts characters beyond the basic plane, which chromedriver cannot type."""
    field = browser.find("#text")
    if all(ord(letter) < 0x10000 for letter in text):
        field.type(text + ENTER)
        return
    browser.run(f"document.getElementById('text').value = {text!r}")
    browser.find("#say button").click()


def until_said(browser, text):
    browser.until(lambda: text in texts(browser), f"{text} on the page")


def sees_who_is_there(ada, bob, service):
    enter(ada, service, "Ada")
    enter(bob, service, "Bob")
    ada.until(lambda: people(ada) == ["Ada (you)", "Bob"], "Bob among the people")
    bob.until(lambda: people(bob) == ["Ada", "Bob (you)"], "both among the people")
    assert "Bob joined" in notes(ada), notes(ada)


def hears_each_other(ada, bob, service):
    say(ada, "Hello Bob")
    until_said(bob, "Hello Bob")
    say(bob, "Hello Ada")
    until_said(ada, "Hello Ada")
    for browser in (ada, bob):
        assert texts(browser) == ["Hello Bob", "Hello Ada"], texts(browser)
    assert ada.run("return document.querySelectorAll('.mine').length") == 1
    assert ada.run("return document.querySelectorAll('.pending').length") == 0


def takes_no_text_for_markup(ada, bob, service):
    say(ada, TEXT)
    until_said(bob, TEXT)
    assert bob.run("return document.querySelectorAll('#log img').length") == 0
    assert "taken over" not in bob.command("GET", "/title")
    refused = bob.run("try { document.body.innerHTML = '<b>x</b>'; return 'done'; }"
                      "catch (error) { return error.name; }")
    assert refused == "TypeError", refused


def sees_who_is_writing(ada, bob, service):
    ada.find("#text").type("Let me")
    bob.until(lambda: "Ada is writing" in bob.find("#writing").text(), "Ada to be seen writing")
    ada.find("#text").type(" think" + ENTER)
    bob.until(lambda: bob.find("#writing").text() == "", "Ada to have written")


def cannot_take_the_name_of_another(ada, bob, service):
    bob.find("#here summary").click()
    bob.run("document.getElementById('rename').click()")
    bob.find("#name").clear()
    bob.find("#name").type("ada" + ENTER)
    bob.until(lambda: "already in use" in bob.find("#join-error").text(), "the refusal")
    bob.find("#name").clear()
    bob.find("#name").type("Bob" + ENTER)
    bob.until(lambda: "Connected" in bob.find("#state").text(), "Bob to be let in")


def catches_up_after_a_loss(ada, bob, service):
    before = texts(bob)
    bob.run("dispatchEvent(new Event('offline'))")
    ada.until(lambda: people(ada) == ["Ada (you)"], "Bob to be gone")
    say(ada, "while you were away")
    until_said(ada, "while you were away")
    until_said(bob, "while you were away")
    assert texts(bob) == before + ["while you were away"], texts(bob)
    ada.until(lambda: people(ada) == ["Ada (you)", "Bob"], "Bob to be back")


def sends_later_what_was_said_without_connection(ada, bob, service):
    bob.run("dispatchEvent(new Event('offline'))")
    say(bob, "said into the void")
    until_said(ada, "said into the void")
    bob.until(lambda: not bob.find_all(".pending"), "the message to have arrived")
    assert texts(bob).count("said into the void") == 1
    assert texts(ada).count("said into the void") == 1


def finds_the_same_after_a_reload(ada, bob, service):
    before = texts(bob)
    bob.command("POST", "/refresh", {})
    bob.until(lambda: texts(bob) == before, "the same messages")
    bob.until(lambda: people(bob) == ["Ada", "Bob (you)"], "both among the people")


def says_when_it_was_too_fast_and_tries_again(ada, bob, service):
    for number in range(14):
        say(ada, f"quick {number}")
    ada.until(lambda: ada.find_all(".failed"), "a message that was not sent")
    assert "Too fast" in ada.find(".failed .fate").text()
    ada.until(lambda: len(ada.find_all(".pending")) == 0, "answers to all")
    ada.until(lambda: retries(ada), "the failed ones to be sent at last")
    until_said(bob, "quick 13")


def retries(browser):
    """Clicks a failed message; returns whether none is left."""
    buttons = browser.find_all(".failed button")
    if buttons:
        buttons[0].click()
    return not buttons and not browser.find_all(".pending")


def shows_the_room_in_the_lobby(ada, bob, service):
    bob.open(address_of(service, "/"))
    bob.until(lambda: bob.find(".rooms a").text().startswith("#tea"), "the room in the list")
    ada.until(lambda: "Bob left" in notes(ada), "Bob to have left")
    bob.find("#room").type("Other Room!" + ENTER)
    bob.until(lambda: bob.address().endswith("/r/other-room"), "the new room")


def follows_light_and_dark(ada, bob, service):
    ada.follows_light_and_dark()


def fits_a_phone(ada, bob, service):
    ada.tools("Emulation.setDeviceMetricsOverride",
              width=360, height=740, deviceScaleFactor=2, mobile=True)
    say(ada, "long" * 60)
    until_said(ada, "long" * 60)
    inside = ada.run("const { right, bottom } = document.querySelector('#say button')"
                     ".getBoundingClientRect(); return right <= 360 && bottom <= 740")
    assert inside, "the button to send is not on the screen"
    ada.find("#here summary").click()
    assert ada.run("return document.getElementById('rename').checkVisibility()")
    for path in (None, "/"):
        if path:
            ada.open(address_of(service, path))
        wide = ada.run("return document.documentElement.scrollWidth")
        assert wide <= 360, f"{path} is {wide} pixels wide"
    ada.tools("Emulation.clearDeviceMetricsOverride")


CHECKS = [
    sees_who_is_there,
    hears_each_other,
    takes_no_text_for_markup,
    sees_who_is_writing,
    cannot_take_the_name_of_another,
    catches_up_after_a_loss,
    sends_later_what_was_said_without_connection,
    finds_the_same_after_a_reload,
    says_when_it_was_too_fast_and_tries_again,
    shows_the_room_in_the_lobby,
    follows_light_and_dark,
    fits_a_phone,
]


def comes_back_after_a_restart(ada, port):
    """With a service that restarts on the same port."""
    again = support.Program("chat", "--port", str(port))
    again.port = port
    with again:
        ada.until(lambda: "Connected" in ada.find("#state").text(), "the page to come back", 40)
        say(ada, "after the restart")
        ada.until(lambda: not ada.find_all(".pending"), "the message to have arrived")
        assert "after the restart" in texts(ada)
        assert again.stop() == 0


def main():
    if not webdriver.is_installed():
        print("skipped: chromium and chromedriver are not installed")
        return
    if len(sys.argv) > 1:
        support.BIN = pathlib.Path(sys.argv[1]).resolve()
    with webdriver.Browser() as ada, webdriver.Browser() as bob:
        with support.Program("chat", "--port", "{port}", "--threads", "2") as service:
            for check in CHECKS:
                check(ada, bob, service)
                print(f"ok: {check.__name__}", flush=True)
            ada.open(address_of(service, "/r/again"))  # the page already knows the name
            ada.until(lambda: people(ada) == ["Ada (you)"], "Ada to be let in")
            assert service.stop() == 0
        comes_back_after_a_restart(ada, service.port)
        print("ok: comes_back_after_a_restart")


if __name__ == "__main__":
    main()

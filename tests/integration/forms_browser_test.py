#!/usr/bin/env python3
"""A user fills in a form: input is kept, errors are shown at their fields; with the keyboard only,
and without scripts.
argv[1]: the build's bin directory, or that of support.py.
Needs chromium and chromedriver; reports if they are missing.
"""

import pathlib
import sys

import support
import webdriver

HOSTILE = "\"><script>document.title = 'taken over'</script>"
TAB, SPACE, ENTER = "\ue004", "\ue00d", "\ue007"
FOCUSED = "return document.activeElement.id || document.activeElement.className"


def address_of(service):
    return f"http://localhost:{service.port}/"


def open_form(browser, service, checked=True):
    """Opens the form; not `checked`: without validation by the browser."""
    browser.open(address_of(service))
    browser.find("form")
    if not checked:
        browser.run("document.querySelector('form').noValidate = true")


def send(browser):
    browser.find(".actions button").click()


def set_value(browser, name, value):
    """Sets the value of a date field; typing it depends on the language."""
    browser.run(f"document.querySelector('[name=\"{name}\"]').value = '{value}'")


def fill_in(browser):
    browser.find("#name").type("Ann")
    browser.find("#email").type("ann@example.org")
    browser.find("[name=room][value=attic]").click()
    set_value(browser, "from", "2026-12-01")
    browser.find("#address-street").type("Main 1")
    browser.find("#address-city").type("Town")


def the_browser_keeps_the_rules(browser, service):
    open_form(browser, service)
    send(browser)
    invalid = browser.run("return document.querySelectorAll(':invalid:not(form, fieldset)').length")
    assert invalid > 4, invalid
    assert browser.run(FOCUSED) == "name"
    limits = browser.run("const g = document.getElementById('guests'); return [g.min, g.max]")
    assert limits == ["1", "4"], limits


def what_was_typed_stays_and_faults_stand_beside(browser, service):
    open_form(browser, service, checked=False)
    browser.find("#name").type(HOSTILE)
    browser.find("#email").type("nowhere")
    browser.run("document.getElementById('guests').type = 'text'")
    browser.find("#guests").clear()
    browser.find("#guests").type("abc")
    browser.find("[name=extras][value=parking]").click()
    browser.find("#wishes").type("two\nlines")
    send(browser)
    browser.find(".errors")
    assert browser.command("GET", "/title") == "Book a room"
    assert browser.find("#name").value() == HOSTILE
    assert browser.find("#guests").value() == "abc"
    assert browser.find("#wishes").value() == "two\nlines"
    assert browser.run("return document.querySelector('[value=parking]').checked")
    for name in ("email", "guests"):
        described = browser.run(
            f"const c = document.getElementById('{name}');"
            "return [c.getAttribute('aria-invalid'),"
            " document.getElementById(c.getAttribute('aria-describedby')).textContent]")
        assert described[0] == "true" and described[1], described
    assert browser.find("#guests-error").text() == "Must be an integer"


def the_summary_has_the_focus_and_leads_to_fields(browser, service):
    open_form(browser, service, checked=False)
    send(browser)
    browser.find(".errors")
    browser.until(lambda: browser.run(FOCUSED) == "errors", "the summary to have the focus")
    browser.find(".errors a[href='#address-city']").click()
    assert browser.run(FOCUSED) == "address-city"


def a_form_is_sent_once(browser, service):
    open_form(browser, service)
    fill_in(browser)
    send(browser)
    assert "the room is yours" in browser.find(".message").text()
    browser.command("POST", "/refresh", {})
    browser.find("form")
    assert browser.find_all(".message") == []
    assert browser.find("#name").value() == ""


def each_control_has_a_name(browser, service):
    open_form(browser, service)
    nameless = browser.run(
        "return [...document.querySelectorAll('input:not([type=hidden]), select, textarea')]"
        ".filter(c => !c.labels.length || !c.labels[0].textContent.trim()).map(c => c.name)")
    assert nameless == [], nameless
    doubled = browser.run("const ids = [...document.querySelectorAll('[id]')].map(e => e.id);"
                          "return ids.filter((id, i) => ids.indexOf(id) !== i)")
    assert doubled == [], doubled


def keys(browser, text):
    actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
    browser.command("POST", "/actions", {"actions": [{"type": "key", "id": "keys",
                                                      "actions": actions}]})


def a_keyboard_is_enough(browser, service):
    open_form(browser, service)
    set_value(browser, "from", "2026-12-01")  # typing a date depends on the language
    browser.find("#name").type("")
    browser.run("document.getElementById('name').focus()")
    keys(browser, "Bob" + TAB + "bob@example.org" + TAB + TAB + SPACE)
    chosen = browser.run("const c = document.querySelector('[name=room]:checked');"
                         "return c && c.value")
    assert chosen == "garden_view", chosen
    browser.run("document.getElementById('address-street').focus()")
    keys(browser, "Main 1" + TAB + "Town" + ENTER)
    assert "Thank you, Bob" in browser.find(".message").text()


def no_script_is_needed(browser, service):
    browser.tools("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(address_of(service))
    browser.find("#name").type("Nobody")
    browser.find("#email").type("ann@example.org")
    browser.find("[name=room][value=attic]").click()
    browser.find("#address-street").type("Main 1")
    browser.find("#address-city").type("Town")
    browser.find("#from").type("12012026")
    send(browser)
    browser.find("#name-error")
    assert browser.find("#address-city").value() == "Town"
    assert browser.find("#from").value() == "2026-12-01", browser.find("#from").value()
    browser.find("#name").clear()
    browser.find("#name").type("Ann")
    send(browser)
    assert "Thank you, Ann" in browser.find(".message").text()
    browser.tools("Emulation.setScriptExecutionDisabled", value=False)


def fits_a_phone(browser, service):
    browser.tools("Emulation.setDeviceMetricsOverride",
                  width=360, height=740, deviceScaleFactor=2, mobile=True)
    open_form(browser, service)
    wide = browser.run("return document.documentElement.scrollWidth")
    assert wide <= 360, wide
    browser.tools("Emulation.clearDeviceMetricsOverride")


CHECKS = [
    the_browser_keeps_the_rules,
    what_was_typed_stays_and_faults_stand_beside,
    the_summary_has_the_focus_and_leads_to_fields,
    a_form_is_sent_once,
    each_control_has_a_name,
    a_keyboard_is_enough,
    no_script_is_needed,
    fits_a_phone,
]


def main():
    if not webdriver.is_installed():
        print("skipped: chromium and chromedriver are not installed")
        return
    if len(sys.argv) > 1:
        support.BIN = pathlib.Path(sys.argv[1]).resolve()
    with support.Program("21_forms", "--port", "{port}") as service, webdriver.Browser() as browser:
        for check in CHECKS:
            check(browser, service)
            print(f"ok: {check.__name__}")
        assert service.stop() == 0


if __name__ == "__main__":
    main()

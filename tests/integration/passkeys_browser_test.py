#!/usr/bin/env python3
"""Users with a browser and a virtual authenticator sign up, log out and log in.
argv[1]: the build's bin directory, or that of support.py.
Needs chromium and chromedriver; reports if they are missing.
"""

import pathlib
import re
import sys

import support
import webdriver


def start(port=None):
    """Returns the service, for pages of http://localhost: on its own port, or as if on another."""
    program = support.Program("23_passkeys")
    told = port or program.port
    program.command += ["--port", str(program.port), "--origin", f"http://localhost:{told}"]
    return program


def open_home(browser, service):
    browser.open(f"http://localhost:{service.port}/")


def heading(browser):
    return browser.run("const h = document.querySelector('h1'); return h && h.textContent")


def is_at(browser, text):
    browser.until(lambda: heading(browser) == text, text)


def message(browser, form):
    return browser.run(f"return document.querySelector('{form} output').textContent")


def sign_up(browser, service, name):
    open_home(browser, service)
    browser.find("#sign-up input").type(name)
    browser.find("#sign-up button").click()


def log_in(browser, service):
    open_home(browser, service)
    browser.find("#login button").click()


def log_out(browser):
    browser.find("#logout button").click()
    is_at(browser, "Passkeys")


def is_told(browser, form, text):
    browser.until(lambda: message(browser, form) == text, f"{text} in {form}")


def signs_up_logs_out_and_logs_in(browser, service):
    with browser.authenticator() as keys:
        sign_up(browser, service, "ann")
        is_at(browser, "Hello, ann")
        assert browser.find("li").text().startswith("internal"), browser.find("li").text()
        (credential,) = keys.credentials()
        assert credential["isResidentCredential"] and credential["rpId"] == "localhost", credential
        log_out(browser)
        log_in(browser, service)
        is_at(browser, "Hello, ann")
        log_out(browser)


def offers_passkeys_in_the_form(service):
    """Conditional mediation: the virtual authenticator selects immediately."""
    with webdriver.Browser() as browser, browser.authenticator():
        sign_up(browser, service, "cleo")
        is_at(browser, "Hello, cleo")
        browser.command("DELETE", "/cookie")
        open_home(browser, service)
        is_at(browser, "Hello, cleo")


def offer_nothing(browser):
    """Like browsers without conditional mediation: a page waits for its button."""
    browser.tools("Page.addScriptToEvaluateOnNewDocument",
                  source="PublicKeyCredential.isConditionalMediationAvailable = undefined")


def forget(browser, service):
    """Leaves the page, and removes the session."""
    browser.command("DELETE", "/cookie")
    browser.open(f"http://localhost:{service.port}/nowhere")


def cannot_take_a_name_of_another(browser, service):
    with browser.authenticator() as keys:
        sign_up(browser, service, "ann")
        is_told(browser, "#sign-up", "This name is already taken.")
        assert not keys.credentials()


def opens_nothing_with_a_passkey_of_somebody_unknown(browser, service):
    with browser.authenticator() as keys, start() as other:
        sign_up(browser, service, "dora")
        is_at(browser, "Hello, dora")
        (own,) = keys.credentials()
        forget(browser, service)
        log_in(browser, other)  # of the same domain, without her account
        is_told(browser, "#login", "This passkey is not known to this service.")
        assert keys.credentials()[0]["credentialId"] == own["credentialId"]


def is_nobody_with_an_empty_authenticator(browser, service):
    with browser.authenticator():
        log_in(browser, service)
        is_told(browser, "#login", "No passkey was used.")


def is_nobody_where_the_authenticator_does_not_verify_him(browser, service):
    with browser.authenticator() as keys:
        sign_up(browser, service, "emma")
        is_at(browser, "Hello, emma")
        keys.verifies(False)
        log_out(browser)
        browser.find("#login button").click()
        is_told(browser, "#login", "No passkey was used.")
        sign_up(browser, service, "finn")
        is_told(browser, "#sign-up", "No passkey was used.")


def cannot_sign_up_with_an_authenticator_that_verifies_nobody(browser, service):
    with browser.authenticator(hasUserVerification=False, isUserVerified=False) as keys:
        sign_up(browser, service, "gus")
        browser.until(lambda: message(browser, "#sign-up"), "a refusal")
        assert not keys.credentials()


def adds_a_second_passkey_and_none_twice(browser, service):
    with browser.authenticator() as keys:
        sign_up(browser, service, "hal")
        is_at(browser, "Hello, hal")
        browser.find("form[data-passkey=register] button").click()
        is_told(browser, "form[data-passkey=register]",
                "This authenticator already has a passkey for you.")
        assert len(keys.credentials()) == 1
    with browser.authenticator(transport="usb"):
        browser.find("form[data-passkey=register] button").click()
        browser.until(lambda: len(browser.find_all("li")) == 2, "two passkeys")


def shows_anew_who_he_is_to_add_one(browser, service):
    """As if the login were too old: the first response is the service's rejection."""
    with browser.authenticator() as keys:
        sign_up(browser, service, "ivy")
        is_at(browser, "Hello, ivy")
        browser.run("""
            window.asked = [];
            const real = window.fetch;
            window.fetch = (url, options) => {
              asked.push(new URL(url).pathname);
              return asked.length === 1 ? Promise.resolve(Response.json({}, {status: 401}))
                                        : real(url, options);
            };""")
        browser.find("form[data-passkey=register] button").click()
        is_told(browser, "form[data-passkey=register]",
                "This authenticator already has a passkey for you.")
        asked = browser.run("return asked")
        assert asked == [f"/passkeys/{path}" for path in (
            "registration/options", "login/options", "login", "registration/options")], asked
        assert len(keys.credentials()) == 1


def advises_who_has_none_to_show(browser, service):
    """As if the login were too old: shows the service's advice, not that no passkey was used."""
    with browser.authenticator() as keys:
        sign_up(browser, service, "lea")
        is_at(browser, "Hello, lea")
        browser.run("""
            window.fetch = (real => (url, options) => String(url).includes("registration")
              ? Promise.resolve(Response.json({detail: "log out and in"}, {status: 401}))
              : real(url, options))(window.fetch);
            navigator.credentials.get = () =>
              Promise.reject(new DOMException("none", "NotAllowedError"));""")
        browser.find("form[data-passkey=register] button").click()
        is_told(browser, "form[data-passkey=register]", "log out and in")
        assert len(keys.credentials()) == 1


def keeps_the_last_passkey(browser, service):
    with browser.authenticator():
        sign_up(browser, service, "jan")
        is_at(browser, "Hello, jan")
        browser.find("li button").click()
        browser.until(lambda: "last passkey" in browser.find("body").text(), "a refusal")
        open_home(browser, service)
        assert len(browser.find_all("li")) == 1


def fills_in_again_behind_a_login_that_failed(service):
    with webdriver.Browser() as browser, browser.authenticator():
        # A user who selects nothing while the page waits.
        browser.tools("Page.addScriptToEvaluateOnNewDocument", source="""
            window.fillings = 0;
            const real = navigator.credentials.get.bind(navigator.credentials);
            navigator.credentials.get = (options) => options.mediation !== 'conditional'
              ? real(options)
              : new Promise((_, refuse) => {
                  window.fillings += 1;
                  options.signal.addEventListener(
                    'abort', () => refuse(new DOMException('', 'AbortError')));
                });""")
        open_home(browser, service)
        browser.until(lambda: browser.run("return fillings") == 1, "the form to be filled in")
        browser.find("#login button").click()
        is_told(browser, "#login", "No passkey was used.")
        browser.until(lambda: browser.run("return fillings") == 2, "it to be filled in anew")


def runs_under_a_strict_policy(browser, service):
    _, fields, _ = service.ask("GET", "/")
    assert "script-src 'self'" in fields["Content-Security-Policy"], fields
    assert "unsafe" not in fields["Content-Security-Policy"], fields


CHECKS = [
    signs_up_logs_out_and_logs_in,
    cannot_take_a_name_of_another,
    opens_nothing_with_a_passkey_of_somebody_unknown,
    is_nobody_with_an_empty_authenticator,
    is_nobody_where_the_authenticator_does_not_verify_him,
    cannot_sign_up_with_an_authenticator_that_verifies_nobody,
    adds_a_second_passkey_and_none_twice,
    shows_anew_who_he_is_to_add_one,
    advises_who_has_none_to_show,
    keeps_the_last_passkey,
    runs_under_a_strict_policy,
]


def refuses_a_page_of_another_origin(browser):
    """On the same domain: the browser offers passkeys to both services, which distinguish them."""
    with start(port=1) as service, browser.authenticator() as keys:
        sign_up(browser, service, "ann")
        is_told(browser, "#sign-up", "This passkey cannot be used here.")
        assert len(keys.credentials()) == 1, "the browser has seen nothing wrong"
        assert re.search("created on a page of 'http://localhost:", service.said()), service.said()


def main():
    if not webdriver.is_installed():
        print("skipped: chromium and chromedriver are not installed")
        return
    if len(sys.argv) > 1:
        support.BIN = pathlib.Path(sys.argv[1]).resolve()
    with webdriver.Browser() as browser:
        offer_nothing(browser)
        with start() as service:
            for check in CHECKS:
                check(browser, service)
                forget(browser, service)
                print(f"ok: {check.__name__}", flush=True)
            offers_passkeys_in_the_form(service)
            print("ok: offers_passkeys_in_the_form")
            fills_in_again_behind_a_login_that_failed(service)
            print("ok: fills_in_again_behind_a_login_that_failed")
            assert service.stop() == 0
        refuses_a_page_of_another_origin(browser)
        print("ok: refuses_a_page_of_another_origin")


if __name__ == "__main__":
    main()

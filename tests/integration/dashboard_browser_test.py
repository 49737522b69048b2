#!/usr/bin/env python3
"""The dashboard in a browser: live updates, light and dark mode, a narrow screen, the keyboard.
argv[1]: the build's bin directory, or that of support.py; --pictures DIRECTORY stores screenshots.
Needs chromium and chromedriver; reports if they are missing.
"""

import base64
import pathlib
import re
import sys
import threading

import support
import webdriver

PROGRAM = "33_inside"
TOKEN = "a-token-of-this-test"
WIDTHS = (360, 1280)


def text_of(browser, section):
    return browser.run(f"return document.querySelector('#{section}').innerText")


def rows_of(browser, section):
    return browser.run(f"return [...document.querySelectorAll('#{section} tbody tr')]"
                       ".map((one) => one.innerText)")


def open_page(browser, service):
    browser.open(f"http://localhost:{service.port}/_eider/?token={TOKEN}")
    browser.until(lambda: rows_of(browser, "loops"), "the loops")


def press(browser, *keys):
    for key in keys:
        browser.command("POST", "/actions", {"actions": [{
            "type": "key", "id": "keyboard", "actions": [
                {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})


def ask_beside(service, path):
    """Sends a request without waiting for its response."""
    connection = service.connect()
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return connection


def shows_what_is_in_flight_until_it_is_over(browser, service):
    open_page(browser, service)
    connection = ask_beside(service, "/wait/600000")
    browser.until(lambda: "GET /wait/{ms}" in text_of(browser, "flight"), "the request")
    browser.until(lambda: "sleep (" in text_of(browser, "flight"), "what it waits for")
    connection.close()
    browser.until(lambda: "/wait/" not in text_of(browser, "flight"), "its end")


def shows_routes_with_rates_and_latencies(browser, service):
    open_page(browser, service)
    done = threading.Event()

    def load():
        while not done.is_set():
            service.ask("GET", "/wait/1")
    thread = threading.Thread(target=load)
    thread.start()
    try:
        def rate():
            found = [row for row in rows_of(browser, "routes") if "GET /wait/{ms}" in row]
            return found and "≤" in found[0] and float(found[0].split("\t")[1].replace(",", ""))
        browser.until(rate, "a rate")
        browser.until(lambda: browser.run("return document.querySelector('#rate polyline')"
                                          ".getAttribute('points')"), "the curve")
    finally:
        done.set()
        thread.join()


def shows_slow_statements_pools_and_settings(browser, service):
    service.ask("GET", "/count/1500000")
    open_page(browser, service)
    browser.until(lambda: "with recursive" in text_of(browser, "slow"), "the statement")
    assert "1500000" not in text_of(browser, "slow")
    assert "connections 1" in text_of(browser, "pools")
    assert re.search(r"running 1, started [0-9]+; for [^;]*, waits for sleep \(",
                     text_of(browser, "pools"))
    settings = text_of(browser, "settings")
    assert "port = " in settings, settings


def shows_the_log_and_takes_none_of_it_for_markup(browser, service):
    open_page(browser, service)
    hostile = (b"</td><img src=x onerror='document.title = \"owned\"'>&amp;<script>"
               b"document.title = 'owned'</script>\r\n2026-11-27T00:00:00.000Z error forged"
               b"\xff\x1b[31m")
    service.ask("POST", "/note", hostile)
    browser.until(lambda: "<img src=x onerror=" in text_of(browser, "log"), "the line")
    assert "&amp;<script>" in text_of(browser, "log"), text_of(browser, "log")
    assert not [row for row in rows_of(browser, "log") if "error" in row.split("\t")[1]]
    assert browser.run("return document.title") == "Eider"
    assert browser.run("return document.querySelectorAll('#log img').length") == 0
    assert "state.json" not in text_of(browser, "log"), "what the page asks"
    # Shows only warnings, with the keyboard.
    assert "route=/note" in text_of(browser, "log")
    browser.run("document.querySelector('#least').focus()")
    for keys, is_there in (("\ue015\ue015", False), ("\ue011", True)):  # Down, Down; Home
        press(browser, *keys)
        browser.until(lambda sees=is_there: ("route=/note" in text_of(browser, "log")) == sees,
                      "those of another level to come or go")
        assert "<img src=x onerror=" in text_of(browser, "log")
    # No updates are lost during a pause.
    pause = "document.querySelector('#pause').click()"
    browser.run(pause)
    for index in range(3):
        service.ask("GET", f"/wait/{index}?paused")
    browser.run(pause)
    for index in range(3):
        browser.until(lambda name=f"/wait/{index}?paused": text_of(browser, "log").count(name) == 1,
                      "what came meanwhile")


def goes_on_behind_a_restart_by_the_same_number(browser, service):
    open_page(browser, service)
    browser.until(lambda: "s" in text_of(browser, "glance"), "its age")
    # As in containers, where each process has number 1.
    browser.run("const ask = fetch; window.fetch = async (...words) => {"
                "  const state = await (await ask(...words)).json();"
                "  state.process.server.up_seconds /= 1e6;"
                "  return { ok: true, json: async () => state };"
                "}")
    browser.until(lambda: "µs" in text_of(browser, "glance").split("\n")[1], "that of the next one")


def shows_a_loop_that_stands_still(browser, service):
    open_page(browser, service)
    # New connections go to the loop with fewer: one of these is on another loop than the page's
    # own.
    for _ in range(4):
        connection = ask_beside(service, "/block/3000")
        stops = threading.Thread(target=connection.recv, args=(1,))
        stops.start()
        seen = [False]

        def is_over():
            seen[0] = seen[0] or "blocked for" in text_of(browser, "loops")
            return not stops.is_alive()
        browser.until(is_over, "its answer")
        if seen[0]:
            break
    assert seen[0], "no loop is seen to stand still"
    browser.until(lambda: "blocked for" not in text_of(browser, "loops"), "its end")


def breaks_no_policy_and_asks_nobody_else(browser, service):
    open_page(browser, service)
    asked = {request["request"]["url"] for request in browser.told("Network.requestWillBeSent")}
    others = {url for url in asked
              if not url.startswith((f"http://localhost:{service.port}/", "data:", "chrome"))}
    assert not others, others
    # Blocked requests of a page are errors in its console.
    entries = [entry for entry in browser.told("Log.entryAdded")
               if "Content Security" in entry["entry"]["text"]]
    assert not entries, entries


def is_used_by_keyboard(browser, service):
    open_page(browser, service)
    press(browser, "\ue004", "\ue004", "\ue007")  # Tab, Tab, Enter
    assert browser.run("return document.activeElement.id") == "pause"
    assert browser.run("return document.activeElement.getAttribute('aria-pressed')") == "true"
    press(browser, "\ue007")
    assert browser.run("return document.activeElement.getAttribute('aria-pressed')") == "false"


def fits_each_screen_in_light_and_dark(browser, service, pictures=None):
    connections = [ask_beside(service, "/wait/600000"), ask_beside(service, "/report/3000")]
    open_page(browser, service)
    browser.follows_light_and_dark()
    for width in WIDTHS:
        browser.tools("Emulation.setDeviceMetricsOverride", width=width, height=900,
                      deviceScaleFactor=1, mobile=False)
        browser.until(lambda: "GET /wait/{ms}" in text_of(browser, "flight"), "the request")
        for scheme in ("light", "dark"):
            browser.tools("Emulation.setEmulatedMedia",
                          features=[{"name": "prefers-color-scheme", "value": scheme}])
            overflow = browser.run("return document.documentElement.scrollWidth - innerWidth")
            assert overflow <= 0, f"{overflow} px too wide at {width}"
            if pictures:
                seen = browser.tools("Page.captureScreenshot", captureBeyondViewport=True)
                pathlib.Path(pictures, f"{width}-{scheme}.png").write_bytes(
                    base64.b64decode(seen["data"]))
    browser.tools("Emulation.clearDeviceMetricsOverride")
    for connection in connections:
        connection.close()


def is_for_nobody_elsewhere(browser, service):
    status, _, body = service.ask("GET", "/_eider/", None, {"Host": "shop.example"})
    assert status == 403, body


def main():
    arguments = sys.argv[1:]
    pictures = None
    if "--pictures" in arguments:
        at = arguments.index("--pictures")
        pictures = arguments[at + 1]
        del arguments[at:at + 2]
    if arguments:
        support.BIN = pathlib.Path(arguments[0]).resolve()
    if not webdriver.is_installed():
        print("skipped: chromium and chromedriver are not installed")
        return
    with webdriver.Browser() as browser, support.Program(
            PROGRAM, "--port", "{port}", "--threads", "2",
            environment={"EIDER_DASHBOARD_TOKEN": TOKEN}) as service:
        for check in (is_for_nobody_elsewhere, shows_what_is_in_flight_until_it_is_over,
                      shows_routes_with_rates_and_latencies,
                      shows_slow_statements_pools_and_settings,
                      shows_the_log_and_takes_none_of_it_for_markup,
                      goes_on_behind_a_restart_by_the_same_number,
                      breaks_no_policy_and_asks_nobody_else, is_used_by_keyboard,
                      shows_a_loop_that_stands_still):
            check(browser, service)
            print(f"ok: {check.__name__}")
        fits_each_screen_in_light_and_dark(browser, service, pictures)
        print("ok: fits_each_screen_in_light_and_dark")


if __name__ == "__main__":
    main()

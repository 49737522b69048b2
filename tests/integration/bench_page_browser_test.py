#!/usr/bin/env python3
"""The page of a run in a browser: its figures are those of the run's JSON.
argv[1]: the build's bin directory, or that of support.py.
Needs chromium and chromedriver; reports if they are missing.
"""

import json
import pathlib
import sys
import tempfile

import support
import webdriver

# Harmful if it were parsed as markup, or ended the script that draws the charts.
PATH = "/hello/</script><script>document.title='taken%20over'</script><!--<b>x"


def run_bench(directory, port, *words):
    """Returns the page's URL and the JSON of one run."""
    page, data = directory / "page.html", directory / "run.json"
    status, said = support.run_to_end(
        "eider", "bench", "-n", "2000", "-c", "8", "--html", str(page), "--json", str(data),
        *words, f"http://127.0.0.1:{port}{PATH}")
    assert page.exists(), (status, said)
    return page.as_uri(), json.loads(data.read_text())


def rows_of(browser):
    """Returns the rows of the tables by their names."""
    return dict(browser.run("return [...document.querySelectorAll('tr')].map("
                            "(row) => [...row.children].map((cell) => cell.textContent))"))


def shows_the_figures_of_the_run(browser, address, run):
    browser.open(address)
    assert browser.find("h1").text() == run["setting"]["url"]
    figures = [each.text() for each in browser.find_all(".figures b")]
    assert figures[0] == f"{run['requests_per_second']:.0f}", figures
    rows = rows_of(browser)
    assert rows["responses"] == "2000", rows
    assert rows["connections opened"] == "8", rows
    assert rows["p50"] == figures[1] and rows["p99"] == figures[2], (rows, figures)
    assert "5xx" not in rows, rows
    assert run["program"] in browser.find("main").text()


def draws_every_request(browser, run):
    titles = browser.run("return [...document.querySelectorAll('rect title')].map("
                         "(title) => title.textContent)")
    counted = sum(int(title.rsplit(": ", 1)[1]) for title in titles)
    assert counted == run["requests"], titles
    widest = browser.run("return document.documentElement.scrollWidth - innerWidth")
    assert widest <= 0, widest


def takes_no_address_for_markup(browser):
    assert browser.command("GET", "/title") == "eider bench"
    assert browser.run("return document.querySelectorAll('h1 b, script').length") == 2


def says_what_went_wrong(browser, address, run):
    browser.open(address)
    rows = rows_of(browser)
    assert rows["of another status"] == str(run["errors_by_kind"]["wrong_status"]), rows
    assert "The first error: " in browser.find("p.bad").text()
    assert browser.run("return document.querySelectorAll('svg').length") == 0


def main():
    if len(sys.argv) > 1:
        support.BIN = pathlib.Path(sys.argv[1]).resolve()
    if not webdriver.is_installed():
        print("skipped: chromium and chromedriver are not installed")
        return
    with tempfile.TemporaryDirectory() as name, \
            support.Program("01_hello", "--port", "{port}") as service, \
            webdriver.Browser() as browser:
        good, bad = pathlib.Path(name, "good"), pathlib.Path(name, "bad")
        good.mkdir()
        bad.mkdir()
        address, run = run_bench(good, service.port)
        shows_the_figures_of_the_run(browser, address, run)
        draws_every_request(browser, run)
        print("ok: the page shows the figures of the run, and draws every request")
        takes_no_address_for_markup(browser)
        print("ok: it takes no address for markup")
        browser.follows_light_and_dark()
        print("ok: it is readable in light and dark")
        says_what_went_wrong(browser, *run_bench(bad, service.port, "--expect-status", "410"))
        print("ok: it says what went wrong")


if __name__ == "__main__":
    main()

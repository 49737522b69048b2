#!/usr/bin/env python3
"""The library's error page with security_headers(): a browser applies its style.
argv[1]: the build's bin directory, or that of support.py.
Needs chromium and chromedriver; reports if they are missing.
"""

import pathlib
import sys
import tempfile

import support
import webdriver

# 34rem of 16 pixels, from the inline style of the page.
WIDTH = "544px"


def main():
    if len(sys.argv) > 1:
        support.BIN = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as directory:
        arguments = ("tracker", "--port", "{port}", "--database", f"{directory}/tracker.db",
                     "--uploads", directory)
        with support.Program(*arguments) as service:
            status, headers, page = service.ask("GET", "/nowhere", headers={"Accept": "text/html"})
            assert status == 404 and b"<style>" in page, page
            assert "style-src 'sha256-" in headers["Content-Security-Policy"], headers
            if not webdriver.is_installed():
                print("skipped: chromium and chromedriver are not installed")
                return
            with webdriver.Browser() as browser:
                browser.open(f"http://127.0.0.1:{service.port}/nowhere")
                width = browser.run("return getComputedStyle(document.body).maxWidth")
                assert width == WIDTH, width
                print("ok: the style is applied")


if __name__ == "__main__":
    main()

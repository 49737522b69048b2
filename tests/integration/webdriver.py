"""A browser, controlled with plain HTTP (W3C WebDriver): for the scripts in this folder."""

import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # WebDriver, section 12


def is_installed():
    return shutil.which("chromedriver") is not None and shutil.which("chromium") is not None


# What chromedriver reports about an element if the browser has opened another page since.
OF_THE_PREVIOUS_PAGE = ('stale element reference', 'does not belong to the document')


class Element:
    def __init__(self, browser, identity):
        self.browser = browser
        self.path = f"/element/{identity}"

    def click(self):
        self.browser.command("POST", self.path + "/click", {})

    def type(self, text):
        self.browser.command("POST", self.path + "/value", {"text": text})

    def clear(self):
        self.browser.command("POST", self.path + "/clear", {})

    def text(self):
        return self.browser.command("GET", self.path + "/text")

    def value(self):
        return self.browser.command("GET", self.path + "/property/value")


class Authenticator:
    """A virtual authenticator (WebAuthn Level 3, section 11), which responds for its user
    immediately. Use as a context manager: a browser uses all that it has."""

    def __init__(self, browser, **kind):
        wanted = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
                  "hasUserVerification": True, "isUserConsenting": True, "isUserVerified": True}
        self.browser = browser
        identity = browser.command("POST", "/webauthn/authenticator", {**wanted, **kind})
        self.path = f"/webauthn/authenticator/{identity}"

    def credentials(self):
        return self.browser.command("GET", self.path + "/credentials")

    def verifies(self, does):
        """Sets whether user verification succeeds from now on."""
        self.browser.command("POST", self.path + "/uv", {"isUserVerified": does})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.command("DELETE", self.path)


class Browser:
    """Headless chromium with an empty profile. Use as a context manager."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(
            [shutil.which("chromedriver"), "--port=0"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.base = f"http://127.0.0.1:{self._read_port()}/session"
        self.base += "/" + self._open_session()

    def _read_port(self):
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return int(found.group(1))
        raise AssertionError("chromedriver did not start")

    def _open_session(self):
        options = {
            "binary": shutil.which("chromium"),
            "args": [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--window-size=1200,900", f"--user-data-dir={self.profile.name}",
            ],
        }
        wanted = {"capabilities": {"alwaysMatch": {
            "acceptInsecureCerts": True, "goog:chromeOptions": options,
            "goog:loggingPrefs": {"performance": "ALL"}}}}
        return self.command("POST", "", wanted)["sessionId"]

    def command(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.read().decode()}") from None

    def open(self, address):
        self.command("POST", "/url", {"url": address})

    def address(self):
        return self.command("GET", "/url")

    def find_all(self, selector):
        found = self.command("POST", "/elements", {"using": "css selector", "value": selector})
        return [Element(self, each[ELEMENT]) for each in found]

    def find(self, selector):
        return self.until(lambda: self.find_all(selector), f"{selector} on the page")[0]

    def run(self, script):
        """Returns the result of the script."""
        return self.command("POST", "/execute/sync", {"script": script, "args": []})

    def authenticator(self, **kind):
        return Authenticator(self, **kind)

    def tools(self, name, **parameters):
        """Sends a command of the browser's developer tools."""
        return self.command("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def told(self, event):
        """Returns the events of the developer tools with that name since the last call with this
        name."""
        entries = self.command("POST", "/se/log", {"type": "performance"})
        messages = [json.loads(entry["message"])["message"] for entry in entries]
        return [message["params"] for message in messages if message["method"] == event]

    def follows_light_and_dark(self):
        """Expects different backgrounds for light and dark mode."""
        grounds = []
        for scheme in ("light", "dark"):
            feature = {"name": "prefers-color-scheme", "value": scheme}
            self.tools("Emulation.setEmulatedMedia", features=[feature])
            grounds.append(self.run("return getComputedStyle(document.body).backgroundColor"))
        assert grounds[0] != grounds[1], grounds
        self.tools("Emulation.setEmulatedMedia", features=[])

    @staticmethod
    def until(question, what, seconds=20):
        """Calls the function until its result is true, and returns that.

        Meanwhile, it may see the previous page.
        """
        deadline = time.monotonic() + seconds
        while True:
            try:
                answer = question()
            except AssertionError as gone:
                if not any(text in str(gone) for text in OF_THE_PREVIOUS_PAGE):
                    raise
                answer = None
            if answer:
                return answer
            assert time.monotonic() < deadline, f"waited in vain for {what}"
            time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.command("DELETE", "")
        except (AssertionError, OSError):
            pass
        self.driver.terminate()
        self.driver.wait(timeout=20)
        self.profile.cleanup()

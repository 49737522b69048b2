"""How many seconds `eider dev` takes from saving a file to the page in the browser.

python3 tests/integration/dev_bench.py [SAVES]; EIDER_BIN as for the tests. It holds none to a
bound.
"""

import contextlib
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import webdriver
from dev_test import PATIENCE, PROJECT, Developing

SAVES = 5
SHOWN = 'return document.documentElement.textContent'
HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / 'examples'


def measure(browser, dev, name, change, seen):
    """Prints the least and the median; saves `change(turn)` until `seen(turn)` is on the page."""
    took = []
    for turn in range(int(sys.argv[1]) if len(sys.argv) > 1 else SAVES):
        text = change(turn)
        began = time.monotonic()
        (dev.project / name).write_text(text)
        browser.until(lambda: seen(turn) in browser.run(SHOWN), name, PATIENCE)
        took.append(time.monotonic() - began)
    print(f'{name}: {min(took):.2f} s at best, {statistics.median(took):.2f} s in the middle')


@contextlib.contextmanager
def developing(project, cmake=None):
    """`eider dev` of a copy of that project, and a browser."""
    with tempfile.TemporaryDirectory() as directory:
        dev = Developing(Path(directory), project)
        if cmake:
            shutil.copy(cmake, dev.project / 'CMakeLists.txt')
        try:
            dev.start()
            with webdriver.Browser() as browser:
                yield dev, browser
        finally:
            dev.stop()


def measure_text(dev, browser, path, name, old, new):
    """Of a text in a file, which the page at that path shows; # in `new` is the turn's."""
    browser.open(f'http://localhost:{dev.port}{path}')
    text = (dev.project / name).read_text()
    measure(browser, dev, name,
            lambda turn: text.replace(old, new.replace('#', f'{Path(name).stem}{turn}')),
            lambda turn: f'{Path(name).stem}{turn}')


def main():
    with developing(PROJECT) as (dev, browser):
        measure_text(dev, browser, '/', 'words.cc', 'first', '#')
        measure_text(dev, browser, '/', 'main.cc', 'shop::greeting(), style', '"#", style')
        measure_text(dev, browser, '/', 'pages/front.html', 'template one', '#')
    with developing(EXAMPLES / 'notes', HERE / 'dev_notes.cmake') as (dev, browser):
        measure_text(dev, browser, '/', 'pages.cc', '"Add note"', '"#"')
    with developing(EXAMPLES / 'bookstore', HERE / 'dev_bookstore.cmake') as (dev, browser):
        measure_text(dev, browser, '/docs', 'bookstore.cc', 'title = "Quill & Page"', 'title = "#"')
        measure_text(dev, browser, '/signup', 'people/account_forms.cc', '"Sign up"', '"#"')


if __name__ == '__main__':
    main()

"""How many seconds `eider dev` takes from saving a file to the page in the browser.

python3 tests/integration/dev_bench.py [SAVES]; EIDER_BIN as for the tests. It holds none to a
bound.
"""

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import webdriver
from dev_test import PATIENCE, Developing

SAVES = 5


def measure(browser, dev, name, change, seen):
    """Prints the least and the median; saves `change(turn)` until `seen(turn)` is on the page."""
    took = []
    for turn in range(int(sys.argv[1]) if len(sys.argv) > 1 else SAVES):
        text = change(turn)
        began = time.monotonic()
        (dev.project / name).write_text(text)
        browser.until(lambda: seen(turn) in browser.run('return document.body.textContent'),
                      name, PATIENCE)
        took.append(time.monotonic() - began)
    print(f'{name}: {min(took):.2f} s at best, {statistics.median(took):.2f} s in the middle')


def main():
    directory = Path(tempfile.mkdtemp())
    dev = Developing(directory)
    texts = {name: (dev.project / name).read_text()
             for name in ('words.cc', 'main.cc', 'pages/front.html')}
    dev.start()
    try:
        with webdriver.Browser() as browser:
            browser.open(f'http://localhost:{dev.port}/')
            measure(browser, dev, 'words.cc',
                    lambda turn: texts['words.cc'].replace('first', f'turn{turn}'),
                    lambda turn: f'turn{turn}')
            measure(browser, dev, 'main.cc',
                    lambda turn: texts['main.cc'].replace('shop::greeting(), style',
                                                          f'"main{turn}", style'),
                    lambda turn: f'main{turn}')
            measure(browser, dev, 'pages/front.html',
                    lambda turn: texts['pages/front.html'].replace('template one', f'page{turn}'),
                    lambda turn: f'page{turn}')
    finally:
        dev.stop()
        shutil.rmtree(directory)


if __name__ == '__main__':
    main()

"""The page and its charts: self-contained, well-formed, safe with malicious text, true to scale.

Must not start a browser. Without jinja2, the tests of the page are skipped.
"""

import functools
import html.parser
import importlib.util
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))
# pylint: disable=wrong-import-position
import make_report_data
import report
from report import page, results
from report.charts import kinds, scales, svg
from report_files_test import HOSTILE, hostile_results

PUBLISHED = Path(__file__).resolve().parent.parent / "published"
HAS_JINJA = importlib.util.find_spec("jinja2") is not None
_VOID = {"meta", "link", "br", "img"}


class Outline(html.parser.HTMLParser):
    """Elements of a page, and those that were not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.faults, self.elements = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")


@functools.cache
def synthetic(is_large=False):
    """Returns Results of the synthetic run."""
    run, samples = make_report_data.make(is_large, make_report_data.SEED)
    return results.assemble(run, [results.sample(row) for row in samples], [])


@functools.cache
def synthetic_page(is_large=False):
    """Returns the page of the synthetic run."""
    return page.html(synthetic(is_large))


def drawings(found):
    """Yields every chart of a run."""
    for experiment in found.experiments:
        for cell in experiment.cells:
            samples = found.of_cell(experiment.id, cell.id)
            yield from kinds.of_cell(kinds.Source(found, cell, samples, "x")).values()


class Charts(unittest.TestCase):
    """SVG."""

    def test_every_chart_is_well_formed_and_named(self):
        for found in (synthetic(True), hostile_results()):
            for drawing in drawings(found):
                root = xml.etree.ElementTree.fromstring(drawing.svg)
                self.assertEqual((root.tag, root.get("role")), ("svg", "img"))
                named = root.get("aria-labelledby").split()
                self.assertEqual([child.get("id") for child in list(root)[:2]], named)
                self.assertTrue(all(child.text for child in list(root)[:2]))

    def test_everything_lies_inside_the_picture(self):
        for drawing in drawings(synthetic(True)):
            root = xml.etree.ElementTree.fromstring(drawing.svg)
            _, _, width, height = map(float, root.get("viewBox").split())
            for shape in root.iter():
                for key, most in (("x", width), ("cx", width), ("y", height), ("cy", height)):
                    value = shape.get(key)
                    if value is not None:
                        self.assertTrue(0 <= float(value) <= most, (drawing.title, shape.attrib))

    def test_a_cell_without_a_valid_sample_has_no_chart(self):
        run, samples = make_report_data.make(False, 1)
        for row in samples:
            row["wrong"] = "killed"
        found = results.assemble(run, [results.sample(row) for row in samples], [])
        self.assertEqual(list(drawings(found)), [])

    def test_hostile_text_is_no_element(self):
        self.assertEqual(svg.words("<b>&\"'", 0, 0), '<text x="0" y="0">&lt;b&gt;&amp;&quot;'
                                                    "&#x27;</text>")
        self.assertNotIn('"><', svg.element("g", id='"><script>')[:-2])


class Scales(unittest.TestCase):
    """Coordinates and ticks."""

    def test_ticks(self):
        cases = (
            (scales.linear_ticks(370), [0, 100, 200, 300]),
            (scales.linear_ticks(1), [0, 0.25, 0.5, 0.75, 1.0]),
            (scales.linear_ticks(2.0, 0.9), [1.0, 1.5, 2.0]),
            (scales.linear_ticks(0), [0]),
            (scales.log_ticks(0.3, 30), [0.5, 1, 2, 5, 10, 20]),
            (scales.log_ticks(0.01, 1e5), [10.0 ** power for power in range(-2, 6)]),
        )
        for found, expected in cases:
            with self.subTest(expected=expected):
                self.assertEqual([round(tick, 6) for tick in found], expected)

    def test_the_end_of_a_scale(self):
        cases = (
            ([], 0, 1.0), ([0, 0], 0, 1.0), ([5], 0, 5), ([1, 1.1, 1.2], 0, 1.2),
            ([1, 1, 1, 15.1], 0, 2.5), ([1, 1, 1, 15.1], 4, 4), ([1, 2], 7, 7),
        )
        for values, least, expected in cases:
            with self.subTest(values=values, least=least):
                self.assertAlmostEqual(scales.end_of(values, least), expected)

    def test_places(self):
        linear, log = scales.Scale(0, 10, 100, 200), scales.Scale(1, 100, 100, 200, is_log=True)
        cases = ((linear, 5, 150), (linear, -1, 100), (linear, 99, 200), (log, 10, 150),
                 (log, 0.0001, 100), (scales.Scale(3, 3, 100, 200), 3, 100))
        for scale, value, expected in cases:
            with self.subTest(scale=scale, value=value):
                self.assertAlmostEqual(scale.place(value), expected)

    def test_the_ends_of_a_logarithmic_scale_hold_everything(self):
        for values in ([], [0, None], [1], [0.001, 606], [5, 5]):
            low, high = scales.log_ends(values)
            self.assertTrue(0 < low < high)
            self.assertTrue(all(low <= value <= high for value in values if value))

    def test_labels_do_not_touch(self):
        scale = scales.Scale(0, 100, 0, 60)
        told = scales.labels(scale, list(range(0, 101, 10)), lambda tick: f"{tick:,} MiB")
        for (first, one), (second, other) in zip(told, told[1:]):
            self.assertGreater(second - first, (svg.width_of(one) + svg.width_of(other)) / 2 * 0.9)

    def test_a_long_name_is_shortened(self):
        for text in ("short", "a name much too long for its column", "漢字" * 40, ""):
            self.assertLessEqual(svg.width_of(svg.shortened(text, 100)), 100)


@unittest.skipUnless(HAS_JINJA, "jinja2 is not installed")
class Page(unittest.TestCase):
    """report.html."""

    def test_the_page_is_well_formed(self):
        for found in (synthetic(), hostile_results(), results.assemble({"schema": 1}, [], [])):
            outline = Outline(page.html(found))
            self.assertEqual((outline.faults, outline.open), ([], []))

    def test_the_page_refers_to_nothing_outside(self):
        for tag, attributes in Outline(synthetic_page(True)).elements:
            self.assertNotIn(tag, ("iframe", "object", "embed", "base", "form"))
            for key in ("src", "href", "srcset", "action", "xlink:href"):
                value = attributes.get(key)
                self.assertTrue(value is None or value.startswith(("#", "data:")), (tag, value))
        style = (Path(page.__file__).parent / "page_parts/style.css").read_text()
        self.assertNotRegex(style, r"@import|url\(")

    def test_hostile_text_stays_text(self):
        told = page.html(hostile_results())
        self.assertNotIn("<script>alert", told)
        self.assertIn("&lt;script&gt;alert(1)", told)
        tags = [tag for tag, _ in Outline(told).elements]
        self.assertEqual(tags.count("script"), 1)
        self.assertFalse(any(key.startswith("on") for _, attributes in Outline(told).elements
                             for key in attributes))

    def test_only_our_script_may_run(self):
        told = synthetic_page()
        self.assertRegex(told, r"default-src 'none';[^\"]*script-src 'sha256-[\w+/=]+';")

    def test_an_identity_stands_once(self):
        found = re.findall(r'\bid="([^"]+)"', synthetic_page(True))
        self.assertEqual(len(found), len(set(found)))
        links = re.findall(r'href="#([^"]+)"', synthetic_page(True))
        self.assertEqual([link for link in links if link not in found], [])

    def test_what_was_disqualified_or_left_out_is_told(self):
        told = synthetic_page()
        for text in ("Disqualified", "body differs at byte 7", "Left out", "no opal.h",
                     "shared the server", "load generator was the bottleneck", "Synthetic"):
            self.assertIn(text, told)

    def test_both_reports_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in make_report_data.files(False, 2).items():
                (Path(folder) / name).write_text(text)
            names = [path.name for path in report.write(folder)]
            self.assertEqual(names, ["report.html", "report.md"])
            self.assertTrue(all((Path(folder) / name).stat().st_size for name in names))

    def test_the_page_of_every_published_run_can_be_drawn(self):
        folders = [path.parent for path in sorted(PUBLISHED.glob("*/run.json"))]
        self.assertTrue(folders)
        for folder in folders:
            with self.subTest(folder.name):
                drawn = page.html(results.load(folder))
                self.assertIn("<svg", drawn)
                self.assertEqual(drawn.rstrip()[-7:], "</html>")

    def test_a_page_survives_every_field_being_gone_or_odd(self):
        run, samples = make_report_data.make(False, 1)
        read = [results.sample(row) for row in samples]
        for key in run:
            for odd in (None, HOSTILE, [None]):
                if key != "schema":
                    with self.subTest(key=key, odd=odd):
                        page.html(results.assemble({**run, key: odd}, read, []))


if __name__ == "__main__":
    unittest.main()

"""The page's colors: readable on every background, and different for color-blind readers.

Must not judge taste.
"""

import itertools
import re
import unittest
from pathlib import Path

STYLE = Path(__file__).resolve().parent.parent / "report/page_parts/style.css"
BARS = ("eider", "floor", "cpp", "c", "rust", "go", "js", "other")
TEXTS = ("text", "soft", "link", "good", "bad", "level")
GROUNDS = ("back", "card", "eider-back", "warn")
TEXT_CONTRAST_MIN = 4.5
BAR_CONTRAST_MIN = 3.0
# In CIE 1976 units; about 2 is a just noticeable difference.
DISTANCE_MIN = 15
# Machado, Oliveira and Fernandes 2009, full severity, on linear RGB.
VISIONS = {
    "every colour": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
               (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
                 (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
                (0.004733, 0.691367, 0.303900)),
}
_TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
_WHITE = (0.9505, 1.0, 1.089)


def themes():
    """Returns {theme: {name: color}}."""
    light, dark = STYLE.read_text().split("@media (prefers-color-scheme: dark)", 1)
    found = {name: dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", text))
             for name, text in (("light", light), ("dark", dark))}
    return {"light": found["light"], "dark": {**found["light"], **found["dark"]}}


def linear(colour):
    """Returns linear RGB of #rrggbb."""
    parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def times(matrix, vector):
    """Multiplies matrix by vector, limited to 0..1."""
    return [min(1.0, max(0.0, sum(a * b for a, b in zip(row, vector)))) for row in matrix]


def contrast(one, other):
    """Returns the contrast of WCAG 2."""
    light = sorted(times(_TO_XYZ, linear(colour))[1] for colour in (one, other))
    return (light[1] + 0.05) / (light[0] + 0.05)


def lab(colour, vision):
    """Returns CIE L*a*b* of a color as seen with this color vision."""
    seen = times(_TO_XYZ, times(vision, linear(colour)))
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116
               for v in (part / white for part, white in zip(seen, _WHITE)))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


class Colours(unittest.TestCase):
    """The light and the dark theme."""

    def test_text_is_readable_on_every_ground(self):
        for theme, colours in themes().items():
            for text, ground in itertools.product(TEXTS, GROUNDS):
                with self.subTest(theme=theme, text=text, ground=ground):
                    self.assertGreaterEqual(contrast(colours[text], colours[ground]),
                                            TEXT_CONTRAST_MIN)

    def test_bars_stand_out(self):
        for theme, colours in themes().items():
            for bar in BARS:
                with self.subTest(theme=theme, bar=bar):
                    self.assertGreaterEqual(contrast(colours[bar], colours["back"]),
                                            BAR_CONTRAST_MIN)

    def test_bars_are_told_apart_by_every_eye(self):
        for theme, colours in themes().items():
            for name, vision in VISIONS.items():
                for one, other in itertools.combinations(BARS, 2):
                    with self.subTest(theme=theme, vision=name, one=one, other=other):
                        distance = sum((a - b) ** 2 for a, b in zip(
                            lab(colours[one], vision), lab(colours[other], vision))) ** 0.5
                        self.assertGreaterEqual(distance, DISTANCE_MIN)


if __name__ == "__main__":
    unittest.main()

"""Returns SVG elements as text, with everything escaped and short coordinates.

Must not know the charts.
"""

import html
import unicodedata

FONT = 12
_WIDTH_OF_EM = 0.55


def escaped(value):
    """Escapes text for content and attributes."""
    return html.escape(str(value), quote=True)


def _attribute(name, value):
    if isinstance(value, float):
        value = f"{value:.1f}".rstrip("0").rstrip(".")
    return f' {name.rstrip("_").replace("_", "-")}="{escaped(value)}"'


def element(name, *children, **attributes):
    """Returns an element; the children are markup already, attributes are escaped here."""
    told = "".join(_attribute(key, value) for key, value in attributes.items())
    inner = "".join(children)
    return f"<{name}{told}>{inner}</{name}>" if inner else f"<{name}{told}/>"


def words(text, x, y, **attributes):
    """Returns text at (x, y)."""
    return element("text", escaped(text), x=float(x), y=float(y), **attributes)


def line(x1, y1, x2, y2, class_):
    """Returns a line."""
    return element("path", d=f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}", class_=class_)


def rectangle(x, y, width, height, class_):
    """Returns a rectangle."""
    return element("rect", x=float(x), y=float(y), width=float(max(0, width)),
                   height=float(height), class_=class_)


def width_of(text, size=FONT):
    """Returns the approximate width of the text."""
    ems = sum(1.0 if unicodedata.east_asian_width(letter) in "WF" else _WIDTH_OF_EM
              for letter in text)
    return ems * size


def shortened(text, width, size=FONT):
    """Returns the text, shortened at its end if it is too wide."""
    if width_of(text, size) <= width:
        return text
    kept = text
    while kept and width_of(kept + "…", size) > width:
        kept = kept[:-1]
    return kept.rstrip(" ,-(") + "…"

"""The charts of the page: SVG of a few shapes.

Must not contain a color: classes name the meaning, the page's style defines the color.
"""

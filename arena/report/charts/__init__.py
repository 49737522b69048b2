"""The charts of the page: SVG made of our own few shapes.

Must not hold a colour: classes name the meaning, the page's style gives the colour.
"""

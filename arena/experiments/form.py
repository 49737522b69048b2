"""An HTML page with a signed session, a form with its token and a template, and a plain one.

Must not name a contestant: all get the same requests.
"""

import base64
import hmac

from experiments.model import HTML, Ask, Cell, Experiment
from verify.answers import Expected

_KEY = b"the arena's key, which is no secret"  # not secret; that of apps/eider/form_page.cc


def _signed(purpose, text):
    """Signs the text as Eider's TokenSigner does (src/eider/core/base/signed_token.h)."""
    signature = hmac.digest(_KEY, f"{purpose}\n0\n{text}".encode(), "sha256")
    return f"{text}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


_TOKEN = _signed("eider csrf", "NG9PrvIFhKV7r2kV0ztsyVI6pZWhpWfh")
_SESSION = _signed(
    "eider session session",
    "1.a08V3DuJoIXOzjhuIgyYKHb1tmJD0Dp7a."
    "eyJ1c2VyIjoiIiwiYmVnYW4iOjE3OTU0NTIwNzMsInNlZW4iOjE3OTU0NTIwNzMsInZlcnNpb24iOjEs"
    "ImRhdGEiOiJ7XCJ2aXNpdHNcIjozfSIsImZsYXNoZXMiOiIifQ==")
_PAGE = f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>A note</title></head>
<body>
<p>You were here 3 times.</p>
<form method="post">
<input type="hidden" name="csrf_token" value="{_TOKEN}">
<div class="field">
<label for="title">Title</label>
<input type="text" id="title" name="title" maxlength="200" required value="">
</div>
<div class="field">
<label for="email">Email</label>
<input type="email" id="email" name="email" autocomplete="email" required value="">
</div>
<div class="field">
<label for="stars">Stars</label>
<input type="number" id="stars" name="stars" inputmode="numeric" min="0" max="5" value="3">
</div>
<p class="actions"><button class="primary">Save</button></p>
</form>

</body>
</html>
"""
FORM = Ask("/form", Expected(_PAGE.encode(), "text/html"),
           headers=(f"Cookie: session={_SESSION}; csrf={_TOKEN}",))


def experiment(machine):
    """Two cells: the plain page, and the one with a session and a form."""
    return Experiment(
        "form", "A page with a session and a form", machine.scale() + " The session is a "
        "signed cookie. The page shows its value, and a form with three fields, their rules and a "
        "token.",
        (Cell("plain", "a plain page, 64 connections", Ask("/html", HTML), ("hello-html",)),
         Cell("form", "a session, a form and a template, 64 connections", FORM, ("form",))))

"""The middleware of the checked order, as Starlette's documentation recommends for speed: classes
of plain ASGI, not BaseHTTPMiddleware.

Must not share state between processes: each worker counts separately.
"""

import secrets
import time
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.responses import JSONResponse

SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}
KEYS_MAX = 32768
SECURITY_HEADERS = [
    (b"content-security-policy",
     b"default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; "
     b"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
]


def refusal(status, detail, headers=None):
    """Returns an error response in FastAPI's format."""
    return JSONResponse({"detail": detail}, status, headers)


def field(scope, name):
    """Returns the value of a request header, or None."""
    for key, value in scope["headers"]:
        if key == name:
            return value
    return None


def adding(send, headers):
    """Returns a `send` that adds these headers to the response."""
    async def send_with(message):
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *headers]
        await send(message)
    return send_with


class BodyLimit:
    """Returns 413 for larger bodies; neither Starlette nor uvicorn has a limit."""

    def __init__(self, app, bytes_max):
        self.app, self.bytes_max = app, bytes_max

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        told = field(scope, b"content-length")
        if told is not None:  # httptools accepts no other length
            if int(told) > self.bytes_max:
                return await refusal(413, "Content Too Large")(scope, receive, send)
            return await self.app(scope, receive, send)
        return await self.app(scope, self.counting(receive), send)

    def counting(self, receive):
        """Returns a `receive` that fails when the limit is exceeded."""
        left = self.bytes_max

        async def receive_some():
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413)
            return message
        return receive_some


class RequestId:
    """Gives each request an ID, which the response contains."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        name = secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = name
        await self.app(scope, receive, adding(send, [(b"x-request-id", name.encode())]))


class ConcurrencyLimit:
    """Returns 503 while this many requests are running."""

    def __init__(self, app, requests):
        self.app, self.requests, self.running = app, requests, 0

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        if self.running >= self.requests:
            busy = refusal(503, "Service Unavailable", {"Retry-After": "1"})
            return await busy(scope, receive, send)
        self.running += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.running -= 1


class RateLimit:
    """A token bucket per client address; returns 429 when it is empty."""

    def __init__(self, app, requests, seconds):
        self.app, self.requests, self.per_second = app, requests, requests / seconds
        self.policy = f'"default";q={requests};w={seconds}'.encode()
        self.buckets = {}

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        left = self.take(scope["client"][0] if scope["client"] else "")
        headers = [(b"ratelimit-policy", self.policy),
                   (b"ratelimit", b'"default";r=%d' % max(0, left))]
        if left < 0:
            often = refusal(429, "Too Many Requests", {"Retry-After": "1"})
            return await often(scope, receive, adding(send, headers))
        await self.app(scope, receive, adding(send, headers))

    def take(self, address):
        """Takes a token and returns how many are left; below 0 if there was none."""
        now = time.monotonic()
        tokens, then = self.buckets.get(address, (self.requests, now))
        left = min(self.requests, tokens + (now - then) * self.per_second) - 1
        if len(self.buckets) >= KEYS_MAX:
            self.buckets.clear()
        self.buckets[address] = (max(left, 0), now)
        return left


class SecurityHeaders:
    """Adds headers that restrict in browsers what pages of this service may do."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        await self.app(scope, receive, adding(send, SECURITY_HEADERS))


class CrossOriginProtection:
    """Returns 403 for a write that a page of another site has caused."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http" and scope["method"] not in SAFE_METHODS and is_foreign(scope):
            other = refusal(403, "Cross-site request blocked.")
            return await other(scope, receive, send)
        await self.app(scope, receive, send)


def is_foreign(scope):
    """Whether the browser's headers name another site; other clients do not send these headers."""
    site = origin = referer = host = None
    for name, value in scope["headers"]:
        if name == b"sec-fetch-site":
            site = value
        elif name == b"origin":
            origin = value
        elif name == b"referer":
            referer = value
        elif name == b"host":
            host = value
    if site is not None:
        return site.lower() not in (b"same-origin", b"none")
    source = origin or referer
    return source is not None and urlsplit(source).netloc.lower() != (host or b"").lower()

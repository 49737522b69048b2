"""Plain ASGI middleware of the application: a limit for bodies, and a log line per request."""

import json
import logging
import time

from asgi_correlation_id import correlation_id
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

access = logging.getLogger("tracker.access")


class BodyLimit:
    """Returns 413 beyond a path's limit; neither Starlette nor uvicorn limits bodies."""

    def __init__(self, app, bytes_max, upload_bytes_max):
        self.app, self.bytes_max, self.upload_bytes_max = app, bytes_max, upload_bytes_max

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        left = self.upload_bytes_max if scope["path"].endswith("/attachments") else self.bytes_max
        told = dict(scope["headers"]).get(b"content-length")
        if told is not None and int(told) > left:
            return await JSONResponse({"detail": "Content Too Large"}, 413)(scope, receive, send)

        async def receive_some():
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413)
            return message

        await self.app(scope, receive_some, send)


class AccessLog:
    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        began, status = time.monotonic(), 500

        async def send_noting(message):
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self.app(scope, receive, send_noting)
        finally:
            access.info(
                json.dumps(
                    {
                        "method": scope["method"],
                        "path": scope["path"],
                        "status": status,
                        "request_id": correlation_id.get(),
                        "milliseconds": round((time.monotonic() - began) * 1000, 1),
                    }
                )
            )

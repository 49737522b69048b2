"""The typed order with rules, with five middlewares: uvicorn checked:app.

Must not serve the other routes: FastAPI's middleware applies to a whole application.
"""

from fastapi import FastAPI
from starlette.middleware import Middleware

from app import BODY_BYTES_MAX
from middleware import (BodyLimit, ConcurrencyLimit, CrossOriginProtection, RateLimit, RequestId,
                        SecurityHeaders)
from orders import CheckedOrder, Taken, taken

NOBODY_IS_REFUSED = 1_000_000_000

app = FastAPI(openapi_url=None, middleware=[
    Middleware(RequestId),
    Middleware(ConcurrencyLimit, requests=NOBODY_IS_REFUSED),
    Middleware(RateLimit, requests=NOBODY_IS_REFUSED, seconds=60),
    Middleware(SecurityHeaders),
    Middleware(CrossOriginProtection),
    Middleware(BodyLimit, bytes_max=BODY_BYTES_MAX),
])


@app.post("/checked")
async def take_checked(order: CheckedOrder) -> Taken:
    """Accepts an order with rules."""
    return taken(order)

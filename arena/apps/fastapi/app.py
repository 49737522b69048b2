"""The benchmark service on FastAPI: uvicorn app:app.

Must not wait: its handlers are coroutines that never leave the event loop.
"""

from fastapi import FastAPI
from pydantic import BaseModel
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from middleware import BodyLimit
from orders import PlainOrder, Taken, taken

BODY_BYTES_MAX = 2**20

app = FastAPI(openapi_url=None)
app.add_middleware(BodyLimit, bytes_max=BODY_BYTES_MAX)


class Message(BaseModel):
    """Response of /json."""
    message: str


@app.get("/plaintext", response_class=PlainTextResponse)
@app.get("/simple", response_class=PlainTextResponse)
@app.get("/bench", response_class=PlainTextResponse)
async def hello():
    """Hello world."""
    return "Hello, World!"


@app.get("/json")
async def hello_json() -> Message:
    """Hello world as JSON."""
    return Message(message="Hello, World!")


@app.get("/html", response_class=HTMLResponse)
async def hello_html():
    """Hello world as HTML."""
    return "<p>Hello, world!</p>"


@app.get("/test/labels/{label}", response_class=PlainTextResponse)
async def tell_label(label: str):
    """Returns the path parameter."""
    return label


@app.get("/users/{user_id}/posts/{post_id}", response_class=PlainTextResponse)
async def tell_post(user_id: int, post_id: int):
    """Returns both path parameters."""
    return f"{user_id} {post_id}"


_CONTENT = b"x" * 2**20


@app.get("/bytes/{size}")
async def tell_bytes(size: int):
    """Returns a body of this many bytes."""
    return Response(_CONTENT[:size], media_type="application/octet-stream")


@app.post("/unchecked")
async def take_plain(order: PlainOrder) -> Taken:
    """Accepts an order that is checked by types only."""
    return taken(order)

from collections.abc import AsyncIterable
from typing import Annotated

from fastapi import APIRouter, Header, WebSocket, WebSocketDisconnect
from fastapi.sse import EventSourceResponse, ServerSentEvent

from ..database import Database
from ..events import Listening, events_since
from ..security import CurrentUser, MaybeUser

router = APIRouter(prefix="/api", tags=["live"])


@router.get("/events", response_class=EventSourceResponse)
async def follow(
    _: CurrentUser, db: Database, last_event_id: Annotated[int | None, Header()] = None
) -> AsyncIterable[ServerSentEvent]:
    with Listening() as news:
        last = last_event_id or 0
        if last_event_id is not None:
            for event in await events_since(db, last):
                last = event.id
                yield ServerSentEvent(event="issue", id=str(event.id), data=event)
        await db.close()
        while True:
            event = await news.get()
            if event.id > last:
                yield ServerSentEvent(event="issue", id=str(event.id), data=event)


@router.websocket("/live")
async def push(socket: WebSocket, user: MaybeUser, db: Database):
    await socket.accept()
    if user is None:
        return await socket.close(4401)
    await db.close()
    with Listening() as news:
        try:
            while True:
                await socket.send_text((await news.get()).model_dump_json())
        except WebSocketDisconnect:
            pass

"""Events are stored, pushed to subscribers, and sent to the webhook."""

import asyncio
import logging

import httpx
from sqlalchemy import select

from .config import settings
from .database import Event, make_session
from .schemas import EventOut

listeners: set[asyncio.Queue] = set()
due = asyncio.Event()
log = logging.getLogger("tracker.webhook")


async def commit_with_event(db, kind: str, issue_id: int, by: str):
    """Commits the session together with its event, and notifies subscribers."""
    event = Event(kind=kind, issue_id=issue_id, by=by)
    db.add(event)
    await db.commit()
    for queue in listeners.copy():
        queue.put_nowait(EventOut.model_validate(event))
    due.set()


class Listening:
    """A queue of events; it is subscribed within the context."""

    def __enter__(self) -> asyncio.Queue:
        self.queue = asyncio.Queue()
        listeners.add(self.queue)
        return self.queue

    def __exit__(self, *_):
        listeners.discard(self.queue)


async def events_since(db, event_id: int):
    return [
        EventOut.model_validate(e)
        for e in await db.scalars(
            select(Event).where(Event.id > event_id).order_by(Event.id).limit(1000)
        )
    ]


async def deliver(client: httpx.AsyncClient) -> bool:
    """Sends the oldest unsent event to the webhook; returns False if there is none."""
    async with make_session() as db:
        event = await db.scalar(
            select(Event).where(~Event.is_delivered).order_by(Event.id).limit(1)
        )
        if event is None:
            return False
        reply = await client.post(
            settings.webhook,
            content=EventOut.model_validate(event).model_dump_json(),
            headers={"Content-Type": "application/json", "X-Tracker-Event": str(event.id)},
        )
        reply.raise_for_status()
        event.is_delivered = True
        await db.commit()
        return True


async def work_off_webhooks():
    wait = 1
    async with httpx.AsyncClient(timeout=10) as client:
        while True:
            try:
                due.clear()
                if not await deliver(client):
                    await due.wait()
                wait = 1
            except Exception as error:  # retried after any error
                log.warning("webhook: %r, again in %d s", error, wait)
                await asyncio.sleep(wait)
                wait = min(wait * 2, 300)

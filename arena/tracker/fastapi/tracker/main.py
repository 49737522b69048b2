"""The application; uvicorn tracker.main:app serves it."""

import asyncio
import logging
from contextlib import asynccontextmanager
from pathlib import Path

from asgi_correlation_id import CorrelationIdMiddleware
from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse
from prometheus_fastapi_instrumentator import Instrumentator
from sqlalchemy import text
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.sessions import SessionMiddleware

from .config import settings
from .database import Base, Database, engine
from .events import work_off_webhooks
from .middleware import AccessLog, BodyLimit
from .routers import accounts, attachments, issues, live, pages
from .security import NeedsLogin

logging.basicConfig(level=logging.INFO, format="%(message)s")


@asynccontextmanager
async def lifespan(_: FastAPI):
    Path(settings.uploads).mkdir(exist_ok=True)
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    worker = asyncio.create_task(work_off_webhooks()) if settings.webhook else None
    yield
    if worker:
        worker.cancel()
    await engine.dispose()


app = FastAPI(title="Tracker", version="1.0.0", lifespan=lifespan)
app.add_middleware(
    SessionMiddleware, secret_key=settings.secret, max_age=12 * 3600, same_site="lax"
)
app.add_middleware(BodyLimit, bytes_max=1 << 20, upload_bytes_max=50 << 20)
app.add_middleware(
    CORSMiddleware,
    allow_origins=settings.origins,
    allow_credentials=True,
    allow_methods=["GET", "POST", "PATCH", "PUT", "DELETE"],
    allow_headers=["content-type"],
)
app.add_middleware(AccessLog)
app.add_middleware(CorrelationIdMiddleware)
for router in (
    accounts.router,
    issues.router,
    attachments.router,
    live.router,
    pages.router,
    pages.checked,
):
    app.include_router(router)
Instrumentator().instrument(app).expose(app, include_in_schema=False)


@app.exception_handler(NeedsLogin)
async def to_login(_request: Request, _error: NeedsLogin):
    return RedirectResponse("/login", 303)


@app.get("/health", status_code=204)
async def health(db: Database):
    await db.execute(text("select 1"))

"""Tables and sessions of the database."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends
from sqlalchemy import JSON, ForeignKey, event
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from .config import settings

engine = create_async_engine(f"sqlite+aiosqlite:///{settings.database}")
make_session = async_sessionmaker(engine, expire_on_commit=False)


@event.listens_for(engine.sync_engine, "connect")
def set_pragmas(connection, _):
    connection.execute("pragma foreign_keys = on")
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = normal")


class Base(DeclarativeBase):
    pass


class User(Base):
    __tablename__ = "users"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    email: Mapped[str]
    password: Mapped[str]
    role: Mapped[str] = mapped_column(default="member")


class Issue(Base):
    __tablename__ = "issues"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    body: Mapped[str]
    state: Mapped[str] = mapped_column(default="open")
    priority: Mapped[int]
    labels: Mapped[list[str]] = mapped_column(JSON)
    assignee_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    author: Mapped[str]
    version: Mapped[int] = mapped_column()
    created: Mapped[datetime] = mapped_column(default=lambda: datetime.now(UTC))
    __mapper_args__ = {"version_id_col": version}


class Attachment(Base):
    __tablename__ = "attachments"
    id: Mapped[int] = mapped_column(primary_key=True)
    issue_id: Mapped[int] = mapped_column(ForeignKey("issues.id", ondelete="CASCADE"))
    name: Mapped[str]
    size: Mapped[int]
    file: Mapped[str]


class Event(Base):
    """An event; also the queue of the webhook."""

    __tablename__ = "events"
    __table_args__ = {"sqlite_autoincrement": True}
    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    issue_id: Mapped[int]
    by: Mapped[str]
    is_delivered: Mapped[bool] = mapped_column(default=False)


async def session():
    async with make_session() as opened:
        yield opened


Database = Annotated[AsyncSession, Depends(session)]

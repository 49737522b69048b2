"""Authentication and authorization."""

import secrets
from typing import Annotated

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from fastapi import Depends, Form, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from limits import parse
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from starlette.requests import HTTPConnection

from .config import settings
from .database import Database, User

hasher = PasswordHasher()
NOBODY = hasher.hash("nobody has this one")
limiter = MovingWindowRateLimiter(MemoryStorage())
login_limit = parse(f"{settings.logins_per_minute}/minute")


class NeedsLogin(Exception):
    """For pages: redirects to the login."""


async def find_user(connection: HTTPConnection, db: Database) -> User | None:
    user_id = connection.session.get("user_id")
    return await db.get(User, user_id) if user_id else None


MaybeUser = Annotated[User | None, Depends(find_user)]


async def need_user(user: MaybeUser) -> User:
    if user is None:
        raise HTTPException(401, "Log in first.")
    return user


async def need_writer(user: Annotated[User, Depends(need_user)]) -> User:
    if user.role == "viewer":
        raise HTTPException(403, "Viewers cannot write.")
    return user


async def need_admin(user: Annotated[User, Depends(need_user)]) -> User:
    if user.role != "admin":
        raise HTTPException(403, "Administrators only.")
    return user


async def need_page_user(user: MaybeUser) -> User:
    if user is None:
        raise NeedsLogin
    return user


CurrentUser = Annotated[User, Depends(need_user)]
Writer = Annotated[User, Depends(need_writer)]
Admin = Annotated[User, Depends(need_admin)]
PageUser = Annotated[User, Depends(need_page_user)]


def csrf_token(request: Request) -> str:
    return request.session.setdefault("csrf", secrets.token_hex(16))


async def check_csrf(request: Request, csrf: Annotated[str, Form()] = ""):
    if not secrets.compare_digest(
        csrf.encode(), request.session.get("csrf", secrets.token_hex()).encode()
    ):
        raise HTTPException(403, "This form is from another site, or too old.")


async def add_user(db, given) -> User:
    """Raises IntegrityError if the name is taken."""
    stored = await run_in_threadpool(hasher.hash, given.password)
    is_first = not await db.scalar(select(func.count()).select_from(User))
    role = "admin" if is_first else "member"
    user = User(name=given.name, email=given.email, password=stored, role=role)
    db.add(user)
    try:
        await db.commit()
    except IntegrityError:
        raise HTTPException(409, "This name is taken.") from None
    return user


async def check_login(request: Request, db, name: str, password: str) -> User:
    if not await limiter.hit(login_limit, request.client.host, name):
        raise HTTPException(429, "Too many attempts.", {"Retry-After": "60"})
    user = await db.scalar(select(User).where(User.name == name))
    try:
        await run_in_threadpool(hasher.verify, user.password if user else NOBODY, password)
    except VerifyMismatchError:
        user = None
    if user is None:
        raise HTTPException(401, "The name or the password is wrong.")
    log_in(request, user)
    return user


def log_in(request: Request, user: User):
    request.session.clear()
    request.session["user_id"] = user.id

"""Issues in the database, for the API and the pages."""

from fastapi import HTTPException
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm.exc import StaleDataError

from .database import Issue
from .events import commit_with_event
from .schemas import Filter, IssuePage


async def get_issue(db, issue_id: int) -> Issue:
    issue = await db.get(Issue, issue_id)
    if issue is None:
        raise HTTPException(404, "There is no such issue.")
    return issue


async def find_issues(db, wanted: Filter) -> IssuePage:
    query = select(Issue)
    for name in "state", "priority", "assignee_id":
        value = getattr(wanted, name)
        if value is not None:
            query = query.where(getattr(Issue, name) == value)
    if wanted.q:
        query = query.where(
            Issue.title.icontains(wanted.q, autoescape=True)
            | Issue.body.icontains(wanted.q, autoescape=True)
        )
    total = await db.scalar(select(func.count()).select_from(query.subquery()))
    column = getattr(Issue, wanted.sort.removeprefix("-"))
    query = query.order_by(column.desc() if wanted.sort.startswith("-") else column, Issue.id)
    items = await db.scalars(
        query.limit(wanted.per_page).offset((wanted.page - 1) * wanted.per_page)
    )
    return IssuePage(
        items=list(items), total=total, page=wanted.page, pages=max(1, -(-total // wanted.per_page))
    )


async def add_issue(db, user, values: dict) -> Issue:
    issue = Issue(**{"labels": [], **values}, author=user.name)
    db.add(issue)
    try:
        await db.flush()
    except IntegrityError:
        raise HTTPException(409, "There is no such assignee.") from None
    await commit_with_event(db, "created", issue.id, user.name)
    return issue


async def change_issue(db, user, issue_id: int, version: int, values: dict) -> Issue:
    issue = await get_issue(db, issue_id)
    if issue.version != version:
        raise HTTPException(409, "The issue was changed in the meantime.")
    for name, value in values.items():
        setattr(issue, name, value)
    try:
        await commit_with_event(db, "changed", issue.id, user.name)
    except StaleDataError:
        raise HTTPException(409, "The issue was changed in the meantime.") from None
    except IntegrityError:
        raise HTTPException(409, "There is no such assignee.") from None
    return issue

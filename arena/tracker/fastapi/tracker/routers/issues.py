from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Response

from ..database import Database
from ..events import commit_with_event
from ..issues import add_issue, change_issue, find_issues, get_issue
from ..schemas import ChangeIssue, Filter, IssueOut, IssuePage, NewIssue
from ..security import Admin, CurrentUser, Writer

router = APIRouter(prefix="/api/issues", tags=["issues"])


@router.get("")
async def list_issues(
    wanted: Annotated[Filter, Query()], _: CurrentUser, db: Database
) -> IssuePage:
    return await find_issues(db, wanted)


@router.post("", status_code=201)
async def create(given: NewIssue, user: Writer, db: Database, response: Response) -> IssueOut:
    issue = await add_issue(db, user, given.model_dump())
    response.headers["Location"] = f"/api/issues/{issue.id}"
    return issue


@router.get("/{issue_id}")
async def show(issue_id: int, _: CurrentUser, db: Database) -> IssueOut:
    return await get_issue(db, issue_id)


@router.patch("/{issue_id}")
async def change(issue_id: int, given: ChangeIssue, user: Writer, db: Database) -> IssueOut:
    values = given.model_dump(exclude_unset=True, exclude={"version"})
    if any(values[name] is None for name in values if name != "assignee_id"):
        raise HTTPException(422, "Only assignee_id may be null.")
    return await change_issue(db, user, issue_id, given.version, values)


@router.delete("/{issue_id}", status_code=204)
async def delete(issue_id: int, user: Admin, db: Database):
    await db.delete(await get_issue(db, issue_id))
    await commit_with_event(db, "deleted", issue_id, user.name)

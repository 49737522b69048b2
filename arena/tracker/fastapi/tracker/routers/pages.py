from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.templating import Jinja2Templates
from pydantic import ValidationError

from ..database import Database
from ..issues import add_issue, change_issue, find_issues, get_issue
from ..schemas import EditForm, Filter, IssueForm, PageFilter, SignUp
from ..security import MaybeUser, PageUser, add_user, check_csrf, check_login, csrf_token, log_in

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
checked = APIRouter(dependencies=[Depends(check_csrf)], include_in_schema=False)
templates = Jinja2Templates(
    "tracker/templates", context_processors=[lambda request: {"csrf": csrf_token(request)}]
)


def page(request, name, status=200, **values):
    return templates.TemplateResponse(request, name, values, status_code=status)


def go(path):
    return RedirectResponse(path, 303)


async def read(request: Request, model):
    """Returns the form as the model, or None; the typed values; the errors by member."""
    typed = {k: v for k, v in (await request.form()).items() if k != "csrf"}
    try:
        return model(**typed), typed, {}
    except ValidationError as error:
        return (
            None,
            typed,
            {str(e["loc"][0]) if e["loc"] else "form": e["msg"] for e in error.errors()},
        )


def need_writer(user):
    if user.role == "viewer":
        raise HTTPException(403, "Viewers cannot write.")


@router.get("/")
async def list_page(
    request: Request, wanted: Annotated[PageFilter, Query()], user: PageUser, db: Database
):
    found = await find_issues(db, Filter(state=wanted.state or None, q=wanted.q, page=wanted.page))
    return page(request, "list.html", user=user, found=found, wanted=wanted)


@router.get("/login")
async def login_page(request: Request):
    return page(request, "login.html", typed={}, faults={})


@checked.post("/login")
async def login(
    request: Request, name: Annotated[str, Form()], password: Annotated[str, Form()], db: Database
):
    try:
        await check_login(request, db, name, password)
    except HTTPException as error:
        return page(
            request,
            "login.html",
            error.status_code,
            typed={"name": name},
            faults={"name": error.detail},
        )
    return go("/")


@router.get("/signup")
async def signup_page(request: Request):
    return page(request, "signup.html", typed={}, faults={})


@checked.post("/signup")
async def signup(request: Request, db: Database):
    given, typed, faults = await read(request, SignUp)
    try:
        if given:
            log_in(request, await add_user(db, given))
            return go("/")
    except HTTPException as error:
        faults = {"name": error.detail}
    return page(request, "signup.html", 422, typed=typed, faults=faults)


@checked.post("/logout")
async def logout(request: Request):
    request.session.clear()
    return go("/login")


@router.get("/issues/new")
async def new_page(request: Request, user: PageUser):
    return page(request, "new.html", user=user, typed={"priority": 3}, faults={})


@checked.post("/issues")
async def create(request: Request, user: PageUser, db: Database):
    need_writer(user)
    given, typed, faults = await read(request, IssueForm)
    if not given:
        return page(request, "new.html", 422, user=user, typed=typed, faults=faults)
    issue = await add_issue(db, user, given.model_dump())
    return go(f"/issues/{issue.id}")


@router.get("/issues/{issue_id}")
async def issue_page(request: Request, issue_id: int, user: PageUser, db: Database):
    issue = await get_issue(db, issue_id)
    return page(request, "issue.html", user=user, issue=issue, typed=vars(issue), faults={})


@checked.post("/issues/{issue_id}")
async def edit(request: Request, issue_id: int, user: PageUser, db: Database):
    need_writer(user)
    issue = await get_issue(db, issue_id)
    given, typed, faults = await read(request, EditForm)
    status = 422
    try:
        if given:
            await change_issue(
                db, user, issue_id, given.version, given.model_dump(exclude={"version"})
            )
            return go(f"/issues/{issue_id}")
    except HTTPException as error:
        status, faults = error.status_code, {"title": error.detail}
    return page(request, "issue.html", status, user=user, issue=issue, typed=typed, faults=faults)

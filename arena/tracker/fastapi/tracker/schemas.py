"""Requests and responses."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, EmailStr, Field

Role = Literal["admin", "member", "viewer"]
State = Literal["open", "closed"]
Title = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(max_length=10_000)]
Priority = Annotated[int, Field(ge=1, le=5)]


def unique(labels: list[str]) -> list[str]:
    if len(set(labels)) != len(labels):
        raise ValueError("must not contain duplicates")
    return labels


Labels = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=30)]],
    Field(max_length=10),
    AfterValidator(unique),
]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SignUp(Strict):
    name: Annotated[str, Field(pattern=r"^[a-z0-9_]{2,32}$")]
    email: EmailStr
    password: Annotated[str, Field(min_length=10, max_length=200)]


class Login(Strict):
    name: str
    password: str


class NewRole(Strict):
    role: Role


class Shown(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class UserOut(Shown):
    id: int
    name: str
    role: Role


class NewIssue(Strict):
    title: Title
    body: Text = ""
    priority: Priority = 3
    labels: Labels = []
    assignee_id: int | None = None


class IssueForm(Strict):
    title: Title
    body: Text = ""
    priority: Priority = 3


class EditForm(IssueForm):
    version: int
    state: State


class ChangeIssue(Strict):
    version: int
    title: Title | None = None
    body: Text | None = None
    state: State | None = None
    priority: Priority | None = None
    labels: Labels | None = None
    assignee_id: int | None = None


class IssueOut(Shown):
    id: int
    title: str
    body: str
    state: State
    priority: int
    labels: list[str]
    assignee_id: int | None
    author: str
    version: int
    created: datetime


class Filter(Strict):
    state: State | None = None
    priority: Priority | None = None
    assignee_id: int | None = None
    q: str = ""
    sort: Literal["created", "-created", "title", "-title", "priority", "-priority"] = "-created"
    page: Annotated[int, Field(ge=1)] = 1
    per_page: Annotated[int, Field(ge=1, le=100)] = 20


class PageFilter(Strict):
    state: State | Literal[""] = ""
    q: str = ""
    page: Annotated[int, Field(ge=1)] = 1


class IssuePage(Shown):
    items: list[IssueOut]
    total: int
    page: int
    pages: int


class AttachmentOut(Shown):
    id: int
    name: str
    size: int


class EventOut(Shown):
    id: int
    kind: str
    issue_id: int
    by: str

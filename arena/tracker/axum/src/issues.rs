//! Issues: found, added and changed, for the API and the pages.
use axum::extract::{Path, State};
use axum::http::{header, StatusCode};
use axum::Json;
use serde::{Deserialize, Serialize};
use sqlx::types::Json as Column;
use sqlx::{QueryBuilder, Sqlite};
use std::collections::HashSet;
use utoipa::{IntoParams, ToSchema};
use validator::{Validate, ValidationError};

use crate::accounts::{Admin, User, Writer};
use crate::error::{refused, Checked, CheckedQuery, Fault};
use crate::events::commit_with;
use crate::state::App;

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "lowercase")]
#[sqlx(rename_all = "lowercase")]
pub enum IssueState {
    Open,
    Closed,
}

impl IssueState {
    pub fn text(&self) -> &'static str {
        match self {
            IssueState::Open => "open",
            IssueState::Closed => "closed",
        }
    }
}

#[derive(Serialize, sqlx::FromRow, ToSchema)]
pub struct Issue {
    pub id: i64,
    pub title: String,
    pub body: String,
    pub state: IssueState,
    pub priority: i64,
    #[schema(value_type = Vec<String>)]
    pub labels: Column<Vec<String>>,
    pub assignee_id: Option<i64>,
    pub author: String,
    pub version: i64,
    pub created: String,
}

fn three() -> i64 {
    3
}

fn unique(labels: &[String]) -> Result<(), ValidationError> {
    let set: HashSet<_> = labels.iter().collect();
    if set.len() != labels.len() {
        return Err(ValidationError::new("the same label twice"));
    }
    Ok(())
}

#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewIssue {
    #[validate(length(min = 1, max = 200))]
    #[schema(min_length = 1, max_length = 200)]
    pub title: String,
    #[serde(default)]
    #[validate(length(max = 10_000))]
    #[schema(max_length = 10_000)]
    pub body: String,
    #[serde(default = "three")]
    #[validate(range(min = 1, max = 5))]
    #[schema(minimum = 1, maximum = 5)]
    pub priority: i64,
    #[serde(default)]
    #[validate(length(max = 10), custom(function = unique))]
    #[schema(max_items = 10)]
    pub labels: Vec<String>,
    pub assignee_id: Option<i64>,
}

#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeIssue {
    pub version: i64,
    #[validate(length(min = 1, max = 200))]
    pub title: Option<String>,
    #[validate(length(max = 10_000))]
    pub body: Option<String>,
    pub state: Option<IssueState>,
    #[validate(range(min = 1, max = 5))]
    pub priority: Option<i64>,
    #[validate(length(max = 10), custom(function = unique))]
    pub labels: Option<Vec<String>>,
    /// Absent: it stays; null: nobody.
    #[serde(default, with = "serde_with::rust::double_option")]
    #[schema(value_type = Option<i64>)]
    pub assignee_id: Option<Option<i64>>,
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
pub enum Sort {
    #[serde(rename = "created")]
    Created,
    #[serde(rename = "-created")]
    CreatedLast,
    #[serde(rename = "title")]
    Title,
    #[serde(rename = "-title")]
    TitleLast,
    #[serde(rename = "priority")]
    Priority,
    #[serde(rename = "-priority")]
    PriorityLast,
}

impl Sort {
    fn order(self) -> &'static str {
        match self {
            Sort::Created => " order by id",
            Sort::CreatedLast => " order by id desc",
            Sort::Title => " order by title, id",
            Sort::TitleLast => " order by title desc, id",
            Sort::Priority => " order by priority, id",
            Sort::PriorityLast => " order by priority desc, id",
        }
    }
}

fn one() -> i64 {
    1
}

fn twenty() -> i64 {
    20
}

#[derive(Deserialize, Validate, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    pub state: Option<IssueState>,
    #[validate(range(min = 1, max = 5))]
    pub priority: Option<i64>,
    pub assignee_id: Option<i64>,
    #[serde(default)]
    pub q: String,
    pub sort: Option<Sort>,
    #[serde(default = "one")]
    #[validate(range(min = 1, max = 1_000_000))]
    pub page: i64,
    #[serde(default = "twenty")]
    #[validate(range(min = 1, max = 100))]
    pub per_page: i64,
}

#[derive(Serialize, ToSchema)]
pub struct IssuePage {
    pub items: Vec<Issue>,
    pub total: i64,
    pub page: i64,
    pub pages: i64,
}

fn push_filter(query: &mut QueryBuilder<'_, Sqlite>, wanted: &Filter) {
    query.push(" where 1");
    if let Some(state) = wanted.state {
        query.push(" and state = ").push_bind(state);
    }
    if let Some(priority) = wanted.priority {
        query.push(" and priority = ").push_bind(priority);
    }
    if let Some(id) = wanted.assignee_id {
        query.push(" and assignee_id = ").push_bind(id);
    }
    if !wanted.q.is_empty() {
        query
            .push(" and instr(lower(title || char(10) || body), lower(")
            .push_bind(wanted.q.clone())
            .push("))");
    }
}

pub async fn find_issues(app: &App, wanted: Filter) -> Result<IssuePage, Fault> {
    let mut count = QueryBuilder::new("select count(*) from issues");
    push_filter(&mut count, &wanted);
    let total: i64 = count.build_query_scalar().fetch_one(&app.db).await?;
    let mut query = QueryBuilder::new("select * from issues");
    push_filter(&mut query, &wanted);
    query.push(wanted.sort.unwrap_or(Sort::CreatedLast).order());
    query
        .push(" limit ")
        .push_bind(wanted.per_page)
        .push(" offset ")
        .push_bind((wanted.page - 1) * wanted.per_page);
    let items = query.build_query_as().fetch_all(&app.db).await?;
    let pages = ((total + wanted.per_page - 1) / wanted.per_page).max(1);
    Ok(IssuePage {
        items,
        total,
        page: wanted.page,
        pages,
    })
}

pub async fn find_issue(app: &App, id: i64) -> Result<Issue, Fault> {
    sqlx::query_as("select * from issues where id = $1")
        .bind(id)
        .fetch_optional(&app.db)
        .await?
        .ok_or_else(|| refused(StatusCode::NOT_FOUND, "There is no such issue."))
}

fn no_assignee(error: sqlx::Error) -> Fault {
    match error.as_database_error() {
        Some(e) if e.is_foreign_key_violation() => {
            refused(StatusCode::CONFLICT, "There is no such assignee.")
        }
        _ => error.into(),
    }
}

pub async fn add_issue(app: &App, user: &User, given: NewIssue) -> Result<Issue, Fault> {
    let mut all = app.db.begin_with("begin immediate").await?;
    let issue: Issue = sqlx::query_as(
        "insert into issues(title, body, priority, labels, assignee_id, author) values($1, $2, $3, $4, $5, $6) returning *",
    )
    .bind(given.title)
    .bind(given.body)
    .bind(given.priority)
    .bind(Column(given.labels))
    .bind(given.assignee_id)
    .bind(&user.name)
    .fetch_one(&mut *all)
    .await
    .map_err(no_assignee)?;
    commit_with(app, all, "created", issue.id, &user.name).await?;
    Ok(issue)
}

pub async fn change_issue(
    app: &App,
    user: &User,
    id: i64,
    change: ChangeIssue,
) -> Result<Issue, Fault> {
    let mut all = app.db.begin_with("begin immediate").await?;
    let issue: Option<Issue> = sqlx::query_as(
        "update issues set version = version + 1, title = coalesce($3, title), body = coalesce($4, body), \
         state = coalesce($5, state), priority = coalesce($6, priority), labels = coalesce($7, labels), \
         assignee_id = iif($8, assignee_id, $9) where id = $1 and version = $2 returning *",
    )
    .bind(id)
    .bind(change.version)
    .bind(change.title)
    .bind(change.body)
    .bind(change.state)
    .bind(change.priority)
    .bind(change.labels.map(Column))
    .bind(change.assignee_id.is_none())
    .bind(change.assignee_id.flatten())
    .fetch_optional(&mut *all)
    .await
    .map_err(no_assignee)?;
    let Some(issue) = issue else {
        all.rollback().await?;
        find_issue(app, id).await?;
        return Err(refused(StatusCode::CONFLICT, "The issue was changed in the meantime."));
    };
    commit_with(app, all, "changed", id, &user.name).await?;
    Ok(issue)
}

#[utoipa::path(get, path = "/api/issues", params(Filter), responses((status = 200, body = IssuePage), (status = 400), (status = 401)))]
pub async fn list(
    State(app): State<App>,
    _: User,
    CheckedQuery(wanted): CheckedQuery<Filter>,
) -> Result<Json<IssuePage>, Fault> {
    Ok(Json(find_issues(&app, wanted).await?))
}

#[utoipa::path(post, path = "/api/issues", request_body = NewIssue, responses((status = 201, body = Issue), (status = 403), (status = 409), (status = 422)))]
pub async fn create(
    State(app): State<App>,
    Writer(user): Writer,
    Checked(given): Checked<NewIssue>,
) -> Result<(StatusCode, [(header::HeaderName, String); 1], Json<Issue>), Fault> {
    let issue = add_issue(&app, &user, given).await?;
    Ok((
        StatusCode::CREATED,
        [(header::LOCATION, format!("/api/issues/{}", issue.id))],
        Json(issue),
    ))
}

#[utoipa::path(get, path = "/api/issues/{id}", responses((status = 200, body = Issue), (status = 404)))]
pub async fn show(
    State(app): State<App>,
    _: User,
    Path(id): Path<i64>,
) -> Result<Json<Issue>, Fault> {
    Ok(Json(find_issue(&app, id).await?))
}

#[utoipa::path(patch, path = "/api/issues/{id}", request_body = ChangeIssue, responses((status = 200, body = Issue), (status = 404), (status = 409), (status = 422)))]
pub async fn change(
    State(app): State<App>,
    Writer(user): Writer,
    Path(id): Path<i64>,
    Checked(change): Checked<ChangeIssue>,
) -> Result<Json<Issue>, Fault> {
    Ok(Json(change_issue(&app, &user, id, change).await?))
}

#[utoipa::path(delete, path = "/api/issues/{id}", responses((status = 204), (status = 403), (status = 404)))]
pub async fn delete(
    State(app): State<App>,
    Admin(user): Admin,
    Path(id): Path<i64>,
) -> Result<StatusCode, Fault> {
    let mut all = app.db.begin_with("begin immediate").await?;
    let removed = sqlx::query("delete from issues where id = $1")
        .bind(id)
        .execute(&mut *all)
        .await?;
    if removed.rows_affected() == 0 {
        return Err(refused(StatusCode::NOT_FOUND, "There is no such issue."));
    }
    commit_with(&app, all, "deleted", id, &user.name).await?;
    Ok(StatusCode::NO_CONTENT)
}

//! Pages with forms.
use std::collections::HashMap;
use std::net::SocketAddr;

use askama::Template;
use axum::extract::{ConnectInfo, FromRequestParts, Path, Query, Request, State};
use axum::http::{request::Parts, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::Form;
use serde::Deserialize;
use tower_sessions::Session;
use validator::Validate;

use crate::accounts::{add_user, check_login, LogIn, Role, SignUp, User};
use crate::error::{refused, Fault};
use crate::issues::{
    add_issue, change_issue, find_issue, find_issues, ChangeIssue, Filter, Issue, IssuePage,
    IssueState, NewIssue,
};
use crate::state::App;

type Typed = HashMap<String, String>;
type Faults = HashMap<String, String>;

/// 403 for what the page of another site caused, by the word of the browser.
pub async fn refuse_other_sites(request: Request, next: Next) -> Response {
    let site = request
        .headers()
        .get("sec-fetch-site")
        .and_then(|v| v.to_str().ok());
    let is_safe = matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    );
    if !is_safe
        && site.is_some_and(|s| s != "same-origin" && s != "none")
        && !request.uri().path().starts_with("/api/")
    {
        return refused(
            StatusCode::FORBIDDEN,
            "The page of another site cannot write here.",
        )
        .into_response();
    }
    next.run(request).await
}

/// A user of pages: a stranger is led to the login.
pub struct PageUser(User);

impl FromRequestParts<App> for PageUser {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        match <User as FromRequestParts<App>>::from_request_parts(parts, app).await {
            Ok(user) => Ok(PageUser(user)),
            Err(fault) if fault.status() == StatusCode::UNAUTHORIZED => {
                Err(Redirect::to("/login").into_response())
            }
            Err(fault) => Err(fault.into_response()),
        }
    }
}

impl PageUser {
    fn writer(self) -> Result<User, Fault> {
        if self.0.role == Role::Viewer {
            return Err(refused(StatusCode::FORBIDDEN, "Viewers cannot write."));
        }
        Ok(self.0)
    }
}

/// The token that forms hold beside the session.
pub struct Csrf(String);

impl FromRequestParts<App> for Csrf {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let session = <Session as FromRequestParts<App>>::from_request_parts(parts, app)
            .await
            .map_err(|(s, t)| refused(s, t))?;
        if let Some(token) = session.get("csrf").await? {
            return Ok(Csrf(token));
        }
        let token = uuid::Uuid::new_v4().to_string();
        session.insert("csrf", &token).await?;
        Ok(Csrf(token))
    }
}

impl Csrf {
    fn check(&self, typed: &Typed) -> Result<(), Fault> {
        if typed
            .get("csrf")
            .is_some_and(|given| constant_time_eq(given.as_bytes(), self.0.as_bytes()))
        {
            return Ok(());
        }
        Err(refused(
            StatusCode::FORBIDDEN,
            "This form is from another site, or too old.",
        ))
    }
}

fn constant_time_eq(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (x, y)| all | (x ^ y)) == 0
}

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage<'a> {
    csrf: &'a str,
    user: Option<&'a User>,
    typed: &'a Typed,
    faults: &'a Faults,
}

#[derive(Template)]
#[template(path = "signup.html")]
struct SignupPage<'a> {
    csrf: &'a str,
    user: Option<&'a User>,
    typed: &'a Typed,
    faults: &'a Faults,
}

#[derive(Template)]
#[template(path = "new.html")]
struct NewPage<'a> {
    csrf: &'a str,
    user: Option<&'a User>,
    typed: &'a Typed,
    faults: &'a Faults,
}

#[derive(Template)]
#[template(path = "issue.html")]
struct OnePage<'a> {
    csrf: &'a str,
    user: Option<&'a User>,
    issue: &'a Issue,
    typed: &'a Typed,
    faults: &'a Faults,
}

#[derive(Template)]
#[template(path = "list.html")]
struct ListPage<'a> {
    csrf: &'a str,
    user: Option<&'a User>,
    found: &'a IssuePage,
    wanted: &'a PageFilter,
}

#[derive(Deserialize)]
pub struct PageFilter {
    #[serde(default)]
    state: String,
    #[serde(default)]
    q: String,
    page: Option<i64>,
}

fn at<'a>(values: &'a HashMap<String, String>, name: &str) -> &'a str {
    values.get(name).map_or("", String::as_str)
}

fn has(values: &HashMap<String, String>, name: &str) -> bool {
    values.contains_key(name)
}

fn page(status: StatusCode, template: impl Template) -> Result<Response, Fault> {
    Ok((status, Html(template.render()?)).into_response())
}

/// What is wrong, by member.
fn faults_of(result: Result<(), validator::ValidationErrors>) -> Faults {
    let Err(errors) = result else {
        return Faults::new();
    };
    errors
        .field_errors()
        .into_iter()
        .map(|(name, all)| {
            (
                name.to_string(),
                all[0]
                    .message
                    .as_ref()
                    .map_or_else(|| all[0].code.to_string(), ToString::to_string),
            )
        })
        .collect()
}

fn one_fault(name: &str, fault: &Fault) -> Faults {
    Faults::from([(name.into(), fault.text())])
}

pub async fn list(
    State(app): State<App>,
    PageUser(user): PageUser,
    Csrf(csrf): Csrf,
    Query(wanted): Query<PageFilter>,
) -> Result<Response, Fault> {
    let state = match wanted.state.as_str() {
        "open" => Some(IssueState::Open),
        "closed" => Some(IssueState::Closed),
        _ => None,
    };
    let filter = Filter {
        state,
        priority: None,
        assignee_id: None,
        q: wanted.q.clone(),
        sort: None,
        page: wanted.page.unwrap_or(1).clamp(1, 1_000_000),
        per_page: 20,
    };
    let found = find_issues(&app, filter).await?;
    page(
        StatusCode::OK,
        ListPage {
            csrf: &csrf,
            user: Some(&user),
            found: &found,
            wanted: &wanted,
        },
    )
}

pub async fn login_page(Csrf(csrf): Csrf) -> Result<Response, Fault> {
    page(
        StatusCode::OK,
        LoginPage {
            csrf: &csrf,
            user: None,
            typed: &Typed::new(),
            faults: &Faults::new(),
        },
    )
}

pub async fn login(
    State(app): State<App>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    session: Session,
    csrf: Csrf,
    Form(typed): Form<Typed>,
) -> Result<Response, Fault> {
    csrf.check(&typed)?;
    let given = LogIn {
        name: at(&typed, "name").into(),
        password: at(&typed, "password").into(),
    };
    match check_login(&app, &session, from.ip(), given).await {
        Ok(_) => Ok(Redirect::to("/").into_response()),
        Err(fault) => page(
            fault.status(),
            LoginPage {
                csrf: &csrf.0,
                user: None,
                typed: &typed,
                faults: &one_fault("name", &fault),
            },
        ),
    }
}

pub async fn signup_page(Csrf(csrf): Csrf) -> Result<Response, Fault> {
    page(
        StatusCode::OK,
        SignupPage {
            csrf: &csrf,
            user: None,
            typed: &Typed::new(),
            faults: &Faults::new(),
        },
    )
}

pub async fn signup(
    State(app): State<App>,
    session: Session,
    csrf: Csrf,
    Form(typed): Form<Typed>,
) -> Result<Response, Fault> {
    csrf.check(&typed)?;
    let given = SignUp {
        name: at(&typed, "name").into(),
        email: at(&typed, "email").into(),
        password: at(&typed, "password").into(),
    };
    let mut faults = faults_of(given.validate());
    if faults.is_empty() {
        match add_user(&app, &session, given).await {
            Ok(_) => return Ok(Redirect::to("/").into_response()),
            Err(fault) => faults = one_fault("name", &fault),
        }
    }
    page(
        StatusCode::UNPROCESSABLE_ENTITY,
        SignupPage {
            csrf: &csrf.0,
            user: None,
            typed: &typed,
            faults: &faults,
        },
    )
}

pub async fn logout(
    session: Session,
    csrf: Csrf,
    Form(typed): Form<Typed>,
) -> Result<Redirect, Fault> {
    csrf.check(&typed)?;
    session.flush().await?;
    Ok(Redirect::to("/login"))
}

pub async fn new_page(PageUser(user): PageUser, Csrf(csrf): Csrf) -> Result<Response, Fault> {
    let typed = Typed::from([("priority".into(), "3".into())]);
    page(
        StatusCode::OK,
        NewPage {
            csrf: &csrf,
            user: Some(&user),
            typed: &typed,
            faults: &Faults::new(),
        },
    )
}

/// The form as a new issue; what is no number is a fault.
fn read_issue(typed: &Typed, faults: &mut Faults) -> NewIssue {
    let priority = at(typed, "priority").parse().unwrap_or_else(|_| {
        faults.insert("priority".into(), "must be a number".into());
        3
    });
    let given = NewIssue {
        title: at(typed, "title").into(),
        body: at(typed, "body").into(),
        priority,
        labels: vec![],
        assignee_id: None,
    };
    faults.extend(faults_of(given.validate()));
    given
}

pub async fn create(
    State(app): State<App>,
    user: PageUser,
    csrf: Csrf,
    Form(typed): Form<Typed>,
) -> Result<Response, Fault> {
    csrf.check(&typed)?;
    let user = user.writer()?;
    let mut faults = Faults::new();
    let given = read_issue(&typed, &mut faults);
    if !faults.is_empty() {
        return page(
            StatusCode::UNPROCESSABLE_ENTITY,
            NewPage {
                csrf: &csrf.0,
                user: Some(&user),
                typed: &typed,
                faults: &faults,
            },
        );
    }
    let issue = add_issue(&app, &user, given).await?;
    Ok(Redirect::to(&format!("/issues/{}", issue.id)).into_response())
}

pub async fn show(
    State(app): State<App>,
    PageUser(user): PageUser,
    Csrf(csrf): Csrf,
    Path(id): Path<i64>,
) -> Result<Response, Fault> {
    let issue = find_issue(&app, id).await?;
    let typed = Typed::from([
        ("version".into(), issue.version.to_string()),
        ("title".into(), issue.title.clone()),
        ("body".into(), issue.body.clone()),
        ("priority".into(), issue.priority.to_string()),
        ("state".into(), issue.state.text().into()),
    ]);
    page(
        StatusCode::OK,
        OnePage {
            csrf: &csrf,
            user: Some(&user),
            issue: &issue,
            typed: &typed,
            faults: &Faults::new(),
        },
    )
}

pub async fn edit(
    State(app): State<App>,
    user: PageUser,
    csrf: Csrf,
    Path(id): Path<i64>,
    Form(typed): Form<Typed>,
) -> Result<Response, Fault> {
    csrf.check(&typed)?;
    let user = user.writer()?;
    let issue = find_issue(&app, id).await?;
    let mut faults = Faults::new();
    let mut status = StatusCode::UNPROCESSABLE_ENTITY;
    let given = read_issue(&typed, &mut faults);
    if faults.is_empty() {
        let change = ChangeIssue {
            version: at(&typed, "version").parse().unwrap_or(0),
            title: Some(given.title),
            body: Some(given.body),
            state: Some(if at(&typed, "state") == "closed" {
                IssueState::Closed
            } else {
                IssueState::Open
            }),
            priority: Some(given.priority),
            labels: None,
            assignee_id: None,
        };
        match change_issue(&app, &user, id, change).await {
            Ok(_) => return Ok(Redirect::to(&format!("/issues/{id}")).into_response()),
            Err(fault) => (status, faults) = (fault.status(), one_fault("title", &fault)),
        }
    }
    page(
        status,
        OnePage {
            csrf: &csrf.0,
            user: Some(&user),
            issue: &issue,
            typed: &typed,
            faults: &faults,
        },
    )
}

//! Who somebody is, and what he may.
use std::net::{IpAddr, SocketAddr};
use std::sync::LazyLock;

use argon2::password_hash::{rand_core::OsRng, SaltString};
use argon2::{Argon2, PasswordHash, PasswordHasher, PasswordVerifier};
use axum::extract::{ConnectInfo, FromRequestParts, Path, State};
use axum::http::{request::Parts, StatusCode};
use axum::Json;
use regex::Regex;
use serde::{Deserialize, Serialize};
use tower_sessions::Session;
use utoipa::ToSchema;
use validator::Validate;

use crate::error::{refused, Checked, Fault};
use crate::state::App;

static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("^[a-z0-9_]{2,32}$").expect("it is a pattern"));

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "lowercase")]
#[sqlx(rename_all = "lowercase")]
pub enum Role {
    Admin,
    Member,
    Viewer,
}

#[derive(Clone, Serialize, sqlx::FromRow, ToSchema)]
pub struct User {
    pub id: i64,
    pub name: String,
    pub role: Role,
}

#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignUp {
    #[validate(regex(path = *NAME, message = "must have 2 to 32 lowercase letters, digits and _"))]
    pub name: String,
    #[validate(email(message = "must be an email address"))]
    pub email: String,
    #[validate(length(min = 10, max = 200, message = "must have 10 to 200 characters"))]
    #[schema(min_length = 10, max_length = 200)]
    pub password: String,
}

#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LogIn {
    pub name: String,
    pub password: String,
}

#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRole {
    role: Role,
}

impl FromRequestParts<App> for User {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let stranger = || refused(StatusCode::UNAUTHORIZED, "Log in first.");
        let session = Session::from_request_parts(parts, app)
            .await
            .map_err(|(s, t)| refused(s, t))?;
        let id: i64 = session.get("user_id").await?.ok_or_else(stranger)?;
        sqlx::query_as("select id, name, role from users where id = $1")
            .bind(id)
            .fetch_optional(&app.db)
            .await?
            .ok_or_else(stranger)
    }
}

/// Whoever is no viewer.
pub struct Writer(pub User);
pub struct Admin(pub User);

impl FromRequestParts<App> for Writer {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let user = User::from_request_parts(parts, app).await?;
        if user.role == Role::Viewer {
            return Err(refused(StatusCode::FORBIDDEN, "Viewers cannot write."));
        }
        Ok(Writer(user))
    }
}

impl FromRequestParts<App> for Admin {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let user = User::from_request_parts(parts, app).await?;
        if user.role != Role::Admin {
            return Err(refused(StatusCode::FORBIDDEN, "Administrators only."));
        }
        Ok(Admin(user))
    }
}

async fn begin_session(session: &Session, user: &User) -> Result<(), Fault> {
    session.cycle_id().await?;
    session.insert("user_id", user.id).await?;
    Ok(())
}

pub async fn add_user(app: &App, session: &Session, given: SignUp) -> Result<User, Fault> {
    let stored = tokio::task::spawn_blocking(move || {
        let salt = SaltString::generate(&mut OsRng);
        Argon2::default()
            .hash_password(given.password.as_bytes(), &salt)
            .map(|hash| hash.to_string())
    })
    .await??;
    let user: User = sqlx::query_as(
        "insert into users(name, email, password, role) values($1, $2, $3, \
         iif(exists(select 1 from users), 'member', 'admin')) on conflict(name) do nothing \
         returning id, name, role",
    )
    .bind(given.name)
    .bind(given.email)
    .bind(stored)
    .fetch_optional(&app.db)
    .await?
    .ok_or_else(|| refused(StatusCode::CONFLICT, "This name is taken."))?;
    begin_session(session, &user).await?;
    Ok(user)
}

pub async fn check_login(
    app: &App,
    session: &Session,
    from: IpAddr,
    given: LogIn,
) -> Result<User, Fault> {
    if app.logins.check_key(&(from, given.name.clone())).is_err() {
        return Err(Fault::TooMany(60));
    }
    let known: Option<(i64, String, Role, String)> =
        sqlx::query_as("select id, name, role, password from users where name = $1")
            .bind(&given.name)
            .fetch_optional(&app.db)
            .await?;
    let stored = known
        .as_ref()
        .map_or_else(|| app.nobody.to_string(), |k| k.3.clone());
    let matches = tokio::task::spawn_blocking(move || {
        PasswordHash::new(&stored).is_ok_and(|hash| {
            Argon2::default()
                .verify_password(given.password.as_bytes(), &hash)
                .is_ok()
        })
    })
    .await?;
    match known {
        Some((id, name, role, _)) if matches => {
            let user = User { id, name, role };
            begin_session(session, &user).await?;
            Ok(user)
        }
        _ => Err(refused(
            StatusCode::UNAUTHORIZED,
            "Name or password are wrong.",
        )),
    }
}

#[utoipa::path(post, path = "/api/signup", request_body = SignUp, responses((status = 201, body = User), (status = 409), (status = 422)))]
pub async fn sign_up(
    State(app): State<App>,
    session: Session,
    Checked(given): Checked<SignUp>,
) -> Result<(StatusCode, Json<User>), Fault> {
    Ok((
        StatusCode::CREATED,
        Json(add_user(&app, &session, given).await?),
    ))
}

#[utoipa::path(post, path = "/api/login", request_body = LogIn, responses((status = 200, body = User), (status = 401), (status = 429)))]
pub async fn log_in(
    State(app): State<App>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    session: Session,
    Checked(given): Checked<LogIn>,
) -> Result<Json<User>, Fault> {
    Ok(Json(check_login(&app, &session, from.ip(), given).await?))
}

#[utoipa::path(post, path = "/api/logout", responses((status = 204)))]
pub async fn log_out(session: Session) -> Result<StatusCode, Fault> {
    session.flush().await?;
    Ok(StatusCode::NO_CONTENT)
}

#[utoipa::path(get, path = "/api/me", responses((status = 200, body = User), (status = 401)))]
pub async fn me(user: User) -> Json<User> {
    Json(user)
}

#[utoipa::path(put, path = "/api/users/{id}/role", request_body = NewRole, responses((status = 200, body = User), (status = 403), (status = 404)))]
pub async fn set_role(
    State(app): State<App>,
    Path(id): Path<i64>,
    _: Admin,
    Checked(given): Checked<NewRole>,
) -> Result<Json<User>, Fault> {
    let user = sqlx::query_as("update users set role = $2 where id = $1 returning id, name, role")
        .bind(id)
        .bind(given.role)
        .fetch_optional(&app.db)
        .await?
        .ok_or_else(|| refused(StatusCode::NOT_FOUND, "There is no such user."))?;
    Ok(Json(user))
}

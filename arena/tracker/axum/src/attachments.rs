//! Files that belong to an issue.
use std::path::Path as FilePath;

use axum::extract::multipart::MultipartError;
use axum::extract::{Multipart, Path, Request, State};
use axum::http::{header, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::Json;
use serde::Serialize;
use tokio::io::AsyncWriteExt;
use tower::ServiceExt;
use tower_http::services::ServeFile;
use utoipa::ToSchema;

use crate::accounts::{User, Writer};
use crate::error::{refused, Fault};
use crate::events::commit_with;
use crate::issues::find_issue;
use crate::state::App;

#[derive(Serialize, sqlx::FromRow, ToSchema)]
pub struct Attachment {
    id: i64,
    name: String,
    size: i64,
}

fn bad_form(error: MultipartError) -> Fault {
    Fault::Refused(error.status(), error.body_text())
}

/// Removes the file unless it is kept.
struct Unfinished(Option<std::path::PathBuf>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = std::fs::remove_file(path);
        }
    }
}

#[utoipa::path(get, path = "/api/issues/{id}/attachments", responses((status = 200, body = Vec<Attachment>), (status = 404)))]
pub async fn list(
    State(app): State<App>,
    _: User,
    Path(id): Path<i64>,
) -> Result<Json<Vec<Attachment>>, Fault> {
    find_issue(&app, id).await?;
    let all =
        sqlx::query_as("select id, name, size from attachments where issue_id = $1 order by id")
            .bind(id)
            .fetch_all(&app.db)
            .await?;
    Ok(Json(all))
}

#[utoipa::path(post, path = "/api/issues/{id}/attachments", request_body(content_type = "multipart/form-data"), responses((status = 201, body = Attachment), (status = 404), (status = 413)))]
pub async fn attach(
    State(app): State<App>,
    Writer(user): Writer,
    Path(id): Path<i64>,
    mut form: Multipart,
) -> Result<(StatusCode, Json<Attachment>), Fault> {
    find_issue(&app, id).await?;
    let no_file = || refused(StatusCode::UNPROCESSABLE_ENTITY, "file: must be a file");
    let mut part = form
        .next_field()
        .await
        .map_err(bad_form)?
        .filter(|p| p.name() == Some("file"))
        .ok_or_else(no_file)?;
    let name = part
        .file_name()
        .and_then(|n| FilePath::new(n).file_name())
        .and_then(|n| n.to_str())
        .ok_or_else(no_file)?
        .to_owned();
    let file_name = uuid::Uuid::new_v4().to_string();
    let path = FilePath::new(&app.config.uploads).join(&file_name);
    let mut unfinished = Unfinished(Some(path.clone()));
    let mut file = tokio::fs::File::create_new(&path).await?;
    let mut size = 0;
    while let Some(bytes) = part.chunk().await.map_err(bad_form)? {
        size += bytes.len() as i64;
        file.write_all(&bytes).await?;
    }
    file.sync_all().await?;
    let mut all = app.db.begin_with("begin immediate").await?;
    let attachment: Attachment =
        sqlx::query_as("insert into attachments(issue_id, name, size, file) values($1, $2, $3, $4) returning id, name, size")
            .bind(id)
            .bind(name)
            .bind(size)
            .bind(file_name)
            .fetch_one(&mut *all)
            .await?;
    commit_with(&app, all, "attached", id, &user.name).await?;
    unfinished.0 = None;
    Ok((StatusCode::CREATED, Json(attachment)))
}

#[utoipa::path(get, path = "/api/attachments/{id}", responses((status = 200), (status = 206), (status = 404), (status = 416)))]
pub async fn download(
    State(app): State<App>,
    _: User,
    Path(id): Path<i64>,
    request: Request,
) -> Result<Response, Fault> {
    let (name, file): (String, String) =
        sqlx::query_as("select name, file from attachments where id = $1")
            .bind(id)
            .fetch_optional(&app.db)
            .await?
            .ok_or_else(|| refused(StatusCode::NOT_FOUND, "There is no such attachment."))?;
    let mut response = ServeFile::new(FilePath::new(&app.config.uploads).join(file))
        .oneshot(request)
        .await?
        .into_response();
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_graphic() && c != '"' && c != '\\' || c == ' ' {
                c
            } else {
                '_'
            }
        })
        .collect();
    response.headers_mut().insert(
        header::CONTENT_DISPOSITION,
        HeaderValue::from_str(&format!("attachment; filename=\"{plain}\""))?,
    );
    Ok(response)
}

//! HttpArena's json, upload and static files; the dataset is the shared crate's.

use std::sync::Arc;

use arena_rows::{Dataset, Multiplied};
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::TryStreamExt;
use tower_http::compression::CompressionLayer;
use tower_http::services::ServeDir;

async fn items(
    State(all): State<Arc<Dataset>>,
    Path(count): Path<usize>,
    Query(asked): Query<Multiplied>,
) -> Response {
    Json(all.first(count, &asked)).into_response()
}

/// Counts what comes.
async fn upload(body: Body) -> Result<String, StatusCode> {
    let mut pieces = body.into_data_stream();
    let mut count = 0;
    while let Some(piece) = pieces
        .try_next()
        .await
        .map_err(|_| StatusCode::BAD_REQUEST)?
    {
        count += piece.len();
    }
    Ok(count.to_string())
}

pub fn uploads() -> Router {
    Router::new().route("/upload", post(upload))
}

/// The dataset and the files of a folder.
pub fn router(folder: &std::path::Path) -> Router {
    let files = ServeDir::new(folder.join("static"))
        .precompressed_br()
        .precompressed_gzip();
    Router::new()
        .route("/json/{count}", get(items).layer(CompressionLayer::new()))
        .nest_service("/static", files)
        .with_state(Arc::new(Dataset::open(folder)))
}

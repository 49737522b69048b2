//! What comes out of a database, by the shared crate's store.

use std::sync::Arc;

use arena_rows::{
    Between, Change, Changed, Counted, Fault, Found, Listed, Listing, NewItem, Origin, Store, World,
};
use axum::extract::{Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use axum::{Json, Router};

type Answer<T> = Result<T, StatusCode>;
type Shared = State<Arc<Store>>;

fn refused(fault: Fault) -> StatusCode {
    match fault {
        Fault::NotFound => StatusCode::NOT_FOUND,
        Fault::Failed => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

async fn one(State(store): Shared) -> Answer<Json<World>> {
    store.one().await.map(Json).map_err(refused)
}

async fn some(State(store): Shared, Query(asked): Query<Counted>) -> Answer<Json<Vec<World>>> {
    store.some(&asked).await.map(Json).map_err(refused)
}

async fn update(State(store): Shared, Query(asked): Query<Counted>) -> Answer<Json<Vec<World>>> {
    store.update(&asked).await.map(Json).map_err(refused)
}

async fn cached(State(store): Shared, Query(asked): Query<Counted>) -> Json<Vec<World>> {
    Json(store.cached(&asked))
}

async fn fortunes(State(store): Shared) -> Answer<Html<String>> {
    store.fortunes().await.map(Html).map_err(refused)
}

async fn between(State(store): Shared, Query(asked): Query<Between>) -> Answer<Json<Found>> {
    store.between(&asked).await.map(Json).map_err(refused)
}

async fn list(State(store): Shared, Query(asked): Query<Listing>) -> Answer<Json<Listed>> {
    store.list(&asked).await.map(Json).map_err(refused)
}

async fn item(State(store): Shared, Path(id): Path<i32>) -> Answer<impl IntoResponse> {
    let kept = store.item(id).await.map_err(refused)?;
    let fields = [
        (CONTENT_TYPE.as_str(), "application/json"),
        ("x-cache", kept.how),
    ];
    Ok((fields, kept.text))
}

async fn add(
    State(store): Shared,
    Json(item): Json<NewItem>,
) -> Answer<(StatusCode, Json<NewItem>)> {
    store.add(&item).await.map_err(refused)?;
    Ok((StatusCode::CREATED, Json(item)))
}

async fn change(
    State(store): Shared,
    Path(id): Path<i32>,
    Json(wanted): Json<Change>,
) -> Answer<Json<Changed>> {
    store.change(id, wanted).await.map(Json).map_err(refused)
}

/// Ends the program with status 1 when the database cannot be asked.
pub async fn router(place: &str, connections: usize) -> Router {
    let origin = Origin::open(place, connections).await;
    Router::new()
        .route("/db", get(one))
        .route("/queries", get(some))
        .route("/updates", get(update))
        .route("/cached-queries", get(cached))
        .route("/fortunes", get(fortunes))
        .route("/async-db", get(between))
        .route("/crud/items", get(list).post(add))
        .route("/crud/items/{id}", get(item).put(change))
        .with_state(Arc::new(origin.store()))
}

//! The table of items: HttpArena's async-db and crud. Single items are kept for 200 ms.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use dashmap::DashMap;
use deadpool_postgres::GenericClient;
use serde::{Deserialize, Serialize};
use tokio_postgres::types::Json as JsonColumn;
use tokio_postgres::Row;

use crate::database::{Fault, Store};

const KEPT_FOR: Duration = Duration::from_millis(200);
const LIMIT_MAX: i64 = 50;

static KEPT: LazyLock<DashMap<i32, (Bytes, Instant)>> = LazyLock::new(DashMap::new);

#[derive(Serialize)]
struct Rating {
    score: i32,
    count: i32,
}

#[derive(Serialize)]
struct Item {
    id: i32,
    name: String,
    category: String,
    price: i32,
    quantity: i32,
    active: bool,
    tags: Vec<String>,
    rating: Rating,
}

#[derive(Serialize)]
struct Found {
    count: usize,
    items: Vec<Item>,
}

#[derive(Serialize)]
struct Listed {
    total: usize,
    items: Vec<Item>,
    page: i64,
    limit: i64,
}

#[derive(Deserialize)]
struct Between {
    min: Option<i32>,
    max: Option<i32>,
    limit: Option<i64>,
}

#[derive(Deserialize)]
struct Listing {
    category: Option<String>,
    page: Option<i64>,
    limit: Option<i64>,
}

#[derive(Deserialize, Serialize)]
struct NewItem {
    id: i32,
    name: String,
    category: String,
    price: i32,
    quantity: i32,
}

#[derive(Deserialize)]
struct Change {
    name: String,
    price: i32,
    quantity: i32,
}

#[derive(Serialize)]
struct Changed {
    id: i32,
    name: String,
    price: i32,
    quantity: i32,
}

fn item_of(row: &Row) -> Item {
    let JsonColumn(tags) = row.get(6);
    Item {
        id: row.get(0),
        name: row.get(1),
        category: row.get(2),
        price: row.get(3),
        quantity: row.get(4),
        active: row.get(5),
        tags,
        rating: Rating {
            score: row.get(7),
            count: row.get(8),
        },
    }
}

async fn between(
    State(store): State<Arc<Store>>,
    Query(asked): Query<Between>,
) -> Result<Json<Found>, Fault> {
    let client = store.pool.get().await?;
    let statement = client
        .prepare_cached(
            "select id, name, category, price, quantity, active, tags, rating_score, rating_count \
             from items where price between $1 and $2 limit $3",
        )
        .await?;
    let limit = asked.limit.unwrap_or(LIMIT_MAX).clamp(1, LIMIT_MAX);
    let (least, most) = (asked.min.unwrap_or(10), asked.max.unwrap_or(50));
    let rows = client.query(&statement, &[&least, &most, &limit]).await?;
    let items: Vec<Item> = rows.iter().map(item_of).collect();
    Ok(Json(Found {
        count: items.len(),
        items,
    }))
}

async fn list(
    State(store): State<Arc<Store>>,
    Query(asked): Query<Listing>,
) -> Result<Json<Listed>, Fault> {
    let client = store.pool.get().await?;
    let statement = client
        .prepare_cached(
            "select id, name, category, price, quantity, active, tags, rating_score, rating_count \
             from items where category = $1 order by id limit $2 offset $3",
        )
        .await?;
    let category = asked.category.as_deref().unwrap_or("electronics");
    let limit = asked.limit.unwrap_or(10).clamp(1, LIMIT_MAX);
    let page = asked.page.unwrap_or(1).max(1);
    let before = (page - 1) * limit;
    let rows = client
        .query(&statement, &[&category, &limit, &before])
        .await?;
    let items: Vec<Item> = rows.iter().map(item_of).collect();
    Ok(Json(Listed {
        total: items.len(),
        items,
        page,
        limit,
    }))
}

fn answer(text: Bytes, how: &'static str) -> Response {
    (
        [
            (CONTENT_TYPE.as_str(), "application/json"),
            ("x-cache", how),
        ],
        text,
    )
        .into_response()
}

async fn read(State(store): State<Arc<Store>>, Path(id): Path<i32>) -> Result<Response, Fault> {
    let kept = KEPT.get(&id).map(|kept| kept.value().clone());
    if let Some((text, _)) = kept.filter(|(_, until)| Instant::now() < *until) {
        return Ok(answer(text, "HIT"));
    }
    let client = store.pool.get().await?;
    let statement = client
        .prepare_cached(
            "select id, name, category, price, quantity, active, tags, rating_score, rating_count \
             from items where id = $1",
        )
        .await?;
    let row = client.query_opt(&statement, &[&id]).await?;
    let item = item_of(&row.ok_or_else(Fault::not_found)?);
    let text = Bytes::from(serde_json::to_vec(&item)?);
    KEPT.insert(id, (text.clone(), Instant::now() + KEPT_FOR));
    Ok(answer(text, "MISS"))
}

async fn add(
    State(store): State<Arc<Store>>,
    Json(item): Json<NewItem>,
) -> Result<(StatusCode, Json<NewItem>), Fault> {
    let client = store.pool.get().await?;
    let statement = client
        .prepare_cached(
            "insert into items values($1, $2, $3, $4, $5, true, '[]', 0, 0) on conflict (id) do \
             update set name = excluded.name, category = excluded.category, \
             price = excluded.price, quantity = excluded.quantity",
        )
        .await?;
    client
        .execute(
            &statement,
            &[
                &item.id,
                &item.name,
                &item.category,
                &item.price,
                &item.quantity,
            ],
        )
        .await?;
    KEPT.remove(&item.id);
    Ok((StatusCode::CREATED, Json(item)))
}

async fn change(
    State(store): State<Arc<Store>>,
    Path(id): Path<i32>,
    Json(wanted): Json<Change>,
) -> Result<Json<Changed>, Fault> {
    let client = store.pool.get().await?;
    let statement = client
        .prepare_cached(
            "update items set name = $2, price = $3, quantity = $4 where id = $1 returning id",
        )
        .await?;
    let row = client
        .query_opt(
            &statement,
            &[&id, &wanted.name, &wanted.price, &wanted.quantity],
        )
        .await?;
    KEPT.remove(&id);
    let id = row.ok_or_else(Fault::not_found)?.get(0);
    Ok(Json(Changed {
        id,
        name: wanted.name,
        price: wanted.price,
        quantity: wanted.quantity,
    }))
}

pub fn router() -> Router<Arc<Store>> {
    Router::new()
        .route("/async-db", get(between))
        .route("/crud/items", get(list).post(add))
        .route("/crud/items/{id}", get(read).put(change))
}

//! The table of items: HttpArena's async-db and crud. Single items are kept for 200 ms.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use bytes::Bytes;
use dashmap::DashMap;
use deadpool_postgres::GenericClient;
use serde::{Deserialize, Serialize};
use tokio_postgres::types::Json;
use tokio_postgres::Row;

use crate::{Fault, Store};

const KEPT_FOR: Duration = Duration::from_millis(200);
const LIMIT_MAX: i64 = 50;

static KEPT: LazyLock<DashMap<i32, (Bytes, Instant)>> = LazyLock::new(DashMap::new);

#[derive(Deserialize, Serialize)]
pub(crate) struct Rating {
    score: i32,
    count: i32,
}

#[derive(Deserialize, Serialize)]
pub(crate) struct Item {
    pub(crate) id: i32,
    pub(crate) name: String,
    pub(crate) category: String,
    pub(crate) price: i32,
    pub(crate) quantity: i32,
    pub(crate) active: bool,
    pub(crate) tags: Vec<String>,
    pub(crate) rating: Rating,
}

#[derive(Serialize)]
pub struct Found {
    count: usize,
    items: Vec<Item>,
}

#[derive(Serialize)]
pub struct Listed {
    total: usize,
    items: Vec<Item>,
    page: i64,
    limit: i64,
}

#[derive(Deserialize)]
pub struct Between {
    min: Option<i32>,
    max: Option<i32>,
    limit: Option<i64>,
}

#[derive(Deserialize)]
pub struct Listing {
    category: Option<String>,
    page: Option<i64>,
    limit: Option<i64>,
}

#[derive(Deserialize, Serialize)]
pub struct NewItem {
    id: i32,
    name: String,
    category: String,
    price: i32,
    quantity: i32,
}

#[derive(Deserialize)]
pub struct Change {
    name: String,
    price: i32,
    quantity: i32,
}

#[derive(Serialize)]
pub struct Changed {
    id: i32,
    name: String,
    price: i32,
    quantity: i32,
}

/// A single item as JSON, and what X-Cache says of it.
pub struct Kept {
    pub text: Bytes,
    pub how: &'static str,
}

fn item_of(row: &Row) -> Item {
    let Json(tags) = row.get(6);
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

fn kept(id: i32) -> Option<Kept> {
    let found = KEPT.get(&id)?;
    let (text, until) = found.value();
    (Instant::now() < *until).then(|| Kept {
        text: text.clone(),
        how: "HIT",
    })
}

impl Store {
    pub async fn between(&self, asked: &Between) -> Result<Found, Fault> {
        let client = self.pool.get().await?;
        let statement = client
            .prepare_cached(
                "select id, name, category, price, quantity, active, tags, rating_score, \
                 rating_count from items where price between $1 and $2 limit $3",
            )
            .await?;
        let limit = asked.limit.unwrap_or(LIMIT_MAX).clamp(1, LIMIT_MAX);
        let (least, most) = (asked.min.unwrap_or(10), asked.max.unwrap_or(50));
        let rows = client.query(&statement, &[&least, &most, &limit]).await?;
        let items: Vec<Item> = rows.iter().map(item_of).collect();
        Ok(Found {
            count: items.len(),
            items,
        })
    }

    pub async fn list(&self, asked: &Listing) -> Result<Listed, Fault> {
        let client = self.pool.get().await?;
        let statement = client
            .prepare_cached(
                "select id, name, category, price, quantity, active, tags, rating_score, \
                 rating_count from items where category = $1 order by id limit $2 offset $3",
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
        Ok(Listed {
            total: items.len(),
            items,
            page,
            limit,
        })
    }

    pub async fn item(&self, id: i32) -> Result<Kept, Fault> {
        if let Some(kept) = kept(id) {
            return Ok(kept);
        }
        let client = self.pool.get().await?;
        let statement = client
            .prepare_cached(
                "select id, name, category, price, quantity, active, tags, rating_score, \
                 rating_count from items where id = $1",
            )
            .await?;
        let row = client.query_opt(&statement, &[&id]).await?;
        let item = item_of(&row.ok_or(Fault::NotFound)?);
        let text = Bytes::from(serde_json::to_vec(&item)?);
        KEPT.insert(id, (text.clone(), Instant::now() + KEPT_FOR));
        Ok(Kept { text, how: "MISS" })
    }

    pub async fn add(&self, item: &NewItem) -> Result<(), Fault> {
        let client = self.pool.get().await?;
        let statement = client
            .prepare_cached(
                "insert into items values($1, $2, $3, $4, $5, true, '[]', 0, 0) on conflict (id) \
                 do update set name = excluded.name, category = excluded.category, \
                 price = excluded.price, quantity = excluded.quantity",
            )
            .await?;
        let NewItem {
            id,
            name,
            category,
            price,
            quantity,
        } = item;
        client
            .execute(&statement, &[id, name, category, price, quantity])
            .await?;
        KEPT.remove(id);
        Ok(())
    }

    pub async fn change(&self, id: i32, wanted: Change) -> Result<Changed, Fault> {
        let client = self.pool.get().await?;
        let statement = client
            .prepare_cached(
                "update items set name = $2, price = $3, quantity = $4 where id = $1 returning id",
            )
            .await?;
        let Change {
            name,
            price,
            quantity,
        } = wanted;
        let row = client
            .query_opt(&statement, &[&id, &name, &price, &quantity])
            .await?;
        KEPT.remove(&id);
        row.ok_or(Fault::NotFound)?;
        Ok(Changed {
            id,
            name,
            price,
            quantity,
        })
    }
}

//! What comes out of a database: TechEmpower's tests by tokio-postgres and deadpool's pool.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use deadpool_postgres::{GenericClient, Manager, ManagerConfig, Pool, RecyclingMethod};
use futures_util::future::try_join_all;
use rand::Rng;
use serde::{Deserialize, Serialize};
use tokio_postgres::{NoTls, Row};

use crate::items;

const WORLDS: i32 = 10_000;
const COUNT_MAX: i64 = 500;
const SELECT_ONE: &str = "select id, randomnumber from world where id = $1";

#[derive(Clone, Copy, Serialize)]
struct World {
    id: i32,
    #[serde(rename = "randomNumber")]
    random_number: i32,
}

pub struct Fortune {
    id: i32,
    message: String,
}

#[derive(Deserialize)]
struct Counted {
    #[serde(default)]
    count: String,
}

impl Counted {
    /// 1 for what is no number, and the nearest for what is beyond the bounds.
    fn count(&self) -> usize {
        self.count.parse().unwrap_or(1).clamp(1, COUNT_MAX) as usize
    }
}

/// Answered with 500, or 404 where a row is missing.
pub struct Fault(StatusCode);

impl<E: std::error::Error> From<E> for Fault {
    fn from(_: E) -> Self {
        Fault(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl Fault {
    pub fn not_found() -> Self {
        Fault(StatusCode::NOT_FOUND)
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

pub struct Store {
    pub pool: Pool,
    cached: HashMap<i32, World>,
}

fn world_of(row: &Row) -> World {
    World {
        id: row.get(0),
        random_number: row.get(1),
    }
}

fn random_id() -> i32 {
    rand::rng().random_range(1..=WORLDS)
}

async fn open(place: &str, connections: usize) -> Result<Store, Box<dyn std::error::Error>> {
    let manager = Manager::from_config(
        place.parse()?,
        NoTls,
        ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        },
    );
    let pool = Pool::builder(manager).max_size(connections).build()?;
    let rows = pool
        .get()
        .await?
        .query("select id, randomnumber from world", &[])
        .await?;
    let cached = rows.iter().map(world_of).map(|one| (one.id, one));
    Ok(Store {
        cached: cached.collect(),
        pool,
    })
}

async fn one(State(store): State<Arc<Store>>) -> Result<Json<World>, Fault> {
    let client = store.pool.get().await?;
    let statement = client.prepare_cached(SELECT_ONE).await?;
    let row = client.query_one(&statement, &[&random_id()]).await?;
    Ok(Json(world_of(&row)))
}

/// Each by a statement and a Sync of its own; tokio-postgres sends them ahead of the first answer.
async fn read(store: &Store, ids: &[i32]) -> Result<Vec<World>, Fault> {
    let client = store.pool.get().await?;
    let statement = client.prepare_cached(SELECT_ONE).await?;
    let asked = ids.iter().map(|id| {
        let (client, statement) = (&client, &statement);
        async move { client.query_one(statement, &[id]).await }
    });
    Ok(try_join_all(asked).await?.iter().map(world_of).collect())
}

async fn some(
    State(store): State<Arc<Store>>,
    Query(asked): Query<Counted>,
) -> Result<Json<Vec<World>>, Fault> {
    let ids: Vec<i32> = (0..asked.count()).map(|_| random_id()).collect();
    Ok(Json(read(&store, &ids).await?))
}

async fn update(
    State(store): State<Arc<Store>>,
    Query(asked): Query<Counted>,
) -> Result<Json<Vec<World>>, Fault> {
    // Sorted, so that two updates lock rows in the same order.
    let mut different = BTreeSet::new();
    while different.len() < asked.count() {
        different.insert(random_id());
    }
    let ids: Vec<i32> = different.into_iter().collect();
    let mut worlds = read(&store, &ids).await?;
    for world in &mut worlds {
        world.random_number = random_id();
    }
    let numbers: Vec<i32> = worlds.iter().map(|world| world.random_number).collect();
    let client = store.pool.get().await?;
    let statement = client
        .prepare_cached(
            "update world set randomnumber = new.number \
             from unnest($1::int[], $2::int[]) as new(id, number) where world.id = new.id",
        )
        .await?;
    client.execute(&statement, &[&ids, &numbers]).await?;
    Ok(Json(worlds))
}

async fn cached(State(store): State<Arc<Store>>, Query(asked): Query<Counted>) -> Json<Vec<World>> {
    Json(
        (0..asked.count())
            .map(|_| store.cached[&random_id()])
            .collect(),
    )
}

markup::define! {
    FortunesPage(fortunes: Vec<Fortune>) {
        @markup::doctype()
        html {
            head { title { "Fortunes" } }
            body {
                table {
                    tr { th { "id" } th { "message" } }
                    @for fortune in fortunes {
                        tr { td { @fortune.id } td { @fortune.message } }
                    }
                }
            }
        }
    }
}

async fn fortunes(State(store): State<Arc<Store>>) -> Result<Html<String>, Fault> {
    let client = store.pool.get().await?;
    let statement = client
        .prepare_cached("select id, message from fortune")
        .await?;
    let rows = client.query(&statement, &[]).await?;
    let mut fortunes: Vec<Fortune> = rows
        .iter()
        .map(|row| Fortune {
            id: row.get(0),
            message: row.get(1),
        })
        .collect();
    fortunes.push(Fortune {
        id: 0,
        message: "Additional fortune added at request time.".to_owned(),
    });
    fortunes.sort_by(|a, b| a.message.cmp(&b.message));
    Ok(Html(FortunesPage { fortunes }.to_string()))
}

/// Ends the program with status 1 when the database cannot be asked.
pub async fn router(place: &str, connections: usize) -> Router {
    let store = open(place, connections).await.unwrap_or_else(|fault| {
        eprintln!("{fault}");
        std::process::exit(1)
    });
    Router::new()
        .route("/db", get(one))
        .route("/queries", get(some))
        .route("/updates", get(update))
        .route("/cached-queries", get(cached))
        .route("/fortunes", get(fortunes))
        .merge(items::router())
        .with_state(Arc::new(store))
}

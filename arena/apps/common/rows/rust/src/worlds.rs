//! The tables world and fortune: TechEmpower's tests.

use std::collections::{BTreeSet, HashMap};

use deadpool_postgres::{Client, GenericClient};
use futures_util::future::try_join_all;
use rand::Rng;
use serde::{Deserialize, Serialize};
use tokio_postgres::Row;

use crate::{Fault, Store};

const WORLDS: i32 = 10_000;
const COUNT_MAX: i64 = 500;
const SELECT_ONE: &str = "select id, randomnumber from world where id = $1";

#[derive(Clone, Copy, Serialize)]
pub struct World {
    id: i32,
    #[serde(rename = "randomNumber")]
    random_number: i32,
}

#[derive(Deserialize)]
pub struct Counted {
    #[serde(default)]
    count: String,
}

impl Counted {
    /// 1 for what is no number, and the nearest for what is beyond the bounds.
    fn count(&self) -> usize {
        self.count.parse().unwrap_or(1).clamp(1, COUNT_MAX) as usize
    }
}

pub(crate) struct Fortune {
    id: i32,
    message: String,
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

fn world_of(row: &Row) -> World {
    World {
        id: row.get(0),
        random_number: row.get(1),
    }
}

fn random_id() -> i32 {
    rand::rng().random_range(1..=WORLDS)
}

pub(crate) async fn all(client: &Client) -> Result<HashMap<i32, World>, tokio_postgres::Error> {
    let rows = client.query("select id, randomnumber from world", &[]);
    let worlds = rows.await?;
    Ok(worlds
        .iter()
        .map(world_of)
        .map(|one| (one.id, one))
        .collect())
}

impl Store {
    pub async fn one(&self) -> Result<World, Fault> {
        let client = self.pool.get().await?;
        let statement = client.prepare_cached(SELECT_ONE).await?;
        let row = client.query_one(&statement, &[&random_id()]).await?;
        Ok(world_of(&row))
    }

    pub async fn some(&self, asked: &Counted) -> Result<Vec<World>, Fault> {
        let ids: Vec<i32> = (0..asked.count()).map(|_| random_id()).collect();
        read(&self.pool.get().await?, &ids).await
    }

    pub async fn update(&self, asked: &Counted) -> Result<Vec<World>, Fault> {
        // Sorted, so that two updates lock rows in the same order.
        let mut different = BTreeSet::new();
        while different.len() < asked.count() {
            different.insert(random_id());
        }
        let ids: Vec<i32> = different.into_iter().collect();
        let client = self.pool.get().await?;
        let mut worlds = read(&client, &ids).await?;
        for world in &mut worlds {
            world.random_number = random_id();
        }
        let numbers: Vec<i32> = worlds.iter().map(|world| world.random_number).collect();
        let statement = client
            .prepare_cached(
                "update world set randomnumber = new.number \
                 from unnest($1::int[], $2::int[]) as new(id, number) where world.id = new.id",
            )
            .await?;
        client.execute(&statement, &[&ids, &numbers]).await?;
        Ok(worlds)
    }

    pub fn cached(&self, asked: &Counted) -> Vec<World> {
        (0..asked.count())
            .map(|_| self.cached[&random_id()])
            .collect()
    }

    /// The page.
    pub async fn fortunes(&self) -> Result<String, Fault> {
        let client = self.pool.get().await?;
        let statement = client
            .prepare_cached("select id, message from fortune")
            .await?;
        let rows = client.query(&statement, &[]).await?;
        let fortune_of = |row: &Row| Fortune {
            id: row.get(0),
            message: row.get(1),
        };
        let mut fortunes: Vec<Fortune> = rows.iter().map(fortune_of).collect();
        fortunes.push(Fortune {
            id: 0,
            message: "Additional fortune added at request time.".to_owned(),
        });
        fortunes.sort_by(|a, b| a.message.cmp(&b.message));
        Ok(FortunesPage { fortunes }.to_string())
    }
}

/// Each by a statement and a Sync of its own; tokio-postgres sends them ahead of the first answer.
async fn read(client: &Client, ids: &[i32]) -> Result<Vec<World>, Fault> {
    let statement = client.prepare_cached(SELECT_ONE).await?;
    let asked = ids.iter().map(|id| {
        let statement = &statement;
        async move { client.query_one(statement, &[id]).await }
    });
    Ok(try_join_all(asked).await?.iter().map(world_of).collect())
}

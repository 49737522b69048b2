//! What comes out of a database, by tokio-postgres and deadpool's pool: TechEmpower's tests, and
//! HttpArena's async-db and crud. And what its json makes of items in a file. Must not know how a request is read, nor how it is answered.

mod dataset;
mod items;
mod worlds;

use std::collections::HashMap;
use std::sync::Arc;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod};
use tokio_postgres::{Config, NoTls};

pub use dataset::{Dataset, Multiplied, PricedItems};
pub use items::{Between, Change, Changed, Found, Kept, Listed, Listing, NewItem};
pub use worlds::{Counted, World};

/// Why there is no answer: 404, or 500.
pub enum Fault {
    NotFound,
    Failed,
}

impl<E: std::error::Error> From<E> for Fault {
    fn from(_: E) -> Self {
        Fault::Failed
    }
}

type Worlds = Arc<HashMap<i32, World>>;

/// Where the database is, and what all threads know of it.
#[derive(Clone)]
pub struct Origin {
    config: Config,
    connections: usize,
    cached: Worlds,
}

/// Asks by a pool, that of one event loop or of a program.
pub struct Store {
    pool: Pool,
    cached: Worlds,
}

impl Origin {
    /// Ends the program with status 1 when the database cannot be asked.
    pub async fn open(place: &str, connections: usize) -> Self {
        Self::try_open(place, connections)
            .await
            .unwrap_or_else(|fault| {
                eprintln!("{fault}");
                std::process::exit(1)
            })
    }

    async fn try_open(place: &str, connections: usize) -> Result<Self, Box<dyn std::error::Error>> {
        let mut origin = Origin {
            config: place.parse()?,
            connections,
            cached: Worlds::default(),
        };
        let client = origin.pool().get().await?;
        origin.cached = Arc::new(worlds::all(&client).await?);
        Ok(origin)
    }

    fn pool(&self) -> Pool {
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_config(self.config.clone(), NoTls, recycling);
        let pool = Pool::builder(manager).max_size(self.connections);
        pool.build().expect("without time-outs it needs no runtime")
    }

    /// One with connections of its own.
    pub fn store(&self) -> Store {
        Store {
            pool: self.pool(),
            cached: self.cached.clone(),
        }
    }
}

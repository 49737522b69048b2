//! What handlers share.
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;

use argon2::password_hash::{rand_core::OsRng, SaltString};
use argon2::{Argon2, PasswordHasher};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use sqlx::SqlitePool;
use tokio::sync::{broadcast, Notify};
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::events::Event;

#[derive(Clone)]
pub struct App {
    pub db: SqlitePool,
    pub config: Config,
    pub news: broadcast::Sender<Event>,
    pub due: Arc<Notify>,
    pub logins: Arc<DefaultKeyedRateLimiter<(IpAddr, String)>>,
    pub nobody: Arc<str>,
    pub ending: CancellationToken,
}

impl App {
    pub fn new(db: SqlitePool, config: Config) -> Self {
        let quota = Quota::per_minute(NonZeroU32::new(10).expect("ten is not zero"));
        let salt = SaltString::generate(&mut OsRng);
        let nobody = Argon2::default()
            .hash_password(b"nobody has this one", &salt)
            .expect("it hashes");
        App {
            db,
            config,
            news: broadcast::channel(1024).0,
            due: Arc::new(Notify::new()),
            logins: Arc::new(RateLimiter::keyed(quota)),
            nobody: nobody.to_string().into(),
            ending: CancellationToken::new(),
        }
    }
}

//! Settings: the environment goes ahead of the file.
use figment::providers::{Env, Format, Toml};
use figment::Figment;
use serde::Deserialize;

#[derive(Clone, Deserialize)]
pub struct Config {
    #[serde(default = "port")]
    pub port: u16,
    #[serde(default = "database")]
    pub database: String,
    #[serde(default = "uploads")]
    pub uploads: String,
    pub webhook: Option<String>,
    #[serde(default)]
    pub origins: Vec<String>,
}

fn port() -> u16 {
    8080
}

fn database() -> String {
    "tracker.db".into()
}

fn uploads() -> String {
    "uploads".into()
}

pub fn read() -> anyhow::Result<Config> {
    let file = std::env::var("TRACKER_CONFIG").unwrap_or_else(|_| "tracker.toml".into());
    Ok(Figment::new()
        .merge(Toml::file(file))
        .merge(Env::prefixed("TRACKER_"))
        .extract()?)
}

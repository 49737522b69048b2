//! What the service is started with.

use std::path::PathBuf;
use std::time::Duration;

pub struct Options {
    pub port: u16,
    pub threads: usize,
    pub delay: Duration,
    pub routes: usize,
    pub middlewares: usize,
    pub is_checked: bool,
    pub profiles: Option<PathBuf>,
    pub database: Option<String>,
    pub database_connections: usize,
}

impl Options {
    /// Ends the program with status 2 when the arguments cannot be understood.
    pub fn from_arguments() -> Self {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        parse(&arguments).unwrap_or_else(|| {
            eprintln!(
                "usage: PORT THREADS DELAY_MS [--routes N] [--middlewares N] [--checked] \
                 [--profiles FOLDER] [--database WHERE --database-connections N]"
            );
            std::process::exit(2)
        })
    }
}

fn parse(arguments: &[String]) -> Option<Options> {
    let [port, threads, delay_ms, named @ ..] = arguments else {
        return None;
    };
    let mut options = Options {
        port: port.parse().ok()?,
        threads: threads.parse().ok().filter(|count| *count > 0)?,
        delay: Duration::from_millis(delay_ms.parse().ok()?),
        routes: 0,
        middlewares: 0,
        is_checked: false,
        profiles: None,
        database: None,
        database_connections: 4,
    };
    let mut words = named.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--routes" => options.routes = words.next()?.parse().ok()?,
            "--middlewares" => options.middlewares = words.next()?.parse().ok()?,
            "--checked" => options.is_checked = true,
            "--profiles" => options.profiles = Some(words.next()?.into()),
            "--database" => options.database = Some(words.next()?.clone()),
            "--database-connections" => {
                options.database_connections = words.next()?.parse().ok()?
            }
            _ => return None,
        }
    }
    Some(options)
}

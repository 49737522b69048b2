//! What the service is started with.

use std::path::PathBuf;
use std::time::Duration;

#[derive(Clone)]
pub struct Options {
    pub port: u16,
    pub threads: usize,
    pub delay: Duration,
    pub routes: usize,
    pub middlewares: usize,
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
                "usage: PORT THREADS DELAY_MS [--routes N] [--middlewares 0|5] \
                 [--profiles FOLDER] [--database WHERE --database-connections N]"
            );
            std::process::exit(2)
        })
    }

    fn set_number(&mut self, name: &str, value: usize) -> Option<()> {
        match name {
            "--routes" => self.routes = value,
            "--middlewares" if [0, 5].contains(&value) => self.middlewares = value,
            "--database-connections" => self.database_connections = value,
            _ => return None,
        }
        Some(())
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
        profiles: None,
        database: None,
        database_connections: 4,
    };
    for pair in named.chunks(2) {
        let [name, value] = pair else { return None };
        match name.as_str() {
            "--profiles" => options.profiles = Some(value.into()),
            "--database" => options.database = Some(value.clone()),
            _ => options.set_number(name, value.parse().ok()?)?,
        }
    }
    Some(options)
}

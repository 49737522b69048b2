//! HttpArena's json, upload and static files; the dataset is the shared crate's.

use std::path::PathBuf;

use actix_files::Files;
use actix_web::middleware::Compress;
use actix_web::web::{self, Data, Path, Payload, Query, ServiceConfig};
use actix_web::{Error, HttpResponse, Responder};
use arena_rows::{Dataset, Multiplied};
use futures_util::TryStreamExt;

/// The folder of HttpArena's files, and what is read of it once.
#[derive(Clone)]
pub struct Profiles {
    files: PathBuf,
    items: Data<Dataset>,
}

impl Profiles {
    pub fn open(folder: &std::path::Path) -> Self {
        Self {
            files: folder.join("static"),
            items: Data::new(Dataset::open(folder)),
        }
    }
}

async fn items(all: Data<Dataset>, count: Path<usize>, asked: Query<Multiplied>) -> HttpResponse {
    HttpResponse::Ok().json(all.first(*count, &asked))
}

/// Counts what comes.
pub async fn upload(mut body: Payload) -> Result<impl Responder, Error> {
    let mut count = 0;
    while let Some(piece) = body.try_next().await? {
        count += piece.len();
    }
    Ok(count.to_string())
}

pub fn add_routes(config: &mut ServiceConfig, profiles: &Profiles) {
    let items = web::resource("/json/{count}")
        .wrap(Compress::default())
        .get(items);
    config
        .app_data(profiles.items.clone())
        .service(items)
        .service(Files::new("/static", &profiles.files).try_compressed());
}
